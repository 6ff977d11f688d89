//! One row, from file to linked object.

use super::loader::{Found, Loader};
use super::rows::ReportRow;
use super::search::Source;
use crate::session::{Session, SessionOptions};
use kiln_driver::described::describe;
use kiln_ir::SourceLoc;
use kiln_runtime::Value;
use kiln_types::{Module, Type};
use std::path::Path;

/// How far a row got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// Its file is there, but not Julia that kiln can parse; or it is not there.
    Nothing,
    /// Its file parses.
    Parsed,
    /// The kernel's method exists.
    Loaded,
    /// Neither a dynamic call nor an allocation is left in it.
    Inferred,
    /// It was compiled and linked.
    Compiled,
}

impl Reached {
    /// In the order they are reached.
    pub const ALL: [Self; 5] = [Self::Nothing, Self::Parsed, Self::Loaded, Self::Inferred, Self::Compiled];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Parsed => "parsed",
            Self::Loaded => "loaded",
            Self::Inferred => "inferred",
            Self::Compiled => "compiled",
        }
    }
}

/// How far a row got and why no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowOutcome {
    /// The last stage that it passed.
    pub reached: Reached,
    /// Empty when it was compiled.
    pub reason: String,
    /// The outcome for each target it was compiled for as well.
    pub targets: Vec<TargetOutcome>,
}

/// The outcome of a kernel for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetOutcome {
    /// The target's name.
    pub target: String,
    /// The verdict of the vendor's tool.
    pub accepted: Accepted,
    /// Why it did not come further; empty if it did.
    pub reason: String,
}

/// The verdict on a kernel for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The vendor's tool accepts what was made.
    Yes,
    /// Something was made, and there is no tool to ask.
    Unchecked,
    /// It is refused because the device can not do what it asks for, or it has a dynamic call.
    Limit,
    /// kiln cannot make it, or the vendor's tool refuses what was made.
    No,
}

impl Accepted {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Yes, Self::Unchecked, Self::Limit, Self::No];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "accepted",
            Self::Unchecked => "unchecked",
            Self::Limit => "limit",
            Self::No => "failed",
        }
    }
}

/// Brings one row as far as it gets, in a session of its own, and what compiles also for `targets`.
pub fn survey(corpus: &Path, row: &ReportRow, targets: &[String]) -> RowOutcome {
    let stop = |reached, reason: String| RowOutcome { reached, reason, targets: Vec::new() };
    let file = corpus.join(row.folder()).join(&row.path);
    let Ok(text) = std::fs::read_to_string(&file) else {
        return stop(Reached::Nothing, "not available: no such file in the corpus".into());
    };
    let session = match Session::new(SessionOptions::default()) {
        Ok(session) => session,
        Err(failure) => return stop(Reached::Nothing, failure.message),
    };
    let rt = session.runtime();
    if let Some(error) = rt.frontend.parse_file(rt, &file.display().to_string(), &text).error {
        let line = rt.frontend.place(error.loc).map_or(0, |it| it.1);
        return stop(Reached::Nothing, format!("line {line}: {}", error.message));
    }
    let mut loader = Loader::new(&session, file.clone(), &row.kernel, row.line);
    let kernel = match kernel(&session, corpus, row, &mut loader) {
        Ok(kernel) => kernel,
        Err(reason) => return stop(Reached::Parsed, with_notes(reason, &loader.notes)),
    };
    let types = match signature(&session, row, kernel.1) {
        Ok(types) => types,
        Err(reason) => return stop(Reached::Loaded, with_notes(reason, &loader.notes)),
    };
    match session.driver().survey(rt, kernel.0, types) {
        Ok(()) => {
            let targets = targets.iter().map(|it| session.survey_target(kernel.0, types, it)).collect();
            RowOutcome { reached: Reached::Compiled, reason: String::new(), targets }
        }
        Err(refused) => {
            let reached = if refused.is_static { Reached::Inferred } else { Reached::Loaded };
            let more = refused.reasons.len().saturating_sub(1);
            let first = refused.reasons.into_iter().next().unwrap_or_default();
            let first = if more == 0 { first } else { format!("{first} (and {more} more)") };
            stop(reached, with_notes(first, &loader.notes))
        }
    }
}

/// A failure, with what went wrong before it: packages that are not there first, they explain most.
fn with_notes(reason: String, notes: &[String]) -> String {
    let (packages, others): (Vec<&String>, Vec<&String>) = notes.iter().partition(|it| it.contains("ackage"));
    let told: Vec<&str> = packages.into_iter().chain(others).take(3).map(String::as_str).collect();
    let reason = reason.lines().map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    if told.is_empty() { reason } else { format!("{reason} [while loading: {}]", told.join("; ")) }
}

/// Loads what the row needs. The function that a launch would run, and the module it is in.
fn kernel(
    session: &Session,
    corpus: &Path,
    row: &ReportRow,
    loader: &mut Loader<'_>,
) -> Result<(Value, Module), String> {
    let rt = session.runtime();
    let told = |it: Box<kiln_runtime::Thrown>| describe(session.runtime(), it.exception);
    let name = rt.types.symbol("Row");
    let home = rt.new_module(session.main(), name, true, SourceLoc::NONE).map_err(told)?;
    let dialect = if row.dialect == "KA" { "using KernelAbstractions, Test" } else { "using CUDA, Test" };
    rt.eval_string(home, dialect).map_err(told)?;
    rt.eval_string(session.main(), "module Names; import CUDA, KernelAbstractions; end").map_err(told)?;
    let folder = corpus.join(row.folder());
    for root in row.root.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        loader.defines_packages = true;
        loader.load(home, &folder.join(root));
    }
    loader.defines_packages = false;
    loader.load(home, &folder.join(&row.path));
    let mut found = loader.found.take().ok_or("no definition of that name starts at that line")?;
    let function = match (row.dialect.as_str(), row.kernel.as_str()) {
        (_, "<on_device>") => "on_device_code".to_owned(),
        ("KA", name) => format!("gpu_{name}"),
        (_, name) => name.to_owned(),
    };
    let module = found.module;
    if is_nested(session, &found) {
        let captures = captures(session, module, &row.captures)?;
        return loader.define_nested(&mut found, &function, &captures).map(|it| (it, module)).map_err(told);
    }
    let value = rt.eval_string(module, &format!("var\"{function}\""));
    value.map(|it| (it, module)).map_err(|it| loader.failure.take().unwrap_or_else(|| told(it)))
}

/// Whether the kernel is defined inside something that is more than a wrapper of definitions.
fn is_nested(session: &Session, found: &Found) -> bool {
    let source = Source { rt: session.runtime(), ast: &found.ast };
    let outer = &found.path[..found.path.len() - 1];
    let is_on_device = found.path.last().is_some_and(|it| source.macro_name(*it) == Some("@on_device"));
    is_on_device
        || outer.iter().any(|it| {
            !matches!(source.head(*it), "block" | "toplevel") && source.macro_name(*it) != Some("@doc")
        })
}

fn captures(session: &Session, module: Module, text: &str) -> Result<Vec<(String, Value)>, String> {
    let rt = session.runtime();
    let pairs = text.split(';').filter_map(|it| it.split_once('='));
    let values = pairs.map(|(name, value)| {
        let value = rt.eval_string(module, value).map_err(|it| describe(session.runtime(), it.exception))?;
        Ok((name.trim().to_owned(), value))
    });
    values.collect()
}

/// The argument types as a tuple type, the launch's context first for KernelAbstractions.
fn signature(session: &Session, row: &ReportRow, module: Module) -> Result<Type, String> {
    let rt = session.runtime();
    let context = if row.dialect == "KA" { context(&row.space) } else { String::new() };
    let text = format!(
        "let CUDA = Main.Names.CUDA, KernelAbstractions = Main.Names.KernelAbstractions, \
         CuDeviceArray = CUDA.CuDeviceArray, CuDeviceVector = CUDA.CuDeviceVector, CuDeviceMatrix = CUDA.CuDeviceMatrix; \
         Tuple{{{context}{}}} end",
        row.arguments
    );
    let value = rt
        .eval_string(module, &text)
        .map_err(|it| format!("the signature: {}", describe(session.runtime(), it.exception)))?;
    value.as_type(rt.types.core()).ok_or_else(|| "the signature is not a type".to_owned())
}

/// The context of a launch: `2` is one of two dimensions with sizes not known, `(16, 16)` one with that group size.
fn context(space: &str) -> String {
    let (dims, items) = if space.starts_with('(') {
        let count = space.split(',').filter(|it| !it.trim_matches(['(', ')', ' ']).is_empty()).count();
        (count.to_string(), format!("KernelAbstractions.StaticSize{{{space}}}"))
    } else {
        (space.to_owned(), "KernelAbstractions.DynamicSize".to_owned())
    };
    format!("KernelAbstractions.Context{{{dims}, KernelAbstractions.DynamicSize, {items}, true}}, ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_says_what_the_launch_fixes() {
        let dynamic = "KernelAbstractions.Context{2, KernelAbstractions.DynamicSize, KernelAbstractions.DynamicSize, true}, ";
        assert_eq!(context("2"), dynamic);
        assert!(
            context("(8,)").starts_with("KernelAbstractions.Context{1, "),
            "one dimension, however a tuple of one is written"
        );
        assert!(context("(16, 16)").contains("StaticSize{(16, 16)}"));
    }
}
