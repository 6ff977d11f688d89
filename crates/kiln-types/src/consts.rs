//! Interned constants: literals, type parameters and folded values.

use crate::{Const, Module, ObjectHandle, Symbol, Type, TypeData, Types, datatype};

/// The contents of a [`Const`]. Interning makes equality of ids Julia's `===`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstData {
    /// A value of an isbits type (numbers, `Bool`, `Char`, ghosts such as `nothing` and functions, structs and
    /// tuples of these), in Julia's memory layout; padding bytes are zero, `bytes.len()` is the size of `ty`.
    Bits {
        /// The concrete type of the value.
        ty: Type,
        /// Its bytes, native (little) endian.
        bytes: Box<[u8]>,
    },
    /// A `Symbol`.
    Symbol(Symbol),
    /// A type used as a value.
    Type(Type),
    /// A `String`, by content (any bytes).
    String(Box<[u8]>),
    /// A `Module`.
    Module(Module),
    /// An immutable struct or tuple that is not isbits but whose fields are all constants: `(:a, :b)`.
    Aggregate {
        /// The concrete type of the value.
        ty: Type,
        /// One constant a field; fewer if the last fields are undefined.
        fields: Box<[Const]>,
    },
    /// An object of the runtime's heap that has identity, or is too large to intern.
    Object {
        /// Its concrete type.
        ty: Type,
        /// The runtime's permanent handle.
        handle: ObjectHandle,
    },
}

/// The type of a constant.
pub fn type_of(types: &Types, constant: Const) -> Type {
    match types.const_data(constant) {
        ConstData::Bits { ty, .. } | ConstData::Aggregate { ty, .. } | ConstData::Object { ty, .. } => *ty,
        ConstData::Symbol(_) => types.core.symbol,
        ConstData::Type(ty) => kind_of_type(types, *ty),
        ConstData::String(_) => types.core.string,
        ConstData::Module(_) => types.core.module,
    }
}

/// The type of a type as a value: `DataType`, `UnionAll`, `Union`, ...
pub(crate) fn kind_of_type(types: &Types, ty: Type) -> Type {
    match types.data(ty) {
        TypeData::Bottom => types.core.typeof_bottom,
        TypeData::Data { .. } => types.core.data_type,
        TypeData::Union(_) => types.core.union_type,
        TypeData::UnionAll { .. } => types.core.union_all,
        TypeData::Var { .. } => types.core.type_var,
        TypeData::Vararg { .. } => types.core.typeof_vararg,
        TypeData::Value(constant) => type_of(types, *constant),
    }
}

/// Returns an `Int64` constant.
pub fn int(types: &Types, value: i64) -> Const {
    types.constant(ConstData::Bits { ty: types.core.int64, bytes: value.to_le_bytes().into() })
}

/// Returns a `Bool` constant.
pub fn bool(types: &Types, value: bool) -> Const {
    types.constant(ConstData::Bits { ty: types.core.bool, bytes: [u8::from(value)].into() })
}

/// Returns a `Symbol` constant.
pub fn symbol(types: &Types, symbol: Symbol) -> Const {
    types.constant(ConstData::Symbol(symbol))
}

/// Returns a type as a constant; of a value that is a parameter, that value.
pub fn of_type(types: &Types, ty: Type) -> Const {
    if let TypeData::Value(constant) = types.data(ty) {
        return *constant;
    }
    types.constant(ConstData::Type(ty))
}

/// Returns the constant `nothing`.
pub fn nothing(types: &Types) -> Const {
    types.constant(ConstData::Bits { ty: types.core.nothing, bytes: Box::default() })
}

/// Returns the value of an `Int64` constant, `None` for another.
pub fn as_int(types: &Types, constant: Const) -> Option<i64> {
    let ConstData::Bits { ty, bytes } = types.const_data(constant) else { return None };
    if *ty == types.core.int64 { Some(i64::from_le_bytes(bytes[..].try_into().ok()?)) } else { None }
}

/// Returns a constant as a type parameter: the type itself for `ConstData::Type`, else a `TypeData::Value`.
pub fn to_param(types: &Types, constant: Const) -> Type {
    if let ConstData::Type(ty) = types.const_data(constant) {
        return *ty;
    }
    types.intern(TypeData::Value(constant))
}

/// `isa(constant, ty)`.
pub fn isa(types: &Types, constant: Const, ty: Type) -> bool {
    if ty == Types::ANY {
        return true;
    }
    let kind = type_of(types, constant);
    match types.const_data(constant) {
        // A variable or a `Vararg` is no type.
        ConstData::Type(it) if datatype::is_kind(types, kind) => {
            kind == ty || types.subtype(datatype::type_type(types, *it), ty)
        }
        ConstData::Bits { .. }
        | ConstData::Symbol(_)
        | ConstData::Type(_)
        | ConstData::String(_)
        | ConstData::Module(_)
        | ConstData::Aggregate { .. }
        | ConstData::Object { .. } => types.subtype(kind, ty),
    }
}
