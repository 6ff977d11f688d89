//! An index of look-ups by the keys of the callee and of the first argument: those that a new method may change.
//!
//! A session that loads a package has tens of thousands of look-ups and defines thousands of methods, so a definition must not
//! walk over the look-ups that it cannot meet.

use super::index::{Key, Probe, may_meet, method_key, probe};
use kiln_types::{Type, Types, datatype, unionall};
use rustc_hash::FxHashMap;

/// Entries under the signature of a look-up each.
#[derive(Debug)]
pub(super) struct LookupIndex<T> {
    by_callee: FxHashMap<Key, FxHashMap<Key, Vec<T>>>,
}

impl<T> Default for LookupIndex<T> {
    fn default() -> Self {
        Self { by_callee: FxHashMap::default() }
    }
}

impl<T> LookupIndex<T> {
    /// Files an entry under the signature of its look-up.
    pub(super) fn insert(&mut self, types: &Types, sig: Type, entry: T) {
        let by_argument = self.by_callee.entry(method_key(types, sig, 0)).or_default();
        by_argument.entry(method_key(types, sig, 1)).or_default().push(entry);
    }

    /// The entries whose look-ups may meet a method with this signature: all that do are among them.
    pub(super) fn meeting(&self, types: &Types, sig: Type) -> impl Iterator<Item = &T> {
        let mut found = Vec::new();
        for by_argument in groups(&self.by_callee, types, sig, 0) {
            found.extend(groups(by_argument, types, sig, 1));
        }
        found.into_iter().flatten()
    }
}

/// The groups whose key may meet the type at a position of the signature.
fn groups<'a, G>(groups: &'a FxHashMap<Key, G>, types: &Types, sig: Type, at: usize) -> Vec<&'a G> {
    let elem = datatype::params(types, unionall::unwrap(types, sig)).get(at);
    match elem.map_or(Probe::All, |&it| probe(types, it)) {
        Probe::Keys(keys) => keys.iter().filter_map(|it| groups.get(it)).collect(),
        Probe::All => {
            let own = method_key(types, sig, at);
            groups.iter().filter(|it| may_meet(types, own, *it.0)).map(|it| it.1).collect()
        }
    }
}
