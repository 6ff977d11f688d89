//! Code of the flags of private memory: see [`private`](crate::private).

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Block, Val};
use crate::private::next_of;
use crate::screen::ScreenCalls;
use kiln_ir::{Intrinsic as I, Op, Value as Operand};
use llvm_sys::LLVMIntPredicate as Int;

/// The flags of eight bytes that are written.
const WRITTEN: u64 = u64::from_le_bytes([1; 8]);

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
            if let Op::Intrinsic(I::PrivateMemory, _) = op {
                break stmt;
            }
            if let Op::Intrinsic(kind @ (I::AddPtr | I::SubPtr), args) = op {
                let by = module.resize(self.as_int(self.operand(args[1])?)?, module.int(64));
                offset = if *kind == I::AddPtr { module.add(offset, by) } else { module.sub(offset, by) };
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
