//! Bitcode and text of modules.

use super::fatal::guarded;
use super::{Module, Val, ignore, take_message};
use crate::error::{EmitError, EmitErrorKind, GaveUp};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::c_char;

impl Module {
    /// Returns the module in LLVM's language.
    pub fn text(&self) -> String {
        // SAFETY: the module is alive; the message is disposed.
        unsafe { take_message(LLVMPrintModuleToString(self.module)) }
    }

    /// Returns the module as bitcode: equal for equal modules, since its context holds nothing else.
    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is alive; the buffer is copied and disposed.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.module);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            raw(bytes)
        }
    }
}

/// Returns bitcode without the wrapper that LLVM puts around modules for Apple's systems: its third and fourth word are the place
/// and the length of the bitcode.
fn raw(bytes: Vec<u8>) -> Vec<u8> {
    const WRAPPER: &[u8] = b"\xde\xc0\x17\x0b";
    let word = |at: usize| {
        let word: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(word)).ok()
    };
    let inside = || bytes.get(word(8)?..word(8)? + word(12)?);
    match bytes.starts_with(WRAPPER).then(inside).flatten() {
        Some(inside) => inside.to_vec(),
        None => bytes,
    }
}

impl Module {
    /// Returns a module that was kept as bitcode.
    pub(crate) fn read(bitcode: &[u8]) -> Result<Self, EmitError> {
        // SAFETY: the context is the module's, or disposed.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore), std::ptr::null_mut());
            let Some(module) = parse(context, bitcode)? else {
                LLVMContextDispose(context);
                return Err(EmitErrorKind::UnreadableModule.into());
            };
            Ok(Self::whole(context, module))
        }
    }
    /// Gives the module the triple and the data layout of a machine.
    pub(crate) fn describe(&self, machine: &super::Machine) {
        machine.describe(self.module);
    }
    /// Returns an instruction in LLVM's language, without its metadata.
    pub(crate) fn text_of(&self, instruction: Val) -> String {
        // SAFETY: the handle is valid; the message is disposed.
        let text = unsafe { take_message(LLVMPrintValueToString(instruction.0)) };
        text.split(", !").next().unwrap_or_default().trim().to_owned()
    }
    /// Returns the line of an instruction; 0 if it has none.
    pub(crate) fn line_of(&self, instruction: Val) -> u32 {
        // SAFETY: the caller has an instruction.
        unsafe { LLVMGetDebugLocLine(instruction.0) }
    }
}

/// Reads a module into a context; returns nothing if this LLVM cannot read the bytes.
///
/// # Errors
/// Fails if LLVM gave up: the context is then not to be used.
///
/// # Safety
/// The context is alive, and outlives the module, which is the caller's.
pub(super) unsafe fn parse(context: LLVMContextRef, bitcode: &[u8]) -> Result<Option<LLVMModuleRef>, GaveUp> {
    // SAFETY: by the contract; the buffer is a copy and disposed.
    unsafe {
        let start = bitcode.as_ptr().cast::<c_char>();
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bitcode.len(), c"module".as_ptr());
        let mut module = std::ptr::null_mut();
        let module_at = &raw mut module;
        let failed = guarded(|| LLVMParseBitcodeInContext2(context, buffer, module_at) != 0).ok_or(GaveUp)?;
        LLVMDisposeMemoryBuffer(buffer);
        Ok((!failed).then_some(module))
    }
}

/// Returns the text of a module in bitcode.
///
/// # Errors
/// Fails if this LLVM cannot read the bytes.
pub(crate) fn listing(bitcode: &[u8]) -> Result<String, EmitError> {
    Ok(Module::read(bitcode)?.text())
}

/// Returns the bitcode of a module in text: the inverse of [`listing`].
///
/// # Errors
/// Fails with the message of the parser or the verifier.
pub(crate) fn assemble(text: &str) -> Result<Vec<u8>, EmitError> {
    // SAFETY: the context outlives the module and both are disposed; the parser takes the buffer.
    unsafe {
        let context = LLVMContextCreate();
        let start = text.as_ptr().cast::<c_char>();
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, text.len(), c"text".as_ptr());
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (module_at, message_at) = (&raw mut module, &raw mut message);
        let parse =
            || llvm_sys::ir_reader::LLVMParseIRInContext2(context, buffer, module_at, message_at) != 0;
        let failed = guarded(parse).ok_or(GaveUp)?;
        LLVMDisposeMemoryBuffer(buffer);
        let result = if failed {
            Err(EmitErrorKind::Llvm(take_message(message)).into())
        } else {
            let module = Module::whole(context, module);
            return match module.verifier_message() {
                None => Ok(module.bitcode()),
                Some(message) => Err(EmitErrorKind::Llvm(message).into()),
            };
        };
        LLVMContextDispose(context);
        result
    }
}
