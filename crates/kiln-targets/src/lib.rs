//! What is true of each target, as data.
//!
//! [`TargetFacts`] is a plain hashable value that goes into requests and keys; what a target *does* is behind
//! codegen's `Target` trait. [`lookup`] is the only place that turns a name into facts, and machines of one kind get
//! equal facts: a processor is a named level, never the text of the host.
//!
//! # Deliberately absent
//! LLVM.

mod facts;
mod native;

pub use facts::{Backend, TargetFacts};
pub use native::{lookup, rank, runs_here};
