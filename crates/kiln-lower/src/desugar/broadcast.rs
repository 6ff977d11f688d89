//! Dot calls. Nested ones fuse: one lazy `Base.broadcasted` tree, made real once by `materialize`.

use super::Desugar;
use super::call::Arg;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

impl Desugar<'_> {
    /// `+` for `.+`.
    pub(super) fn dotted_operator(&self, e: ExprId) -> Option<HirNode> {
        let loc = self.ast.loc(e);
        match *self.ast.expr(e) {
            Expr::Symbol(name) => Some(self.name(self.undotted(name)?, loc)),
            Expr::Global(module, name) => {
                Some(HirNode::new(HirKind::Global(module, self.undotted(name)?), loc))
            }
            Expr::Node { .. } => match self.parts(e) {
                Some((head, parts)) if head == "." && parts.len() == 1 => match *self.ast.expr(parts[0]) {
                    Expr::Symbol(name) => Some(self.name(name, loc)),
                    Expr::Global(module, name) => Some(HirNode::new(HirKind::Global(module, name), loc)),
                    Expr::Const(_) | Expr::Node { .. } | Expr::Quote(_) | Expr::Line { .. } => None,
                },
                _ => None,
            },
            Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => None,
        }
    }

    fn undotted(&self, name: Symbol) -> Option<Symbol> {
        let op = self.types.name(name).strip_prefix('.')?;
        if op.is_empty()
            || op.starts_with('.')
            || op.starts_with(|it: char| it.is_alphanumeric() || it == '_')
        {
            return None;
        }
        Some(self.sym(op))
    }

    /// A dot call as a value.
    pub(super) fn broadcast_value(&mut self, e: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        match self.lazy(e)? {
            Some(lazy) => Ok(self.base_call("materialize", vec![lazy], loc)),
            None => Err(problem("malformed-expression", "malformed broadcast", loc)),
        }
    }

    /// Returns the lazy tree of a dot call; `None` for other expressions.
    fn lazy(&mut self, e: ExprId) -> Lowering<Option<HirNode>> {
        let loc = self.ast.loc(e);
        let Some((head, args)) = self.parts(e) else { return Ok(None) };
        match (head.as_str(), &args[..]) {
            ("call", [f, rest @ ..]) => {
                let Some(op) = self.dotted_operator(*f) else { return Ok(None) };
                self.lazy_call(op, rest, loc).map(Some)
            }
            (".", [f, tuple]) if self.is_head(*tuple, "tuple") => {
                let rest = self.args(*tuple);
                let f = self.expr(*f)?;
                self.lazy_call(f, &rest, loc).map(Some)
            }
            (".&&" | ".||", [_, _]) => {
                let f = self.base(if head == ".&&" { "andand" } else { "oror" }, loc);
                self.lazy_call(f, &args, loc).map(Some)
            }
            ("comparison", _)
                if args.iter().skip(1).step_by(2).any(|&it| self.dotted_operator(it).is_some()) =>
            {
                self.lazy_comparison(&args, loc).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn lazy_call(&mut self, f: HirNode, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if let [base, exponent] = args
            && self.is_integer_literal(*exponent)
            && matches!(f.kind, HirKind::Name(name) | HirKind::Global(_, name) if self.types.name(name) == "^")
        {
            let base = self.lazy_arg(*base)?;
            let exponent = self.expr(*exponent)?;
            let val = self.literal_val(exponent, loc);
            return Ok(self.base_call("broadcasted", vec![self.base("literal_pow", loc), f, base, val], loc));
        }
        let mut positional = vec![(0, Arg::Plain(f))];
        let mut keywords = Vec::new();
        let mut trailing = Vec::new();
        for (at, &it) in args.iter().enumerate() {
            match self.parts(it) {
                Some((head, parts)) if head == "parameters" => trailing.extend(parts),
                Some((head, _)) if matches!(head.as_str(), "kw" | "=") => {
                    keywords.push((at + 1, self.keyword(it)?));
                }
                Some((head, parts)) if head == "..." && parts.len() == 1 => {
                    positional.push((at + 1, Arg::Splat(self.expr(parts[0])?)));
                }
                _ => positional.push((at + 1, Arg::Plain(self.lazy_arg(it)?))),
            }
        }
        for (at, it) in trailing.into_iter().enumerate() {
            keywords.push((args.len() + 1 + at, self.keyword(it)?));
        }
        if keywords.is_empty() {
            let broadcasted = self.base("broadcasted", loc);
            let positional = positional.into_iter().map(|it| it.1).collect();
            return Ok(self.apply_args(broadcasted, positional, loc));
        }
        let broadcasted = self.base("broadcasted_kwsyntax", loc);
        self.keyword_call(broadcasted, positional, keywords, loc)
    }

    fn lazy_arg(&mut self, e: ExprId) -> Lowering<HirNode> {
        match self.lazy(e)? {
            Some(lazy) => Ok(lazy),
            None => self.expr(e),
        }
    }

    pub(super) fn dotted_comparison(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let lazy = self.lazy_comparison(args, loc)?;
        Ok(self.base_call("materialize", vec![lazy], loc))
    }

    /// `a .< b .<= c` is `(a .< b) .& (b .<= c)`, every operand evaluated once.
    fn lazy_comparison(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if args.len() < 3 || args.len().is_multiple_of(2) {
            return Err(problem("malformed-expression", "malformed comparison", loc));
        }
        let mut before = Vec::new();
        let mut operands = Vec::new();
        for &it in args.iter().step_by(2) {
            let node = self.lazy_arg(it)?;
            operands.push(self.stable(node, &mut before));
        }
        let mut whole: Option<HirNode> = None;
        for (index, &op) in args.iter().skip(1).step_by(2).enumerate() {
            let pair = vec![operands[index].clone(), operands[index + 1].clone()];
            let one = match self.dotted_operator(op) {
                Some(op) => {
                    let mut all = vec![op];
                    all.extend(pair);
                    self.base_call("broadcasted", all, loc)
                }
                None => {
                    let op = self.expr(op)?;
                    self.apply(op, pair, loc)
                }
            };
            whole = Some(match whole {
                Some(whole) => self.base_call("broadcasted", vec![self.base("&", loc), whole, one], loc),
                None => one,
            });
        }
        let whole = whole.unwrap_or_else(|| self.nothing(loc));
        Ok(self.after(before, whole, loc))
    }

    /// `target .= value`.
    pub(super) fn broadcast_assign(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity(".=", args, 2, 2, loc)?;
        let target = self.broadcast_target(args[0])?;
        let value = match self.lazy(args[1])? {
            Some(lazy) => lazy,
            None => {
                let value = self.expr(args[1])?;
                self.base_call("broadcasted", vec![self.base("identity", loc), value], loc)
            }
        };
        Ok(self.base_call("materialize!", vec![target, value], loc))
    }

    /// `target .op= value`.
    pub(super) fn broadcast_op_assign(
        &mut self,
        op: &str,
        lhs: ExprId,
        rhs: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut before = Vec::new();
        let (target, old) = self.updated_target(lhs, &mut before)?;
        let value = if op == "^" && self.is_integer_literal(rhs) {
            let exponent = self.expr(rhs)?;
            let val = self.literal_val(exponent, loc);
            let power = self.name(self.sym("^"), loc);
            self.base_call("broadcasted", vec![self.base("literal_pow", loc), power, old, val], loc)
        } else {
            let f = match op {
                "&&" => self.base("andand", loc),
                "||" => self.base("oror", loc),
                _ => self.name(self.sym(op), loc),
            };
            let right = self.lazy_arg(rhs)?;
            self.base_call("broadcasted", vec![f, old, right], loc)
        };
        let call = self.base_call("materialize!", vec![target, value], loc);
        Ok(self.after(before, call, loc))
    }

    /// Returns the target of a dotted update and the value it reads, whose parts are evaluated once.
    fn updated_target(&mut self, lhs: ExprId, before: &mut Vec<HirNode>) -> Lowering<(HirNode, HirNode)> {
        let loc = self.ast.loc(lhs);
        match self.parts(lhs) {
            Some((head, _)) if head == "ref" => {
                let view = self.broadcast_target(lhs)?;
                let target = self.stable(view, before);
                Ok((target.clone(), self.base_call("without_repeats", vec![target], loc)))
            }
            Some((head, parts)) if head == "." && parts.len() == 2 && !self.is_head(parts[1], "tuple") => {
                let object = self.expr(parts[0])?;
                let object = self.stable(object, before);
                let field = self.field_name(parts[1])?;
                let field = self.stable(field, before);
                let place = self.base_call("dotgetproperty", vec![object.clone(), field.clone()], loc);
                let target = self.hold(place, before);
                Ok((target, self.base_call("getproperty", vec![object, field], loc)))
            }
            _ => {
                let target = self.expr(lhs)?;
                let target = self.stable(target, before);
                Ok((target.clone(), target))
            }
        }
    }

    /// Returns the target of a dotted assignment: a view of an indexed array, the value of anything else.
    fn broadcast_target(&mut self, lhs: ExprId) -> Lowering<HirNode> {
        let loc = self.ast.loc(lhs);
        match self.parts(lhs) {
            Some((head, parts)) if head == "ref" && !parts.is_empty() => {
                let mut before = Vec::new();
                let array = self.expr(parts[0])?;
                let array = self.indexed_array(array, &parts[1..], &mut before);
                let indices = self.index_values(&array, &parts[1..], &mut before)?;
                let view = self.index_call("dotview", vec![array], &indices, loc);
                Ok(self.after(before, view, loc))
            }
            Some((head, parts)) if head == "." && parts.len() == 2 && !self.is_head(parts[1], "tuple") => {
                let object = self.expr(parts[0])?;
                let field = self.field_name(parts[1])?;
                Ok(self.base_call("dotgetproperty", vec![object, field], loc))
            }
            _ => self.expr(lhs),
        }
    }
}
