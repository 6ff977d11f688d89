//! Revalidation: whether a result that a definition invalidated is what inference would find now.
//!
//! A result is revalidated if its own body is the same, every look-up finds the same methods or successors of equal
//! signature, every callee's result is equal in what callers use, every inlined body is equal, and every evaluated
//! call has the same value. Members of a recursive group assume the group's old results: the group is revalidated or
//! dropped as a whole.
//!
//! It runs twice. The first pass only reuses results, which suffices after a definition that changes no result. Then
//! other sessions are asked, and only then are callees inferred for comparison.

use super::interpreter::{AbstractInterpreter, CONST_PROP_STMTS_MAX, Search};
use super::pending::Derivation;
use super::result::{Closed, InferenceResult, Inlining};
use kiln_ir::{Instance, wire};
use kiln_runtime::eval::generated;
use kiln_runtime::tables::{
    CodeInstance, Edge, Method, WorldRange, code_instance_then, revivable, same_body,
};
use std::sync::Arc;

/// The invalidated results of one instance that are tried, at most.
const CANDIDATES_MAX: usize = 4;

impl AbstractInterpreter<'_> {
    /// Returns an invalidated result of `instance`, which is active at `own`, that is valid after all.
    pub(crate) fn revalidate(
        &mut self,
        own: usize,
        instance: Instance,
    ) -> Option<(Arc<CodeInstance>, InferenceResult)> {
        let world = self.inputs.world;
        if self.env.rt.tables.world() != world
            || !self.searched.insert((instance, Search::Ended(self.policy)))
        {
            return None;
        }
        let first_pending = self.pending.len();
        let ended = revivable(&self.env.rt.tables, instance, self.inputs.owner, world);
        for (ci, of) in ended.into_iter().take(CANDIDATES_MAX) {
            if of != instance && !self.is_same_source(of, instance) {
                continue;
            }
            let Some(result) = ci.result::<InferenceResult>() else { continue };
            let result = InferenceResult { worlds: WorldRange::since(world), ..(*result).clone() };
            self.active[own].assume(own, result.clone(), &ci);
            if ci.edges.iter().all(|edge| self.edge_holds(&ci, edge)) {
                return Some((ci, result));
            }
            self.pending.forget_from(first_pending);
        }
        None
    }

    /// Whether two instances have equal source.
    pub(crate) fn is_same_source(&self, a: Instance, b: Instance) -> bool {
        match (generated::instance_body(self.env.rt, a), generated::instance_body(self.env.rt, b)) {
            (Ok(a), Ok(b)) => same_body(&a, &b),
            (Err(_), _) | (_, Err(_)) => false,
        }
    }

    fn edge_holds(&mut self, ci: &CodeInstance, edge: &Edge) -> bool {
        let (tables, world) = (&self.env.rt.tables, self.inputs.world);
        let (view, limit) = (&self.inputs.view, self.inputs.params.methods_max);
        match edge {
            // It held when the result ended, which was in this view.
            Edge::Lookup { sig, .. } | Edge::TooMany(sig)
                if ci.view == *view && !tables.methods.may_have_changed(view, *sig, ci.worlds().max) =>
            {
                true
            }
            Edge::Binding(module, name) => {
                tables.bindings.same_binding(*module, *name, ci.worlds().max, world)
            }
            Edge::Lookup { sig, found } => {
                let alike: &dyn Fn(&Method, &Method) -> bool =
                    if ci.result::<Closed>().is_some() { &is_same_method } else { &is_treated_alike };
                tables.methods.finds_alike(view, (*sig, found, limit), world, alike)
            }
            Edge::TooMany(sig) => tables.find_matches_in(view, *sig, world, limit).is_none(),
            Edge::Invoke { sig, instance } => {
                let old = tables.instance_data(*instance).method;
                let found = tables.find_matches_in(view, *sig, world, usize::MAX);
                let new = found.and_then(|it| it.matches.into_iter().find(|it| it.fully_covers));
                new.is_some_and(|it| {
                    tables.methods.is_successor(it.method, old)
                        && is_treated_alike(&tables.method(old), &tables.method(it.method))
                }) && self.has_same_result(ci, *instance)
            }
            // Calls evaluated by it have edges of their own.
            Edge::Original { sig, instance } => {
                let old = tables.instance_data(*instance).method;
                let found = tables.find_matches_in(&view.originals(), *sig, world, usize::MAX);
                let new = found.and_then(|it| it.matches.into_iter().find(|it| it.fully_covers));
                new.is_some_and(|it| tables.methods.is_successor(it.method, old))
                    && self.has_same_result(ci, *instance)
            }
            Edge::Instance(callee) => self.has_same_result(ci, *callee),
            Edge::Body(callee) => self.has_same_result(ci, *callee) && self.has_same_inlining(ci, *callee),
            Edge::Constant { call, value } => self.evaluate(call) == *value,
        }
    }

    /// Returns the result of `callee` at the time `ci` was invalidated. If `ci` was revalidated before, the first
    /// result of `callee` is an older one.
    fn result_used_by(&self, ci: &CodeInstance, callee: Instance) -> Option<Arc<CodeInstance>> {
        let (tables, then) = (&self.env.rt.tables, ci.worlds().max);
        code_instance_then(tables, tables.current_instance(callee, then), ci.owner, then)
    }

    /// Whether the inferred result of `callee` equals the one that `ci` used.
    fn has_same_result(&mut self, ci: &CodeInstance, callee: Instance) -> bool {
        let Some(old) = self.result_used_by(ci, callee) else { return false };
        let current = self.env.rt.tables.current_instance(callee, self.inputs.world);
        if self.cached(current).is_some_and(|it| Arc::ptr_eq(&it, &old)) {
            return true;
        }
        let Some(before) = old.result::<InferenceResult>() else { return false };
        let Some(now) = self.known_result(current) else { return false };
        now.ret == before.ret
            && now.effects == before.effects
            && now.exct == before.exct
            && now.imprecise == before.imprecise
    }

    /// Whether the optimizer would inline the same body of `callee`.
    fn has_same_inlining(&self, ci: &CodeInstance, callee: Instance) -> bool {
        let current = self.env.rt.tables.current_instance(callee, self.inputs.world);
        let (Some(old), Some(new)) = (self.result_used_by(ci, callee), self.result_of(current)) else {
            return false;
        };
        if Arc::ptr_eq(&old, &new) {
            return true;
        }
        let inlining = |it: &CodeInstance| it.result::<Inlining>().map_or(0, |it| it.0);
        if inlining(&old) != inlining(&new) {
            return false;
        }
        inlining(&old) == 0 || self.is_same_code(&old, &new) && self.has_same_marks(callee, current)
    }

    /// Returns the code instance of an instance: cached, or assumed in this run.
    fn result_of(&self, instance: Instance) -> Option<Arc<CodeInstance>> {
        let active = || self.active.iter().find(|it| it.instance == instance)?.kept.clone();
        let pending = || {
            let found = self.pending.find(instance)?;
            if let Derivation::Kept(ci) = &found.derivation { Some(ci.clone()) } else { None }
        };
        self.cached(instance).or_else(active).or_else(pending)
    }

    fn has_same_marks(&self, a: Instance, b: Instance) -> bool {
        match (generated::instance_body(self.env.rt, a), generated::instance_body(self.env.rt, b)) {
            (Ok(a), Ok(b)) => {
                a.meta.inlining == b.meta.inlining && a.meta.propagate_inbounds == b.meta.propagate_inbounds
            }
            (Err(_), _) | (_, Err(_)) => false,
        }
    }

    fn is_same_code(&self, a: &CodeInstance, b: &CodeInstance) -> bool {
        let (Some(a), Some(b)) = (a.code(self.env.rt), b.code(self.env.rt)) else {
            return !a.has_code() && !b.has_code();
        };
        let (a, b) = (wire::write(a, self.env.types), wire::write(b, self.env.types));
        let current = |it: &Instance| self.env.rt.tables.current_instance(*it, self.inputs.world);
        a.body == b.body
            && a.objects == b.objects
            && a.instances.iter().map(current).eq(b.instances.iter().map(current))
    }
}

fn is_same_method(old: &Method, new: &Method) -> bool {
    same_body(&old.code, &new.code)
}

/// Whether inference treats calls of two methods of equal signature alike, apart from their results.
fn is_treated_alike(old: &Method, new: &Method) -> bool {
    let (a, b) = (&old.code, &new.code);
    old.nargs == new.nargs
        && old.is_va == new.is_va
        && a.meta.generated == b.meta.generated
        && a.meta.constprop == b.meta.constprop
        && (a.stmts.len() <= CONST_PROP_STMTS_MAX) == (b.stmts.len() <= CONST_PROP_STMTS_MAX)
}
