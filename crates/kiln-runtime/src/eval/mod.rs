//! Evaluation of top-level code: expressions one by one, each in the newest world.

mod generated;
mod macros;
mod modules;
mod packages;
mod quote;
mod toplevel;

pub use packages::EvalState;
pub use quote::Places;
