//! `a op= b`: the parts of the target are evaluated once.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};

/// The operators that have an updating form.
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "//", "\\", "^", "÷", "%", "|", "&", "⊻", "<<", ">>", ">>>", "$", "&&", "||"];

impl Desugar<'_> {
    /// Whether a head is that of an updating assignment, dotted or not.
    pub(super) fn is_op_assign(&self, head: &str) -> bool {
        let Some(op) = head.strip_suffix('=') else { return false };
        OPERATORS.contains(&op) || op.strip_prefix('.').is_some_and(|it| OPERATORS.contains(&it))
    }

    pub(super) fn op_assign(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity(head, args, 2, 2, loc)?;
        let op = head.strip_suffix('=').unwrap_or(head).to_owned();
        if let Some(op) = op.strip_prefix('.') {
            return self.broadcast_op_assign(op, args[0], args[1], loc);
        }
        let (lhs, rhs) = (args[0], args[1]);
        if let Some((kind, parts)) = self.parts(lhs) {
            match (kind.as_str(), &parts[..]) {
                (".", [object, field]) => return self.op_assign_property(&op, *object, *field, rhs, loc),
                ("ref", [array, indices @ ..]) => {
                    return self.op_assign_index(&op, *array, indices, rhs, loc);
                }
                ("::", [target, ty]) => return self.op_assign_typed(&op, *target, *ty, rhs, loc),
                ("escape" | "hygienic-scope", [inner, ..]) => {
                    return self.op_assign(head, &[*inner, rhs], loc);
                }
                ("tuple", targets) => {
                    let bad = targets.iter().find(|&&it| self.as_symbol(it).is_none()).unwrap_or(&lhs);
                    let message = format!("invalid multiple assignment location \"{}\"", self.text_of(*bad));
                    return Err(problem("invalid-assignment", message, self.ast.loc(*bad)));
                }
                _ => return Err(self.invalid_target(lhs)),
            }
        }
        match *self.ast.expr(lhs) {
            Expr::Symbol(_) | Expr::Global(..) => {
                let old = self.expr(lhs)?;
                self.combine(&op, old, rhs, loc, |this, value| {
                    let mut before = Vec::new();
                    let held = this.hold(value, &mut before);
                    before.push(this.assign_to(lhs, held.clone(), loc)?);
                    Ok(this.after(before, held, loc))
                })
            }
            Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } | Expr::Node { .. } => {
                Err(self.invalid_target(lhs))
            }
        }
    }

    /// The new value from the old one; `&&=` and `||=` assign only if they get to the right side.
    fn combine(
        &mut self,
        op: &str,
        old: HirNode,
        rhs: ExprId,
        loc: SourceLoc,
        assign: impl FnOnce(&mut Self, HirNode) -> Lowering<HirNode>,
    ) -> Lowering<HirNode> {
        if op == "&&" || op == "||" {
            let value = self.expr(rhs)?;
            let set = assign(self, value)?;
            let parts = vec![old, set];
            return Ok(HirNode::new(if op == "&&" { HirKind::And(parts) } else { HirKind::Or(parts) }, loc));
        }
        let f = self.name(self.sym(op), loc);
        let right = self.expr(rhs)?;
        let value = match op {
            "^" => self.power(f, old, right, rhs, loc),
            _ => self.apply(f, vec![old, right], loc),
        };
        assign(self, value)
    }

    fn op_assign_property(
        &mut self,
        op: &str,
        object: ExprId,
        field: ExprId,
        rhs: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut before = Vec::new();
        let object = self.expr(object)?;
        let object = self.stable(object, &mut before);
        let field = self.field_name(field)?;
        let field = self.stable(field, &mut before);
        let old = self.base_call("getproperty", vec![object.clone(), field.clone()], loc);
        let node = self.combine(op, old, rhs, loc, |this, value| {
            let mut inner = Vec::new();
            let value = this.hold(value, &mut inner);
            inner.push(this.base_call("setproperty!", vec![object, field, value.clone()], loc));
            Ok(this.after(inner, value, loc))
        })?;
        Ok(self.after(before, node, loc))
    }

    fn op_assign_index(
        &mut self,
        op: &str,
        array: ExprId,
        indices: &[ExprId],
        rhs: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut before = Vec::new();
        let (array, indices) = self.stable_reference(array, indices, &mut before)?;
        let old = self.index_call("getindex", vec![array.clone()], &indices, loc);
        let node = self.combine(op, old, rhs, loc, |this, value| {
            let mut inner = Vec::new();
            let value = this.hold(value, &mut inner);
            inner.push(this.index_call("setindex!", vec![array, value.clone()], &indices, loc));
            Ok(this.after(inner, value, loc))
        })?;
        Ok(self.after(before, node, loc))
    }

    fn op_assign_typed(
        &mut self,
        op: &str,
        target: ExprId,
        ty: ExprId,
        rhs: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        if self.is_function_signature(target) {
            return Err(self.invalid_target(target));
        }
        let typed = self.make("::", vec![target, ty], loc);
        let old = self.expr(target)?;
        self.combine(op, old, rhs, loc, |this, value| {
            let mut before = Vec::new();
            let held = this.hold(value, &mut before);
            before.push(this.assign_to(typed, held.clone(), loc)?);
            Ok(this.after(before, held, loc))
        })
    }
}
