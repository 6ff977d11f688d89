//! Source lines of a linked module, whose parts have statement numbers as "lines".
//!
//! The parts' debug information is read, removed, and written again as one compile unit. Each function has one scope,
//! and each function inlined into others has one scope in the module: inlined by the optimizer of the IR, or by LLVM
//! in a part that is optimized already. LLVM extends the chain for what it inlines later.
//!
//! # Invariants
//! * Code without a number has its function's first line: entries set up arguments without a statement.
//! * Functions without a table (text of the program, adapters) get no scope: LLVM gives their inlined code the place
//!   of the call.

use super::debug::{Emission, compile_unit, flag_versions};
use super::link::Linked;
use super::walk::{functions, instructions, name};
use crate::kernel::{ENTRY, is_of_entry};
use kiln_unit::{LinePlace, LineTable, PartLines};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;

/// Returns the part of a symbol, and the ordinal of its function.
fn meaning(symbol: &str) -> Option<(usize, usize)> {
    let (part, symbol) = symbol.strip_prefix('p')?.split_once('_')?;
    let is_of_entry = symbol == ENTRY || is_of_entry(symbol);
    let ordinal = if is_of_entry { 0 } else { symbol.strip_prefix('f')?.parse().ok()? };
    Some((part.parse().ok()?, ordinal))
}

/// A function that gets lines, and the statement numbers of its instructions.
struct Located {
    function: LLVMValueRef,
    part: usize,
    ordinal: usize,
    /// The instructions with their number and those of the calls they were inlined at, the innermost first.
    instructions: Vec<(LLVMValueRef, Vec<u32>)>,
}

/// Replaces the statement numbers of parts by the places of `table`, and removes all other debug information. The
/// parts are linked and renamed. With `inlining`, the output records inlined functions.
pub(crate) fn locate(linked: &Linked, table: &LineTable, inlining: bool) {
    let (context, module) = (linked.module().context, linked.module().module);
    let emission = if inlining { Emission::Tables } else { Emission::Directives };
    // SAFETY: handles of this module. Instructions are listed before descriptions go, which removes none of them.
    unsafe {
        let located: Vec<Located> = functions(module).into_iter().filter_map(|it| located(it)).collect();
        LLVMStripModuleDebugInfo(module);
        if located.is_empty() || table.files.is_empty() {
            return;
        }
        flag_versions(context, module, 4);
        let builder = LLVMCreateDIBuilder(module);
        let mut scopes = Scopes::new(context, builder, table, emission);
        for it in &located {
            scopes.locate(it);
        }
        LLVMDIBuilderFinalize(builder);
        LLVMDisposeDIBuilder(builder);
    }
}

/// # Safety
/// The function is alive.
unsafe fn located(function: LLVMValueRef) -> Option<Located> {
    // SAFETY: by the contract; an instruction's location is one, or null.
    unsafe {
        if LLVMIsDeclaration(function) != 0 {
            return None;
        }
        let (part, ordinal) = meaning(&name(function))?;
        let numbers = instructions(function).into_iter().map(|it| {
            let mut numbers = Vec::new();
            let mut at = LLVMInstructionGetDebugLoc(it);
            while !at.is_null() {
                numbers.push(LLVMDILocationGetLine(at));
                at = LLVMDILocationGetInlinedAt(at);
            }
            (it, numbers)
        });
        let instructions = numbers.collect();
        Some(Located { function, part, ordinal, instructions })
    }
}

/// The scopes made so far.
struct Scopes<'a> {
    context: LLVMContextRef,
    builder: LLVMDIBuilderRef,
    table: &'a LineTable,
    files: Vec<LLVMMetadataRef>,
    ty: LLVMMetadataRef,
    /// The scopes of inlined functions, by position.
    inlined: FxHashMap<u32, LLVMMetadataRef>,
    /// Scopes with code in another file.
    elsewhere: FxHashMap<(LLVMMetadataRef, u32), LLVMMetadataRef>,
    /// The locations in the current function, by the location they are inlined at.
    places: FxHashMap<(Option<LLVMMetadataRef>, u32), LLVMMetadataRef>,
}

impl<'a> Scopes<'a> {
    /// # Safety
    /// The handles are of one module, which outlives the result.
    unsafe fn new(
        context: LLVMContextRef,
        builder: LLVMDIBuilderRef,
        table: &'a LineTable,
        emission: Emission,
    ) -> Self {
        // SAFETY: by the contract; strings are given with their lengths.
        unsafe {
            let file =
                |it: &String| LLVMDIBuilderCreateFile(builder, it.as_ptr().cast(), it.len(), c"".as_ptr(), 0);
            let files: Vec<LLVMMetadataRef> = table.files.iter().map(file).collect();
            // The compile unit has the file of the entry.
            let entry = table.parts.first().and_then(|it| it.functions.first());
            let first = entry.map_or(0, |it| table.scopes[*it as usize].file);
            compile_unit(builder, files[first as usize], emission);
            let ty =
                LLVMDIBuilderCreateSubroutineType(builder, files[first as usize], std::ptr::null_mut(), 0, 0);
            let (inlined, elsewhere, places) =
                (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
            Self { context, builder, table, files, ty, inlined, elsewhere, places }
        }
    }

    /// # Safety
    /// The function is of the module, and has no scope.
    unsafe fn locate(&mut self, it: &Located) {
        let none = PartLines::default();
        let lines = self.table.parts.get(it.part).unwrap_or(&none);
        let Some(&scope) = lines.functions.get(it.ordinal) else { return };
        self.places.clear();
        // SAFETY: by the contract; instructions are the function's.
        unsafe {
            let own = self.describe(scope);
            LLVMSetSubprogram(it.function, own);
            let first = self.table.scopes[scope as usize].line;
            let start = self.location(first, own, None);
            for (instruction, numbers) in &it.instructions {
                // An inlined place without a scope gets the place of the call.
                let known = numbers.iter().rev().filter_map(|number| {
                    number.checked_sub(1).and_then(|it| *lines.statements.get(it as usize)?)
                });
                let at = known.fold(None, |outer, it| Some(self.place(it, outer, own)));
                LLVMInstructionSetDebugLoc(*instruction, at.unwrap_or(start));
            }
        }
    }

    /// Returns the location of a place in the function with scope `own`, or in one inlined at `outer`.
    ///
    /// # Safety
    /// `own` and `outer` are of the module.
    unsafe fn place(
        &mut self,
        position: u32,
        outer: Option<LLVMMetadataRef>,
        own: LLVMMetadataRef,
    ) -> LLVMMetadataRef {
        let mut chain = vec![position];
        while let Some(outer) = chain.last().and_then(|it| self.table.places[*it as usize].inlined_at) {
            chain.push(outer);
        }
        let mut outer = outer;
        for position in chain.into_iter().rev() {
            let key = (outer, position);
            let known = self.places.get(&key).copied();
            let made = known.unwrap_or_else(|| {
                let place = self.table.places[position as usize];
                // SAFETY: by the contract.
                let made = unsafe { self.new_place(place, outer, own) };
                self.places.insert(key, made);
                made
            });
            outer = Some(made);
        }
        outer.unwrap_or_else(|| unreachable!("a chain has the place it begins with"))
    }

    unsafe fn new_place(
        &mut self,
        place: LinePlace,
        outer: Option<LLVMMetadataRef>,
        own: LLVMMetadataRef,
    ) -> LLVMMetadataRef {
        // SAFETY: by the contract of `place`.
        unsafe {
            let scope = match (outer, self.inlined.get(&place.scope)) {
                (None, _) => own,
                (Some(_), Some(known)) => *known,
                (Some(_), None) => {
                    let made = self.describe(place.scope);
                    self.inlined.insert(place.scope, made);
                    made
                }
            };
            let scope = if place.file == self.table.scopes[place.scope as usize].file {
                scope
            } else {
                let (builder, file) = (self.builder, self.files[place.file as usize]);
                let known = self.elsewhere.entry((scope, place.file));
                *known.or_insert_with(|| LLVMDIBuilderCreateLexicalBlockFile(builder, scope, file, 0))
            };
            self.location(place.line, scope, outer)
        }
    }

    unsafe fn location(
        &self,
        line: u32,
        scope: LLVMMetadataRef,
        inlined_at: Option<LLVMMetadataRef>,
    ) -> LLVMMetadataRef {
        let inlined_at = inlined_at.unwrap_or(std::ptr::null_mut());
        // SAFETY: by the contract of `place`.
        unsafe { LLVMDIBuilderCreateDebugLocation(self.context, line, 0, scope, inlined_at) }
    }

    /// Makes the scope of a function.
    unsafe fn describe(&self, scope: u32) -> LLVMMetadataRef {
        let scope = &self.table.scopes[scope as usize];
        let file = self.files[scope.file as usize];
        // SAFETY: by the contract of `place`; strings are given with their lengths.
        unsafe {
            LLVMDIBuilderCreateFunction(
                self.builder,
                file,
                scope.name.as_ptr().cast(),
                scope.name.len(),
                c"".as_ptr(),
                0,
                file,
                scope.line,
                self.ty,
                1,
                1,
                scope.line,
                0,
                1,
            )
        }
    }
}
