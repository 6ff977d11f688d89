//! Lines of instructions, as minimal debug information.
//!
//! The "line" of an instruction is the number that [`Unit`](crate::unit::Unit) gives to its statement. It does not
//! depend on files, so a function that only moved has the same object. Line 0 is code without a statement.

use super::{Block, Module};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMModuleFlagBehavior, LLVMValue};
use std::ffi::{c_char, c_uint};

/// LLVM's emission kinds, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Emission {
    /// `LineTablesOnly`: a line table, and the inlined functions.
    Tables = 2,
    /// `DebugDirectivesOnly`, which the C enumeration lacks: only a line table.
    Directives = 3,
}

/// Creates the compile unit of a module.
///
/// # Safety
/// The handles are of one module.
pub(super) unsafe fn compile_unit(builder: LLVMDIBuilderRef, file: LLVMMetadataRef, emission: Emission) {
    let none: (*const c_char, usize) = (c"".as_ptr(), 0);
    let julia = LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageJulia as c_uint;
    let kind = emission as c_uint;
    // SAFETY: by the contract; strings are given with their lengths.
    unsafe {
        LLVMDIBuilderCreateCompileUnit(
            builder,
            julia,
            file,
            c"kiln".as_ptr(),
            4,
            1,
            none.0,
            none.1,
            0,
            none.0,
            none.1,
            kind,
            0,
            1,
            0,
            none.0,
            none.1,
            none.0,
            none.1,
        );
    }
}

/// Sets the version of the following metadata, if it is not set.
///
/// # Safety
/// The module is of the context.
pub(super) unsafe fn flag_versions(context: LLVMContextRef, module: LLVMModuleRef, dwarf: u32) {
    // SAFETY: by the contract; keys are given with their lengths.
    unsafe {
        for (key, value) in [("Debug Info Version", LLVMDebugMetadataVersion()), ("Dwarf Version", dwarf)] {
            if LLVMGetModuleFlag(module, key.as_ptr().cast(), key.len()).is_null() {
                let value = LLVMConstInt(LLVMInt32TypeInContext(context), value.into(), 0);
                let behavior = LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning;
                let value = LLVMValueAsMetadata(value);
                LLVMAddModuleFlag(module, behavior, key.as_ptr().cast(), key.len(), value);
            }
        }
    }
}

unsafe extern "C" {
    fn LLVMDIBuilderCreateCompileUnit(
        builder: LLVMDIBuilderRef,
        language: c_uint,
        file: LLVMMetadataRef,
        producer: *const c_char,
        producer_len: usize,
        is_optimized: LLVMBool,
        flags: *const c_char,
        flags_len: usize,
        runtime_version: c_uint,
        split_name: *const c_char,
        split_name_len: usize,
        kind: c_uint,
        dwo_id: c_uint,
        split_debug_inlining: LLVMBool,
        for_profiling: LLVMBool,
        sys_root: *const c_char,
        sys_root_len: usize,
        sdk: *const c_char,
        sdk_len: usize,
    ) -> LLVMMetadataRef;
}

/// The scopes that locations of a module belong to.
pub(super) struct Lines {
    builder: LLVMDIBuilderRef,
    file: LLVMMetadataRef,
    ty: LLVMMetadataRef,
}

impl Drop for Lines {
    fn drop(&mut self) {
        // SAFETY: ours; the module it was made for is alive, as `Module` drops this first.
        unsafe { LLVMDisposeDIBuilder(self.builder) }
    }
}

impl Lines {
    /// Adds scopes to a module that has none.
    pub(super) fn new(context: LLVMContextRef, module: LLVMModuleRef) -> Self {
        let none: (*const c_char, usize) = (c"".as_ptr(), 0);
        // SAFETY: strings are given with their lengths, handles are of this context.
        unsafe {
            flag_versions(context, module, 4);
            let builder = LLVMCreateDIBuilder(module);
            let file = LLVMDIBuilderCreateFile(builder, c"unit".as_ptr(), 4, none.0, none.1);
            compile_unit(builder, file, Emission::Directives);
            let ty = LLVMDIBuilderCreateSubroutineType(builder, file, std::ptr::null_mut(), 0, 0);
            Self { builder, file, ty }
        }
    }

    /// Returns the scope of the locations in a function, made on first use.
    ///
    /// # Safety
    /// `function` is a function of the module.
    unsafe fn scope(&self, function: *mut LLVMValue) -> LLVMMetadataRef {
        // SAFETY: by the contract; the name is given with its length.
        unsafe {
            let known = LLVMGetSubprogram(function);
            if !known.is_null() {
                return known;
            }
            let mut len = 0;
            let name = LLVMGetValueName2(function, &mut len);
            let (file, ty) = (self.file, self.ty);
            let none = c"".as_ptr();
            let made = LLVMDIBuilderCreateFunction(
                self.builder,
                file,
                name,
                len,
                none,
                0,
                file,
                0,
                ty,
                1,
                1,
                0,
                0,
                1,
            );
            LLVMSetSubprogram(function, made);
            made
        }
    }
}

impl Module {
    /// Sets the line of the following instructions.
    pub(crate) fn set_line(&self, line: u32) {
        self.line.set(line);
        self.locate();
    }

    /// Passes the current line to LLVM, for the current block.
    pub(super) fn locate(&self) {
        let Some(lines) = &self.lines else { return };
        // SAFETY: a block that emission stands in belongs to a function of this module.
        unsafe {
            let block = LLVMGetInsertBlock(self.builder);
            if block.is_null() {
                return;
            }
            let scope = lines.scope(LLVMGetBasicBlockParent(Block(block).0));
            let none = std::ptr::null_mut();
            let at = LLVMDIBuilderCreateDebugLocation(self.context, self.line.get(), 0, scope, none);
            LLVMSetCurrentDebugLocation2(self.builder, at);
        }
    }

    /// Completes the debug information after emission, before the verifier.
    pub(crate) fn finish_lines(&self) {
        if let Some(lines) = &self.lines {
            // SAFETY: ours.
            unsafe { LLVMDIBuilderFinalize(lines.builder) }
        }
    }
}
