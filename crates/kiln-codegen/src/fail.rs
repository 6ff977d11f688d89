//! Failure: the first failing item writes its identity and the site's operands to the launch record, and every
//! failing item returns the site.

use super::{signatures, sites};
use crate::error::{EmitError, InvalidBody, RuntimeResult};
use crate::function::{Emitter, Mode};
use crate::llvm::{Block, Order, Val};
use crate::value::Value;
use llvm_sys::LLVMIntPredicate;
use std::mem::offset_of;

use kiln_unit::{LaunchContext, LaunchRecord};

/// The minimum alignment of the memory that a device's runtime provides for operands.
const RUNTIME_ALIGN: u32 = 8;

impl Emitter<'_, '_> {
    /// Ends the block with a failure at a site.
    pub(crate) fn fail(&self, number: u32, operands: &[Value]) -> Result<(), EmitError> {
        let module = self.module();
        let site = sites::value(self.unit, number);
        if self.unit.device.is_some() {
            self.tell_device(site, operands)?;
            return self.return_site(site);
        }
        if self.unit.is_host {
            crate::host::failing::claim(self, site, operands)?;
            return self.return_site(site);
        }
        if self.mode != Mode::Quiet {
            let done = module.block(self.function);
            let record = self.claim(site, done);
            let types: Vec<_> = operands.iter().map(|it| it.ty).collect();
            for (operand, place) in operands.iter().zip(sites::places(self.unit, &types)?) {
                let at = offset_of!(LaunchRecord, operands) as u64 + u64::from(place.offset);
                self.store(*operand, module.field(record, at), 1)?;
            }
            module.br(done);
            module.at_end(done);
        }
        self.return_site(site)
    }

    /// Signals the failure to the device's runtime, and stores the operands where it says.
    fn tell_device(&self, site: Val, operands: &[Value]) -> Result<(), EmitError> {
        let runtime = &self.unit.runtime;
        if let Some(claim) = runtime.claim {
            let call = self.runtime_call(claim, &[site])?;
            self.module().mark_failure(call);
            let block = self.runtime_value(claim, call)?.ok_or(RuntimeResult::Claim)?;
            self.store_operands(block, operands)?;
        } else if let Some(signal) = runtime.signal {
            self.module().mark_failure(self.runtime_call(signal, &[site])?);
        }
        Ok(())
    }

    /// Stores the operands of a site, if `block` is not null.
    pub(crate) fn store_operands(&self, block: Val, operands: &[Value]) -> Result<(), EmitError> {
        let module = self.module();
        let types: Vec<_> = operands.iter().map(|it| it.ty).collect();
        let places = sites::places(self.unit, &types)?;
        if places.iter().all(|it| it.size == 0) {
            return Ok(());
        }
        let (write, done) = (module.block(self.function), module.block(self.function));
        let given = module.icmp(LLVMIntPredicate::LLVMIntNE, block, module.zero(module.type_of(block)));
        module.cond_br(given, write, done);
        module.at_end(write);
        for (operand, place) in operands.iter().zip(places) {
            self.store(*operand, module.field(block, place.offset.into()), RUNTIME_ALIGN)?;
        }
        module.br(done);
        module.at_end(done);
        Ok(())
    }

    /// Calls a function of the device's runtime with values that are not ghosts, and returns its value. Its failures
    /// are ignored.
    pub(crate) fn call_runtime(&self, ordinal: u32, args: &[Val]) -> Result<Option<Val>, EmitError> {
        let call = self.runtime_call(ordinal, args)?;
        self.runtime_value(ordinal, call)
    }

    fn runtime_call(&self, ordinal: u32, args: &[Val]) -> Result<Val, EmitError> {
        let (module, at) = (self.module(), ordinal as usize);
        let mut values = self.passed_on(self.unit.traits[at])?;
        values.extend(args);
        let given: Vec<_> = values.iter().map(|it| module.type_of(*it)).collect();
        if given != signatures::params(self.unit, at)? {
            return Err(InvalidBody::RuntimeParameters.into());
        }
        Ok(module.call(self.unit.functions[at], &values))
    }

    /// Returns the value of a call of the device's runtime, if it has one.
    fn runtime_value(&self, ordinal: u32, call: Val) -> Result<Option<Val>, EmitError> {
        let (source, traits) = (&self.unit.sources[ordinal as usize], self.unit.traits[ordinal as usize]);
        let has_value = self.unit.shapes.of(source.code.return_type)?.llvm.is_some();
        Ok(has_value.then(|| if traits.may_fail { self.module().extract(call, 0) } else { call }))
    }

    /// Returns the address of the launch record.
    pub(crate) fn record(&self) -> Val {
        let module = self.module();
        let at = module.field(self.state().ctx(), offset_of!(LaunchContext, record) as u64);
        module.load(module.ptr(), at, 8)
    }

    /// Claims the record: branches to `done` if another failure has it, else writes the item's identity and
    /// continues.
    pub(crate) fn claim(&self, site: Val, done: Block) -> Val {
        let (module, state) = (self.module(), self.state());
        let record = self.record();
        let none = module.const_u32(0);
        let (order, relaxed) = (Order::AcquireRelease, Order::Monotonic);
        let exchange = module.compare_exchange(record, none, site, order, relaxed);
        module.mark_claim(exchange);
        let claimed = module.extract(exchange, 1);
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
