//! The process that evaluates the top-level expressions of one file.
//!
//! It reports on standard error, one line for an event, each starting with the byte 1: `begin N`, `end N`,
//! `threw N MESSAGE`, and from `worker.jl` `site OUTCOME FILE LINE TEXT`.

use super::source::{TopLevel, top_level};
use crate::error::Error;
use kiln::{Session, SessionOptions};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const PRELUDE: &str = include_str!("worker.jl");

/// A module `JuliaSyntax` whose `parsestmt(Expr, text)` and relatives are the session's own parser.
const JULIA_SYNTAX: &str = include_str!("julia_syntax.jl");

/// Evaluates the expressions of `file` from number `first` on, except those in `skipped`, in a module of `Main` that uses
/// `Test` and `Random`, as Julia's own runner does. Of those before `first` it evaluates the ones without sites, and silently modules and functions: definitions that later expressions need.
/// With `julia_syntax` a module of that name is there.
///
/// # Errors
/// When the session does not start or the file cannot be read.
pub fn run(file: &Path, first: usize, skipped: &HashSet<usize>, julia_syntax: bool) -> Result<(), Error> {
    let text = std::fs::read_to_string(file).map_err(Error::at(file))?;
    let name = file.display().to_string();
    // As the command does: changes of the library are tried without a build.
    let library = std::env::var_os("KILN_BASE").map(PathBuf::from);
    let options = SessionOptions::new().program(&name).environment(std::env::vars()).library(library);
    let session = Session::new(options)?;
    session.run_text("worker.jl", PRELUDE)?;
    if julia_syntax {
        session.run_text("julia_syntax.jl", JULIA_SYNTAX)?;
    }
    let module = module_name(file);
    session.run_text("worker.jl", &format!("module {module}\nusing Test, Random\nend"))?;
    for (number, expression) in top_level(&text).iter().enumerate() {
        let replayed = number < first;
        if skipped.contains(&number)
            || expression.syntax_error.is_some()
            || (replayed && !is_definition(&text, expression))
        {
            continue;
        }
        event(&format!("{} {number}", if replayed { "replay" } else { "begin" }));
        let padding = "\n".repeat(expression.line as usize - 1);
        match session.run_text_in(&module, &name, &format!("{padding}{}", &text[expression.range.clone()])) {
            Ok(()) => event(&format!("end {number}")),
            Err(failure) => event(&format!("threw {number} {}", failure.message.replace('\n', " | "))),
        }
        if session.exit_code().is_some() {
            break;
        }
    }
    event("done");
    Ok(())
}

/// The module of a file: `TestMain_show`.
fn module_name(file: &Path) -> String {
    let stem = file.file_stem().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    format!("TestMain_{}", stem.replace(|it: char| !it.is_alphanumeric(), "_"))
}

/// Whether an expression is a definition that others may need: it has no sites, or is a module, a function or a
/// macro.
fn is_definition(text: &str, expression: &TopLevel) -> bool {
    let source = &text[expression.range.clone()];
    expression.sites.is_empty()
        || ["module ", "baremodule ", "function ", "macro "].iter().any(|it| source.starts_with(it))
}

#[expect(clippy::print_stderr, reason = "the protocol with the supervisor")]
fn event(text: &str) {
    eprintln!("\u{1}{text}");
}
