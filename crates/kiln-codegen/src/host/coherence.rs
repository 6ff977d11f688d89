//! Arrays that devices have: host code that launches kernels looks, before it touches elements, whether a device has copies. While
//! one has, the host runs the statement, which waits for the launches that it depends on and copies back what it touches, no more.
//!
//! Host code that launches nothing does not look: who calls it has acquired what it reaches.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::host::BLOCK_ALIGN;
use crate::llvm::{Block, Val};
use crate::value::Value;
use kiln_ir::StmtData;
use kiln_unit::HostTable;
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

/// Emits a statement that touches elements of arrays: as compiled code, or by the host while a device has copies.
pub(crate) fn beside_copies<'u, 'a>(
    emitter: &mut Emitter<'u, 'a>,
    data: &StmtData,
    compiled: impl FnOnce(&mut Emitter<'u, 'a>) -> Result<Option<Value>, EmitError>,
) -> Result<Option<Value>, EmitError> {
    let module = emitter.module();
    let block = || module.block(emitter.function);
    let (by_host, here, done) = (block(), block(), block());
    let flag = module.load(module.int(8), emitter.host_field(offset_of!(HostTable, device_copies)), 1);
    module.cond_br(module.icmp(Int::LLVMIntNE, flag, module.const_int(module.int(8), 0)), by_host, here);
    let shape = emitter.unit.shapes.of(data.ty)?;
    // Values of both ways meet in memory of the frame, which LLVM makes a register again.
    let meeting = (shape.size > 0).then(|| emitter.host_scratch(shape.size));
    module.at_end(by_host);
    let mut returns = false;
    if let Some(value) = emitter.run_by_host(data)? {
        meet(emitter, (value, data), meeting, done)?;
        returns = true;
    }
    module.at_end(here);
    if let Some(value) = compiled(emitter)? {
        meet(emitter, (value, data), meeting, done)?;
        returns = true;
    }
    module.at_end(done);
    if !returns {
        module.unreachable();
        return Ok(None);
    }
    match meeting {
        Some(memory) => emitter.load(data.ty, memory, BLOCK_ALIGN).map(Some),
        None => Ok(Some(emitter.ghost(data.ty))),
    }
}

/// Keeps the value of a way where both meet, and goes on there.
fn meet(
    emitter: &Emitter<'_, '_>,
    (value, data): (Value, &StmtData),
    meeting: Option<Val>,
    done: Block,
) -> Result<(), EmitError> {
    if let Some(memory) = meeting {
        emitter.store(emitter.convert(value, data.ty)?, memory, BLOCK_ALIGN)?;
    }
    emitter.module().br(done);
    Ok(())
}
