//! The inputs of the units of a kernel.

use crate::error::InspectError;
use crate::views::device_view;
use kiln_compile::{
    BoundUnit, CallGraph, CompileEnv, LinkSet, Place, UnitSource, View, call_graph, entry_instance, link_set,
    problems, source,
};
use kiln_exec::ExecEnv;
use kiln_infer::InferenceParams;
use kiln_ir::Instance;
use kiln_runtime::Value;
use kiln_runtime::tables::CodeInstance;
use kiln_types::Type;
use kiln_unit::{CodegenRequest, EntryKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A unit of a device link, with what it is made of.
pub(crate) struct Asked {
    pub(crate) unit: Arc<BoundUnit>,
    pub(crate) source: UnitSource,
    pub(crate) request: CodegenRequest,
}

/// The requests for the units of a kernel that is inferred with these parameters, callees first: for tests of keys.
///
/// # Errors
/// The diagnostics of a kernel that does not compile.
pub fn unit_requests(
    env: &ExecEnv<'_>,
    f: Value,
    tt: Type,
    params: &InferenceParams,
) -> Result<Vec<CodegenRequest>, InspectError> {
    let rt = env.rt;
    let device = device_view(env, &[]);
    let view = View { owner: params.owner(rt, &device.tables, false), params: params.clone(), ..device };
    let env = &env.stages(&view);
    let function = rt.heap.dispatch_type(f);
    let instance = entry_instance(env, function, tt)?;
    let graph = call_graph(env, instance, Place::Device)?;
    let link_set = link_set(env, &graph, EntryKind::Kernel)?;
    Ok(requests(env, &graph, EntryKind::Kernel, &link_set).map(|it| it.request).collect())
}

/// Returns the inputs of each unit of an instance for the processor, callees first: the last is a kernel if it returns nothing.
///
/// # Errors
/// When it does not compile.
pub(crate) fn requests_of(env: &CompileEnv<'_>, typed: &CodeInstance) -> Result<Vec<Asked>, InspectError> {
    let graph = call_graph(env, typed.instance, Place::Device)?;
    let problems = problems(env, &graph);
    if !problems.is_empty() {
        return Err(InspectError::of_program(problems));
    }
    let is_kernel = env.rt.types.subtype(typed.return_type, env.rt.types.core().nothing);
    let entry = if is_kernel { EntryKind::Kernel } else { EntryKind::Function };
    let link_set = link_set(env, &graph, entry)?;
    Ok(requests(env, &graph, entry, &link_set).collect())
}

/// Returns the inputs of each unit that is linked for a device link of `graph`, callees first.
pub(crate) fn requests<'a>(
    env: &'a CompileEnv<'_>,
    graph: &'a CallGraph,
    entry: EntryKind,
    link_set: &'a LinkSet,
) -> impl Iterator<Item = Asked> + 'a {
    let mut known: FxHashMap<Instance, Arc<BoundUnit>> = FxHashMap::default();
    for unit in link_set.units() {
        known.extend(unit.functions.iter().map(|it| (it.instance, unit.clone())));
    }
    let groups = graph.groups();
    let last = groups.len() - 1;
    let units = groups.into_iter().zip(link_set.units()).enumerate();
    units.filter(|(at, _)| link_set.is_linked(*at)).map(move |(at, (group, unit))| {
        let kind = if at == last { entry } else { EntryKind::Body };
        let source = source(graph, &group, &|it| known.get(&it).and_then(|unit| unit.traits(it)));
        let request = source.request(env.rt, env.view, kind);
        Asked { unit: unit.clone(), source, request }
    })
}
