//! A compiled kernel, and what is needed to understand its failures.

use crate::program::Program;
use kiln_launch::CpuKernel;
use kiln_runtime::tables::CodeInstance;
use kiln_types::Symbol;
use std::sync::Arc;

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The name of the function, or the one the launch gave.
    pub(crate) name: Symbol,
    pub(crate) entry: CpuKernel,
    pub(crate) program: Program,
    /// The results it was made of, the entry's first.
    pub(crate) parts: Arc<[Arc<CodeInstance>]>,
}
