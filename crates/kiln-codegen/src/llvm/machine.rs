//! Target machines: passes and objects.

use super::{Module, c_string, take_message};
use llvm_sys::core::*;
use llvm_sys::error::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use std::sync::Once;

/// A configured back end of LLVM's.
pub(crate) struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

static INITIALIZE: Once = Once::new();

impl Machine {
    /// A machine for x86-64 that makes code to be placed anywhere.
    ///
    /// # Errors
    /// When LLVM does not know the triple.
    pub(crate) fn x86(triple: &str, cpu: &str, features: &str, opt_level: u8) -> Result<Self, String> {
        // SAFETY: initialization happens once, strings end in NUL, out-pointers are valid.
        unsafe {
            INITIALIZE.call_once(|| {
                LLVMInitializeX86TargetInfo();
                LLVMInitializeX86Target();
                LLVMInitializeX86TargetMC();
                LLVMInitializeX86AsmPrinter();
                LLVMInitializeX86AsmParser(); // for assembly in text
            });
            let (triple, cpu, features) = (c_string(triple), c_string(cpu), c_string(features));
            let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(take_message(message));
            }
            let level = match opt_level {
                0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
                2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
            };
            let machine = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if machine.is_null() { Err("LLVM makes no such machine".into()) } else { Ok(Self(machine)) }
        }
    }

    /// Sets triple and data layout.
    pub(super) fn describe(&self, module: LLVMModuleRef) {
        // SAFETY: the strings and the layout are disposed after their use.
        unsafe {
            let triple = LLVMGetTargetMachineTriple(self.0);
            LLVMSetTarget(module, triple);
            LLVMDisposeMessage(triple);
            let layout = LLVMCreateTargetDataLayout(self.0);
            LLVMSetModuleDataLayout(module, layout);
            LLVMDisposeTargetData(layout);
        }
    }

    /// Runs a pipeline, written as for `opt -passes`.
    ///
    /// # Errors
    /// When the pipeline is not understood.
    pub(crate) fn run_passes(&self, module: &Module, pipeline: &str) -> Result<(), String> {
        let pipeline = c_string(pipeline);
        // SAFETY: options are disposed; an error is consumed by taking its message.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(module.module, pipeline.as_ptr(), self.0, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    /// Makes an object.
    ///
    /// # Errors
    /// When the back end refuses.
    pub(crate) fn object(&self, module: &Module) -> Result<Vec<u8>, String> {
        let (object, errors) = module.errors_of(|| self.emit_object(module));
        if errors.is_empty() { object } else { Err(errors) }
    }

    fn emit_object(&self, module: &Module) -> Result<Vec<u8>, String> {
        let (mut message, mut buffer) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: out-pointers are valid; the buffer is copied and disposed.
        unsafe {
            let kind = LLVMCodeGenFileType::LLVMObjectFile;
            if LLVMTargetMachineEmitToMemoryBuffer(self.0, module.module, kind, &mut message, &mut buffer)
                != 0
            {
                return Err(take_message(message));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}

/// `major.minor.patch`.
pub(crate) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: out-pointers are valid.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}
