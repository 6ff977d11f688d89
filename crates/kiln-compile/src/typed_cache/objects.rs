//! The part of constants that inference can see, where they are or hold objects of the session: everything that cannot change, and which
//! of them are one object. Another session has other objects; a result holds there if they look the same.

use kiln_cache::ContentHash;
use kiln_runtime::Runtime;
use kiln_runtime::heap::{bits, constants, fields, svecs, text};
use kiln_types::{Const, ConstData, consts, datatype, identity, layout};
use rustc_hash::FxHashMap;

/// The most objects that are looked at in all constants together: a result that depends on more is not kept.
const PARTS_MAX: usize = 1 << 14;

/// The objects met so far, by the order in which they were.
#[derive(Default)]
pub(super) struct Objects(FxHashMap<Const, usize>);

impl Objects {
    /// A hash of what can be seen of a constant, beside those met before; `None` if that is too much.
    pub(super) fn hash(&mut self, rt: &Runtime, constant: Const) -> Option<[u8; 16]> {
        let mut out = Vec::new();
        self.add(rt, constant, &mut out)?;
        ContentHash::of(&out).0.first_chunk().copied()
    }

    fn add(&mut self, rt: &Runtime, constant: Const, out: &mut Vec<u8>) -> Option<()> {
        let mut work = vec![constant];
        while let Some(constant) = work.pop() {
            if let Some(hash) = identity::hash_of_const(&rt.types, constant) {
                out.push(0);
                out.extend(hash.to_le_bytes());
                continue;
            }
            if let Some(met) = self.0.get(&constant) {
                out.push(1);
                out.extend(met.to_le_bytes());
                continue;
            }
            let number = self.0.len();
            self.0.insert(constant, number);
            if number + work.len() > PARTS_MAX {
                return None;
            }
            let ty = identity::hash_of_type(&rt.types, consts::type_of(&rt.types, constant));
            out.push(2);
            out.extend(ty.to_le_bytes());
            let parts = parts(rt, constant, out);
            out.extend(parts.len().to_le_bytes());
            work.extend(parts);
        }
        Some(())
    }
}

/// The parts of a constant that never change; what are no parts is hashed at once.
fn parts(rt: &Runtime, constant: Const, out: &mut Vec<u8>) -> Vec<Const> {
    let (heap, core) = (&rt.heap, rt.types.core());
    let ty = match rt.types.const_data(constant) {
        ConstData::Aggregate { fields, .. } => return fields.to_vec(),
        ConstData::Object { ty, .. } => *ty,
        // The number of something that only this session has.
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_) => return Vec::new(),
    };
    let value = constants::value_of(heap, constant);
    if ty == core.string {
        out.extend(text::bytes(heap, value));
        return Vec::new();
    }
    if ty == core.simple_vector {
        return svecs::values(heap, value).into_iter().map(|it| constants::const_of(heap, it)).collect();
    }
    if layout::is_bits(&rt.types, ty) {
        out.extend(bits::of(heap, value));
        return Vec::new();
    }
    let is_mutable = datatype::is_mutable(&rt.types, ty);
    let name = datatype::name_of(&rt.types, ty).map(|it| rt.types.type_name(it));
    let is_const = |index: usize| {
        !is_mutable || name.is_some_and(|it| it.def.const_fields.get(index).copied().unwrap_or(false))
    };
    let mut parts = Vec::new();
    for index in (0..datatype::field_types(&rt.types, ty).len()).filter(|it| is_const(*it)) {
        match fields::get(heap, value, index) {
            Some(field) => parts.push(constants::const_of(heap, field)),
            None => out.extend([3, index as u8]),
        }
    }
    parts
}
