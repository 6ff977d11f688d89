//! The identity of a session's own definitions in another process: an id of the image is the same there, other
//! definitions are identified by name and content.

use crate::freeze::TableSizes;
use crate::{Const, ConstData, Type, TypeData, TypeName, TypeNameKind, Types, consts, datatype, hash};
use rustc_hash::FxHashSet;

/// Returns the number of entries per table that come from the image: their ids are the same in every session of
/// that image. Zero without an image.
pub fn frozen_counts(types: &Types) -> TableSizes {
    types.frozen.counts()
}

/// The definitions made since the image from the `first` such one on, in order.
pub fn own_definitions(types: &Types, first: usize) -> impl Iterator<Item = TypeName> + '_ {
    let frozen = types.frozen.names.len();
    // By number: an iterator would walk over all that were made before `first`.
    let made = (first..).map_while(move |at| types.names.get(at)?.data.get().map(|_| at));
    made.map(move |at| TypeName::from_index(frozen + at))
}

/// Returns a hash of a definition and of all definitions since the image that are reachable through supertypes,
/// fields and bounds: equal in every process of this image with equal definitions.
pub fn hash_of_definition(types: &Types, name: TypeName) -> u128 {
    let mut reached = vec![name];
    let mut out = blake3::Hasher::new();
    let mut at = 0;
    while let Some(&name) = reached.get(at) {
        at += 1;
        let data = types.type_name(name);
        let def = &data.def;
        let (kind, bits) = match def.kind {
            TypeNameKind::Abstract => (0u8, 0),
            TypeNameKind::Primitive { bits } => (1, bits),
            TypeNameKind::Struct { mutable } => (2 + u8::from(mutable), 0),
            TypeNameKind::Tuple => (4, 0),
            TypeNameKind::NamedTuple => (5, 0),
        };
        // The wrapper says the module, the name, and the parameters with their bounds.
        out.update(&hash::of_type(types, data.wrapper).to_le_bytes())
            .update(&[kind])
            .update(&bits.to_le_bytes());
        out.update(&(def.fields_init_min as u64).to_le_bytes());
        let fields = data.field_types();
        out.update(&(fields.map_or(u64::MAX, |it| it.len() as u64)).to_le_bytes());
        for (at, field) in def.field_names.iter().enumerate() {
            out.update(types.name(*field).as_bytes());
            let flag = |list: &[bool]| u8::from(list.get(at).copied().unwrap_or(false));
            out.update(&[0, flag(&def.const_fields), flag(&def.atomic_fields)]);
        }
        for &part in def.params.iter().chain(fields.unwrap_or(&[])).chain([&data.supertype()]) {
            out.update(&hash::of_type(types, part).to_le_bytes());
            collect_own_names(types, part, &mut reached);
        }
    }
    finish(&out)
}

/// Adds the definitions made since the image that `ty` mentions and `found` does not have yet.
fn collect_own_names(types: &Types, ty: Type, found: &mut Vec<TypeName>) {
    // Types share their parts: the tree of a type may be exponentially larger than the type.
    let mut seen = FxHashSet::default();
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        if !mentions_program(types, ty) || !seen.insert(ty) {
            continue;
        }
        match types.data(ty) {
            TypeData::Data { name, params } => {
                if is_own_name(types, *name) && !found.contains(name) {
                    found.push(*name);
                }
                work.extend(params.iter().rev());
            }
            TypeData::Union(members) => work.extend(members.iter().rev()),
            TypeData::UnionAll { var, body } => work.extend([*body, *var]),
            TypeData::Var { lower, upper, .. } => work.extend([*upper, *lower]),
            TypeData::Vararg { elem, count } => work.extend(count.iter().chain([elem])),
            TypeData::Value(constant) => work.push(consts::type_of(types, *constant)),
            TypeData::Bottom => {}
        }
    }
}

fn is_own_name(types: &Types, name: TypeName) -> bool {
    name.index() >= types.frozen.names.len()
}

/// Whether a type mentions a definition made since the image.
pub fn mentions_program(types: &Types, ty: Type) -> bool {
    if ty.index() < types.frozen.types.len() {
        return false; // mentions nothing that the image does not have
    }
    let part = |it: &Type| mentions_program(types, *it);
    let entry = types.entry(ty);
    *entry.mentions_program.get_or_init(|| match &entry.data {
        TypeData::Data { name, params } => is_own_name(types, *name) || params.iter().any(part),
        TypeData::Union(members) => members.iter().any(part),
        TypeData::UnionAll { var, body } => part(var) || part(body),
        TypeData::Var { lower, upper, .. } => part(lower) || part(upper),
        TypeData::Vararg { elem, count } => part(elem) || count.iter().any(part),
        TypeData::Value(constant) => part(&consts::type_of(types, *constant)),
        TypeData::Bottom => false,
    })
}

/// A hash of a type and of all definitions made since the image that it mentions.
pub fn hash_of_type(types: &Types, ty: Type) -> u128 {
    let mut names = Vec::new();
    collect_own_names(types, ty, &mut names);
    if names.is_empty() {
        return hash::of_type(types, ty);
    }
    let mut out = blake3::Hasher::new();
    out.update(&hash::of_type(types, ty).to_le_bytes());
    for name in names {
        out.update(&hash_of_definition(types, name).to_le_bytes());
    }
    finish(&out)
}

/// As [`hash_of_definition`], for a constant; `None` if it is or holds an object created since the image,
/// which no other process has.
pub fn hash_of_const(types: &Types, constant: Const) -> Option<u128> {
    if is_own_object(types, constant) {
        return None;
    }
    let named = type_name_of_const(types, constant).map(|it| types.type_name(it).wrapper);
    let of = match types.const_data(constant) {
        ConstData::Type(ty) => *ty,
        ConstData::Bits { ty, .. } if *ty == types.core().type_name => {
            named.unwrap_or_else(|| consts::type_of(types, constant))
        }
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. }
        | ConstData::Object { .. } => consts::type_of(types, constant),
    };
    let hash = hash::of_const(types, constant);
    if !mentions_program(types, of) {
        return Some(hash);
    }
    let mut out = blake3::Hasher::new();
    out.update(&hash.to_le_bytes()).update(&hash_of_type(types, of).to_le_bytes());
    Some(finish(&out))
}

fn is_own_object(types: &Types, constant: Const) -> bool {
    if constant.index() < types.frozen.counts().consts {
        return false;
    }
    match types.const_data(constant) {
        ConstData::Object { .. } => true,
        ConstData::Aggregate { fields, .. } => fields.iter().any(|&it| is_own_object(types, it)),
        ConstData::Bits { ty, .. } => is_numbered(types, *ty),
        ConstData::Symbol(_) | ConstData::Type(_) | ConstData::String(_) | ConstData::Module(_) => false,
    }
}

/// Whether a constant made since the image is the number of something that only this session numbers so: a method
/// table, a method, lowered code.
pub fn is_own_number(types: &Types, constant: Const) -> bool {
    constant.index() >= types.frozen.counts().consts
        && matches!(types.const_data(constant), ConstData::Bits { ty, .. } if is_numbered(types, *ty))
}

/// Returns the definition of a constant `T.name`: its number differs between sessions, its definition hash does
/// not.
pub fn type_name_of_const(types: &Types, constant: Const) -> Option<TypeName> {
    let ConstData::Bits { ty, bytes } = types.const_data(constant) else { return None };
    let number = bytes.first_chunk::<8>().filter(|_| *ty == types.core().type_name)?;
    Some(TypeName::from_index(u64::from_le_bytes(*number) as usize))
}

/// Returns the constant `T.name` of a definition: the inverse of [`type_name_of_const`].
pub fn const_of_type_name(types: &Types, name: TypeName) -> Const {
    let bytes = Box::new((name.index() as u64).to_le_bytes());
    types.constant(ConstData::Bits { ty: types.core().type_name, bytes })
}

/// Whether an object of this type is a number in the heap, which names an entry of the session's tables: it has no fields in
/// memory, and only the runtime answers for its properties.
pub fn is_held_as_number(types: &Types, ty: Type) -> bool {
    let core = types.core();
    [
        core.symbol,
        core.module,
        core.data_type,
        core.union_all,
        core.union_type,
        core.type_var,
        core.typeof_vararg,
        core.type_name,
        core.method,
        core.method_instance,
        core.code_instance,
        core.method_table,
        core.intrinsic_function,
    ]
    .contains(&ty)
}

/// Whether values of this type are numbers of a session. Intrinsics have the same numbers in all sessions, and a
/// definition is identified by name.
fn is_numbered(types: &Types, ty: Type) -> bool {
    let core = types.core();
    datatype::is_mutable(types, ty) && ty != core.intrinsic_function && ty != core.type_name
}

fn finish(out: &blake3::Hasher) -> u128 {
    let mut hash = [0; 16];
    hash.copy_from_slice(&out.finalize().as_bytes()[..16]);
    u128::from_le_bytes(hash)
}
