//! Branches, loops, comparison chains, `try`, `return`.

use super::Desugar;
use crate::error::{Lowering, problem};
use crate::hir::{HirKind, HirNode, ScopeData, TryData};
use kiln_ir::{Expr, ExprId, SourceLoc};
use kiln_types::{FrontMutant, Symbol, consts, mutant};

impl Desugar<'_> {
    pub(super) fn if_else(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("if", args, 2, 3, loc)?;
        let cond = self.condition(args[0])?;
        let then = self.expr(args[1])?;
        let other = match args.get(2) {
            Some(&it) => self.expr(it)?,
            None => self.nothing(loc),
        };
        Ok(self.if_node(cond, then, other, loc))
    }

    /// A condition may be wrapped in a block that only holds its line number.
    fn condition(&mut self, e: ExprId) -> Lowering<HirNode> {
        self.expr(e)
    }

    pub(super) fn short_circuit(&mut self, head: &str, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity(head, args, 0, usize::MAX, loc)?;
        // `true && x`, as macros write it for a value that nothing can be assigned to.
        if let ("&&", [first, last]) = (head, args)
            && matches!(*self.ast.expr(*first), Expr::Const(value) if value == consts::bool(self.types, true))
        {
            return self.expr(*last);
        }
        let nodes = self.exprs(args)?;
        Ok(HirNode::new(if head == "&&" { HirKind::And(nodes) } else { HirKind::Or(nodes) }, loc))
    }

    /// `a < b <= c`: each operand is evaluated once, later ones only if the earlier comparisons hold.
    pub(super) fn comparison(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if args.len() < 3 || args.len().is_multiple_of(2) {
            return Err(problem("malformed-expression", "malformed comparison", loc));
        }
        let dotted = args.iter().skip(1).step_by(2).any(|&it| self.dotted_operator(it).is_some());
        if dotted {
            return self.dotted_comparison(args, loc);
        }
        let mut parts = Vec::new();
        let mut left = self.expr(args[0])?;
        for index in (1..args.len()).step_by(2) {
            let op = self.expr(args[index])?;
            let mut before = Vec::new();
            let right = self.expr(args[index + 1])?;
            if index + 2 < args.len() {
                // The left side comes first when both have effects.
                let backwards = mutant::is_set(self.types, FrontMutant::ChainBackwards);
                if !left.is_stable() && !right.is_stable() && !backwards {
                    left = self.hold(left, &mut before);
                }
                let right = self.stable(right, &mut before);
                let call = self.apply(op, vec![left, right.clone()], loc);
                parts.push(self.after(before, call, loc));
                left = right;
            } else {
                parts.push(self.apply(op, vec![left.clone(), right], loc));
            }
        }
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return Ok(only);
        }
        Ok(HirNode::new(HirKind::And(parts), loc))
    }

    pub(super) fn while_loop(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("while", args, 2, 2, loc)?;
        let cond = self.condition(args[0])?;
        let (out, next) = (self.exit(), self.exit());
        self.frame.loops.push((out, next));
        let body = self.expr(args[1]);
        self.frame.loops.pop();
        let body = self.soft_scope(Vec::new(), body?, loc);
        let body = HirNode::new(HirKind::BreakBlock(next, Box::new(body)), loc);
        let looped = HirNode::new(HirKind::While(Box::new(cond), Box::new(body)), loc);
        Ok(HirNode::new(HirKind::BreakBlock(out, Box::new(looped)), loc))
    }

    pub(super) fn for_loop(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("for", args, 2, 2, loc)?;
        let specs = if self.is_head(args[0], "block") { self.args(args[0]) } else { vec![args[0]] };
        let specs: Vec<ExprId> = specs.into_iter().filter(|&it| !self.is_line(it)).collect();
        if specs.is_empty() {
            return Err(problem("malformed-expression", "a `for` loop without an iterator", loc));
        }
        let out = self.exit();
        let mut copied = Vec::new();
        for &spec in &specs[..specs.len() - 1] {
            let (target, _) = self.iteration_spec(spec)?;
            if !self.is_head(target, "outer") {
                self.assigned_names(target, &mut copied);
            }
        }
        copied.sort_unstable();
        copied.dedup();
        if mutant::is_set(self.types, FrontMutant::SharedLoopVariable) {
            copied.clear();
        }
        let looped = self.nested_for(&specs, args[1], &copied, out, loc)?;
        Ok(HirNode::new(HirKind::BreakBlock(out, Box::new(looped)), loc))
    }

    /// The body of the innermost loop, with copies of the outer loops' variables: each iteration starts with their
    /// values, whatever the previous one assigned.
    fn innermost(&mut self, body: ExprId, copied: &[Symbol], loc: SourceLoc) -> Lowering<HirNode> {
        let body = self.expr(body)?;
        if copied.is_empty() {
            return Ok(body);
        }
        let mut before = Vec::new();
        let mut inner = Vec::new();
        for &name in copied {
            let value = self.name(name, loc);
            let held = self.hold(value, &mut before);
            inner.push(HirNode::assign(self.name(name, loc), held));
        }
        inner.push(body);
        let scope = self.soft_scope(copied.to_vec(), HirNode::block(inner, loc), loc);
        Ok(self.after(before, scope, loc))
    }

    fn nested_for(
        &mut self,
        specs: &[ExprId],
        body: ExprId,
        copied: &[Symbol],
        out: crate::hir::Exit,
        loc: SourceLoc,
    ) -> Lowering<HirNode> {
        let Some((&spec, rest)) = specs.split_first() else { return self.innermost(body, copied, loc) };
        let (target, iter) = self.iteration_spec(spec)?;
        let at = self.ast.loc(spec);
        let iter = self.expr(iter)?;
        let mut nodes = Vec::new();
        let iter = self.hold(iter, &mut nodes);
        let next = self.scratch(at);
        let first = self.base_call("iterate", vec![iter.clone()], at);
        nodes.push(HirNode::assign(next.clone(), first));

        let mut fresh = Vec::new();
        self.assigned_names(target, &mut fresh);
        if self.is_head(target, "outer") {
            let outer = self.args(target);
            outer.iter().for_each(|&it| self.assigned_names(it, &mut fresh));
            nodes.extend(fresh.drain(..).map(|it| HirNode::new(HirKind::RequireLocal(it), at)));
        }
        let mut inner = Vec::new();
        let value = self.core_call("getfield", vec![next.clone(), self.int(1, at)], at);
        let value = self.hold(value, &mut inner);
        let state = self.core_call("getfield", vec![next.clone(), self.int(2, at)], at);
        let state = self.hold(state, &mut inner);
        inner.push(self.assign_to(target, value, at)?);
        let continue_to = self.exit();
        self.frame.loops.push((out, continue_to));
        let body = self.nested_for(rest, body, copied, out, loc);
        self.frame.loops.pop();
        inner.push(HirNode::new(HirKind::BreakBlock(continue_to, Box::new(body?)), loc));
        let inner = self.soft_scope(fresh, HirNode::block(inner, loc), loc);
        let advance = self.base_call("iterate", vec![iter, state], at);
        let advance = HirNode::assign(next.clone(), advance);
        let done = self.core_call("===", vec![next, self.nothing(at)], at);
        let going = self.if_node(done, self.bool(false, at), self.bool(true, at), at);
        let body = HirNode::block(vec![inner, advance], loc);
        nodes.push(HirNode::new(HirKind::While(Box::new(going), Box::new(body)), loc));
        Ok(HirNode::block(nodes, loc))
    }

    /// The two sides of `i = iter` or `i in iter`.
    pub(super) fn iteration_spec(&self, spec: ExprId) -> Lowering<(ExprId, ExprId)> {
        let loc = self.ast.loc(spec);
        if let Some((head, args)) = self.ast.as_node(spec) {
            match (self.types.name(head), args) {
                ("=" | "in" | "∈", [target, iter]) => return Ok((*target, *iter)),
                ("call", [op, target, iter]) if self.is_symbol(*op, "in") || self.is_symbol(*op, "∈") => {
                    return Ok((*target, *iter));
                }
                _ => {}
            }
        }
        Err(problem("malformed-expression", "invalid iteration specification", loc))
    }

    pub(super) fn break_continue(&mut self, head: &str, loc: SourceLoc) -> Lowering<HirNode> {
        match self.frame.loops.last() {
            Some(&(out, next)) => {
                Ok(HirNode::new(HirKind::Break(if head == "break" { out } else { next }), loc))
            }
            None => Err(problem("break-outside-loop", "break or continue outside loop", loc)),
        }
    }

    pub(super) fn return_(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        if self.frame.generator {
            let message = "\"return\" not allowed inside comprehension or generator";
            return Err(problem("return-in-generator", message, loc));
        }
        let value = match args.first() {
            Some(&it) => self.expr(it)?,
            None => self.nothing(loc),
        };
        Ok(HirNode::new(HirKind::Return(Box::new(value)), loc))
    }

    pub(super) fn try_(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("try", args, 3, 5, loc)?;
        let has_finally = args.get(3).is_some_and(|&it| !self.is_false(it));
        if has_finally && self.leaves_by_goto(args[0]) {
            let message = format!("goto from a try/finally block is not permitted{}", self.around());
            return Err(problem("goto-out-of-finally", message, loc));
        }
        let body = self.scoped(args[0])?;
        let catch = if self.is_false(args[2]) { None } else { Some(self.catch(args[1], args[2], loc)?) };
        let finally = match args.get(3) {
            Some(&it) if !self.is_false(it) => Some(self.scoped(it)?),
            _ => None,
        };
        let or_else = match args.get(4) {
            Some(&it) if !self.is_false(it) => Some(self.scoped(it)?),
            _ => None,
        };
        Ok(HirNode::new(HirKind::TryCatch(Box::new(TryData { body, catch, or_else, finally })), loc))
    }

    /// `tryfinally`, which macros write: a `try` with `finally` whose parts have no scopes of their own.
    pub(super) fn try_finally(&mut self, args: &[ExprId], loc: SourceLoc) -> Lowering<HirNode> {
        self.arity("tryfinally", args, 2, 2, loc)?;
        if self.leaves_by_goto(args[0]) {
            let message = format!("goto from a try/finally block is not permitted{}", self.around());
            return Err(problem("goto-out-of-finally", message, loc));
        }
        let body = self.expr(args[0])?;
        let finally = Some(self.expr(args[1])?);
        Ok(HirNode::new(
            HirKind::TryCatch(Box::new(TryData { body, catch: None, or_else: None, finally })),
            loc,
        ))
    }

    /// Whether a `@goto` in a block has its label outside it.
    fn leaves_by_goto(&self, body: ExprId) -> bool {
        let (mut targets, mut labels) = (Vec::new(), Vec::new());
        self.gotos_and_labels(body, &mut targets, &mut labels);
        targets.iter().any(|it| !labels.contains(it))
    }

    fn gotos_and_labels(&self, e: ExprId, targets: &mut Vec<Symbol>, labels: &mut Vec<Symbol>) {
        let Some((head, args)) = self.ast.as_node(e) else { return };
        let name = || args.first().and_then(|&it| self.as_symbol(it));
        match self.types.name(head) {
            "symbolicgoto" => targets.extend(name()),
            "symboliclabel" => labels.extend(name()),
            "quote" | "inert" | "function" | "->" | "macro" => {}
            _ => args.iter().for_each(|&it| self.gotos_and_labels(it, targets, labels)),
        }
    }

    fn catch(&mut self, variable: ExprId, body: ExprId, loc: SourceLoc) -> Lowering<HirNode> {
        let name: Option<Symbol> = self.as_symbol(variable);
        if name.is_none() && !self.is_false(variable) {
            return Err(problem("malformed-expression", "the variable of `catch` must be a name", loc));
        }
        let body = self.expr(body)?;
        let Some(name) = name.filter(|&it| !self.is_underscore(it)) else {
            return Ok(self.soft_scope(Vec::new(), body, loc));
        };
        let caught = HirNode::new(HirKind::TheException, loc);
        let set = HirNode::assign(self.name(name, loc), caught);
        let body = HirNode::block(vec![set, body], loc);
        let data = ScopeData { fresh: Vec::new(), caught: Some(name), soft: true, body, vars: Vec::new() };
        Ok(HirNode::new(HirKind::Scope(Box::new(data)), loc))
    }

    fn scoped(&mut self, e: ExprId) -> Lowering<HirNode> {
        let loc = self.ast.loc(e);
        let body = self.expr(e)?;
        Ok(self.soft_scope(Vec::new(), body, loc))
    }

    fn is_false(&self, e: ExprId) -> bool {
        matches!(*self.ast.expr(e), Expr::Const(value) if value == consts::bool(self.types, false))
    }
}
