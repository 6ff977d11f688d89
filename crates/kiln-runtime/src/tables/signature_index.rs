//! An index by signatures, of look-ups that a new method may change and of methods that may have changed a look-up.
//!
//! A session that loads a package has tens of thousands of look-ups and defines thousands of methods: neither may walk over all
//! of the others. Groups are by the keys of the callee and of the first argument, as methods are in a table.

use super::index::{Key, Probe, may_meet, method_key, probe};
use kiln_types::{Type, Types, datatype, unionall};
use rustc_hash::FxHashMap;

/// A group of entries for the signatures of each pair of keys.
#[derive(Debug)]
pub(super) struct SignatureIndex<G> {
    by_callee: FxHashMap<Key, FxHashMap<Key, G>>,
}

impl<G> Default for SignatureIndex<G> {
    fn default() -> Self {
        Self { by_callee: FxHashMap::default() }
    }
}

impl<G: Default> SignatureIndex<G> {
    /// The group of a signature.
    pub(super) fn group(&mut self, types: &Types, sig: Type) -> &mut G {
        let by_argument = self.by_callee.entry(method_key(types, sig, 0)).or_default();
        by_argument.entry(method_key(types, sig, 1)).or_default()
    }

    /// The groups of all signatures that may have a call in common with this one.
    pub(super) fn meeting(&self, types: &Types, sig: Type) -> Vec<&G> {
        let mut found = Vec::new();
        for by_argument in meeting_at(&self.by_callee, types, sig, 0) {
            found.extend(meeting_at(by_argument, types, sig, 1));
        }
        found
    }
}

/// Returns the values under keys that may meet the type at a position of the signature.
fn meeting_at<'a, G>(groups: &'a FxHashMap<Key, G>, types: &Types, sig: Type, at: usize) -> Vec<&'a G> {
    let elem = datatype::params(types, unionall::unwrap(types, sig)).get(at);
    match elem.map_or(Probe::All, |&it| probe(types, it)) {
        Probe::Keys(keys) => keys.iter().filter_map(|it| groups.get(it)).collect(),
        Probe::All => {
            let own = method_key(types, sig, at);
            groups.iter().filter(|it| may_meet(types, own, *it.0)).map(|it| it.1).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::MethodId;
    use crate::tables::index::TableIndex;
    use crate::testing::session;
    use kiln_bytes::{Reader, Writer};
    use kiln_types::freeze::ImageBytes;
    use kiln_types::{consts, intersect, typevar};

    /// Types of each form that a position of a signature may have.
    fn positions(types: &Types) -> Vec<Type> {
        let core = types.core();
        let var = |upper| typevar::new(types, types.symbol("T"), core.bottom, upper);
        let under = |upper, body: &dyn Fn(Type) -> Type| {
            let var = var(upper);
            unionall::new(types, var, body(var))
        };
        let one = consts::to_param(types, consts::int(types, 1));
        let array = |ty| types.apply(core.array, &[ty, one]).unwrap();
        let plain = [
            core.any,
            core.int64,
            core.integer,
            core.number,
            core.string,
            core.function,
            core.tuple,
            core.empty_tuple,
        ];
        let kinds = [core.type_, core.data_type, core.union_all, core.union_type, core.typeof_bottom];
        let values = [
            core.int64,
            core.number,
            array(core.int64),
            core.array,
            core.bottom,
            types.union(&[core.int64, core.string]),
        ];
        let mut all: Vec<Type> = plain.into_iter().chain(kinds).collect();
        all.extend(values.map(|it| datatype::type_type(types, it)));
        all.extend([
            core.array,
            array(core.int64),
            under(core.number, &array),
            under(core.number, &|it| datatype::type_type(types, it)),
            under(core.any, &|it| datatype::type_type(types, array(it))),
            types.union(&[core.int64, core.string]),
            types.union(&[core.data_type, core.string]),
            datatype::tuple(types, &[core.int64]),
            datatype::tuple(types, &[core.any, core.number]),
        ]);
        all
    }

    /// Signatures of a callee and up to one argument, with a rest, with a variable for both, and as a bare `Tuple`.
    fn signatures(types: &Types) -> Vec<Type> {
        let core = types.core();
        let positions = positions(types);
        let mut all = vec![core.tuple];
        for &callee in &positions {
            all.push(datatype::tuple(types, &[callee]));
            all.push(datatype::tuple(types, &[callee, datatype::vararg(types, core.number, None)]));
            all.extend(positions.iter().map(|&it| datatype::tuple(types, &[callee, it])));
            let var = typevar::new(types, types.symbol("T"), core.bottom, callee);
            all.push(unionall::new(types, var, datatype::tuple(types, &[var, var])));
        }
        all
    }

    #[test]
    fn no_signature_that_has_a_call_in_common_is_left_out() {
        let rt = session();
        let types = &rt.types;
        let all = signatures(types);
        let mut index = SignatureIndex::<Vec<Type>>::default();
        all.iter().for_each(|&it| index.group(types, it).push(it));
        let (mut found, mut left_out) = (0, 0);
        for &sig in all.iter().step_by(7) {
            let meeting: Vec<Type> = index.meeting(types, sig).into_iter().flatten().copied().collect();
            for &other in &all {
                if meeting.contains(&other) {
                    found += 1;
                    continue;
                }
                left_out += 1;
                let meet = intersect::meet(types, sig, other);
                let text = |it| kiln_types::display::of_type(types, it);
                assert_eq!(meet, types.core().bottom, "{} meets {}", text(sig), text(other));
            }
        }
        assert!(left_out > found, "the index tells few apart");
    }

    /// Signatures of one callee and two arguments, with a rest, with fewer, and with more.
    fn signatures_of_two(types: &Types) -> Vec<Type> {
        let (callee, positions) = (types.core().int64, positions(types));
        let rest = |ty| datatype::vararg(types, ty, None);
        let mut all =
            vec![datatype::tuple(types, &[callee]), datatype::tuple(types, &[callee, rest(callee)])];
        for &first in &positions {
            all.push(datatype::tuple(types, &[callee, first]));
            all.push(datatype::tuple(types, &[callee, first, rest(first)]));
            for &second in &positions {
                all.push(datatype::tuple(types, &[callee, first, second]));
            }
            all.push(datatype::tuple(types, &[callee, first, first, first]));
            all.push(datatype::tuple(types, &[callee, callee, first, rest(callee)]));
            let var = typevar::new(types, types.symbol("T"), types.core().bottom, first);
            all.push(unionall::new(types, var, datatype::tuple(types, &[callee, var, var])));
        }
        all
    }

    /// An index of an image tells by the second argument and by the number of arguments, too.
    #[test]
    fn no_method_of_an_image_that_matches_is_left_out() {
        let rt = session();
        let types = &rt.types;
        let all = signatures_of_two(types);
        let mut out = Writer::new();
        TableIndex::freeze(
            &mut out,
            types,
            all.iter().enumerate().map(|it| (MethodId::from_index(it.0), *it.1)),
        );
        let bytes = ImageBytes::read(out.finish());
        let index = TableIndex::thaw(&bytes, &mut Reader::new(bytes.get())).unwrap();
        let (mut found, mut left_out) = (0, 0);
        for &sig in all.iter().step_by(11) {
            let candidates = index.candidates(types, sig);
            for (at, &other) in all.iter().enumerate() {
                if candidates.binary_search(&MethodId::from_index(at)).is_ok() {
                    found += 1;
                    continue;
                }
                left_out += 1;
                let meet = intersect::meet(types, sig, other);
                let text = |it| kiln_types::display::of_type(types, it);
                assert_eq!(meet, types.core().bottom, "{} meets {}", text(sig), text(other));
            }
        }
        assert!(left_out > 3 * found, "the index tells few apart: {found} found, {left_out} left out");
    }
}
