//! `a[i, j]`, with `begin` and `end` in the indices.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::Symbol;

/// The meaning of `begin` and `end` at one index.
#[derive(Clone, Debug)]
pub(super) struct IndexContext {
    array: HirNode,
    /// Counted from 1.
    position: usize,
    /// The splatted indices before it.
    splats: Vec<HirNode>,
    /// The only index.
    only: bool,
}

/// One index, evaluated.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) value: HirNode,
    pub(super) splat: bool,
}

impl Desugar<'_> {
    pub(super) fn reference(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        let Some((&array, indices)) = args.split_first() else {
            return Err(problem("malformed-expression", "malformed indexing", loc));
        };
        if indices.iter().any(|&it| matches!(self.head(it), Some("parameters" | "kw" | "="))) {
            let f = self.base("getindex", loc);
            return self.call_function(f, args, loc);
        }
        let array = self.expr(array)?;
        let mut before = Vec::new();
        let array = self.indexed_array(array, indices, &mut before);
        let indices = self.index_values(&array, indices, &mut before)?;
        let call = self.index_call("getindex", vec![array], &indices, loc);
        Ok(self.after(before, call, loc))
    }

    pub(super) fn set_index(
        &mut self,
        array: ExprId,
        indices: &[ExprId],
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut before = Vec::new();
        let array = self.expr(array)?;
        let array = self.indexed_array(array, indices, &mut before);
        let indices = self.index_values(&array, indices, &mut before)?;
        let call = self.index_call("setindex!", vec![array, value], &indices, loc);
        Ok(self.after(before, call, loc))
    }

    /// The array and the indices of a reference that is read and written.
    pub(super) fn stable_reference(
        &mut self,
        array: ExprId,
        indices: &[ExprId],
        before: &mut Vec<HirNode>,
    ) -> Lowering<(HirNode, Vec<Index>)> {
        let array = self.expr(array)?;
        let array = self.stable(array, before);
        let mut indices = self.index_values(&array, indices, before)?;
        for index in &mut indices {
            let loc = index.value.loc;
            let value = std::mem::replace(&mut index.value, HirNode::new(HirKind::TheException, loc));
            index.value = self.stable(value, before);
        }
        Ok((array, indices))
    }

    /// The array, safe to mention again if the indices do. Indices may hold functions, so it gets a name.
    pub(super) fn indexed_array(
        &mut self,
        array: HirNode,
        indices: &[ExprId],
        before: &mut Vec<HirNode>,
    ) -> HirNode {
        if array.is_stable() || !indices.iter().any(|&it| self.mentions_end(it)) {
            return array;
        }
        let loc = array.loc;
        if !indices.iter().any(|&it| self.contains_function(it)) {
            return self.hold(array, before);
        }
        let name = self.fresh_name("array");
        before.push(HirNode::new(HirKind::Local(name), loc));
        before.push(HirNode::assign(self.name(name, loc), array));
        self.name(name, loc)
    }

    /// Evaluates indices; `array` is stable if they mention `begin` or `end`.
    pub(super) fn index_values(
        &mut self,
        array: &HirNode,
        indices: &[ExprId],
        before: &mut Vec<HirNode>,
    ) -> Lowering<Vec<Index>> {
        let mut values = Vec::with_capacity(indices.len());
        let has_end = indices.iter().any(|&it| self.mentions_end(it));
        let must_hold = has_end && indices.iter().any(|&it| self.is_head(it, "..."));
        let mut splats = Vec::new();
        for (position, &index) in indices.iter().enumerate() {
            let splat = self.is_head(index, "...");
            let inner = match self.args(index).first() {
                Some(&inner) if splat => inner,
                _ => index,
            };
            let context = IndexContext {
                array: array.clone(),
                position: position + 1,
                splats: splats.clone(),
                only: indices.len() == 1,
            };
            let outer = self.index.replace(context);
            let value = self.expr(inner);
            self.index = outer;
            let mut value = value?;
            if must_hold {
                value = self.stable(value, before);
            }
            if splat {
                splats.push(value.clone());
            }
            values.push(Index { value, splat });
        }
        Ok(values)
    }

    pub(super) fn index_call(
        &mut self,
        f: &str,
        args: Vec<HirNode>,
        indices: &[Index],
        loc: SourceLoc,
    ) -> HirNode {
        let mut all: Vec<super::call::Arg> = args.into_iter().map(super::call::Arg::Plain).collect();
        for index in indices {
            let value = index.value.clone();
            all.push(if index.splat {
                super::call::Arg::Splat(value)
            } else {
                super::call::Arg::Plain(value)
            });
        }
        let f = self.base(f, loc);
        self.apply_args(f, all, loc)
    }

    /// The value of `begin` or `end` inside an index.
    pub(super) fn index_end(&mut self, name: Symbol, loc: SourceLoc) -> Lowering<HirNode> {
        let Some(context) = self.index.clone() else {
            let message = format!("`{}` outside an index", self.types.name(name));
            return Err(problem("end-outside-index", message, loc));
        };
        let is_end = self.types.name(name) == "end";
        let f = if is_end { "lastindex" } else { "firstindex" };
        if context.splats.is_empty() {
            let mut args = vec![context.array];
            if !context.only {
                args.push(self.int(context.position as i64, loc));
            }
            return Ok(self.base_call(f, args, loc));
        }
        let plain = context.position - context.splats.len();
        let mut sum = vec![self.int(plain as i64, loc)];
        for splat in context.splats {
            sum.push(self.base_call("length", vec![splat], loc));
        }
        let dimension = self.base_call("+", sum, loc);
        if is_end {
            return Ok(self.base_call(f, vec![context.array, dimension], loc));
        }
        let axis = self.base_call("axes", vec![context.array, dimension], loc);
        Ok(self.base_call("first", vec![axis], loc))
    }

    /// Whether an index uses `begin` or `end` of this indexing, not of one inside it.
    pub(super) fn mentions_end(&self, e: ExprId) -> bool {
        match self.ast.expr(e) {
            Expr::Symbol(name) => matches!(self.types.name(*name), "end" | "begin"),
            Expr::Node { head, args } => match self.types.name(*head) {
                "quote" | "inert" => false,
                "ref" => args.first().is_some_and(|&it| self.mentions_end(it)),
                _ => args.iter().any(|&it| self.mentions_end(it)),
            },
            Expr::Const(_) | Expr::Global(..) | Expr::Quote(_) | Expr::Line { .. } => false,
        }
    }

    fn contains_function(&self, e: ExprId) -> bool {
        self.ast.as_node(e).is_some_and(|(head, args)| {
            matches!(self.types.name(head), "->" | "do" | "function" | "generator")
                || args.iter().any(|&it| self.contains_function(it))
        })
    }
}
