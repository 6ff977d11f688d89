//! Which methods apply to a signature in a world, the most specific first.

use super::{CodeTables, Matches, Method, MethodId, MethodMatch, MethodTableView, World, WorldRange};
use kiln_types::Type;
use std::sync::Arc;

/// A method that applies, while the answer is being sorted.
struct Applicable {
    method: Arc<Method>,
    found: MethodMatch,
    /// Position of its table in the view.
    rank: usize,
}

impl CodeTables {
    /// [`CodeTables::find_matches_in`] with the global table alone.
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
        let mut worlds = WorldRange::ALL;
        let mut applicable = self.applicable(view, sig, world, &mut worlds);
        if applicable.len() > limit.saturating_mul(16).max(64)
            && !applicable.iter().any(|it| it.found.fully_covers)
        {
            return None;
        }
        self.drop_shadowed(&mut applicable);
        if applicable.len() > limit {
            return None;
        }
        let ambiguous = self.has_ambiguity(&applicable);
        self.sort(&mut applicable);
        let matches = applicable.into_iter().map(|it| it.found).collect();
        Some(Matches { matches, worlds, ambiguous })
    }

    /// Every method whose signature meets `sig`; narrows `worlds` to those in which the answer is the same.
    fn applicable(
        &self,
        view: &MethodTableView,
        sig: Type,
        world: World,
        worlds: &mut WorldRange,
    ) -> Vec<Applicable> {
        let types = &self.types;
        // What meets a signature of concrete types covers it.
        let exact = types.is_dispatch_tuple(sig);
        let mut applicable = Vec::new();
        for method in self.candidates(view, sig) {
            if types.obviously_disjoint(sig, method.sig) {
                continue;
            }
            let (spec_types, static_params, fully_covers) = match types.subtype_env(sig, method.sig) {
                Some(env) => (sig, env, true),
                None if exact => continue,
                None => {
                    let (meet, env) = types.intersect_env(sig, method.sig);
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
            applicable.push(Applicable { method, found, rank });
        }
        applicable
    }

    fn candidates(&self, view: &MethodTableView, sig: Type) -> Vec<Arc<Method>> {
        let mut ids: Vec<MethodId> = Vec::new();
        for &table in view.overlays().iter().chain(&[super::TableId::GLOBAL]) {
            if let Some(index) = self.tables.get(table.index()) {
                ids.extend(index.read().candidates(&self.types, sig));
            }
        }
        ids.into_iter().map(|it| self.method(it)).collect()
    }

    /// Whether `a` is to be called rather than `b` where both apply.
    fn beats(&self, a: &Applicable, b: &Applicable) -> bool {
        if self.types.more_specific(a.method.sig, b.method.sig) {
            // Signatures that are equal apart from the names of variables are more specific both ways in some
            // formulations: the table in front decides then.
            return a.rank <= b.rank || !self.types.more_specific(b.method.sig, a.method.sig);
        }
        a.rank < b.rank && !self.types.more_specific(b.method.sig, a.method.sig)
    }

    /// Drops methods that no call with this signature reaches.
    fn drop_shadowed(&self, applicable: &mut Vec<Applicable>) {
        let mut at = 0;
        while at < applicable.len() {
            let rear = &applicable[at];
            let shadowed = applicable.iter().enumerate().any(|(i, front)| {
                i != at
                    && (front.found.fully_covers
                        || self.types.subtype(rear.found.spec_types, front.method.sig))
                    && self.beats(front, rear)
            });
            if shadowed {
                applicable.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Whether some call meets two methods of which neither is the more specific, and nothing settles it.
    fn has_ambiguity(&self, applicable: &[Applicable]) -> bool {
        for (i, a) in applicable.iter().enumerate() {
            for b in &applicable[i + 1..] {
                if self.beats(a, b) || self.beats(b, a) {
                    continue;
                }
                let meet = self.types.intersect(a.found.spec_types, b.found.spec_types);
                if meet == self.types.core().bottom {
                    continue;
                }
                let settled = applicable.iter().any(|it| {
                    self.types.subtype(meet, it.method.sig) && self.beats(it, a) && self.beats(it, b)
                });
                if !settled {
                    return true;
                }
            }
        }
        false
    }

    /// Puts every method after those that beat it; ties stay in the order of definition.
    fn sort(&self, applicable: &mut [Applicable]) {
        for first in 0..applicable.len() {
            let rest = &applicable[first..];
            let next = (0..rest.len())
                .find(|&i| rest.iter().enumerate().all(|(j, it)| i == j || !self.beats(it, &rest[i])));
            if let Some(next) = next {
                applicable[first..=first + next].rotate_right(1);
            }
        }
    }
}
