//! How far a kernel gets, without launching it: for reports over many kernels.

use crate::views::device_view;
use kiln_compile::{Place, call_graph, entry_instance, problems};
use kiln_exec::{ExecEnv, compile_all};
use kiln_runtime::Value;
use kiln_syntax::Diagnostic;
use kiln_types::Type;

/// Why a kernel is not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Whether it became static code, so that what failed is code generation or linking.
    pub is_static: bool,
    /// The problems, one a line, the first of them first.
    pub reasons: Vec<String>,
}

/// Infers, checks, compiles and links the kernel `f` for argument types `tt`.
///
/// # Errors
/// The stage it stopped at and why.
pub fn survey(env: &ExecEnv<'_>, f: Value, tt: Type) -> Result<(), Refused> {
    let refused = |is_static: bool, all: &[Diagnostic]| Refused {
        is_static,
        reasons: all.iter().map(summary).collect(),
    };
    let view = device_view(env, &[]);
    let stages = &env.stages(&view);
    let instance = entry_instance(stages, env.rt.heap.dispatch_type(f), tt)
        .map_err(|it| refused(false, &it.diagnostics))?;
    let graph = call_graph(stages, instance, Place::Device);
    let graph = graph.map_err(|it| Refused { is_static: false, reasons: vec![it.to_string()] })?;
    let problems = problems(stages, &graph);
    if !problems.is_empty() {
        return Err(refused(false, &problems));
    }
    let made = compile_all(env, &[(&view, Ok(instance))]).pop();
    made.map_or(Ok(()), |it| it.map(|_| ()).map_err(|it| refused(true, &it.diagnostics)))
}

fn summary(diagnostic: &Diagnostic) -> String {
    let label = &diagnostic.primary.text;
    let because = if label.is_empty() { String::new() } else { format!(" ({label})") };
    format!("{}{because}", diagnostic.message)
}
