//! Address spaces, atomic scopes and parameters in memory, which only device modules have.

use super::{Frames, Function, Module, Ty, Val, attribute_kind, c_string, ignore};
use crate::llvm::Machine;
use kiln_targets::ByAddress;
use llvm_sys::core::*;
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMPointerSizeForAS};
use llvm_sys::{LLVMLinkage, LLVMOpcode};
use std::cell::{Cell, RefCell};

impl Module {
    /// Returns an empty module in a context of its own, with `generic` as its generic address space.
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
                frames: Cell::new((Frames::Unknown, super::MemoryClass::Any)),
                mistake: Cell::new(None),
                known_nodes: RefCell::default(),
                is_broken: Cell::new(false),
            }
        }
    }

    /// Returns `ptr addrspace(space)`.
    pub fn ptr_in(&self, space: u32) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMPointerTypeInContext(self.context, space) })
    }
    /// Returns the bits of a pointer type.
    pub(crate) fn pointer_bits(&self, ty: Ty) -> u32 {
        // SAFETY: it is a pointer type, and the module has a layout.
        unsafe {
            8 * LLVMPointerSizeForAS(LLVMGetModuleDataLayout(self.module), LLVMGetPointerAddressSpace(ty.0))
        }
    }
    /// Converts a pointer to another address space, by way of the generic one.
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

    /// Defines an uninitialized block of memory that is internal to the module.
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
    /// Declares memory whose size the launch determines.
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

    /// Returns the function of this name, declared with these attributes if needed.
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
    /// Emits a call of a pure function that returns an integer, which device link replaces by its value.
    pub(crate) fn placeholder(&self, name: &str, bits: u32) -> Val {
        let function = self.declared(name, self.int(bits), &[], &["memory", "nounwind", "willreturn"]);
        self.call(function, &[])
    }

    /// Declares a parameter as the address of an argument of type `ty`.
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

    /// Sets the scope of the following atomic operations.
    pub(crate) fn set_atomic_scope(&self, scope: &str) {
        // SAFETY: the name is given with its length.
        self.scope.set(Some(unsafe { LLVMGetSyncScopeID(self.context, scope.as_ptr().cast(), scope.len()) }));
    }
    /// Sets the scope of an atomic operation.
    pub(super) fn set_scope(&self, operation: Val) -> Val {
        if let Some(scope) = self.scope.get() {
            // SAFETY: it is an atomic operation.
            unsafe { LLVMSetAtomicSyncScopeID(operation.0, scope) }
        }
        operation
    }
    /// Emits a fence of LLVM's `scope`.
    pub fn fence_in(&self, order: super::Order, scope: &str) {
        let all = self.scope.take();
        self.set_atomic_scope(scope);
        self.fence(order);
        self.scope.set(all);
    }

    /// Removes unused declarations of functions, and returns the names of the others, in order.
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
