//! The methods that apply to a signature in a world, the most specific first.

use super::ranking::{Ambiguous, Ranked};
use super::{Matches, Method, MethodId, MethodMatch, MethodTableView, MethodTables, World, WorldRange};
use kiln_types::{Type, datatype, disjoint, intersect, subtype, unionall};
use std::sync::Arc;

/// A method that applies, while the answer is being sorted.
pub(super) struct Applicable {
    pub(super) method: Arc<Method>,
    pub(super) found: MethodMatch,
    /// Position of its table in the view.
    pub(super) rank: usize,
}

impl MethodTables {
    /// [`Self::find_matches_in`] with the global table alone.
    pub fn find_matches(&self, sig: Type, world: World, limit: usize) -> Option<Matches> {
        self.find_matches_in(&MethodTableView::global(), sig, world, limit)
    }

    /// The methods that calls with signature `sig` may reach in `world`. `None` if there are more than `limit`.
    pub fn find_matches_in(
        &self,
        view: &MethodTableView,
        sig: Type,
        world: World,
        limit: usize,
    ) -> Option<Matches> {
        self.find_matches_with(view, sig, world, limit, Ambiguous::LeftOut)
    }

    /// As [`Self::find_matches`]; `mode` decides whether methods are listed that no call reaches because others are
    /// ambiguous with them.
    pub fn find_matches_with(
        &self,
        view: &MethodTableView,
        sig: Type,
        world: World,
        limit: usize,
        mode: Ambiguous,
    ) -> Option<Matches> {
        let mut worlds = WorldRange::ALL;
        let too_many = limit.saturating_mul(16).max(64);
        let applicable = self.applicable(view, sig, world, (&mut worlds, too_many));
        if applicable.len() > too_many && !applicable.iter().any(|it| it.found.fully_covers) {
            return None;
        }
        let Ranked { order, ambiguous } = self.rank(&applicable, mode);
        if order.len() > limit {
            return None;
        }
        let matches = order.into_iter().map(|it| applicable[it].found.clone()).collect();
        Some(Matches { matches, worlds, ambiguous })
    }

    /// Returns the method that covers all calls with this signature and is more specific than all others that cover
    /// them: the target of `invoke`.
    pub fn find_covering(&self, view: &MethodTableView, sig: Type, world: World) -> Option<MethodMatch> {
        let mut worlds = WorldRange::ALL;
        let mut covering = self.applicable(view, sig, world, (&mut worlds, usize::MAX));
        covering.retain(|it| it.found.fully_covers);
        let Ranked { order, .. } = self.rank(&covering, Ambiguous::LeftOut);
        order.last().map(|&it| covering[it].found.clone())
    }

    /// Returns every method whose signature intersects `sig`; narrows `worlds` to those with the same answer. Of calls of an
    /// unknown function, which few methods cover, no more than one beyond `too_many`.
    fn applicable(
        &self,
        view: &MethodTableView,
        sig: Type,
        world: World,
        (worlds, too_many): (&mut WorldRange, usize),
    ) -> Vec<Applicable> {
        let types = &self.types;
        let callee = datatype::params(types, unionall::unwrap(types, sig)).first();
        let is_any = callee.is_some_and(|it| {
            !datatype::is_concrete(types, *it) && datatype::type_type_param(types, *it).is_none()
        });
        // What meets a signature of concrete types covers it.
        let exact = datatype::is_dispatch_tuple(types, sig);
        let mut applicable = Vec::new();
        for id in self.candidates(view, sig) {
            let method = self.method(id);
            if disjoint::are_obviously_disjoint(types, sig, method.sig) {
                continue;
            }
            let (spec_types, static_params, fully_covers) = match subtype::matching(types, sig, method.sig) {
                Some(env) => (sig, env, true),
                None if exact => continue,
                None => {
                    let (meet, env) = intersect::meet_with_values(types, sig, method.sig);
                    if meet == types.core().bottom {
                        continue;
                    }
                    (meet, env, false)
                }
            };
            let valid = method.worlds();
            if !valid.contains(world) {
                if !valid.is_empty() {
                    *worlds = worlds.without(valid, world);
                }
                continue;
            }
            if view.has_originals() && method.is_consistent_overlay(types) {
                continue;
            }
            *worlds = worlds.intersect(valid);
            let rank = view.rank(method.table).unwrap_or(usize::MAX);
            let found = MethodMatch { method: method.id, spec_types, static_params, fully_covers };
            let covers = found.fully_covers;
            applicable.push(Applicable { method, found, rank });
            if is_any && !covers && applicable.len() > too_many {
                break;
            }
        }
        applicable
    }

    fn candidates(&self, view: &MethodTableView, sig: Type) -> Vec<MethodId> {
        let mut ids: Vec<MethodId> = Vec::new();
        let global = view.rank(super::TableId::GLOBAL).map(|_| &super::TableId::GLOBAL);
        for &table in view.overlays().iter().chain(global) {
            if let Some(index) = self.tables.get(table.index()) {
                ids.extend(index.read().candidates(&self.types, sig));
            }
        }
        ids
    }
}
