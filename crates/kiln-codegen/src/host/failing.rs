//! The ways out of failing host code, in functions of their own: code that does not fail keeps its registers, and a check costs
//! its comparison.
//!
//! Emission calls them by name; [`define`] gives them bodies. The record is that of the running call, on this thread alone.

use crate::error::EmitError;
use crate::function::Emitter;
use crate::llvm::{Function, Module, Ty, Val};
use crate::value::Value;
use kiln_unit::{HostTable, LaunchContext, LaunchRecord};
use std::mem::offset_of;

/// Claims the record for a site; returns where its operands go, or null if another failure has the record.
const CLAIM: &str = "kiln.claim";
/// Tells the host of the site of a call.
const CALL: &str = "kiln.call";
/// The beginning of both names.
const PREFIX: &str = "kiln.";

/// The attributes of both, which are called where code fails.
const OUTLINED: [&str; 2] = ["noinline", "cold"];

/// Claims the record for a failure at `site`, and stores the operands.
pub(crate) fn claim(emitter: &Emitter<'_, '_>, site: Val, operands: &[Value]) -> Result<(), EmitError> {
    let room = call(emitter, CLAIM, emitter.module().ptr(), site);
    emitter.store_operands(room, operands)
}

/// Records the call at `site` on the way out of a failure.
pub(crate) fn record_call(emitter: &Emitter<'_, '_>, site: Val) {
    call(emitter, CALL, emitter.module().void(), site);
}

fn call(emitter: &Emitter<'_, '_>, name: &str, result: Ty, site: Val) -> Val {
    let module = emitter.module();
    let function = module.declared(name, result, &[module.ptr(), module.int(32)], &OUTLINED);
    module.call(function, &[emitter.state().ctx(), site])
}

/// Gives the functions that are called bodies.
pub(crate) fn define(module: &Module) {
    for declared in module.declarations(PREFIX) {
        match module.name_of(declared).as_str() {
            CLAIM => define_claim(module, declared),
            CALL => define_call(module, declared),
            _ => {}
        }
    }
}

/// Begins the body of a function.
fn begin(module: &Module, function: Function) {
    module.set_attribute(function, "nounwind");
    module.set_internal(function);
    module.at_end(module.block(function));
}

fn define_claim(module: &Module, function: Function) {
    begin(module, function);
    let at = module.field(module.param(function, 0), offset_of!(LaunchContext, record) as u64);
    let record = module.load(module.ptr(), at, 8);
    let part = |offset: usize| module.field(record, offset as u64);
    let site_at = part(offset_of!(LaunchRecord, site));
    let known = module.load(module.int(32), site_at, 4);
    let (free, taken) = (module.block(function), module.block(function));
    module.cond_br(module.int_eq(known, module.const_u32(0)), free, taken);
    module.at_end(free);
    module.store(module.param(function, 1), site_at, 4);
    for dim in 0..3 {
        for ids in [offset_of!(LaunchRecord, group_id), offset_of!(LaunchRecord, local_id)] {
            module.store(module.const_i64(0), part(ids + 8 * dim), 8);
        }
    }
    module.ret(Some(part(offset_of!(LaunchRecord, operands))));
    module.at_end(taken);
    module.ret(Some(module.zero(module.ptr())));
}

fn define_call(module: &Module, function: Function) {
    begin(module, function);
    let at = module.field(module.param(function, 0), offset_of!(LaunchContext, host) as u64);
    let table = module.load(module.ptr(), at, 8);
    let service =
        module.load(module.ptr(), module.field(table, offset_of!(HostTable, record_call) as u64), 8);
    let arguments = [module.param(function, 0), module.param(function, 1)];
    module.call_pointer(service, module.void(), &[module.ptr(), module.int(32)], &arguments);
    module.ret(None);
}
