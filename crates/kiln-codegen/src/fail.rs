//! Giving up: the item's identity and the site's operands go to the launch record once, the site is returned.

use crate::function::{Emitter, Mode};
use crate::llvm::{Block, Order, Val};
use crate::value::Value;
use std::mem::offset_of;

use kiln_unit::{LaunchContext, LaunchRecord};

impl Emitter<'_, '_> {
    /// Ends the block by failing at a site.
    pub(crate) fn fail(&self, number: u32, operands: &[Value]) -> Result<(), String> {
        let module = self.module();
        let site = self.unit.site_value(number);
        if self.mode != Mode::Quiet {
            let done = module.block(self.function);
            let record = self.claim(site, done);
            let types: Vec<_> = operands.iter().map(|it| it.ty).collect();
            for (operand, place) in operands.iter().zip(self.unit.places(&types)?) {
                let at = offset_of!(LaunchRecord, operands) as u64 + u64::from(place.offset);
                self.store(*operand, module.field(record, at), 1)?;
            }
            module.br(done);
            module.at_end(done);
        }
        self.give_site(site)
    }

    /// Claims the record: goes to `done` if another failure has it, else goes on with the item's identity written.
    pub(crate) fn claim(&self, site: Val, done: Block) -> Val {
        let (module, state) = (self.module(), self.state());
        let record_at = module.field(state.ctx(), offset_of!(LaunchContext, record) as u64);
        let record = module.load(module.ptr(), record_at, 8);
        let none = module.const_u32(0);
        let (order, relaxed) = (Order::AcquireRelease, Order::Monotonic);
        let claimed = module.extract(module.compare_exchange(record, none, site, order, relaxed), 1);
        let mine = module.block(self.function);
        module.cond_br(claimed, mine, done);
        module.at_end(mine);
        for dim in 0..3 {
            let group = offset_of!(LaunchRecord, group_id) + 8 * dim;
            let local = offset_of!(LaunchRecord, local_id) + 8 * dim;
            module.store(state.group_id(dim), module.field(record, group as u64), 8);
            module.store(state.local_id(dim), module.field(record, local as u64), 8);
        }
        record
    }
}
