//! Functions for a named level of processor, as one object: the entry and all it calls are one unit, whose entry has the
//! launch ABI of the CPU (see `kiln_unit`, and `include/kiln.h` for programs in C) and the name of the kernel. The unit is what
//! jobs of this session have as well; giving it a name makes the object again of what the passes left.

use super::{DeviceCode, DeviceProgram, EntryAbi, order, params};
use crate::diagnostics::target_limit;
use crate::env::CompileEnv;
use crate::error::CompileError;
use crate::generate::{compile_unit, stages};
use crate::graph::CallGraph;
use crate::internal::place_of;
use crate::program::{LinkSet, Program, source};
use crate::unit::UnitSource;
use kiln_types::Symbol;
use kiln_unit::{EntryKind, LinkPart, LinkedModule, OutputKinds};
use rustc_hash::FxHashMap;

/// One object of a graph, or what else is wanted of it.
pub(super) fn make_native(
    env: &CompileEnv<'_>,
    graph: &CallGraph,
    name: Option<Symbol>,
    wanted: OutputKinds,
) -> Result<DeviceProgram, CompileError> {
    let CompileEnv { rt, view, .. } = *env;
    let refused = |it: CompileError| it.with_dependencies(graph.parts());
    let is_kernel = rt.types.subtype(graph.nodes[0].code.return_type, rt.types.core().nothing);
    let kind = if is_kernel { EntryKind::Kernel } else { EntryKind::Function };
    let whole: Vec<usize> = (0..graph.nodes.len()).collect();
    let all = || -> UnitSource { source(graph, &whole, &|_| None) };
    let unit = compile_unit(env, all(), kind, &|| ()).map_err(refused)?;
    let link = unit.body.link.clone();
    if !link.globals.is_empty() || link.holds_address {
        let what = "an object cannot hold a symbol or an address of this session: other programs have others";
        return Err(CompileError::limit(
            target_limit(place_of(env, graph.nodes[0].typed.instance), what),
            graph.parts(),
        ));
    }
    let request = all().request(rt, view, kind);
    let stages = stages(env, &unit, &all(), &request);
    let stages = stages.map_err(refused)?;
    let part = LinkPart { bitcode: stages.optimized.clone(), ..LinkPart::default() };
    let link_set = LinkSet::new(vec![unit], FxHashMap::default());
    let order = order(rt, view, graph, name, wanted);
    let linked_module =
        super::device_link::linked_module_from_parts(env, &link_set, &order, vec![part]).map_err(refused)?;
    let linked_module = LinkedModule { shared_bytes: link.shared_bytes, ..linked_module };
    let abi = match kind {
        EntryKind::Kernel if link.has_barrier => EntryAbi::Item,
        EntryKind::Kernel => EntryAbi::Groups,
        EntryKind::Function | EntryKind::Body => EntryAbi::Function,
    };
    let program = Program::of_device(&link_set);
    let params = params(program.entry(), abi);
    Ok(DeviceProgram {
        code: DeviceCode { symbol: order.name.clone(), module: linked_module, params },
        program,
    })
}
