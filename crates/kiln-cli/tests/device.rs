//! Outputs of `kiln compile` for the files in `tests/device`, by the checks that they contain.
//!
//! A file is Julia code with comments that say what to compile, and what is to be in it:
//!
//! ```text
//! #: run sm_90 asm 'kernel(Int64)' --maxthreads 42
//! #: check: .maxntid 42, 1, 1
//! #: not: .reqntid
//! ```
//!
//! `run TARGET FORM SIGNATURE OPTIONS` begins a section; `fails` in place of `run` says that it is refused, and what is
//! checked is what is said. Checks are those of the crate filecheck: `check`, `nextln`, `sameln`, `unordered`, `not`. A
//! line `#: upstream: test/ptx.jl "exceptions"` says which testset of GPUCompiler's the next sections stand for.
//!
//! `--device-library libdevice` is where that library was found; without it such a section is skipped, and that is said. So is
//! `bin` for NVIDIA's GPUs without their assembler.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// One thing to compile, and what is expected of it.
struct Section {
    line: usize,
    fails: bool,
    args: Vec<String>,
    checks: String,
}

/// Splits as a shell does, with single quotes.
fn words(text: &str) -> Vec<String> {
    let (mut all, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for it in text.chars() {
        match it {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(it),
        }
    }
    all.extend(Some(word).filter(|it| !it.is_empty()));
    all
}

fn sections(text: &str) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some(said) = line.trim_start().strip_prefix("#:").map(str::trim) else { continue };
        let (verb, rest) = said.split_once(' ').unwrap_or((said, ""));
        match verb {
            "run" | "fails" => {
                let (line, fails, args) = (at + 1, verb == "fails", words(rest));
                assert!(args.len() >= 3, "line {line}: a target, a form and a signature are needed");
                all.push(Section { line, fails, args, checks: String::new() });
            }
            "upstream:" => {}
            _ => {
                let section = all.last_mut().unwrap_or_else(|| panic!("line {}: nothing is run", at + 1));
                writeln!(section.checks, "{said}").unwrap();
            }
        }
    }
    all
}

/// The libraries for devices and the tools on this machine.
static FOUND: LazyLock<String> = LazyLock::new(|| {
    let output = Command::new(env!("CARGO_BIN_EXE_kiln")).args(["targets", "--json"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
});

fn library(name: &str) -> Option<&'static str> {
    let said = FOUND.split(&format!(r#""library":"{name}","found":""#)).nth(1)?;
    said.split('"').next().filter(|it| *it != "not found")
}

/// Whether a section needs a vendor's tool that is not here.
fn lacks_tool(section: &Section) -> bool {
    let [target, form, ..] = &section.args[..] else { return false };
    let is_found = || {
        FOUND.split(r#""tool":"ptxas""#).nth(1).is_some_and(|it| {
            let found = it.split(r#""found":""#).nth(1);
            found.is_some_and(|it| !it.starts_with("not found"))
        })
    };
    target.starts_with("sm_") && form == "bin" && !is_found()
}

/// Names of libraries as paths; `None` if one was not found.
fn with_libraries(options: &[String]) -> Option<Vec<String>> {
    let mut all = options.to_vec();
    for at in 1..all.len() {
        if all[at - 1] == "--device-library" {
            all[at] = library(&all[at])?.to_owned();
        }
    }
    Some(all)
}

/// Returns the output of the command: standard output, or standard error where it is to fail.
fn output(file: &Path, section: &Section) -> Result<String, String> {
    let [target, form, signature, options @ ..] = &section.args[..] else { return Err("no section".into()) };
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let options = with_libraries(options).ok_or("a library is missing")?;
    command.args(["compile", "-t", target, "-o", "-", "--emit", form]).args(options);
    command.arg(file).arg(signature).env("NO_COLOR", "1");
    let output = command.output().map_err(|it| it.to_string())?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match (output.status.success(), section.fails) {
        (true, false) => Ok(out.into_owned()),
        (false, true) if output.status.code() == Some(1) => Ok(err.into_owned()),
        (true, true) => Err("it is compiled".into()),
        (false, _) => Err(format!("{}: {err}", output.status)),
    }
}

fn run(file: &Path, section: &Section) -> Result<(), String> {
    let text = output(file, section)?;
    let mut checker = filecheck::CheckerBuilder::new();
    for line in section.checks.lines() {
        match checker.directive(line) {
            Ok(true) => {}
            Ok(false) => return Err(format!("`{line}` is no check")),
            Err(error) => return Err(format!("`{line}`: {error}")),
        }
    }
    let checker = checker.finish();
    let (passed, explained) = checker.explain(&text, filecheck::NO_VARIABLES).map_err(|it| it.to_string())?;
    if passed { Ok(()) } else { Err(explained) }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/device");
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|it| it.extension().is_some_and(|it| it == "jl")).collect();
    files.sort();
    files
}

/// MISSION G, R, V: every section of every file.
#[test]
fn sections_come_out_as_they_say() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let (mut failures, mut count) = (String::new(), 0);
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for section in sections(&text) {
            count += 1;
            if with_libraries(&section.args).is_none() {
                eprintln!("skipped: {name}:{} (no such library; see scripts/device-tools.sh)", section.line);
                continue;
            }
            if lacks_tool(&section) {
                eprintln!("skipped: {name}:{} (no ptxas; see scripts/device-tools.sh)", section.line);
                continue;
            }
            if let Err(why) = run(&file, &section) {
                writeln!(failures, "{name}:{}: {}\n{why}\n", section.line, section.args.join(" ")).unwrap();
            }
        }
    }
    assert!(count > 0, "there are no sections");
    assert!(failures.is_empty(), "of {count} sections:\n{failures}");
}
