//! Lists of the contents of a module, taken before it is changed.

use super::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// Returns the functions of a module, in order.
///
/// # Safety
/// The module is alive.
pub(super) unsafe fn functions(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the contract.
    unsafe { chain(LLVMGetFirstFunction(module), |it| LLVMGetNextFunction(it)) }
}

/// Returns the global variables of a module, in order.
///
/// # Safety
/// The module is alive.
pub(super) unsafe fn globals(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the contract.
    unsafe { chain(LLVMGetFirstGlobal(module), |it| LLVMGetNextGlobal(it)) }
}

/// Returns the instructions of a function, in order.
///
/// # Safety
/// The function is alive.
pub(super) unsafe fn instructions(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the contract.
    unsafe {
        let mut all = Vec::new();
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            all.extend(chain(LLVMGetFirstInstruction(block), |it| LLVMGetNextInstruction(it)));
            block = LLVMGetNextBasicBlock(block);
        }
        all
    }
}

/// Returns the users of a value.
///
/// # Safety
/// The value is alive.
pub(super) unsafe fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the contract.
    unsafe {
        let mut all = Vec::new();
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            all.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
        all
    }
}

/// Whether an instruction calls this function, rather than only naming it.
///
/// # Safety
/// Both are alive and of one module.
pub(super) unsafe fn is_call_of(user: LLVMValueRef, function: LLVMValueRef) -> bool {
    // SAFETY: by the contract.
    unsafe { !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == function }
}

/// Returns the name of a global; empty if it has none.
///
/// # Safety
/// The value is alive.
pub(super) unsafe fn name(value: LLVMValueRef) -> String {
    // SAFETY: by the contract; the name is given with its length.
    unsafe {
        let mut len = 0;
        let start = LLVMGetValueName2(value, &mut len).cast::<u8>();
        String::from_utf8_lossy(std::slice::from_raw_parts(start, len)).into_owned()
    }
}

/// Renames a global. LLVM appends a number if the name is taken.
///
/// # Safety
/// The value is alive.
pub(super) unsafe fn rename(value: LLVMValueRef, name: &str) {
    // SAFETY: by the contract; the name is given with its length.
    unsafe { LLVMSetValueName2(value, name.as_ptr().cast(), name.len()) }
}

pub(super) fn chain(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<LLVMValueRef> {
    std::iter::successors((!first.is_null()).then_some(first), |it| {
        Some(next(*it)).filter(|it| !it.is_null())
    })
    .collect()
}

impl Module {
    /// Returns the constant addresses that are called: each once, sorted.
    pub fn called_numbers(&self) -> Vec<u64> {
        // SAFETY: handles of this module, which is not changed.
        unsafe {
            let calls = functions(self.module).into_iter().flat_map(|it| instructions(it));
            let callees = calls.filter(|it| !LLVMIsACallInst(*it).is_null()).map(|it| LLVMGetCalledValue(it));
            let numbers = callees.filter_map(|it| {
                let is_cast = !LLVMIsAConstantExpr(it).is_null()
                    && LLVMGetConstOpcode(it) == llvm_sys::LLVMOpcode::LLVMIntToPtr;
                let number = is_cast.then(|| LLVMGetOperand(it, 0))?;
                (!LLVMIsAConstantInt(number).is_null()).then(|| LLVMConstIntGetZExtValue(number))
            });
            let mut numbers: Vec<u64> = numbers.collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        }
    }

    /// Returns the functions and variables that are used but not defined, except LLVM's own, sorted.
    pub fn undefined(&self) -> Vec<String> {
        // SAFETY: handles of this module, which is not changed.
        unsafe {
            let all = functions(self.module).into_iter().chain(globals(self.module));
            let mut names: Vec<String> = all
                .filter(|it| LLVMIsDeclaration(*it) != 0 && !LLVMGetFirstUse(*it).is_null())
                .map(|it| name(it))
                .filter(|it| !it.starts_with("llvm."))
                .collect();
            names.sort();
            names
        }
    }
}
