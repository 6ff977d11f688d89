//! Julia's type algebra and the interner that gives every type, symbol and constant its identity.
//!
//! [`Types`] is append-only and `Sync`: everything is reached through `&self`, ids are `u32`s valid only in
//! the interner that made them, and Julia's `===` on types is integer equality of [`Type`]. Two `UnionAll`s
//! that differ only in the identity of their variables (same names, same bounds) are interned once.
//!
//! [`Types`] itself reads and fills the tables, and has the three operations that need each other: [`Types::subtype`],
//! [`Types::union`] and [`Types::apply`]. All other questions are functions of modules:
//!
//! ```
//! use kiln_types::{Types, datatype, display, intersect, layout, typejoin};
//! let types = Types::new();
//! let core = types.core();
//! let pair = datatype::tuple(&types, &[core.int64, core.float32]);
//! assert_eq!(display::of_type(&types, pair), "Tuple{Int64, Float32}");
//! assert!(types.subtype(pair, core.tuple) && intersect::are_disjoint(&types, pair, core.empty_tuple));
//! assert_eq!(layout::of(&types, pair).unwrap().size, 16);
//! assert_eq!(typejoin::join(&types, core.int64, core.int32), core.signed);
//! ```
//!
//! # Deliberately absent
//! Values with identity, worlds, methods: a constant that is a mutable object is an opaque handle here
//! ([`ConstData::Object`]), owned by the runtime's heap.

mod aggregates;
mod alias;
mod bootstrap;
pub mod boxing;
pub mod consts;
pub mod core_types;
pub mod datatype;
pub mod definition;
pub mod disjoint;
pub mod display;
mod entry;
pub mod equality;
mod field_layout;
pub mod freeze;
pub mod gensym;
pub mod hash;
pub mod identity;
mod ids;
pub mod instance_checks;
mod interner;
pub mod intersect;
pub mod layout;
pub mod mangle;
mod memo;
pub mod module;
pub mod mutant;
mod name_entry;
mod names;
mod pool;
mod show_const;
pub mod specificity;
pub mod subtype;
mod symbol_bytes;
mod type_data;
pub mod typejoin;
pub mod typevar;
pub mod union;
mod union_order;
pub mod unionall;

pub use consts::ConstData;
pub use core_types::CoreTypes;
pub use display::{EndedNames, VisibleNames};
pub use field_layout::{FieldLayout, FieldStorage, Layout};
pub use ids::{Const, Module, ObjectHandle, Symbol, Type, TypeName};
pub use interner::Types;
pub use mutant::FrontMutant;
pub use name_entry::{StructDef, TypeNameData, TypeNameKind};
pub use symbol_bytes::{bytes_of_name, name_of_bytes};
pub use type_data::{TypeData, TypeError};
