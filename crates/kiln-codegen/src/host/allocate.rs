//! Allocation in host code: the next of the free cells that the thread has to itself, or a call of the host where there is none.
//!
//! A free cell is zeroed, and a running collection keeps it: to take one is to move the cursor of its run and to store the header. The call
//! is a safepoint. It fails when memory is exhausted, at a site like a statement that the host runs.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Block, Val};
use crate::shape::{Form, Shape};
use crate::sites;
use crate::value::Value;
use kiln_memory::{FreeRun, INLINE, LIVE, SHARED_INTEGER_MAX, cell_bytes, class_of};
use kiln_types::Type;
use kiln_unit::{HostTable, LaunchContext};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Opcode};
use std::mem::offset_of;

/// Bytes of the header before an object's data.
const HEADER: i64 = 8;
/// Bytes of the data of a box.
const WORD: u32 = 8;

/// Emission of the allocations of a function.
pub(super) struct Allocation<'e, 'u, 'a>(pub(super) &'e Emitter<'u, 'a>);

impl Allocation<'_, '_, '_> {
    /// Allocates an object with `bytes` bytes of zeroed data, of the type of a number.
    pub(super) fn object(&self, number: Val, bytes: u32) -> Result<Val, EmitError> {
        let module = self.0.module();
        let call = || {
            let args = [number, module.const_i64(bytes.into()), self.site()];
            let object = self.0.call_host(offset_of!(HostTable, allocate), module.ptr(), &args);
            self.check_allocated(object).map(|()| object)
        };
        match class_of(bytes.into()) {
            Some(class) => self.take_cell(class, (number, LIVE), |_| {}, call),
            None => call(),
        }
    }

    /// Returns the box of a value of a type with this number that is one word of plain bits. The host has those of small numbers.
    pub(super) fn box_of_word(&self, (ty, number): (Type, Val), word: Val) -> Result<Val, EmitError> {
        let module = self.0.module();
        let (fresh, shared, done) = (self.new_block(), self.new_block(), self.new_block());
        let least = module.add(word, module.const_i64(SHARED_INTEGER_MAX));
        let is_fresh = module.icmp(Int::LLVMIntUGT, least, module.const_i64(2 * SHARED_INTEGER_MAX));
        module.cond_br(is_fresh, fresh, shared);
        let call = || {
            let data = self.0.host_scratch(WORD);
            module.store(word, data, 16);
            self.call_to_box(number, data)
        };
        module.at_end(fresh);
        let class = class_of(WORD.into()).unwrap_or_default();
        let fill = |cell: Val| module.store(word, cell, 8);
        let made = self.take_cell(class, (number, LIVE | INLINE), fill, call)?;
        let made_in = module.here();
        module.br(done);
        module.at_end(shared);
        let found = if ty == self.0.types().core().int64 { self.integer_box(least, call)? } else { call()? };
        let found_in = module.here();
        module.br(done);
        Ok(self.joined(done, [(made, made_in), (found, found_in)]))
    }

    /// Returns the box of the `Int` at this place among the small ones.
    fn integer_box(&self, at: Val, call: impl FnOnce() -> Result<Val, EmitError>) -> Result<Val, EmitError> {
        let module = self.0.module();
        let (none, done) = (self.new_block(), self.new_block());
        let boxes = self.invariant_field(offset_of!(HostTable, integer_boxes));
        let place = module.gep_bytes(boxes, module.mul(at, module.const_i64(8)));
        let known = module.load(module.ptr(), place, 8);
        let known_in = module.here();
        let is_known = module.icmp(Int::LLVMIntNE, known, module.zero(module.ptr()));
        module.cond_br(is_known, done, none);
        module.at_end(none);
        let made = call()?;
        let made_in = module.here();
        module.br(done);
        Ok(self.joined(done, [(known, known_in), (made, made_in)]))
    }

    /// Has the host make the box of a value in memory, of the type of a number.
    pub(super) fn call_to_box(&self, number: Val, data: Val) -> Result<Val, EmitError> {
        let args = [number, data, self.site()];
        let object = self.0.call_host(offset_of!(HostTable, box_value), self.0.module().ptr(), &args);
        self.check_allocated(object).map(|()| object)
    }

    /// Returns the word that is the data of a value's box: its bits, zero-extended. `None` if a byte of it may be none of the value's.
    pub(super) fn word_of(&self, value: Value, shape: &Shape) -> Result<Option<Val>, EmitError> {
        let module = self.0.module();
        let word = module.int(64);
        match shape.form {
            Form::Int(bits) if bits == 8 * shape.size && bits > 8 => {
                Ok(Some(module.resize(self.0.materialize(value)?, word)))
            }
            Form::Float(bits) => {
                let bits = module.cast(Opcode::LLVMBitCast, self.0.materialize(value)?, module.int(bits));
                Ok(Some(module.resize(bits, word)))
            }
            Form::Pointer if shape.size == WORD => {
                Ok(Some(module.cast(Opcode::LLVMPtrToInt, self.0.materialize(value)?, word)))
            }
            Form::Int(_)
            | Form::Pointer
            | Form::Ghost
            | Form::Bool
            | Form::Object
            | Form::Fields(_)
            | Form::Array { .. }
            | Form::Union { .. } => Ok(None),
        }
    }

    /// Takes the next free cell of a class: stores its header, and has `fill` store in it. Has `call` return an object if there is
    /// no cell.
    fn take_cell(
        &self,
        class: usize,
        (number, flags): (Val, u32),
        fill: impl FnOnce(Val),
        call: impl FnOnce() -> Result<Val, EmitError>,
    ) -> Result<Val, EmitError> {
        let module = self.0.module();
        let (taken, none, done) = (self.new_block(), self.new_block(), self.new_block());
        let run = module.field(self.free_runs(), (class * size_of::<FreeRun>()) as u64);
        let cursor_at = module.field(run, offset_of!(FreeRun, cursor) as u64);
        let cell = module.load(module.ptr(), cursor_at, 8);
        let end = module.load(module.ptr(), module.field(run, offset_of!(FreeRun, end) as u64), 8);
        let has_cell = module.icmp(Int::LLVMIntULT, cell, end);
        let likely = module.const_int(module.int(1), 1);
        let has_cell = module.intrinsic("llvm.expect", &[module.int(1)], &[has_cell, likely]);
        module.cond_br(has_cell, taken, none);
        module.at_end(taken);
        module.store(module.gep_bytes(cell, module.const_i64(cell_bytes(class) as i64)), cursor_at, 8);
        let flags = module.const_i64(i64::from(flags) << 32);
        let header = module.or(module.resize(number, module.int(64)), flags);
        module.store(header, module.gep_bytes(cell, module.const_i64(-HEADER)), 8);
        fill(cell);
        module.br(done);
        module.at_end(none);
        let made = call()?;
        let made_in = module.here();
        module.br(done);
        Ok(self.joined(done, [(cell, taken), (made, made_in)]))
    }

    /// Returns the address of the runs of free cells.
    fn free_runs(&self) -> Val {
        self.invariant_field(offset_of!(HostTable, free_runs))
    }

    /// Returns an address in the host's table that is the same during a call of host code.
    fn invariant_field(&self, offset: usize) -> Val {
        let module = self.0.module();
        let host = module.field(self.0.state().ctx(), offset_of!(LaunchContext, host) as u64);
        let table = module.invariant(module.load(module.ptr(), host, 8));
        let runs = module.field(table, offset as u64);
        module.invariant(module.load(module.ptr(), runs, 8))
    }

    /// Goes on in a block with the address that comes from the block before it.
    fn joined(&self, block: Block, from: [(Val, Block); 2]) -> Val {
        let module = self.0.module();
        module.at_end(block);
        let phi = module.phi(module.ptr());
        for (address, before) in from {
            module.add_incoming(phi, address, before);
        }
        phi
    }

    fn new_block(&self) -> Block {
        self.0.module().block(self.0.function)
    }

    /// Returns the number of the site at which an allocation fails.
    fn site(&self) -> Val {
        let site = sites::of_allocation(self.0.unit, self.0.statement());
        sites::value(self.0.unit, site.unwrap_or_default())
    }

    /// Continues only if an allocation has succeeded. Notes a function that is not known to make boxes: the unit is then emitted again.
    fn check_allocated(&self, object: Val) -> Result<(), EmitError> {
        let module = self.0.module();
        let (go_on, failing) = (self.new_block(), self.new_block());
        let is_made = module.icmp(Int::LLVMIntNE, object, module.zero(module.ptr()));
        module.cond_br(is_made, go_on, failing);
        module.at_end(failing);
        if sites::of_allocation(self.0.unit, self.0.statement()).is_some() {
            self.0.return_site(self.site())?;
        } else {
            self.0.unit.left_to_host.borrow_mut().push((self.0.ordinal, None));
            module.unreachable();
        }
        module.at_end(go_on);
        Ok(())
    }
}
