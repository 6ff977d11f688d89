//! Writes compiled code: to standard output, to a given file, or to one file per kernel.

use super::Outcome;
use crate::cli::CompileArgs;
use crate::terminal::complain;
use kiln::Error;
use kiln::compile::Compiled;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Writes each; where to, if it is a file.
pub(super) fn write_all(args: &CompileArgs, outcomes: &[Outcome<'_>]) -> Vec<Result<Option<PathBuf>, Error>> {
    let mut written: Vec<PathBuf> = Vec::new();
    let each = outcomes.iter().map(|outcome| {
        let Ok(made) = &outcome.result else { return Ok(None) };
        let is_stdout = match &args.out {
            Some(out) => out == Path::new("-"),
            None => outcomes.len() == 1 && !args.json && made.is_text,
        };
        if is_stdout {
            return write_to_stdout(made).map(|()| None);
        }
        let path = path_of(args, outcomes, outcome, made);
        if written.contains(&path) {
            let what = format!("error: {}: another artifact of this command is there", path.display());
            return Err(Error::program(what));
        }
        write_file(&path, &made.bytes)?;
        if !args.json && args.out.as_ref() != Some(&path) {
            complain(&format!("{}: {} bytes", path.display(), made.bytes.len()));
        }
        written.push(path.clone());
        Ok(Some(path))
    });
    each.collect()
}

fn write_to_stdout(made: &Compiled) -> Result<(), Error> {
    if !made.is_text && std::io::stdout().is_terminal() {
        return Err(Error::usage("error: this is not text: name a file with -o"));
    }
    let _ = std::io::stdout().write_all(&made.bytes);
    Ok(())
}

/// The file that was named, or one in the folder that was.
fn path_of(args: &CompileArgs, outcomes: &[Outcome<'_>], outcome: &Outcome<'_>, made: &Compiled) -> PathBuf {
    // Several signatures of one function are told apart as the device tells them.
    let same = |it: &&Outcome<'_>| {
        let other = it.result.as_ref().ok().filter(|it| it.function == made.function);
        it.job.signature != outcome.job.signature && other.is_some()
    };
    let stem = if outcomes.iter().any(|it| same(&it)) { &made.symbol } else { &made.function };
    let name = format!("{}.{}.{}", file_name(stem), made.target, made.extension);
    match &args.out {
        Some(out) if outcomes.len() > 1 || out.is_dir() || names_folder(out) => out.join(name),
        Some(out) => out.clone(),
        None => PathBuf::from(name),
    }
}

/// Whether a path ends as only that of a folder does.
fn names_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Writes a file, in a folder that is made if need be.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |what: &Path, it: &std::io::Error| {
        Error::usage(format!("error: {} cannot be written: {it}", what.display()))
    };
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|it| failed(folder, &it))?;
    }
    std::fs::write(path, bytes).map_err(|it| failed(path, &it))
}

/// A function's name as files can be called.
fn file_name(function: &str) -> String {
    let kept = |it: char| if it.is_alphanumeric() || "_-!".contains(it) { it } else { '_' };
    function.chars().map(kept).collect()
}
