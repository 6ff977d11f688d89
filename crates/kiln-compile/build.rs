//! Tells builds apart that may infer or optimize differently: a hash of the sources of the crates that do.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The crates that typed code depends on.
const CRATES: [&str; 10] = [
    "kiln-bytes",
    "kiln-types",
    "kiln-ir",
    "kiln-syntax",
    "kiln-lower",
    "kiln-runtime",
    "kiln-infer",
    "kiln-opt",
    "kiln-targets",
    "kiln-compile",
];

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.filter_map(|it| Some(it.ok()?.path())) {
        if path.is_dir() {
            sources(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn main() {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let crates = own.parent().expect("a crate is in the folder of crates");
    let mut files = Vec::new();
    for name in CRATES {
        let dir = crates.join(name).join("src");
        println!("cargo:rerun-if-changed={}", dir.display());
        sources(&dir, &mut files);
    }
    files.sort();
    let mut hash = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(crates).unwrap_or(&file).display().to_string();
        let bytes = fs::read(&file).unwrap_or_default();
        hash.update(name.as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    println!("cargo:rustc-env=KILN_SOURCES={}", &hash.finalize().to_hex()[..32]);
}
