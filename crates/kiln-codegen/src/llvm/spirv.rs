//! The process-wide state of LLVM's SPIR-V back end, whose users take turns.
//!
//! * Its extensions are a command-line option, read when a machine is made.
//! * `SPIRVModuleAnalysis::MAI` is a static object whose maps have addresses as keys (LLVM issue 160613, fixed after
//!   LLVM 22): a second module in the process that reuses an address of the first also gets its numbers, and its
//!   output is invalid. The object is reset to its initial state before each module. The contents of its maps are
//!   leaked.

use super::machine::parse_options;
use super::process::{SPIRV, Spirv};
use super::{FileKind, Machine, MachineSpec, Module, c_string};
use crate::error::EmitError;
use std::sync::{MutexGuard, PoisonError};

/// The size of the object in LLVM 22.1; `build.rs` cannot query the archive, so the version is asserted.
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

/// Returns a machine for SPIR-V with these extensions. LLVM ends the process for an unknown one.
///
/// # Errors
/// Fails if LLVM does not know the triple.
pub(crate) fn make_spirv_machine(spec: &MachineSpec<'_>, extensions: &str) -> Result<Machine, EmitError> {
    let mut state = lock();
    if state.extensions != extensions {
        // Linking the back end registers the option, whether it was initialized or not.
        let option = c_string(&format!("--spirv-ext={extensions}"));
        parse_options(&[c"kiln", &option]);
        extensions.clone_into(&mut state.extensions);
    }
    Machine::new(spec)
}

/// Emits SPIR-V.
///
/// # Errors
/// Fails if the back end refuses.
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

/// The symbol is hidden in the shared library, so such builds cannot reset it.
#[cfg(not(feature = "static-llvm"))]
fn restore(_: &mut Spirv) {}
