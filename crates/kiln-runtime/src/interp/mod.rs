//! The interpreter of lowered code: the oracle of compiled code, and the executor of host scripts and macros.
//!
//! A body is decoded once ([`Decoded`]); a call site remembers its last dispatch entries; frames are windows of one
//! stack of registers. Exceptions are the error side of `Result`.
//!
//! # Deliberately absent
//! A walker of syntax trees: there is one semantics, that of lowered code.

pub mod call;
mod callees;
mod clock;
mod decode;
mod deferred;
pub mod define;
mod foreign;
mod forward;
pub mod frames;
pub mod globals;
mod hot_loops;
mod loop_body;
mod loop_flow;
mod renewals;
mod room;
pub mod run;
pub mod special;
pub mod statement;
mod task;
#[cfg(test)]
mod tests;

pub use call::Prepared;
pub use callees::{BuiltinCallees, Special, intrinsic_of};
pub use clock::BodyTime;
pub(crate) use clock::{InterpreterTime, not_interpreting};
pub use decode::Decoded;
pub(crate) use deferred::DeferredTable;
pub(crate) use globals::GlobalSites;
pub use room::compile_now;
pub(crate) use room::with_room;
pub use statement::{StatementGlobal, StatementSite};
pub use task::DEPTH_MAX;
pub(crate) use task::{
    generated_method, generating, handled_values, in_view, in_world, is_generating, running_view,
};
