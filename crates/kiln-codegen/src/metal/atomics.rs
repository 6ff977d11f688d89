//! Atomic operations: functions of AIR on 32 bits, which have no order. Orders are made by fences beside them.

use super::refused;
use crate::error::EmitError;
use crate::items::Scope;
use crate::items::metal::{FENCE, fence};
use crate::llvm::{AirDraft, Atomic, Function, Kind, Order, Ty, Val};
use kiln_targets::AirVersions;
use llvm_sys::LLVMOpcode as Op;

/// Address spaces: memory of the device, and of the group.
const DEVICE: u32 = 1;
const GROUP: u32 = 3;
/// Numbers of AIR: no order, and the scopes of the two kinds of memory.
const RELAXED: u32 = 0;
const DEVICE_SCOPE: u32 = 2;
const GROUP_SCOPE: u32 = 1;
/// The first dialect with fences.
const FENCES_SINCE: u16 = 7;
/// Attributes of atomic functions.
const ATTRIBUTES: [&str; 2] = ["nounwind", "willreturn"];

/// A place in memory that operations are on.
#[derive(Clone, Copy)]
struct Place {
    /// AIR's word for its memory.
    memory: &'static str,
    scope: u32,
}

impl Place {
    fn of(module: AirDraft<'_>, instruction: Val, address: Val) -> Result<Self, EmitError> {
        match module.space_of(address) {
            Some(DEVICE) => Ok(Self { memory: "global", scope: DEVICE_SCOPE }),
            Some(GROUP) => Ok(Self { memory: "local", scope: GROUP_SCOPE }),
            _ => {
                let message =
                    "an atomic operation on memory that is not known to be the device's or the group's";
                Err(refused(module, instruction, message.into()))
            }
        }
    }
}

/// Replaces the atomic operations of LLVM.
///
/// # Errors
/// Fails with the first one that AIR does not have.
pub(super) fn lower(module: AirDraft<'_>, entry: Function, versions: &AirVersions) -> Result<(), EmitError> {
    let has_fences = versions.air[1] >= FENCES_SINCE;
    for it in module.all_instructions(entry) {
        let (order, value) = match module.opcode(it) {
            Some(Op::LLVMAtomicRMW) => {
                let form = module.rmw_form(it);
                (form.order, Made::Rmw(form.op))
            }
            Some(Op::LLVMAtomicCmpXchg) => (module.exchange_order(it), Made::Exchange),
            Some(Op::LLVMLoad | Op::LLVMStore) => match module.access_order(it) {
                Some(order) => (order, Made::Access),
                None => continue,
            },
            Some(Op::LLVMFence) => (module.access_order(it).unwrap_or(Order::AcquireRelease), Made::Fence),
            Some(Op::LLVMCall) if !has_fences && module.called_name(it).as_deref() == Some(FENCE) => {
                return Err(no_order(module, it, versions));
            }
            _ => continue,
        };
        let is_ordered = !matches!(order, Order::Unordered | Order::Monotonic);
        if is_ordered && !has_fences {
            return Err(no_order(module, it, versions));
        }
        replace(module, it, order, value)?;
    }
    Ok(())
}

/// The way in which an operation is replaced.
enum Made {
    Rmw(Option<Atomic>),
    Exchange,
    Access,
    Fence,
}

fn no_order(module: AirDraft<'_>, instruction: Val, versions: &AirVersions) -> EmitError {
    let message = format!(
        "a fence, or an atomic operation with an order: AIR {}.{} orders no accesses, which macOS 15 does (AIR 2.{FENCES_SINCE})",
        versions.air[0], versions.air[1]
    );
    refused(module, instruction, message)
}

/// Replaces an operation by one without order, between the fences that make the order.
fn replace(module: AirDraft<'_>, it: Val, order: Order, made: Made) -> Result<(), EmitError> {
    let (before, after) = match order {
        Order::Unordered | Order::Monotonic => (None, None),
        Order::Acquire => (None, Some(Order::Acquire)),
        Order::Release => (Some(Order::Release), None),
        Order::AcquireRelease => (Some(Order::Release), Some(Order::Acquire)),
        Order::SequentiallyConsistent => (Some(order), Some(order)),
    };
    module.before(it);
    if let Made::Fence = made {
        fence(&module, order, Scope::Device);
        module.erase(it);
        return Ok(());
    }
    before.into_iter().for_each(|it| fence(&module, it, Scope::Device));
    let value = match made {
        Made::Rmw(op) => Some(modified(module, it, op)?),
        Made::Exchange => Some(exchanged(module, it)?),
        Made::Access | Made::Fence => accessed(module, it)?,
    };
    after.into_iter().for_each(|it| fence(&module, it, Scope::Device));
    match value {
        Some(value) => module.replace(it, value),
        None => module.erase(it),
    }
    Ok(())
}

/// Returns the suffix of functions on values of a type.
fn suffix(module: AirDraft<'_>, instruction: Val, ty: Ty) -> Result<&'static str, EmitError> {
    if module.kind(ty) == Kind::Int(32) {
        Ok("i32")
    } else if ty == module.float(32) {
        Ok("f32")
    } else {
        let message = format!("an atomic operation on {}: AIR has them on 32 bits", module.type_text(ty));
        Err(refused(module, instruction, message))
    }
}

/// Emits a call of an atomic function: its operands, the order, the scope, and that it is volatile.
fn called(module: AirDraft<'_>, (name, place): (&str, Place), result: Ty, operands: &[Val]) -> Val {
    let orders = if name.starts_with("cmpxchg") { 2 } else { 1 };
    let mut all = operands.to_vec();
    all.extend((0..orders).map(|_| module.const_u32(RELAXED)));
    all.extend([module.const_u32(place.scope), module.const_int(module.int(1), 1)]);
    let types: Vec<Ty> = all.iter().map(|it| module.type_of(*it)).collect();
    let name = format!("air.atomic.{}.{name}", place.memory);
    module.call(module.declared(&name, result, &types, &ATTRIBUTES), &all)
}

/// Replaces an atomic load or store; returns what is loaded.
fn accessed(module: AirDraft<'_>, it: Val) -> Result<Option<Val>, EmitError> {
    let operands = module.operands(it);
    let is_load = module.opcode(it) == Some(Op::LLVMLoad);
    let address = if is_load { operands[0] } else { operands[1] };
    let place = Place::of(module, it, address)?;
    let ty = if is_load { module.type_of(it) } else { module.type_of(operands[0]) };
    let suffix = suffix(module, it, ty)?;
    if is_load {
        return Ok(Some(called(module, (&format!("load.{suffix}"), place), ty, &[address])));
    }
    called(module, (&format!("store.{suffix}"), place), module.void(), &[address, operands[0]]);
    Ok(None)
}

/// Returns the old value of a place that is modified.
fn modified(module: AirDraft<'_>, it: Val, op: Option<Atomic>) -> Result<Val, EmitError> {
    let operands = module.operands(it);
    let (address, value) = (operands[0], operands[1]);
    let (place, ty) = (Place::of(module, it, address)?, module.type_of(it));
    let suffix = suffix(module, it, ty)?;
    let name = match op {
        Some(Atomic::Exchange) => "xchg.",
        Some(Atomic::Add) => "add.u.",
        Some(Atomic::Sub) => "sub.u.",
        Some(Atomic::And) => "and.u.",
        Some(Atomic::Or) => "or.u.",
        Some(Atomic::Xor) => "xor.u.",
        Some(Atomic::SignedMax) => "max.s.",
        Some(Atomic::SignedMin) => "min.s.",
        Some(Atomic::UnsignedMax) => "max.u.",
        Some(Atomic::UnsignedMin) => "min.u.",
        Some(Atomic::FloatAdd) if place.scope == DEVICE_SCOPE => "add.",
        Some(Atomic::FloatSub) if place.scope == DEVICE_SCOPE => "sub.",
        // Memory of a group has them in later languages only.
        Some(op @ (Atomic::FloatAdd | Atomic::FloatSub)) => {
            let op = if op == Atomic::FloatAdd { Op::LLVMFAdd } else { Op::LLVMFSub };
            let function = float_loop(module, op, place);
            module.before(it);
            return Ok(module.call(function, &[address, value]));
        }
        None => {
            let message = format!("AIR has no atomic operation `{}`", module.text_of(it));
            return Err(refused(module, it, message));
        }
    };
    Ok(called(module, (&format!("{name}{suffix}"), place), ty, &[address, value]))
}

/// Returns the old value of a place that is replaced under a condition, and whether it was.
fn exchanged(module: AirDraft<'_>, it: Val) -> Result<Val, EmitError> {
    let operands = module.operands(it);
    let place = Place::of(module, it, operands[0])?;
    suffix(module, it, module.type_of(operands[1]))?;
    if module.kind(module.type_of(operands[1])) != Kind::Int(32) {
        return Err(refused(module, it, "a comparison and exchange that is not of integers".into()));
    }
    let function = exchange_loop(module, place);
    module.before(it);
    Ok(module.call(function, &operands[..3]))
}

/// Returns a function of this module that is inlined, and whether it is new and needs a body.
fn helper(module: AirDraft<'_>, name: &str, result: Ty, params: &[Ty]) -> (Function, bool) {
    if let Some(known) = module.defined(name) {
        return (known, false);
    }
    let function = module.function(name, result, params);
    for attribute in ["alwaysinline", "nounwind"] {
        module.set_attribute(function, attribute);
    }
    module.set_internal(function);
    (function, true)
}

/// Returns a function that compares and exchanges: AIR's may fail for no reason, so it is repeated until the place is exchanged or
/// holds another value.
fn exchange_loop(module: AirDraft<'_>, place: Place) -> Function {
    let (int, bit) = (module.int(32), module.int(1));
    let pointer = module.ptr_in(if place.scope == DEVICE_SCOPE { DEVICE } else { GROUP });
    let result = module.structure(&[int, bit]);
    let name = format!("kiln.exchange.{}", place.memory);
    let (function, is_new) = helper(module, &name, result, &[pointer, int, int]);
    if !is_new {
        return function;
    }
    let [address, expected, new] = [0, 1, 2].map(|it| module.param(function, it));
    let (start, again, done) = (module.block(function), module.block(function), module.block(function));
    module.at_end(start);
    let slot = module.alloca(int, 4);
    module.br(again);
    module.at_end(again);
    module.store(expected, slot, 4);
    let is_done = called(module, ("cmpxchg.weak.i32", place), bit, &[address, slot, new]);
    let seen = module.load(int, slot, 4);
    let is_other = module.negated(module.int_eq(seen, expected));
    module.cond_br(module.or(is_done, is_other), done, again);
    module.at_end(done);
    let both = module.insert(module.insert(module.poison(result), seen, 0), is_done, 1);
    module.ret(Some(both));
    function
}

/// Returns a function that adds to a float, or subtracts from it, by comparing and exchanging its bits.
fn float_loop(module: AirDraft<'_>, op: Op, place: Place) -> Function {
    let exchange = exchange_loop(module, place);
    let (int, float) = (module.int(32), module.float(32));
    let pointer = module.ptr_in(if place.scope == DEVICE_SCOPE { DEVICE } else { GROUP });
    let name = format!("kiln.{}.{}", if op == Op::LLVMFAdd { "add" } else { "sub" }, place.memory);
    let (function, is_new) = helper(module, &name, float, &[pointer, float]);
    if !is_new {
        return function;
    }
    let [address, value] = [0, 1].map(|it| module.param(function, it));
    let (start, again, done) = (module.block(function), module.block(function), module.block(function));
    module.at_end(start);
    let first = called(module, ("load.i32", place), int, &[address]);
    module.br(again);
    module.at_end(again);
    let seen = module.phi(int);
    module.add_incoming(seen, first, start);
    let old = module.cast(Op::LLVMBitCast, seen, float);
    let new = module.cast(Op::LLVMBitCast, module.binary(op, old, value), int);
    let both = module.call(exchange, &[address, seen, new]);
    module.add_incoming(seen, module.extract(both, 0), again);
    module.cond_br(module.extract(both, 1), done, again);
    module.at_end(done);
    module.ret(Some(old));
    function
}
