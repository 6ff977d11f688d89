//! Libraries that Apple's tools wrote are read, and written back byte for byte.
//!
//! The files are not part of this repository: `KILN_METALLIB_FIXTURES` names a folder with some, such as `test/metallib`
//! of Metal.jl. Without it nothing is checked, and the test says so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "says what it skipped")]

use kiln_metallib::{read, unwrap, write};
use std::path::PathBuf;

/// The libraries in the folder that the environment names.
fn fixtures() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("KILN_METALLIB_FIXTURES")?;
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|it| it.extension().is_some_and(|it| it == "metallib")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "KILN_METALLIB_FIXTURES names a folder without libraries");
    Some(paths)
}

#[test]
fn libraries_of_apple_are_written_back() {
    let Some(paths) = fixtures() else {
        println!("skipped: Apple's libraries (KILN_METALLIB_FIXTURES is unset)");
        return;
    };
    let mut functions = 0;
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        let library = read(&bytes).unwrap_or_else(|it| panic!("{}: {it}", path.display()));
        assert!(write(&library).unwrap() == bytes, "{}: other bytes", path.display());
        for function in &library.functions {
            assert!(unwrap(&function.module).unwrap().starts_with(b"BC\xc0\xde"));
        }
        functions += library.functions.len();
    }
    println!("{} libraries with {functions} functions", paths.len());
}
