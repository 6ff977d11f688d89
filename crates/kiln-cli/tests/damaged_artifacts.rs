//! Entries of the store for devices are untrusted: units of bitcode and artifacts whose bytes have changed are detected by their
//! checksums, never given to LLVM or to a device, and made again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "
using CUDA
@noinline scaled(x) = 3f0 * x
f!(x) = (i = threadIdx().x; x[i] = scaled(x[i]); nothing)
";

/// Damage is done to so many places of the store, one at a time.
const PLACES: usize = 24;

fn compile(folder: &Path) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(folder).env("KILN_CACHE", "rw").env("KILN_CACHE_DIR", folder.join("cache"));
    command.args([
        "compile",
        "-t",
        "gfx1100",
        "--emit",
        "obj",
        "-o",
        "f.o",
        "f.jl",
        "f!(CuDeviceVector{Float32,1})",
    ]);
    let output = command.env("KILN_ISOLATE", "never").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(folder.join("f.o")).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_dir() { all.extend(files(&entry)) } else { all.push(entry) }
    }
    all.sort();
    all
}

/// MISSION C: whatever byte of the store changes, the artifact is the same.
#[test]
fn damaged_units_and_artifacts_are_made_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged_artifacts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("f.jl"), PROGRAM).unwrap();
    let whole = compile(&folder);
    let kept: Vec<(PathBuf, Vec<u8>)> =
        files(&folder.join("cache")).into_iter().map(|it| (it.clone(), fs::read(it).unwrap())).collect();
    let total: usize = kept.iter().map(|it| it.1.len()).sum();
    assert!(total > 4096, "something is kept: {total} bytes");
    for place in 0..PLACES {
        let mut at = (total - 1) * (place + 1) / (PLACES + 1);
        fs::remove_dir_all(folder.join("cache")).unwrap();
        for (path, bytes) in &kept {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut bytes = bytes.clone();
            if at < bytes.len() {
                bytes[at] ^= 0x55;
            }
            at = at.wrapping_sub(bytes.len());
            fs::write(path, bytes).unwrap();
        }
        assert!(compile(&folder) == whole, "byte {place} of {PLACES}");
    }
}
