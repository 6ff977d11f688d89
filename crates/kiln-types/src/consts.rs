//! Interned constants: literals, type parameters and folded values.

use crate::layout::FieldStorage;
use crate::{Const, Module, ObjectHandle, Symbol, Type, TypeData, Types};

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

impl Types {
    /// The type of a constant.
    pub fn typeof_const(&self, constant: Const) -> Type {
        match self.const_data(constant) {
            ConstData::Bits { ty, .. } | ConstData::Aggregate { ty, .. } | ConstData::Object { ty, .. } => {
                *ty
            }
            ConstData::Symbol(_) => self.core.symbol,
            ConstData::Type(ty) => self.kind_of_type(*ty),
            ConstData::String(_) => self.core.string,
            ConstData::Module(_) => self.core.module,
        }
    }

    /// The type of a type as a value: `DataType`, `UnionAll`, `Union`, ...
    pub fn kind_of_type(&self, ty: Type) -> Type {
        match self.data(ty) {
            TypeData::Bottom => self.core.typeof_bottom,
            TypeData::Data { .. } => self.core.data_type,
            TypeData::Union(_) => self.core.union_type,
            TypeData::UnionAll { .. } => self.core.union_all,
            TypeData::Var { .. } => self.core.type_var,
            TypeData::Vararg { .. } => self.core.typeof_vararg,
            TypeData::Value(constant) => self.typeof_const(*constant),
        }
    }

    /// An `Int64`.
    pub fn const_int(&self, value: i64) -> Const {
        self.constant(ConstData::Bits { ty: self.core.int64, bytes: value.to_le_bytes().into() })
    }

    /// A `Bool`.
    pub fn const_bool(&self, value: bool) -> Const {
        self.constant(ConstData::Bits { ty: self.core.bool, bytes: [u8::from(value)].into() })
    }

    /// A `Symbol`.
    pub fn const_symbol(&self, symbol: Symbol) -> Const {
        self.constant(ConstData::Symbol(symbol))
    }

    /// A type as a value.
    pub fn const_type(&self, ty: Type) -> Const {
        if let TypeData::Value(constant) = self.data(ty) {
            return *constant;
        }
        self.constant(ConstData::Type(ty))
    }

    /// `nothing`.
    pub fn const_nothing(&self) -> Const {
        self.constant(ConstData::Bits { ty: self.core.nothing, bytes: Box::default() })
    }

    /// The value of an `Int64` constant.
    pub fn const_as_int(&self, constant: Const) -> Option<i64> {
        let ConstData::Bits { ty, bytes } = self.const_data(constant) else { return None };
        if *ty == self.core.int64 { Some(i64::from_le_bytes(bytes[..].try_into().ok()?)) } else { None }
    }

    /// The constant as a type parameter: the type itself for `ConstData::Type`, else a `TypeData::Value`.
    pub fn const_param(&self, constant: Const) -> Type {
        if let ConstData::Type(ty) = self.const_data(constant) {
            return *ty;
        }
        self.intern(TypeData::Value(constant))
    }

    /// The inverse of `const_param`: any parameter as a constant.
    pub fn param_const(&self, param: Type) -> Const {
        self.const_type(param)
    }

    /// `isa(constant, ty)`.
    pub fn isa(&self, constant: Const, ty: Type) -> bool {
        if ty == Self::ANY {
            return true;
        }
        let kind = self.typeof_const(constant);
        match self.const_data(constant) {
            // A variable or a `Vararg` is no type.
            ConstData::Type(it) if self.is_kind(kind) => kind == ty || self.subtype(self.type_type(*it), ty),
            ConstData::Bits { .. }
            | ConstData::Symbol(_)
            | ConstData::Type(_)
            | ConstData::String(_)
            | ConstData::Module(_)
            | ConstData::Aggregate { .. }
            | ConstData::Object { .. } => self.subtype(kind, ty),
        }
    }

    pub(crate) fn normalize_const(&self, data: ConstData) -> ConstData {
        if let ConstData::Aggregate { ty, fields } = &data
            && self.is_bits(*ty)
            && let Some(bytes) = self.aggregate_bytes(*ty, fields)
        {
            return ConstData::Bits { ty: *ty, bytes };
        }
        data
    }

    fn aggregate_bytes(&self, ty: Type, fields: &[Const]) -> Option<Box<[u8]>> {
        let layout = self.layout(ty)?;
        let mut out = vec![0; layout.size as usize];
        for (field, &value) in layout.fields.iter().zip(fields) {
            let ConstData::Bits { ty, bytes } = self.const_data(value) else { return None };
            let at = field.offset as usize;
            out.get_mut(at..at + bytes.len())?.copy_from_slice(bytes);
            if let FieldStorage::Union { members } = &field.storage {
                let selector = members.iter().position(|it| it == ty)?;
                out[at + field.size as usize - 1] = selector as u8;
            }
        }
        Some(out.into())
    }
}
