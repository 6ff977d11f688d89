//! Statements that compiled code has the interpreter run: calls that are dispatched when they run, builtins, calls of
//! functions without a compiled form.

use super::callees::Special;
use super::clock::{BodyTime, not_interpreting};
use super::decode::CallSite;
use super::frames::FrameGuard;
use super::globals::GlobalSite;
use super::task::{self, DepthGuard, Machine};
use super::{call, globals};
use crate::heap::Value;
use crate::runtime::Runtime;
use crate::services::CompiledBody;
use crate::tables::MethodId;
use crate::thrown::Run;
use crate::{collecting, throw};
use kiln_ir::{Builtin, HostFunction, Instance, Intrinsic, SourceLoc};
use kiln_types::{Module, Symbol};
use std::sync::Arc;

/// The dispatch entries that a statement of compiled code used last.
#[derive(Debug, Default)]
pub struct StatementSite(CallSite);

/// A global that a statement of compiled code reads or assigns, with its resolution.
#[derive(Debug)]
pub struct StatementGlobal(GlobalSite);

impl StatementGlobal {
    /// The global of this name in a module.
    pub fn new(module: Module, name: Symbol) -> Self {
        Self(GlobalSite::new(module, name))
    }
}

impl Runtime {
    /// Returns a builtin or a host function as a value.
    pub fn special_function(&self, special: Special) -> Option<Value> {
        self.callees.type_of(special).map(|it| Value::inline(it, 0))
    }

    /// Runs compiled code, which sees to its native stack itself, as the frame of an instance. A [`collecting::safepoint`] comes before: no
    /// code of the program runs between the question whether the code is good and its call.
    ///
    /// # Errors
    /// Fails with the exception of the code, and with a `StackOverflowError`.
    #[inline]
    pub fn within_compiled_frame<T>(&self, instance: Instance, work: impl FnOnce() -> Run<T>) -> Run<T> {
        let Some(_depth) = DepthGuard::enter() else { return Err(throw::stack_overflow(self)) };
        let _frame = FrameGuard::compiled(instance);
        let _other = not_interpreting(&*self.io);
        work()
    }
}

/// `getglobal` of a global in the world of the running code.
#[inline]
pub fn get_global_at(rt: &Runtime, global: &StatementGlobal) -> Run {
    globals::read_site(rt, &global.0, rt.current_world())
}

/// `setglobal!` of a global in the world of the running code.
#[inline]
pub fn set_global_at(rt: &Runtime, global: &StatementGlobal, value: Value) -> Run<()> {
    globals::write_site(rt, &global.0, value, rt.current_world())
}

/// Measures the time spent interpreting from now on; with `bodies` that in each body, which takes time itself.
pub fn time_interpreter(rt: &Runtime, bodies: bool) {
    if bodies {
        rt.interpreter_time.ask_for_bodies();
    } else {
        rt.interpreter_time.ask();
    }
}

/// Returns the bodies that were interpreted, if they are measured, those that took longest first: names, places and times.
pub fn interpreted_bodies(rt: &Runtime) -> Vec<(Symbol, SourceLoc, BodyTime)> {
    let mut bodies = rt.interpreter_time.bodies();
    bodies.sort_by_key(|it| std::cmp::Reverse((it.1.nanos, it.0.1)));
    bodies.into_iter().map(|((name, loc), time)| (name, loc, time)).collect()
}

/// Returns the nanoseconds spent interpreting since [`time_interpreter`].
pub fn interpreted_nanos(rt: &Runtime) -> u64 {
    rt.interpreter_time.nanos()
}

/// Does the part of a collection that is due: compiled code holds no value in Rust's memory.
///
/// # Errors
/// Fails with an `OutOfMemoryError` where memory is exhausted.
#[inline]
pub fn safepoint_of_compiled_code(rt: &Runtime) -> Run<()> {
    collecting::safepoint(rt)
}

/// Returns an intrinsic as a value.
pub fn intrinsic_function(rt: &Runtime, intrinsic: Intrinsic) -> Option<Value> {
    let number = Intrinsic::ALL.iter().position(|it| *it == intrinsic)?;
    Some(Value::inline(rt.types.core().intrinsic_function, number as u64))
}

/// Calls a host function.
#[inline]
pub fn call_host(rt: &Runtime, function: HostFunction, args: &[Value]) -> Run {
    crate::host::call(rt, function, args)
}

/// Calls `callee` in the world of the running code. `inbounds`: the call is under `@inbounds`.
pub fn call_at(rt: &Runtime, site: &StatementSite, callee: Value, args: &[Value], inbounds: bool) -> Run {
    let mut machine = machine_for(rt, callee, args);
    machine.inbounds = inbounds;
    rt.call_pushed(&mut machine, 0, &site.0)
}

/// Calls a method that inference chose for the arguments, in the world of the running code.
pub fn call_method_at(
    rt: &Runtime,
    site: &StatementSite,
    (method, inbounds): (MethodId, bool),
    callee: Value,
    args: &[Value],
) -> Run {
    let wanted = rt.tables.method(method);
    let mut machine = machine_for(rt, callee, args);
    for number in site.0.seen() {
        let Some(entry) = rt.tables.calls.entry_if_any(number) else { break };
        if Arc::ptr_eq(&entry.method, &wanted)
            && call::entry_answers(rt, entry, &machine.stack, machine.world)
        {
            machine.inbounds = inbounds;
            return call::run_entry(rt, &mut machine, 0, entry);
        }
    }
    if let Ok(found) = call::find_entry(rt, &machine.stack, machine.world)
        && let entry = rt.tables.calls.entry(found)
        && Arc::ptr_eq(&entry.method, &wanted)
    {
        site.0.see(found.number());
        machine.inbounds = inbounds;
        return call::run_entry(rt, &mut machine, 0, entry);
    }
    // `invoke` names a method that dispatch would not choose.
    let which = Value::inline(rt.types.core().method, method.index() as u64);
    let call: Vec<Value> = [callee, which].iter().chain(args).copied().collect();
    let Some(invoke) = rt.special_function(Special::Builtin(Builtin::Invoke)) else {
        return Err(rt.error("`invoke` is not defined: a bug in kiln"));
    };
    call_at(rt, &StatementSite::default(), invoke, &call, false)
}

/// Whether compiled code may be called: there is no budget, which it does not count, and no array that a device has a
/// copy of, which it does not ask for.
#[inline]
pub fn can_call_compiled(rt: &Runtime) -> bool {
    !task::is_limited() && !rt.heap.coherence.has_device_copies()
}

/// The compiled body that a call at this site runs which was made with this callee and these arguments. `compile` it if it has
/// not been.
pub fn compiled_callee(
    rt: &Runtime,
    site: &StatementSite,
    call: &[Value],
    compile: bool,
) -> Option<(Instance, Arc<dyn CompiledBody>)> {
    let world = rt.current_world();
    let mut entries = site.0.seen().into_iter().filter_map(|it| rt.tables.calls.entry_if_any(it));
    let entry = entries.find(|it| call::entry_answers(rt, it, call, world))?;
    let body = call::compiled_body(rt, entry, world, compile && can_call_compiled(rt))?;
    Some((entry.instance, body))
}

fn machine_for(rt: &Runtime, callee: Value, args: &[Value]) -> Machine {
    let mut machine = Machine::new(rt.current_world());
    machine.stack.push(callee);
    machine.stack.extend_from_slice(args);
    machine
}
