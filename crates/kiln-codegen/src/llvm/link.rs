//! Linking of bitcode modules into one.
//!
//! # Invariants
//! * Symbols of a part are renamed: `f0` of part 2 becomes `p2_f0`, so parts cannot capture each other's symbols, and
//!   each definition exists once.
//! * Input may be any bytes: it is verified before anything else reads it.

use super::fatal::guarded;
use super::keep::parse;
use super::library::Library;
use super::walk::{functions, globals, is_call_of, name, rename, users};
use super::{Frames, Machine, Module, take_message, verifier_message};
use crate::error::{EmitError, EmitErrorKind, LinkError, LinkStep};
use llvm_sys::bit_reader::*;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage, LLVMTypeKind, LLVMVisibility};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// LLVM's messages about a module.
type Messages = RefCell<Vec<String>>;

/// The symbols that all parts share, which device link defines.
const DYNAMIC_SHARED: &str = "dynamic_shared";

/// The module that parts are linked into. Fields are dropped in this order: the module's context refers to `messages`.
pub(crate) struct Linked {
    module: Module,
    messages: Box<Messages>,
}

/// A part to be linked.
pub(crate) struct PartNames<'a> {
    /// Its position.
    pub(crate) position: usize,
    /// The meaning of its undefined functions: symbol, part, symbol there.
    pub(crate) calls: Vec<(&'a str, usize, &'a str)>,
    /// Its undefined functions without parameters, with their meaning.
    pub(crate) numbers: Vec<(&'a str, PlaceholderValue<'a>)>,
}

/// The meaning of an undefined function without parameters.
#[derive(Clone, Copy)]
pub(crate) enum PlaceholderValue<'a> {
    /// A number.
    Number(u64),
    /// The word of a table at this index.
    Entry(&'a Table, usize),
}

/// A table of words that are known only when code is loaded.
pub(crate) struct Table {
    /// The symbol by which loaders find it.
    pub(crate) symbol: String,
    /// The contents before loading.
    pub(crate) numbers: Vec<u64>,
    /// The address space.
    pub(crate) space: u32,
}

/// The bytes of a word.
const WORD_BYTES: u32 = 8;

/// Returns the name of a part's symbol in the linked module.
pub(crate) fn part_symbol(part: usize, symbol: &str) -> String {
    format!("p{part}_{symbol}")
}

impl Linked {
    /// Returns an empty module for `machine`.
    pub(crate) fn new(machine: &Machine) -> Self {
        let messages = Box::<Messages>::default();
        // SAFETY: plain constructors; the box lives as long as the context.
        let module = unsafe {
            let context = LLVMContextCreate();
            let place: *const Messages = &raw const *messages;
            LLVMContextSetDiagnosticHandler(context, Some(listen), place.cast_mut().cast());
            LLVMContextSetDiscardValueNames(context, 1);
            let module = LLVMModuleCreateWithNameInContext(c"composition".as_ptr(), context);
            machine.describe(module);
            Module::whole(context, module)
        };
        Self { module, messages }
    }

    /// Returns the linked module.
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }

    /// Fails with the first error that LLVM reported: it continues after some.
    pub(crate) fn check(&self) -> Result<(), EmitError> {
        let first = self.messages.borrow().first().cloned();
        first.map_or(Ok(()), |it| Err(EmitErrorKind::Llvm(it).into()))
    }

    /// Links a part.
    ///
    /// # Errors
    /// Fails if this LLVM cannot read its bytes, or if its symbols have other uses than their names allow.
    pub(crate) fn add_part(
        &self,
        machine: &Machine,
        bitcode: &[u8],
        names: &PartNames<'_>,
    ) -> Result<(), EmitError> {
        // SAFETY: the module read is of our context, and consumed or disposed.
        unsafe {
            let part = self.parse(bitcode)?;
            let prepared = verified(part)
                .and_then(|()| described(part, machine))
                .and_then(|()| rename_part(part, names));
            if let Err(error) = prepared {
                LLVMDisposeModule(part);
                return Err(error.into());
            }
            self.consume(part)
        }
    }

    /// Links the definitions that undefined symbols need from `libraries`, until none is left.
    ///
    /// # Errors
    /// Fails if LLVM refuses.
    pub(crate) fn add_libraries(
        &self,
        machine: &Machine,
        libraries: &[Arc<Library>],
        entry: &str,
    ) -> Result<(), EmitError> {
        let mut has_linked = false;
        loop {
            let wanted = self.module.undefined();
            let has = |it: &&Arc<Library>| wanted.iter().any(|name| it.defines(name));
            let Some(library) = libraries.iter().find(has) else {
                if has_linked {
                    self.internalize(entry);
                }
                return Ok(());
            };
            has_linked = true;
            // SAFETY: the library's bytes outlive the lazily read module, which linking consumes.
            unsafe {
                let module = self.open_lazily(library.bitcode())?;
                machine.describe(module);
                self.consume(module)?;
            }
            if self.module.undefined() == wanted {
                return Err(LinkError::Withheld(wanted).into());
            }
        }
    }

    /// Whether a part's symbol is defined.
    pub(crate) fn defines(&self, symbol: &str) -> bool {
        let symbol = super::c_string(symbol);
        // SAFETY: handles of this module.
        unsafe {
            let it = LLVMGetNamedFunction(self.module.module, symbol.as_ptr());
            !it.is_null() && LLVMIsDeclaration(it) == 0
        }
    }

    /// Gives the function `symbol` its final name, and makes all other definitions internal.
    ///
    /// # Errors
    /// Fails if the name is that of an undefined function.
    pub(crate) fn name_entry(&self, symbol: &str, entry: &str) -> Result<(), EmitError> {
        let [symbol_c, entry_c] = [symbol, entry].map(super::c_string);
        // SAFETY: handles of this module.
        unsafe {
            let taken = LLVMGetNamedFunction(self.module.module, entry_c.as_ptr());
            let taken_by_global = LLVMGetNamedGlobal(self.module.module, entry_c.as_ptr());
            let function = LLVMGetNamedFunction(self.module.module, symbol_c.as_ptr());
            for other in [taken, taken_by_global].into_iter().filter(|it| !it.is_null() && *it != function) {
                if LLVMIsDeclaration(other) != 0 {
                    return Err(LinkError::EntryNameTaken(entry.into()).into());
                }
                rename(other, &format!("{entry}."));
            }
            rename(function, entry);
        }
        self.internalize(entry);
        Ok(())
    }

    /// Makes all definitions internal, except the entry and its table.
    fn internalize(&self, entry: &str) {
        // SAFETY: handles of this module, listed before it is changed.
        unsafe {
            for it in functions(self.module.module).into_iter().chain(globals(self.module.module)) {
                let symbol = name(it);
                if LLVMIsDeclaration(it) != 0 || symbol.starts_with("llvm.") {
                    continue;
                }
                let stays = symbol == entry || symbol == kiln_unit::references_symbol(entry);
                LLVMSetComdat(it, std::ptr::null_mut());
                LLVMSetVisibility(it, LLVMVisibility::LLVMDefaultVisibility);
                LLVMSetLinkage(
                    it,
                    if stays { LLVMLinkage::LLVMExternalLinkage } else { LLVMLinkage::LLVMInternalLinkage },
                );
            }
        }
    }

    /// Copies the module into a context of its own.
    ///
    /// # Errors
    /// Fails if LLVM cannot read its own output.
    pub(crate) fn copy(&self, machine: &Machine) -> Result<Self, EmitError> {
        let copy = Self::new(machine);
        // SAFETY: the module read is of the copy's context, and consumed.
        unsafe {
            let module = copy.parse(&self.module.bitcode())?;
            copy.consume(module)?;
        }
        Ok(copy)
    }

    /// # Safety
    /// The result is consumed or disposed before `self` is.
    unsafe fn parse(&self, bitcode: &[u8]) -> Result<LLVMModuleRef, EmitError> {
        // SAFETY: the context is this module's; the rest is by the contract.
        let parsed = unsafe { parse(self.module.context, bitcode) };
        let parsed = parsed.map_err(|_| self.module.give_up())?;
        parsed.ok_or_else(|| self.failed(LinkStep::ReadPart))
    }

    /// # Safety
    /// `bitcode` outlives the result, which is consumed or disposed before `self` is.
    unsafe fn open_lazily(&self, bitcode: &[u8]) -> Result<LLVMModuleRef, EmitError> {
        // SAFETY: by the contract; the module owns the buffer, which owns no bytes.
        unsafe {
            let start = bitcode.as_ptr().cast::<c_char>();
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(start, bitcode.len(), c"library".as_ptr(), 0);
            let mut module = std::ptr::null_mut();
            let (context, module_at) = (self.module.context, &raw mut module);
            let failed = guarded(|| LLVMGetBitcodeModuleInContext2(context, buffer, module_at) != 0);
            if failed.ok_or_else(|| self.module.give_up())? {
                return Err(self.failed(LinkStep::ReadLibrary));
            }
            Ok(module)
        }
    }

    /// # Safety
    /// `module` is of our context, and not used again.
    unsafe fn consume(&self, module: LLVMModuleRef) -> Result<(), EmitError> {
        let whole = self.module.module;
        // SAFETY: by the contract.
        let failed = guarded(|| unsafe { LLVMLinkModules2(whole, module) != 0 });
        if failed.ok_or_else(|| self.module.give_up())? {
            Err(self.failed(LinkStep::Link))
        } else {
            self.check()
        }
    }

    /// Returns the error of a step, with LLVM's messages.
    fn failed(&self, step: LinkStep) -> EmitError {
        LinkError::Input { step, messages: self.messages.take() }.into()
    }
}

/// Returns the functions that are called with another type than they have, sorted.
pub(crate) fn called_otherwise(linked: &Linked) -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: handles of this module; types are equal where their handles are.
    unsafe {
        for function in functions(linked.module.module) {
            let ty = LLVMGlobalGetValueType(function);
            let is_other =
                |it: &LLVMValueRef| is_call_of(*it, function) && LLVMGetCalledFunctionType(*it) != ty;
            if users(function).iter().any(is_other) {
                names.push(name(function));
            }
        }
    }
    names.sort();
    names
}

/// Collects LLVM's errors; drops remarks and warnings.
extern "C" fn listen(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: `messages` is the box of the `Linked` that owns the context; the description is disposed.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            let messages = &*messages.cast::<Messages>();
            let text = take_message(LLVMGetDiagInfoDescription(info));
            let text = text.trim_end().trim_start_matches("<unknown>:0:0: ");
            messages.borrow_mut().push(text.to_owned());
        }
    }
}

/// Gives a function that a module defines another name, with a number behind it if that is taken.
pub(crate) fn name_function(module: &Module, symbol: &str, name: &str) {
    // SAFETY: handles of this module.
    unsafe {
        let of = |it: &str| LLVMGetNamedFunction(module.module, super::c_string(it).as_ptr());
        let is_free = |it: &String| {
            of(it).is_null() && LLVMGetNamedGlobal(module.module, super::c_string(it).as_ptr()).is_null()
        };
        let function = of(symbol);
        if function.is_null() || LLVMIsDeclaration(function) != 0 {
            return;
        }
        let numbered = (2..).map(|it| format!("{name}_{it}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(is_free);
        free.iter().for_each(|it| rename(function, it));
    }
}

unsafe fn verified(module: LLVMModuleRef) -> Result<(), LinkError> {
    // SAFETY: the module is alive.
    unsafe { verifier_message(module) }.map_or(Ok(()), |it| Err(LinkError::InvalidPart(it)))
}

/// Sets the triple and layout of a module, which must not be for another machine.
unsafe fn described(module: LLVMModuleRef, machine: &Machine) -> Result<(), LinkError> {
    // SAFETY: the triple is LLVM's and ends in NUL.
    unsafe {
        let triple = std::ffi::CStr::from_ptr(LLVMGetTarget(module)).to_string_lossy().into_owned();
        machine.describe(module);
        let own = std::ffi::CStr::from_ptr(LLVMGetTarget(module)).to_string_lossy();
        if triple.is_empty() || triple == own {
            Ok(())
        } else {
            Err(LinkError::Triple { part: triple, machine: own.into_owned() })
        }
    }
}

unsafe fn rename_part(module: LLVMModuleRef, names: &PartNames<'_>) -> Result<(), LinkError> {
    // SAFETY: handles of this module; lists are taken before it is changed.
    unsafe {
        for &(symbol, meaning) in &names.numbers {
            replace_calls(module, symbol, meaning)?;
        }
        for it in functions(module).into_iter().chain(globals(module)) {
            let symbol = name(it);
            let is_defined = LLVMIsDeclaration(it) == 0 && !symbol.starts_with("llvm.");
            if is_defined || symbol.starts_with(crate::assertion::PREFIX) {
                rename(it, &part_symbol(names.position, &symbol));
            }
        }
        for &(symbol, part, definition) in &names.calls {
            let symbol = super::c_string(symbol);
            let declared = LLVMGetNamedFunction(module, symbol.as_ptr());
            if declared.is_null() {
                continue; // emission has removed the only call
            }
            let whole = part_symbol(part, definition);
            let known = LLVMGetNamedFunction(module, super::c_string(&whole).as_ptr());
            if known.is_null() {
                rename(declared, &whole);
            } else if known != declared {
                LLVMReplaceAllUsesWith(declared, known);
                LLVMDeleteFunction(declared);
            }
        }
    }
    Ok(())
}

/// Replaces calls of a function without parameters by its meaning.
unsafe fn replace_calls(
    module: LLVMModuleRef,
    symbol: &str,
    meaning: PlaceholderValue<'_>,
) -> Result<(), LinkError> {
    // SAFETY: handles of this module; uses are listed before they go.
    unsafe {
        let function = LLVMGetNamedFunction(module, super::c_string(symbol).as_ptr());
        if function.is_null() {
            return Ok(());
        }
        let ty = LLVMGetReturnType(LLVMGlobalGetValueType(function));
        let is_integer = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind;
        if !is_integer || LLVMIsDeclaration(function) == 0 {
            return Err(LinkError::NotNumber(symbol.into()));
        }
        for user in users(function) {
            if !is_call_of(user, function) || LLVMTypeOf(user) != ty {
                return Err(LinkError::NumberEscapes(symbol.into()));
            }
            let value = match meaning {
                PlaceholderValue::Number(number) => LLVMConstInt(ty, number, 0),
                PlaceholderValue::Entry(table, at) => read(module, table, at, (user, ty)),
            };
            LLVMReplaceAllUsesWith(user, value);
            LLVMInstructionEraseFromParent(user);
        }
        LLVMDeleteFunction(function);
    }
    Ok(())
}

/// Loads a word of a table before an instruction; the load is invariant.
unsafe fn read(
    module: LLVMModuleRef,
    table: &Table,
    at: usize,
    (before, ty): (LLVMValueRef, LLVMTypeRef),
) -> LLVMValueRef {
    // SAFETY: handles of this module; the position is one of the table's.
    unsafe {
        let (context, address) = (LLVMGetModuleContext(module), declared(module, table));
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, before);
        let mut index = [LLVMConstInt(LLVMInt64TypeInContext(context), at as u64, 0)];
        let word = LLVMInt64TypeInContext(context);
        let place = LLVMBuildInBoundsGEP2(builder, word, address, index.as_mut_ptr(), 1, c"".as_ptr());
        let value = LLVMBuildLoad2(builder, ty, place, c"".as_ptr());
        LLVMSetAlignment(value, WORD_BYTES);
        LLVMDisposeBuilder(builder);
        value
    }
}

/// Returns the variable of a table.
unsafe fn declared(module: LLVMModuleRef, table: &Table) -> LLVMValueRef {
    let symbol = super::c_string(&table.symbol);
    // SAFETY: handles of this module; the name ends in NUL.
    unsafe {
        let known = LLVMGetNamedGlobal(module, symbol.as_ptr());
        if !known.is_null() {
            return known;
        }
        let word = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
        let ty = LLVMArrayType2(word, table.numbers.len() as u64);
        let global = LLVMAddGlobalInAddressSpace(module, ty, symbol.as_ptr(), table.space);
        LLVMSetAlignment(global, WORD_BYTES);
        global
    }
}

/// Defines a table that code reads.
pub(crate) fn fill(linked: &Linked, table: &Table) {
    let module = linked.module.module;
    // SAFETY: handles of this module; as many words as the variable has are given.
    unsafe {
        let global = LLVMGetNamedGlobal(module, super::c_string(&table.symbol).as_ptr());
        if global.is_null() {
            return;
        }
        let word = LLVMInt64TypeInContext(linked.module.context);
        let mut words: Vec<_> = table.numbers.iter().map(|it| LLVMConstInt(word, *it, 0)).collect();
        LLVMSetInitializer(global, LLVMConstArray2(word, words.as_mut_ptr(), words.len() as u64));
        LLVMSetExternallyInitialized(global, 1);
    }
}

impl Module {
    /// Wraps an existing module with its context.
    ///
    /// # Safety
    /// Both are passed on.
    pub(super) unsafe fn whole(context: LLVMContextRef, module: LLVMModuleRef) -> Self {
        Self {
            context,
            module,
            // SAFETY: the context is alive.
            builder: unsafe { LLVMCreateBuilderInContext(context) },
            access_group: std::ptr::null_mut(),
            access_kind: 0,
            generic: 0,
            scope: Cell::new(None),
            lines: None,
            line: Cell::new(0),
            mark_accesses: Cell::new(false),
            frames: Cell::new((Frames::Unknown, super::MemoryClass::Any)),
            mistake: Cell::new(None),
            known_nodes: RefCell::default(),
            is_broken: Cell::new(false),
        }
    }

    /// Returns the bytes of the variables of an address space, laid out one after another.
    pub fn bytes_of_space(&self, machine: &Machine, space: u32) -> u64 {
        // SAFETY: handles of this module; the value type of a definition is sized.
        unsafe {
            let defined = globals(self.module).into_iter().filter(|it| {
                LLVMIsDeclaration(*it) == 0 && LLVMGetPointerAddressSpace(LLVMTypeOf(*it)) == space
            });
            defined.fold(0_u64, |end, it| {
                let (bytes, natural) = machine.size_of(LLVMGlobalGetValueType(it));
                let align = natural.max(LLVMGetAlignment(it).into()).max(1);
                end.next_multiple_of(align) + bytes
            })
        }
    }
}

/// Returns the undefined symbols that nothing provides.
pub(crate) fn missing(undefined: Vec<String>, is_provided: impl Fn(&str) -> bool) -> Vec<String> {
    let seen: FxHashSet<&str> = [DYNAMIC_SHARED].into_iter().collect();
    undefined.into_iter().filter(|it| !seen.contains(it.as_str()) && !is_provided(it)).collect()
}
