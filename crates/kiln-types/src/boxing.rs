//! The representation of a type's values in kernels: unboxed, tagged, or boxed.
//!
//! A box is the address of a value in memory, after a word with its type. A mutable object that a kernel allocates is
//! a box itself.

use crate::{Const, ConstData, FieldStorage, Type, TypeData, Types};

/// The members of a union that host code holds in registers, at most.
const HOST_MEMBERS_MAX: usize = 4;
/// Members a tag tells apart.
const TAGGED_MEMBERS_MAX: usize = 127;

impl Types {
    /// Whether a type is `Base.WeakRef`, whose field keeps nothing alive.
    pub fn is_weak_reference(&self, ty: Type) -> bool {
        let def = self.name_of(ty).map(|it| &self.type_name(it).def);
        def.is_some_and(|it| it.module == self.base_module() && self.name(it.name) == "WeakRef")
    }

    /// Whether values of this type have a single representation: the type is concrete, or names one type.
    pub fn is_static(&self, ty: Type) -> bool {
        self.is_concrete(ty) || self.type_type_param(ty).is_some()
    }

    /// Whether kernels hold values of this type in registers, with a tag that selects the member of the union.
    pub fn is_tagged(&self, ty: Type) -> bool {
        let TypeData::Union(members) = self.data(ty) else { return false };
        members.len() <= TAGGED_MEMBERS_MAX
            && members.iter().all(|it| self.can_be_boxed(*it) || self.has_identity(*it))
    }

    /// Whether host code holds values of this type in registers, with a tag that selects the member of the union.
    pub fn is_tagged_on_host(&self, ty: Type) -> bool {
        let TypeData::Union(members) = self.data(ty) else { return false };
        members.len() <= HOST_MEMBERS_MAX && members.iter().all(|it| self.is_bits(*it))
    }

    /// Whether kernels hold values of this type in boxes: their types are only known at run time.
    pub fn is_boxed(&self, ty: Type) -> bool {
        ty != self.core().bottom && !self.is_static(ty) && !self.is_tagged(ty)
    }

    /// Whether values of this type are objects that kernels can make, each with an identity: their address.
    pub fn has_identity(&self, ty: Type) -> bool {
        let is_object = self.is_mutable(ty) && self.is_concrete(ty) && ty != self.core().symbol;
        is_object && !self.is_of_host(ty) && self.layout(ty).is_some()
    }

    /// Whether a kernel can box a value of this fully known type.
    pub fn can_be_boxed(&self, ty: Type) -> bool {
        self.type_type_param(ty).is_some()
            || ty == self.core().symbol
            || (self.is_concrete(ty)
                && !self.is_mutable(ty)
                && self.layout(ty).is_some_and(|layout| {
                    let fields = self.field_types(ty).iter().zip(&layout.fields);
                    fields.into_iter().all(|(field, place)| self.is_of_kernel(*field, &place.storage))
                }))
    }

    /// Returns the type that tags the box of a constant: for a type, the one that identifies it.
    pub fn tagged_type(&self, constant: Const) -> Type {
        if let ConstData::Type(ty) = self.const_data(constant) {
            return self.type_type(*ty);
        }
        self.typeof_const(constant)
    }

    /// Whether tags decide if a boxed value of the type `of` is a `ty`: `ty` is one of several known types, or any
    /// but some known ones. The subtypes of an abstract type are not known.
    pub fn tags_decide(&self, of: Type, ty: Type) -> bool {
        let is_other = |it: &Type| self.is_static(*it) || self.subtype(*it, ty);
        self.subtype(of, ty)
            || self.members(ty).iter().all(|it| self.is_static(*it))
            || self.members(of).iter().all(is_other)
    }

    /// Types whose boxes the runtime functions of a device know, in the order of `kiln_unit::Plain`.
    pub fn plain_types(&self) -> [Type; 11] {
        let it = self.core();
        let signed = [it.int8, it.int16, it.int32, it.int64];
        let unsigned = [it.uint8, it.uint16, it.uint32, it.uint64];
        let ([a, b, c, d], [e, f, g, h]) = (signed, unsigned);
        [a, b, c, d, e, f, g, h, it.bool, it.float32, it.float64]
    }

    /// Whether a kernel can hold the value of a field.
    fn is_of_kernel(&self, field: Type, storage: &FieldStorage) -> bool {
        match storage {
            FieldStorage::Union { .. } => true,
            FieldStorage::Inline => self.can_be_boxed(field),
            FieldStorage::Pointer => !self.is_of_host(field),
        }
    }

    /// Whether a field of this type, which is stored as an address, holds the address of a box.
    pub fn is_field_boxed(&self, ty: Type) -> bool {
        !self.is_mutable(ty) || !self.is_concrete(ty)
    }

    /// Types of objects that only the host has.
    fn is_of_host(&self, ty: Type) -> bool {
        let core = self.core();
        let is_array = |it: Type| self.name_of(it).is_some() && self.name_of(it) == self.name_of(ty);
        [core.string, core.data_type, core.type_name, core.module, core.simple_vector].contains(&ty)
            || [core.generic_memory, core.array].into_iter().any(is_array)
    }
}
