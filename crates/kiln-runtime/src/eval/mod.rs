//! Evaluation of top-level code: expressions one by one, each in the newest world.

mod code_value;
mod environments;
mod generated;
mod lowering;
mod macros;
mod modules;
mod packages;
mod quote;
mod toplevel;
mod typed_value;
mod value_code;

pub(crate) use environments::search;
pub use packages::{EvalState, library_package};
pub(crate) use packages::{package_of_file, root_of};
pub use quote::QuoteLocations;
