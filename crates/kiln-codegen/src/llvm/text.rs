//! LLVM text of a program, linked into the unit's module as functions.
//!
//! # Invariants
//! * Text is untrusted: it is verified before it is linked, and its definitions get internal linkage, so they cannot
//!   clash with names of the unit. Its declarations keep their names.
//! * Only functions and variables are linked: text with constructors, aliases or module-level assembly is refused.

use super::fatal::guarded;
use super::{Function, Module, Ty, Val, c_string, ignore, take_message, verifier_message};
use crate::error::TextError;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMTypeKind};
use std::ffi::{CStr, c_char, c_void};

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `void`.
    Void,
    /// `iN`.
    Int(u32),
    /// A pointer to this address space.
    Pointer(u32),
    /// `<n x elem>`.
    Vector(Ty, u32),
    /// `[n x elem]`.
    Array(Ty, u32),
    /// `{ ... }`.
    Struct(Vec<Ty>),
    /// Floats, and types without a Julia counterpart.
    Other,
}

/// The visibility of the definitions of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visibility {
    /// The text itself.
    Internal,
    /// The linker: `weak` definitions, which others of their name may replace, and variables that the host sets.
    Replaceable,
}

/// The treatment of a text's definitions and declarations.
pub(crate) struct Rules<'a> {
    /// The prefix of its definitions.
    pub(crate) prefix: &'a str,
    /// The visibility of its definitions.
    pub(crate) visibility: Visibility,
    /// The names it must not declare.
    pub(crate) is_taken: &'a dyn Fn(&str) -> bool,
    /// The intrinsics that the target lacks: LLVM ends the process for them.
    pub(crate) is_elsewhere: &'a dyn Fn(&str) -> bool,
}

/// A parsed module, not linked yet.
struct Text(LLVMModuleRef);

impl Drop for Text {
    fn drop(&mut self) {
        // SAFETY: the module is ours until it is linked, which forgets this.
        unsafe { LLVMDisposeModule(self.0) }
    }
}

impl Module {
    /// Returns the pointer type of an address space.
    pub(crate) fn pointer_to_space(&self, space: u32) -> Ty {
        // SAFETY: the context is alive.
        Ty(unsafe { LLVMPointerTypeInContext(self.context, space) })
    }
    /// Returns `<n x elem>` of a scalar.
    pub(crate) fn vector(&self, elem: Ty, count: u32) -> Ty {
        // SAFETY: emission gives a scalar and a count of at least one.
        Ty(unsafe { LLVMVectorType(elem.0, count) })
    }
    /// Returns the text of a type.
    pub(crate) fn type_text(&self, ty: Ty) -> String {
        // SAFETY: the message is LLVM's and taken once.
        unsafe { take_message(LLVMPrintTypeToString(ty.0)) }
    }
    /// Returns the structure of a type.
    pub(crate) fn kind(&self, ty: Ty) -> Kind {
        // SAFETY: each question is asked of types of the kind that has an answer; the list has room for all fields.
        unsafe {
            #[expect(clippy::wildcard_enum_match_arm, reason = "no Julia value has one of the others")]
            match LLVMGetTypeKind(ty.0) {
                LLVMTypeKind::LLVMVoidTypeKind => Kind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => Kind::Int(LLVMGetIntTypeWidth(ty.0)),
                LLVMTypeKind::LLVMPointerTypeKind => Kind::Pointer(LLVMGetPointerAddressSpace(ty.0)),
                LLVMTypeKind::LLVMVectorTypeKind => {
                    Kind::Vector(Ty(LLVMGetElementType(ty.0)), LLVMGetVectorSize(ty.0))
                }
                LLVMTypeKind::LLVMArrayTypeKind => match u32::try_from(LLVMGetArrayLength2(ty.0)) {
                    Ok(count) => Kind::Array(Ty(LLVMGetElementType(ty.0)), count),
                    Err(_) => Kind::Other,
                },
                LLVMTypeKind::LLVMStructTypeKind if LLVMIsOpaqueStruct(ty.0) == 0 => {
                    let count = LLVMCountStructElementTypes(ty.0);
                    Kind::Struct((0..count).map(|it| Ty(LLVMStructGetTypeAtIndex(ty.0, it))).collect())
                }
                _ => Kind::Other,
            }
        }
    }
    /// Extracts an element of a vector.
    pub(crate) fn element(&self, vector: Val, index: u32) -> Val {
        let index = self.const_u32(index);
        // SAFETY: the index is less than the length.
        Val(unsafe { LLVMBuildExtractElement(self.builder, vector.0, index.0, c"".as_ptr()) })
    }
    /// Inserts an element into a vector.
    pub(crate) fn with_element(&self, vector: Val, value: Val, index: u32) -> Val {
        let index = self.const_u32(index);
        // SAFETY: the index is less than the length, the value is of the element's type.
        Val(unsafe { LLVMBuildInsertElement(self.builder, vector.0, value.0, index.0, c"".as_ptr()) })
    }

    /// Returns the unit's function of this name.
    pub(crate) fn find_function(&self, name: &str) -> Option<Function> {
        let name = c_string(name);
        // SAFETY: the name ends in NUL; a function that was found has a function's type.
        unsafe {
            let value = LLVMGetNamedFunction(self.module, name.as_ptr());
            (!value.is_null()).then(|| Function { value, ty: LLVMGlobalGetValueType(value) })
        }
    }
    /// Returns the result and the parameters of a function; `None` if it is variadic.
    pub(crate) fn signature(&self, function: Function) -> Option<(Ty, Vec<Ty>)> {
        // SAFETY: the list has room for all parameters.
        unsafe {
            if LLVMIsFunctionVarArg(function.ty) != 0 {
                return None;
            }
            let count = LLVMCountParamTypes(function.ty) as usize;
            let mut params = vec![std::ptr::null_mut(); count];
            LLVMGetParamTypes(function.ty, params.as_mut_ptr());
            Some((Ty(LLVMGetReturnType(function.ty)), params.into_iter().map(Ty).collect()))
        }
    }
    /// Emits a call in the convention of the function.
    pub(crate) fn call_as_declared(&self, function: Function, args: &[Val]) -> Val {
        let call = self.call(function, args);
        // SAFETY: it is a call, of a function.
        unsafe { LLVMSetInstructionCallConv(call.0, LLVMGetFunctionCallConv(function.value)) }
        call
    }

    /// Adds the module in `text` to the unit's; its function `entry` is renamed to `rules.prefix` and inlined at its
    /// calls.
    ///
    /// # Errors
    /// Fails with LLVM's message about the text.
    pub(crate) fn add_text(&self, text: &str, entry: &str, rules: &Rules<'_>) -> Result<(), TextError> {
        let name = rules.prefix;
        let parsed = self.parse(text)?;
        // SAFETY: the entry's name ends in NUL.
        let function = unsafe {
            let entry = std::ffi::CString::new(entry).map_err(|_| TextError::NulInName)?;
            LLVMGetNamedFunction(parsed.0, entry.as_ptr())
        };
        self.prepare_globals(&parsed, rules)?;
        self.prepare_functions(&parsed, rules)?;
        // SAFETY: names are given with their lengths or end in NUL; attributes are removed and added by their kinds. The
        // verifier's message is taken once.
        unsafe {
            if function.is_null() || LLVMIsDeclaration(function) != 0 {
                return Err(TextError::NoFunction(entry.into()));
            }
            LLVMSetValueName2(function, name.as_ptr().cast(), name.len());
            // LLVM links only visible definitions: they become internal afterwards.
            LLVMSetLinkage(function, LLVMLinkage::LLVMExternalLinkage);
            for unwanted in ["noinline", "optnone"] {
                let kind = LLVMGetEnumAttributeKindForName(unwanted.as_ptr().cast(), unwanted.len());
                LLVMRemoveEnumAttributeAtIndex(function, llvm_sys::LLVMAttributeFunctionIndex, kind);
            }
            self.set_attribute(
                Function { value: function, ty: LLVMGlobalGetValueType(function) },
                "alwaysinline",
            );
        }
        verify(&parsed)?;
        self.link(parsed)?;
        if let Some(function) = self.find_function(name) {
            self.set_internal(function);
        }
        Ok(())
    }

    fn parse(&self, text: &str) -> Result<Text, TextError> {
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the text is copied with its length, and the copy ends in NUL, which the parser looks for; the copy is
        // disposed, as is the message. The parser refuses to work where names are discarded.
        let failed = unsafe {
            let start = text.as_ptr().cast::<c_char>();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, text.len(), c"llvmcall".as_ptr());
            LLVMContextSetDiscardValueNames(self.context, 0);
            let (context, module_at, message_at) = (self.context, &raw mut module, &raw mut message);
            let parse = || llvm_sys::ir_reader::LLVMParseIRInContext2(context, buffer, module_at, message_at);
            let failed = guarded(parse).ok_or_else(|| self.give_up())?;
            LLVMContextSetDiscardValueNames(self.context, 1);
            LLVMDisposeMemoryBuffer(buffer);
            failed != 0
        };
        // SAFETY: the message is null or LLVM's.
        let message = unsafe { take_message(message) };
        if failed {
            return Err(TextError::Llvm(message.trim_end().to_owned()));
        }
        let parsed = Text(module);
        // SAFETY: both modules are alive; triple and layout are strings of the unit's.
        unsafe {
            LLVMSetTarget(module, LLVMGetTarget(self.module));
            LLVMSetDataLayout(module, LLVMGetDataLayoutStr(self.module));
            llvm_sys::debuginfo::LLVMStripModuleDebugInfo(module);
            let mut length = 0;
            LLVMGetModuleInlineAsm(module, &mut length);
            let others =
                !LLVMGetFirstGlobalAlias(module).is_null() || !LLVMGetFirstGlobalIFunc(module).is_null();
            if length != 0 || others {
                return Err(TextError::AliasOrAssembly);
            }
        }
        verify(&parsed)?;
        Ok(parsed)
    }

    fn prepare_globals(&self, parsed: &Text, rules: &Rules<'_>) -> Result<(), TextError> {
        // SAFETY: every handle is of the module, which is alive.
        unsafe {
            let mut global = LLVMGetFirstGlobal(parsed.0);
            while !global.is_null() {
                let name = value_name(global);
                if LLVMIsThreadLocal(global) != 0 {
                    return Err(TextError::ThreadLocal(name));
                }
                if name.starts_with("llvm.") && !matches!(&*name, "llvm.used" | "llvm.compiler.used") {
                    return Err(TextError::Reserved(name));
                }
                let hosts = LLVMIsExternallyInitialized(global) != 0;
                set_linkage(global, &name, hosts, rules)?;
                global = LLVMGetNextGlobal(global);
            }
        }
        Ok(())
    }

    fn prepare_functions(&self, parsed: &Text, rules: &Rules<'_>) -> Result<(), TextError> {
        // SAFETY: every handle is of the module, which is alive.
        unsafe {
            let mut function = LLVMGetFirstFunction(parsed.0);
            while !function.is_null() {
                let name = value_name(function);
                if !LLVMGetGC(function).is_null() {
                    return Err(TextError::GarbageCollector(name));
                }
                if name.starts_with("llvm.") {
                    if LLVMGetIntrinsicID(function) == 0 {
                        return Err(TextError::UnknownIntrinsic(name));
                    }
                    if (rules.is_elsewhere)(&name) {
                        return Err(TextError::OtherTarget(name));
                    }
                } else {
                    set_linkage(function, &name, false, rules)?;
                }
                function = LLVMGetNextFunction(function);
            }
        }
        Ok(())
    }

    fn link(&self, parsed: Text) -> Result<(), TextError> {
        let (whole, module) = (self.module, parsed.0);
        std::mem::forget(parsed); // linking disposes it
        // SAFETY: both modules are alive and of one context.
        let link = || unsafe { llvm_sys::linker::LLVMLinkModules2(whole, module) != 0 };
        let (failed, messages) = self.errors_of(|| guarded(link));
        if failed.ok_or_else(|| self.give_up())? { Err(TextError::Llvm(messages)) } else { Ok(()) }
    }

    /// Runs `work`, and returns the errors that LLVM reports meanwhile: on assembly, for example, it continues after
    /// them.
    pub(crate) fn errors_of<T>(&self, work: impl FnOnce() -> T) -> (T, String) {
        let mut messages = String::new();
        // SAFETY: the handler is given `messages`, which outlives `work`, and is taken away after it.
        unsafe { LLVMContextSetDiagnosticHandler(self.context, Some(note), (&raw mut messages).cast()) };
        let result = work();
        // SAFETY: the context is alive.
        unsafe { LLVMContextSetDiagnosticHandler(self.context, Some(ignore), std::ptr::null_mut()) };
        (result, messages)
    }
}

/// Sets the linkage: definitions belong to the text, declarations must not be names of the unit.
///
/// # Safety
/// `global` is a live function or variable.
unsafe fn set_linkage(
    global: LLVMValueRef,
    name: &str,
    hosts: bool,
    rules: &Rules<'_>,
) -> Result<(), TextError> {
    // SAFETY: by the contract; no comdat is a comdat to set.
    unsafe {
        use LLVMLinkage as L;
        if LLVMIsDeclaration(global) != 0 {
            return if (rules.is_taken)(name) { Err(TextError::OwnName(name.into())) } else { Ok(()) };
        }
        let linkage = LLVMGetLinkage(global);
        if matches!(linkage, L::LLVMAppendingLinkage) {
            return Ok(());
        }
        let weak = matches!(
            linkage,
            L::LLVMWeakAnyLinkage
                | L::LLVMWeakODRLinkage
                | L::LLVMLinkOnceAnyLinkage
                | L::LLVMLinkOnceODRLinkage
        );
        if rules.visibility == Visibility::Replaceable && (weak || hosts) && !(rules.is_taken)(name) {
            return Ok(());
        }
        llvm_sys::comdat::LLVMSetComdat(global, std::ptr::null_mut());
        LLVMSetVisibility(global, llvm_sys::LLVMVisibility::LLVMDefaultVisibility);
        LLVMSetDLLStorageClass(global, llvm_sys::LLVMDLLStorageClass::LLVMDefaultStorageClass);
        LLVMSetLinkage(global, L::LLVMInternalLinkage);
        let renamed = format!("{}.{name}", rules.prefix);
        LLVMSetValueName2(global, renamed.as_ptr().cast(), renamed.len());
    }
    Ok(())
}

/// Returns the name of a function or variable.
///
/// # Safety
/// `value` is alive.
unsafe fn value_name(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: LLVM gives the start and the length of a name that lives as long as the value.
    unsafe {
        let start = LLVMGetValueName2(value, &mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), length)).into_owned()
    }
}

fn verify(parsed: &Text) -> Result<(), TextError> {
    // SAFETY: the module is alive.
    unsafe { verifier_message(parsed.0) }.map_or(Ok(()), |it| Err(TextError::Llvm(it)))
}

/// Appends LLVM's errors to a `String`.
extern "C" fn note(diagnostic: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: `errors_of` gives a string that lives; the description is LLVM's and disposed.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) != llvm_sys::LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let description = LLVMGetDiagInfoDescription(diagnostic);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        let messages = &mut *messages.cast::<String>();
        if !messages.is_empty() {
            messages.push('\n');
        }
        messages.push_str(&text);
    }
}
