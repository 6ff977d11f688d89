//! Evaluation of top-level code: expressions one by one, each in the newest world.

mod code_value;
mod generated;
mod lowering;
mod macros;
mod modules;
mod packages;
mod quote;
mod toplevel;
mod typed_value;
mod value_code;

pub use packages::EvalState;
pub use quote::QuoteLocations;
