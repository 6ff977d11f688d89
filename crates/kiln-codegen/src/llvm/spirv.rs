//! LLVM's back end for SPIR-V has two things in common for the whole process: its users take turns here.
//!
//! * The extensions it may use are an option of the command line, read when a machine is made.
//! * `SPIRVModuleAnalysis::MAI` is a static object whose maps have addresses as keys (LLVM issue 160613, mended after
//!   LLVM 22): the second module of a process that gets an address of the first one's gets its numbers as well, and the
//!   result is not valid. The object is put back into the state the process started with before each module. What its
//!   maps held is leaked.

use super::machine::parse_options;
use super::process::{SPIRV, Spirv};
use super::{FileKind, Machine, MachineSpec, Module, c_string};
use crate::error::EmitError;
use std::sync::{MutexGuard, PoisonError};

/// Bytes of the object in LLVM 22.1; `build.rs` cannot ask the archive, so the version is asserted instead.
#[cfg(feature = "static-llvm")]
const ANALYSIS_BYTES: usize = 0x460;

#[cfg(feature = "static-llvm")]
pub(super) type Analysis = [u64; ANALYSIS_BYTES / 8];

#[cfg(feature = "static-llvm")]
unsafe extern "C" {
    #[link_name = "_ZN4llvm19SPIRVModuleAnalysis3MAIE"]
    static mut MODULE_ANALYSIS: Analysis;
}

fn lock() -> MutexGuard<'static, Spirv> {
    SPIRV.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A machine for SPIR-V that may use these extensions; each must be known to LLVM, which ends the process otherwise.
///
/// # Errors
/// When LLVM does not know the triple.
pub(crate) fn make_spirv_machine(spec: &MachineSpec<'_>, extensions: &str) -> Result<Machine, EmitError> {
    let mut state = lock();
    if state.extensions != extensions {
        // The option is known once the back end is linked, whether or not it was initialized.
        let option = c_string(&format!("--spirv-ext={extensions}"));
        parse_options(&[c"kiln", &option]);
        extensions.clone_into(&mut state.extensions);
    }
    Machine::new(spec)
}

/// Emits SPIR-V.
///
/// # Errors
/// When the back end refuses.
pub(crate) fn emit_spirv(machine: &Machine, module: &Module, kind: FileKind) -> Result<Vec<u8>, EmitError> {
    let mut state = lock();
    restore(&mut state);
    machine.file(module, kind)
}

#[cfg(feature = "static-llvm")]
fn restore(state: &mut Spirv) {
    assert!(super::version().starts_with("22.1."), "the size of the analysis was read from LLVM 22.1");
    let object = &raw mut MODULE_ANALYSIS;
    // SAFETY: the size is that of the object in this version, the lock keeps others off, and no LLVM object lives on
    // that refers to it.
    unsafe {
        match &state.pristine {
            None => state.pristine = Some(Box::new(object.read())),
            Some(pristine) => object.write(**pristine),
        }
    }
}

/// The symbol is hidden in the shared library: builds against it are for work on other parts.
#[cfg(not(feature = "static-llvm"))]
fn restore(_: &mut Spirv) {}
