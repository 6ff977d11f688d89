//! Calls: the callee, the method it dispatches to, and its execution.

use super::callees::{Special, intrinsic_of};
use super::clock::not_interpreting;
use super::decode::{CallSite, Decoded};
use super::forward::Forward;
use super::frames::{self, FrameGuard};
use super::renewals::Renewals;
use super::room::ask_compiler;
use super::run::Activation;
use super::task::{self, DepthGuard, Machine, UNDEFINED, WorldGuard};
use super::{foreign, forward, run, special};
use crate::eval::generated;
use crate::heap::{Value, params, tuples};
use crate::runtime::Runtime;
use crate::services::{CompiledBody, HostCode, HostCompiler, HotPart, HotSpot};
use crate::tables::{ArgKey, DispatchEntry, DispatchFailure, EntryId, Method, MethodId, ViewId, World};
use crate::tasks::segment_bytes;
use crate::thrown::{Run, Thrown};
use crate::{collecting, preparing, runtime, throw};
use kiln_ir::{CheckBounds, HostFunction, Inlining};
use kiln_types::{Type, TypeData, datatype};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A body ready to run for one dispatch entry.
#[derive(Debug)]
pub struct Prepared {
    pub(super) body: Arc<Decoded>,
    pub(super) static_params: Box<[Value]>,
    /// The callee that it passes its arguments on to, if it does nothing else.
    forward: Option<Forward>,
    calls: AtomicU32,
    /// After how many calls a body without a loop is compiled.
    hot_straight: u32,
    /// Whether compiled code inlines it, once that was asked.
    inlined: OnceLock<bool>,
    compiled: parking_lot::RwLock<Option<Arc<dyn crate::services::CompiledBody>>>,
    /// While its code is being made: the compiler's progress when it was last asked for, plus 1. Else 0.
    pending: AtomicU64,
    renewals: Renewals,
}

/// Calls after which the host compiler is asked to compile a body with a loop.
const HOT_CALLS: u32 = 1000;
/// As how many calls one counts of a body whose loops ran long: each is interpreted up to the first of them.
const LOOPING_CALL: u32 = HOT_CALLS / 32;
/// Calls for a body without a loop: interpreting that many statements, most of them calls, takes about as
/// long as LLVM does, 4 ms.
const HOT_STRAIGHT_STMTS: u32 = 40_000;
/// Calls after which the store is searched for code of an earlier process. Searching after 2 makes programs no faster.
const WARM_CALLS: u32 = 8;
/// More calls than are counted: the body has been compiled, or refused.
const NEVER: u32 = u32::MAX / 2;
/// Native stack that one Julia frame may need.
const RED_ZONE_BYTES: usize = 128 * 1024;
/// Registers that all frames of one entry from Rust may have: as many words as Julia's stack has.
const REGISTERS_MAX: usize = 1 << 20;
/// The largest growth of the native stack.
const SEGMENT_BYTES: usize = 16 * 1024 * 1024;

/// Returns the identity of an entry's body for other processes.
fn hot_spot(rt: &Runtime, entry: &DispatchEntry) -> HotSpot {
    let (method, types) = (&entry.method, datatype::params(&rt.types, entry.sig).to_vec());
    HotSpot { name: method.name, loc: method.loc, types, part: HotPart::Body }
}

impl Runtime {
    /// Calls `callee` in the world of the running code, or in the newest one if none runs.
    pub fn call(&self, callee: Value, args: &[Value]) -> Run {
        call_in_world(self, callee, args, self.current_world())
    }

    /// Calls `callee` in the newest world.
    pub fn call_latest(&self, callee: Value, args: &[Value]) -> Run {
        call_in_world(self, callee, args, self.tables.world())
    }

    /// The world of the code that runs on this thread; the newest one if none does.
    #[inline]
    pub fn current_world(&self) -> World {
        task::running_world().unwrap_or_else(|| self.tables.world())
    }

    /// Calls the value at `top` of the stack with those after it. The caller truncates the stack.
    pub(super) fn call_pushed(&self, machine: &mut Machine, top: usize, site: &CallSite) -> Run {
        let callee = machine.stack[top];
        let core = self.types.core();
        if callee.ty() == core.intrinsic_function {
            return call_intrinsic(self, machine, top, callee);
        }
        if let Some(special) = self.callees.of_type(callee.ty()) {
            return match special {
                Special::Builtin(builtin) => special::call_builtin(self, machine, top, builtin),
                Special::Host(function) => call_host_beside(self, function, &machine.stack[top + 1..]),
            };
        }
        for number in site.seen() {
            let Some(entry) = self.tables.calls.entry_if_any(number) else { break };
            if entry_answers(self, entry, &machine.stack[top..], machine.world) {
                // A body is decoded once a view, so that its sites hold entries of that view only.
                debug_assert_eq!(entry.view, machine.view, "a call site of another view");
                return run_entry(self, machine, top, entry);
            }
        }
        let keys: Vec<ArgKey> = machine.stack[top..].iter().map(|&it| arg_key(self, it)).collect();
        let found = {
            let _other = not_interpreting(&*self.io);
            self.tables.dispatch_keys(machine.view, keys, machine.world)
        };
        match found {
            Ok(entry) => {
                site.see(entry.number());
                run_entry(self, machine, top, self.tables.calls.entry(entry))
            }
            Err(failure) => Err(no_method(self, &machine.stack[top..], failure)),
        }
    }
}

/// Calls `callee` in `world`.
pub fn call_in_world(rt: &Runtime, callee: Value, args: &[Value], world: World) -> Run {
    let _world = WorldGuard::enter(world);
    let mut machine = Machine::new(world);
    machine.stack.push(callee);
    machine.stack.extend_from_slice(args);
    rt.call_pushed(&mut machine, 0, &CallSite::default())
}

/// Calls with at most `budget` calls and loop iterations; ends with [`Abort::Budget`](crate::Abort) when they
/// are used up.
pub fn call_with_budget(rt: &Runtime, callee: Value, args: &[Value], world: World, budget: u64) -> Run {
    task::with_budget(budget, || call_in_world(rt, callee, args, world))
}

/// Does `work` with at most `budget` calls and loop iterations in all.
pub fn within_budget<T>(budget: u64, work: impl FnOnce() -> T) -> T {
    task::with_budget(budget, work)
}

/// As [`Runtime::call`], with the method tables of a job: constants of a kernel are computed so. No code compiled
/// for the host runs.
pub fn call_in_view(
    rt: &Runtime,
    callee: Value,
    args: &[Value],
    world: World,
    view: ViewId,
    budget: u64,
) -> Run {
    task::in_view(view, || call_with_budget(rt, callee, args, world, budget))
}

/// Runs the body of a top-level expression in the newest world.
pub(crate) fn run_top(rt: &Runtime, body: &Decoded) -> Run {
    let world = rt.tables.world();
    let _world = WorldGuard::enter(world);
    let result = {
        let _frame = FrameGuard::other(&body.code, None);
        run_prepared(rt, &mut Machine::new(world), 0, body, &[], checks_bounds(rt))
    };
    if frames::is_empty() {
        task::truncate_handled(0);
    }
    result
}

/// Runs a body of a method on these arguments, the function first, in the current world.
pub(crate) fn run_with(
    rt: &Runtime,
    method: MethodId,
    body: &Decoded,
    args: &[Value],
    static_params: &[Value],
) -> Run {
    let world = rt.current_world();
    let _world = WorldGuard::enter(world);
    let mut machine = Machine::new(world);
    machine.stack.extend_from_slice(args);
    let _frame = FrameGuard::other(&body.code, Some(method));
    run_prepared(rt, &mut machine, 0, body, static_params, checks_bounds(rt))
}

/// Returns the exceptions being handled, the innermost last.
pub fn current_exceptions() -> Vec<Thrown> {
    task::handled()
}

/// The key dispatch sees a value by.
#[inline]
pub fn arg_key(rt: &Runtime, value: Value) -> ArgKey {
    match value.as_type(rt.types.core()) {
        Some(ty) => ArgKey::type_value(ty),
        None => ArgKey::instance_of(value.ty()),
    }
}

#[inline]
pub(super) fn entry_answers(rt: &Runtime, entry: &DispatchEntry, args: &[Value], world: World) -> bool {
    entry.keys.len() == args.len()
        && entry.keys.iter().zip(args).all(|(&key, &arg)| key == arg_key(rt, arg))
        && entry.worlds().contains(world)
}

/// The dispatch entry of a call in the running world.
pub(crate) fn find_entry(rt: &Runtime, args: &[Value], world: World) -> Result<EntryId, DispatchFailure> {
    let keys: Vec<ArgKey> = args.iter().map(|&it| arg_key(rt, it)).collect();
    rt.tables.dispatch_keys(task::running_view(), keys, world)
}

#[cold]
fn no_method(rt: &Runtime, call: &[Value], _failure: DispatchFailure) -> Box<Thrown> {
    let (&callee, args) = call.split_first().unwrap_or_else(|| unreachable!("a call has a callee"));
    throw::method_error(rt, callee, args)
}

/// Runs the method of an entry on the arguments pushed from `top` on.
pub(super) fn run_entry(rt: &Runtime, machine: &mut Machine, top: usize, entry: &DispatchEntry) -> Run {
    let prepared = match entry.prepared.get() {
        Some(prepared) => prepared,
        None => preparing::prepared_by(rt, || rt.tables.calls.ended_before(entry), || prepare(rt, entry))?,
    };
    let inbounds = std::mem::take(&mut machine.inbounds) && prepared.body.has_checks;
    let checks = if inbounds { checks_under_inbounds(rt, entry, prepared) } else { checks_bounds(rt) };
    if let Some(forward) = prepared.forward
        && let Some(result) =
            forward::run_forward(rt, machine, top, &prepared.body, forward, checks, entry.instance)
    {
        return result;
    }
    if let Some(result) = run_compiled(rt, machine, top, entry, prepared) {
        return result;
    }
    let _frame = FrameGuard::instance(entry.instance);
    run_prepared(rt, machine, top, &prepared.body, &prepared.static_params, checks)
}

/// Whether `@boundscheck` blocks run where no `@inbounds` counts.
#[inline]
pub(super) fn checks_bounds(rt: &Runtime) -> bool {
    rt.check_bounds != CheckBounds::No
}

/// Whether the `@boundscheck` blocks of a body run that an `@inbounds` of its caller counts for. They do not where
/// compiled code inlines the body: then both give one answer. The accesses themselves are checked all the same.
fn checks_under_inbounds(rt: &Runtime, entry: &DispatchEntry, prepared: &Prepared) -> bool {
    if rt.check_bounds != CheckBounds::Auto {
        return checks_bounds(rt);
    }
    let inlined = || match prepared.body.code.meta.inlining {
        _ if prepared.body.has_handlers => false,
        Inlining::Always => true,
        Inlining::Never => false,
        Inlining::Default => {
            let inlines =
                |it: &Arc<dyn HostCompiler>| ask_compiler(|| it.inlines(rt, entry.instance)) == Some(true);
            rt.compiler.get().is_some_and(inlines)
        }
    };
    match prepared.inlined.get() {
        Some(inlined) => !*inlined,
        None => task::is_limited() || !*prepared.inlined.get_or_init(inlined),
    }
}

/// Runs a body, whose frame exists, on the callee and arguments pushed from `top` on.
pub(super) fn run_prepared(
    rt: &Runtime,
    machine: &mut Machine,
    top: usize,
    body: &Decoded,
    static_params: &[Value],
    checks: bool,
) -> Run {
    task::spend()?;
    collecting::safepoint(rt)?;
    let mut rest_count = 0;
    if body.code.is_va {
        let fixed = top + body.code.nargs as usize - 1;
        rest_count = machine.stack.len() - fixed;
        let rest = tuples::new(&rt.heap, &machine.stack[fixed..]);
        machine.stack.truncate(fixed);
        machine.stack.push(rest);
    }
    let Some(_depth) = DepthGuard::enter_with(rest_count).filter(|_| machine.stack.len() < REGISTERS_MAX)
    else {
        return Err(throw::stack_overflow(rt));
    };
    let act = Activation { body, base: top, static_params, checks };
    let _clock = rt.interpreter_time.interpreting(&*rt.io);
    let _body = rt.interpreter_time.in_body(&*rt.io, (body.code.name, body.code.loc));
    let run = || run::run_body(rt, machine, act);
    kiln_memory::try_with_room(RED_ZONE_BYTES, SEGMENT_BYTES.min(segment_bytes(rt)), run)
        .unwrap_or_else(|| Err(throw::stack_overflow(rt)))
}

#[cold]
fn prepare<'a>(rt: &Runtime, entry: &'a DispatchEntry) -> Run<&'a Prepared> {
    let method = &entry.method;
    let body = if method.code.meta.generated {
        let code = generated::generated_body(rt, entry.instance)?;
        Arc::new(Decoded::new(rt, code))
    } else {
        decoded_body(rt, method, entry.view)
    };
    let prepared = Prepared {
        forward: Forward::recognize(&body),
        hot_straight: HOT_STRAIGHT_STMTS / (body.code.stmts.len() as u32).max(1),
        body,
        static_params: param_values(rt, &entry.static_params),
        inlined: OnceLock::new(),
        calls: AtomicU32::new(0),
        compiled: parking_lot::RwLock::new(None),
        pending: AtomicU64::new(0),
        renewals: Renewals::default(),
    };
    Ok(entry.prepared.get_or_init(|| prepared))
}

/// The decoded body of a method for code that runs under `view`.
pub(crate) fn decoded_body(rt: &Runtime, method: &Method, view: ViewId) -> Arc<Decoded> {
    let decode = || Arc::new(Decoded::new(rt, method.code.clone()));
    if view == ViewId::HOST {
        return method.decoded.get_or_init(decode).clone();
    }
    let find =
        |bodies: &[(ViewId, Arc<Decoded>)]| bodies.iter().find(|it| it.0 == view).map(|it| it.1.clone());
    if let Some(found) = find(&method.decoded_in_views.read()) {
        return found;
    }
    let mut bodies = method.decoded_in_views.write();
    find(&bodies).unwrap_or_else(|| {
        let decoded = decode();
        bodies.push((view, decoded.clone()));
        decoded
    })
}

/// Static parameters as values; one the call does not determine is undefined.
pub(crate) fn param_values(rt: &Runtime, params: &[Type]) -> Box<[Value]> {
    params
        .iter()
        .map(|&it| {
            let open = matches!(rt.types.data(it), TypeData::Var { .. });
            if open { UNDEFINED } else { params::value_of_param(&rt.heap, it) }
        })
        .collect()
}

/// Runs the compiled body, if the host compiler has made one.
#[inline]
fn run_compiled(
    rt: &Runtime,
    machine: &mut Machine,
    top: usize,
    entry: &DispatchEntry,
    prepared: &Prepared,
) -> Option<Run> {
    let compiler = rt.compiler.get()?;
    let hot = if prepared.body.has_loops { HOT_CALLS } else { prepared.hot_straight };
    let is_looping = prepared.body.hot_loops.any() && prepared.calls.load(Ordering::Relaxed) <= hot;
    let count = if is_looping { LOOPING_CALL } else { 1 };
    let calls = prepared.calls.fetch_add(count, Ordering::Relaxed);
    let reaches = |it: u32| calls <= it && it < calls + count;
    let is_warm = reaches(WARM_CALLS) && !prepared.renewals.are_useless();
    let is_hot = calls > hot || reaches(hot);
    if !is_hot && !is_warm || task::is_limited() {
        return None;
    }
    if calls <= hot {
        if !is_hot {
            if ask_compiler(|| compiler.was_hot(rt, &hot_spot(rt, entry))) != Some(true) {
                return None;
            }
            prepared.calls.store(hot + 1, Ordering::Relaxed);
        }
        compile_entry(rt, entry, prepared, machine.world)?;
    } else if prepared.pending.load(Ordering::Relaxed) != 0 {
        compile_entry(rt, entry, prepared, machine.world)?;
    }
    let body = prepared.compiled.read().clone()?;
    // Finalizers may define something: the question for the worlds comes after them.
    if let Err(thrown) = collecting::safepoint(rt) {
        return Some(Err(thrown));
    }
    let world = machine.world;
    if !body.worlds().contains(world) {
        if !prepared.renewals.is_due(&prepared.calls, hot) {
            return None;
        }
        let renewed = world == rt.tables.world() && body.renew(rt, entry.instance);
        // A definition ended it: count again, then ask for another.
        prepared.calls.store(if renewed { hot + 1 } else { 0 }, Ordering::Relaxed);
        if !renewed {
            return None;
        }
    }
    // What it throws is made by the interpreter, which may come back here.
    Some(rt.within_compiled_frame(entry.instance, || body.call(rt, &machine.stack[top..])))
}

/// Has the body compiled, or goes on with that. Returns whether it is compiled now.
fn compile_entry(rt: &Runtime, entry: &DispatchEntry, prepared: &Prepared, world: World) -> Option<()> {
    let compiler = rt.compiler.get()?;
    let progress = compiler.progress().wrapping_add(1);
    let before = prepared.pending.swap(progress, Ordering::Relaxed);
    if before == progress {
        return None;
    }
    let compile =
        || ask_compiler(|| compiler.compile_beside(rt, entry.instance, world)).unwrap_or(HostCode::Pending);
    let code = preparing::prepared_by(rt, || rt.tables.calls.ended_before(entry), compile);
    if before == 0 && !matches!(code, HostCode::Refused) {
        compiler.is_hot(rt, &hot_spot(rt, entry));
    }
    if let HostCode::Pending = code {
        return None;
    }
    prepared.pending.store(0, Ordering::Relaxed);
    let HostCode::Compiled(body) = code else { return None };
    *prepared.compiled.write() = Some(Arc::from(body));
    Some(())
}

/// The compiled body of an entry that is good in this world. `compile` it if that has not been tried.
pub(super) fn compiled_body(
    rt: &Runtime,
    entry: &DispatchEntry,
    world: World,
    compile: bool,
) -> Option<Arc<dyn CompiledBody>> {
    let prepared = entry.prepared.get()?;
    let known = prepared.compiled.read().clone();
    let is_pending = || prepared.pending.load(Ordering::Relaxed) != 0;
    let begins = || compile && prepared.calls.swap(NEVER, Ordering::Relaxed) < NEVER;
    if known.is_none() && (is_pending() || begins()) {
        compile_entry(rt, entry, prepared, world)?;
    }
    let body = prepared.compiled.read().clone()?;
    body.worlds().contains(world).then_some(body)
}

pub(super) fn call_intrinsic(rt: &Runtime, machine: &mut Machine, top: usize, callee: Value) -> Run {
    let args = &machine.stack[top + 1..];
    match intrinsic_of(callee.bits()) {
        Some(kiln_ir::Intrinsic::AtomicPointermodify) => special::atomic_pointermodify(rt, args),
        Some(op @ (kiln_ir::Intrinsic::Llvmcall | kiln_ir::Intrinsic::Foreigncall)) => {
            foreign::foreign_call(rt, op, args)
        }
        Some(intrinsic) => {
            let have_fma = rt.have_fma != machine.view.other_fma();
            runtime::after_async_errors(rt, crate::intrinsics::call(&rt.heap, have_fma, intrinsic, args))
        }
        None => Err(rt.error("unknown intrinsic function")),
    }
}

/// Calls a host function, which is compiled code, too.
#[inline]
pub(super) fn call_host_beside(rt: &Runtime, function: HostFunction, args: &[Value]) -> Run {
    let _other = not_interpreting(&*rt.io);
    crate::host::call(rt, function, args)
}
