//! Methods that only pass on their arguments: `getproperty(x, f) = getfield(x, f)`, `+(x::Int, y::Int) = add_int(x,
//! y)`, `getindex(t::Tuple, i::Int)`. Most calls of host code are calls of such methods, so they call the builtin or
//! intrinsic directly, without a frame.
#![expect(clippy::wildcard_enum_match_arm, reason = "singles out what does nothing; the rest are steps")]

use super::call::call_host_beside;
use super::callees::Special;
use super::decode::{Decoded, NOWHERE, Op, Operand, OperandSource};
use super::task::{self, Machine};
use super::{call, globals, special};
use crate::heap::Value;
use crate::runtime::Runtime;
use crate::thrown::{FrameCode, Run, TraceFrame};
use kiln_ir::Instance;

/// The callee of such a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forward {
    callee: Operand,
    /// The call, among the statements.
    at: u32,
    /// Whether it adds whether bounds are to be checked.
    checks: bool,
}

impl Forward {
    /// Returns the callee that `body` passes its arguments on to, all of them in their order, if that is all it does.
    pub(super) fn recognize(body: &Decoded) -> Option<Self> {
        if body.code.is_va || body.has_handlers {
            return None;
        }
        let mut check = None;
        let mut steps = body.ops.iter().enumerate().filter(|it| match it.1 {
            Op::BoundsCheck { dst } if check.is_none() => {
                check = Some(*dst);
                false
            }
            Op::Nop => false,
            _ => true,
        });
        let (Some((at, call)), Some((_, &Op::Return { src })), None) =
            (steps.next(), steps.next(), steps.next())
        else {
            return None;
        };
        let (dst, start, len) = match *call {
            Op::Call { dst, start, len, .. } => (dst, start, len),
            Op::Is { dst, start } => (dst, start, 3),
            _ => return None,
        };
        let is_register =
            |it: Operand, n: u32| matches!(it.place(), OperandSource::Register(at) if at == n as usize);
        let (callee, mut args) = body.operands[start as usize..(start + len) as usize].split_first()?;
        let mut checks = false;
        if let (Some(check), Some((last, others))) = (check, args.split_last())
            && is_register(*last, check)
        {
            (checks, args) = (true, others);
        }
        let passes_on = args.len() + 1 == body.code.nargs as usize
            && args.iter().zip(1..).all(|(it, n)| is_register(*it, n));
        let returns = dst != NOWHERE && is_register(src, dst);
        let is_fixed = matches!(callee.place(), OperandSource::Const(_) | OperandSource::Global(_));
        (passes_on && returns && is_fixed).then_some(Self { callee: *callee, at: at as u32, checks })
    }
}

/// Calls the function that `body` forwards the arguments at `top` to. `None` if it is a generic function.
#[inline]
pub(super) fn run_forward(
    rt: &Runtime,
    machine: &mut Machine,
    top: usize,
    body: &Decoded,
    forward: Forward,
    checks: bool,
    instance: Instance,
) -> Option<Run> {
    let callee: Value = match forward.callee.place() {
        OperandSource::Const(at) => body.consts[at],
        OperandSource::Global(at) => globals::read_site(rt, &body.globals[at], machine.world).ok()?,
        OperandSource::Register(_) | OperandSource::StaticParam(_) => return None,
    };
    let is_intrinsic = callee.ty() == rt.types.core().intrinsic_function;
    let special = rt.callees.of_type(callee.ty());
    if !is_intrinsic && special.is_none() {
        return None;
    }
    if let Err(thrown) = task::spend() {
        return Some(Err(thrown));
    }
    if forward.checks {
        machine.stack.push(rt.heap.bool(checks));
    }
    let result = match special {
        Some(Special::Builtin(builtin)) => special::call_builtin(rt, machine, top, builtin),
        Some(Special::Host(function)) => call_host_beside(rt, function, &machine.stack[top + 1..]),
        None => call::call_intrinsic(rt, machine, top, callee),
    };
    Some(result.map_err(|mut thrown| {
        let loc = body.code.locs.get(forward.at as usize).copied().unwrap_or(body.code.loc);
        thrown.leaves(TraceFrame { name: body.code.name, loc, code: Some(FrameCode::Instance(instance)) });
        thrown
    }))
}
