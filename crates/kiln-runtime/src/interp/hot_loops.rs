//! Loops that run long are compiled while they run: at a back edge to the loop's header, registers of the frame
//! become arguments of the compiled loop, and its results become registers again.

use super::callees::Special;
use super::clock::not_interpreting;
use super::decode::Decoded;
use super::loop_body::{self, Exit, LoopBody};
use super::room::ask_compiler;
use super::run::Activation;
use super::task::{self, Machine, is_undefined};
use crate::heap::{Value, constants, fields, params};
use crate::preparing;
use crate::runtime::Runtime;
use crate::services::{CompiledBody, HostCode, HotPart, HotSpot};
use crate::tables::{Binding, MethodDef, World};
use crate::thrown::Run;
use kiln_ir::{HostFunction, Instance, Lowered};
use kiln_types::{Type, datatype};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Jumps back in one activation after which its loops are compiled: by then interpreting has taken about as long as
/// compiling will.
pub(super) const HOT_BACK_EDGES: u32 = 500;
/// Back edges after which the store is searched for code of an earlier process. The search takes about as long as
/// they do.
pub(super) const WARM_BACK_EDGES: u32 = 16;
/// Loops that are compiled, or refused, for one body at a time: one more for every set of types, of which the oldest make place.
const LOOPS_MAX: usize = 64;
/// Loops that are compiled, or refused, for one body in a session: the code of those that made place is still there.
const LOOPS_MADE_MAX: u32 = 2048;
/// Of the loops around a hot statement, how many are tried.
const NESTED_MAX: usize = 3;

/// Loops of one body that were asked for in the store and are not there: for one more nothing is asked.
const UNNOTED_MAX: usize = 8;

/// How often the loops of an activation have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heat {
    /// Not often; loops that are compiled run all the same.
    Cold,
    /// Not often, but loops of the body did in an earlier process. Those that it compiled are compiled, and no others: which loop
    /// is entered now, and with what, need not be what will be hot.
    Noted,
    /// Often: they are compiled.
    Hot,
}

impl Heat {
    pub(super) fn of(back_edges: u32, is_noted: bool) -> Self {
        match (back_edges >= HOT_BACK_EDGES, is_noted) {
            (true, _) => Self::Hot,
            (false, true) => Self::Noted,
            (false, false) => Self::Cold,
        }
    }
}

/// A loop entered at one statement with values of certain types.
#[derive(Debug)]
struct HotLoop {
    header: u32,
    /// The registers it takes, and their types.
    inputs: Vec<(u32, Type)>,
    /// The registers that it may read and that have no value.
    undefined: Vec<u32>,
    exits: Vec<Exit>,
    code: RwLock<LoopCode>,
}

/// The code of a loop.
#[derive(Debug)]
enum LoopCode {
    Compiled(Arc<dyn CompiledBody>),
    /// The loop is interpreted.
    Refused,
    /// No earlier process compiled it: it is interpreted until it is hot.
    Unnoted,
    /// It is being compiled, as this instance; the number is the compiler's progress when it was last asked for. Of the loops around
    /// the header so many have been tried.
    Pending(Instance, u64, usize),
}

impl HotLoop {
    fn compiled(&self) -> Option<Arc<dyn CompiledBody>> {
        match &*self.code.read() {
            LoopCode::Compiled(body) => Some(body.clone()),
            LoopCode::Refused | LoopCode::Unnoted | LoopCode::Pending(..) => None,
        }
    }

    /// Whether the loop is being compiled, or is compiled for this world.
    fn is_expected_in(&self, world: World) -> bool {
        match &*self.code.read() {
            LoopCode::Compiled(body) => body.worlds().contains(world),
            LoopCode::Pending(..) => true,
            LoopCode::Refused | LoopCode::Unnoted => false,
        }
    }

    fn is_unnoted(&self) -> bool {
        matches!(*self.code.read(), LoopCode::Unnoted)
    }
}

/// The hot loops of a body.
#[derive(Debug, Default)]
pub(super) struct HotLoops {
    any: AtomicBool,
    /// Jumps back in activations that have ended, as long as they are counted.
    jumps: AtomicU32,
    /// Jumps back with types that no loop here was compiled for, since one was compiled last.
    unmatched: AtomicU32,
    known: RwLock<Vec<Arc<HotLoop>>>,
    /// Loops that were compiled, or refused.
    made: AtomicU32,
}

impl HotLoops {
    /// Adds a loop that is compiled, or refused.
    fn keep(&self, made: Arc<HotLoop>) {
        self.made.fetch_add(1, Ordering::Relaxed);
        let mut known = self.known.write();
        if known.iter().filter(|it| !it.is_unnoted()).count() >= LOOPS_MAX
            && let Some(oldest) = known.iter().position(|it| !it.is_unnoted())
        {
            known.remove(oldest);
        }
        known.push(made);
    }

    /// Whether loops of this body have been compiled, or refused, for some types, or have run long in many activations.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Counts the jumps back in an activation that ends.
    pub(super) fn count(&self, jumps: u32) {
        if !self.any() && self.jumps.fetch_add(jumps, Ordering::Relaxed) >= HOT_BACK_EDGES {
            self.any.store(true, Ordering::Relaxed);
        }
    }

    /// Counts a jump back with other types than those. Returns whether these types are hot together: short activations of a
    /// body that is hot for other types compile nothing before that, as most bodies of the library run for many types.
    fn is_hot_for_more(&self) -> bool {
        let is_hot = self.unmatched.fetch_add(1, Ordering::Relaxed) + 1 >= HOT_BACK_EDGES;
        if is_hot {
            self.unmatched.store(0, Ordering::Relaxed);
        }
        is_hot
    }
}

/// Whether an earlier process compiled a loop of this body for arguments of these types.
#[cold]
pub(super) fn was_hot_loop(rt: &Runtime, machine: &Machine, act: Activation<'_>) -> bool {
    let Some(compiler) = rt.compiler.get() else { return false };
    !task::is_limited()
        && loop_spot(rt, machine, act).and_then(|it| ask_compiler(|| compiler.was_hot(rt, &it))) == Some(true)
}

/// Returns the identity of its loops; `None` if it has no arguments, as a program's own statements have none.
fn loop_spot(rt: &Runtime, machine: &Machine, act: Activation<'_>) -> Option<HotSpot> {
    let code = &act.body.code;
    let args = &machine.stack[act.base..act.base + code.nargs as usize];
    let known = !args.is_empty() && !args.iter().any(|it| is_undefined(*it));
    let types = || args.iter().map(|it| rt.heap.dispatch_type(*it)).collect();
    known.then(|| HotSpot { name: code.name, loc: code.loc, types: types(), part: HotPart::Loops })
}

/// Runs the loop with this header as compiled code, if it is compiled for the types at hand, or can be and the
/// activation, or the body for similar types, is hot, or an earlier process compiled it. Returns the statement at which the frame continues: the
/// header itself if nothing ran.
#[cold]
pub(super) fn run_hot_loop(
    rt: &Runtime,
    machine: &mut Machine,
    act: Activation<'_>,
    header: u32,
    heat: Heat,
) -> Run<u32> {
    if rt.compiler.get().is_none() || task::is_limited() {
        return Ok(header);
    }
    let known = known_loop(rt, machine, act, header);
    let is_unnoted = known.as_ref().is_some_and(|it| it.is_unnoted());
    let compile = || {
        let hot_loops = &act.body.hot_loops;
        let wanted = heat == Heat::Hot
            || hot_loops.any() && hot_loops.is_hot_for_more()
            || heat == Heat::Noted && !is_unnoted && was_entered(rt, machine, act, header);
        if wanted { compile_loops(rt, machine, act, (header, 0)) } else { None }
    };
    let asked = known.filter(|_| !is_unnoted).and_then(|it| pending_loop(rt, machine, act, it));
    let Some(hot) = asked.or_else(compile) else { return Ok(header) };
    let holds = |it: &Arc<dyn CompiledBody>| it.worlds().contains(machine.world);
    let Some(compiled) = hot.compiled().filter(holds) else { return Ok(header) };
    // Top-level code has no function.
    let own = (act.body.code.nargs == 0).then(|| rt.heap.nothing());
    let registers = hot.inputs.iter().map(|it| machine.stack[act.base + it.0 as usize]);
    let args: Vec<Value> = own.into_iter().chain(registers).collect();
    let other = not_interpreting(&*rt.io);
    let left = compiled.call(rt, &args);
    drop(other);
    let left = left.map_err(|mut thrown| {
        // The loop is a part of the running frame, which says where in it this was.
        if !thrown.was_handled
            && let Some(own) = thrown.trace.pop()
        {
            thrown.place = own.loc;
        }
        thrown
    })?;
    let number = fields::get(&rt.heap, left, 0).and_then(|it| it.as_int(rt.types.core()));
    let exit = number.and_then(|it| hot.exits.get(usize::try_from(it).ok()?));
    let Some(exit) = exit else { return Err(rt.error("a compiled loop ended nowhere: a bug in kiln")) };
    for (at, register) in exit.registers.iter().enumerate() {
        if let (Some(register), Some(value)) = (register, fields::get(&rt.heap, left, at + 1)) {
            machine.stack[act.base + *register as usize] = value;
        }
    }
    Ok(exit.target)
}

/// Returns the compiled code, or the refusal, for entering the loop with the registers' current types. A compiled loop comes before one
/// that was refused.
fn known_loop(rt: &Runtime, machine: &Machine, act: Activation<'_>, header: u32) -> Option<Arc<HotLoop>> {
    let known = act.body.hot_loops.known.read();
    let fits = |it: &&Arc<HotLoop>| {
        it.header == header
            && it.inputs.iter().all(|(register, ty)| {
                let value = machine.stack[act.base + *register as usize];
                !is_undefined(value) && rt.heap.dispatch_type(value) == *ty
            })
            && it.undefined.iter().all(|at| is_undefined(machine.stack[act.base + *at as usize]))
    };
    let mut found = None;
    for it in known.iter().filter(fits) {
        match it.compiled().map(|it| it.worlds()) {
            Some(worlds) if worlds.contains(machine.world) => return Some(it.clone()),
            // It ended by a definition: another is compiled.
            Some(worlds) if worlds.min <= machine.world => {}
            // Refused, pending, or good only in worlds newer than this one, as another would be.
            Some(_) | None => found = Some(it.clone()),
        }
    }
    found
}

/// A known loop, after asking for its code if it is pending and may be ready. If it is refused, another one around the header.
fn pending_loop(
    rt: &Runtime,
    machine: &Machine,
    act: Activation<'_>,
    known: Arc<HotLoop>,
) -> Option<Arc<HotLoop>> {
    let compiler = rt.compiler.get()?;
    let LoopCode::Pending(instance, asked, tried) = *known.code.read() else { return Some(known) };
    let progress = compiler.progress();
    if progress == asked {
        return Some(known);
    }
    let code = loop_code(rt, machine.world, instance, tried);
    let is_refused = matches!(code, LoopCode::Refused);
    *known.code.write() = code;
    if is_refused {
        return compile_loops(rt, machine, act, (known.header, tried));
    }
    Some(known)
}

/// Whether this loop has been compiled for the types it runs with: only a register that is `nothing` now differs,
/// which is how an iteration ends.
fn is_at_its_end(rt: &Runtime, machine: &Machine, act: Activation<'_>, header: u32) -> bool {
    let core = rt.types.core();
    let known = act.body.hot_loops.known.read();
    known.iter().any(|it| {
        it.header == header
            && it.is_expected_in(machine.world)
            && it.inputs.iter().all(|(register, ty)| {
                let value = machine.stack[act.base + *register as usize];
                !is_undefined(value) && (value.is_nothing(core) || rt.heap.dispatch_type(value) == *ty)
            })
            && it.undefined.iter().all(|at| is_undefined(machine.stack[act.base + *at as usize]))
    })
}

/// Compiles the largest loop around the header that can be, or begins to, but for so many that have been tried.
fn compile_loops(
    rt: &Runtime,
    machine: &Machine,
    act: Activation<'_>,
    (header, tried): (u32, usize),
) -> Option<Arc<HotLoop>> {
    let body: &Decoded = act.body;
    if body.hot_loops.made.load(Ordering::Relaxed) >= LOOPS_MADE_MAX {
        return None;
    }
    if is_at_its_end(rt, machine, act, header) {
        return None;
    }
    body.hot_loops.any.store(true, Ordering::Relaxed);
    let params: Option<Vec<Type>> =
        act.static_params.iter().map(|&it| params::param_of_value(&rt.heap, it)).collect();
    let regions = regions_around(rt, machine, act, header);
    let mut last = None;
    for (at, region) in regions.iter().enumerate().skip(tried) {
        let cut = cut_loop(rt, machine, act, header, region);
        let (Some(cut), Some(params)) = (cut, &params) else { continue };
        let made = Arc::new(compile_loop(rt, machine, act, (header, at + 1), (cut, params)));
        body.hot_loops.keep(made.clone());
        if !matches!(*made.code.read(), LoopCode::Refused) {
            if let (Some(spot), Some(compiler)) = (loop_spot(rt, machine, act), rt.compiler.get()) {
                compiler.is_hot(rt, &spot);
                let part = HotPart::Loop { header, inputs: made.inputs.clone() };
                compiler.is_hot(rt, &HotSpot { part, ..spot });
            }
            return Some(made.clone());
        }
        last = Some(made);
    }
    if last.is_none() && tried == 0 {
        let nothing = HotLoop {
            header,
            inputs: Vec::new(),
            undefined: Vec::new(),
            exits: Vec::new(),
            code: RwLock::new(LoopCode::Refused),
        };
        body.hot_loops.keep(Arc::new(nothing));
    }
    last
}

fn compile_loop(
    rt: &Runtime,
    machine: &Machine,
    act: Activation<'_>,
    (header, tried): (u32, usize),
    (cut, params): (LoopBody, &[Type]),
) -> HotLoop {
    let inputs = input_types(rt, machine, act, &cut);
    let own = (act.body.code.nargs == 0).then(|| rt.types.core().nothing);
    let types: Vec<Type> = own.into_iter().chain(inputs.iter().map(|it| it.1)).collect();
    let sig = datatype::tuple(&rt.types, &types);
    let code = &act.body.code;
    let def =
        MethodDef { name: code.name, module: code.module, sig, code: Arc::new(cut.code), loc: code.loc };
    let instance = rt.tables.instance(rt.tables.add_detached_method(def, machine.world), sig, params);
    let code = RwLock::new(loop_code(rt, machine.world, instance, tried));
    HotLoop { header, inputs, undefined: cut.undefined, exits: cut.exits, code }
}

/// Whether an earlier process compiled a loop that is entered here with values of these types. If not, that is remembered.
fn was_entered(rt: &Runtime, machine: &Machine, act: Activation<'_>, header: u32) -> bool {
    let known = &act.body.hot_loops.known;
    if known.read().iter().filter(|it| it.is_unnoted()).count() >= UNNOTED_MAX {
        return false;
    }
    let (Some(compiler), Some(spot)) = (rt.compiler.get(), loop_spot(rt, machine, act)) else {
        return false;
    };
    let mut unnoted = None;
    for region in &regions_around(rt, machine, act, header) {
        let Some(cut) = cut_loop(rt, machine, act, header, region) else { continue };
        let inputs = input_types(rt, machine, act, &cut);
        let part = HotPart::Loop { header, inputs: inputs.clone() };
        let spot = HotSpot { part, ..spot.clone() };
        if ask_compiler(|| compiler.was_hot(rt, &spot)) == Some(true) {
            return true;
        }
        unnoted.get_or_insert((inputs, cut));
    }
    let (inputs, undefined) = unnoted.map_or_else(Default::default, |(inputs, cut)| (inputs, cut.undefined));
    let code = RwLock::new(LoopCode::Unnoted);
    known.write().push(Arc::new(HotLoop { header, inputs, undefined, exits: Vec::new(), code }));
    false
}

/// The loops around the header that are tried, the largest first.
fn regions_around(
    rt: &Runtime,
    machine: &Machine,
    act: Activation<'_>,
    header: u32,
) -> Vec<loop_body::Region> {
    let is_declared = |module, name| {
        let resolved = rt.tables.bindings.resolve_binding(module, name, machine.world);
        resolved.module == module && matches!(resolved.binding, Binding::Global(..))
    };
    let own = machine.handlers.iter().filter(|it| it.base == act.base);
    let handlers: Vec<u32> = own.map(|it| it.target).collect();
    let mut regions = loop_body::regions(&act.body.code, (header, &handlers), &is_declared);
    regions.truncate(NESTED_MAX);
    regions
}

/// The region as a function of the values that it is entered with.
fn cut_loop(
    rt: &Runtime,
    machine: &Machine,
    act: Activation<'_>,
    header: u32,
    region: &loop_body::Region,
) -> Option<LoopBody> {
    let is_newest = rt.special_function(Special::Host(HostFunction::IsNewestWorld))?;
    let is_newest = Lowered::Const(constants::const_of(&rt.heap, is_newest));
    let defined = |it: u32| !is_undefined(machine.stack[act.base + it as usize]);
    loop_body::cut(&act.body.code, region, header, &defined, (&rt.types, is_newest))
}

/// The registers that a loop takes, and the types of their values.
fn input_types(rt: &Runtime, machine: &Machine, act: Activation<'_>, cut: &LoopBody) -> Vec<(u32, Type)> {
    let type_of = |it: u32| rt.heap.dispatch_type(machine.stack[act.base + it as usize]);
    cut.inputs.iter().map(|it| (*it, type_of(*it))).collect()
}

/// Has a loop compiled as this instance, or goes on with that. So many loops around its header have been tried with it.
fn loop_code(rt: &Runtime, world: World, instance: Instance, tried: usize) -> LoopCode {
    let Some(compiler) = rt.compiler.get() else { return LoopCode::Refused };
    let progress = compiler.progress();
    let compile =
        || ask_compiler(|| compiler.compile_beside(rt, instance, world)).unwrap_or(HostCode::Pending);
    match preparing::prepared_by(rt, || false, compile) {
        HostCode::Compiled(body) => LoopCode::Compiled(Arc::from(body)),
        HostCode::Refused => LoopCode::Refused,
        HostCode::Pending => LoopCode::Pending(instance, progress, tried),
    }
}
