//! One body under construction: statements with provisional numbers, labels, slots.

use crate::hir::{Exit, LambdaId, Scratch, Temp, VarId};
use kiln_ir::{CodeInfo, CodeMeta, Lowered, LoweredStmt, SlotInfo, SourceLoc};
use kiln_types::{Const, Module, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place to jump to, before statements have their final numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Label(pub(super) u32);

/// A statement or a label. Operands `Ssa` hold the `value` numbers and jumps the label numbers.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Label(Label),
    Stmt { value: u32, stmt: LoweredStmt, loc: SourceLoc },
}

/// The statements that leaving a place takes.
#[derive(Clone, Debug)]
pub(super) enum Handler {
    /// Inside a `try` with this token.
    Try(Lowered),
    /// Inside its `catch`.
    Catch(Lowered),
    /// Inside a `try` with a `finally`: leaving runs it.
    Finally(Finally),
}

/// A `finally` being entered from several places.
#[derive(Clone, Debug)]
pub(super) struct Finally {
    pub(super) token: Lowered,
    pub(super) label: Label,
    /// Selects the continuation after the `finally`: 0 after the `try`, -1 rethrow, `n` exit `n - 1`.
    pub(super) tag: u32,
    pub(super) result: u32,
    pub(super) exits: Vec<Leaving>,
}

/// Why control leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// With the value in the `finally`'s result slot.
    Return,
    /// To a label at this depth of handlers.
    Jump(Label, usize),
}

/// The access to a variable of an outer function.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureField {
    pub(super) self_slot: u32,
    pub(super) field: Symbol,
}

/// A body.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) lambda: LambdaId,
    pub(super) items: Vec<Item>,
    pub(super) slots: Vec<SlotInfo>,
    pub(super) nested: Vec<CodeInfo>,
    pub(super) var_slots: FxHashMap<VarId, u32>,
    pub(super) captured: FxHashMap<VarId, CaptureField>,
    pub(super) static_params: Vec<VarId>,
    pub(super) temps: FxHashMap<Temp, Lowered>,
    pub(super) scratch: FxHashMap<Scratch, u32>,
    pub(super) exits: FxHashMap<Exit, (Label, usize)>,
    pub(super) user_labels: FxHashMap<Symbol, (Label, usize)>,
    pub(super) handlers: Vec<Handler>,
    pub(super) ret: Option<Lowered>,
    pub(super) loops: u32,
    next_value: u32,
    next_label: u32,
    unreachable: bool,
    jumped: FxHashSet<Label>,
}

/// The facts of a finished body besides its statements.
#[derive(Debug)]
pub(super) struct BodyFacts {
    pub(super) name: Symbol,
    pub(super) module: Module,
    pub(super) nargs: u32,
    pub(super) is_va: bool,
    pub(super) static_params: Vec<Symbol>,
    pub(super) meta: CodeMeta,
    pub(super) loc: SourceLoc,
    /// For operands that no path computes.
    pub(super) nothing: Const,
}

impl Body {
    pub(super) fn new(lambda: LambdaId) -> Self {
        Self {
            lambda,
            items: Vec::new(),
            slots: Vec::new(),
            nested: Vec::new(),
            var_slots: FxHashMap::default(),
            captured: FxHashMap::default(),
            static_params: Vec::new(),
            temps: FxHashMap::default(),
            scratch: FxHashMap::default(),
            exits: FxHashMap::default(),
            user_labels: FxHashMap::default(),
            handlers: Vec::new(),
            ret: None,
            loops: 0,
            next_value: 0,
            next_label: 0,
            unreachable: false,
            jumped: FxHashSet::default(),
        }
    }

    /// Appends a statement, unless nothing gets here.
    pub(super) fn push(&mut self, stmt: LoweredStmt, loc: SourceLoc) -> Lowered {
        let value = self.next_value;
        self.next_value += 1;
        if self.unreachable {
            return Lowered::Ssa(value);
        }
        match &stmt {
            LoweredStmt::Goto(label) => {
                self.jumped.insert(Label(*label));
                self.unreachable = true;
            }
            LoweredStmt::GotoIfNot(_, label) | LoweredStmt::Enter(label) => {
                self.jumped.insert(Label(*label));
            }
            LoweredStmt::Return(_) => self.unreachable = true,
            LoweredStmt::Value(_)
            | LoweredStmt::SetSlot(..)
            | LoweredStmt::NewVar(_)
            | LoweredStmt::Call(_)
            | LoweredStmt::New(_)
            | LoweredStmt::SplatNew(..)
            | LoweredStmt::IsDefined(_)
            | LoweredStmt::Leave(_)
            | LoweredStmt::TheException
            | LoweredStmt::PopException(_)
            | LoweredStmt::BoundsCheck
            | LoweredStmt::InboundsBegin
            | LoweredStmt::InboundsEnd
            | LoweredStmt::LoopInfo(_)
            | LoweredStmt::CopyAst(_)
            | LoweredStmt::GenericFunction(..)
            | LoweredStmt::Method { .. }
            | LoweredStmt::DeclareGlobal { .. }
            | LoweredStmt::LatestWorld
            | LoweredStmt::TopLevel(_) => {}
        }
        self.items.push(Item::Stmt { value, stmt, loc });
        Lowered::Ssa(value)
    }

    pub(super) fn goto(&mut self, label: Label, loc: SourceLoc) {
        self.push(LoweredStmt::Goto(label.0), loc);
    }

    pub(super) fn label(&mut self) -> Label {
        self.next_label += 1;
        Label(self.next_label)
    }

    /// Puts a label here. One that nothing jumps to yet keeps dead code dead.
    pub(super) fn place(&mut self, label: Label) {
        self.unreachable &= !self.jumped.contains(&label);
        self.items.push(Item::Label(label));
    }

    /// Puts a label here that may be jumped to from anywhere.
    pub(super) fn place_reachable(&mut self, label: Label) {
        self.unreachable = false;
        self.items.push(Item::Label(label));
    }

    pub(super) fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    /// Swaps the statements with others that belong to the same body but go elsewhere in it.
    pub(super) fn swap_items(&mut self, items: &mut Vec<Item>, unreachable: &mut bool) {
        std::mem::swap(&mut self.items, items);
        std::mem::swap(&mut self.unreachable, unreachable);
    }

    pub(super) fn new_slot(&mut self, name: Symbol, single_assignment: bool) -> u32 {
        self.slots.push(SlotInfo { name, unused: false, single_assignment });
        (self.slots.len() - 1) as u32
    }

    /// Numbers the statements and makes sure that the last one does not fall through.
    pub(super) fn finish(mut self, facts: BodyFacts) -> CodeInfo {
        if !self.unreachable {
            self.push(LoweredStmt::Return(Lowered::Const(facts.nothing)), facts.loc);
        }
        let mut values: FxHashMap<u32, u32> = FxHashMap::default();
        let mut labels: FxHashMap<u32, u32> = FxHashMap::default();
        let mut count = 0;
        for item in &self.items {
            match item {
                Item::Label(label) => {
                    labels.insert(label.0, count);
                }
                Item::Stmt { value, .. } => {
                    values.insert(*value, count);
                    count += 1;
                }
            }
        }
        let mut stmts = Vec::with_capacity(count as usize);
        let mut locs = Vec::with_capacity(count as usize);
        let mut read = vec![false; self.slots.len()];
        for item in self.items {
            let Item::Stmt { mut stmt, loc, .. } = item else { continue };
            stmt.each_operand_mut(|operand| match *operand {
                Lowered::Ssa(value) => {
                    *operand = match values.get(&value) {
                        Some(&number) => Lowered::Ssa(number),
                        None => Lowered::Const(facts.nothing),
                    };
                }
                Lowered::Slot(slot) => read[slot as usize] = true,
                Lowered::Const(_) | Lowered::Global(..) | Lowered::StaticParam(_) => {}
            });
            if let Some(target) = jump_target(&mut stmt) {
                *target = labels.get(target).copied().unwrap_or(0);
            }
            stmts.push(stmt);
            locs.push(loc);
        }
        for (slot, read) in self.slots.iter_mut().zip(read) {
            slot.unused = !read;
        }
        CodeInfo {
            name: facts.name,
            module: facts.module,
            slots: self.slots,
            nargs: facts.nargs,
            is_va: facts.is_va,
            static_params: facts.static_params,
            stmts,
            locs,
            bodies: self.nested,
            meta: facts.meta,
            loc: facts.loc,
        }
    }
}

fn jump_target(stmt: &mut LoweredStmt) -> Option<&mut u32> {
    match stmt {
        LoweredStmt::Goto(target) | LoweredStmt::GotoIfNot(_, target) | LoweredStmt::Enter(target) => {
            Some(target)
        }
        LoweredStmt::Value(_)
        | LoweredStmt::SetSlot(..)
        | LoweredStmt::NewVar(_)
        | LoweredStmt::Call(_)
        | LoweredStmt::New(_)
        | LoweredStmt::SplatNew(..)
        | LoweredStmt::IsDefined(_)
        | LoweredStmt::Return(_)
        | LoweredStmt::Leave(_)
        | LoweredStmt::TheException
        | LoweredStmt::PopException(_)
        | LoweredStmt::BoundsCheck
        | LoweredStmt::InboundsBegin
        | LoweredStmt::InboundsEnd
        | LoweredStmt::LoopInfo(_)
        | LoweredStmt::CopyAst(_)
        | LoweredStmt::GenericFunction(..)
        | LoweredStmt::Method { .. }
        | LoweredStmt::DeclareGlobal { .. }
        | LoweredStmt::LatestWorld
        | LoweredStmt::TopLevel(_) => None,
    }
}
