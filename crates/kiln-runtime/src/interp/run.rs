//! The loop that runs decoded bodies.

use super::decode::{Decoded, NOWHERE, Op, Operand, OperandSource};
use super::hot_loops::{HOT_BACK_EDGES, Heat, WARM_BACK_EDGES};
use super::task::{self, Handler, Machine, UNDEFINED, is_undefined};
use super::{frames, globals, hot_loops};
use crate::eval::quote;
use crate::heap::{Value, fields, identity};
use crate::runtime::Runtime;
use crate::throw::NameScope;
use crate::thrown::{Run, Thrown, TraceFrame};
use crate::{builtins, collecting, throw};

/// One running body: its registers and inputs.
#[derive(Clone, Copy)]
pub(super) struct Activation<'a> {
    pub(super) body: &'a Decoded,
    pub(super) base: usize,
    pub(super) static_params: &'a [Value],
    /// Whether its `@boundscheck` blocks run.
    pub(super) checks: bool,
}

/// The effect of a statement on control flow.
enum Flow {
    Next,
    Jump(u32),
    Return(Value),
}

/// Runs a body whose arguments are the registers from `act.base` on. The stack may be longer afterwards; the
/// caller truncates it.
pub(super) fn run_body(rt: &Runtime, machine: &mut Machine, act: Activation<'_>) -> Run {
    machine.stack.resize(act.base + act.body.registers, UNDEFINED);
    let world = machine.world;
    let handlers = machine.handlers.len();
    let handled = if act.body.has_handlers { task::handled_count() } else { 0 };
    let mut pc = 0usize;
    let (mut back_edges, knows_loops) = (0u32, act.body.hot_loops.any());
    let mut is_noted = false;
    let result = loop {
        let mut flow = step(rt, machine, act, pc);
        if let Ok(Flow::Jump(target)) = flow
            && target as usize <= pc
        {
            back_edges = back_edges.saturating_add(1);
            if back_edges == WARM_BACK_EDGES {
                is_noted = hot_loops::was_hot_loop(rt, machine, act);
            }
            flow = match task::spend().and_then(|()| collecting::safepoint(rt)) {
                Ok(()) if back_edges < HOT_BACK_EDGES && !knows_loops && !is_noted => flow,
                Ok(()) => {
                    let heat = Heat::of(back_edges, is_noted);
                    hot_loops::run_hot_loop(rt, machine, act, target, heat).map(Flow::Jump)
                }
                Err(thrown) => Err(thrown),
            };
        }
        match flow {
            Ok(Flow::Next) => pc += 1,
            Ok(Flow::Jump(target)) => pc = target as usize,
            Ok(Flow::Return(value)) => break Ok(value),
            Err(mut thrown) => {
                let loc = act.body.code.locs.get(pc).copied().unwrap_or(act.body.code.loc);
                thrown.leaves(TraceFrame { name: act.body.code.name, loc, code: frames::running_code(rt) });
                if thrown.abort.is_some() || machine.handlers.len() <= handlers {
                    break Err(thrown);
                }
                match machine.handlers.pop() {
                    Some(handler) => {
                        handle(rt, thrown);
                        pc = handler.target as usize;
                    }
                    None => break Err(thrown),
                }
                machine.stack.truncate(act.base + act.body.registers);
            }
        }
    };
    if back_edges > 0 {
        act.body.hot_loops.count(back_edges);
    }
    if act.body.has_handlers {
        machine.handlers.truncate(handlers);
        // What was thrown out of a handler keeps its causes.
        if result.is_ok() {
            task::truncate_handled(handled);
        }
    }
    if machine.world != world {
        machine.world = world;
        task::set_world(world);
    }
    result
}

/// A handler of the running frame takes an exception: its trace becomes whole.
#[cold]
pub fn handle(rt: &Runtime, mut thrown: Box<Thrown>) {
    if !thrown.was_handled {
        thrown.trace.extend(frames::callers(rt, task::handled_frames()));
    }
    task::push_handled(thrown);
}

#[inline(always)]
fn read(rt: &Runtime, machine: &Machine, act: Activation<'_>, operand: Operand) -> Run {
    match operand.place() {
        OperandSource::Register(at) => {
            let value = machine.stack[act.base + at];
            if is_undefined(value) { Err(undefined_local(rt, act, at)) } else { Ok(value) }
        }
        OperandSource::Const(at) => Ok(act.body.consts[at]),
        OperandSource::Global(at) => globals::read_site(rt, &act.body.globals[at], machine.world),
        OperandSource::StaticParam(at) => static_param(rt, act, at),
    }
}

#[cold]
fn undefined_local(rt: &Runtime, act: Activation<'_>, at: usize) -> Box<Thrown> {
    throw::undef_var(rt, act.body.slot_name(at), NameScope::Local)
}

fn static_param(rt: &Runtime, act: Activation<'_>, at: usize) -> Run {
    match act.static_params.get(at) {
        Some(&value) if !is_undefined(value) => Ok(value),
        _ => {
            let name = act.body.code.static_params.get(at).copied().unwrap_or(act.body.code.name);
            Err(throw::undef_var(rt, name, NameScope::StaticParameter))
        }
    }
}

#[inline]
fn write(machine: &mut Machine, act: Activation<'_>, dst: u32, value: Value) {
    if dst != NOWHERE {
        machine.stack[act.base + dst as usize] = value;
    }
}

#[inline]
fn step(rt: &Runtime, machine: &mut Machine, act: Activation<'_>, pc: usize) -> Run<Flow> {
    match act.body.ops[pc] {
        Op::Move { dst, src } => {
            let value = read(rt, machine, act, src)?;
            write(machine, act, dst, value);
        }
        Op::MoveTwice { dst, also, src } => {
            let value = read(rt, machine, act, src)?;
            write(machine, act, dst, value);
            write(machine, act, also, value);
        }
        Op::Clear { slot } => write(machine, act, slot, UNDEFINED),
        Op::Call { dst, start, len, site } => {
            let value = call(rt, machine, act, pc, (start, len, site))?;
            write(machine, act, dst, value);
        }
        Op::Is { dst, start } => {
            let value = is_same(rt, machine, act, start)?;
            write(machine, act, dst, value);
        }
        Op::Field { dst, start, site } => {
            let value = field(rt, machine, act, pc, (start, site))?;
            write(machine, act, dst, value);
        }
        Op::CallOnce { dst, start, len, once } => {
            let value = call_once(rt, machine, act, pc, (start, len, once))?;
            write(machine, act, dst, value);
        }
        Op::New { dst, start, len } => {
            let top = push_operands(rt, machine, act, start, len)?;
            let value = builtins::new_struct(&rt.heap, machine.stack[top], &machine.stack[top + 1..])?;
            machine.stack.truncate(top);
            write(machine, act, dst, value);
        }
        Op::SplatNew { dst, ty, tuple } => {
            let ty = read(rt, machine, act, ty)?;
            let value = builtins::splat_new(&rt.heap, ty, read(rt, machine, act, tuple)?)?;
            write(machine, act, dst, value);
        }
        Op::IsDefined { dst, what } => {
            let value = rt.heap.bool(is_defined(rt, machine, act, what));
            write(machine, act, dst, value);
        }
        Op::Goto { target } => return Ok(Flow::Jump(target)),
        Op::GotoIfNot { cond, target } => return branch(rt, machine, act, cond, target),
        Op::Return { src } => return read(rt, machine, act, src).map(Flow::Return),
        Op::Enter { dst, target } => enter(rt, machine, act, pc, (dst, target)),
        Op::Leave { start, len } => leave(machine, act, start, len),
        Op::TheException { dst } => write(machine, act, dst, handled_value(rt)),
        Op::PopException { token } => {
            let value = read(rt, machine, act, token)?;
            task::truncate_handled(value.as_int(rt.types.core()).unwrap_or(0) as usize);
        }
        Op::BoundsCheck { dst } => {
            let check = rt.heap.bool(act.checks);
            write(machine, act, dst, check);
        }
        Op::Nop => {}
        Op::CopyAst { dst, src } => {
            let value = quote::copy_ast(rt, read(rt, machine, act, src)?);
            write(machine, act, dst, value);
        }
        Op::Define { dst, start, len } => {
            let top = push_operands(rt, machine, act, start, len)?;
            let operands = machine.stack.split_off(top);
            let value = rt.define(machine, act, pc, &operands)?;
            write(machine, act, dst, value);
        }
    }
    Ok(Flow::Next)
}

#[inline]
fn branch(rt: &Runtime, machine: &Machine, act: Activation<'_>, cond: Operand, target: u32) -> Run<Flow> {
    let value = read(rt, machine, act, cond)?;
    match value.as_bool(rt.types.core()) {
        Some(true) => Ok(Flow::Next),
        Some(false) => Ok(Flow::Jump(target)),
        None => Err(throw::type_error(rt, "if", "", rt.types.core().bool, value)),
    }
}

/// Makes a call: its operands, and its site.
#[inline(always)]
fn call(
    rt: &Runtime,
    machine: &mut Machine,
    act: Activation<'_>,
    pc: usize,
    (start, len, site): (u32, u32, u32),
) -> Run {
    let top = push_operands(rt, machine, act, start, len)?;
    frames::at_statement(pc);
    let site = &act.body.sites[site as usize];
    machine.inbounds = site.inbounds || !act.checks && act.body.code.meta.propagate_inbounds;
    let value = rt.call_pushed(machine, top, site)?;
    machine.stack.truncate(top);
    Ok(value)
}

/// The value of an [`Op::Is`].
#[inline]
fn is_same(rt: &Runtime, machine: &Machine, act: Activation<'_>, start: u32) -> Run {
    let [a, b] = [1, 2].map(|at| act.body.operands[start as usize + at]);
    let same = identity::egal(&rt.heap, read(rt, machine, act, a)?, read(rt, machine, act, b)?);
    Ok(rt.heap.bool(same))
}

/// The value of an [`Op::Field`]: the builtin is called for a field that is not a plain one.
#[inline]
fn field(
    rt: &Runtime,
    machine: &mut Machine,
    act: Activation<'_>,
    pc: usize,
    (start, site): (u32, u32),
) -> Run {
    let [object, number] = [1, 2].map(|at| act.body.operands[start as usize + at]);
    let object = read(rt, machine, act, object)?;
    let number = read(rt, machine, act, number)?.bits();
    match fields::get_plain(&rt.heap, object, number.wrapping_sub(1)) {
        Some(value) => Ok(value),
        None => call(rt, machine, act, pc, (start, 3, site)),
    }
}

/// Makes a call that always has the same result, unless it was made before.
fn call_once(
    rt: &Runtime,
    machine: &mut Machine,
    act: Activation<'_>,
    pc: usize,
    (start, len, once): (u32, u32, u32),
) -> Run {
    let (site, known) = &act.body.once[once as usize];
    let value = match known.get() {
        Some(known) => *known,
        None => call(rt, machine, act, pc, (start, len, *site))?,
    };
    Ok(*known.get_or_init(|| value))
}

/// Pushes operands; returns where they begin.
#[inline]
fn push_operands(
    rt: &Runtime,
    machine: &mut Machine,
    act: Activation<'_>,
    start: u32,
    len: u32,
) -> Run<usize> {
    let top = machine.stack.len();
    for &operand in &act.body.operands[start as usize..(start + len) as usize] {
        let value = read(rt, machine, act, operand)?;
        machine.stack.push(value);
    }
    Ok(top)
}

fn is_defined(rt: &Runtime, machine: &Machine, act: Activation<'_>, what: Operand) -> bool {
    match what.place() {
        OperandSource::Register(at) => !is_undefined(machine.stack[act.base + at]),
        OperandSource::Const(_) => true,
        OperandSource::Global(at) => {
            let site = &act.body.globals[at];
            globals::is_defined(rt, site.module, site.name)
        }
        OperandSource::StaticParam(at) => act.static_params.get(at).is_some_and(|&it| !is_undefined(it)),
    }
}

/// The value of the innermost exception being handled; `nothing` if there is none.
pub fn handled_value(rt: &Runtime) -> Value {
    task::handled_value().unwrap_or_else(|| rt.heap.nothing())
}

/// The address of the number of exceptions being handled on this thread, for as long as the thread lives.
pub fn handled_count_address() -> *const u32 {
    task::handled_count_address()
}

/// Ends the handling of all exceptions but the first `count`.
pub fn pop_exceptions(count: u32) {
    task::truncate_handled(count as usize);
}

/// The exception being handled, with its trace.
pub fn handled_exception() -> Option<Box<Thrown>> {
    task::handled_last()
}

/// Begins a `try`: its handler is there from now on.
fn enter(rt: &Runtime, machine: &mut Machine, act: Activation<'_>, pc: usize, (dst, target): (u32, u32)) {
    let handled = task::handled_count();
    machine.handlers.push(Handler { target, enter: pc as u32, base: act.base });
    write(machine, act, dst, rt.heap.int(handled as i64));
}

/// Ends the handlers of some `Enter`s. One that has caught something is gone already.
fn leave(machine: &mut Machine, act: Activation<'_>, start: u32, len: u32) {
    let left = &act.body.left[start as usize..(start + len) as usize];
    while machine.handlers.last().is_some_and(|it| it.base == act.base && left.contains(&it.enter)) {
        machine.handlers.pop();
    }
}
