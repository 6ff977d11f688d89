//! The structure of types, as plain data.

use crate::{Const, Symbol, Type, TypeName};

/// The structure of a [`Type`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeData {
    /// `Union{}`.
    Bottom,
    /// An instance of a type definition (Julia's `DataType`): `Int64`, `Array{T, 1}`, `Tuple{Int64, Vararg{Any}}`.
    Data {
        /// The definition.
        name: TypeName,
        /// Its parameters; for a tuple the element types, the last of which may be a `Vararg`.
        params: Box<[Type]>,
    },
    /// A union of at least two types, flattened, in Julia's canonical order.
    Union(Box<[Type]>),
    /// `body where lb <: var <: ub`.
    UnionAll {
        /// A [`TypeData::Var`].
        var: Type,
        /// The type it scopes over.
        body: Type,
    },
    /// A type variable. Identity is the id.
    Var {
        /// The name it was written with.
        name: Symbol,
        /// Lower bound.
        lower: Type,
        /// Upper bound.
        upper: Type,
        /// Distinguishes variables of one name and bounds. Variables that `UnionAll`s bind have small ones,
        /// that depend on the structure of the body alone.
        ordinal: u32,
    },
    /// `Vararg{elem, count}`, only as the last parameter of a tuple.
    Vararg {
        /// `Any` when left out.
        elem: Type,
        /// A `Value` of `Int64`, a variable, or absent.
        count: Option<Type>,
    },
    /// A value in parameter position: `3` in `Array{T, 3}`, `:x` in `Val{:x}`.
    Value(Const),
}

/// Why a type could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeError {
    /// More parameters than the type has.
    TooManyParams {
        /// The type applied.
        wrapper: Type,
    },
    /// A parameter outside the bounds of its variable.
    OutOfBounds {
        /// The type applied.
        wrapper: Type,
        /// The variable.
        var: Type,
        /// The value that was given.
        given: Type,
    },
    /// The thing applied takes no parameters.
    NotParametric(Type),
    /// A value that can not be a type parameter, or a `Vararg` out of place.
    InvalidParam(Type),
    /// A parameter that is nested too deep to be one.
    TooDeep,
    /// A component has the wrong type: the `count` of a `Vararg`.
    NotA {
        /// The type that is made.
        what: &'static str,
        /// The part.
        part: &'static str,
        /// The type that it has to be.
        expected: Type,
        /// The value that was given.
        given: Type,
    },
    /// Anything else, in words.
    Malformed(String),
}
