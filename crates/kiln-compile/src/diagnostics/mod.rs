//! The diagnostics of the driver, one file each: a problem in, a `Diagnostic` with code, place and help out.

mod allocation;
mod ambiguous_call;
mod boxed;
mod dynamic_call;
mod foreign_call;
mod generator;
mod global_variable;
mod growing_types;
mod host_call;
mod host_object;
mod internal;
mod kernel_returns;
mod llvmcall;
mod memory_size;
mod no_device;
mod no_matching_method;
mod not_bits;
mod static_assertion;
mod sure_throw;
mod tool;
mod try_in_kernel;
mod unresolved_symbol;
mod unsupported;
mod unsupported_print;

use crate::check::{Problem, ProblemKind};
use crate::definite::SureThrow;
use crate::inputs::View;
use crate::not_bits::NotBits;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::Runtime;
use kiln_runtime::tables::Method;
use kiln_syntax::{Diagnostic, FileId, Span};
use kiln_types::{Type, module};
use std::sync::Arc;

pub use internal::{bug, diagnostic as internal};
pub use llvmcall::refusal as llvmcall_refusal;
pub use memory_size::of_launch as memory_of_launch;
pub use no_device::diagnostic as no_device;
pub use static_assertion::diagnostic as static_assertion;
pub use tool::{codegen as no_codegen, driver as refused_by_driver};
pub use unresolved_symbol::diagnostic as unresolved_symbol;
pub use unsupported::{refusal, target_limit};

/// One problem without a place.
pub fn plain(message: &str) -> Vec<Diagnostic> {
    vec![refusal(SourceLoc::NONE, message)]
}

/// The place as a span. Nowhere is the start of no file, which the renderer leaves out.
pub fn span(loc: SourceLoc) -> Span {
    Span::new(FileId(loc.file()), loc.start(), loc.start() + loc.len())
}

/// The problem, said to the user. `user_file` tells the program's own files from the library's: the message points at the
/// innermost place in the former.
pub fn of_problem(
    rt: &Runtime,
    view: &View,
    problem: &Problem,
    user_file: &dyn Fn(SourceLoc) -> bool,
) -> Diagnostic {
    let places = std::iter::once(problem.loc).chain(problem.through.iter().map(|it| it.call));
    // A default constructor fails where it is called.
    let is_of_call = matches!(problem.kind, ProblemKind::Throws(SureThrow::Keywords(_)));
    let unwritten = usize::from(is_unwritten(rt, problem) || is_of_call);
    let place = places.skip(unwritten).find(|it| user_file(*it)).unwrap_or(problem.loc);
    // Whatever the library's printing stumbles over in a kernel: the program has printed.
    let entered = problem.through.iter().find(|it| it.call == place);
    if !matches!(problem.kind, ProblemKind::Report { .. })
        && let Some(name) = entered.and_then(|it| unsupported_print::printer(rt, it.callee))
    {
        return unsupported_print::to_stream(rt, place, name);
    }
    let mut diagnostic = match &problem.kind {
        ProblemKind::DynamicCall { types, blame: Some(blame) } => {
            match memory_size::diagnostic(rt, place, types) {
                Some(of_size) => return of_size,
                None => dynamic_call::diagnostic(rt, place, types, blame),
            }
        }
        ProblemKind::DynamicCall { types, blame: None } => ambiguous_call::diagnostic(rt, view, place, types)
            .or_else(|| growing_types::of_call(rt, view, place, types))
            .unwrap_or_else(|| no_matching_method::diagnostic(rt, view, place, types)),
        ProblemKind::Allocation { ty } => {
            // Where in the library it is done tells nothing.
            return allocation::diagnostic(rt, place, *ty, entered.map(|it| it.callee));
        }
        ProblemKind::HostCall { name } if name.contains("string") => {
            return host_object::string(rt, place, entered.map(|it| it.callee));
        }
        ProblemKind::HostObject { ty } if *ty == rt.types.core().string && entered.is_some() => {
            return host_object::string(rt, place, entered.map(|it| it.callee));
        }
        ProblemKind::HostCall { name: "write_bytes" } => unsupported_print::to_stream(rt, place, "write"),
        ProblemKind::Report { types } => unsupported_print::of_value(rt, place, types),
        ProblemKind::HostCall { name } => {
            let called = entered.map(|it| rt.types.name(method_of(rt, it.callee).name));
            return host_call::diagnostic(place, called.unwrap_or(name));
        }
        ProblemKind::ForeignCall { name } => {
            foreign_call::diagnostic(place, name.map(|it| rt.types.name(it)))
        }
        ProblemKind::RuntimeCall { name } => host_call::of_builtin(place, name),
        ProblemKind::Global { module, name } => global_variable::diagnostic(rt, place, *module, *name),
        ProblemKind::HostObject { ty } => host_object::diagnostic(rt, place, *ty),
        ProblemKind::Boxed { ty, wide } => boxed::diagnostic(rt, place, *ty, *wide),
        ProblemKind::Untold { wide, asked } => boxed::untold(rt, place, *wide, *asked),
        ProblemKind::Growth { method, from, to, count } => {
            growing_types::diagnostic(rt, place, *method, (*from, *to), *count)
        }
        ProblemKind::Throws(thrown) if is_of_call => {
            let diagnostic = sure_throw::diagnostic(rt, place, thrown);
            return diagnostic.with_secondary(span(problem.loc), "this method does not take them");
        }
        ProblemKind::Throws(thrown) => sure_throw::diagnostic(rt, place, thrown),
        ProblemKind::Generator { method, types, said, thrown } => {
            let thrown = Some(*thrown).filter(|it| user_file(*it) && *it != place);
            return generator::diagnostic(rt, place, (*method, types), said, thrown);
        }
        ProblemKind::Try => try_in_kernel::diagnostic(place),
        ProblemKind::Throw => unsupported::throw(place),
    };
    if place != problem.loc && !problem.loc.is_none() {
        diagnostic = diagnostic.with_secondary(span(problem.loc), "reached through calls that were inlined");
    }
    diagnostic
}

fn method_of(rt: &Runtime, callee: Instance) -> Arc<Method> {
    rt.tables.method(rt.tables.instance_data(callee).method)
}

/// Whether a problem is in a constructor that comes with its type: its place is the type's.
fn is_unwritten(rt: &Runtime, problem: &Problem) -> bool {
    matches!(problem.kind, ProblemKind::Allocation { .. })
        && problem.through.first().is_some_and(|it| method_of(rt, it.callee).loc == problem.loc)
}

/// The warning about a call that throws as data decides.
pub fn doubt(rt: &Runtime, kind: &ProblemKind) -> Option<String> {
    match kind {
        ProblemKind::DynamicCall { types, .. } => {
            let call = no_matching_method::call_text(rt, types);
            Some(format!(
                "no method takes all calls `{call}`: an item that makes one without throws a MethodError"
            ))
        }
        ProblemKind::Global { module, name } => {
            let (name, module) = (rt.types.name(*name), module::path(&rt.types, *module));
            Some(format!(
                "`{name}` is not defined in `{module}`: an item that comes here throws an UndefVarError"
            ))
        }
        ProblemKind::Throws(thrown) => {
            let what = sure_throw::diagnostic(rt, SourceLoc::NONE, thrown).message;
            Some(format!("an item that comes here throws {what}"))
        }
        _ => None, // refused
    }
}

/// A kernel returns something.
pub fn kernel_returns(rt: &Runtime, loc: SourceLoc, name: &str, ty: Type) -> Diagnostic {
    kernel_returns::diagnostic(rt, loc, name, ty)
}

/// An argument is no plain bits.
pub fn not_bits(rt: &Runtime, loc: SourceLoc, position: usize, ty: Type, found: &NotBits) -> Diagnostic {
    not_bits::diagnostic(rt, loc, position, ty, found)
}

/// No method for the launch.
pub fn no_method(rt: &Runtime, view: &View, types: &[Type]) -> Diagnostic {
    no_matching_method::diagnostic(rt, view, SourceLoc::NONE, types)
}
