//! Julia's type algebra and the interner that gives every type, symbol and constant its identity.
//!
//! [`Types`] is append-only and `Sync`: everything is reached through `&self`, ids are `u32`s valid only in
//! the interner that made them, and Julia's `===` on types is integer equality of [`Type`]. Two `UnionAll`s
//! that differ only in the identity of their variables (same names, same bounds) are interned once.
//!
//! # Deliberately absent
//! Values with identity, worlds, methods: a constant that is a mutable object is an opaque handle here
//! ([`ConstData::Object`]), owned by the runtime's heap.

mod alias;
mod bootstrap;
mod boxing;
mod consts;
mod core_types;
mod datatype;
mod definition;
mod disjoint;
mod display;
pub mod freeze;
mod gensym;
mod hash;
mod identity;
mod ids;
mod instance_checks;
mod interner;
mod intersect;
mod layout;
mod mangle;
mod memo;
mod mutant;
mod names;
mod pool;
mod show_const;
mod specificity;
mod substitute;
mod subtype;
mod symbol_bytes;
mod type_data;
mod typejoin;
mod union;
mod union_order;

pub use consts::ConstData;
pub use core_types::CoreTypes;
pub use definition::{StructDef, TypeNameData, TypeNameKind};
pub use display::{EndedNames, VisibleNames};
pub use ids::{Const, Module, ObjectHandle, Symbol, Type, TypeName};
pub use interner::Types;
pub use layout::{FieldLayout, FieldStorage, Layout};
pub use mutant::FrontMutant;
pub use symbol_bytes::{bytes_of_name, name_of_bytes};
pub use type_data::{TypeData, TypeError};
