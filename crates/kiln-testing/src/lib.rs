//! The test harness of all crates: suites of files, lowered code written by hand ([`CodeBuilder`]), typed SSA
//! written as text ([`typed`]), random numbers ([`random`]), and tests of tests ([`mutants`]).
//!
//! In a suite every file, or every section of one, is a test of its own that runs by name, in parallel with the others, under
//! `cargo test` as usual.
//!
//! Expectations are in the file or beside it. `KILN_BLESS=1` writes the current output there; review the difference.
//!
//! # Deliberately absent
//! The stages of kiln: a suite supplies the function from a file to its output.

mod document;
mod lowered;
pub mod mutants;
pub mod random;
pub mod typed;

pub use document::{Document, Section, verify, words};
pub use lowered::CodeBuilder;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of a test that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The expectations hold.
    Passed,
    /// The machine lacks something that the test needs.
    Skipped(String),
}

/// The result of a test, or a description of its failure.
pub type Verdict = Result<Outcome, String>;

/// The root of this repository.
pub fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the sources that this was built of are there")
}

/// Returns the files of a folder that have an extension, sorted.
///
/// # Panics
/// When the folder cannot be read, or has no such file: a suite without tests passes for the wrong reason.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|it| panic!("{}: {it}", folder.display()));
    let paths = entries.map(|it| it.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|it| it.extension().is_some_and(|it| it == extension)).collect();
    files.sort();
    assert!(!files.is_empty(), "no `.{extension}` files in {}", folder.display());
    files
}

/// Returns the programs of a folder of examples that run by themselves: without parts of others and without programs that use a
/// package, sorted.
///
/// # Panics
/// If the folder cannot be read.
pub fn own_examples(folder: &Path) -> Vec<PathBuf> {
    let mut programs = files(folder, "jl");
    programs.retain(|it| !["png", "gradient_descent"].contains(&stem(it).as_str()));
    programs
}

/// Returns the name of a file without its folder and extension.
///
/// # Panics
/// When it has none.
pub fn stem(file: &Path) -> String {
    file.file_stem().expect("files have names").to_string_lossy().into_owned()
}

/// Reads a file.
///
/// # Panics
/// When it cannot be read.
pub fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|it| panic!("{}: {it}", file.display()))
}

/// Whether expectations are to be written instead of checked.
pub fn is_blessing() -> bool {
    std::env::var_os("KILN_BLESS").is_some()
}

/// Compares the text of a file with the text it should have, or writes it.
///
/// # Errors
/// When they differ, with the first line that does.
pub fn compare(file: &Path, found: &str) -> Verdict {
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if expected == found {
        return Ok(Outcome::Passed);
    }
    if is_blessing() {
        std::fs::write(file, found).map_err(|it| format!("{}: {it}", file.display()))?;
        return Ok(Outcome::Passed);
    }
    let (mut old, mut new) = (expected.lines(), found.lines());
    let mut number = 0;
    let (expects, has) = loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => break ("", ""),
            (old, new) if old == new => {}
            (old, new) => break (old.unwrap_or("the end"), new.unwrap_or("the end")),
        }
    };
    let place = format!("{}:{number}", file.display());
    Err(format!("{place}: expected\n  {expects}\nfound\n  {has}\nin\n{found}\n(KILN_BLESS=1 writes it)"))
}

/// Checks a text by directives of the `filecheck` crate, one a line: `check`, `nextln`, `sameln`, `unordered`, `not`, `regex`.
///
/// # Errors
/// When a line is no directive, or does not hold.
pub fn check(directives: &str, text: &str) -> Verdict {
    let mut checker = filecheck::CheckerBuilder::new();
    for line in directives.lines() {
        match checker.directive(line) {
            Ok(true) => {}
            Ok(false) => return Err(format!("`{line}` is no check")),
            Err(error) => return Err(format!("`{line}`: {error}")),
        }
    }
    let checker = checker.finish();
    match checker.explain(text, filecheck::NO_VARIABLES) {
        Ok((true, _)) => Ok(Outcome::Passed),
        Ok((false, explained)) => Err(explained),
        Err(error) => Err(error.to_string()),
    }
}

/// The tests of one binary.
#[derive(Default)]
pub struct Suite {
    trials: Vec<Trial>,
}

impl Suite {
    /// A suite without tests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a test.
    #[must_use]
    pub fn test(mut self, name: impl Into<String>, test: impl FnOnce() -> Verdict + Send + 'static) -> Self {
        let run = move || match test() {
            Ok(Outcome::Passed) => Ok(Completion::Completed),
            Ok(Outcome::Skipped(reason)) => Ok(Completion::ignored_with(reason)),
            Err(failure) => Err(Failed::from(failure)),
        };
        self.trials.push(Trial::ignorable_test(name, run));
        self
    }

    /// Adds a test for each file with this extension in a folder, by its name behind a prefix.
    #[must_use]
    pub fn files(mut self, prefix: &str, folder: &Path, extension: &str, test: fn(&Path) -> Verdict) -> Self {
        for file in files(folder, extension) {
            self = self.test(format!("{prefix}{}", stem(&file)), move || test(&file));
        }
        self
    }

    /// Adds a test for each section of each document of a folder: `FILE:LINE WORDS`.
    #[must_use]
    pub fn sections(
        mut self,
        prefix: &str,
        folder: &Path,
        extension: &str,
        test: fn(&Path, &Section) -> Verdict,
    ) -> Self {
        for file in files(folder, extension) {
            let document = Document::read(&read(&file));
            for section in document.sections {
                let name = format!("{prefix}{}:{} {}", stem(&file), section.line, section.words.join(" "));
                let file = file.clone();
                self = self.test(name, move || test(&file, &section));
            }
        }
        self
    }

    /// Runs the tests that the command line asks for, and ends the process.
    pub fn run(self) -> ExitCode {
        libtest_mimic::run(&Arguments::from_args(), self.trials).exit_code()
    }
}
