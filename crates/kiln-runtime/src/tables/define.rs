//! Definitions of methods: each makes a new world and ends the results that it affects.

use super::edges::looked_up;
use super::identity::note_addition;
use super::index::method_key;
use super::invalidations::{Cause, Invalidation, by_cause};
use super::{
    CodeInstance, CodeResult, CodeTables, Definition, Edge, Method, MethodDef, MethodId, MethodTableView,
    MethodTables, TableId, World,
};
use crate::caching::ForeignSource;
use crate::image::MethodBody;
use kiln_ir::CodeInfo;
use kiln_types::{Type, TypeData, datatype, disjoint, equality, intersect, unionall};
use std::any::{Any, TypeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::why::Clip;

/// Code that a definition ends, and which of its edges changed; `None` if it is code of a replaced method.
pub(super) type Affected = (Arc<CodeInstance>, Option<Edge>);

impl CodeTables {
    /// A method that no call finds: code that has a caller of its own, which runs in the world `born`. Makes no new
    /// world.
    pub fn add_detached_method(&self, def: MethodDef, born: World) -> MethodId {
        let _definitions = self.definitions.write();
        let id = MethodId::from_index(self.methods.count());
        self.methods.defined.push(Arc::new(Method {
            id,
            table: TableId::DETACHED,
            name: def.name,
            module: def.module,
            sig: def.sig,
            nargs: def.code.nargs,
            is_va: def.code.is_va,
            code: MethodBody::new(def.code),
            loc: def.loc,
            born,
            replaced: AtomicU64::new(World::MAX.number()),
            disabled: AtomicBool::new(false),
            predecessor: None,
            successor: Default::default(),
            instances: Default::default(),
            hash: Default::default(),
            foreign: None,
            decoded: Default::default(),
            decoded_in_views: Default::default(),
        }));
        id
    }

    /// Adds a method to the global table or an overlay, in a new world, and replaces one of equal signature.
    ///
    /// # Panics
    /// When the library is complete and the table is the runtime's own.
    pub fn add_method(&self, table: TableId, def: MethodDef) -> MethodId {
        self.add_method_of(table, def, None)
    }

    /// As [`Self::add_method`], with data for the method's own compiler.
    pub(crate) fn add_method_of(
        &self,
        table: TableId,
        def: MethodDef,
        foreign: Option<Arc<ForeignSource>>,
    ) -> MethodId {
        add_method_after(self, table, def, foreign, None)
    }

    /// Ends a method in the next world, and restores the one of equal signature that it replaced, unless that has
    /// been deleted, too. Returns whether the method was active.
    pub fn delete_method(&self, method: MethodId) -> bool {
        let gone = self.method(method);
        if gone.disabled.swap(true, Ordering::AcqRel) {
            return false;
        }
        let before = {
            let _definitions = self.definitions.write();
            let last = self.world();
            if !gone.worlds().contains(last) {
                return true; // another has replaced it: now it will not come back
            }
            gone.replaced.store(last.number(), Ordering::Release);
            if self.methods.is_frozen(method) {
                self.methods.changes_library.store(true, Ordering::Release);
            }
            if let Some(index) = self.methods.tables.get(gone.table.index()) {
                index.write().note_change(&self.types, gone.sig, last.next());
            }
            self.calls.clip(gone.table, gone.sig, last);
            let affected = affected_by(self, &gone, Some(&gone));
            clip_with_callers(self, affected, Definition::Method(method), last);
            self.advance(last);
            let older = std::iter::successors(gone.predecessor, |&it| self.method(it).predecessor);
            older.map(|it| self.method(it)).find(|it| !it.disabled.load(Ordering::Acquire))
        };
        if let Some(before) = before {
            // A new entry for the same body: a method holds in one range of worlds.
            before.disabled.store(true, Ordering::Release);
            let code = Arc::clone(&before.code);
            let (name, module, sig, loc) = (before.name, before.module, before.sig, before.loc);
            let def = MethodDef { name, module, sig, code, loc };
            add_method_after(self, before.table, def, before.foreign.clone(), before.predecessor);
        }
        true
    }

    pub(super) fn advance(&self, last: World) {
        self.world.store(last.next().number(), Ordering::Release);
    }

    /// Adds the result of an inference that ran in world `inferred_in`. If a later definition may affect the result,
    /// its range ends with `inferred_in`.
    pub fn add_code_instance(&self, result: CodeResult, inferred_in: World) -> Arc<CodeInstance> {
        add_code(self, CodeInstance::new(result, inferred_in), false)
    }

    /// As [`Self::add_code_instance`], unless another thread has added one that holds in `inferred_in`: returns that
    /// one. `kept` is stored on the new one before others can see it.
    pub(crate) fn add_first_code_instance(
        &self,
        result: CodeResult,
        kept: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
        inferred_in: World,
    ) -> Arc<CodeInstance> {
        add_code(self, CodeInstance::with_results(result, inferred_in, kept), true)
    }
}

impl MethodTables {
    /// The method of this signature in a world.
    pub fn equal_method(&self, table: TableId, sig: Type, world: World) -> Option<Arc<Method>> {
        let candidates = self.tables.get(table.index())?.read().filed_like(&self.types, sig);
        candidates
            .into_iter()
            .map(|it| self.method(it))
            .find(|it| it.worlds().contains(world) && self.is_equal_signature(it.sig, sig))
    }

    /// Whether two signatures are the same type; most that are not differ in the name of an argument's type.
    fn is_equal_signature(&self, a: Type, b: Type) -> bool {
        let count = |sig| datatype::params(&self.types, unionall::unwrap(&self.types, sig)).len();
        let same_key = |at| method_key(&self.types, a, at) == method_key(&self.types, b, at);
        a == b || ((0..count(a).min(count(b))).all(same_key) && equality::are_equal(&self.types, a, b))
    }

    /// Whether the look-up of an edge has the same result in both worlds: for `invoke` the method that covers all
    /// calls, for other edges all methods that some call may go to.
    pub(super) fn same_target(
        &self,
        view: &MethodTableView,
        edge: &Edge,
        sig: Type,
        (before, after): (World, World),
    ) -> bool {
        if matches!(edge, Edge::TooMany(_)) {
            return self.exceeds_limit_in_both(view, sig, before, after);
        }
        if !matches!(edge, Edge::Invoke { .. }) {
            return self.same_matches(view, sig, before, after);
        }
        let covering = |world| self.find_covering(view, sig, world).map(|it| it.method);
        covering(before) == covering(after)
    }

    /// Whether a look-up that found too many methods in the first world does so in the second: it does unless it finds fewer.
    pub(super) fn exceeds_limit_in_both(
        &self,
        view: &MethodTableView,
        sig: Type,
        a: World,
        b: World,
    ) -> bool {
        let count = |world| self.find_matches_in(view, sig, world, usize::MAX).map(|it| it.matches.len());
        count(a).zip(count(b)).is_none_or(|(a, b)| b >= a)
    }

    /// Whether a look-up finds the same methods in both worlds.
    pub(super) fn same_matches(&self, view: &MethodTableView, sig: Type, a: World, b: World) -> bool {
        let found = |world| -> Option<Vec<MethodId>> {
            let found = self.find_matches_in(view, sig, world, usize::MAX)?;
            Some(found.matches.into_iter().map(|it| it.method).collect())
        };
        found(a) == found(b)
    }
}

/// The view in which an edge was looked up.
fn seen_by(ci: &CodeInstance, edge: &Edge) -> MethodTableView {
    if matches!(edge, Edge::Original { .. }) { ci.view.originals() } else { ci.view.clone() }
}

/// The body of a definition. `f(x::Vararg{T, N})` takes the rest like `f(x...)`, which only the type shows.
fn with_rest(tables: &CodeTables, def: &MethodDef) -> Arc<CodeInfo> {
    let types = &tables.types;
    let params = datatype::params(types, unionall::unwrap(types, def.sig));
    let rest = params.last().is_some_and(|&it| matches!(types.data(it), TypeData::Vararg { .. }));
    if def.code.is_va || !(rest || params.len() > def.code.nargs as usize) {
        return def.code.clone();
    }
    Arc::new(CodeInfo { is_va: true, ..(*def.code).clone() })
}

/// As [`CodeTables::add_method`], after the deletion of methods of equal signature that had replaced `older`.
fn add_method_after(
    tables: &CodeTables,
    table: TableId,
    def: MethodDef,
    foreign: Option<Arc<ForeignSource>>,
    older: Option<MethodId>,
) -> MethodId {
    let is_private = table == TableId::RUNTIME && tables.sealed().is_some();
    assert!(!is_private, "the runtime's own method table takes no methods");
    let _definitions = tables.definitions.write();
    let last = tables.world();
    let replaced = tables.methods.equal_method(table, def.sig, last);
    let code = with_rest(tables, &def);
    let method = Arc::new(Method {
        id: MethodId::from_index(tables.methods.count()),
        table,
        name: def.name,
        module: def.module,
        sig: def.sig,
        nargs: code.nargs,
        is_va: code.is_va,
        code: MethodBody::new(code),
        loc: def.loc,
        born: last.next(),
        replaced: AtomicU64::new(World::MAX.number()),
        disabled: AtomicBool::new(false),
        predecessor: replaced.as_ref().map(|it| it.id).or(older),
        successor: Default::default(),
        instances: Default::default(),
        hash: Default::default(),
        foreign,
        decoded: Default::default(),
        decoded_in_views: Default::default(),
    });
    let id = method.id;
    if method.is_consistent_overlay(&tables.types) {
        tables.methods.has_consistent_overlays.store(true, Ordering::Release);
    }
    if table == TableId::GLOBAL {
        note_addition(&tables.methods, def.sig);
    }
    tables.methods.defined.push(method.clone());
    if let Some(replaced) = &replaced {
        let _ = replaced.successor.set(id);
        replaced.replaced.store(last.number(), Ordering::Release);
    }
    if let Some(index) = tables.methods.tables.get(table.index()) {
        let mut index = index.write();
        index.insert(&tables.types, id, def.sig);
        index.note_change(&tables.types, def.sig, last.next());
    }
    tables.calls.clip(table, def.sig, last);
    let affected = affected_by(tables, &method, replaced.as_deref());
    clip_with_callers(tables, affected, Definition::Method(id), last);
    tables.advance(last);
    id
}

/// Returns the code whose edges a new method changes, with the edge. The method is in the table, and the world
/// has not been bumped yet.
fn affected_by(tables: &CodeTables, new: &Method, replaced: Option<&Method>) -> Vec<Affected> {
    let mut affected = Vec::new();
    let edges = tables.instances.edges.read();
    if let Some(replaced) = replaced {
        for &instance in replaced.instances.read().iter() {
            let data = tables.instance_data(instance);
            affected.extend(data.code.read().iter().map(|it| (it.clone(), None)));
            let callers = edges.callers(instance).iter();
            affected.extend(callers.map(|it| (it.clone(), Some(Edge::Instance(instance)))));
        }
    }
    let world = tables.world();
    for (askers, edge) in edges.lookups_meeting(&tables.types, new.sig) {
        // All that share an edge saw the same.
        let mut current = askers.iter().filter(|it| it.worlds().contains(world)).peekable();
        if let Some(first) = current.peek()
            && edge_changes(tables, first, edge, new)
        {
            affected.extend(current.map(|it| (it.clone(), Some(edge.clone()))));
        }
    }
    affected
}

/// Whether `new` changes the result of this edge.
fn edge_changes(tables: &CodeTables, ci: &CodeInstance, edge: &Edge, new: &Method) -> bool {
    if ci.view.rank(new.table).is_none() {
        return false;
    }
    let Some(sig) = looked_up(tables, edge) else { return false };
    let types = &tables.types;
    if disjoint::are_obviously_disjoint(types, sig, new.sig) {
        return false;
    }
    // Too many methods stay too many when one is added, unless it answers for all calls. Counting them takes long: they are many.
    let is_added = new.worlds().contains(tables.world().next());
    if matches!(edge, Edge::TooMany(_)) && is_added && !types.subtype(sig, new.sig) {
        return false;
    }
    if intersect::meet(types, sig, new.sig) == types.core().bottom {
        return false;
    }
    !tables.methods.same_target(&seen_by(ci, edge), edge, sig, (tables.world(), tables.world().next()))
}

/// Ends at `last` the code given and, transitively, the code of its owner that calls it.
pub(super) fn clip_with_callers(
    tables: &CodeTables,
    affected: Vec<Affected>,
    definition: Definition,
    last: World,
) {
    let mut logged = false;
    for (cause, affected) in by_cause(tables, affected) {
        let ended = clip_for(tables, cause, affected, definition, last);
        logged |= tables.invalidations.ended(ended, cause, last);
    }
    if logged {
        tables.invalidations.defined(&tables.methods, definition, last);
    }
}

/// Ends the affected results for one cause; returns the ended results, if the log is on.
fn clip_for(
    tables: &CodeTables,
    cause: Cause,
    affected: Vec<Affected>,
    definition: Definition,
    last: World,
) -> Vec<Invalidation> {
    let edges = tables.instances.edges.read();
    let mut ended = Vec::new();
    let clip = |edge| Clip { definition, last, edge, through: None };
    // The code of a replaced method is not logged: it does not end for what it calls.
    let mut work: Vec<_> =
        affected.into_iter().map(|(ci, edge)| (ci, edge.is_none(), clip(edge), cause.depth())).collect();
    while let Some((ci, is_own, why, depth)) = work.pop() {
        if !ci.clip(last) {
            continue;
        }
        *ci.clip.write() = Some(why);
        let mut next = depth;
        if cause != Cause::Unlogged && !is_own && tables.instance_data(ci.instance).known_args.is_empty() {
            ended.push(Invalidation::Ended { instance: ci.instance, depth });
            next += 1;
        }
        for served in ci.serves.read().iter() {
            let callers = edges.callers(*served).iter();
            let callers = callers.filter(|it| it.owner == ci.owner);
            work.extend(callers.map(|it| {
                let clip = Clip { definition, last, edge: None, through: Some(ci.clone()) };
                (it.clone(), false, clip, next)
            }));
        }
    }
    ended
}

fn add_code(tables: &CodeTables, ci: CodeInstance, only_first: bool) -> Arc<CodeInstance> {
    let _definitions = tables.definitions.read();
    let (now, inferred_in) = (tables.world(), ci.made_in);
    if now > inferred_in && ci.holds_in(now) && !still_holds(tables, &ci, inferred_in, now) {
        ci.clip(inferred_in);
    }
    let ci = Arc::new(ci);
    {
        let data = tables.instance_data(ci.instance);
        let mut code = data.code.write();
        let holds = |it: &&Arc<CodeInstance>| it.owner == ci.owner && it.holds_in(inferred_in);
        if let Some(first) = code.iter().rev().find(holds).filter(|_| only_first) {
            return first.clone();
        }
        code.push(ci.clone());
    }
    // No definition looks at the edges before the lock is given back.
    tables.instances.edges.write().add(tables, &ci);
    ci
}

fn still_holds(tables: &CodeTables, ci: &CodeInstance, then: World, now: World) -> bool {
    let method = tables.method(tables.instance_data(ci.instance).method);
    method.worlds().contains(now)
        && ci.edges.iter().all(|edge| match edge {
            Edge::Binding(module, name) => tables.bindings.same_binding(*module, *name, then, now),
            Edge::Instance(callee)
            | Edge::Invoke { instance: callee, .. }
            | Edge::Original { instance: callee, .. } => {
                let data = tables.instance_data(*callee);
                let compiled = !data.code.read().is_empty();
                let current = !compiled || tables.code_instance(*callee, ci.owner, now).is_some();
                let sig = if let Edge::Invoke { sig, .. } | Edge::Original { sig, .. } = edge {
                    *sig
                } else {
                    data.spec_types
                };
                current && tables.methods.same_target(&seen_by(ci, edge), edge, sig, (then, now))
            }
            Edge::Lookup { sig, .. } => tables.methods.same_matches(&ci.view, *sig, then, now),
            Edge::TooMany(sig) => tables.methods.exceeds_limit_in_both(&ci.view, *sig, then, now),
            Edge::Body(callee) => tables.code_instance(*callee, ci.owner, now).is_some(),
            Edge::Constant { .. } => true,
        })
}
