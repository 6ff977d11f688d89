//! Keyword arguments of calls, and named tuples.

use super::Desugar;
use super::call::Arg;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

/// One keyword argument.
#[derive(Clone, Debug)]
pub(super) enum Keyword {
    /// `k = v`.
    Named(Symbol, HirNode),
    /// `key => v` with a computed key.
    Computed(HirNode, HirNode),
    /// `x...`.
    Splat(HirNode),
}

/// The construct a keyword is a part of, which messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeywordPlace {
    Call,
    NamedTuple,
}

impl Desugar<'_> {
    /// A keyword argument of a call, behind `;` or as `k = v` among the arguments.
    pub(super) fn keyword(&mut self, e: ExprId) -> Lowering<Keyword> {
        self.keyword_in(KeywordPlace::Call, e)
    }

    /// A keyword argument or an element of a named tuple.
    pub(super) fn keyword_in(&mut self, place: KeywordPlace, e: ExprId) -> Lowering<Keyword> {
        let loc = self.ast.loc(e);
        if let Some(name) = self.as_symbol(e) {
            return Ok(Keyword::Named(name, self.expr(e)?));
        }
        let parts = self.parts(e);
        match parts.as_ref().map(|(head, args)| (head.as_str(), args.as_slice())) {
            Some(("kw" | "=", [_, value])) if self.is_head(*value, "...") => {
                let message = "\"...\" expression cannot be used as keyword argument value";
                Err(problem("invalid-keyword", message, loc))
            }
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
                        let text = self.text_of(name);
                        let message = match place {
                            KeywordPlace::Call => format!("keyword argument is not a symbol: \"{text}\""),
                            KeywordPlace::NamedTuple => format!("invalid named tuple field name \"{text}\""),
                        };
                        Err(problem("invalid-keyword", message, loc))
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
            Some(("escape" | "hygienic-scope", [inner, ..])) => self.keyword_in(place, *inner),
            _ => {
                let text = self.text_of(e);
                let message = match place {
                    KeywordPlace::Call => format!("invalid keyword argument syntax \"{text}\""),
                    KeywordPlace::NamedTuple => format!("invalid named tuple element \"{text}\""),
                };
                Err(problem("invalid-keyword", message, loc))
            }
        }
    }

    /// `(k = v, ...)` from keywords; later ones win where splats repeat a name.
    pub(super) fn named_tuple(
        &mut self,
        keywords: Vec<Keyword>,
        called: Option<&HirNode>,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut seen = Vec::new();
        for keyword in &keywords {
            if let Keyword::Named(name, value) = keyword {
                if seen.contains(name) {
                    let name = self.types.name(*name);
                    let message = match called.map(|it| &it.kind) {
                        Some(HirKind::Name(f) | HirKind::Global(_, f)) => {
                            let f = self.types.name(*f);
                            format!("keyword argument \"{name}\" repeated in call to \"{f}\"")
                        }
                        Some(_) => format!("keyword argument \"{name}\" repeated in call"),
                        None => format!("field name \"{name}\" repeated in named tuple"),
                    };
                    return Err(problem("duplicate-keyword", message, value.loc));
                }
                seen.push(*name);
            }
        }
        let mut whole: Option<HirNode> = None;
        let mut run: Vec<(HirNode, HirNode)> = Vec::new();
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

    fn merged(&self, first: Option<HirNode>, second: HirNode, loc: SourceLoc) -> HirNode {
        match first {
            Some(first) => self.base_call("merge", vec![first, second], loc),
            None => second,
        }
    }

    /// `NamedTuple{names}(values)`.
    fn named_tuple_of(&self, entries: Vec<(HirNode, HirNode)>, loc: SourceLoc) -> HirNode {
        let (names, values): (Vec<HirNode>, Vec<HirNode>) = entries.into_iter().unzip();
        let names = self.core_call("tuple", names, loc);
        let ty = self.core_call("apply_type", vec![self.core("NamedTuple", loc), names], loc);
        let values = self.core_call("tuple", values, loc);
        self.apply(ty, vec![values], loc)
    }

    /// Evaluates arguments and keywords in textual order, into `before`; their values fill the container of the
    /// keywords afterwards.
    fn in_order(
        &mut self,
        args: Vec<(usize, Arg)>,
        keywords: Vec<(usize, Keyword)>,
        before: &mut Vec<HirNode>,
    ) -> (Vec<Arg>, Vec<Keyword>) {
        enum Either {
            Arg(Arg),
            Keyword(Keyword),
        }
        let mut all: Vec<(usize, Either)> = args.into_iter().map(|(at, it)| (at, Either::Arg(it))).collect();
        all.extend(keywords.into_iter().map(|(at, it)| (at, Either::Keyword(it))));
        all.sort_by_key(|it| it.0);
        // A name may be read late only if nothing that comes after it can assign it.
        let is_stable = |it: &Either| match it {
            Either::Arg(Arg::Plain(node) | Arg::Splat(node)) => node.is_stable(),
            Either::Keyword(Keyword::Named(_, node) | Keyword::Splat(node)) => node.is_stable(),
            Either::Keyword(Keyword::Computed(key, value)) => key.is_stable() && value.is_stable(),
        };
        let settled = all.iter().rposition(|it| !is_stable(&it.1)).map_or(0, |it| it + 1);
        let (mut args, mut keywords) = (Vec::new(), Vec::new());
        for (index, (_, it)) in all.into_iter().enumerate() {
            let mut value = |node: HirNode| match node.kind {
                HirKind::Const(_) | HirKind::Temp(_) => node,
                _ if index >= settled => node,
                _ => self.hold(node, before),
            };
            match it {
                Either::Arg(Arg::Plain(node)) => args.push(Arg::Plain(value(node))),
                Either::Arg(Arg::Splat(node)) => args.push(Arg::Splat(value(node))),
                Either::Keyword(Keyword::Named(name, node)) => {
                    keywords.push(Keyword::Named(name, value(node)))
                }
                Either::Keyword(Keyword::Splat(node)) => keywords.push(Keyword::Splat(value(node))),
                Either::Keyword(Keyword::Computed(key, node)) => {
                    let key = value(key);
                    keywords.push(Keyword::Computed(key, value(node)));
                }
            }
        }
        (args, keywords)
    }

    /// `Core.kwcall(keywords, f, args...)`. If only splats give keywords there may turn out to be none, and then
    /// it is a plain call.
    pub(super) fn keyword_call(
        &mut self,
        f: HirNode,
        args: Vec<(usize, Arg)>,
        keywords: Vec<(usize, Keyword)>,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let maybe_none = keywords.iter().all(|it| matches!(it.1, Keyword::Splat(_)));
        let mut before = Vec::new();
        let f = self.stable(f, &mut before);
        let (args, keywords) = self.in_order(args, keywords, &mut before);
        let container = self.named_tuple(keywords, Some(&f), loc)?;
        let container = self.hold(container, &mut before);
        let kwcall = self.core("kwcall", loc);
        if !maybe_none {
            let mut all = vec![Arg::Plain(container), Arg::Plain(f)];
            all.extend(args);
            let call = self.apply_args(kwcall, all, loc);
            return Ok(self.after(before, call, loc));
        }
        let empty = self.base_call("isempty", vec![container.clone()], loc);
        let plain = self.apply_args(f.clone(), args.clone(), loc);
        let mut all = vec![Arg::Plain(container), Arg::Plain(f)];
        all.extend(args);
        let with = self.apply_args(kwcall, all, loc);
        let node = self.if_node(empty, plain, with, loc);
        Ok(self.after(before, node, loc))
    }
}
