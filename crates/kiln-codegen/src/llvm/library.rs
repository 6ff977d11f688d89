//! Device libraries, prepared so that linking takes only the used definitions.
//!
//! Every definition becomes discardable (`linkonce_odr`), and the file is read lazily: linking three functions of a
//! library of hundreds costs only those three. Preparation reads everything, so an instance of the code generator
//! prepares each content once.

use super::walk::{functions, globals, name};
use super::{Module, verifier_message};
use crate::error::{EmitError, EmitErrorKind, LinkError, LinkStep};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The prepared libraries that an instance keeps; further ones are prepared on each use.
const KEPT_MAX: usize = 16;

/// A prepared library.
pub(crate) struct Library {
    bitcode: Vec<u8>,
    symbols: FxHashSet<String>,
}

/// The prepared libraries of an instance, by their content.
#[derive(Default)]
pub(crate) struct Libraries {
    prepared: Mutex<FxHashMap<Vec<u8>, Arc<Library>>>,
}

impl Libraries {
    /// Returns the library in these bytes, prepared on first use.
    ///
    /// # Errors
    /// Fails if the bytes are not a module.
    pub(crate) fn prepared(&self, bitcode: &[u8]) -> Result<Arc<Library>, EmitError> {
        let lock = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(bitcode) {
            return Ok(known.clone());
        }
        let made = Arc::new(prepare(bitcode)?); // not under the lock: equal ones are equal
        let mut kept = lock();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(bitcode.to_vec(), made.clone());
        Ok(made)
    }
}

impl Library {
    /// Whether the library defines a symbol.
    pub(crate) fn defines(&self, symbol: &str) -> bool {
        self.symbols.contains(symbol)
    }

    /// Returns the bitcode to link.
    pub(super) fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }
}

fn prepare(bitcode: &[u8]) -> Result<Library, EmitError> {
    let unreadable = || LinkError::Input { step: LinkStep::PrepareLibrary, messages: Vec::new() };
    let module = Module::read(bitcode).map_err(|it| {
        let is_unreadable = matches!(it.kind, EmitErrorKind::UnreadableModule);
        if is_unreadable { unreadable().into() } else { it }
    })?;
    // SAFETY: the module is alive.
    unsafe { loosened(module.module) }
}

/// # Safety
/// The module is alive.
unsafe fn loosened(module: LLVMModuleRef) -> Result<Library, EmitError> {
    // SAFETY: handles of this module, listed before it is changed.
    unsafe {
        if let Some(message) = verifier_message(module) {
            return Err(LinkError::InvalidLibrary(message).into());
        }
        llvm_sys::debuginfo::LLVMStripModuleDebugInfo(module);
        let mut symbols = FxHashSet::default();
        for it in functions(module).into_iter().chain(globals(module)) {
            let symbol = name(it);
            if symbol.starts_with("llvm.") && LLVMIsAFunction(it).is_null() {
                LLVMDeleteGlobal(it); // `llvm.used` would take all of it along
                continue;
            }
            let is_local = matches!(
                LLVMGetLinkage(it),
                LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
            );
            if LLVMIsDeclaration(it) != 0 {
                continue;
            }
            forget_processor(it);
            if !is_local {
                LLVMSetComdat(it, std::ptr::null_mut());
                LLVMSetLinkage(it, LLVMLinkage::LLVMLinkOnceODRLinkage);
                symbols.insert(symbol);
            }
        }
        let buffer = LLVMWriteBitcodeToMemoryBuffer(module);
        let start = LLVMGetBufferStart(buffer).cast::<u8>();
        let bitcode = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        Ok(Library { bitcode, symbols })
    }
}

/// Removes processor attributes, which prevent inlining into code for another processor.
unsafe fn forget_processor(it: LLVMValueRef) {
    // SAFETY: names are given with their lengths; only functions have attributes.
    unsafe {
        if LLVMIsAFunction(it).is_null() {
            return;
        }
        for key in ["target-cpu", "target-features"] {
            let (start, len) = (key.as_ptr().cast(), key.len() as u32);
            LLVMRemoveStringAttributeAtIndex(it, LLVMAttributeFunctionIndex, start, len);
        }
    }
}
