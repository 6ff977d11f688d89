//! Extraction of a loop from a lowered body: a new body that starts at the loop's header, takes the variables that
//! the loop reads as arguments, and returns the number of its exit with the variables it assigned. A long loop can
//! thus be compiled while it runs, whatever surrounds it.
//!
//! A *variable* here is a register of the interpreter's frame: a slot, or the used value of a statement. Statement
//! values that are live across the boundary become slots.
//!
//! # Deliberately absent
//! Loops that contain definitions: they are interpreted. A declaration of a variable that is declared does nothing.
//! A loop with a `try` is cut out with all that its handlers do before they end; a loop in a `try` is cut out if it assigns nothing
//! that the handler reads.
//! A loop at top level goes on in the newest world where it says so: there it is left if it runs in an older one.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "singles out the statements it changes; the rest are treated alike"
)]

use super::decode::{NOWHERE, registers_of};
use super::loop_flow::{Flow, Set, forced_exit, open_successors, open_tries, successors};
use kiln_ir::{CodeInfo, CodeMeta, Lowered, LoweredStmt, SlotInfo};
use kiln_types::{Module, Symbol, Types, consts};

/// A loop of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Whether each statement is part of it.
    pub(super) inside: Vec<bool>,
    /// The number of statements.
    pub(super) size: usize,
}

/// Where a loop is left to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    /// The statement at which the body continues.
    pub(super) target: u32,
    /// The registers that the elements of the result go to, after the first; `None`: nowhere.
    pub(super) registers: Vec<Option<u32>>,
}

/// A loop as a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoopBody {
    /// The body. Its arguments are the variables of `inputs`.
    pub(super) code: CodeInfo,
    /// The registers of its arguments: the first is that of the function. Top-level code has none: the first argument
    /// of its loops is no variable, and not among these.
    pub(super) inputs: Vec<u32>,
    /// The registers that it may read and that have no value when it is entered.
    pub(super) undefined: Vec<u32>,
    /// By the number it returns.
    pub(super) exits: Vec<Exit>,
}

/// The loops that the statement `header` is in, the largest first. A loop that cannot be cut out is left away. `handlers` are those
/// of the `try`s around it that run.
pub(super) fn regions(
    code: &CodeInfo,
    (header, handlers): (u32, &[u32]),
    is_declared: &dyn Fn(Module, Symbol) -> bool,
) -> Vec<Region> {
    let preds = predecessors(code);
    let mut found: Vec<Region> = Vec::new();
    for (at, stmt) in code.stmts.iter().enumerate() {
        let (LoweredStmt::Goto(to) | LoweredStmt::GotoIfNot(_, to)) = stmt else { continue };
        if *to as usize > at {
            continue;
        }
        let region = natural_loop(code, &preds, *to as usize);
        if !region.inside[header as usize] {
            continue;
        }
        let Some(region) = with_handlers(code, region, (*to as usize, header as usize)) else { continue };
        if can_be_cut(code, &region, is_declared)
            && !is_seen(code, &region, handlers)
            && !found.contains(&region)
        {
            found.push(region);
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.size));
    found
}

fn predecessors(code: &CodeInfo) -> Vec<Vec<usize>> {
    let mut preds = vec![Vec::new(); code.stmts.len()];
    for (at, stmt) in code.stmts.iter().enumerate() {
        successors(stmt, at, |to| preds[to].push(at));
    }
    preds
}

/// Returns the statements that can reach a jump back to `header` without passing it.
fn natural_loop(code: &CodeInfo, preds: &[Vec<usize>], header: usize) -> Region {
    let mut inside = vec![false; code.stmts.len()];
    inside[header] = true;
    let mut work: Vec<usize> = preds[header].iter().copied().filter(|it| *it >= header).collect();
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut inside[at], true) {
            work.extend(&preds[at]);
        }
    }
    let size = inside.iter().filter(|it| **it).count();
    Region { inside, size }
}

/// Returns a loop with all statements that control comes to while a `try` of the loop, or its handler, is open: it is left where
/// none is. `None` if one is open at `header`, or where it may be left to go on in a newer world.
fn with_handlers(code: &CodeInfo, mut region: Region, (entry, header): (usize, usize)) -> Option<Region> {
    let is_inside =
        |inside: &[bool], token: &Lowered| matches!(token, Lowered::Ssa(it) if inside[*it as usize]);
    if !code.stmts.iter().any(|it| matches!(it, LoweredStmt::Enter(_))) {
        return Some(region);
    }
    loop {
        let open = open_tries(code, entry, &|it| region.inside[it]);
        if open[header].as_ref().is_some_and(|it| !it.is_empty()) {
            return None;
        }
        let mut more = Vec::new();
        for (at, here) in open.iter().enumerate() {
            let Some(here) = here else { continue };
            // The interpreter would go on there without the handler.
            if matches!(code.stmts[at], LoweredStmt::LatestWorld) && !here.is_empty() {
                return None;
            }
            open_successors(code, at, here, |to, there| {
                if region.inside.get(to) == Some(&false) && !there.is_empty() {
                    more.push(to);
                }
            });
        }
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|it| region.inside[it] = true);
    }
    region.size = region.inside.iter().filter(|it| **it).count();
    let inside = code.stmts.iter().zip(&region.inside).filter(|it| *it.1);
    let is_own = inside.map(|it| it.0).all(|it| match it {
        LoweredStmt::Leave(tokens) => tokens.iter().all(|it| is_inside(&region.inside, it)),
        LoweredStmt::PopException(token) => is_inside(&region.inside, token),
        _ => true,
    });
    is_own.then_some(region)
}

/// Whether a loop assigns a variable that one of these handlers reads, which are around it.
fn is_seen(code: &CodeInfo, region: &Region, handlers: &[u32]) -> bool {
    if handlers.is_empty() {
        return false;
    }
    let flow = Flow::new(code);
    let (live, assigned) = (flow.live_in((None, 0), &|_| Vec::new()), flow.assigned(&region.inside));
    handlers.iter().any(|it| live[*it as usize].iter().zip(&assigned).any(|(a, b)| *a && *b))
}

fn can_be_cut(code: &CodeInfo, region: &Region, is_declared: &dyn Fn(Module, Symbol) -> bool) -> bool {
    let inside = code.stmts.iter().zip(&region.inside).filter(|it| *it.1);
    inside.map(|it| it.0).all(|stmt| match stmt {
        LoweredStmt::DeclareGlobal { module, name, value: None, .. } => is_declared(*module, *name),
        _ => !matches!(
            stmt,
            LoweredStmt::GenericFunction(..)
                | LoweredStmt::Method { .. }
                | LoweredStmt::DeclareGlobal { .. }
                | LoweredStmt::TopLevel(_)
        ),
    })
}

/// Extracts `region` from `code`, entered at `header` with the variables of `defined`. `None` if a variable that is
/// live at an exit may have no value there.
pub(super) fn cut(
    code: &CodeInfo,
    region: &Region,
    header: u32,
    defined: &dyn Fn(u32) -> bool,
    (types, is_newest): (&Types, Lowered),
) -> Option<LoopBody> {
    let flow = Flow::new(code);
    let whole = flow.live_in((None, 0), &|_| Vec::new());
    let assigned = flow.assigned(&region.inside);
    let mut targets: Vec<usize> = Vec::new();
    for (at, stmt) in code.stmts.iter().enumerate().filter(|it| region.inside[it.0]) {
        successors(stmt, at, |to| {
            if !region.inside[to] && !targets.contains(&to) {
                targets.push(to);
            }
        });
        if let LoweredStmt::LatestWorld = stmt {
            targets.push(forced_exit(code, at));
        }
    }
    targets.sort_unstable();
    let count = code.stmts.len();
    let needed = |target: usize| -> Set {
        whole[target % count].iter().zip(&assigned).map(|(a, b)| *a && *b).collect()
    };
    let live = flow.live_in((Some(&region.inside), header as usize), &needed);
    let live = &live[header as usize];
    let is_function = |it: u32| it == 0 && code.nargs > 0;
    let inputs =
        (0..flow.variables as u32).filter(|it| is_function(*it) || live[*it as usize] && defined(*it));
    let inputs: Vec<u32> = inputs.collect();
    let undefined =
        (0..flow.variables as u32).filter(|it| live[*it as usize] && !inputs.contains(it)).collect();
    let known = flow.surely_defined(&region.inside, header as usize, &inputs);
    let mut results: Vec<u32> = Vec::new();
    for &target in &targets {
        for var in (0..flow.variables).filter(|it| needed(target)[*it]) {
            if !known.at_exit(target, var) {
                return None;
            }
            if !results.contains(&(var as u32)) {
                results.push(var as u32);
            }
        }
    }
    results.sort_unstable();
    let exit = |target: &usize| Exit {
        target: (*target % count) as u32,
        registers: results.iter().map(|it| known.at_exit(*target, *it as usize).then_some(*it)).collect(),
    };
    let exits: Vec<(usize, Exit)> = targets.iter().map(|it| (*it, exit(it))).collect();
    let promoted: Vec<u32> =
        inputs.iter().chain(&results).copied().filter(|it| *it as usize >= code.slots.len()).collect();
    let code = Writer::new(code, region, &inputs, &promoted).write(header, &exits, (types, is_newest));
    Some(LoopBody { code, inputs, undefined, exits: exits.into_iter().map(|it| it.1).collect() })
}

/// Writes the body of a loop.
struct Writer<'a> {
    old: &'a CodeInfo,
    region: &'a Region,
    registers: Vec<u32>,
    /// The new slot of each variable.
    slots: Vec<Option<u32>>,
    infos: Vec<SlotInfo>,
    nargs: u32,
    /// The new number of each statement.
    numbers: Vec<u32>,
    stmts: Vec<LoweredStmt>,
    locs: Vec<kiln_ir::SourceLoc>,
}

impl<'a> Writer<'a> {
    fn new(old: &'a CodeInfo, region: &'a Region, inputs: &[u32], promoted: &[u32]) -> Self {
        let registers = registers_of(old);
        let count = old.slots.len() + registers.iter().filter(|it| **it != NOWHERE).count();
        let mut slots = vec![None; count];
        let slot = |name| SlotInfo { name, unused: false, single_assignment: false };
        let is_top = old.nargs == 0;
        let mut infos: Vec<SlotInfo> = is_top.then(|| slot(old.name)).into_iter().collect();
        let own = 0..old.slots.len() as u32;
        for var in inputs.iter().copied().chain(own).chain(promoted.iter().copied()) {
            if slots[var as usize].is_none() {
                slots[var as usize] = Some(infos.len() as u32);
                let name = old.slots.get(var as usize).map_or(old.name, |it| it.name);
                infos.push(slot(name));
            }
        }
        let numbers = vec![0; old.stmts.len()];
        let nargs = inputs.len() as u32 + u32::from(is_top);
        Self { old, region, registers, slots, infos, nargs, numbers, stmts: Vec::new(), locs: Vec::new() }
    }

    fn push(&mut self, stmt: LoweredStmt, at: usize) -> u32 {
        self.stmts.push(stmt);
        self.locs.push(self.old.locs.get(at).copied().unwrap_or_default());
        self.stmts.len() as u32 - 1
    }

    fn write(
        mut self,
        header: u32,
        exits: &[(usize, Exit)],
        (types, is_newest): (&Types, Lowered),
    ) -> CodeInfo {
        let entry = header as usize;
        let depth = self.old.stmts[..entry].iter().fold(0i32, |depth, it| match it {
            LoweredStmt::InboundsBegin => depth + 1,
            LoweredStmt::InboundsEnd => (depth - 1).max(0),
            _ => depth,
        });
        if depth > 0 {
            self.push(LoweredStmt::InboundsBegin, entry);
        }
        let start = self.push(LoweredStmt::Goto(0), entry);
        self.copy_region(types, is_newest);
        let ends = self.write_exits(entry, exits, types);
        self.place_targets(start, entry, &ends);
        CodeInfo {
            name: self.old.name,
            module: self.old.module,
            slots: self.infos,
            nargs: self.nargs,
            is_va: false,
            static_params: self.old.static_params.clone(),
            stmts: self.stmts,
            locs: self.locs,
            bodies: Vec::new(),
            meta: CodeMeta::default(),
            loc: self.old.loc,
        }
    }

    fn copy_region(&mut self, types: &Types, is_newest: Lowered) {
        let old = self.old;
        // Targets are old numbers until all statements are placed.
        for (at, stmt) in old.stmts.iter().enumerate().filter(|it| self.region.inside[it.0]) {
            if let LoweredStmt::LatestWorld = stmt {
                let asked = self.push(LoweredStmt::Call([is_newest].into()), at);
                self.numbers[at] = asked;
                self.push(LoweredStmt::GotoIfNot(Lowered::Ssa(asked), forced_exit(old, at) as u32), at);
            } else {
                let copy = match stmt {
                    LoweredStmt::DeclareGlobal { .. } => {
                        LoweredStmt::Value(Lowered::Const(consts::nothing(types)))
                    }
                    other => self.renamed(other),
                };
                self.numbers[at] = self.push(copy, at);
            }
            let register = self.registers[at];
            if let Some(slot) = self.slots.get(register as usize).copied().flatten() {
                self.push(LoweredStmt::SetSlot(slot, Lowered::Ssa(self.numbers[at])), at);
            }
            let falls = !matches!(stmt, LoweredStmt::Goto(_) | LoweredStmt::Return(_));
            if falls && !self.region.inside[at + 1] {
                self.push(LoweredStmt::Goto(at as u32 + 1), at);
            }
        }
    }

    /// One end for each exit: the exit's target and the end's statement.
    fn write_exits(&mut self, entry: usize, exits: &[(usize, Exit)], types: &Types) -> Vec<(u32, u32)> {
        let mut ends = Vec::new();
        for (number, (target, exit)) in exits.iter().enumerate() {
            let number = Lowered::Const(consts::int(types, number as i64));
            let mut call = vec![Lowered::Global(Module::CORE, types.symbol("tuple")), number];
            for register in &exit.registers {
                let slot = register.and_then(|it| self.slots[it as usize]);
                call.push(slot.map_or(Lowered::Const(consts::int(types, 0)), Lowered::Slot));
            }
            let made = self.push(LoweredStmt::Call(call.into()), entry);
            self.push(LoweredStmt::Return(Lowered::Ssa(made)), entry);
            ends.push((*target as u32, made));
        }
        ends
    }

    fn place_targets(&mut self, start: u32, entry: usize, ends: &[(u32, u32)]) {
        let (numbers, inside) = (std::mem::take(&mut self.numbers), &self.region.inside);
        let place = |to: u32| match ends.iter().find(|it| it.0 == to) {
            Some((_, end)) if inside.get(to as usize) != Some(&true) => *end,
            _ => numbers[to as usize],
        };
        for stmt in &mut self.stmts {
            if let LoweredStmt::Goto(to) | LoweredStmt::GotoIfNot(_, to) | LoweredStmt::Enter(to) = stmt {
                *to = place(*to);
            }
        }
        self.stmts[start as usize] = LoweredStmt::Goto(numbers[entry]);
    }

    /// The statement with new slots and values.
    fn renamed(&self, stmt: &LoweredStmt) -> LoweredStmt {
        let slot = |old: u32| self.slots[old as usize].unwrap_or(old);
        let operand = |it: &Lowered| match *it {
            Lowered::Slot(old) => Lowered::Slot(slot(old)),
            Lowered::Ssa(at) => match self.slots[self.registers[at as usize] as usize] {
                Some(slot) => Lowered::Slot(slot),
                None => Lowered::Ssa(self.numbers[at as usize]),
            },
            Lowered::Const(_) | Lowered::Global(..) | Lowered::StaticParam(_) => *it,
        };
        let token = |it: &Lowered| match *it {
            Lowered::Ssa(at) => Lowered::Ssa(self.numbers[at as usize]),
            _ => *it,
        };
        match stmt {
            LoweredStmt::Leave(tokens) => LoweredStmt::Leave(tokens.iter().map(token).collect()),
            LoweredStmt::PopException(it) => LoweredStmt::PopException(token(it)),
            LoweredStmt::Value(it) => LoweredStmt::Value(operand(it)),
            LoweredStmt::SetSlot(to, it) => LoweredStmt::SetSlot(slot(*to), operand(it)),
            LoweredStmt::NewVar(it) => LoweredStmt::NewVar(slot(*it)),
            LoweredStmt::Call(args) => LoweredStmt::Call(args.iter().map(operand).collect()),
            LoweredStmt::New(args) => LoweredStmt::New(args.iter().map(operand).collect()),
            LoweredStmt::SplatNew(ty, args) => LoweredStmt::SplatNew(operand(ty), operand(args)),
            LoweredStmt::IsDefined(it) => LoweredStmt::IsDefined(operand(it)),
            LoweredStmt::GotoIfNot(it, to) => LoweredStmt::GotoIfNot(operand(it), *to),
            LoweredStmt::Return(it) => LoweredStmt::Return(operand(it)),
            other => other.clone(),
        }
    }
}
