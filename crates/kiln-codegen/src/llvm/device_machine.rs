//! Machines for devices.

use super::{Machine, c_string, take_message};
use kiln_targets::{Backend, TargetFacts};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;

// What llvm-sys has no declarations of.
unsafe extern "C" {
    fn LLVMInitializeSPIRVTargetInfo();
    fn LLVMInitializeSPIRVTarget();
    fn LLVMInitializeSPIRVTargetMC();
    fn LLVMInitializeSPIRVAsmPrinter();
}

impl Machine {
    /// A machine for a device, which says how its memory is laid out.
    ///
    /// # Errors
    /// When LLVM does not know the triple.
    pub(crate) fn for_facts(facts: &TargetFacts) -> Result<Self, String> {
        // SAFETY: initialization may be repeated, strings end in NUL, out-pointers are valid.
        unsafe {
            match facts.backend {
                Backend::Native => {}
                Backend::Ptx => {
                    LLVMInitializeNVPTXTargetInfo();
                    LLVMInitializeNVPTXTarget();
                    LLVMInitializeNVPTXTargetMC();
                    LLVMInitializeNVPTXAsmPrinter();
                }
                Backend::Gcn => {
                    LLVMInitializeAMDGPUTargetInfo();
                    LLVMInitializeAMDGPUTarget();
                    LLVMInitializeAMDGPUTargetMC();
                    LLVMInitializeAMDGPUAsmPrinter();
                }
                Backend::Spirv => {
                    LLVMInitializeSPIRVTargetInfo();
                    LLVMInitializeSPIRVTarget();
                    LLVMInitializeSPIRVTargetMC();
                    LLVMInitializeSPIRVAsmPrinter();
                }
                Backend::Bpf => {
                    LLVMInitializeBPFTargetInfo();
                    LLVMInitializeBPFTarget();
                    LLVMInitializeBPFTargetMC();
                    LLVMInitializeBPFAsmPrinter();
                }
            }
            let [triple, cpu, features] = [&facts.triple, &facts.cpu, &facts.features].map(|it| c_string(it));
            let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(take_message(message));
            }
            let machine = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if machine.is_null() { Err("LLVM makes no such machine".into()) } else { Ok(Self(machine)) }
        }
    }
}
