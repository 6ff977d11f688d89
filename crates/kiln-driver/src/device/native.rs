//! Functions for a named level of processor, as one object: the entry and all it calls are one unit, whose entry has the
//! launch ABI of the CPU (see `kiln_unit`).

use super::{DeviceCode, DeviceProgram, params};
use crate::call_graph::CallGraph;
use crate::diagnostics::plain;
use crate::jobs::Refusal;
use crate::kernel_host::Driver;
use crate::program::{Composition, Program, source};
use crate::reflect::disassemble;
use crate::typed::View;
use crate::unit::{UnitSource, Unmade};
use kiln_runtime::Runtime;
use kiln_unit::{Composed, EntryKind, Wanted};
use rustc_hash::FxHashMap;

impl Driver {
    /// One object of a graph, or what else is wanted of it.
    pub(crate) fn make_native(
        &self,
        rt: &Runtime,
        view: &View,
        graph: &CallGraph,
        wanted: Wanted,
    ) -> Result<DeviceProgram, Refusal> {
        let refused =
            |it: Unmade| Refusal { is_limit: it.is_limit, ..Refusal::of(it.problems, graph.parts()) };
        let is_kernel = rt.types.subtype(graph.nodes[0].code.return_type, rt.types.core().nothing);
        let kind = if is_kernel { EntryKind::Kernel } else { EntryKind::Function };
        let whole: Vec<usize> = (0..graph.nodes.len()).collect();
        let all = || -> UnitSource { source(graph, &whole, &|_| None) };
        let unit = self.compile_unit(rt, view, all(), kind, &|| ()).map_err(refused)?;
        let object = unit.body.object.clone();
        let mut composed = Composed { shared_bytes: unit.body.link.shared_bytes, ..Composed::default() };
        if wanted.optimized {
            let request = all().request(&rt.types, view, kind);
            let stages = self.stages(rt, &unit, &all(), &request);
            let stages = stages.map_err(|it| Refusal::of(it, graph.parts()))?;
            composed.optimized.clone_from(&stages.optimized);
        }
        if wanted.assembly {
            let text = disassemble(&object).map_err(|it| Refusal::for_now(plain(&it.0)))?;
            composed.assembly = text.into_bytes();
        }
        composed.object = object;
        let symbol = unit.body.link.entry.clone();
        let program = Program::of_device(&Composition::new(vec![unit], FxHashMap::default()));
        let params = params(program.entry());
        let sites = program.failure_sites();
        Ok(DeviceProgram { code: DeviceCode { symbol, composed, params, sites }, program })
    }
}
