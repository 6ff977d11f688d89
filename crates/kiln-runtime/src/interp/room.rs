//! Native stack for what is no interpretation: the front end and the compiler.

use crate::heap::uninterrupted;

/// Native stack that the front end and the compiler may need: they nest as deeply as the text does.
const COMPILER_BYTES: usize = 16 * 1024 * 1024;

/// Does `work`, which is no interpretation, with enough native stack for it. No collection happens meanwhile.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    uninterrupted(|| kiln_memory::with_room(COMPILER_BYTES, 2 * COMPILER_BYTES, work))
}

/// Asks the compiler with enough native stack for it; `None` if the system has no memory for that, as where many tasks wait.
pub fn ask_compiler<T>(work: impl FnOnce() -> T) -> Option<T> {
    uninterrupted(|| kiln_memory::try_with_room(COMPILER_BYTES, 2 * COMPILER_BYTES, work))
}
