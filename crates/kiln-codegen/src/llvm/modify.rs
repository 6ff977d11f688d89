//! The operation of an atomic read-modify-write.

use super::{Atomic, Val};
use llvm_sys::LLVMAtomicRMWBinOp as Op;
use llvm_sys::core::LLVMGetAtomicRMWBinOp;

/// Returns the operation of an atomic read-modify-write; `None` for one that emission does not make.
pub(crate) fn operation_of(modify: Val) -> Option<Atomic> {
    // SAFETY: the caller has such an instruction.
    let op = unsafe { LLVMGetAtomicRMWBinOp(modify.0) };
    let known = [
        (Op::LLVMAtomicRMWBinOpXchg, Atomic::Exchange),
        (Op::LLVMAtomicRMWBinOpAdd, Atomic::Add),
        (Op::LLVMAtomicRMWBinOpSub, Atomic::Sub),
        (Op::LLVMAtomicRMWBinOpAnd, Atomic::And),
        (Op::LLVMAtomicRMWBinOpOr, Atomic::Or),
        (Op::LLVMAtomicRMWBinOpXor, Atomic::Xor),
        (Op::LLVMAtomicRMWBinOpMax, Atomic::SignedMax),
        (Op::LLVMAtomicRMWBinOpMin, Atomic::SignedMin),
        (Op::LLVMAtomicRMWBinOpUMax, Atomic::UnsignedMax),
        (Op::LLVMAtomicRMWBinOpUMin, Atomic::UnsignedMin),
        (Op::LLVMAtomicRMWBinOpFAdd, Atomic::FloatAdd),
        (Op::LLVMAtomicRMWBinOpFSub, Atomic::FloatSub),
    ];
    known.into_iter().find(|it| it.0 as u32 == op as u32).map(|it| it.1)
}
