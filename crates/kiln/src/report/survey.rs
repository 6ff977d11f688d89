//! One row, from file to linked object.

use super::loader::{KernelLocation, Loader};
use super::rows::ReportRow;
use super::search::Source;
use crate::compile::survey_target;
use crate::{Error, Session, SessionOptions};
use kiln_compile::described::describe;
use kiln_compile::dialects;
use kiln_ir::SourceLoc;
use kiln_runtime::Value;
use kiln_runtime::eval::{modules, toplevel};
use kiln_types::{Module, Type};
use std::path::Path;

/// The last stage that a row reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// Its file is there, but not Julia that kiln can parse; or it is not there.
    Nothing,
    /// Its file parses.
    Parsed,
    /// The kernel's method exists.
    Loaded,
    /// It contains neither dynamic calls nor allocations.
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

/// The last stage that a row reached, and the reason of its end.
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
    /// The vendor's tool accepts the code.
    Yes,
    /// Something was made, and there is no tool to ask.
    Unchecked,
    /// The device does not support an operation, or there is a dynamic call.
    Limit,
    /// kiln cannot compile it, or the vendor's tool rejects the code.
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

/// Takes one row as far as possible, in a session of its own with these options, and compiles it also for `targets`.
pub fn survey(corpus: &Path, row: &ReportRow, targets: &[String], options: SessionOptions) -> RowOutcome {
    let stop = |reached, reason: String| RowOutcome { reached, reason, targets: Vec::new() };
    let file = corpus.join(row.folder()).join(&row.path);
    let Ok(text) = std::fs::read_to_string(&file) else {
        return stop(Reached::Nothing, "not available: no such file in the corpus".into());
    };
    let session = match Session::new(options) {
        Ok(session) => session,
        Err(failure) => return stop(Reached::Nothing, failure.message),
    };
    let rt = &session.rt;
    if let Some(error) = rt.frontend.parse_file(rt, &file.display().to_string(), &text).error {
        let line = rt.frontend.place(error.loc).map_or(0, |it| it.1);
        return stop(Reached::Nothing, format!("line {line}: {}", error.message));
    }
    let mut loader = Loader::new(&session, file.clone(), &row.kernel, row.line);
    let kernel = match kernel(&session, corpus, row, &mut loader) {
        Ok(kernel) => kernel,
        Err(reason) => return stop(Reached::Parsed, with_notes(reason.message, &loader.notes)),
    };
    let types = match signature(&session, row, kernel.1) {
        Ok(types) => types,
        Err(reason) => return stop(Reached::Loaded, with_notes(reason.message, &loader.notes)),
    };
    match kiln_inspect::survey(&session.exec_env(), kernel.0, types) {
        Ok(()) => {
            let targets = targets.iter().map(|it| survey_target(&session, kernel.0, types, it)).collect();
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

/// A failure, with the earlier problems: missing packages first, the most frequent cause.
fn with_notes(reason: String, notes: &[String]) -> String {
    let (packages, others): (Vec<&String>, Vec<&String>) = notes.iter().partition(|it| it.contains("ackage"));
    let told: Vec<&str> = packages.into_iter().chain(others).take(3).map(String::as_str).collect();
    let reason = reason.lines().map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    if told.is_empty() { reason } else { format!("{reason} [while loading: {}]", told.join("; ")) }
}

/// The exception in words.
fn thrown(session: &Session, it: &kiln_runtime::Thrown) -> Error {
    Error::program(describe(&session.rt, it.exception))
}

/// Loads the row's files. Returns the function that a launch would run, and its module.
fn kernel(
    session: &Session,
    corpus: &Path,
    row: &ReportRow,
    loader: &mut Loader<'_>,
) -> Result<(Value, Module), Error> {
    let rt = &session.rt;
    let told = |it: Box<kiln_runtime::Thrown>| thrown(session, &it);
    let name = rt.types.symbol("Row");
    let home = modules::new_module(rt, Module::MAIN, name, true, SourceLoc::NONE).map_err(told)?;
    let dialect = dialect(session, row)?;
    let package = dialects::name(rt, dialect).ok_or_else(|| Error::program("a dialect without a module"))?;
    toplevel::eval_string(rt, home, &format!("using {package}, Test")).map_err(told)?;
    let all: Vec<String> =
        dialects::records(rt).into_iter().filter_map(|it| dialects::name(rt, it)).collect();
    let names = format!("module Names; import {}; end", all.join(", "));
    toplevel::eval_string(rt, Module::MAIN, &names).map_err(told)?;
    let folder = corpus.join(row.folder());
    for root in row.root.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        loader.defines_packages = true;
        loader.load(home, &folder.join(root));
    }
    loader.defines_packages = false;
    loader.load(home, &folder.join(&row.path));
    let mut found = loader
        .found
        .take()
        .ok_or_else(|| Error::program("no definition of that name starts at that line"))?;
    let prefix = dialects::texts(rt, dialect, "entry_prefix").concat();
    let function = match row.kernel.as_str() {
        "<on_device>" => "on_device_code".to_owned(),
        name => format!("{prefix}{name}"),
    };
    let module = found.module;
    if is_nested(session, &found) {
        let captures = captures(session, module, &row.captures)?;
        return loader.define_nested(&mut found, &function, &captures).map(|it| (it, module)).map_err(told);
    }
    let value = toplevel::eval_string(rt, module, &format!("var\"{function}\""));
    value.map(|it| (it, module)).map_err(|it| loader.failure.take().map_or_else(|| told(it), Error::program))
}

/// Whether the kernel is defined inside something that is more than a wrapper of definitions.
fn is_nested(session: &Session, found: &KernelLocation) -> bool {
    let source = Source { rt: &session.rt, ast: &found.ast };
    let outer = &found.path[..found.path.len() - 1];
    let is_on_device = found.path.last().is_some_and(|it| source.macro_name(*it) == Some("@on_device"));
    is_on_device
        || outer.iter().any(|it| {
            !matches!(source.head(*it), "block" | "toplevel") && source.macro_name(*it) != Some("@doc")
        })
}

fn captures(session: &Session, module: Module, text: &str) -> Result<Vec<(String, Value)>, Error> {
    let rt = &session.rt;
    let pairs = text.split(';').filter_map(|it| it.split_once('='));
    let values = pairs.map(|(name, value)| {
        let value = toplevel::eval_string(rt, module, value).map_err(|it| thrown(session, &it))?;
        Ok((name.trim().to_owned(), value))
    });
    values.collect()
}

/// The record of a row's dialect.
fn dialect(session: &Session, row: &ReportRow) -> Result<Value, Error> {
    let rt = &session.rt;
    let is_it = |it: &Value| {
        let rows = dialects::field(rt, *it, "rows").and_then(|it| it.as_symbol(rt.types.core()));
        rows.is_some_and(|it| rt.types.name(it) == row.dialect)
    };
    let found = dialects::records(rt).into_iter().find(is_it);
    found.ok_or_else(|| Error::usage(format!("no dialect is called `{}`", row.dialect)))
}

/// Returns the argument types as a tuple type, after the implicit arguments of the dialect's launches.
fn signature(session: &Session, row: &ReportRow, module: Module) -> Result<Type, Error> {
    let rt = &session.rt;
    let mut known = Vec::new();
    for record in dialects::records(rt) {
        let Some(package) = dialects::name(rt, record) else { continue };
        known.push(format!("{package} = Main.Names.{package}"));
        let names = dialects::texts(rt, record, "row_names");
        known.extend(names.iter().map(|it| format!("{it} = {package}.{it}")));
    }
    let space = if row.space.is_empty() { "nothing" } else { &row.space };
    let text = format!(
        "let {}; Tuple{{Base.Device.launch_types(:{}, {space})..., {}}} end",
        known.join(", "),
        row.dialect,
        row.arguments
    );
    let value = toplevel::eval_string(rt, module, &text)
        .map_err(|it| Error::program(format!("the signature: {}", thrown(session, &it))))?;
    value.as_type(rt.types.core()).ok_or_else(|| Error::program("the signature is not a type"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_runtime::heap::text;

    #[test]
    fn a_context_says_what_the_launch_fixes() {
        let session = Session::new(SessionOptions::default()).unwrap();
        let rt = session.runtime();
        session.run_text("names", "using KernelAbstractions").unwrap();
        let types = |space: &str| {
            let text = format!("string(Base.Device.launch_types(:KA, {space}))");
            text::read(&rt.heap, toplevel::eval_string(rt, Module::MAIN, &text).unwrap()).unwrap()
        };
        assert!(types("2").contains("Context{2,"), "{}", types("2"));
        assert!(types("(8,)").contains("Context{1,"), "{}", types("(8,)"));
        assert!(types("(16, 16)").contains("StaticSize{(16, 16)}"), "{}", types("(16, 16)"));
    }
}
