//! Host code: objects of the session's heap, and statements that the host runs.
//!
//! A value whose type is only known when it runs is the address of an object: of the value itself, or of a box. The header
//! before the data has the number of its type. Compiled code reads and writes objects; it allocates them through
//! the services of [`HostTable`], and has the host run the statements that it cannot run itself.
//!
//! # Invariants
//! * A statement that the host runs has a site, whose operands are the statement's. Constants and values without bits are not
//!   passed: the host has the body.
//! * Every store of a reference to an object that existed before goes through [`barrier`]. The first stores to a fresh object
//!   need none, as it is not reached yet.
//! * Frames have no maps: the collector takes every word of the stack for a possible address, also of the inside of an object
//!   or one element before its data.

mod allocate;
mod barrier;
mod coherence;
mod constant;
pub(crate) mod failing;
mod global;
mod handler;
mod identity;
mod object;
mod tight_loops;

pub(crate) use coherence::beside_copies;
pub(crate) use constant::ConstantPlaces;
pub(crate) use handler::Regions;
pub(crate) use object::note_object;
pub(crate) use tight_loops::has_tight_loop;

use super::sites;
use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Ty, Val};
use crate::value::Value;
use kiln_ir::StmtData;
use kiln_types::Types;
use kiln_unit::{HostTable, LaunchContext, SITE_RUN};
use std::mem::offset_of;

/// The alignment of the memory that operands and results are passed in.
const BLOCK_ALIGN: u32 = 16;

impl Emitter<'_, '_> {
    /// Returns a field of the host's table.
    fn host_field(&self, offset: usize) -> Val {
        self.module().load(self.module().ptr(), self.host_place(offset), 8)
    }

    /// Returns the address of a field of the host's table.
    fn host_place(&self, offset: usize) -> Val {
        let module = self.module();
        let at = module.field(self.state().ctx(), offset_of!(LaunchContext, host) as u64);
        module.field(module.load(module.ptr(), at, 8), offset as u64)
    }

    /// Calls a service of the host with the context and these arguments.
    fn call_host(&self, service: usize, result: Ty, args: &[Val]) -> Val {
        let module = self.module();
        let mut values = vec![self.state().ctx()];
        values.extend(args);
        let params: Vec<Ty> = values.iter().map(|it| module.type_of(*it)).collect();
        module.call_pointer(self.host_field(service), result, &params, &values)
    }

    /// Has the host run the statement being emitted. `None` is the value of a statement that never yields one.
    pub(crate) fn run_by_host(&self, data: &StmtData) -> Result<Option<Value>, EmitError> {
        let module = self.module();
        let (block, result) = self.run_blocks();
        let operands = data.op.operands();
        let places = sites::run_places(self.unit, self.ordinal, data)?;
        for (operand, place) in operands.iter().zip(places) {
            if place.size == 0 {
                continue;
            }
            let value = self.operand(*operand)?;
            let ty = crate::analysis::operand_type(self.code(), self.types(), *operand);
            let value = self.convert(value, ty)?;
            self.store(value, module.field(block, place.offset.into()), BLOCK_ALIGN)?;
        }
        let site = sites::value(self.unit, sites::own_number_of(self.unit, self.statement(), SITE_RUN));
        let args = [site, block, result];
        let status = self.call_host(offset_of!(HostTable, run), module.int(32), &args);
        let (go_on, failing) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.int_eq(status, module.const_u32(0)), go_on, failing);
        module.at_end(failing);
        self.return_site(status)?;
        module.at_end(go_on);
        if data.ty == Types::BOTTOM {
            return Ok(None);
        }
        self.load(data.ty, result, BLOCK_ALIGN).map(Some)
    }

    /// Returns the memory of the function for operands, and for a result, of the statements that the host runs.
    fn run_blocks(&self) -> (Val, Val) {
        if let Some(known) = self.run_blocks.get() {
            return known;
        }
        let module = self.module();
        let (operands, result) = sites::run_bytes(self.unit, self.ordinal);
        let bytes = |count: u32| module.array(module.int(8), count.max(1).into());
        let block = |count: u32| module.alloca_in(self.function, bytes(count), BLOCK_ALIGN);
        let made = (block(operands), block(result));
        self.run_blocks.set(Some(made));
        made
    }

    /// Allocates memory of the function for `count` bytes.
    fn host_scratch(&self, count: u32) -> Val {
        let module = self.module();
        module.alloca_in(self.function, module.array(module.int(8), count.max(1).into()), BLOCK_ALIGN)
    }
}
