//! Device libraries, prepared so that a composition takes of them what it uses and nothing else.
//!
//! Every definition becomes one that may be left out (`linkonce_odr`), and the file is read lazily: linking three functions
//! of a library of hundreds then costs what those three cost. Preparing reads all of it, so it is done once a process for
//! each content.

use super::fatal::guarded;
use super::walk::{functions, globals, name};
use super::{GAVE_UP, ignore, take_message};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError};

/// Libraries that are kept prepared; a process that uses more than that many prepares anew.
const KEPT_MAX: usize = 16;

/// A prepared library.
pub(crate) struct Library {
    bitcode: Vec<u8>,
    symbols: FxHashSet<String>,
}

static PREPARED: Mutex<Option<FxHashMap<Vec<u8>, Arc<Library>>>> = Mutex::new(None);

impl Library {
    /// The library in these bytes, prepared now or before.
    ///
    /// # Errors
    /// When they are no module.
    pub(crate) fn of(bitcode: &[u8]) -> Result<Arc<Self>, String> {
        let lock = || PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().as_ref().and_then(|it| it.get(bitcode)) {
            return Ok(known.clone());
        }
        let made = Arc::new(prepare(bitcode)?); // not under the lock: equal ones are equal
        let mut guard = lock();
        let kept = guard.get_or_insert_default();
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(bitcode.to_vec(), made.clone());
        Ok(made)
    }

    /// Whether it defines a symbol.
    pub(crate) fn defines(&self, symbol: &str) -> bool {
        self.symbols.contains(symbol)
    }

    /// Returns the bitcode to link.
    pub(super) fn bitcode(&self) -> &[u8] {
        &self.bitcode
    }
}

fn prepare(bitcode: &[u8]) -> Result<Library, String> {
    // SAFETY: the context outlives the module and both are disposed; the buffers are copied and disposed.
    unsafe {
        let context = LLVMContextCreate();
        LLVMContextSetDiagnosticHandler(context, Some(ignore), std::ptr::null_mut());
        let start = bitcode.as_ptr().cast::<c_char>();
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bitcode.len(), c"library".as_ptr());
        let mut module = std::ptr::null_mut();
        let module_at = &raw mut module;
        let failed =
            guarded(|| LLVMParseBitcodeInContext2(context, buffer, module_at) != 0).ok_or(GAVE_UP)?;
        LLVMDisposeMemoryBuffer(buffer);
        let library = if failed {
            Err("a library is no module that LLVM reads".to_owned())
        } else {
            let library = loosened(module);
            LLVMDisposeModule(module);
            library
        };
        LLVMContextDispose(context);
        library
    }
}

/// # Safety
/// The module is alive.
unsafe fn loosened(module: LLVMModuleRef) -> Result<Library, String> {
    // SAFETY: handles of this module, listed before it is changed.
    unsafe {
        let mut message = std::ptr::null_mut();
        let action = llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = llvm_sys::analysis::LLVMVerifyModule(module, action, &mut message) != 0;
        let message = take_message(message);
        if broken {
            return Err(format!("a library is malformed: {}", message.trim_end()));
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

/// A function made for one processor is not inlined into code for another.
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
