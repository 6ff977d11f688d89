//! The bitcode of a unit, or of a library, is changed: linking kernels with it fails with an error or works, and the process goes
//! on. LLVM itself runs in another.
#![no_main]

use kiln::fuzz::Damaged;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static DAMAGED: LazyLock<Damaged> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("kiln-fuzz-bitcode-{}", std::process::id()));
    Damaged::new(&folder).unwrap_or_else(|it| panic!("{}", it.message))
});

fuzz_target!(|edits: &[u8]| {
    if let Err(bug) = DAMAGED.bitcode(edits) {
        panic!("{}", bug.message);
    }
});
