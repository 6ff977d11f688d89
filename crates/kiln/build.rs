//! Lists the files of `base/` for `src/library.rs`, so that the standard library is part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-changed={}", dir.display());
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../base");
    let root = root.canonicalize().expect("base/ is part of the repository");
    let mut files = Vec::new();
    collect(&root, &mut files);
    // By text, as the look-up compares: paths order `a/b` before `a.b`.
    files.sort_by_key(|it| it.display().to_string());
    let mut table = String::from("/// Path below `base/`, and text.\npub(crate) const FILES: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("collected below it").display().to_string();
        println!("cargo:rerun-if-changed={}", file.display());
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    table.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("base_files.rs");
    fs::write(out, table).expect("cargo's OUT_DIR is writable");
}
