//! From entries to kernels: inferred and checked, their units compiled together, then linked for this machine or for a device.

use crate::device::made_entry::device_entry;
use crate::env::{ExecEnv, Executor};
use crate::kernel::{Kernel, KernelEntry};
use crate::launch_table::DeviceId;
use crate::pending::CompilationParts;
use crate::seed::is_drawn_from;
use kiln_compile::{
    CacheHit, CallGraph, CompileError, LinkSet, LinkSetRequest, Program, View, checked_graph,
    device::device_program, diagnostics, found_kernel, job, link_sets, specialization,
};
use kiln_ir::Instance;
use kiln_link::{Linker, ObjectLinkError};
use kiln_metrics::{Compilation, nanos};
use kiln_runtime::Runtime;
use kiln_runtime::bug::while_doing;
use kiln_runtime::tables::CodeInstance;
use kiln_targets::Items;
use kiln_types::Type;
use kiln_unit::EntryKind;
use std::sync::Arc;
use std::time::Instant;

/// Returns the linker of this process.
pub(crate) fn linker(exec: &Executor) -> Result<Arc<Linker>, ObjectLinkError> {
    if let Some(linker) = exec.linker.get() {
        return Ok(linker.clone());
    }
    let is_profiled = exec.compiler.options.code_map.is_some();
    let linker = Arc::new(if is_profiled { Linker::for_profilers()? } else { Linker::new()? });
    Ok(exec.linker.get_or_init(|| linker).clone())
}

/// Does `work` and notes what it cost to compile `instance`.
pub(crate) fn compiling<T>(
    env: &ExecEnv<'_>,
    instance: Instance,
    is_kernel: bool,
    work: impl FnOnce() -> T,
) -> T {
    let mut parts = CompilationParts::default();
    let result = compiling_part(env, &mut parts, (instance, is_kernel), work);
    note_compilation(env, &parts, (instance, is_kernel));
    result
}

/// Does a part of a compilation.
pub(crate) fn compiling_part<T>(
    env: &ExecEnv<'_>,
    parts: &mut CompilationParts,
    (instance, is_kernel): (Instance, bool),
    work: impl FnOnce() -> T,
) -> T {
    let (rt, counters) = (env.rt, env.counters());
    let start = Instant::now();
    let what = what(is_kernel);
    let doing = || format!("compiling the {what} {}", job(rt, instance));
    let result = counters.on_behalf_of(&parts.tally.tallies(), || while_doing(doing, work));
    let took = start.elapsed();
    counters.span(what, || specialization(rt, instance), start, took);
    parts.nanos += nanos(took);
    result
}

/// Notes the cost of a compilation of which no part is left.
pub(crate) fn note_compilation(
    env: &ExecEnv<'_>,
    parts: &CompilationParts,
    (instance, is_kernel): (Instance, bool),
) {
    let rt = env.rt;
    let name = rt.types.name(rt.tables.method(rt.tables.instance_data(instance).method).name).into();
    let spent = parts.tally.now();
    let nanos = parts.all_nanos().saturating_sub(spent.open_ns);
    env.exec.notes.compilations.add(Compilation { name, is_kernel, nanos, spent });
}

fn what(is_kernel: bool) -> &'static str {
    if is_kernel { "kernel" } else { "host function" }
}

/// Infers and checks each entry, then compiles the units of all that passed, then links.
pub fn compile_all(
    env: &ExecEnv<'_>,
    entries: &[(&View, Result<Instance, CompileError>)],
) -> Vec<Result<Kernel, CompileError>> {
    let made = |(view, entry): &(&View, Result<Instance, CompileError>)| {
        let entry = entry.clone()?;
        Ok(match found_kernel(&env.stages(view), entry) {
            Some(found) => Checked::Found(found),
            None => Checked::Graph(checked_graph(&env.stages(view), entry)?),
        })
    };
    let checked: Vec<Result<Checked, CompileError>> = entries.iter().map(made).collect();
    let passed = entries.iter().zip(&checked).filter_map(|(it, checked)| match checked {
        Ok(Checked::Graph(graph)) => Some((it.0, graph)),
        Ok(Checked::Found(_)) | Err(_) => None,
    });
    let wanted: Vec<LinkSetRequest<'_>> = passed
        .map(|(view, graph)| LinkSetRequest {
            env: env.stages(view),
            graph,
            entry: EntryKind::Kernel,
            may_be_late: false,
        })
        .collect();
    let linked_module = if wanted.is_empty() { Vec::new() } else { link_sets(&env.exec.compiler, &wanted) };
    let mut linked_module = linked_module.into_iter();
    let each = entries.iter().zip(&checked);
    each.map(|(it, checked)| match checked {
        Err(refusal) => Err(refusal.clone()),
        Ok(Checked::Found(found)) => kernel_of(env, it.0, found),
        Ok(Checked::Graph(graph)) => {
            let link_set =
                linked_module.next().unwrap_or_else(|| unreachable!("each graph that passed has one"));
            let link_set = link_set.map_err(|it| it.with_dependencies(graph.parts()))?;
            if it.0.unit.facts.items == Items::Loops {
                cpu_kernel(env, it.0, &link_set, graph.parts())
            } else {
                device_kernel(env, it.0, graph, &link_set)
            }
        }
    })
    .collect()
}

fn device_kernel(
    env: &ExecEnv<'_>,
    view: &View,
    graph: &CallGraph,
    link_set: &LinkSet,
) -> Result<Kernel, CompileError> {
    let parts = graph.parts();
    let wanted = kiln_unit::OutputKinds { object: true, ..kiln_unit::OutputKinds::default() };
    let made = device_program(&env.stages(view), graph, link_set, None, wanted)?;
    let (entry, program) = device_entry(env, view, made)?;
    let (entry, device) = (KernelEntry::Device(Box::new(entry)), DeviceId::CPU);
    let (name, is_random) = (entry_method_name(env.rt, &parts), is_drawn_from(env.rt, &parts));
    let signature = signature_of(env.rt, &program);
    Ok(Kernel { name, entry, device, program, signature, is_random, tier: None, parts })
}

/// Links a kernel that was found, for this machine.
pub(crate) fn kernel_of(env: &ExecEnv<'_>, view: &View, found: &CacheHit) -> Result<Kernel, CompileError> {
    cpu_kernel(env, view, &found.link_set, [found.typed.clone()].into())
}

/// Links a kernel for this machine.
fn cpu_kernel(
    env: &ExecEnv<'_>,
    view: &View,
    link_set: &LinkSet,
    parts: Arc<[Arc<CodeInstance>]>,
) -> Result<Kernel, CompileError> {
    let rt = env.rt;
    let linker = linker(env.exec).map_err(|it| CompileError::bug(&it.to_string()))?;
    let linked = Program::link(&env.stages(view), &linker, link_set);
    let (program, linked) = linked.map_err(|it| CompileError::bug(&it.to_string()))?;
    let (link, shared) = (program.entry(), program.shared_bytes as usize);
    let heap = view.heap_bytes as usize;
    let bound = view.unit.facts.limits.static_shared_bytes;
    if let Some(max) = bound.filter(|it| program.shared_bytes > *it) {
        let method = rt.tables.method(rt.tables.instance_data(parts[0].instance).method);
        let message = format!(
            "{shared} bytes of static shared memory, where a group has {max}: {} may be larger",
            diagnostics::memory_of_launch(rt)
        );
        return Err(CompileError::limit(diagnostics::target_limit(method.loc, &message), parts));
    }
    let entry = crate::trusted::cpu_kernel(linker, &linked, link, shared, heap)
        .ok_or_else(|| CompileError::bug(&format!("the code generator made no `{}`", link.entry)))?;
    let (entry, device) = (KernelEntry::Cpu(entry), DeviceId::CPU);
    let (name, is_random) = (entry_method_name(env.rt, &parts), is_drawn_from(env.rt, &parts));
    let signature = signature_of(env.rt, &program);
    Ok(Kernel { name, entry, device, program, signature, is_random, tier: None, parts })
}

fn signature_of(rt: &Runtime, program: &Program) -> Type {
    rt.tables.instance_data(program.entry_function().instance).spec_types
}

/// An entry that passed.
enum Checked {
    /// Its kernel was found.
    Found(CacheHit),
    /// The call graph.
    Graph(CallGraph),
}

fn entry_method_name(rt: &Runtime, parts: &[Arc<CodeInstance>]) -> kiln_types::Symbol {
    rt.tables.method(rt.tables.instance_data(parts[0].instance).method).name
}
