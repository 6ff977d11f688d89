//! Entries of a real image are changed and given right checksums: a session takes them or not, and nothing panics. What LLVM does
//! with them, it does in a process of its own.
#![no_main]

use kiln::fuzz::Damaged;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static DAMAGED: LazyLock<Damaged> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("kiln-fuzz-image_entries-{}", std::process::id()));
    Damaged::new(&folder).unwrap_or_else(|it| panic!("{}", it.message))
});

fuzz_target!(|edits: &[u8]| {
    if let Err(bug) = DAMAGED.entries(edits) {
        panic!("{}", bug.message);
    }
});
