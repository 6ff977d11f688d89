//! Type definitions as the interner keeps them, complete or while their own types are being made.

use crate::{Module, Symbol, Type, TypeName, Types};
use std::sync::OnceLock;

/// The kind of a type definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeNameKind {
    /// No instances of its own.
    Abstract,
    /// Plain bits.
    Primitive {
        /// Size in bits, a multiple of 8.
        bits: u32,
    },
    /// Fields.
    Struct {
        /// Instances have identity.
        mutable: bool,
    },
    /// `Tuple`.
    Tuple,
    /// `NamedTuple`.
    NamedTuple,
}

/// A type definition as it is declared: `struct`, `mutable struct`, `abstract type`, `primitive type`.
#[derive(Clone, Debug)]
pub struct StructDef {
    /// Its name.
    pub name: Symbol,
    /// Where it is defined.
    pub module: Module,
    /// The kind of definition.
    pub kind: TypeNameKind,
    /// Its parameters, as [`TypeData::Var`](crate::TypeData::Var)s.
    pub params: Vec<Type>,
    /// Field names (structs only).
    pub field_names: Vec<Symbol>,
    /// The number of leading fields that `new` must set.
    pub fields_init_min: usize,
    /// `const` fields of a mutable struct.
    pub const_fields: Vec<bool>,
    /// `@atomic` fields.
    pub atomic_fields: Vec<bool>,
}

/// A type definition. Supertype and field types arrive later than the rest
/// (`definition::set_supertype`, `definition::set_fields`), so that definitions may mention themselves.
#[derive(Debug)]
pub struct TypeNameData {
    /// The definition as declared. Its `params` are those of `primary`, which may be other variables than the
    /// ones given to `definition::define`.
    pub def: StructDef,
    /// The type with its parameters free: the `DataType` inside the wrapper.
    pub primary: Type,
    /// The `UnionAll` over all parameters (`primary` itself if there are none): the value of the name.
    pub wrapper: Type,
    /// The variables that the definition was declared with.
    pub(crate) declared: Vec<Type>,
    pub(crate) supertype: OnceLock<Type>,
    pub(crate) field_types: OnceLock<Box<[Type]>>,
    /// Made by `definition::define_singleton`: shown as `typeof(name)`.
    pub(crate) of_function: bool,
}

impl TypeNameData {
    /// The supertype, in terms of `def.params`; `Any` until set.
    pub fn supertype(&self) -> Type {
        self.supertype.get().copied().unwrap_or(Types::ANY)
    }

    /// Whether it is the type of one named function.
    pub fn is_of_function(&self) -> bool {
        self.of_function
    }

    /// Whether the supertype has been set.
    pub fn has_supertype(&self) -> bool {
        self.supertype.get().is_some()
    }

    /// Field types, in terms of `def.params`; `None` until set.
    pub fn field_types(&self) -> Option<&[Type]> {
        self.field_types.get().map(|it| &**it)
    }
}

/// A definition, complete or while its own types are being made.
pub(crate) struct NameEntry {
    kind: TypeNameKind,
    pub(crate) data: OnceLock<TypeNameData>,
}

pub(crate) fn kind(types: &Types, name: TypeName) -> TypeNameKind {
    if name.index() < types.frozen.names.len() {
        return types.frozen.name_kind(name.index());
    }
    own_name(types, name).kind
}

pub(crate) fn reserve(types: &Types, kind: TypeNameKind) -> TypeName {
    TypeName::from_index(
        types.frozen.names.len() + types.names.push(NameEntry { kind, data: OnceLock::new() }),
    )
}

/// For the definitions of `Core`, while the interner has one owner.
pub(crate) fn data_mut(types: &mut Types, name: TypeName) -> Option<&mut TypeNameData> {
    types.names.get_mut(name.index() - types.frozen.names.len())?.data.get_mut()
}

pub(crate) fn fill(types: &Types, name: TypeName, data: TypeNameData) {
    let _ = own_name(types, name).data.set(data);
}

/// A definition made since the image.
pub(crate) fn own_name(types: &Types, name: TypeName) -> &NameEntry {
    &types.names[name.index() - types.frozen.names.len()]
}
