//! The examples of `docs/spec/*.md`: each fenced `julia` block is a program, and a test that is
//! called by its page and line.
//!
//! A block must end with status 0: its `@test`s hold. A block marked `julia error` must fail, and the line that its last
//! comment quotes, `# error: TEXT`, must be part of what the user is told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use kiln_testing::{Outcome, Suite, Verdict, files, read, repository, stem};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// A fenced block.
struct Example {
    line: usize,
    text: String,
    /// The message that must be told, for an example that must fail.
    error: Option<String>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool, Vec<&str>)> = None;
    for (index, line) in page.lines().enumerate() {
        open = match (open.take(), line.strip_prefix("```")) {
            (None, Some("julia")) => Some((index + 1, false, Vec::new())),
            (None, Some("julia error")) => Some((index + 1, true, Vec::new())),
            (Some((at, fails, lines)), Some("")) => {
                let error = lines.iter().rev().find_map(|it| it.trim().strip_prefix("# error: "));
                assert_eq!(error.is_some(), fails, "line {at}: `julia error` and `# error:` go together");
                let text = format!("using Test\n{}\n", lines.join("\n"));
                found.push(Example { line: at, text, error: error.map(str::to_owned) });
                None
            }
            (Some((at, fails, mut lines)), _) => {
                lines.push(line);
                Some((at, fails, lines))
            }
            (None, _) => None,
        };
    }
    found
}

/// Runs an example.
fn check(name: &str, example: &Example) -> Verdict {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spec-{name}_{}.jl", example.line));
    fs::write(&file, &example.text).unwrap();
    let output = project::uncached().arg("run").arg(&file).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    match &example.error {
        None if output.status.success() => Ok(Outcome::Passed),
        None => Err(told),
        Some(_) if output.status.success() => Err("it must fail".to_owned()),
        Some(error) if told.contains(error.as_str()) => Ok(Outcome::Passed),
        Some(error) => Err(format!("`{error}` is not in\n{told}")),
    }
}

fn main() -> ExitCode {
    let mut suite = Suite::new();
    for page in files(&repository().join("docs/spec"), "md") {
        let name = stem(&page);
        for example in examples(&read(&page)) {
            let name = name.clone();
            suite = suite.test(format!("{name}:{}", example.line), move || check(&name, &example));
        }
    }
    suite.run()
}
