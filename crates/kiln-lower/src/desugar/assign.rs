//! `target = value` for every kind of target but a tuple.

use super::Desugar;
use crate::error::{Lowering, problem, problem_with_help};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};

impl Desugar<'_> {
    /// `lhs = rhs` as an expression: its value is that of `rhs`.
    pub(super) fn assignment(&mut self, e: ExprId, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("=", args, 2, 2, loc)?;
        let (lhs, rhs) = (args[0], args[1]);
        if self.is_function_signature(lhs) {
            return self.function(&[lhs, rhs], self.ast.loc(e));
        }
        if self.is_head(lhs, "curly") {
            return self.alias_assignment(lhs, rhs, loc);
        }
        if matches!(self.as_symbol(lhs), Some(name) if self.is_syntax_name(name)) {
            return Err(self.invalid_target(lhs));
        }
        if self.is_head(lhs, "tuple") {
            return self.destructure_assignment(lhs, rhs, loc);
        }
        if let Some(node) = self.assign_to_object(lhs, rhs, loc)? {
            return Ok(node);
        }
        let value = self.expr(rhs)?;
        self.assign_value(lhs, value, loc)
    }

    /// Assignments whose object is evaluated before the value: `a.b = value`, and `a[end] = value`, whose index
    /// depends on it.
    fn assign_to_object(&mut self, lhs: ExprId, rhs: ExprId, loc: SourceLoc) -> Lowering<Option<HirNode>> {
        let (head, parts) = match self.parts(lhs) {
            Some((head, parts)) if matches!(head.as_str(), "." | "ref") && parts.len() > 1 => (head, parts),
            _ => return Ok(None),
        };
        let indices = &parts[1..];
        let is_index = head == "ref";
        if is_index && !indices.iter().any(|&it| self.mentions_end(it)) {
            return Ok(None);
        }
        let mut before = Vec::new();
        let object = self.expr(parts[0])?;
        if is_index {
            let array = self.indexed_array(object, indices, &mut before);
            let value = self.expr(rhs)?;
            let value = self.saved_value(value, &mut before);
            let indices = self.index_values(&array, indices, &mut before)?;
            before.push(self.index_call("setindex!", vec![array, value.clone()], &indices, loc));
            return Ok(Some(self.after(before, value, loc)));
        }
        let object = self.stable(object, &mut before);
        let field = self.field_name(parts[1])?;
        let field = self.stable(field, &mut before);
        let value = self.expr(rhs)?;
        let value = self.saved_value(value, &mut before);
        before.push(self.base_call("setproperty!", vec![object, field, value.clone()], loc));
        Ok(Some(self.after(before, value, loc)))
    }

    /// A value that nothing changes until it is read again.
    fn saved_value(&mut self, value: HirNode, before: &mut Vec<HirNode>) -> HirNode {
        match value.kind {
            HirKind::Const(_) | HirKind::Temp(_) => value,
            _ => self.hold(value, before),
        }
    }

    /// As [`Self::assign_to`], with the assigned value as the result.
    fn assign_value(&mut self, lhs: ExprId, value: HirNode, loc: SourceLoc) -> Lowering<HirNode> {
        if let Expr::Symbol(name) = *self.ast.expr(lhs)
            && !self.is_underscore(name)
        {
            let mut target = HirNode::assign(self.name(name, self.ast.loc(lhs)), value);
            target.loc = loc;
            return Ok(target);
        }
        let mut before = Vec::new();
        let held = self.saved_value(value, &mut before);
        before.push(self.assign_to(lhs, held.clone(), loc)?);
        Ok(self.after(before, held, loc))
    }

    /// Assigns a value that may be read twice; the value of the node is not to be used.
    pub(super) fn assign_to(&mut self, lhs: ExprId, value: HirNode, loc: SourceLoc) -> Lowering<HirNode> {
        match self.ast.expr(lhs).clone() {
            Expr::Symbol(name) if self.is_underscore(name) => Ok(value),
            Expr::Symbol(name) if matches!(self.types.name(name), "end" | "begin") => {
                Err(self.invalid_target(lhs))
            }
            Expr::Symbol(name) if self.is_syntax_name(name) => Err(self.invalid_target(lhs)),
            Expr::Symbol(name) => Ok(HirNode::assign(self.name(name, self.ast.loc(lhs)), value)),
            Expr::Global(module, name) => {
                Ok(HirNode::assign(HirNode::new(HirKind::Global(module, name), self.ast.loc(lhs)), value))
            }
            Expr::Node { head, args } => {
                let head = self.types.name(head).to_owned();
                self.assign_to_node(lhs, &head, &args, value, loc)
            }
            Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => Err(self.invalid_target(lhs)),
        }
    }

    fn assign_to_node(
        &mut self,
        lhs: ExprId,
        head: &str,
        args: &[ExprId],
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        match (head, args) {
            ("tuple", targets) => self.destructure(targets, value, loc),
            (".", [object, field]) => {
                let object = self.expr(*object)?;
                let field = self.field_name(*field)?;
                Ok(self.base_call("setproperty!", vec![object, field, value], loc))
            }
            ("ref", [array, indices @ ..]) => self.set_index(*array, indices, value, loc),
            ("::", [target, ty]) => self.typed_assignment(*target, *ty, value, loc),
            ("local" | "global", [target]) => {
                let declared = self.declaration(head, args, loc)?;
                let set = self.assign_to(*target, value, loc)?;
                Ok(HirNode::block(vec![declared, set], loc))
            }
            ("outer" | "escape" | "hygienic-scope", [target, ..]) => self.assign_to(*target, value, loc),
            ("parameters", _) => {
                Err(problem("invalid-assignment", "write `(; a, b) = value` to take properties apart", loc))
            }
            ("vect" | "vcat" | "hcat" | "typed_vcat", _) => Err(problem_with_help(
                "invalid-assignment",
                "an array literal can not be assigned to",
                self.ast.loc(lhs),
                "use `(a, b) = value` to destructure",
            )),
            ("call" | "where", _) if self.is_function_signature(lhs) => {
                self.function_of_value(lhs, value, loc)
            }
            ("...", _) => {
                let help = "`...` on the left needs a tuple: write `a..., = value`";
                Err(Box::new(self.invalid_target(lhs).with_help(help)))
            }
            _ => Err(self.invalid_target(lhs)),
        }
    }

    pub(super) fn invalid_target(&self, lhs: ExprId) -> Box<crate::LowerError> {
        let message = format!("invalid assignment location \"{}\"", self.text_of(lhs));
        problem("invalid-assignment", message, self.ast.loc(lhs))
    }

    /// `f()` among the targets of a destructuring: a function that returns its part.
    fn function_of_value(&mut self, lhs: ExprId, value: HirNode, loc: SourceLoc) -> Lowering<HirNode> {
        let name = self.fresh_name("part");
        let body = self.make_symbol(name, loc);
        let declare = HirNode::new(HirKind::Local(name), loc);
        let set = HirNode::assign(self.name(name, loc), value);
        let function = self.function(&[lhs, body], loc)?;
        Ok(HirNode::block(vec![declare, set, function], loc))
    }

    /// `x::T = value` declares the type of `x`; on any other target it only converts.
    fn typed_assignment(
        &mut self,
        target: ExprId,
        ty: ExprId,
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        if matches!(self.head(target), Some("ref" | ".")) {
            return self.checked_place(target, ty, value, loc);
        }
        if matches!(self.head(target), Some("tuple" | "curly")) {
            let message = format!("invalid type declaration of \"{}\"", self.text_of(target));
            return Err(problem("invalid-assignment", message, self.ast.loc(target)));
        }
        let ty = self.expr(ty)?;
        match self.as_symbol(target) {
            Some(name) if !self.is_underscore(name) => {
                let declare = HirNode::new(HirKind::DeclType(name, Box::new(ty)), loc);
                let set = HirNode::assign(self.name(name, self.ast.loc(target)), value);
                Ok(HirNode::block(vec![declare, set], loc))
            }
            _ => {
                let mut before = Vec::new();
                let converted = self.convert_to(ty, value, loc);
                let held = self.hold(converted, &mut before);
                before.push(self.assign_to(target, held, loc)?);
                Ok(HirNode::block(before, loc))
            }
        }
    }

    /// `a[i]::T = value` and `a.b::T = value`: the value at the target must be a `T` before the assignment.
    fn checked_place(
        &mut self,
        target: ExprId,
        ty: ExprId,
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let (parts, mut before) = (self.args(target), Vec::new());
        let object = self.expr(parts[0])?;
        let object = self.stable(object, &mut before);
        if self.is_head(target, ".") {
            let field = self.field_name(parts[1])?;
            let field = self.stable(field, &mut before);
            let current = self.base_call("getproperty", vec![object.clone(), field.clone()], loc);
            let ty = self.expr(ty)?;
            before.push(self.core_call("typeassert", vec![current, ty], loc));
            before.push(self.base_call("setproperty!", vec![object, field, value], loc));
            return Ok(HirNode::block(before, loc));
        }
        let mut indices = self.index_values(&object, &parts[1..], &mut before)?;
        for index in &mut indices {
            let value = std::mem::replace(&mut index.value, HirNode::new(HirKind::TheException, loc));
            index.value = self.stable(value, &mut before);
        }
        let current = self.index_call("getindex", vec![object.clone()], &indices, loc);
        let ty = self.expr(ty)?;
        before.push(self.core_call("typeassert", vec![current, ty], loc));
        before.push(self.index_call("setindex!", vec![object, value], &indices, loc));
        Ok(HirNode::block(before, loc))
    }

    pub(super) fn convert_to(&self, ty: HirNode, value: HirNode, loc: SourceLoc) -> HirNode {
        HirNode::new(HirKind::ConvertTo { ty: Box::new(ty), value: Box::new(value), assert: true }, loc)
    }

    pub(super) fn is_underscore(&self, name: kiln_types::Symbol) -> bool {
        let text = self.types.name(name);
        !text.is_empty() && text.bytes().all(|it| it == b'_')
    }

    /// The second part of `a.b`.
    pub(super) fn field_name(&mut self, field: ExprId) -> Lowering<HirNode> {
        match *self.ast.expr(field) {
            Expr::Symbol(name) => Ok(self.symbol_value(name, self.ast.loc(field))),
            Expr::Quote(_) | Expr::Const(_) | Expr::Node { .. } | Expr::Global(..) | Expr::Line { .. } => {
                self.expr(field)
            }
        }
    }
}
