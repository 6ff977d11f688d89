//! One Julia session: its values, code tables and interpreter.
//!
//! [`Heap`] holds values in Julia's layout; intrinsics, builtins and host functions work on them.

#[expect(unsafe_code, reason = "the heap is the one place of this crate that reads and writes raw memory")]
pub mod heap;
mod thrown;

pub use heap::{Heap, Value};
pub use thrown::{Frame, Run, Thrown};
