//! Why units are, or are not, found in the store.

use crate::error::InspectError;
use crate::requests::{Asked, requests};
use crate::views::view_of;
use kiln_cache::{Explanation, Key};
use kiln_compile::{
    Cause, CompileEnv, Place, call_graph, device::device_link::key_of_device_link, device::device_order,
    device::is_entry, entry_instance, front_key, job, link_set, problems,
};
use kiln_exec::{ConfigId, ExecEnv};
use kiln_runtime::Value;
use kiln_targets::Items;
use kiln_types::{Type, datatype};
use kiln_unit::{EntryKind, OutputKinds};

/// The store's knowledge of a unit.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The key that it is looked up by.
    pub key: Key,
    /// Whether it is there, and what is there in its place.
    pub explanation: Explanation,
    /// The functions that parts of its key are about, by ordinal: the specialization, with the place of its method. Of what is
    /// linked, the first function of each unit.
    pub functions: Vec<String>,
    /// The changes in the program since it was last kept, if it is not there.
    pub causes: Vec<Cause>,
}

/// The keys of the units that a launch of `f` with these argument types runs, callees first, and what the store knows
/// of each; for a device of what is linked from them, too. Compiled as `config` says, or, without one, as it was launched.
/// Compiles what is not stored, so the session's store should be one that is not written.
///
/// # Errors
/// The diagnostics of a kernel that does not compile, or that there is no store.
pub fn explain(
    env: &ExecEnv<'_>,
    f: Value,
    tt: Type,
    config: Option<ConfigId>,
) -> Result<Vec<Explained>, InspectError> {
    let rt = env.rt;
    let mut types = vec![rt.heap.dispatch_type(f)];
    types.extend(datatype::params(&rt.types, tt).iter().copied());
    let view = config.map_or_else(|| view_of(env, &types), |it| env.view(it));
    let name = config.and_then(|it| env.config(it).options.name);
    let env = &env.stages(&view);
    let instance = entry_instance(env, types[0], tt)?;
    let graph = call_graph(env, instance, Place::Device)?;
    let problems = problems(env, &graph);
    if !problems.is_empty() {
        return Err(InspectError::of_program(problems));
    }
    let kind = if is_entry(rt, &view, &graph) { EntryKind::Kernel } else { EntryKind::Body };
    let kind = match (view.unit.facts.items, kind) {
        (Items::Loops, EntryKind::Body) => EntryKind::Function,
        (Items::Loops | Items::Device | Items::None, kind) => kind,
    };
    let link_set = link_set(env, &graph, kind)?;
    let mut all = Vec::new();
    for asked in requests(env, &graph, kind, &link_set) {
        all.push(explain_unit(env, &asked).ok_or(InspectError::NoStore)?);
    }
    if view.unit.facts.items != Items::Loops {
        let order = device_order(env, &graph, name, OutputKinds { object: true, ..OutputKinds::default() });
        let key = key_of_device_link(env, &link_set, &order).ok_or(InspectError::NoStore)?;
        let explanation = env.compiler.results.explain(&key).ok_or(InspectError::NoStore)?;
        let parts = link_set.linked_entry_first();
        let functions = parts.iter().map(|it| job(rt, it.functions[0].instance)).collect();
        all.push(Explained { key, explanation, functions, causes: Vec::new() });
    }
    Ok(all)
}

fn explain_unit(env: &CompileEnv<'_>, asked: &Asked) -> Option<Explained> {
    let key = front_key(env, &asked.source, &asked.request)?;
    let explanation = env.compiler.results.explain(&key)?;
    let members = asked.source.functions.iter().map(|it| it.instance);
    let all = members.clone().chain(asked.source.callees.iter().map(|it| it.callee.instance));
    let functions = all.map(|it| job(env.rt, it)).collect();
    let mut causes: Vec<Cause> = Vec::new();
    for instance in members.filter(|_| explanation.miss.is_some()) {
        let new = kiln_compile::causes(env, instance);
        causes.extend(new.into_iter().filter(|it| !causes.contains(it)).collect::<Vec<_>>());
    }
    Some(Explained { key, explanation, functions, causes })
}
