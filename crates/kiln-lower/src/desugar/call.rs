//! Calls: plain, splatted, with literal powers, `do` blocks, and `a.b`.

use super::Desugar;
use super::keyword::Keyword;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{ConstData, FrontMutant, Module, mutant};

/// A positional argument.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    Plain(HirNode),
    /// `x...`.
    Splat(HirNode),
}

/// The positional arguments and the keywords of a call, each with its place among them.
pub(super) type CallArgs = (Vec<(usize, Arg)>, Vec<(usize, Keyword)>);

impl Desugar<'_> {
    pub(super) fn call(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let Some((&f, rest)) = args.split_first() else {
            return Err(problem("malformed-expression", "a call of nothing", loc));
        };
        if self.dotted_operator(f).is_some() {
            let call = self.make("call", args.to_vec(), loc);
            return self.broadcast_value(call, loc);
        }
        if let Some(node) = self.special_call(f, rest, loc)? {
            return Ok(node);
        }
        let callee = self.expr(f)?;
        let call = self.call_with(callee, f, rest, loc)?;
        if !self.is_symbol(f, "include") {
            return Ok(call);
        }
        // What a file defines is seen by the code after a call that is written so.
        let mut nodes = Vec::new();
        let value = self.hold(call, &mut nodes);
        nodes.extend([HirNode::new(HirKind::LatestWorldAtTopLevel, loc), value]);
        Ok(HirNode::block(nodes, loc))
    }

    /// Calls `f`, already lowered; `args` are the written arguments, after the expression of `f` itself.
    pub(super) fn call_function(&mut self, f: HirNode, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let (args, keywords) = self.call_args(args)?;
        if keywords.is_empty() {
            let args = args.into_iter().map(|it| it.1).collect();
            return Ok(self.apply_args(f, args, loc));
        }
        self.keyword_call(f, args, keywords, loc)
    }

    fn call_with(
        &mut self,
        callee: HirNode,
        f: ExprId,
        rest: &[ExprId],
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        if self.is_symbol(f, "^")
            && let [base, exponent] = rest
            && self.is_integer_literal(*exponent)
            && !matches!(self.head(*base), Some("..." | "kw" | "parameters"))
        {
            let base = self.expr(*base)?;
            let right = self.expr(*exponent)?;
            return Ok(self.power(callee, base, right, *exponent, loc));
        }
        self.call_function(callee, rest, loc)
    }

    /// `base ^ exponent`; a literal exponent is part of the type of the call.
    pub(super) fn power(
        &mut self,
        f: HirNode,
        base: HirNode,
        right: HirNode,
        exponent: ExprId,
        loc: SourceLoc,
    ) -> HirNode {
        if !self.is_integer_literal(exponent) {
            return self.apply(f, vec![base, right], loc);
        }
        let val = self.literal_val(right, loc);
        self.base_call("literal_pow", vec![f, base, val], loc)
    }

    /// `Val(literal)`.
    pub(super) fn literal_val(&self, literal: HirNode, loc: SourceLoc) -> HirNode {
        let ty = self.core_call("apply_type", vec![self.base("Val", loc), literal], loc);
        HirNode::new(HirKind::Call(vec![ty]), loc)
    }

    pub(super) fn is_integer_literal(&self, e: ExprId) -> bool {
        let Expr::Const(value) = *self.ast.expr(e) else { return false };
        matches!(self.types.const_data(value), ConstData::Bits { ty, .. } if *ty == self.types.core().int64)
    }

    /// Calls that are syntax.
    fn special_call(&mut self, f: ExprId, rest: &[ExprId], loc: SourceLoc) -> Lowering<Option<HirNode>> {
        let name = match *self.ast.expr(f) {
            Expr::Symbol(name) => name,
            Expr::Global(module, name) if module == Module::CORE => name,
            Expr::Node { .. } if self.constructor.is_some() => {
                return match self.parts(f) {
                    Some((head, parts))
                        if head == "curly" && parts.first().is_some_and(|&it| self.is_symbol(it, "new")) =>
                    {
                        self.new_call(&parts[1..], true, rest, loc).map(Some)
                    }
                    _ => Ok(None),
                };
            }
            Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } | Expr::Node { .. } => {
                return Ok(None);
            }
        };
        match self.types.name(name) {
            "new" if self.constructor.is_some() => self.new_call(&[], false, rest, loc).map(Some),
            "ccall" => self.foreign_call(rest, loc).map(Some),
            _ => Ok(None),
        }
    }

    /// The arguments of a call that accepts no keywords.
    pub(super) fn positional_args(&mut self, args: &[ExprId]) -> Lowering<Vec<Arg>> {
        Ok(self.call_args(args)?.0.into_iter().map(|it| it.1).collect())
    }

    /// Separates positional arguments from keywords; each comes with its place in the order of the text.
    pub(super) fn call_args(&mut self, args: &[ExprId]) -> Lowering<CallArgs> {
        let mut positional = Vec::new();
        let mut keywords = Vec::new();
        let mut trailing = Vec::new();
        for (at, &it) in args.iter().enumerate() {
            match self.parts(it) {
                Some((head, parts)) if head == "parameters" => {
                    if let Some(&second) = parts.iter().find(|&&it| self.is_head(it, "parameters")) {
                        let message = "more than one semicolon in argument list";
                        return Err(problem("invalid-argument", message, self.ast.loc(second)));
                    }
                    trailing.extend(parts);
                }
                Some((head, _)) if head == "kw" => {
                    let last = mutant::is_set(self.types, FrontMutant::KeywordsLast);
                    keywords.push((if last { args.len() + at } else { at }, self.keyword(it)?));
                }
                Some((head, parts)) if head == "..." => {
                    let Some(&inner) = parts.first() else {
                        return Err(problem("malformed-expression", "malformed `...`", self.ast.loc(it)));
                    };
                    positional.push((at, Arg::Splat(self.splatted(inner)?)));
                }
                _ => positional.push((at, Arg::Plain(self.expr(it)?))),
            }
        }
        for (at, it) in trailing.into_iter().enumerate() {
            keywords.push((args.len() + at, self.keyword(it)?));
        }
        Ok((positional, keywords))
    }

    /// The expression before `...`. For `x...`, a tuple of the elements of `x`.
    fn splatted(&mut self, e: ExprId) -> Lowering<HirNode> {
        let loc = self.ast.loc(e);
        match self.parts(e) {
            Some((head, parts)) if head == "..." && parts.len() == 1 => {
                let inner = self.splatted(parts[0])?;
                let (apply, iterate) = (self.core("_apply_iterate", loc), self.base("iterate", loc));
                let first = self.core_call("tuple", vec![iterate.clone(), self.core("tuple", loc)], loc);
                Ok(HirNode::new(HirKind::Call(vec![apply.clone(), iterate, apply, first, inner]), loc))
            }
            _ => self.expr(e),
        }
    }

    /// `f(args...)`; splats go through `Core._apply_iterate`.
    pub(super) fn apply_args(&mut self, f: HirNode, args: Vec<Arg>, loc: SourceLoc) -> HirNode {
        if args.iter().all(|it| matches!(it, Arg::Plain(_))) {
            let mut all = vec![f];
            all.extend(args.into_iter().map(|it| match it {
                Arg::Plain(node) | Arg::Splat(node) => node,
            }));
            return match mutant::is_set(self.types, FrontMutant::CalleeLast) {
                true => self.callee_last(all, loc),
                false => HirNode::new(HirKind::Call(all), loc),
            };
        }
        // `Core` is evaluated before there is anything to iterate with; it splats only tuples.
        let iterate = match self.module == Module::CORE {
            true => self.nothing(loc),
            false => self.base("iterate", loc),
        };
        let mut all = vec![self.core("_apply_iterate", loc), iterate, f];
        let mut run = Vec::new();
        for arg in args {
            match arg {
                Arg::Plain(node) => run.push(node),
                Arg::Splat(node) => {
                    if !run.is_empty() {
                        all.push(self.core_call("tuple", std::mem::take(&mut run), loc));
                    }
                    all.push(node);
                }
            }
        }
        if !run.is_empty() {
            all.push(self.core_call("tuple", run, loc));
        }
        HirNode::new(HirKind::Call(all), loc)
    }

    /// A call whose arguments are evaluated before its function.
    fn callee_last(&mut self, mut all: Vec<HirNode>, loc: SourceLoc) -> HirNode {
        let mut before = Vec::new();
        all[1..].iter_mut().for_each(|it| *it = self.hold(it.clone(), &mut before));
        self.after(before, HirNode::new(HirKind::Call(all), loc), loc)
    }

    /// `f(args...) do x ... end`: the function is the first positional argument.
    pub(super) fn do_block(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("do", args, 2, 2, loc)?;
        let (head, parts) = match self.parts(args[0]) {
            Some((head, parts)) if matches!(head.as_str(), "call" | ".") && !parts.is_empty() => {
                (head, parts)
            }
            _ => return Err(problem("malformed-expression", "a `do` block needs a call", loc)),
        };
        if head == "." {
            let mut inner = parts.get(1).map(|&it| self.args(it)).unwrap_or_default();
            inner.insert(0, args[1]);
            let tuple = self.make("tuple", inner, loc);
            let call = self.make(".", vec![parts[0], tuple], loc);
            return self.expr(call);
        }
        let mut parts = parts;
        let at = if parts.len() > 1 && self.is_head(parts[1], "parameters") { 2 } else { 1 };
        parts.insert(at, args[1]);
        self.call(&parts, loc)
    }

    /// `a.b`, `f.(x)` and `.+` by itself.
    pub(super) fn dot(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        match *args {
            [op] => {
                let op = self.expr(op)?;
                Ok(self.base_call("BroadcastFunction", vec![op], loc))
            }
            [f, second] if self.is_head(second, "tuple") => {
                let call = self.make(".", vec![f, second], loc);
                self.broadcast_value(call, loc)
            }
            [object, field] => {
                let object = self.expr(object)?;
                let field = self.field_name(field)?;
                Ok(self.base_call("getproperty", vec![object, field], loc))
            }
            _ => Err(problem("malformed-expression", "malformed `.`", loc)),
        }
    }
}
