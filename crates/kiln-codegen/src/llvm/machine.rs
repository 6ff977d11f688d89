//! Target machines: pass pipelines, objects and assembly.

use super::fatal::guarded;
use super::process::{OPTIONS_LOCK, TARGETS_KNOWN};
use super::{Function, Module, c_string, take_message};
use crate::error::{EmitError, EmitErrorKind, GaveUp};
use llvm_sys::core::*;
use llvm_sys::error::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::sync::PoisonError;

/// A configured LLVM back end, or the description of a machine that LLVM has none for.
pub struct Machine {
    /// Null where LLVM has no back end.
    machine: LLVMTargetMachineRef,
    /// The triple and the data layout, where LLVM has no back end.
    description: Option<[CString; 2]>,
    /// LLVM failed fatally while working with it.
    is_broken: Cell<bool>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        if !self.is_broken.get() && !self.machine.is_null() {
            // SAFETY: ours.
            unsafe { LLVMDisposeTargetMachine(self.machine) }
        }
    }
}

/// The LLVM back ends of this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// x86-64.
    X86,
    /// NVIDIA GPUs.
    Nvptx,
    /// AMD GPUs.
    Amdgpu,
    /// SPIR-V.
    Spirv,
    /// The virtual machine of the Linux kernel.
    Bpf,
    /// Another, which the caller has registered with LLVM (`LLVMInitialize...`).
    Other,
}

/// The settings of a machine.
#[derive(Clone, Copy, Debug)]
pub struct MachineSpec<'a> {
    /// The architecture.
    pub architecture: Architecture,
    /// LLVM's triple.
    pub triple: &'a str,
    /// LLVM's name of the processor.
    pub cpu: &'a str,
    /// LLVM's feature string.
    pub features: &'a str,
    /// The optimization level, 0 to 3.
    pub opt_level: u8,
}

/// The output of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Assembly.
    Assembly,
    /// An object.
    Object,
}

unsafe extern "C" {
    // LLVM's C headers declare these; the bindings do not.
    fn LLVMInitializeSPIRVTargetInfo();
    fn LLVMInitializeSPIRVTarget();
    fn LLVMInitializeSPIRVTargetMC();
    fn LLVMInitializeSPIRVAsmPrinter();
}

/// Options that LLVM's back ends read for the whole process. Multiplications and additions may be fused in PTX, as
/// the vendor's compiler does.
const OPTIONS: [&CStr; 2] = [c"kiln", c"-nvptx-fma-level=1"];
/// The loop vectorizer groups accesses of one iteration without regard to their order if those of different iterations are
/// said to be independent.
const PROCESSOR_OPTIONS: [&CStr; 2] = [c"kiln", c"-enable-interleaved-mem-accesses=false"];

/// Registers a back end with LLVM, once.
fn initialize(architecture: Architecture) {
    // SAFETY: each happens once, before anything else asks for that back end; the arguments end in NUL.
    TARGETS_KNOWN[architecture as usize].call_once(|| unsafe {
        match architecture {
            Architecture::X86 => {
                LLVMInitializeX86TargetInfo();
                LLVMInitializeX86Target();
                LLVMInitializeX86TargetMC();
                LLVMInitializeX86AsmPrinter();
                LLVMInitializeX86AsmParser(); // for assembly in text
                parse_options(&PROCESSOR_OPTIONS);
            }
            Architecture::Nvptx => {
                LLVMInitializeNVPTXTargetInfo();
                LLVMInitializeNVPTXTarget();
                LLVMInitializeNVPTXTargetMC();
                LLVMInitializeNVPTXAsmPrinter();
                parse_options(&OPTIONS);
            }
            Architecture::Amdgpu => {
                LLVMInitializeAMDGPUTargetInfo();
                LLVMInitializeAMDGPUTarget();
                LLVMInitializeAMDGPUTargetMC();
                LLVMInitializeAMDGPUAsmPrinter();
                LLVMInitializeAMDGPUAsmParser(); // for assembly in text
            }
            Architecture::Spirv => {
                LLVMInitializeSPIRVTargetInfo();
                LLVMInitializeSPIRVTarget();
                LLVMInitializeSPIRVTargetMC();
                LLVMInitializeSPIRVAsmPrinter();
            }
            Architecture::Bpf => {
                LLVMInitializeBPFTargetInfo();
                LLVMInitializeBPFTarget();
                LLVMInitializeBPFTargetMC();
                LLVMInitializeBPFAsmPrinter();
            }
            Architecture::Other => {}
        }
    });
}

/// Passes options to LLVM as a command line, after the name of a program. LLVM ends the process for an unknown one.
pub(super) fn parse_options(options: &[&CStr]) {
    let _guard = OPTIONS_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let options: Vec<_> = options.iter().map(|it| it.as_ptr()).collect();
    // SAFETY: as many strings as said, each ending in NUL.
    unsafe {
        llvm_sys::support::LLVMParseCommandLineOptions(
            options.len() as i32,
            options.as_ptr(),
            std::ptr::null(),
        );
    }
}

impl Machine {
    /// Returns a machine for position-independent code.
    ///
    /// # Errors
    /// Fails if LLVM does not know the triple.
    pub fn new(spec: &MachineSpec<'_>) -> Result<Self, EmitError> {
        initialize(spec.architecture);
        let [triple, cpu, features] = [spec.triple, spec.cpu, spec.features].map(c_string);
        let level = match spec.opt_level {
            0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        // SAFETY: strings end in NUL, out-pointers are valid.
        unsafe {
            let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(EmitErrorKind::Llvm(take_message(message)).into());
            }
            let [triple, cpu, features] = [&triple, &cpu, &features].map(|it| it.as_ptr());
            let machine = guarded(|| {
                let (mode, model) = (LLVMRelocMode::LLVMRelocPIC, LLVMCodeModel::LLVMCodeModelSmall);
                LLVMCreateTargetMachine(target, triple, cpu, features, level, mode, model)
            });
            match machine {
                None => Err(GaveUp.into()),
                Some(machine) if machine.is_null() => Err(EmitErrorKind::NoMachine.into()),
                Some(machine) => Ok(Self { machine, description: None, is_broken: Cell::new(false) }),
            }
        }
    }

    /// Returns a machine without an LLVM back end: a triple and a data layout. It runs passes that need no back end;
    /// the target makes files of the module.
    ///
    /// # Errors
    /// Fails if the layout is invalid.
    pub fn described(triple: &str, layout: &str) -> Result<Self, EmitError> {
        let description = [triple, layout].map(c_string);
        let layout_at = description[1].as_ptr();
        // SAFETY: the string ends in NUL; the layout is disposed.
        let known = guarded(|| unsafe { LLVMDisposeTargetData(LLVMCreateTargetData(layout_at)) });
        known.ok_or_else(|| EmitErrorKind::NoLayout(layout.to_owned()))?;
        let (machine, description) = (std::ptr::null_mut(), Some(description));
        Ok(Self { machine, description, is_broken: Cell::new(false) })
    }

    /// Sets the triple and the data layout of modules. The machine makes no files then.
    ///
    /// # Errors
    /// Fails if the layout is invalid.
    #[cfg(feature = "metal")]
    pub(super) fn with_description(mut self, triple: &str, layout: &str) -> Result<Self, EmitError> {
        self.description = Self::described(triple, layout)?.description.take();
        Ok(self)
    }

    /// Returns the data layout.
    ///
    /// # Safety
    /// The caller disposes of the result.
    unsafe fn layout(&self) -> LLVMTargetDataRef {
        // SAFETY: the machine is alive; the string ends in NUL and has been read before.
        unsafe {
            match &self.description {
                Some([_, layout]) => LLVMCreateTargetData(layout.as_ptr()),
                None => LLVMCreateTargetDataLayout(self.machine),
            }
        }
    }

    /// Sets triple and data layout of a module.
    pub(super) fn describe(&self, module: LLVMModuleRef) {
        // SAFETY: the strings and the layout are disposed after their use.
        unsafe {
            if let Some([triple, _]) = &self.description {
                LLVMSetTarget(module, triple.as_ptr());
            } else {
                let triple = LLVMGetTargetMachineTriple(self.machine);
                LLVMSetTarget(module, triple);
                LLVMDisposeMessage(triple);
            }
            let layout = self.layout();
            LLVMSetModuleDataLayout(module, layout);
            LLVMDisposeTargetData(layout);
        }
    }

    /// Runs a pipeline in the syntax of `opt -passes`.
    ///
    /// # Errors
    /// Fails if the pipeline is invalid.
    pub fn run_passes(&self, module: &Module, pipeline: &str) -> Result<(), EmitError> {
        let pipeline = c_string(pipeline);
        // SAFETY: options are disposed; an error is consumed by taking its message.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let (target, pipeline) = (module.module, pipeline.as_ptr());
            let machine = self.machine;
            let error = guarded(|| LLVMRunPasses(target, pipeline, machine, options));
            let error = error.ok_or_else(|| self.give_up(module))?;
            LLVMDisposePassBuilderOptions(options);
            failure_of(error)
        }
    }

    /// Runs a pipeline of function passes on one function.
    ///
    /// # Errors
    /// Fails if the pipeline is invalid.
    pub(crate) fn run_function_passes(
        &self,
        module: &Module,
        function: Function,
        pipeline: &str,
    ) -> Result<(), EmitError> {
        let pipeline = c_string(pipeline);
        // SAFETY: options are disposed; an error is consumed by taking its message.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let (target, pipeline) = (function.value, pipeline.as_ptr());
            let machine = self.machine;
            let error = guarded(|| LLVMRunPassesOnFunction(target, pipeline, machine, options));
            let error = error.ok_or_else(|| self.give_up(module))?;
            LLVMDisposePassBuilderOptions(options);
            failure_of(error)
        }
    }

    /// Emits an object or assembly. The back end leaves the module unusable; `Linked::copy` makes a copy for a second
    /// output.
    ///
    /// # Errors
    /// Fails if the back end refuses.
    pub fn file(&self, module: &Module, kind: FileKind) -> Result<Vec<u8>, EmitError> {
        if let Some([triple, _]) = &self.description {
            return Err(EmitErrorKind::NoFiles(triple.to_string_lossy().into_owned()).into());
        }
        let (mut message, mut buffer) = (std::ptr::null_mut(), std::ptr::null_mut());
        let kind = match kind {
            FileKind::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
            FileKind::Object => LLVMCodeGenFileType::LLVMObjectFile,
        };
        // SAFETY: out-pointers are valid; the buffer is copied and disposed.
        unsafe {
            let (machine, source) = (self.machine, module.module);
            let (message_at, buffer_at) = (&raw mut message, &raw mut buffer);
            let failed =
                guarded(|| LLVMTargetMachineEmitToMemoryBuffer(machine, source, kind, message_at, buffer_at));
            if failed.ok_or_else(|| self.give_up(module))? != 0 {
                return Err(EmitErrorKind::Llvm(take_message(message)).into());
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }

    /// Notes a fatal error of LLVM while working on `module` with this machine; neither is disposed of.
    fn give_up(&self, module: &Module) -> GaveUp {
        self.is_broken.set(true);
        module.give_up()
    }

    /// Returns the size and the alignment of a type.
    pub(super) fn size_of(&self, ty: LLVMTypeRef) -> (u64, u64) {
        // SAFETY: the type is sized; the layout is disposed.
        unsafe {
            let layout = self.layout();
            let size = (LLVMABISizeOfType(layout, ty), LLVMABIAlignmentOfType(layout, ty).into());
            LLVMDisposeTargetData(layout);
            size
        }
    }
}

/// Takes an error of LLVM.
///
/// # Safety
/// It is null, or an error that nothing else consumes.
unsafe fn failure_of(error: LLVMErrorRef) -> Result<(), EmitError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the message ends in NUL and is disposed.
    unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(EmitErrorKind::Llvm(text).into())
    }
}

/// Returns the version `major.minor.patch`.
pub(crate) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: out-pointers are valid.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}
