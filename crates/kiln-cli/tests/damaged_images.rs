//! Damage that no checksum finds: entries of an image, and bitcode of units and of libraries, are changed and given right checksums.
//! A session takes them or refuses them; what LLVM does with bitcode that is none is an error of that kernel. The fuzz targets
//! `image_entries` and `bitcode` do the same for as long as one likes.
//!
//! MISSION C9, N9, V.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::fuzz::{Damaged, TARGETS};
use std::path::Path;

/// Rounds of each test, unless `KILN_FORGERIES` says how many.
fn rounds(usual: u64) -> u64 {
    std::env::var("KILN_FORGERIES").ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}

/// Numbers that look drawn at random.
struct Random(u64);

impl Random {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as u8
    }

    /// Edits: what is damaged, in `head` bytes, and up to three changes.
    fn edits(&mut self, head: usize) -> Vec<u8> {
        let changes = usize::from(self.byte() % 3) + 1;
        (0..head + 6 * changes).map(|_| self.byte()).collect()
    }
}

fn damaged(name: &str) -> Damaged {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damaged_images-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    Damaged::new(&folder).unwrap()
}

/// Undamaged parts are compiled, each kernel for each target, and a library's function for the target of the library.
#[test]
fn what_is_whole_is_compiled() {
    let damaged = damaged("whole");
    // Machine code of processors is left out, wherever it is among the entries.
    let mut each = (0..=u8::MAX).map(|at| damaged.entries(&[0, at]).unwrap());
    let compiled = each.find(|it| it.made + it.failures.len() > 0).unwrap();
    assert_eq!((compiled.made, compiled.failures.len()), (3 * TARGETS.len(), 0), "{:?}", compiled.failures);
    let compiled = damaged.bitcode(&[1]).unwrap();
    assert_eq!((compiled.made, compiled.failures.len()), (3 * TARGETS.len(), 0), "{:?}", compiled.failures);
    for library in 0..TARGETS.len() as u8 {
        let compiled = damaged.bitcode(&[4 * library]).unwrap();
        assert_eq!((compiled.made, compiled.failures.len()), (1, 0), "{:?}", compiled.failures);
    }
}

/// Typed code, units, artifacts and notes: nothing panics, and most kernels are compiled all the same.
#[test]
fn damaged_entries_do_no_harm() {
    let damaged = damaged("entries");
    let (mut random, mut made) = (Random(1), 0);
    for round in 0..rounds(40) {
        let edits = random.edits(2);
        let compiled = damaged.entries(&edits).unwrap_or_else(|bug| panic!("round {round}: {}", bug.message));
        made += compiled.made;
    }
    assert!(made > 0);
}

/// Bitcode of units and libraries: LLVM refuses it, or ends its process, or makes something of it.
#[test]
fn damaged_bitcode_is_one_kernels_error() {
    let damaged = damaged("bitcode");
    let (mut random, mut failures) = (Random(2), 0);
    for round in 0..rounds(24) {
        let edits = random.edits(1);
        let compiled = damaged.bitcode(&edits).unwrap_or_else(|bug| panic!("round {round}: {}", bug.message));
        failures += compiled.failures.len();
    }
    assert!(failures > 0, "some damage is seen");
}
