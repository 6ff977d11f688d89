//! The call stack of a failure: of host code, and of an item at debug level 2.
//!
//! A failing item returns from all its calls. On the way out each call adds its number to the record, if the recorded
//! failure is this item's. So the host gets the call stack without a stack walk, and code that does not fail pays
//! nothing.

use super::sites;
use crate::error::EmitError;
use crate::function::{Emitter, Mode};
use crate::llvm::Val;
use kiln_unit::{LaunchContext, LaunchRecord, RECORD_FRAMES, SITE_CALL};
use llvm_sys::LLVMIntPredicate as Int;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    /// Records the call being emitted on the way out of a failure.
    pub(crate) fn record_frame(&self) -> Result<(), EmitError> {
        if !self.unit.keeps_frames() {
            return Ok(());
        }
        let site = sites::value(self.unit, sites::own_number_of(self.unit, self.statement(), SITE_CALL));
        if self.unit.is_host {
            crate::host::failing::record_call(self, site);
        } else if self.unit.device.is_none() {
            if self.mode != Mode::Quiet {
                self.record_frame_at(site);
            }
        } else if let Some(frame) = self.unit.runtime.frame {
            self.call_runtime(frame, &[site])?;
        }
        Ok(())
    }

    /// Records the call, where the launch record is directly accessible.
    fn record_frame_at(&self, site: Val) {
        let (module, state, word) = (self.module(), self.state(), self.module().int(64));
        let record = module.field(state.ctx(), offset_of!(LaunchContext, record) as u64);
        let record = module.load(module.ptr(), record, 8);
        let part = |offset: usize| module.field(record, offset as u64);
        let mut ours = module.const_int(module.int(1), 1);
        for dim in 0..3 {
            let group = module.load(word, part(offset_of!(LaunchRecord, group_id) + 8 * dim), 8);
            let local = module.load(word, part(offset_of!(LaunchRecord, local_id) + 8 * dim), 8);
            ours = module.and(ours, module.int_eq(group, state.group_id(dim)));
            ours = module.and(ours, module.int_eq(local, state.local_id(dim)));
        }
        let count_at = part(offset_of!(LaunchRecord, frame_count));
        let count = module.load(module.int(32), count_at, 4);
        let room = module.icmp(Int::LLVMIntULT, count, module.const_u32(RECORD_FRAMES as u32));
        let (write, done) = (module.block(self.function), module.block(self.function));
        module.cond_br(module.and(ours, room), write, done);
        module.at_end(write);
        let frames = part(offset_of!(LaunchRecord, frames));
        module.store(site, module.gep(module.int(32), frames, module.resize(count, word)), 4);
        module.store(module.add(count, module.const_u32(1)), count_at, 4);
        module.br(done);
        module.at_end(done);
    }
}
