//! Interned constants: what literals, type parameters and folded values are made of.

use crate::{Const, ObjectHandle, Symbol, Type};

/// What a [`Const`] is. Interning makes equality of ids Julia's `===`.
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
        /// One constant a field.
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

use crate::Module;
