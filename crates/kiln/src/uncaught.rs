//! The display of an uncaught exception: the event, its location in the program's own text, and advice.

use crate::error::{Diagnostic, Error};
use crate::frontend::{FrontState, span_of};
use crate::library;
use crate::session::Session;
use kiln_compile::described::describe;
use kiln_compile::near::{advice, nearest};
use kiln_ir::SourceLoc;
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::fields;
use kiln_runtime::{Runtime, Thrown, TraceFrame, Value};
use kiln_syntax::{FileId, Span};
use kiln_types::{Module, datatype, display};
use std::fmt::Write as _;

/// The advice for a file that is not there.
const INCLUDE_AND_OPEN: &str = "`include` takes a relative path from the directory of the file that names it, `open` \
    from the working directory";

/// No place: no file has this number.
const NO_SPAN: Span = Span { file: FileId::NONE, start: 0, end: 0 };

/// Frames shown of a trace.
const FRAMES_MAX: usize = 20;

/// The session's parts that name what an exception is about.
struct Uncaught<'a> {
    rt: &'a Runtime,
    front: &'a FrontState,
}

impl Session {
    /// Returns the error for an exception that nothing caught.
    pub(crate) fn failure(&self, thrown: &Thrown) -> Error {
        Uncaught { rt: &self.rt, front: &self.front }.error(thrown)
    }
}

impl Uncaught<'_> {
    fn error(&self, thrown: &Thrown) -> Error {
        if thrown.abort.is_some() {
            return Error::program("the program asked to end").with_code("exit");
        }
        if let Some(found) = thrown.trace.iter().find_map(|it| self.front.diagnostic_at(it.loc)) {
            let files = self.front.files.lock();
            let message = found.render(&files, self.front.color);
            return Error::program(message).with_diagnostics(vec![Diagnostic::new(&found, &files)]);
        }
        let exception = self.unwrapped(thrown.exception);
        let name = self.type_name(exception);
        let text = describe(self.rt, exception);
        let frame = self.user_frames(&thrown.trace).first().copied();
        let mut error = match name.as_str() {
            // Its text is diagnostics already, with places of their own.
            "KernelError" => {
                let error = Error::program(text.trim_end()).with_rendered(self.front);
                let message = self.with_launch(within_directory(text.trim_end()).as_str(), frame);
                Error { message, ..error }
            }
            _ => self.of_exception(exception, &name, &within_directory(&text), frame),
        };
        error.message.push('\n');
        self.write_trace(&mut error.message, &thrown.trace);
        error
    }

    /// The exception inside `LoadError`s: the places they tell are in the trace too.
    fn unwrapped(&self, mut exception: Value) -> Value {
        while self.type_name(exception) == "LoadError" {
            let count = fields::count(&self.rt.heap, exception);
            let Some(inner) = count.checked_sub(1).and_then(|it| fields::get(&self.rt.heap, exception, it))
            else {
                break;
            };
            exception = inner;
        }
        exception
    }

    fn type_name(&self, exception: Value) -> String {
        let types = &self.rt.types;
        let name = datatype::name_of(types, exception.ty()).map(|it| types.type_name(it).def.name);
        name.map_or_else(|| display::of_type(types, exception.ty()), |it| types.name(it).to_owned())
    }

    /// Diagnostics that are about the launch as a whole get its place.
    fn with_launch(&self, text: &str, frame: Option<TraceFrame>) -> String {
        match frame.and_then(|it| span_of(it.loc)) {
            Some(span) if !text.contains("-->") => {
                let shown = kiln_syntax::Diagnostic::error("launch", "", span).with_label("launched here");
                let shown = shown.render(&self.front.files.lock(), self.front.color);
                let place = shown.split_once('\n').map_or("", |it| it.1);
                text.replacen("\n |\n", &format!("\n{place}\n  |\n"), 1)
            }
            _ => text.to_owned(),
        }
    }

    fn of_exception(&self, exception: Value, name: &str, text: &str, frame: Option<TraceFrame>) -> Error {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        // Julia's name of the exception stays in what is printed; kiln's own exceptions have a code instead.
        let message = first.strip_prefix(&format!("{name}: ")).unwrap_or(first);
        let first = if name == "UnsupportedError" { message } else { first };
        let code = match message.starts_with("Package ") {
            true if name == "ArgumentError" => "missing-package",
            _ if name == "UnsupportedError" => self.unsupported_code(exception),
            // It begins with the name of the exception that it stands for.
            _ if name == "KernelException" => code(first.split(' ').next().unwrap_or(name)),
            _ => code(name),
        };
        let mut help: Vec<String> = Vec::new();
        if !rest.trim().is_empty() {
            help.push(rest.trim().to_owned());
        }
        help.extend(self.advice(exception, name, message, frame));
        let span = frame.and_then(|it| span_of(it.loc));
        let mut found = kiln_syntax::Diagnostic::error(code, first, span.unwrap_or(NO_SPAN));
        if !help.is_empty() {
            found = found.with_help(help.join("\n"));
        }
        let files = self.front.files.lock();
        let message = match span {
            Some(_) => found.render(&files, self.front.color),
            None => {
                let help = help.iter().map(|it| format!("\n  = help: {it}")).collect::<String>();
                format!("error[{code}]: {first}{help}")
            }
        };
        Error::program(message).with_diagnostics(vec![Diagnostic::new(&found, &files)])
    }

    /// The code of a feature that kiln does not have.
    fn unsupported_code(&self, exception: Value) -> &'static str {
        let what = fields::get(&self.rt.heap, exception, 0).and_then(|it| it.as_symbol(self.rt.types.core()));
        match what.map(|it| self.rt.types.name(it)) {
            Some("ccall") => "unsupported-ccall",
            Some("llvmcall") => "unsupported-llvmcall",
            _ => "unsupported",
        }
    }

    /// Returns advice, where there is some.
    fn advice(
        &self,
        exception: Value,
        name: &str,
        message: &str,
        frame: Option<TraceFrame>,
    ) -> Option<String> {
        match name {
            "UndefVarError" => {
                let core = self.rt.types.core();
                let var = fields::get(&self.rt.heap, exception, 0)?.as_symbol(core)?;
                let scope = fields::get(&self.rt.heap, exception, 2).and_then(|it| it.as_module(core));
                let module = scope.unwrap_or(Module::MAIN);
                let frame_name = frame.map(|it| self.rt.types.name(it.name));
                if scope.is_none()
                    && frame_name == Some("top-level scope")
                    && toplevel::has_own_global(self.rt, module, var)
                {
                    let var = self.rt.types.name(var);
                    return Some(format!(
                        "the loop assigns `{var}`, which makes it a variable of the loop: write `global {var}` in it to assign the global"
                    ));
                }
                advice(self.rt, module, var, frame.map_or(SourceLoc::NONE, |it| it.loc))
            }
            "ArgumentError" => {
                let package =
                    message.strip_prefix("Package ")?.strip_suffix(" not found in current path.")?;
                let known = library::packages();
                Some(match nearest(package, &known) {
                    Some(found) => format!("did you mean `{found}`?"),
                    None => format!(
                        "kiln comes with {}; others are found in the project that `--project=DIR` names, by its manifest and depots, and as checkouts NAME.jl in the folder that KILN_CORPUS names (`kiln pkg why {package}`)",
                        known.join(", ")
                    ),
                })
            }
            "SystemError" => message.starts_with("opening file").then(|| INCLUDE_AND_OPEN.into()),
            _ => None,
        }
    }

    /// The frames in the program's own files, innermost first.
    fn user_frames(&self, trace: &[TraceFrame]) -> Vec<TraceFrame> {
        let mut frames: Vec<TraceFrame> = Vec::new();
        for frame in trace {
            let place = self.rt.frontend.place(frame.loc);
            let known = |it: &TraceFrame| it.name == frame.name && self.rt.frontend.place(it.loc) == place;
            let own = place.as_ref().is_some_and(|it| !it.0.starts_with(library::PREFIX));
            if own && !frames.last().is_some_and(known) {
                frames.push(*frame);
            }
        }
        frames
    }

    /// Writes the trace; nothing for top-level code.
    fn write_trace(&self, out: &mut String, trace: &[TraceFrame]) {
        let frames = self.user_frames(trace);
        let is_told = |it: &TraceFrame| self.rt.types.name(it.name) == "top-level scope";
        if frames.is_empty() || frames.len() == 1 && is_told(&frames[0]) {
            return;
        }
        out.push_str("Stacktrace:\n");
        for (number, frame) in frames.iter().take(FRAMES_MAX).enumerate() {
            let (file, line) = self.rt.frontend.place(frame.loc).unwrap_or_default();
            let _ = writeln!(out, " [{}] {} at {file}:{line}", number + 1, self.rt.types.name(frame.name));
        }
        if frames.len() > FRAMES_MAX {
            let _ = writeln!(out, " ... and {} more", frames.len() - FRAMES_MAX);
        }
    }
}

/// Paths below the working directory are shown relative to it.
fn within_directory(text: &str) -> String {
    match std::env::current_dir() {
        Ok(dir) => text.replace(&format!("{}/", dir.display()), ""),
        Err(_) => text.to_owned(),
    }
}

/// The code of an exception of this type.
fn code(name: &str) -> &'static str {
    match name {
        "MethodError" => "method-error",
        "UndefVarError" => "undefined-name",
        "SystemError" => "missing-file",
        "ArgumentError" => "argument-error",
        "BoundsError" => "bounds-error",
        "DivideError" => "divide-error",
        "InexactError" => "inexact-error",
        "TypeError" => "type-error",
        "DimensionMismatch" => "dimension-mismatch",
        "KeyError" => "key-error",
        "StackOverflowError" => "stack-overflow",
        "TestSetException" | "FallbackTestSetException" => "tests-failed",
        _ => "exception",
    }
}
