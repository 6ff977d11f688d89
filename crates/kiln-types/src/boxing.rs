//! The representation of a type's values in kernels: unboxed, tagged, or boxed.
//!
//! A box is the address of a value in memory, after a word with its type. A mutable object that a kernel allocates is
//! a box itself.

use crate::{Const, ConstData, FieldStorage, Module, Type, TypeData, Types, consts, datatype, layout, union};

/// The members of a union that host code holds in registers, at most.
const HOST_MEMBERS_MAX: usize = 4;
/// The members of a union that a tag tells apart, at most.
const TAGGED_MEMBERS_MAX: usize = 127;

/// Whether a type is `Base.WeakRef`, whose field keeps nothing alive.
pub fn is_weak_reference(types: &Types, ty: Type) -> bool {
    let def = datatype::name_of(types, ty).map(|it| &types.type_name(it).def);
    def.is_some_and(|it| it.module == Module::BASE && types.name(it.name) == "WeakRef")
}

/// Whether values of this type have a single representation: the type is concrete, or names one type.
pub fn is_static(types: &Types, ty: Type) -> bool {
    datatype::is_concrete(types, ty) || datatype::type_type_param(types, ty).is_some()
}

/// Whether kernels hold values of this type in registers, with a tag that selects the member of the union.
pub fn is_tagged(types: &Types, ty: Type) -> bool {
    let TypeData::Union(members) = types.data(ty) else { return false };
    members.len() <= TAGGED_MEMBERS_MAX
        && members.iter().all(|it| can_be_boxed(types, *it) || has_identity(types, *it))
}

/// Whether host code holds values of this type in registers, with a tag that selects the member of the union.
pub fn is_tagged_on_host(types: &Types, ty: Type) -> bool {
    let TypeData::Union(members) = types.data(ty) else { return false };
    members.len() <= HOST_MEMBERS_MAX && members.iter().all(|it| layout::is_bits(types, *it))
}

/// Whether kernels hold values of this type in boxes: their types are only known at run time.
pub fn is_boxed(types: &Types, ty: Type) -> bool {
    ty != types.core().bottom && !is_static(types, ty) && !is_tagged(types, ty)
}

/// Whether values of this type are objects that kernels can make, each with an identity: their address.
pub fn has_identity(types: &Types, ty: Type) -> bool {
    let is_object =
        datatype::is_mutable(types, ty) && datatype::is_concrete(types, ty) && ty != types.core().symbol;
    is_object && !is_of_host(types, ty) && layout::of(types, ty).is_some()
}

/// Whether a kernel can box a value of this fully known type.
pub fn can_be_boxed(types: &Types, ty: Type) -> bool {
    datatype::type_type_param(types, ty).is_some()
        || ty == types.core().symbol
        || (datatype::is_concrete(types, ty)
            && !datatype::is_mutable(types, ty)
            && layout::of(types, ty).is_some_and(|layout| {
                let fields = datatype::field_types(types, ty).iter().zip(&layout.fields);
                fields.into_iter().all(|(field, place)| is_of_kernel(types, *field, &place.storage))
            }))
}

/// Returns the type that tags the box of a constant: for a type, the one that identifies it.
pub fn tag_of(types: &Types, constant: Const) -> Type {
    if let ConstData::Type(ty) = types.const_data(constant) {
        return datatype::type_type(types, *ty);
    }
    consts::type_of(types, constant)
}

/// Whether tags decide if a boxed value of the type `of` is a `ty`: `ty` is one of several known types, or any
/// but some known ones. The subtypes of an abstract type are not known.
pub fn tags_decide(types: &Types, of: Type, ty: Type) -> bool {
    let is_other = |it: &Type| is_static(types, *it) || types.subtype(*it, ty);
    types.subtype(of, ty)
        || union::members(types, ty).iter().all(|it| is_static(types, *it))
        || union::members(types, of).iter().all(is_other)
}

/// Types whose boxes the runtime functions of a device know, in the order of `kiln_unit::Plain`.
pub fn plain_types(types: &Types) -> [Type; 11] {
    let it = types.core();
    let signed = [it.int8, it.int16, it.int32, it.int64];
    let unsigned = [it.uint8, it.uint16, it.uint32, it.uint64];
    let ([a, b, c, d], [e, f, g, h]) = (signed, unsigned);
    [a, b, c, d, e, f, g, h, it.bool, it.float32, it.float64]
}

/// Whether a kernel can hold the value of a field.
fn is_of_kernel(types: &Types, field: Type, storage: &FieldStorage) -> bool {
    match storage {
        FieldStorage::Union { .. } => true,
        FieldStorage::Inline => can_be_boxed(types, field),
        FieldStorage::Pointer => !is_of_host(types, field),
    }
}

/// Whether a field of this type, which is stored as an address, holds the address of a box.
pub fn is_field_boxed(types: &Types, ty: Type) -> bool {
    !datatype::is_mutable(types, ty) || !datatype::is_concrete(types, ty)
}

/// Types of objects that only the host has.
fn is_of_host(types: &Types, ty: Type) -> bool {
    let core = types.core();
    let is_array = |it: Type| {
        datatype::name_of(types, it).is_some() && datatype::name_of(types, it) == datatype::name_of(types, ty)
    };
    [core.string, core.data_type, core.type_name, core.module, core.simple_vector].contains(&ty)
        || [core.generic_memory, core.array].into_iter().any(is_array)
}
