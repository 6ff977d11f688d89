//! Outputs of `kiln compile` for the files in `tests/device`, by the checks that they contain.
//!
//! A file is Julia code with comments that name the compilations and patterns of their output:
//!
//! ```text
//! #: run sm_90 asm 'kernel(Int64)' --maxthreads 42
//! #: check: .maxntid 42, 1, 1
//! #: not: .reqntid
//! ```
//!
//! `run TARGET FORM SIGNATURE OPTIONS` begins a section, and each section is a test; `fails` in place of `run` says that it is
//! refused, and the message is checked. Checks are those of the crate filecheck: `check`, `nextln`, `sameln`, `unordered`,
//! `not`. A line `#: upstream: test/ptx.jl "exceptions"` names the testset of GPUCompiler that the next sections stand for.
//!
//! MISSION G, R, V.
//!
//! `--device-library libdevice` is where that library was found; without it such a section is skipped, and that is said. So is
//! `bin` for NVIDIA's GPUs without their assembler.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use kiln_testing::{Outcome, Section, Suite, Verdict, check, repository};
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The libraries for devices and the tools on this machine.
static FOUND: LazyLock<String> = LazyLock::new(|| {
    let output = project::uncached().args(["targets", "--json"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
});

fn library(name: &str) -> Option<&'static str> {
    let said = FOUND.split(&format!(r#""library":"{name}","path":""#)).nth(1)?;
    said.split('"').next().filter(|it| *it != "not found")
}

/// Whether a section needs a vendor's tool that is not here.
fn lacks_tool(target: &str, form: &str) -> bool {
    let is_found = || {
        FOUND.split(r#""tool":"ptxas""#).nth(1).is_some_and(|it| {
            let found = it.split(r#""path":""#).nth(1);
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

/// The output of the command is what the section says: standard output, or standard error where it is to fail.
fn section(file: &Path, section: &Section) -> Verdict {
    let [verb, target, form, signature, options @ ..] = &section.words[..] else {
        return Err("a target, a form and a signature are needed".to_owned());
    };
    let fails = match verb.as_str() {
        "run" => false,
        "fails" => true,
        other => return Err(format!("`{other}` is neither `run` nor `fails`")),
    };
    let Some(options) = with_libraries(options) else {
        return Ok(Outcome::Skipped("no such library; see scripts/device-tools.sh".to_owned()));
    };
    if lacks_tool(target, form) {
        return Ok(Outcome::Skipped("no ptxas; see scripts/device-tools.sh".to_owned()));
    }
    let mut command = project::uncached();
    command.args(["compile", "-t", target, "-o", "-", "--emit", form]).args(options);
    let output = command.arg(file).arg(signature).output().map_err(|it| it.to_string())?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match (output.status.success(), fails) {
        (true, false) => check(&section.checks, &out),
        (false, true) if output.status.code() == Some(1) => check(&section.checks, &err),
        (true, true) => Err("it is compiled".into()),
        (false, _) => Err(format!("{}: {err}", output.status)),
    }
}

fn main() -> ExitCode {
    Suite::new().sections("", &repository().join("tests/device"), "jl", section).run()
}
