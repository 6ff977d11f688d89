//! The first stages of a job: from a function and argument types to the instance that runs, and to a call graph that has
//! been checked.

use crate::call_graph::call_graph;
use crate::check::Place;
use crate::diagnostics;
use crate::env::CompileEnv;
use crate::error::CompileError;
use crate::graph::CallGraph;
use crate::not_bits::not_bits;
use kiln_ir::{Instance, SourceLoc};
use kiln_runtime::tables::MethodMatch;
use kiln_syntax::{Diagnostic, FileId, Label};
use kiln_types::{Type, datatype};

/// The instance that a launch with these argument types runs.
///
/// # Errors
/// When an argument is no plain bits, or no method takes them.
pub fn entry_instance(env: &CompileEnv<'_>, function: Type, tt: Type) -> Result<Instance, CompileError> {
    let CompileEnv { rt, view, .. } = *env;
    let mut types = vec![function];
    types.extend(datatype::params(&rt.types, tt).iter().copied());
    let arguments = types.iter().enumerate().filter_map(|(position, ty)| {
        let found = not_bits(&rt.types, *ty)?;
        Some(diagnostics::not_bits(rt, SourceLoc::NONE, position, *ty, &found))
    });
    let refused: Vec<Diagnostic> = arguments.collect();
    if !refused.is_empty() {
        return Err(CompileError::in_this_world(refused));
    }
    let found = rt.tables.dispatch_in(view.id(rt), &types, view.world);
    let found =
        found.map_err(|_| CompileError::in_this_world(vec![diagnostics::no_method(rt, view, &types)]))?;
    // Host code is not specialized for functions that are only passed on; a kernel is for all that it is given.
    let method = rt.tables.instance_data(found).method;
    let sig = datatype::tuple(&rt.types, &types);
    let matches = rt.tables.find_matches_in(&view.tables, sig, view.world, usize::MAX);
    let same = |it: &MethodMatch| it.method == method && it.fully_covers;
    let exact = matches.and_then(|it| it.matches.into_iter().find(same));
    Ok(exact.map_or(found, |it| rt.tables.instance(method, sig, &it.static_params)))
}

/// Everything an entry reaches, if a device can run it.
///
/// # Errors
/// The problems.
pub fn checked_graph(env: &CompileEnv<'_>, entry: Instance) -> Result<CallGraph, CompileError> {
    let rt = env.rt;
    let graph = call_graph(env, entry, Place::Device);
    let graph = graph.map_err(|it| CompileError::in_this_world(diagnostics::plain(&it.to_string())))?;
    let mut problems = problems(env, &graph);
    let code = &graph.nodes[0].code;
    if !rt.types.subtype(code.return_type, rt.types.core().nothing) {
        let method = rt.tables.method(rt.tables.instance_data(entry).method);
        let name = rt.types.name(method.name);
        problems.insert(0, diagnostics::kernel_returns(rt, method.loc, name, code.return_type));
    }
    if problems.is_empty() {
        warn_of_doubts(env, &graph);
    }
    if problems.is_empty() { Ok(graph) } else { Err(CompileError::of_program(problems, graph.parts())) }
}

/// Returns the problems of a graph for a device, in the order in which the program reads.
pub fn problems(env: &CompileEnv<'_>, graph: &CallGraph) -> Vec<Diagnostic> {
    let (rt, is_user_file) = (env.rt, &env.compiler.options.is_user_file);
    let mut all: Vec<Diagnostic> = Vec::new();
    for problem in &graph.problems {
        let diagnostic = diagnostics::of_problem(rt, env.view, problem, &|it| is_user_file(it));
        if !all.contains(&diagnostic) {
            all.push(diagnostic);
        }
    }
    // As the program reads; what has no place comes last.
    all.sort_by_key(|it| {
        (it.primary.span.file == FileId::NONE, it.primary.span.file.0, it.primary.span.start)
    });
    all
}

/// The code of warnings about items that throw if data has them do so.
const MAY_THROW: &str = "may-throw";

/// Warns of calls that throw as data decides.
fn warn_of_doubts(env: &CompileEnv<'_>, graph: &CallGraph) {
    let rt = env.rt;
    let mut told = Vec::new();
    for doubt in &graph.doubts {
        let mut places = std::iter::once(doubt.loc).chain(doubt.through.iter().map(|it| it.call));
        let place = places.find(|it| env.compiler.is_user_file(*it));
        let Some((place, what)) = place.zip(diagnostics::doubt(rt, &doubt.kind)) else { continue };
        if told.contains(&place) {
            continue;
        }
        told.push(place);
        let at = Label { span: diagnostics::span(place), text: String::new() };
        let warning = Diagnostic { primary: at, ..Diagnostic::warning(MAY_THROW, what) };
        env.compiler.warnings.lock().push(warning);
    }
}
