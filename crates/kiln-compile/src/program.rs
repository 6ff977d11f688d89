//! Programs: an entry's unit linked with those of all it calls.

use crate::code_map::list_code;
use crate::env::CompileEnv;
use crate::error::CompileError;
use crate::graph::CallGraph;
use crate::host_globals::SessionAddresses;
use crate::unit::{BoundUnit, Signature, UnitCallee, UnitFunction, UnitSource, Units};
use crate::unit_queue::{LinkSetRequest, link_sets};
use crate::unit_target::UnitTarget;
use kiln_ir::{Instance, Op, StmtData};
use kiln_link::{Linked, Linker, ObjectLinkError};
use kiln_runtime::Runtime;
use kiln_unit::{EntryKind, LinkInfo, Role, RuntimeRole, SHARED_BASE, SITE_BASE, Site, Traits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Where a unit's blocks of a group's memory may begin, in bytes.
const SHARED_ALIGN: u32 = 64;

/// The units of an entry, one for each group of its call graph, each after those it calls; the entry's own is the last.
#[derive(Debug)]
pub struct LinkSet {
    units: Vec<Arc<BoundUnit>>,
    /// Which of them are linked.
    needed: Vec<bool>,
    /// The instance that each function a unit names means now.
    means: FxHashMap<Instance, Instance>,
}

/// An entry with all it calls, linked.
#[derive(Debug)]
pub struct Program {
    /// Each with the number before its first site, in the order of these.
    units: Vec<(u32, Arc<BoundUnit>)>,
    /// The position of the entry's unit.
    entry: usize,
    /// Static shared memory a group, in bytes.
    pub shared_bytes: u32,
}

/// The units of the graph's entry, compiled unless they have been. `entry` is what the entry is to be.
pub fn link_set(env: &CompileEnv<'_>, graph: &CallGraph, entry: EntryKind) -> Result<LinkSet, CompileError> {
    let request = LinkSetRequest { env: *env, graph, entry, may_be_late: false };
    let made = link_sets(env.compiler, &[request]).pop();
    made.unwrap_or_else(|| unreachable!("one program is asked for"))
}

/// Which units the last one needs, itself among them: what LLVM found no call of is not linked, just as it is not when the
/// caller's unit has been made before.
fn needed(units: &[Arc<BoundUnit>], means: &FxHashMap<Instance, Instance>) -> Vec<bool> {
    let mut called: FxHashSet<Instance> = FxHashSet::default();
    let mut needed = vec![false; units.len()];
    for (at, unit) in units.iter().enumerate().rev() {
        needed[at] = at + 1 == units.len() || unit.functions.iter().any(|it| called.contains(&it.instance));
        if needed[at] {
            called.extend(unit.calls().map(|it| means.get(&it.1.instance).copied().unwrap_or(it.1.instance)));
        }
    }
    needed
}

/// Whether a unit of a function of a group is that of all of them, and what it was told of its callees still holds.
pub fn is_valid(
    unit: &BoundUnit,
    (graph, group): (&CallGraph, &[usize]),
    (target, kind): (&UnitTarget, EntryKind),
    traits: &dyn Fn(Instance) -> Option<Traits>,
    resolve: &dyn Fn(Instance) -> Instance,
) -> bool {
    let of = |node: usize| Units::of(&graph.nodes[node].typed).get(target, kind);
    let same = |it: &usize| of(*it).is_some_and(|it| std::ptr::eq(Arc::as_ptr(&it), unit));
    let complete = unit.functions.len() == group.len() && group.iter().all(same);
    // Functions that call one another in a circle have one unit each to be entered by.
    let entry = graph.nodes[group[0]].typed.instance;
    let is_entry = kind == EntryKind::Body || unit.functions.first().is_some_and(|it| it.instance == entry);
    let holds = |it: &UnitCallee| traits(resolve(it.instance)) == Some(it.traits);
    complete && is_entry && unit.calls().all(|it| holds(&it.1))
}

/// Returns the source of a group's unit. `traits` are those of the callees, which have been compiled.
pub fn source(graph: &CallGraph, group: &[usize], traits: &dyn Fn(Instance) -> Option<Traits>) -> UnitSource {
    let function = |at: &usize| {
        let node = &graph.nodes[*at];
        UnitFunction::new(node.typed.instance, node.code.clone())
    };
    let mut callees: Vec<Signature> = Vec::new();
    for &member in group {
        for &at in &graph.nodes[member].callees {
            let node = &graph.nodes[at];
            let instance = node.typed.instance;
            if group.contains(&at) || callees.iter().any(|it| it.callee.instance == instance) {
                continue;
            }
            let traits = match node.is_interpreted {
                true => Traits::INTERPRETED,
                false => traits(instance).unwrap_or_default(),
            };
            callees.push(Signature { callee: UnitCallee { instance, traits }, code: node.code.clone() });
        }
    }
    let mut runtime: Vec<(RuntimeRole, Instance)> = Vec::new();
    for (role, at) in group.iter().flat_map(|it| &graph.nodes[*it].runtime) {
        if !group.contains(at) && runtime.iter().all(|it| it.0 != *role) {
            runtime.push((*role, graph.nodes[*at].typed.instance));
        }
    }
    UnitSource { functions: group.iter().map(function).collect(), callees, runtime }
}

impl LinkSet {
    /// Of units, each after those it calls, the entry's last. `means` says which instance a call means now.
    pub fn new(units: Vec<Arc<BoundUnit>>, means: FxHashMap<Instance, Instance>) -> Self {
        let needed = needed(&units, &means);
        Self { units, needed, means }
    }

    /// The unit of each group of the call graph, in its order.
    pub fn units(&self) -> &[Arc<BoundUnit>] {
        &self.units
    }

    /// Whether the unit at this position is linked.
    pub fn is_linked(&self, at: usize) -> bool {
        self.needed[at]
    }

    /// The units that are linked, the entry's first, then as they are first called: the same order in every session. (Where
    /// some have been made already, their callees come in another order in the call graph.)
    pub fn linked_entry_first(&self) -> Vec<&Arc<BoundUnit>> {
        let mut order: Vec<&Arc<BoundUnit>> = self.units.last().into_iter().collect();
        let mut at = 0;
        while let Some(unit) = order.get(at).copied() {
            for (_, callee) in unit.calls() {
                let wanted = self.meaning(callee.instance);
                let defines = |it: &&Arc<BoundUnit>| it.functions.iter().any(|it| it.instance == wanted);
                if !order.iter().any(defines) {
                    order.extend(self.units.iter().find(defines));
                }
            }
            at += 1;
        }
        order
    }

    /// The units that are linked, each after those it calls, the entry's last.
    pub fn linked(&self) -> impl Iterator<Item = &Arc<BoundUnit>> {
        self.units.iter().zip(&self.needed).filter(|it| *it.1).map(|it| it.0)
    }

    /// The instance that a function a unit names means now.
    pub fn meaning(&self, instance: Instance) -> Instance {
        self.means.get(&instance).copied().unwrap_or(instance)
    }
}

impl Program {
    /// A device link that a device links: its sites are numbered as the parts are.
    pub fn of_device(link_set: &LinkSet) -> Self {
        let mut sites = 0;
        let units = link_set.linked_entry_first().into_iter().map(|unit| {
            let base = sites;
            sites += unit.body.link.sites.len() as u32;
            (base, unit.clone())
        });
        Self { units: units.collect(), entry: 0, shared_bytes: 0 }
    }

    /// Units that are placed, each with the number before its first site; `entry` is that of the entry's unit.
    pub fn of_placed(mut units: Vec<(u32, Arc<BoundUnit>)>, entry: u32) -> Self {
        units.sort_by_key(|it| it.0);
        let entry = units.iter().position(|it| it.0 == entry).unwrap_or(0);
        Self { units, entry, shared_bytes: 0 }
    }

    /// Links a device link; also where the entry's unit was placed.
    pub fn link(
        env: &CompileEnv<'_>,
        linker: &Linker,
        link_set: &LinkSet,
    ) -> Result<(Self, Linked), ObjectLinkError> {
        env.counters().timed(|it| &it.link_ns, "link", String::new, || Self::place(env, linker, link_set))
    }

    fn place(
        env: &CompileEnv<'_>,
        linker: &Linker,
        link_set: &LinkSet,
    ) -> Result<(Self, Linked), ObjectLinkError> {
        let Some((entry, others)) = link_set.units.split_last() else {
            return Err(ObjectLinkError::Malformed("nothing to link".into()));
        };
        // The entry's own numbers count from 0.
        let (mut sites, mut shared) = (entry.body.link.sites.len() as u32, entry.body.link.shared_bytes);
        let mut units = vec![(0, entry.clone())];
        let mut addresses = Addresses::default();
        for (unit, _) in others.iter().zip(&link_set.needed).filter(|it| *it.1) {
            let shared_base = shared.next_multiple_of(SHARED_ALIGN);
            let bases = (sites, shared_base);
            let linked = link_unit(env, linker, unit, bases, &link_set.means, &addresses)?;
            for it in unit.body.link.definitions.iter().filter(|it| it.role != Role::Entry) {
                if let Some(address) = linked.address(&it.symbol) {
                    let instance = unit.functions[it.ordinal as usize].instance;
                    addresses.insert((instance, it.role), address);
                }
            }
            units.push((sites, unit.clone()));
            sites += unit.body.link.sites.len() as u32;
            shared = shared_base + unit.body.link.shared_bytes;
        }
        let linked = link_unit(env, linker, entry, (0, 0), &link_set.means, &addresses)?;
        Ok((Self { units, entry: 0, shared_bytes: shared }, linked))
    }

    /// Its units, those of a kernel with the entry's first.
    pub fn units(&self) -> impl Iterator<Item = &BoundUnit> {
        self.units.iter().map(|it| it.1.with_code())
    }

    /// How the entry is launched.
    pub fn entry(&self) -> &LinkInfo {
        &self.units[self.entry].1.body.link
    }

    /// The functions of the entry's unit, the entry first.
    pub fn entry_function(&self) -> &UnitFunction {
        &self.units[self.entry].1.functions[0]
    }

    /// Whether the function of a site launches kernels: its accesses to arrays look for copies on devices themselves.
    pub fn launches(&self, number: u32) -> bool {
        self.unit_of(number).is_some_and(|(base, unit)| {
            let site = unit.body.link.sites.get((number - base).wrapping_sub(1) as usize);
            site.is_some_and(|it| unit.launches(it.function))
        })
    }

    /// Whether the entry launches kernels.
    pub fn entry_launches(&self) -> bool {
        self.units[self.entry].1.launches(0)
    }

    fn unit_of(&self, number: u32) -> Option<(u32, &BoundUnit)> {
        let at = self.units.partition_point(|it| it.0 < number).checked_sub(1)?;
        self.units.get(at).map(|it| (it.0, it.1.with_code()))
    }

    /// How many sites there are.
    pub fn site_count(&self) -> u32 {
        self.units.last().map_or(0, |it| it.0 + it.1.body.link.sites.len() as u32)
    }

    /// The call of a function, and who makes it, if there is one place only that it is called or looked up at.
    pub fn only_call(&self, rt: &Runtime, callee: Instance) -> Option<(&UnitFunction, &StmtData)> {
        let functions = self.units.iter().flat_map(|it| &it.1.functions);
        let world = rt.current_world();
        let means = |it: Instance| it == callee || rt.tables.current_instance(it, world) == callee;
        let calls = |it: &&StmtData| it.op.callee().is_some_and(means);
        let mut found =
            functions.flat_map(|it| it.code(rt).stmts.values().filter(calls).map(move |call| (it, call)));
        let only = found.next().filter(|(_, call)| matches!(call.op, Op::Invoke(..)))?;
        found.next().is_none().then_some(only)
    }

    /// The site of this number (from 1), and the function it is in. `None` for a number that no unit has.
    pub fn site(&self, number: u32) -> Option<(&Site, &UnitFunction)> {
        let (base, unit) = self.unit_of(number)?;
        let site = unit.body.link.sites.get((number - base).checked_sub(1)? as usize)?;
        Some((site, unit.functions.get(site.function as usize)?))
    }
}

/// Where the definitions of functions are.
type Addresses = FxHashMap<(Instance, Role), u64>;

fn link_unit(
    env: &CompileEnv<'_>,
    linker: &Linker,
    unit: &BoundUnit,
    (sites, shared): (u32, u32),
    means: &FxHashMap<Instance, Instance>,
    addresses: &Addresses,
) -> Result<Linked, ObjectLinkError> {
    let named = SessionAddresses::new(env.rt, unit, env.view.world);
    let linked = linker.link(&unit.body.object, &mut |symbol| match symbol {
        SITE_BASE => Some(sites.into()),
        SHARED_BASE => Some(shared.into()),
        _ => {
            let global = unit.body.link.globals.iter().find(|it| it.symbol == symbol);
            if let Some(global) = global {
                return named.address(&global.role);
            }
            let callee = unit.calls().find(|it| it.0.symbol == symbol);
            match callee {
                Some((call, callee)) => {
                    let instance = means.get(&callee.instance).copied().unwrap_or(callee.instance);
                    addresses.get(&(instance, call.role)).copied()
                }
                None => kiln_link::runtime_symbol(symbol),
            }
        }
    })?;
    list_code(env, unit, &linked);
    Ok(linked)
}
