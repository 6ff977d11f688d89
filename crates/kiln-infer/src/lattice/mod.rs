//! The type lattice: types, refined by constants, partial structs and conditionals.
//!
//! # Invariants
//! * A type with one instance is always `Const`; `Type{T}` for a closed `T` is `Const(T)`.
//! * A `PartialStruct` has a concrete type, at least one field, one element for each field that `new` was given, and
//!   is not all constants (unless it is mutable, when it is no constant at all).
//! * Conditionals are about `Bool`s and never nest.

mod join;
mod order;

pub use join::{join, join_types, type_depth, wrapper};
pub use order::{le, meet_type};

use kiln_types::{Const, ConstData, Type, TypeData, Types, consts, datatype, definition, layout, typevar};
use std::sync::Arc;

/// An element of the lattice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lattice {
    /// Some instance of this type; `Union{}` if there is no value.
    Type(Type),
    /// Exactly this value.
    Const(Const),
    /// A struct or tuple whose fields are known beyond their types.
    PartialStruct(Arc<PartialStruct>),
    /// A `Bool` whose value refines the type of a slot.
    Conditional(Arc<Conditional>),
    /// A returned `Bool` whose value refines the type of an argument.
    InterConditional(Arc<Conditional>),
}

/// See [`Lattice::PartialStruct`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartialStruct {
    /// The concrete type.
    pub ty: Type,
    /// The elements of the leading fields.
    pub fields: Vec<Lattice>,
}

/// See [`Lattice::Conditional`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conditional {
    /// The slot, or the argument.
    pub slot: u32,
    /// The definition of the slot that was tested. The refinement does not hold for other definitions.
    pub def: u32,
    /// The type of the slot if the value is `true`; `Union{}` if it never is.
    pub then: Lattice,
    /// The type of the slot if it is `false`.
    pub other: Lattice,
}

impl Lattice {
    /// Returns the normalized element of a type.
    pub fn normalize(types: &Types, ty: Type) -> Self {
        if let Some(constant) = definition::singleton(types, ty) {
            return Self::Const(constant);
        }
        match datatype::type_type_param(types, ty) {
            Some(param) if !typevar::has_free_vars(types, param) && is_type(types, param) => {
                Self::Const(consts::of_type(types, param))
            }
            _ => Self::Type(ty),
        }
    }
    /// Returns bottom, the element without values.
    pub fn bottom(types: &Types) -> Self {
        Self::Type(types.core().bottom)
    }
    /// Returns top, the element of all values.
    pub fn any(types: &Types) -> Self {
        Self::Type(types.core().any)
    }
    /// Returns the element of a `Bool`.
    pub fn bool(types: &Types, value: bool) -> Self {
        Self::Const(consts::bool(types, value))
    }
    /// Whether the element has no value.
    pub fn is_bottom(&self, types: &Types) -> bool {
        *self == Self::Type(types.core().bottom)
    }
    /// Returns the smallest type that contains the element. For a type as a value that is `Type{T}`.
    pub fn widenconst(&self, types: &Types) -> Type {
        match self {
            Self::Type(ty) => *ty,
            Self::Const(it) => const_type(types, *it),
            Self::PartialStruct(it) => it.ty,
            Self::Conditional(_) | Self::InterConditional(_) => types.core().bool,
        }
    }
    /// Returns the exact `typeof` of the value, if known: like `widenconst`, but a type as a value has type
    /// `DataType` or another kind.
    pub fn exact_type(&self, types: &Types) -> Option<Type> {
        match self {
            Self::Const(it) => Some(consts::type_of(types, *it)),
            Self::PartialStruct(it) => Some(it.ty),
            Self::Conditional(_) | Self::InterConditional(_) => Some(types.core().bool),
            Self::Type(ty) => (datatype::is_concrete(types, *ty)
                && datatype::type_type_param(types, *ty).is_none())
            .then_some(*ty),
        }
    }
    /// Returns the constant.
    pub fn as_const(&self) -> Option<Const> {
        match self {
            Self::Const(it) => Some(*it),
            Self::Type(_) | Self::PartialStruct(_) | Self::Conditional(_) | Self::InterConditional(_) => None,
        }
    }
    /// Returns the constant `Bool`, also of a conditional with an impossible side.
    pub fn as_bool(&self, types: &Types) -> Option<bool> {
        match self {
            Self::Const(it) if *it == consts::bool(types, true) => Some(true),
            Self::Const(it) if *it == consts::bool(types, false) => Some(false),
            Self::Conditional(it) | Self::InterConditional(it) if it.then.is_bottom(types) => Some(false),
            Self::Conditional(it) | Self::InterConditional(it) if it.other.is_bottom(types) => Some(true),
            Self::Const(_)
            | Self::Type(_)
            | Self::PartialStruct(_)
            | Self::Conditional(_)
            | Self::InterConditional(_) => None,
        }
    }
    /// Returns the constant `Int64`.
    pub fn as_int(&self, types: &Types) -> Option<i64> {
        match types.const_data(self.as_const()?) {
            ConstData::Bits { ty, bytes } if *ty == types.core().int64 => {
                Some(i64::from_le_bytes(bytes.as_ref().try_into().ok()?))
            }
            _other => None,
        }
    }
    /// Returns the type that the element is as a value.
    pub fn as_type(&self, types: &Types) -> Option<Type> {
        match types.const_data(self.as_const()?) {
            ConstData::Type(ty) => Some(*ty),
            _other => None,
        }
    }
    /// Drops the refinement of a conditional.
    pub fn widenconditional(self, types: &Types) -> Self {
        match &self {
            Self::Conditional(_) | Self::InterConditional(_) => match self.as_bool(types) {
                Some(value) => Self::bool(types, value),
                None => Self::Type(types.core().bool),
            },
            Self::Type(_) | Self::Const(_) | Self::PartialStruct(_) => self,
        }
    }
    /// Returns a struct or tuple with these fields: a constant if all fields are and the type allows it.
    pub fn partial_struct(types: &Types, ty: Type, fields: Vec<Lattice>) -> Self {
        let fields: Vec<Lattice> = fields.into_iter().map(|it| it.widenconditional(types)).collect();
        if fields.iter().any(|it| it.is_bottom(types)) {
            return Self::bottom(types);
        }
        let declared = datatype::field_types(types, ty);
        if fields.len() == declared.len()
            && !datatype::is_mutable(types, ty)
            && let Some(all) = fields.iter().map(Lattice::as_const).collect::<Option<Vec<_>>>()
            && let Some(constant) = aggregate(types, ty, &all)
        {
            return Self::Const(constant);
        }
        let says_more = fields.iter().zip(declared).any(|(it, &ty)| match it {
            Self::Type(it) => *it != ty,
            Self::Const(_) => definition::singleton(types, ty).is_none(),
            Self::PartialStruct(_) => true,
            Self::Conditional(_) | Self::InterConditional(_) => false,
        });
        if !says_more || nesting(&fields) > 3 {
            return Self::normalize(types, ty);
        }
        Self::PartialStruct(Arc::new(PartialStruct { ty, fields }))
    }
    /// Returns a conditional about a slot, or a constant if one side is impossible.
    pub fn conditional(types: &Types, slot: u32, def: u32, then: Lattice, other: Lattice) -> Self {
        match (then.is_bottom(types), other.is_bottom(types)) {
            (true, true) => Self::bottom(types),
            (true, false) => Self::bool(types, false),
            (false, true) => Self::bool(types, true),
            (false, false) => Self::Conditional(Arc::new(Conditional {
                slot,
                def,
                then: then.widenconditional(types),
                other: other.widenconditional(types),
            })),
        }
    }
}

fn nesting(fields: &[Lattice]) -> usize {
    let deepest = fields.iter().map(|it| match it {
        Lattice::PartialStruct(it) => nesting(&it.fields),
        Lattice::Type(_) | Lattice::Const(_) | Lattice::Conditional(_) | Lattice::InterConditional(_) => 0,
    });
    1 + deepest.max().unwrap_or(0)
}

/// Whether the id is a type, not another kind of type parameter.
pub fn is_type(types: &Types, ty: Type) -> bool {
    !matches!(types.data(ty), TypeData::Var { .. } | TypeData::Vararg { .. } | TypeData::Value(_))
}

/// Returns the type by which dispatch sees a constant: `Type{T}` for a type, else its `typeof`, as for a type with a variable
/// that nothing binds: a signature of it would mean nothing to others.
pub fn const_type(types: &Types, constant: Const) -> Type {
    match types.const_data(constant) {
        ConstData::Type(ty) if is_type(types, *ty) && !typevar::has_free_vars(types, *ty) => {
            datatype::type_type(types, *ty)
        }
        _other => consts::type_of(types, constant),
    }
}

/// Returns the constant struct or tuple with these fields. `None` if a field does not have its declared type, or is
/// an inline union.
pub fn aggregate(types: &Types, ty: Type, fields: &[Const]) -> Option<Const> {
    let declared = datatype::field_types(types, ty);
    if declared.len() != fields.len()
        || !fields.iter().zip(declared).all(|(it, ty)| consts::isa(types, *it, *ty))
    {
        return None;
    }
    if let Some(single) = definition::singleton(types, ty) {
        return Some(single);
    }
    if !layout::is_bits(types, ty) {
        return Some(types.constant(ConstData::Aggregate { ty, fields: fields.into() }));
    }
    let layout = layout::of(types, ty)?;
    let mut bytes = vec![0u8; layout.size as usize];
    for (&field, place) in fields.iter().zip(&layout.fields) {
        let (start, end) = (place.offset as usize, place.offset as usize + place.size as usize);
        match (&place.storage, types.const_data(field)) {
            (kiln_types::FieldStorage::Inline, ConstData::Bits { bytes: value, .. })
                if value.len() == end - start =>
            {
                bytes[start..end].copy_from_slice(value);
            }
            _other => return None,
        }
    }
    Some(types.constant(ConstData::Bits { ty, bytes: bytes.into() }))
}

/// Returns field `index` of an element whose exact type is known; `None` if there is no such field.
pub fn const_field(types: &Types, constant: Const, index: usize) -> Option<Const> {
    match types.const_data(constant) {
        ConstData::Aggregate { fields, .. } => fields.get(index).copied(),
        ConstData::Bits { ty, bytes } => {
            let field = *datatype::field_types(types, *ty).get(index)?;
            if let Some(single) = definition::singleton(types, field) {
                return Some(single);
            }
            let place = layout::of(types, *ty)?.fields.get(index)?.clone();
            let (start, size) = (place.offset as usize, place.size as usize);
            match place.storage {
                kiln_types::FieldStorage::Inline => {
                    Some(types.constant(ConstData::Bits {
                        ty: field,
                        bytes: bytes.get(start..start + size)?.into(),
                    }))
                }
                kiln_types::FieldStorage::Union { members } => {
                    let member = *members.get(usize::from(*bytes.get(start + size - 1)?))?;
                    if let Some(single) = definition::singleton(types, member) {
                        return Some(single);
                    }
                    let size = layout::of(types, member)?.size as usize;
                    Some(types.constant(ConstData::Bits {
                        ty: member,
                        bytes: bytes.get(start..start + size)?.into(),
                    }))
                }
                kiln_types::FieldStorage::Pointer => None,
            }
        }
        ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Object { .. } => None,
    }
}

/// Returns field `index` of an element whose exact type is known; `None` if there is no such field.
pub fn field(types: &Types, of: &Lattice, index: usize) -> Option<Lattice> {
    let ty = of.exact_type(types)?;
    let declared = *datatype::field_types(types, ty).get(index)?;
    let found = match of {
        Lattice::Const(it) => const_field(types, *it, index).map(Lattice::Const),
        Lattice::PartialStruct(it) => it.fields.get(index).cloned(),
        Lattice::Type(_) | Lattice::Conditional(_) | Lattice::InterConditional(_) => None,
    };
    Some(found.unwrap_or_else(|| Lattice::normalize(types, declared)))
}
