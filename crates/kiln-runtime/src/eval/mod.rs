//! Evaluation of top-level code: expressions one by one, each in the newest world.

pub(crate) mod code_value;
mod environments;
pub mod generated;
pub mod lowering;
pub mod macros;
pub mod modules;
pub mod packages;
pub mod quote;
pub mod toplevel;
pub(crate) mod typed_value;
pub(crate) mod value_code;

pub(crate) use environments::search;
pub use packages::{EvalState, library_package};
pub(crate) use packages::{package_of_file, root_of};
pub use quote::QuoteLocations;
