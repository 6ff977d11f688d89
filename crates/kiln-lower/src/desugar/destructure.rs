//! `a, b = value`, `a, b... = value`, `(; a, b) = value`, nested in any way.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::HirNode;
use kiln_ir::{ExprId, SourceLoc};

impl Desugar<'_> {
    /// A tuple on the left of `=`. A literal tuple on the right is taken apart without being made.
    pub(super) fn destructure_assignment(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let targets = self.args(lhs);
        if let Some((head, values)) = self.parts(rhs)
            && head == "tuple"
            && self.pairs_up(&targets, &values)
        {
            let mut before = Vec::new();
            let mut held = Vec::new();
            for value in values {
                let value = self.expr(value)?;
                held.push(self.hold(value, &mut before));
            }
            for (&target, value) in targets.iter().zip(&held) {
                before.push(self.assign_to(target, value.clone(), loc)?);
            }
            let value = self.core_call("tuple", held, loc);
            return Ok(self.after(before, value, loc));
        }
        let value = self.expr(rhs)?;
        let mut before = Vec::new();
        let held = self.hold(value, &mut before);
        before.push(self.destructure(&targets, held.clone(), loc)?);
        Ok(self.after(before, held, loc))
    }

    /// Whether there are as many plain values as plain targets.
    fn pairs_up(&self, targets: &[ExprId], values: &[ExprId]) -> bool {
        let plain = |it: &ExprId| !matches!(self.head(*it), Some("..." | "parameters" | "=" | "kw"));
        targets.len() == values.len() && targets.iter().all(plain) && values.iter().all(plain)
    }

    /// Assigns the parts of `value`, which may be read several times.
    pub(super) fn destructure(
        &mut self,
        targets: &[ExprId],
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        if let [only] = targets
            && self.is_head(*only, "parameters")
        {
            return self.destructure_properties(&self.args(*only), value, loc);
        }
        let mut before = Vec::new();
        let value = match value.kind {
            crate::hir::HirKind::Temp(_) | crate::hir::HirKind::Const(_) => value,
            _ => self.hold(value, &mut before),
        };
        for (target, part) in self.parts_of(targets, value, &mut before, loc)? {
            before.push(self.assign_to(target, part, loc)?);
        }
        Ok(HirNode::block(before, loc))
    }

    fn destructure_properties(
        &mut self,
        targets: &[ExprId],
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let mut nodes = Vec::new();
        for (target, part) in self.properties_of(targets, value, loc)? {
            let part = self.hold(part, &mut nodes);
            nodes.push(self.assign_to(target, part, loc)?);
        }
        Ok(HirNode::block(nodes, loc))
    }

    /// The names of `(; a, b)` paired with the properties they take.
    fn properties_of(
        &mut self,
        targets: &[ExprId],
        value: HirNode,
        loc: SourceLoc,
    ) -> Lowering<Vec<(ExprId, HirNode)>> {
        let mut parts = Vec::new();
        for &target in targets {
            let name = match self.parts(target) {
                Some((head, inner)) if head == "::" && inner.len() == 2 => self.as_symbol(inner[0]),
                _ => self.as_symbol(target),
            };
            let Some(name) = name else {
                return Err(self.invalid_target(target));
            };
            let field = self.symbol_value(name, loc);
            parts.push((target, self.base_call("getproperty", vec![value.clone(), field], loc)));
        }
        Ok(parts)
    }

    /// Pairs the targets of a tuple with their values; `nodes` receives the code to be evaluated first.
    pub(super) fn parts_of(
        &mut self,
        targets: &[ExprId],
        value: HirNode,
        nodes: &mut Vec<HirNode>,
        loc: SourceLoc,
    ) -> Lowering<Vec<(ExprId, HirNode)>> {
        if let [only] = targets
            && self.is_head(*only, "parameters")
        {
            return self.properties_of(&self.args(*only), value, loc);
        }
        let mut parts = Vec::new();
        let slurp = targets.iter().position(|&it| self.is_head(it, "..."));
        let fixed = slurp.unwrap_or(targets.len());
        let more = slurp.is_some_and(|at| !self.is_ignored(&targets[at..]));
        let mut state = self.leading_parts(&targets[..fixed], &value, more, &mut parts, nodes, loc)?;
        if let Some(at) = slurp.filter(|_| more) {
            self.slurp(&targets[at..], value, &mut state, &mut parts, nodes, loc)?;
        }
        Ok(parts)
    }

    /// `_...` at the end takes nothing.
    fn is_ignored(&self, targets: &[ExprId]) -> bool {
        let [only] = targets else { return false };
        self.args(*only).first().and_then(|&it| self.as_symbol(it)).is_some_and(|it| self.is_underscore(it))
    }

    /// One `indexed_iterate` a target; the state behind the last, if there is a use for it.
    fn leading_parts(
        &mut self,
        targets: &[ExprId],
        value: &HirNode,
        more: bool,
        parts: &mut Vec<(ExprId, HirNode)>,
        nodes: &mut Vec<HirNode>,
        loc: SourceLoc,
    ) -> Lowering<Option<HirNode>> {
        let mut state: Option<HirNode> = None;
        for (index, &target) in targets.iter().enumerate() {
            let mut args = vec![value.clone(), self.int(index as i64 + 1, loc)];
            args.extend(state.take());
            let pair = self.base_call("indexed_iterate", args, loc);
            let pair = self.hold(pair, nodes);
            let part = self.core_call("getfield", vec![pair.clone(), self.int(1, loc)], loc);
            let part = self.hold(part, nodes);
            parts.push((target, part));
            if more || index + 1 < targets.len() {
                let next = self.core_call("getfield", vec![pair, self.int(2, loc)], loc);
                state = Some(self.hold(next, nodes));
            }
        }
        Ok(state)
    }

    /// `rest..., after` at the end of a tuple target.
    fn slurp(
        &mut self,
        targets: &[ExprId],
        value: HirNode,
        state: &mut Option<HirNode>,
        parts: &mut Vec<(ExprId, HirNode)>,
        nodes: &mut Vec<HirNode>,
        loc: SourceLoc,
    ) -> Lowering<()> {
        let Some((&slurped, after)) = targets.split_first() else { return Ok(()) };
        let Some(&target) = self.args(slurped).first() else {
            return Err(problem("malformed-expression", "malformed `...`", loc));
        };
        if let Some(&second) = after.iter().find(|&&it| self.is_head(it, "...")) {
            let message = "multiple `...` on the left of an assignment";
            return Err(problem("invalid-assignment", message, self.ast.loc(second)));
        }
        let mut args = vec![value];
        if after.is_empty() {
            args.extend(state.take());
            let rest = self.base_call("rest", args, loc);
            let rest = self.hold(rest, nodes);
            parts.push((target, rest));
            return Ok(());
        }
        args.push(self.int(after.len() as i64, loc));
        args.extend(state.take());
        let split = self.base_call("split_rest", args, loc);
        let split = self.hold(split, nodes);
        let rest = self.core_call("getfield", vec![split.clone(), self.int(1, loc)], loc);
        let rest = self.hold(rest, nodes);
        parts.push((target, rest));
        let tail = self.core_call("getfield", vec![split, self.int(2, loc)], loc);
        let tail = self.hold(tail, nodes);
        self.leading_parts(after, &tail, false, parts, nodes, loc)?;
        Ok(())
    }
}
