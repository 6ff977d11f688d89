//! Revalidation: results that ended with a definition and still hold.
//!
//! A definition ends all its dependents at once, callers included, since that is cheap. Whether the change matters is
//! decided when such a result is requested again, in the newest world: inference compares the recorded dependencies
//! with the current ones ([`revivable`]), and revives the result if nothing differs ([`CodeTables::revive`]).
//! A result for a replaced method serves the instance of the new method, too, if their bodies are equal: as the same
//! object, with everything that later layers have stored on it.
//!
//! # Invariants
//! * A result holds in a list of disjoint, non-adjacent ranges of worlds: it did not hold, as far as was known, in
//!   between. So the range that contains the world in which a result was derived tells whether the derived result
//!   still holds.
//! * Code names callees by the instance of its own time; [`CodeTables::current_instance`] returns the present one.

use super::{
    CacheOwner, CodeInstance, CodeTables, Edge, Method, MethodId, MethodTableView, MethodTables, TableId,
    World, WorldRange,
};
use kiln_ir::{CodeInfo, Instance};
use kiln_types::{Type, subtype};
use std::cmp::Reverse;
use std::sync::Arc;

/// The number of replaced methods to search for an equal body.
const PREDECESSORS_MAX: usize = 16;

/// Whether two lowered bodies are the same, wherever they are written.
pub fn same_body(a: &CodeInfo, b: &CodeInfo) -> bool {
    a.name == b.name
        && a.module == b.module
        && a.nargs == b.nargs
        && a.is_va == b.is_va
        && a.meta == b.meta
        && a.slots == b.slots
        && a.static_params == b.static_params
        && a.stmts == b.stmts
        && a.bodies.len() == b.bodies.len()
        && a.bodies.iter().zip(&b.bodies).all(|(a, b)| same_body(a, b))
}

impl CodeTables {
    /// The instance that a static call of `instance` means in `world`: that of the method which has taken the place of
    /// its own, if one has.
    pub fn current_instance(&self, instance: Instance, world: World) -> Instance {
        let data = self.instance_data(instance);
        let own = self.method(data.method);
        let mut method = own.clone();
        while method.worlds().max < world
            && let Some(next) = method.successor()
        {
            method = self.method(next);
        }
        if method.id == own.id || !method.worlds().contains(world) {
            return instance;
        }
        match subtype::matching(&self.types, data.spec_types, method.sig) {
            Some(params) => self.known_instance(method.id, data.spec_types, &params, &data.known_args),
            None => instance,
        }
    }

    /// Revives an ended result from `world` on, for `instance`. `world` is the one in which all its dependencies were
    /// found unchanged; if there is a newer one, the result holds in `world` only.
    pub fn revive(&self, ci: &Arc<CodeInstance>, instance: Instance, world: World) {
        let _definitions = self.definitions.read();
        let newest = self.world() == world;
        let data = self.instance_data(instance);
        {
            let mut ranges = ci.ranges.write();
            if ranges.iter().any(|it| it.contains(world)) {
                return;
            }
            ranges.push(WorldRange { min: world, max: if newest { World::MAX } else { world } });
        }
        let mut serves = ci.serves.write();
        if !serves.contains(&instance) {
            serves.push(instance);
            data.code.write().push(ci.clone());
        }
        drop(serves);
        let mut edges = self.instances.edges.write();
        for edge in ci.edges.iter() {
            if let Edge::Instance(callee) | Edge::Body(callee) | Edge::Invoke { instance: callee, .. } = edge
            {
                let current = self.current_instance(*callee, world);
                edges.add_caller(current, ci);
            }
        }
        self.inference.note_revived();
    }
}

/// Returns results for `instance` that do not hold in `world` but may be revived: its own, and those for methods
/// of the same signature that its method replaced. The most recently valid come first: most derived results
/// depend on them.
pub fn revivable(
    tables: &CodeTables,
    instance: Instance,
    owner: CacheOwner,
    world: World,
) -> Vec<(Arc<CodeInstance>, Instance)> {
    let data = tables.instance_data(instance);
    let mut found = Vec::new();
    let mut take = |of: Instance| {
        let data = tables.instance_data(of);
        let code = data.code.read();
        let ended =
            code.iter().rev().filter(|it| it.owner == owner && it.worlds().max < world && !it.is_withdrawn());
        found.extend(ended.map(|it| (it.clone(), of)));
    };
    take(instance);
    let mut at = tables.method(data.method).predecessor;
    for _ in 0..PREDECESSORS_MAX {
        let Some(method) = at else { break };
        tables.instances.like(method, &data).into_iter().for_each(&mut take);
        at = tables.method(method).predecessor;
    }
    found.sort_by_key(|it| Reverse(it.0.worlds().max));
    found
}

impl MethodTables {
    /// Whether `new` is `old`, or has taken its place by having an equal signature.
    pub fn is_successor(&self, new: MethodId, old: MethodId) -> bool {
        let mut at = old;
        loop {
            if at == new {
                return true;
            }
            match self.method(at).successor() {
                Some(next) => at = next,
                None => return false,
            }
        }
    }

    /// Whether a look-up of `sig` may find something else now than in the world `then`: a definition since may meet it.
    pub fn may_have_changed(&self, view: &MethodTableView, sig: Type, then: World) -> bool {
        let global = view.rank(TableId::GLOBAL).map(|_| &TableId::GLOBAL);
        let mut tables = view.overlays().iter().chain(global).filter_map(|it| self.tables.get(it.index()));
        tables.any(|it| it.read().may_have_changed(&self.types, sig, then))
    }

    /// The methods a look-up finds now, compared with those it found: each the same, or one that took its place and is
    /// `alike`. `limit` is that of the look-up.
    pub fn finds_alike(
        &self,
        view: &MethodTableView,
        (sig, found, limit): (Type, &[MethodId], usize),
        world: World,
        alike: &dyn Fn(&Method, &Method) -> bool,
    ) -> bool {
        let Some(now) = self.find_matches_in(view, sig, world, limit) else { return false };
        now.matches.len() == found.len()
            && now.matches.iter().zip(found).all(|(new, &old)| {
                let new = new.method;
                new == old || self.is_successor(new, old) && alike(&self.method(old), &self.method(new))
            })
    }
}
