//! Reporting: a site's operands are handed to the launcher, which copies them, and the item goes on.

use crate::function::Emitter;
use crate::value::Value;
use kiln_ir::{ThrowSite, Value as Operand};
use kiln_unit::LaunchContext;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    /// Calls `LaunchContext::report`. The operands go through memory of the item's own, which a loop reuses.
    pub(crate) fn report(&self, site: ThrowSite, operands: &[Operand]) -> Result<(), String> {
        let module = self.module();
        let types = &self.code().throw_sites[site].operands;
        let operands: Result<Vec<Value>, String> =
            operands.iter().zip(types).map(|(it, ty)| self.convert(self.operand(*it)?, *ty)).collect();
        let places = self.unit.places(types)?;
        let bytes = places.iter().map(|it| u64::from(it.offset + it.size)).max().unwrap_or(0);
        let block = module.alloca_in(self.function, module.array(module.int(8), bytes.max(1)), 8);
        for (operand, place) in operands?.into_iter().zip(&places) {
            self.store(operand, module.field(block, place.offset.into()), 1)?;
        }
        let ctx = self.state().ctx();
        let at = module.field(ctx, offset_of!(LaunchContext, report) as u64);
        let function = module.load(module.ptr(), at, 8);
        let (ptr, number) = (module.ptr(), self.unit.site_value(self.unit.site(self.ordinal, site)));
        let params = [ptr, module.int(32), ptr, module.int(64)];
        module.call_pointer(
            function,
            module.void(),
            &params,
            &[ctx, number, block, module.const_i64(bytes as i64)],
        );
        Ok(())
    }
}
