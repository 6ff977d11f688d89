//! Properties of a device module and its entry: calling conventions, attributes and metadata.

use super::walk::{functions, instructions};
use super::{Function, Module, Ty, Val, c_string};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMModuleFlagBehavior};

/// The attribute of calls by which items say that they fail.
const FAILURE: &str = "kiln-failure";

/// Calling conventions, by LLVM's numbers.
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
    /// Returns the function of this name, if the module defines it.
    pub fn defined(&self, name: &str) -> Option<Function> {
        let name = c_string(name);
        // SAFETY: handles of this module.
        unsafe {
            let value = LLVMGetNamedFunction(self.module, name.as_ptr());
            let is_there = !value.is_null() && LLVMIsDeclaration(value) == 0;
            is_there.then(|| Function { value, ty: LLVMGlobalGetValueType(value) })
        }
    }

    /// Marks a defined function as not to be inlined.
    pub(crate) fn set_noinline(&self, name: &str) {
        if let Some(function) = self.defined(name) {
            self.remove_attribute(function.value, "alwaysinline");
            self.set_attribute(function, "noinline");
        }
    }

    /// Marks functions for inlining that take more than `parameters_max` values or return several, except `entry`.
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

    /// Sets the calling convention of a function and of its calls.
    pub fn set_convention(&self, function: Function, convention: Convention) {
        // SAFETY: handles of this module.
        unsafe { convene(function.value, convention as u32) }
    }

    /// Sets the calling convention of every function except LLVM's own, and of their calls.
    pub fn set_all_conventions(&self, convention: Convention) {
        // SAFETY: handles of this module.
        unsafe {
            for it in functions(self.module).into_iter().filter(|it| LLVMGetIntrinsicID(*it) == 0) {
                convene(it, convention as u32);
            }
        }
    }

    /// Sets a string attribute of a function.
    pub fn set_attribute_text(&self, function: Function, key: &str, value: &str) {
        self.set_text_attribute(function, &c_string(key), &c_string(value));
    }

    /// Sets a string attribute of every defined function.
    pub fn set_attribute_text_of_all(&self, key: &str, value: &str) {
        // SAFETY: handles of this module.
        unsafe {
            for value_of in functions(self.module).into_iter().filter(|it| LLVMIsDeclaration(*it) == 0) {
                let ty = LLVMGlobalGetValueType(value_of);
                self.set_attribute_text(Function { value: value_of, ty }, key, value);
            }
        }
    }

    /// Gives a function protected visibility: the loader sees it, and its own module binds to it.
    pub fn set_protected(&self, function: Function) {
        // SAFETY: a function of this module.
        unsafe { LLVMSetVisibility(function.value, llvm_sys::LLVMVisibility::LLVMProtectedVisibility) }
    }

    /// Appends a list of numbers to metadata of the module.
    pub fn add_numbers(&self, metadata: &str, numbers: &[u32]) {
        let node = self.numbers_node(numbers);
        self.add_node(metadata, node);
    }

    /// Sets the vector hint of a kernel, which keeps compilers from vectorizing across its items.
    pub fn set_vector_hint(&self, function: Function) {
        const NAME: &str = "vec_type_hint";
        // SAFETY: handles of this context; the name comes with its length.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, NAME.as_ptr().cast(), NAME.len() as u32);
            let vector = LLVMGetUndef(LLVMVectorType(LLVMFloatTypeInContext(self.context), 4));
            let mut operands = [vector, self.const_u32(0).0].map(|it| LLVMValueAsMetadata(it));
            let node = LLVMMDNodeInContext2(self.context, operands.as_mut_ptr(), operands.len());
            LLVMGlobalSetMetadata(function.value, kind, node);
        }
    }

    /// Marks an atomic operation as one that only a failing item makes.
    pub(crate) fn mark_claim(&self, operation: Val) {
        // SAFETY: the mark takes a node without operands.
        unsafe {
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(operation.0, self.claim_kind(), LLVMMetadataAsValue(self.context, node));
        }
    }

    /// Whether only failing items make an atomic operation.
    pub(crate) fn is_claim(&self, operation: Val) -> bool {
        // SAFETY: the caller has an instruction.
        unsafe { !LLVMGetMetadata(operation.0, self.claim_kind()).is_null() }
    }

    fn claim_kind(&self) -> u32 {
        const NAME: &str = "kiln.claim";
        // SAFETY: the name comes with its length.
        unsafe { LLVMGetMDKindIDInContext(self.context, NAME.as_ptr().cast(), NAME.len() as u32) }
    }

    /// Marks a call by which an item says that it fails.
    pub(crate) fn mark_failure(&self, call: Val) {
        // SAFETY: handles of this context; both texts are given with their lengths.
        unsafe {
            let mark = LLVMCreateStringAttribute(
                self.context,
                FAILURE.as_ptr().cast(),
                FAILURE.len() as u32,
                c"".as_ptr(),
                0,
            );
            LLVMAddCallSiteAttribute(call.0, LLVMAttributeFunctionIndex, mark);
        }
    }

    /// Whether an instruction is a call by which an item says that it fails.
    #[cfg(feature = "spirv")]
    pub(crate) fn is_failure(&self, instruction: Val) -> bool {
        // SAFETY: the attribute is asked of calls only; the text is given with its length.
        unsafe {
            !LLVMIsACallInst(instruction.0).is_null()
                && !LLVMGetCallSiteStringAttribute(
                    instruction.0,
                    LLVMAttributeFunctionIndex,
                    FAILURE.as_ptr().cast(),
                    FAILURE.len() as u32,
                )
                .is_null()
        }
    }

    /// Allocates a variable of a function, in private memory.
    #[cfg(feature = "spirv")]
    pub(crate) fn variable(&self, function: Function, ty: Ty, align: u32) -> Val {
        // SAFETY: the function has a first block, and that an instruction; the type is sized.
        unsafe {
            LLVMPositionBuilderBefore(
                self.builder,
                LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function.value)),
            );
            let address = LLVMBuildAlloca(self.builder, ty.0, c"".as_ptr());
            LLVMSetAlignment(address, align);
            Val(address)
        }
    }

    /// Sets a list of numbers as metadata of a function.
    pub fn set_numbers(&self, function: Function, key: &str, numbers: &[u32]) {
        let node = self.numbers_node(numbers);
        // SAFETY: handles of this context; the key is given with its length.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, key.as_ptr().cast(), key.len() as u32);
            LLVMGlobalSetMetadata(function.value, kind, node);
        }
    }

    /// Adds a module flag, unless there is one of that name.
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

    /// Removes debug information.
    pub fn strip_lines(&self) {
        // SAFETY: the module is ours.
        unsafe { llvm_sys::debuginfo::LLVMStripModuleDebugInfo(self.module) };
    }

    /// Sets all fast-math flags, as `@fastmath` does, and the corresponding function attributes.
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

    /// Defines undefined variables: those that a target's libraries read by name.
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
