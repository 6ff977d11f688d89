//! Quoted code: calls that build it, with interpolations evaluated on the way.

use super::Desugar;
use super::call::Arg;
use crate::error::{Lowering, problem};
use crate::hir::HirNode;
use kiln_ir::{Expr, ExprId, SourceLoc};

impl Desugar<'_> {
    /// `Expr(:quote, x)`.
    pub(super) fn quote(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("quote", args, 1, 1, loc)?;
        self.build(args[0], Some(0))
    }

    /// `Expr(:inert, x)`: `x` itself, `$` and all.
    pub(super) fn inert(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("inert", args, 1, 1, loc)?;
        self.build(args[0], None)
    }

    /// The value of `QuoteNode(inner)`.
    pub(super) fn quoted(&mut self, inner: ExprId, _loc: SourceLoc) -> Lowering<HirNode> {
        self.build(inner, None)
    }

    /// An expression that evaluates to `e`. `depth` counts the quotes inside the outermost; `None` means that `$`
    /// has no meaning.
    fn build(&mut self, e: ExprId, depth: Option<u32>) -> Lowering<HirNode> {
        let loc = self.ast.loc(e);
        match self.ast.expr(e).clone() {
            Expr::Symbol(name) => Ok(self.symbol_value(name, loc)),
            Expr::Const(value) => Ok(self.value(value, loc)),
            Expr::Global(module, name) => {
                let module = self.value(self.types.constant(kiln_types::ConstData::Module(module)), loc);
                let name = self.symbol_value(name, loc);
                Ok(self.core_call("GlobalRef", vec![module, name], loc))
            }
            Expr::Quote(inner) => {
                // A `QuoteNode` in a quote is data: a `$` in it is this quote's.
                let inner = self.build(inner, depth)?;
                Ok(self.core_call("QuoteNode", vec![inner], loc))
            }
            Expr::Line { line, file } => {
                let file = match file {
                    Some(file) => self.symbol_value(file, loc),
                    None => self.nothing(loc),
                };
                let line = self.int(i64::from(line), loc);
                Ok(self.core_call("LineNumberNode", vec![line, file], loc))
            }
            Expr::Node { head, args } => {
                let text = self.types.name(head).to_owned();
                if text == "$" && depth == Some(0) {
                    self.arity("$", &args, 1, 1, loc)?;
                    return self.interpolated(args[0]);
                }
                let inner = match text.as_str() {
                    "quote" => depth.map(|it| it + 1),
                    "$" => depth.map(|it| it.saturating_sub(1)),
                    _ => depth,
                };
                if text == "line" && depth.is_some() && (1..=2).contains(&args.len()) {
                    let mut parts = Vec::new();
                    for it in args {
                        parts.push(self.build(it, depth)?);
                    }
                    return Ok(self.core_call("LineNumberNode", parts, loc));
                }
                let head = self.symbol_value(head, loc);
                self.build_expr(head, &args, inner, loc)
            }
        }
    }

    fn build_expr(
        &mut self,
        head: HirNode,
        args: &[ExprId],
        depth: Option<u32>,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut all = vec![Arg::Plain(head)];
        for &it in args {
            match self.parts(it) {
                Some((head, parts)) if head == "$" && depth == Some(0) => {
                    for part in parts {
                        all.push(self.interpolated_arg(part)?);
                    }
                }
                _ => all.push(Arg::Plain(self.build(it, depth)?)),
            }
        }
        let f = self.core("_expr", loc);
        Ok(self.apply_args(f, all, loc))
    }

    /// `$(x...)` gives several arguments.
    fn interpolated_arg(&mut self, e: ExprId) -> Lowering<Arg> {
        match self.parts(e) {
            Some((head, parts)) if head == "..." && parts.len() == 1 => Ok(Arg::Splat(self.expr(parts[0])?)),
            _ => Ok(Arg::Plain(self.expr(e)?)),
        }
    }

    fn interpolated(&mut self, e: ExprId) -> Lowering<HirNode> {
        if self.is_head(e, "...") {
            let loc = self.ast.loc(e);
            return Err(problem("splat-outside-call", "`$(x...)` needs an expression around it", loc));
        }
        self.expr(e)
    }
}
