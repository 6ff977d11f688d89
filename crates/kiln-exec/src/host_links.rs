//! The linked host code of a session: each unit is placed once for all its callers, and calls between units go through slots.
//!
//! A unit names the functions that it calls. A [`CallSlot`] stands for each: one cell with the address of its code. When a method is
//! redefined and its callers stay as they are, their machine code stays, too: the slot is pointed at the new code, once for all callers.
//! A function of a [late unit](kiln_compile::LateUnit) has a slot of its own that callers' slots lead to: the first call has its code
//! generated and placed.
//!
//! # Invariants
//! * Host code that runs in a world calls, to its end, what that world says. So a slot gets another meaning only while no compiled
//!   host code runs, and only by what is linked for the newest world; compiled code is not used in older worlds after that
//!   ([`HostLinks::since`]). Otherwise the callers are placed once more, with slots of their own.
//! * Host code runs, is linked and is redefined by the one thread that runs Julia code of the session.
//! * Sites of placed units have numbers of the session.
//!
//! Kernels are linked whole, with direct calls ([`Program::link`]): a linked kernel never changes.

use crate::late_binding::{LateBinding, LateEntry};
use crate::trusted;
use kiln_compile::{BoundUnit, CompileEnv, Compiler, LinkSet, Program, SessionAddresses, list_code};
use kiln_ir::Instance;
use kiln_link::{CallSlot, Linked, Linker, ObjectLinkError};
use kiln_runtime::Runtime;
use kiln_runtime::tables::World;
use kiln_unit::{Role, SHARED_BASE, SITE_BASE, Traits};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The placed units of a session, and the slots between them.
#[derive(Debug, Default)]
pub struct HostLinks {
    state: Mutex<State>,
    /// Calls of compiled host code, by what is not, that have not returned.
    running: AtomicU64,
    /// The runtime of the last of them.
    runtime: AtomicPtr<Runtime>,
    /// How often slots were given another meaning.
    changes: AtomicU64,
    /// The world of the last time.
    changed_in: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// By the address of the unit, which the entry keeps.
    placed: FxHashMap<usize, Vec<Arc<PlacedUnit>>>,
    /// For what is linked for the newest world.
    slots: FxHashMap<Callee, Arc<CallSlot>>,
    sites: u32,
}

/// A function that a unit calls: as the unit names it, which definition of it, and the traits that its ABI depends on.
type Callee = (Instance, Role, Traits);

/// A unit in the arena.
#[derive(Debug)]
pub(crate) struct PlacedUnit {
    pub(crate) unit: Arc<BoundUnit>,
    /// Where it is; `None` for a late unit.
    linked: Option<Linked>,
    /// The addresses that its functions are called at, by symbol.
    entries: Vec<(String, u64)>,
    /// The way to the code of a late unit.
    late: Option<Arc<LateBinding>>,
    /// The number before its first site.
    pub(crate) sites: u32,
    /// The addresses and numbers that its globals stand for.
    pub(crate) globals: Vec<Option<u64>>,
    /// The slots of its calls, in the order of [`BoundUnit::calls`].
    pub(crate) slots: Vec<Arc<CallSlot>>,
}

/// A linked host function.
#[derive(Debug)]
pub(crate) struct HostProgram {
    /// Its units.
    pub(crate) program: Program,
    /// Where the entry's unit is.
    pub(crate) linked: Linked,
    /// [`HostLinks::changes`] when it was linked: the slots are as it needs them while that is the same.
    pub(crate) changes: u64,
}

/// Compiled host code runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Running<'a>(&'a HostLinks);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl HostLinks {
    /// Notes that compiled host code runs, in this session's runtime.
    pub(crate) fn running<'a>(&'a self, rt: &'a Runtime) -> Running<'a> {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.runtime.store(std::ptr::from_ref(rt).cast_mut(), Ordering::Relaxed);
        Running(self)
    }

    /// The runtime of the compiled host code that runs; null if none does.
    pub(crate) fn running_in(&self) -> *const Runtime {
        match self.running.load(Ordering::Relaxed) {
            0 => std::ptr::null(),
            _ => self.runtime.load(Ordering::Relaxed),
        }
    }

    /// How often slots were given another meaning.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// The first world that code may run in which was linked after so many [changes](Self::changes).
    pub(crate) fn since(&self, changes: u64) -> World {
        let is_same = changes == self.changes();
        World::new(if is_same { 0 } else { self.changed_in.load(Ordering::Acquire) })
    }

    /// Links a host function for the environment's world.
    ///
    /// # Errors
    /// When a unit does not link, or the arena is full.
    pub(crate) fn link(
        self: &Arc<Self>,
        env: &CompileEnv<'_>,
        (compiler, linker): (&Arc<Compiler>, &Arc<Linker>),
        link_set: &LinkSet,
    ) -> Result<HostProgram, ObjectLinkError> {
        let link = || self.link_units(env, (compiler, linker), link_set);
        env.counters().timed(|it| &it.link_ns, "link", String::new, link)
    }

    fn link_units(
        self: &Arc<Self>,
        env: &CompileEnv<'_>,
        (compiler, linker): (&Arc<Compiler>, &Arc<Linker>),
        link_set: &LinkSet,
    ) -> Result<HostProgram, ObjectLinkError> {
        let (rt, world) = (env.rt, env.view.world);
        let is_newest = world == rt.tables.world();
        let mut linking = Linking {
            state: &mut self.state.lock(),
            links: self,
            compiler,
            linker,
            link_set,
            world,
            is_newest,
            may_change: is_newest && self.running.load(Ordering::Relaxed) == 0,
            targets: FxHashMap::default(),
            placed: 0,
            changed: 0,
        };
        let mut units = Vec::new();
        let mut failed = None;
        for unit in link_set.linked() {
            match linking.placed_unit(env, unit) {
                Ok(placed) => units.push(placed),
                Err(why) => {
                    failed = Some(why);
                    break;
                }
            }
        }
        let (placed, changed) = (linking.placed, linking.changed);
        // Also of a link that failed half-way.
        if changed > 0 {
            self.changed_in.store(world.number(), Ordering::Release);
            self.changes.fetch_add(1, Ordering::Release);
        }
        env.counters().add(|it| &it.units_placed, placed);
        env.counters().add(|it| &it.slots_changed, changed);
        if let Some(why) = failed {
            return Err(why);
        }
        let entry = units.last().ok_or_else(|| ObjectLinkError::Malformed("nothing to link".into()))?;
        let bases = units.iter().map(|it| (it.sites, it.unit.clone())).collect();
        let program = Program::of_placed(bases, entry.sites);
        let linked = entry.linked.clone();
        let linked = linked.ok_or_else(|| ObjectLinkError::Malformed("an entry without code".into()))?;
        Ok(HostProgram { program, linked, changes: self.changes() })
    }

    /// Places the code of a late unit that was placed. Later links reach the code through its entries.
    ///
    /// # Errors
    /// As for [`HostLinks::link`].
    pub(crate) fn place_late(
        &self,
        env: &CompileEnv<'_>,
        linker: &Linker,
        (placed, made): (&PlacedUnit, &Arc<BoundUnit>),
    ) -> Result<Linked, ObjectLinkError> {
        let (link, told) = (&made.body.link, &placed.unit.body.link);
        if link.sites.len() != told.sites.len() || link.definitions != told.definitions {
            return Err(ObjectLinkError::Malformed(
                "code of another unit than its callers were told of".into(),
            ));
        }
        let same_global = |symbol: &str| told.globals.iter().position(|it| it.symbol == symbol);
        let globals: Vec<Option<u64>> =
            link.globals.iter().map(|it| placed.globals[same_global(&it.symbol)?]).collect();
        let slots = made.calls().map(|(call, callee)| {
            let mut known = placed.unit.calls().zip(&placed.slots);
            let same =
                known.find(|((_, it), _)| it.instance == callee.instance && it.traits == callee.traits);
            let slot = same.filter(|_| call.role == Role::Body).map(|it| it.1.clone());
            slot.ok_or_else(|| ObjectLinkError::Undefined(call.symbol.clone()))
        });
        let slots = slots.collect::<Result<Vec<_>, _>>()?;
        let linked = place(linker, made, placed.sites, (&globals, &slots))?;
        list_code(env, made, &linked);
        let (sites, entries) = (placed.sites, placed.entries.clone());
        let also =
            PlacedUnit { unit: made.clone(), linked: None, entries, late: None, sites, globals, slots };
        self.state.lock().placed.entry(Arc::as_ptr(made) as usize).or_default().push(Arc::new(also));
        env.counters().add(|it| &it.units_placed, 1);
        Ok(linked)
    }
}

/// One link of a program.
struct Linking<'a> {
    state: &'a mut State,
    links: &'a Arc<HostLinks>,
    compiler: &'a Arc<Compiler>,
    linker: &'a Arc<Linker>,
    link_set: &'a LinkSet,
    world: World,
    is_newest: bool,
    /// Whether slots may be given other meanings.
    may_change: bool,
    /// The addresses of the functions of the units so far.
    targets: FxHashMap<(Instance, Role), u64>,
    /// Units placed, and slots changed.
    placed: u64,
    changed: u64,
}

impl Linking<'_> {
    /// Returns the unit where it is placed. Its functions are targets for the units that follow.
    fn placed_unit(
        &mut self,
        env: &CompileEnv<'_>,
        unit: &Arc<BoundUnit>,
    ) -> Result<Arc<PlacedUnit>, ObjectLinkError> {
        let session = SessionAddresses::new(env.rt, unit, self.world);
        let globals: Vec<_> = unit.body.link.globals.iter().map(|it| session.address(&it.role)).collect();
        let mut targets = Vec::new();
        for (call, callee) in unit.calls() {
            let instance = self.link_set.meaning(callee.instance);
            let target = self.targets.get(&(instance, call.role)).copied();
            targets.push(target.ok_or_else(|| ObjectLinkError::Undefined(call.symbol.clone()))?);
        }
        let key = Arc::as_ptr(unit) as usize;
        let known = self.state.placed.get(&key).into_iter().flatten().filter(|it| it.globals == globals);
        let known: Vec<Arc<PlacedUnit>> = known.cloned().collect();
        let fits =
            |it: &&Arc<PlacedUnit>| it.slots.iter().zip(&targets).all(|(slot, to)| slot.target() == *to);
        let placed = match known.iter().find(fits).or(known.first().filter(|_| self.may_change)) {
            Some(placed) => {
                placed.slots.iter().zip(&targets).for_each(|(slot, to)| self.point(slot, *to));
                placed.clone()
            }
            None => {
                let placed = Arc::new(self.place(unit, globals, &targets)?);
                if let Some(late) = &placed.late {
                    late.leads_to(&placed);
                }
                if let Some(linked) = &placed.linked {
                    list_code(env, unit, linked);
                }
                self.state.placed.entry(key).or_default().push(placed.clone());
                placed
            }
        };
        for it in unit.body.link.definitions.iter().filter(|it| it.role != Role::Entry) {
            if let Some((_, address)) = placed.entries.iter().find(|entry| entry.0 == it.symbol) {
                let instance = unit.functions[it.ordinal as usize].instance;
                self.targets.insert((instance, it.role), *address);
            }
        }
        Ok(placed)
    }

    /// Has a slot lead to a target.
    fn point(&mut self, slot: &CallSlot, target: u64) {
        if slot.target() != target {
            trusted::point_slot(slot, target);
            self.changed += 1;
        }
    }

    fn place(
        &mut self,
        unit: &Arc<BoundUnit>,
        globals: Vec<Option<u64>>,
        targets: &[u64],
    ) -> Result<PlacedUnit, ObjectLinkError> {
        let mut slots = Vec::new();
        for ((call, callee), target) in unit.calls().zip(targets) {
            slots.push(self.slot((callee.instance, call.role, callee.traits), *target)?);
        }
        let (unit, sites) = (unit.clone(), self.state.sites);
        self.state.sites += unit.body.link.sites.len() as u32;
        if unit.late.is_some() {
            let late = LateBinding::new((self.links, self.compiler, self.linker));
            let entries = LateEntry::of(&late, &unit).map(|it| trusted::late_slot(self.linker, it));
            let entries = late.keep(entries.collect::<Result<_, _>>()?);
            return Ok(PlacedUnit { unit, linked: None, entries, late: Some(late), sites, globals, slots });
        }
        let linked = place(self.linker, &unit, sites, (&globals, &slots))?;
        self.placed += 1;
        let entries = linked.symbols.clone();
        Ok(PlacedUnit { unit, linked: Some(linked), entries, late: None, sites, globals, slots })
    }

    /// Returns a slot that leads to the target: what is linked for the newest world shares one for each callee.
    fn slot(&mut self, callee: Callee, target: u64) -> Result<Arc<CallSlot>, ObjectLinkError> {
        if let Some(slot) = self.state.slots.get(&callee).cloned() {
            if self.may_change {
                self.point(&slot, target);
            }
            if slot.target() == target {
                return Ok(slot);
            }
        }
        let slot = Arc::new(trusted::slot(self.linker, target)?);
        if self.is_newest {
            self.state.slots.insert(callee, slot.clone());
        }
        Ok(slot)
    }
}

/// Places a unit, with the addresses of its globals and the slots of its calls.
fn place(
    linker: &Linker,
    unit: &BoundUnit,
    sites: u32,
    (globals, slots): (&[Option<u64>], &[Arc<CallSlot>]),
) -> Result<Linked, ObjectLinkError> {
    let link = &unit.body.link;
    linker.link(&unit.body.object, &mut |symbol| match symbol {
        SITE_BASE => Some(sites.into()),
        SHARED_BASE => Some(0),
        _ => {
            let global = link.globals.iter().position(|it| it.symbol == symbol);
            let call = || unit.calls().position(|it| it.0.symbol == symbol);
            match global {
                Some(at) => globals[at],
                None => match call() {
                    Some(at) => Some(slots[at].stub()),
                    None => kiln_link::runtime_symbol(symbol),
                },
            }
        }
    })
}
