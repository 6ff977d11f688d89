//! LLVM for emission: the only caller of LLVM, and the only `unsafe` code of this crate.
//!
//! A [`Module`] owns its context, so units do not influence each other: struct names, metadata numbers and value
//! names start afresh, and value names are discarded. [`Ty`], [`Val`] and [`Block`] are handles into it.
//!
//! # Invariants
//! * A handle is used only with the `Module` that made it, while that lives; handles never leave a call of
//!   [`compile`](crate::compile), which makes one module.
//! * Every instruction gets operands of the right types: emission asserts it, LLVM's verifier checks it in tests.
#![expect(unsafe_code, reason = "calls LLVM; see ARCHITECTURE.md")]

#[cfg(feature = "metal")]
mod air;
mod approximate;
mod build;
mod callee;
#[cfg(feature = "air")]
mod contents;
mod control;
mod debug;
mod device;
mod export;
mod fatal;
mod frames;
mod half;
mod inspect;
mod keep;
mod known_spaces;
mod library;
mod link;
mod locate;
mod loops;
mod machine;
mod memory_class;
mod modify;
#[cfg(feature = "air")]
mod operations;
mod ordered_exchanges;
mod parts;
mod process;
mod reflect;
mod spaces;
#[cfg(feature = "spirv")]
mod spirv;
mod text;
mod unrolled;
mod walk;
mod wide_floats;

pub use build::Order;
pub use device::Convention;
pub use export::{AskFn, kiln_codegen_close, kiln_codegen_free, kiln_codegen_open, kiln_codegen_request};
pub use machine::{Architecture, FileKind, Machine, MachineSpec};

#[cfg(feature = "metal")]
pub(crate) use air::AirDraft;
pub(crate) use build::{Atomic, Fast, ItemLoop, NOT_UNROLLED, ROWS, SEVERAL_ROWS, UNROLLED_WHOLE};
#[cfg(feature = "air")]
pub(crate) use contents::{
    AttributeForm, ConstantForm, Contents, MetadataForm, TypeForm, attribute_number, carrier,
};
pub(crate) use fatal::during;
pub(crate) use frames::Frames;
pub(crate) use inspect::{Access, TypeKind};
pub(crate) use keep::{assemble, listing};
pub(crate) use known_spaces::narrow_matrix_addresses;
pub(crate) use library::Libraries;
pub(crate) use link::{
    Linked, PartNames, PlaceholderValue, Table, called_otherwise, fill, missing, name_function, part_symbol,
};
pub(crate) use locate::locate;
pub(crate) use loops::{is_item_loop, leave_loop, loop_has, name_of_loop};
pub(crate) use machine::version;
pub(crate) use memory_class::{MemoryClass, accessing, note_readable, set_param_readable};
pub(crate) use modify::operation_of;
pub(crate) use ordered_exchanges::order_exchanges_by_fences;
pub(crate) use process::{panic_trace, trace_panics};
#[cfg(feature = "spirv")]
pub(crate) use spirv::{emit_spirv, make_spirv_machine};
pub(crate) use text::{Kind, Rules, Visibility};
pub(crate) use unrolled::hint_small_loops;

use crate::error::{EmitError, EmitErrorKind, GaveUp, VerifiedModule};
use kiln_unit::Mistake;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Ty(LLVMTypeRef);

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Val(LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) struct Block(LLVMBasicBlockRef);

/// A function, with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    value: LLVMValueRef,
    ty: LLVMTypeRef,
}

/// The template of modules: the C interface cannot make an access group, a distinct and empty node.
const TEMPLATE: &CStr = c"!kiln.access = !{!0}\n!0 = distinct !{}\n";

/// A module under construction, its context, and its instruction builder.
pub struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    builder: LLVMBuilderRef,
    access_group: LLVMValueRef,
    access_kind: u32,
    /// The generic address space.
    generic: u32,
    /// The scope of atomic operations, if not all threads.
    scope: Cell<Option<u32>>,
    lines: Option<debug::Lines>,
    /// The line of the following instructions.
    line: Cell<u32>,
    /// Whether memory accesses belong to the access group of the item loop.
    pub(crate) mark_accesses: Cell<bool>,
    /// Where accesses are, and the kind of memory that they are of.
    frames: Cell<(Frames, MemoryClass)>,
    /// The mistake that is to be made.
    pub(crate) mistake: Cell<Option<Mistake>>,
    known_nodes: RefCell<Vec<LLVMMetadataRef>>,
    /// LLVM failed fatally while working on it.
    is_broken: Cell<bool>,
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.is_broken.get() {
            std::mem::forget(self.lines.take());
            return;
        }
        self.lines = None; // before the module it is made for
        // SAFETY: all three are ours, and handles do not outlive the call that made this.
        unsafe {
            LLVMDisposeBuilder(self.builder);
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

impl Module {
    /// Returns an empty module in a context of its own, with the triple and data layout of `machine`, and with a line
    /// table if `lines`.
    pub(crate) fn new(machine: &Machine, lines: bool) -> Self {
        // SAFETY: plain constructors; the template is NUL-terminated and valid IR, so the parser sets `module`.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore), std::ptr::null_mut());
            let bytes = TEMPLATE.to_bytes();
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(TEMPLATE.as_ptr(), bytes.len(), c"unit".as_ptr());
            let mut module = std::ptr::null_mut();
            let mut message = std::ptr::null_mut();
            let failed =
                llvm_sys::ir_reader::LLVMParseIRInContext2(context, buffer, &mut module, &mut message);
            assert!(failed == 0, "the template is valid IR: {}", take_message(message));
            LLVMContextSetDiscardValueNames(context, 1); // the parser refuses to work with names discarded
            LLVMSetModuleIdentifier(module, c"unit".as_ptr(), 4);
            LLVMSetSourceFileName(module, c"unit".as_ptr(), 4);
            machine.describe(module);
            let mut groups = [std::ptr::null_mut(); 1];
            LLVMGetNamedMetadataOperands(module, c"kiln.access".as_ptr(), groups.as_mut_ptr());
            let name = "llvm.access.group";
            let access_kind = LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32);
            let builder = LLVMCreateBuilderInContext(context);
            Self {
                context,
                module,
                builder,
                access_group: groups[0],
                access_kind,
                generic: 0,
                scope: Cell::new(None),
                lines: lines.then(|| debug::Lines::new(context, module)),
                line: Cell::new(0),
                mark_accesses: Cell::new(false),
                frames: Cell::new((Frames::Unknown, MemoryClass::Any)),
                mistake: Cell::new(None),
                known_nodes: RefCell::default(),
                is_broken: Cell::new(false),
            }
        }
    }

    /// Whether a mistake is to be made here: it is made once.
    pub(crate) fn makes(&self, mistake: Mistake) -> bool {
        let makes = self.mistake.get() == Some(mistake);
        if makes {
            self.mistake.set(None);
        }
        makes
    }

    /// Notes a fatal error of LLVM: the module is not disposed of.
    fn give_up(&self) -> GaveUp {
        self.is_broken.set(true);
        GaveUp
    }

    /// Returns `iN`.
    pub fn int(&self, bits: u32) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }
    /// Returns `half`, `float` or `double`, by width.
    pub fn float(&self, bits: u32) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe {
            match bits {
                16 => LLVMHalfTypeInContext(self.context),
                32 => LLVMFloatTypeInContext(self.context),
                64 => LLVMDoubleTypeInContext(self.context),
                other => unreachable!("no float of {other} bits"),
            }
        })
    }
    /// Returns `bfloat`.
    pub(crate) fn bfloat(&self) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMBFloatTypeInContext(self.context) })
    }
    /// Returns the generic `ptr`.
    pub fn ptr(&self) -> Ty {
        self.ptr_in(self.generic)
    }
    /// Returns `void`.
    pub fn void(&self) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMVoidTypeInContext(self.context) })
    }
    /// Returns `{ ... }`.
    pub fn structure(&self, fields: &[Ty]) -> Ty {
        let mut fields: Vec<_> = fields.iter().map(|it| it.0).collect();
        // SAFETY: the list has the given length.
        Ty(unsafe { LLVMStructTypeInContext(self.context, fields.as_mut_ptr(), fields.len() as u32, 0) })
    }
    /// Returns `[n x elem]`.
    pub fn array(&self, elem: Ty, count: u64) -> Ty {
        // SAFETY: the element type is sized.
        Ty(unsafe { LLVMArrayType2(elem.0, count) })
    }
    /// Returns the bits of an integer type; 0 for other types.
    pub(crate) fn int_bits(&self, ty: Ty) -> u32 {
        // SAFETY: the width is asked of integer types only.
        unsafe {
            let is_integer = LLVMGetTypeKind(ty.0) == llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind;
            if is_integer { LLVMGetIntTypeWidth(ty.0) } else { 0 }
        }
    }
    /// Returns the type of a value.
    pub fn type_of(&self, value: Val) -> Ty {
        // SAFETY: the handle is valid.
        Ty(unsafe { LLVMTypeOf(value.0) })
    }

    /// Returns an integer constant of any width; excess bits are dropped.
    pub fn const_int(&self, ty: Ty, value: u128) -> Val {
        let words = [value as u64, (value >> 64) as u64];
        // SAFETY: two words are given.
        Val(unsafe { LLVMConstIntOfArbitraryPrecision(ty.0, 2, words.as_ptr()) })
    }
    /// Returns an `i64` constant.
    pub fn const_i64(&self, value: i64) -> Val {
        self.const_int(self.int(64), value as i128 as u128)
    }
    /// Returns an `i32` constant.
    pub fn const_u32(&self, value: u32) -> Val {
        self.const_int(self.int(32), value.into())
    }
    /// Returns the constant with all bits zero.
    pub fn zero(&self, ty: Ty) -> Val {
        // SAFETY: the type is first-class.
        Val(unsafe { LLVMConstNull(ty.0) })
    }
    /// Returns `poison`.
    pub(crate) fn poison(&self, ty: Ty) -> Val {
        // SAFETY: the type is first-class.
        Val(unsafe { LLVMGetPoison(ty.0) })
    }

    /// Declares a function.
    pub(crate) fn function(&self, name: &str, result: Ty, params: &[Ty]) -> Function {
        let mut params: Vec<_> = params.iter().map(|it| it.0).collect();
        let name = c_string(name);
        // SAFETY: the list has the given length and the name ends in NUL.
        unsafe {
            let ty = LLVMFunctionType(result.0, params.as_mut_ptr(), params.len() as u32, 0);
            let value = LLVMAddFunction(self.module, name.as_ptr(), ty);
            Function { value, ty }
        }
    }
    /// Returns the address of an undefined symbol, which may be anywhere.
    pub(crate) fn external(&self, name: &str) -> Val {
        let name = c_string(name);
        // SAFETY: the name ends in NUL; the handles are of this module.
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            Val(if known.is_null() {
                LLVMAddGlobal(self.module, self.int(8).0, name.as_ptr())
            } else {
                known
            })
        }
    }
    /// Returns the value of an undefined symbol, which the linker defines as an absolute number below 2^31, as an
    /// integer of `bits` bits.
    pub(crate) fn absolute(&self, name: &str, bits: u32) -> Val {
        let name = c_string(name);
        // SAFETY: the name ends in NUL; the handles are of this module.
        unsafe {
            let mut global = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if global.is_null() {
                global = LLVMAddGlobal(self.module, self.int(8).0, name.as_ptr());
                LLVMSetVisibility(global, llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
                let word = self.int(64).0;
                let mut range = [LLVMConstInt(word, 0, 0), LLVMConstInt(word, 1 << 31, 0)]
                    .map(|it| LLVMValueAsMetadata(it));
                let range = LLVMMDNodeInContext2(self.context, range.as_mut_ptr(), range.len());
                const KIND: &str = "absolute_symbol";
                let kind = LLVMGetMDKindIDInContext(self.context, KIND.as_ptr().cast(), KIND.len() as u32);
                LLVMGlobalSetMetadata(global, kind, range);
            }
            Val(LLVMConstPtrToInt(global, self.int(bits).0))
        }
    }
    /// Makes a function visible in this module only.
    pub(crate) fn set_internal(&self, function: Function) {
        // SAFETY: the handle is a global.
        unsafe { LLVMSetLinkage(function.value, llvm_sys::LLVMLinkage::LLVMInternalLinkage) }
    }
    /// Makes a function one that another module may define.
    pub(crate) fn set_external(&self, function: Function) {
        // SAFETY: the handle is a global.
        unsafe { LLVMSetLinkage(function.value, llvm_sys::LLVMLinkage::LLVMExternalLinkage) }
    }
    /// Adds an attribute without a value, such as `nounwind`, to a function.
    pub(crate) fn set_attribute(&self, function: Function, name: &str) {
        self.attribute(function, llvm_sys::LLVMAttributeFunctionIndex, name);
    }
    /// Sets a string attribute of a function.
    pub(crate) fn set_text_attribute(&self, function: Function, name: &CStr, value: &CStr) {
        let (name_len, value_len) = (name.count_bytes() as u32, value.count_bytes() as u32);
        // SAFETY: both texts are given with their lengths.
        unsafe {
            let it =
                LLVMCreateStringAttribute(self.context, name.as_ptr(), name_len, value.as_ptr(), value_len);
            LLVMAddAttributeAtIndex(function.value, llvm_sys::LLVMAttributeFunctionIndex, it);
        }
    }
    fn attribute(&self, function: Function, index: u32, name: &str) {
        // SAFETY: the handles are of this context.
        unsafe {
            let it = LLVMCreateEnumAttribute(self.context, attribute_kind(name), 0);
            LLVMAddAttributeAtIndex(function.value, index, it);
        }
    }
    /// Returns a parameter.
    pub(crate) fn param(&self, function: Function, index: usize) -> Val {
        // SAFETY: emission asks for parameters it declared.
        Val(unsafe { LLVMGetParam(function.value, index as u32) })
    }
    /// Removes a function that nothing uses.
    pub(crate) fn remove(&self, function: Function) {
        // SAFETY: the caller has no more use of the handle.
        unsafe { LLVMDeleteFunction(function.value) }
    }
    /// Adds a block at the end of a function.
    pub(crate) fn block(&self, function: Function) -> Block {
        // SAFETY: the handles are valid.
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.value, c"".as_ptr()) })
    }

    /// Fails where LLVM's verifier refuses the module.
    pub(crate) fn verify(&self, module: VerifiedModule) -> Result<(), EmitError> {
        match self.verifier_message() {
            None => Ok(()),
            Some(message) => Err(EmitErrorKind::Verifier { module, message }.into()),
        }
    }

    /// Returns the message of LLVM's verifier, if it refuses the module.
    pub(crate) fn verifier_message(&self) -> Option<String> {
        // SAFETY: the module is alive.
        unsafe { verifier_message(self.module) }
    }
}

/// Returns the message of LLVM's verifier, if it refuses a module.
///
/// # Safety
/// The module is alive.
unsafe fn verifier_message(module: LLVMModuleRef) -> Option<String> {
    let mut message = std::ptr::null_mut();
    // SAFETY: the message is set by the verifier and ours to dispose.
    unsafe {
        let action = llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let is_broken = llvm_sys::analysis::LLVMVerifyModule(module, action, &mut message) != 0;
        let message = take_message(message);
        is_broken.then(|| message.trim_end().to_owned())
    }
}

/// Drops LLVM's remarks and warnings, which it would print; calls return errors.
extern "C" fn ignore(_: LLVMDiagnosticInfoRef, _: *mut std::ffi::c_void) {}

/// Returns LLVM's number of an attribute.
fn attribute_kind(name: &str) -> u32 {
    // SAFETY: the name is given with its length; an unknown name has kind 0, which is asserted.
    let kind = unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) };
    assert!(kind != 0, "LLVM knows the attribute {name}");
    kind
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("names in modules are ours and contain no NUL")
}

/// Takes the text of an LLVM message and disposes of it.
///
/// # Safety
/// `message` is null or an LLVM string that nothing else disposes of.
unsafe fn take_message(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by the contract.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
