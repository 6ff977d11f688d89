//! Changes of a module that only AIR needs: a new entry, memory of constants, and properties of atomic operations and parameters.

use super::build::Order;
use super::modify::operation_of;
use super::walk::{functions, globals, instructions, rename};
use super::{Atomic, Function, Machine, MachineSpec, Module, Ty, Val, attribute_kind, c_string};
use crate::error::EmitError;
use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering as Raw, LLVMOpcode};

/// An atomic operation that reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RmwForm {
    /// The operation; `None` for one that emission does not make.
    pub(crate) op: Option<Atomic>,
    /// The order.
    pub(crate) order: Order,
}

impl Machine {
    /// Returns a machine without an LLVM back end, whose passes ask the back end of a similar machine: for the generic address
    /// space, and for branches on which items differ.
    ///
    /// # Errors
    /// Fails if LLVM lacks the similar machine, or if the layout is invalid.
    pub(crate) fn described_like(
        triple: &str,
        layout: &str,
        similar: &MachineSpec<'_>,
    ) -> Result<Self, EmitError> {
        Self::new(similar)?.with_description(triple, layout)
    }
}

/// A module that becomes AIR, with the changes that only it needs. It also has the module's own.
#[derive(Clone, Copy)]
pub(crate) struct AirDraft<'a>(&'a Module);

impl std::ops::Deref for AirDraft<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        self.0
    }
}

impl<'a> AirDraft<'a> {
    /// Returns the module, to be changed.
    pub(crate) fn new(module: &'a Module) -> Self {
        Self(module)
    }
}

impl AirDraft<'_> {
    /// Marks all functions for inlining, except the entry.
    pub(crate) fn inline_all_into(&self, entry: Function) {
        // SAFETY: handles of this module.
        unsafe {
            for it in functions(self.module) {
                if it != entry.value && LLVMIsDeclaration(it) == 0 {
                    self.force_inline(it);
                }
            }
        }
    }

    /// Gives a function another name.
    pub(crate) fn rename(&self, function: Function, name: &str) {
        // SAFETY: the function is alive.
        unsafe { rename(function.value, name) }
    }

    /// Returns all instructions of a function, in order.
    pub(crate) fn all_instructions(&self, function: Function) -> Vec<Val> {
        // SAFETY: the function is alive.
        unsafe { instructions(function.value).into_iter().map(Val).collect() }
    }

    /// Removes an instruction that has no uses.
    pub(crate) fn erase(&self, instruction: Val) {
        // SAFETY: the caller has an unused instruction.
        unsafe { LLVMInstructionEraseFromParent(instruction.0) }
    }

    /// Returns the size and the alignment of a type.
    pub(crate) fn size_on(&self, machine: &Machine, ty: Ty) -> (u32, u32) {
        let (bytes, align) = machine.size_of(ty.0);
        (u32::try_from(bytes).unwrap_or(u32::MAX), u32::try_from(align).unwrap_or(1))
    }

    /// Returns the type of the copy that a parameter is the address of, and removes the mark.
    pub(crate) fn take_by_value(&self, function: Function, param: usize) -> Option<Ty> {
        let (kind, index) = (attribute_kind("byval"), param as u32 + 1);
        // SAFETY: the function has the parameter; the attribute has a type.
        unsafe {
            let it = LLVMGetEnumAttributeAtIndex(function.value, index, kind);
            if it.is_null() {
                return None;
            }
            let ty = LLVMGetTypeAttributeValue(it);
            LLVMRemoveEnumAttributeAtIndex(function.value, index, kind);
            Some(Ty(ty))
        }
    }

    /// Sets an attribute of a parameter; 0 is the number of one without a number.
    pub(crate) fn set_param(&self, function: Function, param: usize, name: &str, number: u64) {
        // SAFETY: the attribute is of this context, and the function has the parameter.
        unsafe {
            let it = LLVMCreateEnumAttribute(self.context, attribute_kind(name), number);
            LLVMAddAttributeAtIndex(function.value, param as u32 + 1, it);
        }
    }

    /// Returns the number of an attribute of a parameter; `None` if it is not set.
    pub(crate) fn param_number(&self, function: Function, param: usize, name: &str) -> Option<u64> {
        // SAFETY: the function has the parameter.
        unsafe {
            let index = param as u32 + 1;
            let it = LLVMGetEnumAttributeAtIndex(function.value, index, attribute_kind(name));
            (!it.is_null()).then(|| LLVMGetEnumAttributeValue(it))
        }
    }

    /// Sets a text of a parameter.
    pub(crate) fn set_param_text(&self, function: Function, param: usize, name: &str, value: &str) {
        let (name_len, value_len) = (name.len() as u32, value.len() as u32);
        // SAFETY: both texts are given with their lengths, and the function has the parameter.
        unsafe {
            let (name, value) = (name.as_ptr().cast(), value.as_ptr().cast());
            let it = LLVMCreateStringAttribute(self.context, name, name_len, value, value_len);
            LLVMAddAttributeAtIndex(function.value, param as u32 + 1, it);
        }
    }

    /// Returns a text of a parameter; `None` if it is not set.
    pub(crate) fn param_text(&self, function: Function, param: usize, name: &str) -> Option<String> {
        // SAFETY: the texts are given with their lengths, and the function has the parameter.
        unsafe {
            let (start, len) = (name.as_ptr().cast(), name.len() as u32);
            let it = LLVMGetStringAttributeAtIndex(function.value, param as u32 + 1, start, len);
            if it.is_null() {
                return None;
            }
            let mut len = 0;
            let start = LLVMGetStringAttributeValue(it, &mut len).cast::<u8>();
            let text = std::slice::from_raw_parts(start, len as usize);
            Some(String::from_utf8_lossy(text).into_owned())
        }
    }

    /// Returns the address space of a pointer; `None` of other values.
    pub(crate) fn space_of(&self, value: Val) -> Option<u32> {
        // SAFETY: the value is alive; the question is asked of pointers.
        unsafe {
            let ty = LLVMTypeOf(value.0);
            let is_pointer = LLVMGetTypeKind(ty) == llvm_sys::LLVMTypeKind::LLVMPointerTypeKind;
            is_pointer.then(|| LLVMGetPointerAddressSpace(ty))
        }
    }

    /// Whether a value is a null pointer, or any.
    pub(crate) fn is_no_address(&self, value: Val) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMIsNull(value.0) != 0 || LLVMIsUndef(value.0) != 0 }
    }

    /// Moves the constants of the generic address space to another one.
    pub(crate) fn move_constants(&self, space: u32) {
        // SAFETY: handles of this module, listed before it is changed; both variables have one type.
        unsafe {
            for it in globals(self.module) {
                let is_generic = LLVMGetPointerAddressSpace(LLVMTypeOf(it)) == self.generic;
                let is_list = super::walk::name(it).starts_with("llvm.");
                if LLVMIsGlobalConstant(it) == 0 || !is_generic || is_list || LLVMIsDeclaration(it) != 0 {
                    continue;
                }
                let (ty, name) = (LLVMGlobalGetValueType(it), super::walk::name(it));
                rename(it, "");
                let moved = LLVMAddGlobalInAddressSpace(self.module, ty, c_string(&name).as_ptr(), space);
                LLVMSetInitializer(moved, LLVMGetInitializer(it));
                LLVMSetGlobalConstant(moved, 1);
                LLVMSetLinkage(moved, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
                LLVMSetAlignment(moved, LLVMGetAlignment(it));
                LLVMReplaceAllUsesWith(it, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(it)));
                LLVMDeleteGlobal(it);
            }
        }
    }

    /// Defines a table of bytes that never change.
    pub(crate) fn constant_bytes(&self, space: u32, bytes: &[u8], align: u32) -> Val {
        // SAFETY: the bytes are given with their number; the initializer has the variable's type.
        unsafe {
            let contents = LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1);
            let ty = LLVMTypeOf(contents);
            let table = LLVMAddGlobalInAddressSpace(self.module, ty, c"table".as_ptr(), space);
            LLVMSetInitializer(table, contents);
            LLVMSetGlobalConstant(table, 1);
            LLVMSetLinkage(table, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            LLVMSetAlignment(table, align);
            Val(table)
        }
    }

    /// Replaces null pointers that constants convert to another address space by the null of that space.
    pub(crate) fn fold_null_casts(&self, function: Function) {
        for instruction in self.all_instructions(function) {
            for (index, operand) in self.operands(instruction).into_iter().enumerate() {
                // SAFETY: each question is asked of constants of its kind.
                let null = unsafe {
                    let is_cast = !LLVMIsAConstantExpr(operand.0).is_null()
                        && LLVMGetConstOpcode(operand.0) == LLVMOpcode::LLVMAddrSpaceCast
                        && LLVMIsNull(LLVMGetOperand(operand.0, 0)) != 0;
                    is_cast.then(|| Val(LLVMConstNull(LLVMTypeOf(operand.0))))
                };
                if let Some(null) = null {
                    self.set_operand(instruction, index, null);
                }
            }
        }
    }

    /// Returns the operation and the order of an atomic read-modify-write.
    pub(crate) fn rmw_form(&self, instruction: Val) -> RmwForm {
        // SAFETY: the caller has such an instruction.
        let order = unsafe { LLVMGetOrdering(instruction.0) };
        RmwForm { op: operation_of(instruction), order: order_of(order) }
    }

    /// Returns the order of an atomic load or store, or of a fence; `None` of a plain access.
    pub(crate) fn access_order(&self, instruction: Val) -> Option<Order> {
        // SAFETY: the caller has such an instruction.
        let order = unsafe { LLVMGetOrdering(instruction.0) };
        (!matches!(order, Raw::LLVMAtomicOrderingNotAtomic)).then(|| order_of(order))
    }

    /// Returns the order of a successful exchange under a condition.
    pub(crate) fn exchange_order(&self, instruction: Val) -> Order {
        // SAFETY: the caller has such an instruction.
        order_of(unsafe { LLVMGetCmpXchgSuccessOrdering(instruction.0) })
    }

    /// Returns the file and the line of an instruction, if they are known.
    pub(crate) fn place_of(&self, instruction: Val) -> Option<(String, u32)> {
        // SAFETY: the caller has an instruction; the name is given with its length.
        unsafe {
            let (line, mut len) = (LLVMGetDebugLocLine(instruction.0), 0);
            let start = LLVMGetDebugLocFilename(instruction.0, &mut len);
            if line == 0 || start.is_null() {
                return None;
            }
            let name = std::slice::from_raw_parts(start.cast::<u8>(), len as usize);
            Some((String::from_utf8_lossy(name).into_owned(), line))
        }
    }
}

fn order_of(order: Raw) -> Order {
    match order {
        Raw::LLVMAtomicOrderingNotAtomic | Raw::LLVMAtomicOrderingUnordered => Order::Unordered,
        Raw::LLVMAtomicOrderingMonotonic => Order::Monotonic,
        Raw::LLVMAtomicOrderingAcquire => Order::Acquire,
        Raw::LLVMAtomicOrderingRelease => Order::Release,
        Raw::LLVMAtomicOrderingAcquireRelease => Order::AcquireRelease,
        Raw::LLVMAtomicOrderingSequentiallyConsistent => Order::SequentiallyConsistent,
    }
}
