//! Reading and writing variables, with the phis this needs.

use super::emit::{SsaBuilder, Var};
use crate::abstract_interp::InferenceState;
use kiln_ir::{Block, IrCode, LoweredStmt, Op, SourceLoc, Stmt, StmtData, Value};
use kiln_types::{Type, consts, intersect};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

impl SsaBuilder<'_> {
    /// Sets the value of a variable; `None` makes it undefined.
    pub(super) fn write(&mut self, var: Var, value: Option<Value>) {
        let block = self.frame.blocks.block_of(self.pc);
        self.exits[block as usize].insert(var, value);
    }

    /// Returns the current value of a variable; `None` if it is undefined.
    pub(super) fn read(&mut self, var: Var) -> Option<Value> {
        self.read_in(self.frame.blocks.block_of(self.pc), var)
    }

    fn read_in(&mut self, block: u32, var: Var) -> Option<Value> {
        if let Some(&value) = self.exits[block as usize].get(&var) {
            return value;
        }
        let predecessors = self.predecessors[block as usize].clone();
        let value = match &predecessors[..] {
            [None] => self.initial(var),
            // A predecessor with a higher number is a back edge, and not the only edge unless the block is
            // unreachable.
            [Some(only)] if *only < block => self.read_in(*only, var),
            _ => {
                let phi = self.new_phi(block, var);
                self.incomplete.push((block, var, phi));
                Some(Value::Stmt(phi))
            }
        };
        self.exits[block as usize].insert(var, value);
        value
    }

    /// Adds a `PhiC` to each handler for each variable that is assigned in its `try`.
    pub(super) fn make_handlers(&mut self, reachable: &[u32]) {
        if !self.frame.has_handlers {
            return;
        }
        let frame = self.frame;
        let mut assigned: BTreeMap<u32, BTreeSet<Var>> = BTreeMap::new();
        for &block in reachable {
            let mut around = frame.handlers[block as usize].clone();
            for pc in frame.blocks.range(block) {
                match &frame.code.stmts[pc] {
                    LoweredStmt::SetSlot(slot, _) | LoweredStmt::NewVar(slot) => {
                        for enter in &around {
                            assigned.entry(*enter).or_default().extend([*slot as usize, self.flag(*slot)]);
                        }
                    }
                    LoweredStmt::Leave(tokens) => {
                        around.truncate(around.len().saturating_sub(tokens.len()));
                    }
                    _ => {} // assigns nothing
                }
            }
        }
        for (enter, vars) in assigned {
            let LoweredStmt::Enter(target) = frame.code.stmts[enter as usize] else { continue };
            let handler = frame.blocks.block_of(target as usize);
            for var in vars {
                let made = self.new_merge(handler, var, Op::PhiC(Vec::new()));
                self.exits[handler as usize].insert(var, Some(Value::Stmt(made)));
                self.kept.entry(enter).or_default().push((var, made));
            }
        }
    }

    /// Keeps the value of a variable for the handlers of all `try`s around the current statement.
    pub(super) fn keep(&mut self, var: Var, value: Value) {
        if self.kept.is_empty() {
            return;
        }
        let around = handlers_at(self.frame, self.pc);
        for enter in around {
            self.keep_for(enter, var, value);
        }
    }

    /// Keeps the values of all variables that are assigned in a `try`, where it begins.
    pub(super) fn keep_all(&mut self, enter: u32) {
        let vars: Vec<Var> = self.kept.get(&enter).into_iter().flatten().map(|it| it.0).collect();
        for var in vars {
            let Some(value) = self.read(var) else { continue };
            // Branches before may have told more of it, and the handler relies on that.
            let known = self.known_type(var);
            if known.as_ref().is_none_or(|it| !it.is_bottom(self.types())) {
                let value = known.map_or(value, |it| self.narrowed(value, &it));
                self.keep_for(enter, var, value);
            }
        }
    }

    fn keep_for(&mut self, enter: u32, var: Var, value: Value) {
        let of_enter = self.kept.get(&enter).into_iter().flatten();
        let Some(phi) = of_enter.filter(|it| it.0 == var).map(|it| it.1).next() else { return };
        let ty = self.type_of(value);
        let upsilon = self.push(Op::Upsilon(value), ty);
        if let Op::PhiC(kept) = &mut self.code.stmts[phi].op {
            kept.push(Value::Stmt(upsilon));
        }
    }

    fn initial(&self, var: Var) -> Option<Value> {
        let slots = self.frame.code.slots.len();
        let args = self.frame.args.len();
        if var >= slots {
            let defined = var - slots < args;
            return Some(Value::Const(consts::bool(self.types(), defined)));
        }
        (var < args).then_some(Value::Arg(var as u32))
    }

    fn var_type(&self, block: u32, var: Var) -> Type {
        let slots = self.frame.code.slots.len();
        if var >= slots {
            return self.types().core().bool;
        }
        match &self.frame.entry[block as usize] {
            Some(state) => state[var].ty.widenconst(self.types()),
            None => self.types().core().bottom,
        }
    }

    /// Adds a phi at the start of a block.
    fn new_phi(&mut self, block: u32, var: Var) -> Stmt {
        self.new_merge(block, var, Op::Phi(Vec::new()))
    }

    fn new_merge(&mut self, block: u32, var: Var, op: Op) -> Stmt {
        let ty = self.var_type(block, var);
        let data = StmtData { op, ty, loc: SourceLoc::NONE, inlined: 0, inbounds: false };
        let phi = self.code.push(data);
        let first = self.first_of(block).expect("the block can be reached");
        self.code.blocks[first].stmts.insert(0, phi);
        phi
    }

    /// Completes the operands of all phis, which may add further ones.
    pub(super) fn complete_phis(&mut self) {
        while let Some((block, var, phi)) = self.incomplete.pop() {
            let ty = self.code.stmts[phi].ty;
            let mut incoming = Vec::new();
            for predecessor in self.predecessors[block as usize].clone() {
                let (from, value) = match predecessor {
                    None => (Block::from_u32(0), self.initial(var)),
                    Some(it) => {
                        let (_, from) = self.ends[it as usize].expect("the predecessor can be reached");
                        (from, self.read_in(it, var))
                    }
                };
                if let Some(value) = value {
                    let value = self.narrowed_at_end(from, value, ty);
                    incoming.push((from, value));
                }
            }
            self.code.stmts[phi].op = Op::Phi(incoming);
        }
    }

    /// Narrows a value to the phi's type, which the branch at the end of the block has proved.
    fn narrowed_at_end(&mut self, block: Block, value: Value, ty: Type) -> Value {
        let types = self.types();
        let own = self.type_of(value);
        if own == ty || types.subtype(own, ty) {
            return value;
        }
        if let Value::Const(_) = value {
            return value;
        }
        let met = intersect::meet(types, own, ty);
        if met == types.core().bottom {
            return value;
        }
        let data = StmtData { op: Op::Pi(value), ty: met, loc: SourceLoc::NONE, inlined: 0, inbounds: false };
        let pi = self.code.push(data);
        let stmts = &mut self.code.blocks[block].stmts;
        let end = stmts.len() - 1;
        stmts.insert(end, pi);
        Value::Stmt(pi)
    }
}

/// The `Enter`s around a statement, the innermost last.
fn handlers_at(frame: &InferenceState, pc: usize) -> Vec<u32> {
    let block = frame.blocks.block_of(pc);
    let mut around = frame.handlers[block as usize].clone();
    for stmt in &frame.code.stmts[frame.blocks.range(block).start..pc] {
        if let LoweredStmt::Leave(tokens) = stmt {
            around.truncate(around.len().saturating_sub(tokens.len()));
        }
    }
    around
}

/// Replaces each phi of a single value (besides itself) by that value, until none is left. A phi without operands is
/// never read.
pub(super) fn remove_trivial(mut code: IrCode) -> IrCode {
    let cfg = kiln_ir::Cfg::new(&code);
    loop {
        let mut replaced: FxHashMap<Stmt, Value> = FxHashMap::default();
        let blocks = code.blocks.iter();
        let phis: Vec<(Block, Stmt)> =
            blocks.flat_map(|(block, it)| it.stmts.iter().map(move |stmt| (block, *stmt))).collect();
        for (block, stmt) in phis {
            let Op::Phi(incoming) = &code.stmts[stmt].op else { continue };
            // The value need not dominate the phi if an edge has none.
            let whole = incoming.len() == cfg.predecessors[block].len();
            if !whole && incoming.iter().any(|it| matches!(it.1, Value::Stmt(_))) {
                continue;
            }
            let mut others = incoming.iter().map(|it| it.1).filter(|&it| it != Value::Stmt(stmt));
            if let Some(first) = others.next()
                && others.all(|it| it == first)
                && !matches!(first, Value::Stmt(it) if replaced.contains_key(&it))
                && is_same_type(&code, stmt, first)
            {
                replaced.insert(stmt, first);
            }
        }
        if replaced.is_empty() {
            return drop_unused(code);
        }
        for (stmt, data) in &mut code.stmts {
            if replaced.contains_key(&stmt) {
                data.op = Op::Nop;
            }
            data.op.each_operand_mut(|value| {
                while let Value::Stmt(it) = value
                    && let Some(&with) = replaced.get(it)
                {
                    *value = with;
                }
            });
        }
    }
}

/// Whether the value has the phi's type; replacing it would change the type at its uses otherwise.
fn is_same_type(code: &IrCode, phi: Stmt, value: Value) -> bool {
    match value {
        Value::Stmt(it) => code.stmts[it].ty == code.stmts[phi].ty,
        Value::Arg(n) => code.args[n as usize] == code.stmts[phi].ty,
        Value::Const(_) => true,
    }
}

/// Removes phis that only phis use.
fn drop_unused(mut code: IrCode) -> IrCode {
    let mut live = vec![false; code.stmts.len()];
    let mut work = Vec::new();
    for (stmt, data) in &code.stmts {
        if !matches!(data.op, Op::Phi(_) | Op::Nop) {
            mark(&code.stmts[stmt].op, &mut live, &mut work);
        }
    }
    while let Some(stmt) = work.pop() {
        mark(&code.stmts[stmt].op, &mut live, &mut work);
    }
    let dead: Vec<Stmt> = code
        .stmts
        .iter()
        .filter(|(stmt, data)| matches!(data.op, Op::Phi(_)) && !live[stmt.as_u32() as usize])
        .map(|it| it.0)
        .collect();
    for stmt in dead {
        code.stmts[stmt].op = Op::Nop;
    }
    // The verifier wants phis first: removes `Nop`s before them.
    for block in code.blocks.values_mut() {
        block.stmts.retain(|&it| !matches!(code.stmts[it].op, Op::Nop));
    }
    code
}

fn mark(op: &Op, live: &mut [bool], work: &mut Vec<Stmt>) {
    op.each_operand(|value| {
        if let Value::Stmt(it) = value
            && !live[it.as_u32() as usize]
        {
            live[it.as_u32() as usize] = true;
            work.push(it);
        }
    });
}
