//! Native stack for what is no interpretation: the front end and the compiler.

use crate::heap::uninterrupted;

/// Native stack that the front end and the compiler may need: they nest as deeply as the text does.
const COMPILER_BYTES: usize = 16 * 1024 * 1024;

/// Does `work`, which is no interpretation, with enough native stack for it. No collection happens meanwhile.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    uninterrupted(|| kiln_memory::with_room(COMPILER_BYTES, 2 * COMPILER_BYTES, work))
}

/// Has the compiler work with enough native stack for it; with the rest of this stack if the system has no memory for that.
pub fn compile_now<T>(work: impl FnOnce() -> T) -> T {
    let mut work = Some(work);
    let mut run = || work.take().map(|it| it());
    let done = uninterrupted(|| {
        let with_room = kiln_memory::try_with_room(COMPILER_BYTES, 2 * COMPILER_BYTES, &mut run);
        with_room.flatten().or_else(&mut run)
    });
    done.unwrap_or_else(|| unreachable!("one of the two runs it"))
}

/// Asks the compiler with enough native stack for it; `None` if the system has no memory for that, as where many tasks wait.
pub(super) fn ask_compiler<T>(work: impl FnOnce() -> T) -> Option<T> {
    uninterrupted(|| kiln_memory::try_with_room(COMPILER_BYTES, 2 * COMPILER_BYTES, work))
}
