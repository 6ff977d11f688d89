//! A target's marks on a whole module and its entry: conventions, attributes and metadata, in LLVM's words.

use super::walk::{functions, instructions};
use super::{Function, Module, c_string};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMModuleFlagBehavior};

/// LLVM's numbers of calling conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// A kernel of PTX.
    PtxKernel = 71,
    /// A function of SPIR-V.
    SpirFunction = 75,
    /// A kernel of SPIR-V.
    SpirKernel = 76,
    /// An AMD kernel.
    AmdgpuKernel = 91,
}

impl Module {
    /// The function of this name that is defined here.
    pub fn defined(&self, name: &str) -> Option<Function> {
        let name = c_string(name);
        // SAFETY: handles of this module.
        unsafe {
            let value = LLVMGetNamedFunction(self.module, name.as_ptr());
            let is_there = !value.is_null() && LLVMIsDeclaration(value) == 0;
            is_there.then(|| Function { value, ty: LLVMGlobalGetValueType(value) })
        }
    }

    /// Has calls of a function stay calls, if it is defined here.
    pub(crate) fn set_noinline(&self, name: &str) {
        if let Some(function) = self.defined(name) {
            self.remove_attribute(function.value, "alwaysinline");
            self.set_attribute(function, "noinline");
        }
    }

    /// Has every call of a function that takes more values than these, or returns several, replaced by its body. The function
    /// `entry` is called by others.
    pub(crate) fn inline_all_beyond(&self, parameters_max: u32, entry: &str) {
        // SAFETY: handles of this module.
        unsafe {
            for value in functions(self.module) {
                let ty = LLVMGlobalGetValueType(value);
                let returned = LLVMGetTypeKind(LLVMGetReturnType(ty));
                let several =
                    [llvm_sys::LLVMTypeKind::LLVMStructTypeKind, llvm_sys::LLVMTypeKind::LLVMArrayTypeKind];
                let is_beyond = LLVMCountParamTypes(ty) > parameters_max || several.contains(&returned);
                if is_beyond && LLVMIsDeclaration(value) == 0 && super::walk::name(value) != entry {
                    self.remove_attribute(value, "noinline");
                    self.set_attribute(Function { value, ty }, "alwaysinline");
                }
            }
        }
    }

    /// Gives a function a calling convention, and its calls.
    pub fn set_convention(&self, function: Function, convention: Convention) {
        // SAFETY: handles of this module.
        unsafe { convene(function.value, convention as u32) }
    }

    /// Gives every function but LLVM's own a calling convention, and their calls.
    pub fn set_all_conventions(&self, convention: Convention) {
        // SAFETY: handles of this module.
        unsafe {
            for it in functions(self.module).into_iter().filter(|it| LLVMGetIntrinsicID(*it) == 0) {
                convene(it, convention as u32);
            }
        }
    }

    /// Gives a function an attribute that LLVM knows by its text.
    pub fn set_attribute_text(&self, function: Function, key: &str, value: &str) {
        self.set_text_attribute(function, &c_string(key), &c_string(value));
    }

    /// The same for every function that is defined.
    pub fn set_attribute_text_of_all(&self, key: &str, value: &str) {
        // SAFETY: handles of this module.
        unsafe {
            for value_of in functions(self.module).into_iter().filter(|it| LLVMIsDeclaration(*it) == 0) {
                let ty = LLVMGlobalGetValueType(value_of);
                self.set_attribute_text(Function { value: value_of, ty }, key, value);
            }
        }
    }

    /// Makes a function visible to the loader, and bound to itself.
    pub fn set_protected(&self, function: Function) {
        // SAFETY: a function of this module.
        unsafe { LLVMSetVisibility(function.value, llvm_sys::LLVMVisibility::LLVMProtectedVisibility) }
    }

    /// Appends to metadata of the module: a list of numbers.
    pub fn add_numbers(&self, metadata: &str, numbers: &[u32]) {
        let node = self.numbers_node(numbers);
        self.add_node(metadata, node);
    }

    /// Says of a kernel that it computes with vectors already, which keeps compilers from running its items in step.
    pub fn set_vector_hint(&self, function: Function) {
        // SAFETY: handles of this context, and a name that ends.
        unsafe {
            let vector = LLVMGetUndef(LLVMVectorType(LLVMFloatTypeInContext(self.context), 4));
            let mut operands = [vector, self.const_u32(0).0].map(|it| LLVMValueAsMetadata(it));
            let node = LLVMMDNodeInContext2(self.context, operands.as_mut_ptr(), operands.len());
            LLVMGlobalSetMetadata(function.value, self.vector_hint(), node);
        }
    }

    /// Takes that back.
    pub fn clear_vector_hint(&self, function: Function) {
        // SAFETY: handles of this context.
        unsafe { LLVMGlobalEraseMetadata(function.value, self.vector_hint()) }
    }

    fn vector_hint(&self) -> u32 {
        let name = "vec_type_hint";
        // SAFETY: the name comes with its length.
        unsafe { LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32) }
    }

    /// Metadata of a function: a list of numbers.
    pub fn set_numbers(&self, function: Function, key: &str, numbers: &[u32]) {
        let node = self.numbers_node(numbers);
        // SAFETY: handles of this context; the key is given with its length.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, key.as_ptr().cast(), key.len() as u32);
            LLVMGlobalSetMetadata(function.value, kind, node);
        }
    }

    /// A flag of the module; nothing if it has one of that name.
    pub fn set_flag(&self, key: &str, number: u32) {
        // SAFETY: handles of this context; the key is given with its length.
        unsafe {
            if LLVMGetModuleFlag(self.module, key.as_ptr().cast(), key.len()).is_null() {
                let value = LLVMValueAsMetadata(self.const_u32(number).0);
                let behavior = LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorError;
                LLVMAddModuleFlag(self.module, behavior, key.as_ptr().cast(), key.len(), value);
            }
        }
    }

    /// Drops the places of instructions.
    pub fn strip_lines(&self) {
        // SAFETY: the module is ours.
        unsafe { llvm_sys::debuginfo::LLVMStripModuleDebugInfo(self.module) };
    }

    /// Takes every liberty with floats, as `@fastmath` on all of them does: on instructions and, for what asks functions, on
    /// those.
    pub fn relax_floats(&self) {
        // SAFETY: handles of this module.
        unsafe {
            for function in functions(self.module) {
                for it in instructions(function) {
                    if LLVMCanValueUseFastMathFlags(it) != 0 {
                        LLVMSetFastMathFlags(it, llvm_sys::LLVMFastMathAll);
                    }
                }
            }
        }
        self.set_attribute_text_of_all("unsafe-fp-math", "true");
    }

    /// Gives undefined variables values: those that a target's libraries ask for by name.
    pub fn define_numbers(&self, numbers: &[(&str, u64)]) {
        // SAFETY: handles of this module.
        unsafe {
            for (name, number) in numbers {
                let it = LLVMGetNamedGlobal(self.module, c_string(name).as_ptr());
                if it.is_null() || LLVMIsDeclaration(it) == 0 {
                    continue;
                }
                let ty = LLVMGlobalGetValueType(it);
                if LLVMGetTypeKind(ty) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind {
                    LLVMSetInitializer(it, LLVMConstInt(ty, *number, 0));
                    LLVMSetGlobalConstant(it, 1);
                    LLVMSetLinkage(it, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
                }
            }
        }
    }

    fn numbers_node(&self, numbers: &[u32]) -> LLVMMetadataRef {
        // SAFETY: handles of this context; the list has the given length.
        unsafe {
            let mut parts: Vec<_> =
                numbers.iter().map(|it| LLVMValueAsMetadata(self.const_u32(*it).0)).collect();
            LLVMMDNodeInContext2(self.context, parts.as_mut_ptr(), parts.len())
        }
    }

    fn add_node(&self, metadata: &str, node: LLVMMetadataRef) {
        let metadata = c_string(metadata);
        // SAFETY: handles of this context; the name ends in NUL.
        unsafe {
            let node = LLVMMetadataAsValue(self.context, node);
            LLVMAddNamedMetadataOperand(self.module, metadata.as_ptr(), node);
        }
    }

    pub(super) fn remove_attribute(&self, function: LLVMValueRef, name: &str) {
        // SAFETY: the name is given with its length.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
        }
    }
}

/// # Safety
/// The function is alive.
unsafe fn convene(function: LLVMValueRef, number: u32) {
    // SAFETY: by the contract.
    unsafe {
        LLVMSetFunctionCallConv(function, number);
        for user in super::walk::users(function) {
            if super::walk::is_call_of(user, function) {
                LLVMSetInstructionCallConv(user, number);
            }
        }
    }
}
