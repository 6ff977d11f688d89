//! Programs run by the command as a user would run them; each file is a test.
//!
//! `tests/programs/*.jl` must end with status 0: their `@test`s hold. Where `NAME.out` stands beside one, it is the output of
//! the program. `tests/diagnostics/*.jl` must fail, and `NAME.txt` is the message. `KILN_BLESS=1` rewrites both kinds of
//! expectation. Programs whose kernels have barriers run once more with `KILN_BARRIERS=sized`. Programs with kernels run
//! with another value of `KILN_VECTOR`, a different one each; with all, if they are named `exact_` or `KILN_VECTOR_ALL` is set.
//! Programs run twice with one fresh store, and do the same both times: a slice, or all if `KILN_WARM_ALL` is set.
//! Programs run once more with a collection at every `KILN_COLLECT_EVERY`th safepoint (4000): those without kernels, or all if it
//! is set; those named `collected_` at every 13th, always. Of the runs with barriers cut, in vectors and with collections, one of
//! `KILN_PROGRAM_SLICE` is taken (1).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
mod second_process;

use kiln_testing::random::setting;
use kiln_testing::{Outcome, Suite, Verdict, compare, repository};
use second_process::same_when_warm;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Output};

/// Safepoints between collections of the programs that are about collections.
const OFTEN: u64 = 13;

fn run(file: &Path) -> Output {
    let name = file.strip_prefix(repository()).unwrap();
    project::uncached().arg("run").arg(name).output().unwrap()
}

/// A program runs to its end, and prints the expected output.
fn program(file: &Path) -> Verdict {
    ended_well(file, &run(file))
}

/// A program whose kernels have barriers ends well when they are cut at the barriers, for the size of their first groups.
fn cut_at_barriers(file: &Path) -> Verdict {
    let name = file.strip_prefix(repository()).unwrap();
    let mut command = project::uncached();
    ended_well(file, &command.env("KILN_BARRIERS", "sized").arg("run").arg(name).output().unwrap())
}

/// A program gives the same results when its items run in vectors of this many bits.
fn in_vectors(file: &Path, bits: &str) -> Verdict {
    let name = file.strip_prefix(repository()).unwrap();
    let mut command = project::uncached();
    command.env("KILN_BARRIERS", "regions").env("KILN_VECTOR", bits);
    ended_well(file, &command.arg("run").arg(name).output().unwrap())
}

/// MISSION H1: a program gives the same results when collections run all the time.
fn collected(file: &Path, every: u64) -> Verdict {
    let name = file.strip_prefix(repository()).unwrap();
    let mut command = project::uncached();
    ended_well(file, &command.env("KILN_GC_STRESS", every.to_string()).arg("run").arg(name).output().unwrap())
}

/// The programs whose text has one of these.
fn programs_with(words: &[&str]) -> Vec<PathBuf> {
    let files = kiln_testing::files(&repository().join("tests/programs"), "jl").into_iter();
    let has_word = |it: &PathBuf| {
        let text = std::fs::read_to_string(it).unwrap();
        words.iter().any(|word| text.contains(word))
    };
    files.filter(has_word).collect()
}

fn ended_well(file: &Path, output: &Output) -> Verdict {
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
    let slice = setting("KILN_PROGRAM_SLICE", 1) as usize;
    let with_barriers = programs_with(&["sync_threads", "@synchronize", "sync_workgroup"]);
    for file in with_barriers.into_iter().step_by(slice) {
        let name = format!("regions/{}", kiln_testing::stem(&file));
        suite = suite.test(name, move || cut_at_barriers(&file));
    }
    let kernels = programs_with(&["@cuda", "@kernel", "@roc"]);
    let (every, every_program) = (setting("KILN_COLLECT_EVERY", 4000), setting("KILN_COLLECT_EVERY", 0) > 0);
    for (at, file) in kiln_testing::files(&repository().join("tests/programs"), "jl").into_iter().enumerate()
    {
        let name = kiln_testing::stem(&file).to_owned();
        let is_named = name.starts_with("collected_");
        if every_program || is_named || !kernels.contains(&file) && at.is_multiple_of(slice) {
            let every = if is_named { every.min(OFTEN) } else { every };
            suite = suite.test(format!("collected/{name}"), move || collected(&file, every));
        }
    }
    let all = std::env::var_os("KILN_VECTOR_ALL").is_some();
    for (index, file) in kernels.into_iter().enumerate() {
        const WIDTHS: [&str; 4] = ["off", "128", "256", "512"];
        let exact = kiln_testing::stem(&file).starts_with("exact_");
        let at = index % WIDTHS.len();
        // Slices have all widths, too.
        if !(all || exact || (index / WIDTHS.len()).is_multiple_of(slice)) {
            continue;
        }
        for bits in if all || exact { &WIDTHS[..] } else { &WIDTHS[at..=at] } {
            let (file, name) = (file.clone(), format!("vectors-{bits}/{}", kiln_testing::stem(&file)));
            suite = suite.test(name, move || in_vectors(&file, bits));
        }
    }
    for file in second_process::chosen(kiln_testing::files(&repository().join("tests/programs"), "jl")) {
        suite = suite.test(format!("warm/{}", kiln_testing::stem(&file)), move || same_when_warm(&file));
    }
    suite.run()
}
