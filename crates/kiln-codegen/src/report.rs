//! Reports: the launcher copies a site's operands, and the item continues.

use super::sites;
use crate::error::{EmitError, RuntimeResult, Unsupported};
use crate::function::Emitter;
use crate::value::Value;
use kiln_ir::{ThrowSite, Value as Operand};
use kiln_unit::LaunchContext;
use std::mem::offset_of;

impl Emitter<'_, '_> {
    /// Calls `LaunchContext::report`. The operands are in memory of the item, which a loop reuses.
    pub(crate) fn report(&self, site: ThrowSite, operands: &[Operand]) -> Result<(), EmitError> {
        let module = self.module();
        let types = &self.code().throw_sites[site].operands;
        let operands: Result<Vec<Value>, EmitError> =
            operands.iter().zip(types).map(|(it, ty)| self.convert(self.operand(*it)?, *ty)).collect();
        if self.unit.device.is_some() {
            return self.report_on_device(site, &operands?);
        }
        let places = sites::places(self.unit, types)?;
        let bytes = places.iter().map(|it| u64::from(it.offset + it.size)).max().unwrap_or(0);
        let block = module.alloca_in(self.function, module.array(module.int(8), bytes.max(1)), 8);
        for (operand, place) in operands?.into_iter().zip(&places) {
            self.store(operand, module.field(block, place.offset.into()), 1)?;
        }
        let ctx = self.state().ctx();
        let at = module.field(ctx, offset_of!(LaunchContext, report) as u64);
        let function = module.load(module.ptr(), at, 8);
        let (ptr, number) =
            (module.ptr(), sites::value(self.unit, sites::number_of(self.unit, self.ordinal, site)));
        let params = [ptr, module.int(32), ptr, module.int(64)];
        module.call_pointer(
            function,
            module.void(),
            &params,
            &[ctx, number, block, module.const_i64(bytes as i64)],
        );
        Ok(())
    }

    /// Reserves room in the device's runtime, and stores the operands there.
    fn report_on_device(&self, site: ThrowSite, operands: &[Value]) -> Result<(), EmitError> {
        let module = self.module();
        let reserve = self.unit.runtime.reserve;
        let reserve = reserve.ok_or_else(|| {
            let target = self.unit.facts.name.clone();
            EmitError::from(Unsupported::Reports { target })
        })?;
        let types: Vec<_> = operands.iter().map(|it| it.ty).collect();
        let bytes = sites::places(self.unit, &types)?.iter().map(|it| it.offset + it.size).max().unwrap_or(0);
        let number = sites::value(self.unit, sites::number_of(self.unit, self.ordinal, site));
        let block = self.call_runtime(reserve, &[number, module.const_u32(bytes)])?;
        self.store_operands(block.ok_or(RuntimeResult::Reserve)?, operands)
    }
}
