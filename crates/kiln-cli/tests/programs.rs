//! Programs run by the command as a user would run them; each file is a test.
//!
//! `tests/programs/*.jl` must end with status 0: their `@test`s hold. Where `NAME.out` stands beside one, it is the output of
//! the program. `tests/diagnostics/*.jl` must fail, and `NAME.txt` is the message. `KILN_BLESS=1` rewrites both kinds of
//! expectation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use kiln_testing::{Outcome, Suite, Verdict, compare, repository};
use std::path::Path;
use std::process::{ExitCode, Output};

fn run(file: &Path) -> Output {
    let name = file.strip_prefix(repository()).unwrap();
    project::uncached().arg("run").arg(name).output().unwrap()
}

/// A program runs to its end, and prints the expected output.
fn program(file: &Path) -> Verdict {
    let output = run(file);
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}\n{stdout}\n{stderr}", file.display(), output.status));
    }
    let expectation = file.with_extension("out");
    if expectation.exists() { compare(&expectation, &stdout) } else { Ok(Outcome::Passed) }
}

/// A problem is reported with its location and advice.
fn diagnostic(file: &Path) -> Verdict {
    let output = run(file);
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(1) {
        return Err(format!("{}: expected status 1, got {}\n{stderr}", file.display(), output.status));
    }
    compare(&file.with_extension("txt"), &stderr)
}

/// A command line that makes no sense is status 2.
fn usage(args: &[&str]) -> Verdict {
    let output = project::uncached().args(args).output().unwrap();
    if output.status.code() != Some(2) {
        return Err(format!("status {}", output.status));
    }
    if output.stderr.is_empty() { Err("no message".to_owned()) } else { Ok(Outcome::Passed) }
}

fn main() -> ExitCode {
    let mut suite = Suite::new()
        .files("program/", &repository().join("tests/programs"), "jl", program)
        .files("diagnostic/", &repository().join("tests/diagnostics"), "jl", diagnostic);
    for args in [&["frobnicate"][..], &[], &["run"], &["run", "no-such-file.jl"]] {
        suite = suite.test(format!("usage/{}", args.join(" ")), || usage(args));
    }
    suite.run()
}
