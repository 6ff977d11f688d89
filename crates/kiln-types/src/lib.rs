//! Julia's type algebra and the interner that gives every type, symbol and constant its identity.
//!
//! [`Types`] is append-only and `Sync`: everything is reached through `&self`, ids are `u32`s valid only in
//! the interner that made them, and Julia's `===` on types is integer equality of [`Type`]. Two `UnionAll`s
//! that differ only in the identity of their variables (same names, same bounds) are interned once.
//!
//! # Deliberately absent
//! Values with identity, worlds, methods: a constant that is a mutable object is an opaque handle here
//! ([`ConstData::Object`]), owned by the runtime's heap.

mod consts;
mod core_types;
mod ids;
mod interner;

pub use consts::ConstData;
pub use core_types::CoreTypes;
pub use ids::{Const, Module, ObjectHandle, Symbol, Type, TypeName};
pub use interner::{
    FieldLayout, FieldStorage, Layout, StructDef, TypeData, TypeError, TypeNameData, TypeNameKind, Types,
};
