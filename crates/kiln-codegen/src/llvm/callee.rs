//! Functions as callees: facts that emission notes of them, and the names in calls.

use super::{Function, Module, Ty, Val, c_string};
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::*;

impl Module {
    /// Returns the function of this name.
    pub(crate) fn named(&self, name: &str) -> Option<Function> {
        let name = c_string(name);
        // SAFETY: the name ends in NUL; the module is alive.
        unsafe {
            let value = LLVMGetNamedFunction(self.module, name.as_ptr());
            (!value.is_null()).then(|| Function { value, ty: LLVMGlobalGetValueType(value) })
        }
    }
    /// Notes a fact about a function that the passes of this crate read.
    pub(crate) fn set_fact(&self, function: Function, name: &str, value: u32) {
        self.set_text_attribute(function, &c_string(name), &c_string(&value.to_string()));
    }
    /// Returns a fact about a function.
    pub(crate) fn fact(&self, function: Function, name: &str) -> Option<u32> {
        // SAFETY: the texts are given with their lengths.
        unsafe {
            let (start, length) = (name.as_ptr().cast(), name.len() as u32);
            let it = LLVMGetStringAttributeAtIndex(function.value, LLVMAttributeFunctionIndex, start, length);
            if it.is_null() {
                return None;
            }
            let mut length = 0;
            let start = LLVMGetStringAttributeValue(it, &mut length).cast::<u8>();
            let text = std::slice::from_raw_parts(start, length as usize);
            std::str::from_utf8(text).ok()?.parse().ok()
        }
    }
    /// Returns the types of the parameters of a function.
    pub(crate) fn param_types(&self, function: Function) -> Vec<Ty> {
        // SAFETY: the list is as long as LLVM says.
        unsafe {
            let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(function.ty) as usize];
            LLVMGetParamTypes(function.ty, types.as_mut_ptr());
            types.into_iter().map(Ty).collect()
        }
    }
    /// Returns the type of the result of a function.
    pub(crate) fn result_type(&self, function: Function) -> Ty {
        // SAFETY: it is the type of a function.
        Ty(unsafe { LLVMGetReturnType(function.ty) })
    }
    /// Returns the function that a call names; `None` if it calls through an address.
    pub(crate) fn called(&self, call: Val) -> Option<Function> {
        // SAFETY: the caller has a call.
        unsafe {
            let value = LLVMGetCalledValue(call.0);
            let is_function = !LLVMIsAFunction(value).is_null();
            is_function.then(|| Function { value, ty: LLVMGlobalGetValueType(value) })
        }
    }
    /// Marks a call as one that is inlined.
    pub(crate) fn inline_call(&self, call: Val) {
        // SAFETY: the caller has a call; the attribute is of this context.
        unsafe {
            let it = LLVMCreateEnumAttribute(self.context, super::attribute_kind("alwaysinline"), 0);
            LLVMAddCallSiteAttribute(call.0, LLVMAttributeFunctionIndex, it);
        }
    }
    /// Whether a function is visible in this module only.
    pub(crate) fn is_internal(&self, function: Function) -> bool {
        // SAFETY: the handle is a global.
        unsafe { LLVMGetLinkage(function.value) == llvm_sys::LLVMLinkage::LLVMInternalLinkage }
    }
    /// Whether an instruction or a constant names a function.
    pub(crate) fn is_used(&self, function: Function) -> bool {
        // SAFETY: the handle is a global.
        unsafe { !LLVMGetFirstUse(function.value).is_null() }
    }
    /// Returns a vector of lanes of two vectors of one type: those of the second are numbered after those of the first.
    pub(crate) fn shuffle_of(&self, first: Val, second: Val, order: &[u32]) -> Val {
        let order: Vec<Val> = order.iter().map(|it| self.const_u32(*it)).collect();
        let order = self.const_vector(&order);
        // SAFETY: the order names lanes of the vectors.
        Val(unsafe { LLVMBuildShuffleVector(self.builder, first.0, second.0, order.0, c"".as_ptr()) })
    }
}
