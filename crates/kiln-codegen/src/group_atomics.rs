//! Atomic operations on the shared memory of a group, where loops or fibers run its items.
//!
//! One thread runs a group at a time, and fibers change at barriers and in loops that wait alone. No other thread has the address: each group has shared memory of its own. A read-modify-write there is a load and a store, without the
//! locked instruction, which takes 20 cycles. Both stay atomic, so LLVM neither removes nor moves them.
//!
//! It runs after loops over items are vectors: lanes take turns at whole operations.
//!
//! # Deliberately absent
//! Addresses that a function gets as arguments or that are kept in memory across a barrier: nothing in the code says where they point.

use crate::llvm::{Atomic, Function, Module, Order, TypeKind, Val, operation_of};
use kiln_unit::LaunchContext;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use std::mem::offset_of;

/// Replaces the read-modify-writes of the entry's functions, whose first parameter is the launch, by loads and stores.
pub(crate) fn unlock(module: &Module) {
    let takes_launch = |it: &Function| {
        let name = module.name_of(*it);
        name == crate::kernel::ENTRY || crate::regions::takes_launch(&name)
    };
    for function in module.bodies().into_iter().filter(takes_launch) {
        let instructions = module.blocks_of(function).into_iter().flat_map(|it| module.instructions_of(it));
        for instruction in instructions.collect::<Vec<_>>() {
            let replace = match module.opcode(instruction) {
                Some(Op::LLVMAtomicRMW) => replace_modify,
                Some(Op::LLVMAtomicCmpXchg) => replace_exchange,
                _ => continue,
            };
            let address = module.operands(instruction)[0];
            if is_shared(module, module.param(function, 0), address, &mut Vec::new()) {
                replace(module, instruction, address);
            }
        }
    }
}

/// Whether an address is one of the group's shared memory, whatever way control took. `seen` has the phis on the way.
fn is_shared(module: &Module, launch: Val, address: Val, seen: &mut Vec<Val>) -> bool {
    let operands = || module.operands(address);
    match module.opcode(address) {
        Some(Op::LLVMGetElementPtr | Op::LLVMFreeze | Op::LLVMExtractElement) => {
            is_shared(module, launch, operands()[0], seen)
        }
        Some(Op::LLVMSelect) => operands()[1..].iter().all(|it| is_shared(module, launch, *it, seen)),
        Some(Op::LLVMPHI) if seen.contains(&address) => true,
        Some(Op::LLVMPHI) => {
            seen.push(address);
            module.incoming(address).into_iter().all(|it| is_shared(module, launch, it.1, seen))
        }
        // A vector of addresses has those of other fields, too.
        Some(Op::LLVMLoad) => {
            module.type_kind(module.type_of(address)) == TypeKind::Pointer
                && is_field_of_shared(module, launch, operands()[0])
        }
        _ => false,
    }
}

/// Whether an address is that of the field of a launch that has the address of shared memory.
fn is_field_of_shared(module: &Module, launch: Val, address: Val) -> bool {
    if module.opcode(address) != Some(Op::LLVMGetElementPtr) {
        return false;
    }
    let offset = match module.operands(address)[..] {
        [base, index] if base == launch => module.int_constant(index),
        _ => None,
    };
    let bytes = module.bytes_of(module.indexed_type(address)) as i64;
    let fields = [offset_of!(LaunchContext, shared), offset_of!(LaunchContext, dynamic_shared)];
    offset.is_some_and(|it| fields.contains(&((it * bytes) as usize)))
}

fn replace_modify(module: &Module, modify: Val, address: Val) {
    let Some(op) = operation_of(modify) else { return };
    let operand = module.operands(modify)[1];
    let ty = module.type_of(operand);
    let bytes = module.bytes_of(ty) as u32;
    module.before(modify);
    let old = module.load_atomic(ty, address, bytes, Order::Acquire);
    let best = |predicate| module.select(module.icmp(predicate, old, operand), old, operand);
    let new = match op {
        Atomic::Exchange => operand,
        Atomic::Add => module.add(old, operand),
        Atomic::Sub => module.sub(old, operand),
        Atomic::And => module.and(old, operand),
        Atomic::Or => module.or(old, operand),
        Atomic::Xor => module.xor(old, operand),
        Atomic::SignedMax => best(Int::LLVMIntSGT),
        Atomic::SignedMin => best(Int::LLVMIntSLT),
        Atomic::UnsignedMax => best(Int::LLVMIntUGT),
        Atomic::UnsignedMin => best(Int::LLVMIntULT),
        Atomic::FloatAdd => module.binary(Op::LLVMFAdd, old, operand),
        Atomic::FloatSub => module.binary(Op::LLVMFSub, old, operand),
    };
    module.store_atomic(new, address, bytes, Order::Release);
    module.replace(modify, old);
}

fn replace_exchange(module: &Module, exchange: Val, address: Val) {
    let operands = module.operands(exchange);
    let (expected, new) = (operands[1], operands[2]);
    let ty = module.type_of(expected);
    let bytes = module.bytes_of(ty) as u32;
    module.before(exchange);
    let old = module.load_atomic(ty, address, bytes, Order::Acquire);
    let is_expected = module.int_eq(old, expected);
    module.store_atomic(module.select(is_expected, new, old), address, bytes, Order::Release);
    let both = module.insert(module.poison(module.type_of(exchange)), old, 0);
    module.replace(exchange, module.insert(both, is_expected, 1));
}
