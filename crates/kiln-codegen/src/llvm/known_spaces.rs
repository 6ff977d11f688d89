//! Addresses of matrices for NVIDIA's matrix units. LLVM infers the address spaces of loads and stores, and not those of its
//! intrinsics for matrices, which have their address space in their names. A generic address that is known to be in one is
//! replaced by the address that it was converted from.

use super::Module;
use super::walk::{functions, is_call_of, name, users};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// The start and the end of the names of intrinsics with a generic address.
const GENERIC: (&str, &str) = ("llvm.nvvm.wmma.", ".p0");

/// Rewrites all calls whose address is known.
pub(crate) fn narrow_matrix_addresses(module: &Module) {
    // SAFETY: handles of this module; each list is taken before it is changed.
    unsafe {
        for function in functions(module.module) {
            let is_one = |it: &str| it.starts_with(GENERIC.0) && it.ends_with(GENERIC.1);
            if !is_one(&name(function)) {
                continue;
            }
            for call in users(function).into_iter().filter(|it| is_call_of(*it, function)) {
                LLVMPositionBuilderBefore(module.builder, call);
                if let Some(address) = known_address(module, LLVMGetOperand(call, 0)) {
                    call_with(module, call, LLVMGetIntrinsicID(function), address);
                }
            }
        }
    }
}

/// Returns the address in its own address space, if it is the conversion of one, or at a distance from it.
unsafe fn known_address(module: &Module, address: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: a value of this module; the builder stands at a use of it, after its definition.
    unsafe {
        let is_constant = !LLVMIsAConstantExpr(address).is_null();
        if !is_constant && LLVMIsAInstruction(address).is_null() {
            return None;
        }
        let opcode =
            if is_constant { LLVMGetConstOpcode(address) } else { LLVMGetInstructionOpcode(address) };
        if opcode == LLVMOpcode::LLVMAddrSpaceCast {
            return Some(LLVMGetOperand(address, 0));
        }
        if opcode != LLVMOpcode::LLVMGetElementPtr {
            return None;
        }
        let base = known_address(module, LLVMGetOperand(address, 0))?;
        let count = LLVMGetNumOperands(address) as u32;
        let mut indices: Vec<_> = (1..count).map(|it| LLVMGetOperand(address, it)).collect();
        let (ty, start) = (LLVMGetGEPSourceElementType(address), indices.as_mut_ptr());
        Some(LLVMBuildGEP2(module.builder, ty, base, start, count - 1, c"".as_ptr()))
    }
}

/// Puts a call of the intrinsic for another address in place of one.
unsafe fn call_with(module: &Module, call: LLVMValueRef, intrinsic: u32, address: LLVMValueRef) {
    // SAFETY: a call of this module, whose intrinsic is overloaded by the type of its first operand.
    unsafe {
        let mut ty = LLVMTypeOf(address);
        let function = LLVMGetIntrinsicDeclaration(module.module, intrinsic, &mut ty, 1);
        let count = LLVMGetNumArgOperands(call);
        let mut args: Vec<_> = (0..count).map(|it| LLVMGetOperand(call, it)).collect();
        args[0] = address;
        let (ty, start) = (LLVMGlobalGetValueType(function), args.as_mut_ptr());
        let made = LLVMBuildCall2(module.builder, ty, function, start, count, c"".as_ptr());
        module.put_instead(call, super::Val(made));
    }
}
