//! Emission of a region: a function of the body's parameters and the place of the item's frame, which returns the
//! number of the next region.
//!
//! A value that is kept and that the region may define again has a slot of the function, which LLVM's promotion of
//! memory to registers replaces by phis.

use super::cut::Ways;
use super::uniform::FirstBranch;
use super::{Cut, Regions, is_barrier, stmts_of};
use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Frames, Module, Val};
use crate::loop_hints;
use crate::shape::Form;
use crate::value::Value;
use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, Cfg, Op, Stmt, Value as Operand};
use kiln_unit::Mistake;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The region being emitted.
pub(crate) struct Region<'u> {
    regions: &'u Regions,
    /// The region, or the part of it that is left when its first branch goes one way.
    cut: &'u Cut,
    /// The ways of the first branch and of those that follow from it.
    pub(super) assumed: Ways,
    /// Whether items may go on with different regions: then each keeps all its uniform values.
    pub(super) parts: bool,
    /// Whether all lanes of the item's warp have come to the entry point together.
    pub(super) in_step: bool,
    /// The uniform values at the entry point.
    uniform: FxHashMap<Stmt, Val>,
    /// The frames of the group.
    frame: Val,
    /// The number of items of the group, and the item's linear index.
    pub(super) items: Val,
    pub(super) item: Val,
    /// Where uniform values are kept: for the group, or for the item if items may go on with different regions.
    record: Val,
    /// The slots of kept values that the region may define again.
    slots: RefCell<SecondaryMap<Stmt, Option<Val>>>,
    /// The copies of private memory.
    copies: RefCell<FxHashMap<Stmt, Val>>,
    /// Whether the emitted value was computed before, and is again.
    entered: Cell<bool>,
    /// The values that were computed at the entry point.
    computed: RefCell<FxHashSet<Stmt>>,
    /// The numbers that the function returns.
    outcomes: RefCell<BTreeSet<u32>>,
}

impl<'u> Region<'u> {
    pub(super) fn new(
        regions: &'u Regions,
        cut: &'u Cut,
        uniform: FxHashMap<Stmt, Val>,
        [frame, items, item, record]: [Val; 4],
    ) -> Self {
        Self {
            regions,
            cut,
            assumed: Ways::new(),
            parts: false,
            in_step: false,
            uniform,
            frame,
            items,
            item,
            record,
            slots: RefCell::default(),
            copies: RefCell::default(),
            entered: Cell::new(false),
            computed: RefCell::default(),
            outcomes: RefCell::default(),
        }
    }

    /// Returns the way of the branch that ends a block, if it is known before the region runs.
    pub(crate) fn assumed(&self, block: Block) -> Option<bool> {
        self.assumed.get(&block).copied()
    }

    /// Whether a statement accesses a copy of private memory. Moves of copies from and to frames are marked as accesses of frames, so
    /// an access of a copy must not be marked as one apart from frames.
    pub(crate) fn accesses_copy(&self, stmt: Stmt) -> bool {
        self.regions.copied.values().any(|it| it.contains(&stmt))
    }

    /// Whether values at the entry point are being computed again.
    pub(crate) fn is_entered(&self) -> bool {
        self.entered.get()
    }

    /// Whether a value was computed at the entry point of the region.
    pub(crate) fn is_computed(&self, stmt: Stmt) -> bool {
        self.computed.borrow().contains(&stmt)
    }
}

/// Emits the function of a region, and returns the numbers that it may return.
pub(super) fn region_body(mut emitter: Emitter<'_, '_>, cut: &Cut) -> Result<BTreeSet<u32>, EmitError> {
    let (code, module) = (emitter.code(), emitter.module());
    let is_start = cut.pieces[0].from == 0;
    emitter.loop_hints = loop_hints::latches(code, &Cfg::new(code), emitter.types());
    let first = module.block(emitter.function);
    let whole = if is_start { &cut.pieces[..] } else { &cut.pieces[1..] };
    for piece in whole {
        emitter.blocks[piece.block] = Some(module.block(emitter.function));
    }
    emitter.take_params()?;
    module.at_end(first);
    emitter.copy_privates(cut, !is_start);
    enter_region(&mut emitter, cut)?;
    if is_start {
        module.br(emitter.target(cut.pieces[0].block));
    }
    let entry = module.here();
    for piece in whole {
        emitter.make_phis(piece.block)?;
    }
    if !is_start {
        module.at_end(entry);
        emitter.emit_stmts(cut.pieces[0].block, stmts_of(code, cut.pieces[0]))?;
    }
    for piece in whole {
        module.at_end(emitter.target(piece.block));
        emitter.emit_stmts(piece.block, stmts_of(code, *piece))?;
    }
    module.set_line(0);
    Ok(emitter.region.map(|it| it.outcomes.take()).unwrap_or_default())
}

/// Computes or loads the values that are live at the entry point.
fn enter_region(emitter: &mut Emitter<'_, '_>, cut: &Cut) -> Result<(), EmitError> {
    let (code, module) = (emitter.code(), emitter.module());
    if let Some(meeting) = cut.meeting.filter(|it| it.is_used) {
        emitter.values[meeting.stmt] = emitter.met(&meeting)?;
    }
    for &stmt in &cut.kept {
        let ty = code.stmts[stmt].ty;
        let shape = emitter.unit.shapes.of(ty)?;
        let (Some(llvm), Some(address)) = (shape.llvm, emitter.place_of(stmt)) else {
            emitter.values[stmt] = Some(emitter.ghost(ty));
            continue;
        };
        let value = match emitter.region.and_then(|it| it.uniform.get(&stmt)) {
            Some(uniform) => *uniform,
            None => emitter.in_frame(|| emitter.load_shape(&shape, address, shape.align))?,
        };
        emitter.values[stmt] = Some(emitter.register(ty, value));
        if cut.defined.contains(&stmt) {
            let slot = module.alloca_in(emitter.function, llvm, shape.align);
            unmarked(module, || module.store(value, slot, shape.align));
            if let Some(region) = emitter.region {
                region.slots.borrow_mut()[stmt] = Some(slot);
            }
        }
    }
    for &stmt in &cut.computed {
        emitter.current.set(stmt);
        if let Some(region) = emitter.region {
            region.entered.set(true);
        }
        let value = emitter.op(stmt, &code.stmts[stmt]);
        emitter.values[stmt] = value.map_err(|it| it.at(stmt.as_u32()))?;
        if let Some(region) = emitter.region {
            region.entered.set(false);
            region.computed.borrow_mut().insert(stmt);
        }
    }
    Ok(())
}

/// Emits the function that says which way the first branch of a region goes.
pub(super) fn branch_body(
    mut emitter: Emitter<'_, '_>,
    cut: &Cut,
    branch: &FirstBranch,
) -> Result<(), EmitError> {
    let (code, module) = (emitter.code(), emitter.module());
    let narrow = Cut { defined: BTreeSet::new(), ..cut.clone() };
    emitter.take_params()?;
    module.at_end(module.block(emitter.function));
    enter_region(&mut emitter, &narrow)?;
    let mut before = None;
    for piece in &branch.path {
        let wanted = stmts_of(code, *piece).iter().copied().filter(|it| branch.wanted.contains(it));
        let wanted: Vec<Stmt> =
            wanted.filter(|it| !emitter.region.is_some_and(|region| region.is_computed(*it))).collect();
        // The phis of a block change together.
        let mut phis = Vec::new();
        for &stmt in &wanted {
            let Op::Phi(incoming) = &code.stmts[stmt].op else { continue };
            let Some(&(_, input)) = incoming.iter().find(|it| Some(it.0) == before) else { continue };
            phis.push((stmt, emitter.convert(emitter.operand(input)?, code.stmts[stmt].ty)?));
        }
        for (stmt, value) in phis {
            emitter.values[stmt] = Some(value);
        }
        for stmt in wanted {
            emitter.current.set(stmt);
            if !matches!(code.stmts[stmt].op, Op::Phi(_)) {
                let value = emitter.op(stmt, &code.stmts[stmt]);
                emitter.values[stmt] = value.map_err(|it| it.at(stmt.as_u32()))?;
            }
        }
        before = Some(piece.block);
    }
    let condition = emitter.condition(branch.condition)?;
    module.ret(Some(condition));
    Ok(())
}

/// Emits accesses that are not marked as independent.
fn unmarked<T>(module: &Module, emit: impl FnOnce() -> T) -> T {
    let marked = module.mark_accesses.replace(false);
    let result = emit();
    module.mark_accesses.set(marked);
    result
}

impl Emitter<'_, '_> {
    /// Returns the address of a kept value, or of private memory, in the frame of the item.
    pub(crate) fn place_of(&self, stmt: Stmt) -> Option<Val> {
        let place = self.region?.regions.places.get(&stmt)?;
        self.in_column(place.offset, place.size)
    }

    /// Returns the address of a uniform value in the record.
    fn record_of(&self, stmt: Stmt) -> Option<Val> {
        let region = self.region?;
        let offset = region.regions.recorded.get(&stmt)?;
        Some(self.module().field(region.record, (*offset).into()))
    }

    /// Returns the address of an item's part of a column of its frame.
    pub(super) fn in_column(&self, offset: u32, size: u32) -> Option<Val> {
        let (module, region) = (self.module(), self.region?);
        let column = module.mul(region.items, module.const_i64(offset.into()));
        let row = module.mul(region.item, module.const_i64(size.into()));
        Some(module.gep_bytes(module.gep_bytes(region.frame, column), row))
    }

    /// Returns the columns of meetings of warps.
    pub(super) fn meetings(&self) -> Option<super::Meetings> {
        self.region?.regions.meetings
    }

    /// Emits accesses of the frame.
    pub(super) fn in_frame<T>(&self, emit: impl FnOnce() -> T) -> T {
        let is_separate = self.region.is_some_and(|it| it.regions.separate);
        if is_separate { self.module().within_frames(Frames::Inside, emit) } else { emit() }
    }

    /// Makes copies of the private memory that a region works on, with what the frame has if it was `used` before.
    fn copy_privates(&self, cut: &Cut, used: bool) {
        let (module, Some(region)) = (self.module(), self.region) else { return };
        for (&stmt, accesses) in &region.regions.copied {
            if accesses.is_disjoint(&cut.defined) {
                continue;
            }
            let (Some(place), Some(frame)) = (region.regions.places.get(&stmt), self.place_of(stmt)) else {
                continue;
            };
            let copy = module.alloca_in(self.function, module.array(module.int(8), place.size.into()), 64);
            if used {
                self.in_frame(|| module.copy_memory(copy, frame, place.size.into()));
            }
            region.copies.borrow_mut().insert(stmt, copy);
        }
    }

    /// Stores the copies of private memory in the frame.
    fn return_copies(&self) {
        let (module, Some(region)) = (self.module(), self.region) else { return };
        for &stmt in region.regions.copied.keys() {
            let Some(copy) = region.copies.borrow().get(&stmt).copied() else { continue };
            if let (Some(place), Some(frame)) = (region.regions.places.get(&stmt), self.place_of(stmt)) {
                self.in_frame(|| module.copy_memory(frame, copy, place.size.into()));
            }
        }
    }

    /// Returns the address of private memory: of its copy, or in the frame.
    pub(crate) fn private_place(&self, stmt: Stmt) -> Option<Val> {
        let copy = self.region.and_then(|it| it.copies.borrow().get(&stmt).copied());
        copy.or_else(|| self.place_of(stmt))
    }

    /// Returns the value of a slot, if the statement has one.
    pub(crate) fn kept(&self, stmt: Stmt) -> Result<Option<Value>, EmitError> {
        let Some(slot) = self.region.and_then(|it| it.slots.borrow()[stmt]) else { return Ok(None) };
        let (module, ty) = (self.module(), self.code().stmts[stmt].ty);
        let shape = self.unit.shapes.of(ty)?;
        let Some(llvm) = shape.llvm else { return Ok(None) };
        let value = unmarked(module, || module.load(llvm, slot, shape.align));
        Ok(Some(self.register(ty, value)))
    }

    /// Stores a value that was just defined in its slot, if it has one.
    pub(crate) fn keep(&self, stmt: Stmt) -> Result<(), EmitError> {
        let Some(slot) = self.region.and_then(|it| it.slots.borrow()[stmt]) else { return Ok(()) };
        let (module, ty) = (self.module(), self.code().stmts[stmt].ty);
        let Some(value) = self.values[stmt] else { return Ok(()) };
        let value = self.materialize(self.convert(value, ty)?)?;
        let align = self.unit.shapes.of(ty)?.align;
        unmarked(module, || module.store(value, slot, align));
        Ok(())
    }

    /// Ends an item's run of a region at a barrier: stores what is live after it and may have changed. Returns whether
    /// the statement is one.
    pub(crate) fn end_region(&self, stmt: Stmt) -> Result<bool, EmitError> {
        let Some(region) = self.region else { return Ok(false) };
        if !is_barrier(&self.code().stmts[stmt].op) {
            return Ok(false);
        }
        let next = region.regions.after[&stmt];
        let (cut, entered) = (region.cut, region.regions.cut(next));
        for &live in &entered.kept {
            let is_uniform = entered.uniform.contains(&live);
            // A value may be uniform here, and differ where items come from elsewhere.
            let moves = cut.uniform.contains(&live) && !is_uniform;
            let address = if is_uniform { self.record_of(live) } else { self.place_of(live) };
            let Some(address) =
                address.filter(|_| moves || (is_uniform && region.parts) || cut.defined.contains(&live))
            else {
                continue;
            };
            let ty = self.code().stmts[live].ty;
            let shape = self.unit.shapes.of(ty)?;
            if matches!(shape.form, Form::Float(..)) && self.module().makes(Mistake::LostValue) {
                continue;
            }
            let align = if is_uniform { shape.align.min(16) } else { shape.align };
            let value = self.convert(self.operand(Operand::Stmt(live))?, ty)?;
            let value = self.materialize(value)?;
            self.in_frame(|| self.store_shape(&shape, value, address, align))?;
        }
        self.return_copies();
        if let Some(meeting) = &entered.meeting {
            self.note_meeting(meeting)?;
        }
        self.leave_region(next);
        Ok(true)
    }

    /// Returns the number of the next region. Returns whether a region is being emitted.
    pub(crate) fn leave_region(&self, next: u32) -> bool {
        let Some(region) = self.region else { return false };
        region.outcomes.borrow_mut().insert(next);
        self.module().ret(Some(self.module().const_u32(next)));
        true
    }
}
