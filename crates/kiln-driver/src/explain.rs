//! Why units are, or are not, found in the store.

use crate::check::Place;
use crate::kernel_host::Driver;
use crate::program::source;
use crate::typed::View;
use crate::unit::BoundUnit;
use kiln_cache::{Explanation, Key};
use kiln_ir::Instance;
use kiln_runtime::{Runtime, Value};
use kiln_types::Type;
use kiln_unit::EntryKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Driver {
    /// The keys of the units that a launch of `f` with these argument types runs, callees first, and what the store knows
    /// of each. Compiles what is not stored, so the session's store should be one that is not written.
    ///
    /// # Errors
    /// The diagnostics of a kernel that does not compile, rendered, or that there is no store.
    pub fn explain(&self, rt: &Runtime, f: Value, tt: Type) -> Result<Vec<(Key, Explanation)>, String> {
        let view = View::device(rt, &[]);
        let rendered = |it: Vec<_>| self.render(&it);
        let instance = self.entry_instance(rt, &view, rt.heap.dispatch_type(f), tt).map_err(rendered)?;
        let graph = self.call_graph(rt, &view, instance, Place::Device)?;
        let problems = self.problems(rt, &graph);
        if !problems.is_empty() {
            return Err(self.render(&problems));
        }
        let composition = self.compose(rt, &view, &graph, EntryKind::Kernel, false);
        let composition = composition.map_err(|it| self.render(&it.problems))?;
        let mut known: FxHashMap<Instance, Arc<BoundUnit>> = FxHashMap::default();
        for unit in composition.shared_units() {
            known.extend(unit.functions.iter().map(|it| (it.instance, unit.clone())));
        }
        let traits = |it: Instance| known.get(&it).and_then(|unit| unit.traits(it));
        let groups = graph.groups();
        let mut explained = Vec::with_capacity(groups.len());
        for (at, group) in groups.iter().enumerate() {
            let kind = if at + 1 == groups.len() { EntryKind::Kernel } else { EntryKind::Body };
            let source = source(&graph, group, &traits);
            let request = source.request(self, &rt.types, kind, view.params.in_kernel);
            let key = self.unit_key(rt, &source, &request).ok_or("there is no cache")?;
            let explanation = self.explain_key(&key).ok_or("there is no cache")?;
            explained.push((key, explanation));
        }
        Ok(explained)
    }
}
