//! Private memory of screened kernels: behind its bytes there is a flag for each, which says that the item has written it.
//!
//! This is done where all accesses are known: its address goes to loads and stores of the function alone. Then LLVM makes registers of
//! it as ever, and of the flags too. Where it is not, nothing is known, and the launch is suspected.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that computes an address from another must say so here; the others are refused"
)]

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Block, Val};
use crate::screen::ScreenCalls;
use crate::source::Source;
use kiln_ir::{Intrinsic as I, IrCode, Op, Stmt, Value as Operand};
use kiln_types::Types;
use llvm_sys::LLVMIntPredicate as Int;
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of private memory that has flags, at most.
const BYTES_MAX: i64 = 1024;
/// The flags of eight bytes that are written.
const WRITTEN: u64 = u64::from_le_bytes([1; 8]);

/// The private memory of a function that has flags, with its bytes.
#[derive(Debug, Default)]
pub(crate) struct Privates(BTreeMap<Stmt, i64>);

impl Privates {
    /// Finds the memory whose accesses are all known.
    pub(crate) fn find(code: &IrCode, types: &Types) -> Self {
        let mut users: BTreeMap<Stmt, Vec<Stmt>> = BTreeMap::new();
        let mut memories = Vec::new();
        for &stmt in code.blocks.values().flat_map(|it| &it.stmts) {
            let op = &code.stmts[stmt].op;
            if let Op::Intrinsic(I::PrivateMemory, args) = op
                && let Some(Operand::Const(bytes)) = args.first()
                && let Some(bytes) = types.const_as_int(*bytes)
                && (1..=BYTES_MAX).contains(&bytes)
            {
                memories.push((stmt, bytes));
            }
            op.each_operand(|it| {
                if let Operand::Stmt(it) = it {
                    users.entry(it).or_default().push(stmt);
                }
            });
        }
        Self(memories.into_iter().filter(|it| is_closed(code, it.0, &users)).collect())
    }

    /// Returns the bytes of the flags behind the memory of a statement.
    pub(crate) fn flag_bytes(&self, memory: Stmt) -> Option<i64> {
        self.0.get(&memory).copied()
    }
}

/// Returns the private memory of all functions of a unit.
pub(crate) fn of_all(sources: &[Source], types: &Types) -> Vec<Privates> {
    sources.iter().map(|it| Privates::find(&it.code, types)).collect()
}

/// Whether the address of a block of memory goes to loads and stores alone.
fn is_closed(code: &IrCode, memory: Stmt, users: &BTreeMap<Stmt, Vec<Stmt>>) -> bool {
    let (mut waiting, mut seen) = (vec![memory], BTreeSet::new());
    while let Some(address) = waiting.pop() {
        if !seen.insert(address) {
            continue;
        }
        for user in users.get(&address).into_iter().flatten() {
            let is_address = |it: &Operand| *it == Operand::Stmt(address);
            match &code.stmts[*user].op {
                // Who fails is no longer of interest: the launch is made again.
                _ if fails(code, *user) => {}
                Op::New(_) if is_for_failures(code, *user, users) => {}
                Op::Intrinsic(I::Pointerref | I::Pointerset, args) if !args[1..].iter().any(is_address) => {}
                op if next_of(op).is_some_and(|it| is_address(&it)) => waiting.push(*user),
                _ => return false,
            }
        }
    }
    true
}

/// Whether an object is made for those alone who fail.
fn is_for_failures(code: &IrCode, object: Stmt, users: &BTreeMap<Stmt, Vec<Stmt>>) -> bool {
    let mut all = users.get(&object).into_iter().flatten();
    all.all(|it| fails(code, *it))
}

/// Whether an item that comes to a statement fails.
fn fails(code: &IrCode, stmt: Stmt) -> bool {
    let data = &code.stmts[stmt];
    matches!(data.op, Op::Fail(..)) || (matches!(data.op, Op::Invoke(..)) && data.ty == Types::BOTTOM)
}

/// Returns the address that an operation computes another one from.
fn next_of(op: &Op) -> Option<Operand> {
    match op {
        Op::Intrinsic(I::Bitcast, args) => args.get(1).copied(),
        Op::Intrinsic(I::AddPtr | I::SubPtr, args) => args.first().copied(),
        Op::Pi(value) => Some(*value),
        _ => None,
    }
}

impl Emitter<'_, '_> {
    /// Returns the flags of the private memory of the statement being emitted, if it has any.
    pub(crate) fn own_flag_bytes(&self) -> Option<i64> {
        let (ordinal, stmt) = self.statement();
        self.unit.privates.get(ordinal as usize)?.flag_bytes(stmt)
    }

    /// Notes that nothing of the memory is written, of which the statement being emitted returns the address.
    pub(crate) fn forget_private(&self, address: Val) {
        let Some(bytes) = self.own_flag_bytes() else { return };
        if self.region.is_some_and(crate::regions::Region::is_entered) {
            return; // it is computed again
        }
        let module = self.module();
        module.fill_memory(module.field(address, bytes as u64), 0, module.const_i64(bytes));
    }

    /// Screens an access to private memory that has flags; false if the address `base` is of other memory. `index` is that of the
    /// element, from 1.
    pub(crate) fn screen_private(
        &self,
        (base, index, bytes): (Operand, Operand, u32),
        writes: bool,
    ) -> Result<bool, EmitError> {
        let (module, code) = (self.module(), self.code());
        let mut offset = module.const_i64(0);
        let mut at = base;
        let memory = loop {
            let Operand::Stmt(stmt) = at else { return Ok(false) };
            let op = &code.stmts[stmt].op;
            match op {
                Op::Intrinsic(I::PrivateMemory, _) => break stmt,
                Op::Intrinsic(kind @ (I::AddPtr | I::SubPtr), args) => {
                    let by = module.resize(self.as_int(self.operand(args[1])?)?, module.int(64));
                    offset = if *kind == I::AddPtr { module.add(offset, by) } else { module.sub(offset, by) };
                }
                _ => {}
            }
            let Some(next) = next_of(op) else { return Ok(false) };
            at = next;
        };
        let privates = self.unit.privates.get(self.statement().0 as usize);
        let Some(size) = privates.and_then(|it| it.flag_bytes(memory)) else { return Ok(false) };
        if bytes == 0 {
            return Ok(true);
        }
        let elem = self.pointee(self.operand(base)?)?;
        let shape = self.unit.shapes.of(elem)?;
        let stride = i64::from(shape.size.next_multiple_of(shape.align.max(1)));
        let index = module.resize(self.as_int(self.operand(index)?)?, module.int(64));
        let index = module.sub(index, module.const_i64(1));
        offset = module.add(offset, module.mul(index, module.const_i64(stride)));
        let memory = self.address(self.operand(Operand::Stmt(memory))?)?;
        let flags = module.gep_bytes(module.field(memory, size as u64), offset);
        let (last, is_fitting) = (size - i64::from(bytes), i64::from(bytes) <= size);
        let within = module.icmp(Int::LLVMIntULE, offset, module.const_i64(last.max(0)));
        let within = module.and(within, module.const_int(module.int(1), is_fitting.into()));
        let block = || module.block(self.function);
        let (inside, wrong, done): (Block, Block, Block) = (block(), block(), block());
        module.cond_br(within, inside, wrong);
        module.at_end(inside);
        let mut all = module.const_int(module.int(1), 1);
        for (from, piece) in pieces(bytes) {
            let (ty, place) = (module.int(8 * piece), module.field(flags, from.into()));
            let written = module.const_int(ty, WRITTEN.into());
            if writes {
                module.store(written, place, 1);
            } else {
                all = module.and(all, module.int_eq(module.load(ty, place, 1), written));
            }
        }
        module.cond_br(all, done, wrong);
        module.at_end(wrong);
        ScreenCalls(self).suspect();
        module.br(done);
        module.at_end(done);
        Ok(true)
    }
}

/// Returns an access as accesses of words of machines: where they begin, and their bytes.
fn pieces(bytes: u32) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    let mut from = 0;
    while from < bytes {
        let piece = [8, 4, 2, 1].into_iter().find(|it| *it <= bytes - from).unwrap_or(1);
        all.push((from, piece));
        from += piece;
    }
    all
}
