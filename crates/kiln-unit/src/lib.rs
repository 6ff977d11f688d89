//! The bytes that cross the LLVM boundary and what comes back, and the launch ABI of compiled kernels.

mod launch;

pub use launch::{GroupsEntry, ItemEntry, LaunchContext, LaunchRecord, RECORD_OPERAND_BYTES};
