//! SSA construction: emission of a body, block by block.

use crate::abstract_interp::{InferenceState, VarState, VarTable};
use crate::lattice::{Lattice, field, le};
use kiln_ir::{
    Block, BlockData, Builtin, InlinedAt, IrCode, Lowered, LoweredStmt, Op, SourceLoc, Stmt, StmtData,
    Undefined, Value,
};
use kiln_runtime::Runtime;
use kiln_types::{Type, TypeData, Types, consts, datatype, intersect, typevar};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A variable: a slot, or (shifted by the number of slots) its definedness flag.
pub(crate) type Var = usize;

/// Marks the end of the current block: no later statement runs.
pub(crate) struct Ended;

/// The builder of one body. See the [module](self).
pub(crate) struct SsaBuilder<'a> {
    pub(super) rt: &'a Runtime,
    pub(super) frame: &'a InferenceState,
    pub(super) code: IrCode,
    /// The first and the last block of each reachable lowered block.
    pub(super) ends: Vec<Option<(Block, Block)>>,
    /// The lowered predecessors of each lowered block; `None` is the function's entry.
    pub(super) predecessors: Vec<Vec<Option<u32>>>,
    /// The value of each variable at the end of each lowered block.
    pub(super) exits: Vec<FxHashMap<Var, Option<Value>>>,
    /// The `PhiC`s of the variables that are assigned in each `try`, by its `Enter` and in the order of the variables.
    pub(super) kept: BTreeMap<u32, Vec<(Var, Stmt)>>,
    /// Phis whose operands are incomplete.
    pub(super) incomplete: Vec<(u32, Var, Stmt)>,
    values: Vec<Option<Value>>,
    state: VarTable,
    pub(super) block: Block,
    pub(super) pc: usize,
    /// The body needs a static parameter that only a running call knows.
    impossible: bool,
}

impl<'a> SsaBuilder<'a> {
    /// Prepares the emission of a body.
    pub(crate) fn new(rt: &'a Runtime, frame: &'a InferenceState) -> Self {
        let types = &rt.types;
        let blocks = frame.blocks.len();
        let code = IrCode {
            name: frame.code.name,
            args: frame.args.iter().map(|it| it.widenconst(types)).collect(),
            stmts: Default::default(),
            blocks: Default::default(),
            inlined_at: vec![InlinedAt {
                callee: frame.instance,
                name: frame.code.name,
                call: SourceLoc::NONE,
                parent: 0,
            }],
            throw_sites: Default::default(),
            return_type: frame.ret.widenconst(types),
        };
        Self {
            rt,
            frame,
            code,
            ends: vec![None; blocks],
            predecessors: vec![Vec::new(); blocks],
            exits: vec![FxHashMap::default(); blocks],
            kept: BTreeMap::new(),
            incomplete: Vec::new(),
            values: vec![None; frame.code.stmts.len()],
            state: Vec::new(),
            block: Block::from_u32(0),
            pc: 0,
            impossible: false,
        }
    }

    /// Emits the body. `None` if it can only be interpreted.
    pub(crate) fn run(mut self) -> Option<IrCode> {
        let reachable: Vec<u32> = (0..self.frame.blocks.len() as u32)
            .filter(|&it| self.frame.entry[it as usize].is_some())
            .collect();
        self.find_predecessors(&reachable);
        let entry = self.code.blocks.push(BlockData::default());
        for &block in &reachable {
            let made = self.code.blocks.push(BlockData::default());
            self.ends[block as usize] = Some((made, made));
        }
        let (start, _) = self.ends[0]?;
        self.block = entry;
        self.push(Op::Goto(start), self.types().core().bottom);
        self.make_handlers(&reachable);
        for &block in &reachable {
            self.emit_block(block);
        }
        self.complete_phis();
        if self.impossible {
            return None;
        }
        let mut code = super::phis::remove_trivial(self.code);
        merge_entry(&mut code);
        Some(code)
    }

    fn find_predecessors(&mut self, reachable: &[u32]) {
        self.predecessors[0].push(None);
        for &block in reachable {
            for next in successors(self.types(), self.frame, block) {
                let all = &mut self.predecessors[next as usize];
                if !all.contains(&Some(block)) {
                    all.push(Some(block));
                }
            }
        }
    }

    /// Returns the types of the program.
    pub(super) fn types(&self) -> &'a Types {
        &self.rt.types
    }

    /// Returns the first block of a lowered block, if that is reachable.
    pub(super) fn first_of(&self, block: u32) -> Option<Block> {
        self.ends.get(block as usize).copied().flatten().map(|it| it.0)
    }

    fn emit_block(&mut self, block: u32) {
        let Some(state) = self.frame.entry[block as usize].clone() else { return };
        self.state = state;
        self.block = self.first_of(block).expect("every reachable block has been made");
        let range = self.frame.blocks.range(block);
        let mut ended = false;
        for pc in range.clone() {
            self.pc = pc;
            if self.stmt(pc).is_err() {
                ended = true;
                break;
            }
        }
        let open = self.code.blocks[self.block]
            .stmts
            .last()
            .is_none_or(|&it| !self.code.stmts[it].op.is_terminator());
        if open {
            let next = self.first_of(block + 1);
            match next {
                Some(next) if !ended => self.push(Op::Goto(next), self.types().core().bottom),
                _ => self.push(Op::Unreachable, self.types().core().bottom),
            };
        }
        if let Some((_, last)) = &mut self.ends[block as usize] {
            *last = self.block;
        }
    }

    /// Appends a statement to the current block.
    pub(super) fn push(&mut self, op: Op, ty: Type) -> Stmt {
        let loc = self.frame.code.locs.get(self.pc).copied().unwrap_or(SourceLoc::NONE);
        let inbounds = self.frame.inbounds.get(self.pc).copied().unwrap_or(false);
        self.code.append(self.block, StmtData { op, ty, loc, inlined: 0, inbounds })
    }

    /// Adds a block.
    pub(super) fn new_block(&mut self) -> Block {
        self.code.blocks.push(BlockData::default())
    }

    /// Appends a statement and returns its value.
    pub(super) fn value(&mut self, op: Op, ty: Type) -> Value {
        Value::Stmt(self.push(op, ty))
    }

    /// The type of a value.
    pub(super) fn type_of(&self, value: Value) -> Type {
        match value {
            Value::Stmt(it) => self.code.stmts[it].ty,
            Value::Arg(n) => self.code.args[n as usize],
            Value::Const(it) => crate::lattice::const_type(self.types(), it),
        }
    }

    /// Ends the current block as unreachable.
    pub(super) fn end(&mut self) -> Ended {
        self.push(Op::Unreachable, self.types().core().bottom);
        Ended
    }

    fn stmt(&mut self, pc: usize) -> Result<(), Ended> {
        let frame = self.frame;
        let types = self.types();
        let known = frame.values[pc].clone();
        match &frame.code.stmts[pc] {
            LoweredStmt::Value(it) => {
                let (value, _) = self.operand(*it)?;
                self.values[pc] = Some(value);
            }
            LoweredStmt::SetSlot(slot, it) => {
                let (value, ty) = self.operand(*it)?;
                self.assign(*slot, value, ty);
                self.values[pc] = Some(value);
            }
            LoweredStmt::NewVar(slot) => {
                let def = pc as u32 + 1;
                self.state[*slot as usize] = VarState { ty: Lattice::bottom(types), undef: true, def };
                self.write(*slot as usize, None);
                self.write(self.flag(*slot), Some(Value::Const(consts::bool(types, false))));
                self.keep(self.flag(*slot), Value::Const(consts::bool(types, false)));
            }
            LoweredStmt::Call(args) => {
                let args = args.iter().map(|it| self.operand(*it)).collect::<Result<Vec<_>, _>>()?;
                let known = known.unwrap_or_else(|| Lattice::bottom(types));
                let value = self.call(&args, &frame.resolved[pc], &known)?;
                self.values[pc] = Some(value);
            }
            LoweredStmt::New(args) => self.new_struct(pc, args, known)?,
            LoweredStmt::SplatNew(ty, tuple) => self.splat_new(pc, *ty, *tuple, known)?,
            LoweredStmt::IsDefined(it) => {
                let value = self.is_defined(*it, known.as_ref());
                self.values[pc] = Some(value);
            }
            LoweredStmt::Goto(target) => self.goto(*target),
            LoweredStmt::GotoIfNot(cond, target) => self.branch(*cond, *target)?,
            LoweredStmt::Return(it) => {
                let (value, ty) = self.operand(*it)?;
                let value = self.narrowed(value, &ty);
                self.push(Op::Return(value), types.core().bottom);
                return Err(Ended);
            }
            LoweredStmt::BoundsCheck => {
                self.values[pc] = Some(self.value(Op::BoundsCheck, types.core().bool))
            }
            LoweredStmt::CopyAst(it) => {
                self.values[pc] = Some(self.value(Op::CopyAst(*it), types.core().any));
            }
            LoweredStmt::LoopInfo(marks) => _ = self.push(Op::LoopInfo(marks.to_vec()), types.core().nothing),
            LoweredStmt::TheException => {
                self.values[pc] = Some(self.value(Op::TheException, types.core().any));
            }
            LoweredStmt::Enter(target) => self.enter(pc, *target),
            LoweredStmt::Leave(tokens) => {
                let tokens = tokens.iter().map(|it| self.token(*it)).collect::<Result<_, _>>()?;
                self.push(Op::Leave(tokens), types.core().nothing);
            }
            LoweredStmt::PopException(token) => {
                let token = self.token(*token)?;
                self.push(Op::PopException(token), types.core().nothing);
            }
            LoweredStmt::InboundsBegin
            | LoweredStmt::InboundsEnd
            | LoweredStmt::LatestWorld
            | LoweredStmt::GenericFunction(..)
            | LoweredStmt::Method { .. }
            | LoweredStmt::DeclareGlobal { .. }
            | LoweredStmt::TopLevel(_) => {}
        }
        Ok(())
    }

    fn assign(&mut self, slot: u32, value: Value, ty: Lattice) {
        let def = self.pc as u32 + 1;
        self.state[slot as usize] = VarState { ty, undef: false, def };
        self.write(slot as usize, Some(value));
        let defined = Value::Const(consts::bool(self.types(), true));
        self.write(self.flag(slot), Some(defined));
        self.keep(slot as usize, value);
        self.keep(self.flag(slot), defined);
    }

    /// Begins a `try`.
    fn enter(&mut self, pc: usize, target: u32) {
        let block = self.frame.blocks.block_of(pc);
        let handler = self.first_of(self.frame.blocks.block_of(target as usize));
        let (Some(body), Some(handler)) = (self.first_of(block + 1), handler) else { return };
        self.keep_all(pc as u32);
        self.values[pc] = Some(self.value(Op::Enter { body, handler }, self.types().core().bottom));
    }

    /// The `Enter` that a token is of.
    fn token(&mut self, token: Lowered) -> Result<Value, Ended> {
        let value = if let Lowered::Ssa(n) = token { self.values[n as usize] } else { None };
        value.ok_or_else(|| self.end())
    }

    /// Returns the lattice element of a slot here; `None` for a flag.
    pub(super) fn known_type(&self, var: Var) -> Option<Lattice> {
        self.state.get(var).map(|it| it.ty.clone())
    }

    /// Returns the definedness flag of a slot.
    pub(super) fn flag(&self, slot: u32) -> Var {
        slot as usize + self.frame.code.slots.len()
    }

    /// Returns an operand and its lattice element.
    pub(super) fn operand(&mut self, operand: Lowered) -> Result<(Value, Lattice), Ended> {
        let types = self.types();
        match operand {
            Lowered::Ssa(n) => {
                let known = self.frame.values[n as usize].clone().unwrap_or_else(|| Lattice::bottom(types));
                let from = self.frame.read_from[n as usize];
                let refined = from.and_then(|(slot, def)| {
                    let state = &self.state[slot as usize];
                    (state.def == def && le(types, &state.ty, &known)).then(|| state.ty.clone())
                });
                let known = refined.unwrap_or(known);
                if let Some(it) = known.as_const() {
                    return Ok((Value::Const(it), known));
                }
                match self.values[n as usize] {
                    Some(value) => Ok((self.narrowed(value, &known), known)),
                    None => Err(self.end()),
                }
            }
            Lowered::Slot(n) => self.slot(n),
            Lowered::Const(it) => Ok((Value::Const(it), Lattice::Const(it))),
            Lowered::Global(module, name) => {
                let known = self.frame.globals.get(&(module, name)).cloned();
                let known = known.unwrap_or_else(|| Lattice::bottom(types));
                match known.as_const() {
                    Some(it) => Ok((Value::Const(it), known)),
                    None => {
                        let value = self.value(Op::Global(module, name), known.widenconst(types));
                        if known.is_bottom(types) { Err(self.end()) } else { Ok((value, known)) }
                    }
                }
            }
            Lowered::StaticParam(n) => self.static_param(n),
        }
    }

    fn static_param(&mut self, n: u32) -> Result<(Value, Lattice), Ended> {
        let types = self.types();
        match self.frame.static_params.get(n as usize).copied().flatten() {
            Some(it)
                if !matches!(types.data(it), TypeData::Var { .. }) && !typevar::has_free_vars(types, it) =>
            {
                let constant = consts::of_type(types, it);
                Ok((Value::Const(constant), Lattice::Const(constant)))
            }
            None => {
                let name = self.frame.code.static_params.get(n as usize).copied();
                let what = Undefined::StaticParam(name.unwrap_or(self.frame.code.name));
                let never = Value::Const(consts::bool(types, false));
                self.push(Op::ThrowUndefIfNot(what, never), types.core().nothing);
                Err(self.end())
            }
            Some(_) => {
                self.impossible = true;
                Err(self.end())
            }
        }
    }

    fn slot(&mut self, n: u32) -> Result<(Value, Lattice), Ended> {
        let types = self.types();
        let VarState { ty, undef, .. } = self.state[n as usize].clone();
        if undef {
            let name = self.frame.code.slots[n as usize].name;
            let defined = match ty.is_bottom(types) {
                true => Some(Value::Const(consts::bool(types, false))),
                false => self.read(self.flag(n)),
            };
            let defined = defined.unwrap_or(Value::Const(consts::bool(types, false)));
            self.push(Op::ThrowUndefIfNot(Undefined::Local(name), defined), types.core().nothing);
            if ty.is_bottom(types) {
                return Err(self.end());
            }
            self.state[n as usize].undef = false;
            self.write(self.flag(n), Some(Value::Const(consts::bool(types, true))));
        }
        if let Some(it) = ty.as_const() {
            return Ok((Value::Const(it), ty));
        }
        let Some(value) = self.read(n as usize) else { return Err(self.end()) };
        let narrowed = self.narrowed(value, &ty);
        if narrowed != value {
            self.write(n as usize, Some(narrowed));
        }
        Ok((narrowed, ty))
    }

    /// Narrows a value to its lattice element.
    pub(super) fn narrowed(&mut self, value: Value, known: &Lattice) -> Value {
        let types = self.types();
        if let Some(it) = known.as_const() {
            return Value::Const(it);
        }
        let (own, wanted) = (self.type_of(value), known.widenconst(types));
        if own == wanted || types.subtype(own, wanted) {
            return value;
        }
        self.value(Op::Pi(value), wanted)
    }

    fn goto(&mut self, target: u32) {
        let block = self.frame.blocks.block_of(target as usize);
        if let Some(to) = self.first_of(block) {
            self.push(Op::Goto(to), self.types().core().bottom);
        }
    }

    fn branch(&mut self, cond: Lowered, target: u32) -> Result<(), Ended> {
        let types = self.types();
        let (mut value, ty) = self.operand(cond)?;
        let bool_ty = types.core().bool;
        if !types.subtype(ty.widenconst(types), bool_ty) {
            let asserted = Value::Const(consts::of_type(types, bool_ty));
            value = self.value(Op::Builtin(Builtin::Typeassert, vec![value, asserted]), bool_ty);
        }
        let next = self.frame.blocks.block_of(self.pc) + 1;
        let other = self.frame.blocks.block_of(target as usize);
        let taken = self.frame.taken[self.pc];
        let op = match (taken & 1 != 0, taken & 2 != 0) {
            (true, true) if next != other => match (self.first_of(next), self.first_of(other)) {
                (Some(then), Some(other)) => Op::Branch { cond: value, then, other },
                _ => Op::Unreachable,
            },
            (true, _) => self.first_of(next).map_or(Op::Unreachable, Op::Goto),
            (false, true) => self.first_of(other).map_or(Op::Unreachable, Op::Goto),
            (false, false) => Op::Unreachable,
        };
        self.push(op, types.core().bottom);
        Ok(())
    }

    fn is_defined(&mut self, operand: Lowered, known: Option<&Lattice>) -> Value {
        let types = self.types();
        if let Some(it) = known.and_then(Lattice::as_const) {
            return Value::Const(it);
        }
        match operand {
            Lowered::Slot(n) => self.read(self.flag(n)).unwrap_or(Value::Const(consts::bool(types, false))),
            Lowered::Global(module, name) => self.value(Op::IsDefinedGlobal(module, name), types.core().bool),
            Lowered::StaticParam(_) => {
                self.impossible = true;
                Value::Const(consts::bool(types, true))
            }
            Lowered::Ssa(_) | Lowered::Const(_) => Value::Const(consts::bool(types, true)),
        }
    }

    fn new_struct(&mut self, pc: usize, args: &[Lowered], known: Option<Lattice>) -> Result<(), Ended> {
        let args = args.iter().map(|it| self.operand(*it)).collect::<Result<Vec<_>, _>>()?;
        let ty = args
            .first()
            .and_then(|it| it.1.as_type(self.types()))
            .filter(|&it| datatype::is_concrete(self.types(), it));
        let all: Vec<Value> = args.iter().map(|it| it.0).collect();
        self.finish_new(pc, ty, &all, known)
    }

    /// Emits `new(T, fields...)`; `all[0]` is the type.
    fn finish_new(
        &mut self,
        pc: usize,
        ty: Option<Type>,
        all: &[Value],
        known: Option<Lattice>,
    ) -> Result<(), Ended> {
        let types = self.types();
        let known = known.unwrap_or_else(|| Lattice::bottom(types));
        if let Some(it) = known.as_const() {
            self.values[pc] = Some(Value::Const(it));
            return Ok(());
        }
        let fields = all.get(1..).unwrap_or_default();
        let value = match ty
            .filter(|&it| !known.is_bottom(types) && datatype::field_types(types, it).len() >= fields.len())
        {
            Some(ty) => {
                let declared = datatype::field_types(types, ty);
                let fields =
                    fields.iter().zip(declared).map(|(&it, &ty)| self.asserted(it, ty)).collect::<Vec<_>>();
                self.value(Op::New(fields), ty)
            }
            None => self.value(Op::NewDynamic(all.to_vec()), known.widenconst(types)),
        };
        self.values[pc] = Some(value);
        if known.is_bottom(types) { Err(self.end()) } else { Ok(()) }
    }

    /// Emits a type assertion on a value, unless its type suffices.
    fn asserted(&mut self, value: Value, ty: Type) -> Value {
        let types = self.types();
        let fits = match value {
            Value::Const(it) => consts::isa(types, it, ty),
            Value::Stmt(_) | Value::Arg(_) => types.subtype(self.type_of(value), ty),
        };
        if fits {
            return value;
        }
        let met = intersect::meet(types, self.type_of(value), ty);
        self.value(
            Op::Builtin(Builtin::Typeassert, vec![value, Value::Const(consts::of_type(types, ty))]),
            met,
        )
    }

    fn splat_new(
        &mut self,
        pc: usize,
        ty: Lowered,
        tuple: Lowered,
        known: Option<Lattice>,
    ) -> Result<(), Ended> {
        let types = self.types();
        let (head, head_ty) = self.operand(ty)?;
        let (tuple, tuple_ty) = self.operand(tuple)?;
        let ty = head_ty.as_type(types).filter(|&it| datatype::is_concrete(types, it));
        let exact = tuple_ty.exact_type(types).filter(|&it| datatype::is_tuple(types, it));
        if let (Some(ty), Some(exact)) = (ty, exact) {
            let mut all = vec![head];
            for n in 0..datatype::field_types(types, exact).len() {
                let known = field(types, &tuple_ty, n).unwrap_or_else(|| Lattice::any(types));
                all.push(self.get_field(tuple, n, &known));
            }
            return self.finish_new(pc, Some(ty), &all, known);
        }
        let known = known.unwrap_or_else(|| Lattice::bottom(types));
        let value = self.value(Op::SplatNew(head, tuple), known.widenconst(types));
        self.values[pc] = Some(value);
        if known.is_bottom(types) { Err(self.end()) } else { Ok(()) }
    }

    /// Emits a read of field `n` (from 0) of a tuple or struct.
    pub(super) fn get_field(&mut self, of: Value, n: usize, known: &Lattice) -> Value {
        if let Some(it) = known.as_const() {
            return Value::Const(it);
        }
        let index = Value::Const(consts::int(self.types(), n as i64 + 1));
        self.value(Op::Builtin(Builtin::Getfield, vec![of, index]), known.widenconst(self.types()))
    }
}

/// Returns the lowered successors of a block; none if the block ends early.
fn successors(types: &Types, frame: &InferenceState, block: u32) -> Vec<u32> {
    let range = frame.blocks.range(block);
    let last = range.end - 1;
    let target_of = |pc: u32| frame.blocks.block_of(pc as usize);
    if !reaches_end(types, frame, block) {
        return Vec::new();
    }
    match &frame.code.stmts[last] {
        LoweredStmt::Goto(target) => vec![target_of(*target)],
        LoweredStmt::GotoIfNot(_, target) => {
            let mut all = Vec::new();
            if frame.taken[last] & 1 != 0 {
                all.push(block + 1);
            }
            if frame.taken[last] & 2 != 0 && !all.contains(&target_of(*target)) {
                all.push(target_of(*target));
            }
            all
        }
        LoweredStmt::Return(_) => Vec::new(),
        LoweredStmt::Enter(target) => vec![block + 1, target_of(*target)],
        _ => vec![block + 1],
    }
}

/// Whether control reaches the end of a block: each of its statements yields a value and returns.
fn reaches_end(types: &Types, frame: &InferenceState, block: u32) -> bool {
    frame.blocks.range(block).all(|pc| match &frame.code.stmts[pc] {
        LoweredStmt::NewVar(_)
        | LoweredStmt::Goto(_)
        | LoweredStmt::Return(_)
        | LoweredStmt::GotoIfNot(..)
        | LoweredStmt::Leave(_)
        | LoweredStmt::PopException(_)
        | LoweredStmt::InboundsBegin
        | LoweredStmt::InboundsEnd
        | LoweredStmt::LoopInfo(_)
        | LoweredStmt::LatestWorld => true,
        LoweredStmt::SetSlot(..) => frame.values[pc].is_some(),
        _ => frame.values[pc].as_ref().is_some_and(|it| !it.is_bottom(types)),
    })
}

/// Merges the entry with the next block, unless that is a loop header.
fn merge_entry(code: &mut IrCode) {
    let (entry, next) = (Block::from_u32(0), Block::from_u32(1));
    let jumps = code
        .blocks
        .iter()
        .filter(|&(block, data)| {
            block != entry
                && data.stmts.last().is_some_and(|&it| code.stmts[it].op.successors().any(|it| it == next))
        })
        .count();
    if jumps > 0 {
        return;
    }
    let moved = std::mem::take(&mut code.blocks[next].stmts);
    code.blocks[entry].stmts.pop();
    code.blocks[entry].stmts.extend(moved);
    let dead = code.push(StmtData {
        op: Op::Unreachable,
        ty: code.return_type,
        loc: SourceLoc::NONE,
        inlined: 0,
        inbounds: false,
    });
    code.blocks[next].stmts.push(dead);
    for data in code.stmts.values_mut() {
        if let Op::Phi(incoming) = &mut data.op {
            for (from, _) in incoming {
                if *from == next {
                    *from = entry;
                }
            }
        }
    }
}
