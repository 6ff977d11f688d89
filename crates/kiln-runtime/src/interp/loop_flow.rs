//! Data flow over the statements of a lowered body: which variables are needed, and which have a value.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "singles out the statements it changes; the rest are treated alike"
)]

use super::decode::{NOWHERE, registers_of};
use kiln_ir::{CodeInfo, Lowered, LoweredStmt};
use std::collections::BTreeSet;

/// A set of variables.
pub(super) type Set = Vec<bool>;

/// Calls `visit` on the statements that may follow the one at `at`.
pub(super) fn successors(stmt: &LoweredStmt, at: usize, mut visit: impl FnMut(usize)) {
    match stmt {
        LoweredStmt::Goto(to) => visit(*to as usize),
        LoweredStmt::GotoIfNot(_, to) | LoweredStmt::Enter(to) => {
            visit(at + 1);
            visit(*to as usize);
        }
        LoweredStmt::Return(_) => {}
        _ => visit(at + 1),
    }
}

/// The `try`s that are open at a statement, by their `Enter`s: those around it, and those whose handler it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    tries: BTreeSet<usize>,
    handlers: BTreeSet<usize>,
}

impl Open {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.tries.is_empty() && self.handlers.is_empty()
    }

    fn join(&mut self, other: &Self) -> bool {
        let before = (self.tries.len(), self.handlers.len());
        self.tries.extend(&other.tries);
        self.handlers.extend(&other.handlers);
        before != (self.tries.len(), self.handlers.len())
    }
}

/// Calls `visit` on the statements that may follow the one at `at`, each with the `try`s that are open there.
pub(super) fn open_successors(code: &CodeInfo, at: usize, open: &Open, mut visit: impl FnMut(usize, Open)) {
    let (stmt, mut after) = (&code.stmts[at], open.clone());
    match stmt {
        LoweredStmt::GotoIfNot(Lowered::Ssa(cond), to) => {
            visit(at + 1, after.clone());
            if returns_at_once(code, at + 1) {
                after.handlers.retain(|it| !tests_thrown(code, *it, *cond as usize));
            }
            return visit(*to as usize, after);
        }
        LoweredStmt::Enter(to) => {
            let mut handler = open.clone();
            handler.handlers.insert(at);
            visit(*to as usize, handler);
            after.tries.insert(at);
            return visit(at + 1, after);
        }
        LoweredStmt::Leave(tokens) => tokens.iter().for_each(|it| {
            if let Lowered::Ssa(enter) = it {
                after.tries.remove(&(*enter as usize));
            }
        }),
        LoweredStmt::PopException(Lowered::Ssa(enter)) => {
            after.handlers.retain(|it| *it < *enter as usize);
        }
        _ => {}
    }
    successors(stmt, at, |to| visit(to, after.clone()));
}

/// Whether control returns from a statement on without a jump, and without the end of a handler: so a `finally` ends after an
/// exception, which it throws again.
fn returns_at_once(code: &CodeInfo, from: usize) -> bool {
    let rest = code.stmts.get(from..).unwrap_or_default().iter();
    let mut rest = rest.skip_while(|it| matches!(it, LoweredStmt::Value(_) | LoweredStmt::Call(_)));
    matches!(rest.next(), Some(LoweredStmt::Return(_)))
}

/// Whether a condition is that the `finally` of an `Enter` was come to by an exception: its handler sets a variable to a constant,
/// which the condition asks for. Else no exception is being handled.
fn tests_thrown(code: &CodeInfo, enter: usize, cond: usize) -> bool {
    let LoweredStmt::Enter(handler) = code.stmts[enter] else { return false };
    let LoweredStmt::SetSlot(tag, thrown @ Lowered::Const(_)) = code.stmts[handler as usize] else {
        return false;
    };
    let LoweredStmt::Call(call) = &code.stmts[cond] else { return false };
    matches!(call[..], [_, Lowered::Slot(it), value] if it == tag && value == thrown)
}

/// Returns the `try`s that are open at each statement of `inside` that is reached from `start`, where none is.
pub(super) fn open_tries(code: &CodeInfo, start: usize, inside: &dyn Fn(usize) -> bool) -> Vec<Option<Open>> {
    let mut open: Vec<Option<Open>> = vec![None; code.stmts.len()];
    open[start] = Some(Open::default());
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        let Some(here) = open[at].clone() else { continue };
        open_successors(code, at, &here, |to, there| {
            if to >= open.len() || !inside(to) {
                return;
            }
            let changed = match &mut open[to] {
                Some(known) => known.join(&there),
                unknown => {
                    *unknown = Some(there);
                    true
                }
            };
            if changed {
                work.push(to);
            }
        });
    }
    open
}

/// The number by which a loop names that it is left at a statement of its own, to go on in a newer world.
pub(super) fn forced_exit(code: &CodeInfo, at: usize) -> usize {
    code.stmts.len() + at
}

/// The reads and writes of each statement.
pub(super) struct Flow<'a> {
    code: &'a CodeInfo,
    uses: Vec<Vec<u32>>,
    defs: Vec<Vec<u32>>,
    /// Makes a slot undefined.
    clears: Vec<Option<u32>>,
    /// The number of variables.
    pub(super) variables: usize,
}

/// Variables that have a value on every way.
pub(super) struct Defined {
    /// At the end of the loop, by the statement after it.
    exits: Vec<(usize, Set)>,
}

impl Defined {
    /// Whether the variable has a value wherever the loop is left to `target`.
    pub(super) fn at_exit(&self, target: usize, variable: usize) -> bool {
        self.exits.iter().any(|(at, set)| *at == target && set[variable])
    }
}

impl<'a> Flow<'a> {
    pub(super) fn new(code: &'a CodeInfo) -> Self {
        let registers = registers_of(code);
        let used = registers.iter().filter(|it| **it != NOWHERE).count();
        let mut flow = Self {
            code,
            uses: Vec::new(),
            defs: Vec::new(),
            clears: Vec::new(),
            variables: code.slots.len() + used,
        };
        for (at, stmt) in code.stmts.iter().enumerate() {
            let mut uses = Vec::new();
            stmt.each_operand(|it| match it {
                Lowered::Slot(slot) => uses.push(slot),
                Lowered::Ssa(value) => uses.push(registers[value as usize]),
                Lowered::Const(_) | Lowered::Global(..) | Lowered::StaticParam(_) => {}
            });
            let mut defs = Vec::new();
            if let LoweredStmt::SetSlot(slot, _) = stmt {
                defs.push(*slot);
            }
            if registers[at] != NOWHERE {
                defs.push(registers[at]);
            }
            flow.uses.push(uses);
            flow.defs.push(defs);
            flow.clears.push(if let LoweredStmt::NewVar(slot) = stmt { Some(*slot) } else { None });
        }
        flow
    }

    /// Returns the variables that statements of the region assign.
    pub(super) fn assigned(&self, inside: &[bool]) -> Set {
        let mut set = vec![false; self.variables];
        for at in (0..inside.len()).filter(|it| inside[*it]) {
            for var in self.defs[at].iter().chain(&self.clears[at]) {
                set[*var as usize] = true;
            }
        }
        set
    }

    /// Returns the variables that are live at the start of each statement, within `region` if one is given, which is entered at
    /// `start`; `outside` gives those live where it is left to.
    pub(super) fn live_in(
        &self,
        (region, start): (Option<&[bool]>, usize),
        outside: &dyn Fn(usize) -> Set,
    ) -> Vec<Set> {
        let count = self.code.stmts.len();
        let mut live: Vec<Set> = vec![vec![false; self.variables]; count];
        let inside = |at: usize| region.is_none_or(|it| it[at]);
        for at in (0..count).filter(|it| !inside(*it)) {
            live[at] = outside(at);
        }
        let open = open_tries(self.code, start, &inside);
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev().filter(|it| inside(*it)) {
                let mut set = vec![false; self.variables];
                let mut add = |other: &Set| set.iter_mut().zip(other).for_each(|(a, b)| *a |= *b);
                successors(&self.code.stmts[at], at, |to| {
                    if let Some(after) = live.get(to) {
                        add(after);
                    }
                });
                if region.is_some() && matches!(self.code.stmts[at], LoweredStmt::LatestWorld) {
                    add(&outside(forced_exit(self.code, at)));
                }
                self.defs[at].iter().chain(&self.clears[at]).for_each(|it| set[*it as usize] = false);
                // An exception may lead from anywhere in a `try` to its handler.
                for enter in open[at].iter().flat_map(|it| &it.tries) {
                    if let Some(handler) = handler(&self.code.stmts[*enter]) {
                        set.iter_mut().zip(&live[handler]).for_each(|(a, b)| *a |= *b);
                    }
                }
                self.uses[at].iter().for_each(|it| set[*it as usize] = true);
                changed |= set != live[at];
                live[at] = set;
            }
        }
        live
    }

    /// Returns the variables that definitely have a value at the exits of the region, entered at `header` with
    /// `inputs`.
    pub(super) fn surely_defined(&self, inside: &[bool], header: usize, inputs: &[u32]) -> Defined {
        let count = self.code.stmts.len();
        let mut at_start: Vec<Option<Set>> = vec![None; count];
        let mut first = vec![false; self.variables];
        inputs.iter().for_each(|it| first[*it as usize] = true);
        at_start[header] = Some(first);
        let open = open_tries(self.code, header, &|it| inside[it]);
        let cleared_in = |enter: usize| {
            let within = |at: &usize| open[*at].as_ref().is_some_and(|it| it.tries.contains(&enter));
            (0..count).filter(within).flat_map(|at| self.clears[at]).collect::<Vec<u32>>()
        };
        let mut work = vec![header];
        let mut exits: Vec<(usize, Set)> = Vec::new();
        while let Some(at) = work.pop() {
            let Some(mut set) = at_start[at].clone() else { continue };
            if let LoweredStmt::LatestWorld = self.code.stmts[at] {
                leave(&mut exits, forced_exit(self.code, at), &set);
            }
            self.clears[at].iter().for_each(|it| set[*it as usize] = false);
            self.defs[at].iter().for_each(|it| set[*it as usize] = true);
            let handler = handler(&self.code.stmts[at]);
            successors(&self.code.stmts[at], at, |to| {
                if !inside[to] {
                    return leave(&mut exits, to, &set);
                }
                let mut set = set.clone();
                if handler == Some(to) {
                    cleared_in(at).into_iter().for_each(|it| set[it as usize] = false);
                }
                let changed = match &mut at_start[to] {
                    Some(known) => meet(known, &set),
                    unknown => {
                        *unknown = Some(set.clone());
                        true
                    }
                };
                if changed {
                    work.push(to);
                }
            });
        }
        Defined { exits }
    }
}

fn handler(stmt: &LoweredStmt) -> Option<usize> {
    if let LoweredStmt::Enter(target) = stmt { Some(*target as usize) } else { None }
}

/// The region is left to `to`, where the variables of `set` have a value.
fn leave(exits: &mut Vec<(usize, Set)>, to: usize, set: &Set) {
    match exits.iter_mut().find(|it| it.0 == to) {
        Some((_, known)) => _ = meet(known, set),
        None => exits.push((to, set.clone())),
    }
}

/// Intersects `known` with `other`; returns whether it shrank.
fn meet(known: &mut Set, other: &Set) -> bool {
    let mut changed = false;
    for (a, b) in known.iter_mut().zip(other) {
        changed |= *a && !*b;
        *a &= *b;
    }
    changed
}
