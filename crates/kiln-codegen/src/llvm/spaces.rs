//! The parts of modules that only devices have: address spaces, scopes, parameters in memory.

use super::{Function, Module, Ty, Val, attribute_kind, c_string, ignore};
use crate::llvm::Machine;
use kiln_targets::ByAddress;
use llvm_sys::core::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMPointerSizeForAS};
use llvm_sys::{LLVMLinkage, LLVMOpcode};
use std::cell::Cell;

impl Module {
    /// An empty module in a context of its own, where pointers to any memory are in the address space `generic`.
    pub(crate) fn for_device(machine: &Machine, lines: bool, generic: u32) -> Self {
        // SAFETY: plain constructors, whose results are ours.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore), std::ptr::null_mut());
            LLVMContextSetDiscardValueNames(context, 1);
            let module = LLVMModuleCreateWithNameInContext(c"unit".as_ptr(), context);
            machine.describe(module);
            Self {
                context,
                module,
                builder: LLVMCreateBuilderInContext(context),
                access_group: std::ptr::null_mut(), // accesses are not marked: there is no loop of items
                access_kind: 0,
                generic,
                scope: Cell::new(None),
                lines: lines.then(|| super::debug::Lines::new(context, module)),
                line: Cell::new(0),
                mark_accesses: Cell::new(false),
                is_broken: Cell::new(false),
            }
        }
    }

    /// `ptr addrspace(space)`.
    pub fn ptr_in(&self, space: u32) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMPointerTypeInContext(self.context, space) })
    }
    /// Bits of a pointer of this type.
    pub(crate) fn pointer_bits(&self, ty: Ty) -> u32 {
        // SAFETY: it is a pointer type, and the module has a layout.
        unsafe {
            8 * LLVMPointerSizeForAS(LLVMGetModuleDataLayout(self.module), LLVMGetPointerAddressSpace(ty.0))
        }
    }
    /// A pointer as one of another type. Only pointers to any memory have something in common with all others.
    pub fn in_space(&self, pointer: Val, ty: Ty) -> Val {
        let (from, generic) = (self.type_of(pointer), self.ptr());
        if from == ty {
            return pointer;
        }
        let over = if from == generic || ty == generic {
            pointer
        } else {
            self.cast(LLVMOpcode::LLVMAddrSpaceCast, pointer, generic)
        };
        self.cast(LLVMOpcode::LLVMAddrSpaceCast, over, ty)
    }

    /// A block of memory that is this module's own and not initialized.
    pub(crate) fn block_in(&self, space: u32, name: &str, bytes: u64, align: u32) -> Val {
        let (ty, name) = (self.array(self.int(8), bytes), c_string(name));
        // SAFETY: the type is sized, the name ends in NUL.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Val(known);
            }
            let global = LLVMAddGlobalInAddressSpace(self.module, ty.0, name.as_ptr(), space);
            LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetInitializer(global, LLVMGetUndef(ty.0));
            LLVMSetAlignment(global, align);
            Val(global)
        }
    }
    /// Memory whose size the launch gives.
    pub(crate) fn external_block_in(&self, space: u32, name: &str, align: u32) -> Val {
        let (ty, name) = (self.array(self.int(8), 0), c_string(name));
        // SAFETY: the type is sized, the name ends in NUL.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Val(known);
            }
            let global = LLVMAddGlobalInAddressSpace(self.module, ty.0, name.as_ptr(), space);
            LLVMSetAlignment(global, align);
            Val(global)
        }
    }

    /// The function of this name, declared with these attributes if it is not known yet.
    pub fn declared(&self, name: &str, result: Ty, params: &[Ty], attributes: &[&str]) -> Function {
        let c_name = c_string(name);
        // SAFETY: the name ends in NUL.
        let known = unsafe { LLVMGetNamedFunction(self.module, c_name.as_ptr()) };
        if !known.is_null() {
            // SAFETY: it is a function.
            return Function { value: known, ty: unsafe { LLVMGlobalGetValueType(known) } };
        }
        let function = self.function(name, result, params);
        for attribute in attributes {
            self.set_attribute(function, attribute);
        }
        function
    }
    /// A call of a function that always gives the same, an integer, and that composing modules replaces by it.
    pub(crate) fn placeholder(&self, name: &str, bits: u32) -> Val {
        let function = self.declared(name, self.int(bits), &[], &["memory", "nounwind", "willreturn"]);
        self.call(function, &[])
    }

    /// Says that a parameter is the address of an argument of type `ty`.
    pub(crate) fn set_by_address(
        &self,
        function: Function,
        param: usize,
        ty: Ty,
        align: u32,
        how: ByAddress,
    ) {
        let name = match how {
            ByAddress::Value => "byval",
            ByAddress::Reference => "byref",
        };
        let index = param as u32 + 1; // 0 is the result
        // SAFETY: the handles are of this context, and the function has the parameter.
        unsafe {
            let it = LLVMCreateTypeAttribute(self.context, attribute_kind(name), ty.0);
            LLVMAddAttributeAtIndex(function.value, index, it);
            let it = LLVMCreateEnumAttribute(self.context, attribute_kind("align"), align.into());
            LLVMAddAttributeAtIndex(function.value, index, it);
        }
    }

    /// Atomic operations from here on are for those that LLVM calls `scope`.
    pub(crate) fn set_atomic_scope(&self, scope: &str) {
        // SAFETY: the name is given with its length.
        self.scope.set(Some(unsafe { LLVMGetSyncScopeID(self.context, scope.as_ptr().cast(), scope.len()) }));
    }
    /// Gives an atomic operation its scope.
    pub(super) fn set_scope(&self, operation: Val) -> Val {
        if let Some(scope) = self.scope.get() {
            // SAFETY: it is an atomic operation.
            unsafe { LLVMSetAtomicSyncScopeID(operation.0, scope) }
        }
        operation
    }
    /// A fence for those that LLVM calls `scope`.
    pub fn fence_in(&self, order: super::Order, scope: &str) {
        let all = self.scope.take();
        self.set_atomic_scope(scope);
        self.fence(order);
        self.scope.set(all);
    }

    /// Removes declarations of functions that nothing uses; the names of those that are left, in order.
    pub(crate) fn prune(&self) -> Vec<String> {
        let mut names = Vec::new();
        // SAFETY: the next function is asked for before one is deleted; names come with their lengths.
        unsafe {
            let mut next = LLVMGetFirstFunction(self.module);
            while !next.is_null() {
                let function = next;
                next = LLVMGetNextFunction(function);
                if LLVMIsDeclaration(function) == 0 {
                    continue;
                }
                if LLVMGetFirstUse(function).is_null() {
                    LLVMDeleteFunction(function);
                    continue;
                }
                let mut len = 0;
                let name = LLVMGetValueName2(function, &mut len);
                let name = std::slice::from_raw_parts(name.cast::<u8>(), len);
                names.push(String::from_utf8_lossy(name).into_owned());
            }
        }
        names
    }
}
