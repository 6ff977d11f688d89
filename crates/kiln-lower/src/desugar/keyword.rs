//! Keyword arguments of calls, and named tuples.

use super::Desugar;
use super::call::Arg;
use crate::error::{Lowering, problem};
use crate::hir::Node;
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

/// One keyword argument.
#[derive(Clone, Debug)]
pub(super) enum Keyword {
    /// `k = v`.
    Named(Symbol, Node),
    /// `key => v` with a computed key.
    Computed(Node, Node),
    /// `x...`.
    Splat(Node),
}

impl Desugar<'_> {
    /// A keyword as it stands behind `;` or as `k = v` among the arguments.
    pub(super) fn keyword(&mut self, e: ExprId) -> Lowering<Keyword> {
        let loc = self.ast.loc(e);
        if let Some(name) = self.as_symbol(e) {
            return Ok(Keyword::Named(name, self.expr(e)?));
        }
        let parts = self.parts(e);
        match parts.as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("kw" | "=", [name, value])) => {
                let name = match self.parts(*name) {
                    Some((head, parts)) if head == "::" && !parts.is_empty() => parts[0],
                    _ => *name,
                };
                match *self.ast.expr(name) {
                    Expr::Symbol(name) | Expr::Global(_, name) => {
                        let value = self.expr(*value)?;
                        Ok(Keyword::Named(name, value))
                    }
                    Expr::Node { .. } | Expr::Const(_) | Expr::Quote(_) | Expr::Line { .. } => {
                        Err(problem("invalid-keyword", "a keyword argument needs a plain name", loc))
                    }
                }
            }
            Some(("...", [value])) => Ok(Keyword::Splat(self.expr(*value)?)),
            Some((".", [_, field])) => match *self.ast.expr(*field) {
                Expr::Quote(inner) if let Some(name) = self.as_symbol(inner) => {
                    Ok(Keyword::Named(name, self.expr(e)?))
                }
                Expr::Const(_)
                | Expr::Symbol(_)
                | Expr::Quote(_)
                | Expr::Node { .. }
                | Expr::Global(..)
                | Expr::Line { .. } => Err(problem("invalid-keyword", "invalid keyword argument", loc)),
            },
            Some(("call", [op, key, value])) if self.is_symbol(*op, "=>") => {
                let key = self.expr(*key)?;
                let value = self.expr(*value)?;
                Ok(Keyword::Computed(key, value))
            }
            Some(("escape" | "hygienic-scope", [inner, ..])) => self.keyword(*inner),
            _ => Err(problem("invalid-keyword", "invalid keyword argument", loc)),
        }
    }

    /// `(k = v, ...)` from keywords; later ones win where splats repeat a name.
    pub(super) fn named_tuple(&mut self, keywords: Vec<Keyword>, loc: SourceLoc) -> Lowering<Node> {
        let mut seen = Vec::new();
        for keyword in &keywords {
            if let Keyword::Named(name, value) = keyword {
                if seen.contains(name) {
                    let message =
                        format!("keyword argument `{}` is given more than once", self.types.name(*name));
                    return Err(problem("duplicate-keyword", message, value.loc));
                }
                seen.push(*name);
            }
        }
        let mut whole: Option<Node> = None;
        let mut run: Vec<(Node, Node)> = Vec::new();
        for keyword in keywords {
            match keyword {
                Keyword::Named(name, value) => run.push((self.symbol_value(name, loc), value)),
                Keyword::Computed(key, value) => run.push((key, value)),
                Keyword::Splat(value) => {
                    if !run.is_empty() {
                        let part = self.named_tuple_of(std::mem::take(&mut run), loc);
                        whole = Some(self.merged(whole, part, loc));
                    }
                    let start = match whole.take() {
                        Some(it) => it,
                        None => self.named_tuple_of(Vec::new(), loc),
                    };
                    whole = Some(self.base_call("merge", vec![start, value], loc));
                }
            }
        }
        if whole.is_none() || !run.is_empty() {
            let part = self.named_tuple_of(run, loc);
            whole = Some(self.merged(whole, part, loc));
        }
        whole.ok_or_else(|| problem("malformed-expression", "malformed named tuple", loc))
    }

    fn merged(&self, first: Option<Node>, second: Node, loc: SourceLoc) -> Node {
        match first {
            Some(first) => self.base_call("merge", vec![first, second], loc),
            None => second,
        }
    }

    /// `NamedTuple{names}(values)`.
    fn named_tuple_of(&self, entries: Vec<(Node, Node)>, loc: SourceLoc) -> Node {
        let (names, values): (Vec<Node>, Vec<Node>) = entries.into_iter().unzip();
        let names = self.core_call("tuple", names, loc);
        let ty = self.core_call("apply_type", vec![self.core("NamedTuple", loc), names], loc);
        let values = self.core_call("tuple", values, loc);
        self.apply(ty, vec![values], loc)
    }

    /// `Core.kwcall(keywords, f, args...)`. If only splats give keywords there may turn out to be none, and then
    /// it is a plain call.
    pub(super) fn keyword_call(
        &mut self,
        f: Node,
        args: Vec<Arg>,
        keywords: Vec<Keyword>,
        loc: SourceLoc,
    ) -> Lowering<Node> {
        let maybe_none = keywords.iter().all(|it| matches!(it, Keyword::Splat(_)));
        let container = self.named_tuple(keywords, loc)?;
        let mut before = Vec::new();
        let container = self.hold(container, &mut before);
        let kwcall = self.core("kwcall", loc);
        if !maybe_none {
            let mut all = vec![Arg::Plain(container), Arg::Plain(f)];
            all.extend(args);
            let call = self.apply_args(kwcall, all, loc);
            return Ok(self.after(before, call, loc));
        }
        let f = self.stable(f, &mut before);
        let args: Vec<Arg> = args
            .into_iter()
            .map(|it| match it {
                Arg::Plain(node) => Arg::Plain(self.stable(node, &mut before)),
                Arg::Splat(node) => Arg::Splat(self.stable(node, &mut before)),
            })
            .collect();
        let empty = self.base_call("isempty", vec![container.clone()], loc);
        let plain = self.apply_args(f.clone(), args.clone(), loc);
        let mut all = vec![Arg::Plain(container), Arg::Plain(f)];
        all.extend(args);
        let with = self.apply_args(kwcall, all, loc);
        let node = self.if_node(empty, plain, with, loc);
        Ok(self.after(before, node, loc))
    }
}
