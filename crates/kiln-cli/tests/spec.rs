//! The examples of `docs/spec/*.md`: each fenced `julia` block is a program.
//!
//! A block must end with status 0: its `@test`s hold. A block marked `julia error` must fail, and the line that its last
//! comment quotes, `# error: TEXT`, must be part of what the user is told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block.
struct Example {
    line: usize,
    text: String,
    /// The message that must be told, for an example that must fail.
    error: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
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

/// The mistake in an example.
fn check(example: &Example, file: &Path) -> Option<String> {
    fs::write(file, &example.text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kiln"))
        .current_dir(root())
        .arg("run")
        .arg(file)
        .env("NO_COLOR", "1")
        .env("KILN_CACHE", "off")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    match &example.error {
        None if output.status.success() => None,
        None => Some(told),
        Some(_) if output.status.success() => Some("it must fail".to_owned()),
        Some(error) if told.contains(error.as_str()) => None,
        Some(error) => Some(format!("`{error}` is not in\n{told}")),
    }
}

#[test]
fn the_examples_of_the_specification_hold() {
    let folder = std::env::temp_dir().join(format!("kiln-spec-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root().join("docs/spec")).unwrap().map(|it| it.unwrap().path()).collect();
    pages.retain(|it| it.extension().is_some_and(|it| it == "md"));
    pages.sort();
    assert!(!pages.is_empty(), "there is a specification");
    let mut problems = Vec::new();
    for page in &pages {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        for example in examples(&fs::read_to_string(page).unwrap()) {
            let file = folder.join(format!("{name}_{}.jl", example.line));
            if let Some(problem) = check(&example, &file) {
                problems.push(format!("docs/spec/{name}.md:{}: {problem}", example.line));
            }
        }
    }
    let _ = fs::remove_dir_all(&folder);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
