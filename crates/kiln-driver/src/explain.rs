//! Why units are, or are not, found in the store.

use crate::kernel_host::Driver;
use crate::launch_table::ConfigId;
use kiln_cache::{Explanation, Key};
use kiln_compile::{
    BoundUnit, CallGraph, Cause, Composition, Place, UnitSource, View, call_graph, compose,
    device::composition::key_of_composition, device::device_order, device::is_entry, entry_instance,
    front_key, job, problems, source,
};
use kiln_infer::InferenceParams;
use kiln_ir::Instance;
use kiln_runtime::{Runtime, Value};
use kiln_targets::Items;
use kiln_types::Type;
use kiln_unit::{CodegenRequest, EntryKind, Wanted};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The store's knowledge of a unit.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The key that it is looked up by.
    pub key: Key,
    /// Whether it is there, and what is there in its place.
    pub explanation: Explanation,
    /// The functions that parts of its key are about, by ordinal: the specialization, with the place of its method. Of what is
    /// composed, the first function of each unit.
    pub functions: Vec<String>,
    /// The changes in the program since it was last kept, if it is not there.
    pub causes: Vec<Cause>,
}

impl Driver {
    /// The keys of the units that a launch of `f` with these argument types runs, callees first, and what the store knows
    /// of each; for a device of what is composed of them, too. Compiled as `config` says, or, without one, as it was launched.
    /// Compiles what is not stored, so the session's store should be one that is not written.
    ///
    /// # Errors
    /// The diagnostics of a kernel that does not compile, rendered, or that there is no store.
    pub fn explain(
        &self,
        rt: &Runtime,
        f: Value,
        tt: Type,
        config: Option<ConfigId>,
    ) -> Result<Vec<Explained>, String> {
        let mut types = vec![rt.heap.dispatch_type(f)];
        types.extend(rt.types.params(tt).iter().copied());
        let view = config.map_or_else(|| self.view_of(rt, &types), |it| self.config_view(rt, it));
        let instance =
            entry_instance(&self.env(rt, &view), types[0], tt).map_err(|it| self.compiler.render(&it))?;
        let graph = call_graph(&self.env(rt, &view), instance, Place::Device);
        let graph = graph.map_err(|it| it.to_string())?;
        let problems = problems(&self.env(rt, &view), &graph);
        if !problems.is_empty() {
            return Err(self.compiler.render(&problems));
        }
        let kind = if is_entry(rt, &view, &graph) { EntryKind::Kernel } else { EntryKind::Body };
        let kind = match (view.unit.facts.items, kind) {
            (Items::Loops, EntryKind::Body) => EntryKind::Function,
            (Items::Loops | Items::Device | Items::None, kind) => kind,
        };
        let composition = compose(&self.env(rt, &view), &graph, kind);
        let composition = composition.map_err(|it| self.compiler.render(&it.diagnostics))?;
        let mut all = Vec::new();
        for asked in self.requests(rt, &view, &graph, kind, &composition) {
            all.push(self.explain_unit(rt, &view, &asked).ok_or("there is no cache")?);
        }
        if view.unit.facts.items != Items::Loops {
            let name = config.and_then(|it| self.config(it).options.name);
            let order = device_order(
                &self.env(rt, &view),
                &graph,
                name,
                Wanted { object: true, ..Wanted::default() },
            );
            let key =
                key_of_composition(&self.env(rt, &view), &composition, &order).ok_or("there is no cache")?;
            let explanation = self.compiler.results.explain(&key).ok_or("there is no cache")?;
            let parts = composition.linked_entry_first();
            let functions = parts.iter().map(|it| job(rt, it.functions[0].instance)).collect();
            all.push(Explained { key, explanation, functions, causes: Vec::new() });
        }
        Ok(all)
    }

    fn explain_unit(&self, rt: &Runtime, view: &View, asked: &Asked) -> Option<Explained> {
        let key = front_key(&self.env(rt, view), &asked.source, &asked.request)?;
        let explanation = self.compiler.results.explain(&key)?;
        let members = asked.source.functions.iter().map(|it| it.instance);
        let all = members.clone().chain(asked.source.callees.iter().map(|it| it.callee.instance));
        let functions = all.map(|it| job(rt, it)).collect();
        let mut causes: Vec<Cause> = Vec::new();
        for instance in members.filter(|_| explanation.miss.is_some()) {
            let new = kiln_compile::causes(&self.env(rt, view), instance);
            causes.extend(new.into_iter().filter(|it| !causes.contains(it)).collect::<Vec<_>>());
        }
        Some(Explained { key, explanation, functions, causes })
    }
}

/// A unit of a composition, with what it is made of.
pub(crate) struct Asked {
    pub(crate) unit: Arc<BoundUnit>,
    pub(crate) source: UnitSource,
    pub(crate) request: CodegenRequest,
}

impl Driver {
    /// The requests for the units of a kernel that is inferred with these parameters, callees first: for tests of keys.
    ///
    /// # Errors
    /// The diagnostics of a kernel that does not compile, rendered.
    pub fn unit_requests(
        &self,
        rt: &Runtime,
        f: Value,
        tt: Type,
        params: &InferenceParams,
    ) -> Result<Vec<CodegenRequest>, String> {
        let device = self.device_view(rt, &[]);
        let view = View { owner: params.owner(rt, &device.tables, false), params: params.clone(), ..device };
        let function = rt.heap.dispatch_type(f);
        let instance =
            entry_instance(&self.env(rt, &view), function, tt).map_err(|it| self.compiler.render(&it))?;
        let graph = call_graph(&self.env(rt, &view), instance, Place::Device);
        let graph = graph.map_err(|it| it.to_string())?;
        let composition = compose(&self.env(rt, &view), &graph, EntryKind::Kernel);
        let composition = composition.map_err(|it| self.compiler.render(&it.diagnostics))?;
        Ok(self.requests(rt, &view, &graph, EntryKind::Kernel, &composition).map(|it| it.request).collect())
    }

    /// Returns the inputs of each unit that is linked for a composition of `graph`, callees first.
    pub(crate) fn requests<'a>(
        &'a self,
        rt: &'a Runtime,
        view: &'a View,
        graph: &'a CallGraph,
        entry: EntryKind,
        composition: &'a Composition,
    ) -> impl Iterator<Item = Asked> + 'a {
        let mut known: FxHashMap<Instance, Arc<BoundUnit>> = FxHashMap::default();
        for unit in composition.units() {
            known.extend(unit.functions.iter().map(|it| (it.instance, unit.clone())));
        }
        let groups = graph.groups();
        let last = groups.len() - 1;
        let units = groups.into_iter().zip(composition.units()).enumerate();
        units.filter(|(at, _)| composition.is_linked(*at)).map(move |(at, (group, unit))| {
            let kind = if at == last { entry } else { EntryKind::Body };
            let source = source(graph, &group, &|it| known.get(&it).and_then(|unit| unit.traits(it)));
            let request = source.request(rt, view, kind);
            Asked { unit: unit.clone(), source, request }
        })
    }
}
