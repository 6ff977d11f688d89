//! Programs run by the command as a user would run them.
//!
//! `tests/programs/*.jl` must end with status 0: their `@test`s hold. Where `NAME.out` stands beside one, it is what the
//! program prints. `tests/diagnostics/*.jl` must fail, and `NAME.txt` is what the user is told. `KILN_BLESS=1` rewrites
//! both kinds of expectation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn programs(dir: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join(dir)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    files.retain(|it| it.extension().is_some_and(|it| it == "jl"));
    files.sort();
    files
}

fn run(file: &Path) -> Output {
    let name = file.strip_prefix(root()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command
        .current_dir(root())
        .arg("run")
        .arg(name)
        .env("NO_COLOR", "1")
        .env("KILN_CACHE", "off")
        .env_remove("KILN_CORPUS");
    command.output().unwrap()
}

/// Compares with the expectation beside the program, or writes it. What differs.
fn compare(file: &Path, extension: &str, text: &str) -> Option<String> {
    let expectation = file.with_extension(extension);
    if std::env::var_os("KILN_BLESS").is_some() {
        fs::write(&expectation, text).unwrap();
        return None;
    }
    let wanted = fs::read_to_string(&expectation).unwrap_or_default();
    (wanted != text).then(|| format!("{}: expected\n{wanted}\ngot\n{text}", file.display()))
}

fn finish(failures: &[String], count: usize) {
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n----\n"));
}

#[test]
fn programs_run_to_their_end() {
    let files = programs("tests/programs");
    let mut failures = Vec::new();
    for file in &files {
        let output = run(file);
        let stdout = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            failures.push(format!("{}: {}\n{stdout}\n{stderr}", file.display(), output.status));
        } else if file.with_extension("out").exists() {
            failures.extend(compare(file, "out", &stdout));
        }
    }
    finish(&failures, files.len());
}

#[test]
fn problems_are_told_with_place_and_advice() {
    let files = programs("tests/diagnostics");
    let mut failures = Vec::new();
    for file in &files {
        let output = run(file);
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(1) {
            failures.push(format!("{}: expected status 1, got {}\n{stderr}", file.display(), output.status));
        } else {
            failures.extend(compare(file, "txt", &stderr));
        }
    }
    finish(&failures, files.len());
}

#[test]
fn a_command_line_that_makes_no_sense_is_status_2() {
    for args in [&["frobnicate"][..], &[], &["run"], &["run", "no-such-file.jl"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_kiln")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?} says nothing");
    }
}
