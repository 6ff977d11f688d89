//! The log of invalidations as values.
//!
//! A definition ends results of inference, but instances that are only interpreted have none. Julia compiles at the
//! first call, so the log and queries about inferred code first infer each instance that the program has called.

use super::arguments::Arguments;
use crate::heap::{arrays, numbers, text, tuples};
use crate::tables::{CacheOwner, Invalidation, withdraw_kept};
use crate::{Run, Runtime, Value};
use kiln_ir::Instance;

/// The directory of kiln's own packages: called functions of them are inferred as callees.
const LIBRARY: &str = "@kiln";
const METHOD_TAG: &str = "jl_method_table_insert";
const DELETED_TAG: &str = "jl_method_table_disable";
const BINDING_TAG: &str = "jl_maybe_log_binding_invalidation";

/// Infers the instances of the program's own methods that have been called and have no result yet, and those whose results
/// other sessions kept.
pub(super) fn infer_called(rt: &Runtime) {
    let (tables, world) = (&rt.tables, rt.tables.world());
    infer_kept(rt);
    for number in 0..tables.instances.count() {
        let data = tables.instance_data(Instance::from_u32(number));
        if tables.methods.is_frozen(data.method) || !data.known_args.is_empty() || !data.results().is_empty()
        {
            continue;
        }
        let method = tables.method(data.method);
        let place = rt.frontend.place(method.loc).unwrap_or_default();
        if method.worlds().contains(world) && !place.0.starts_with(LIBRARY) {
            super::code_instances::newest(rt, data.instance);
        }
    }
}

/// Infers again the instances whose results other sessions kept, so that the program sees the same as without them.
pub(super) fn infer_kept(rt: &Runtime) {
    for instance in withdraw_kept(&rt.tables, CacheOwner::HOST) {
        super::code_instances::infer(rt, instance);
    }
}

/// `invalidation_log(on)`.
pub(super) fn log(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let (rt, heap) = (args.rt, args.heap());
    if args.value(0)?.as_bool(heap.core()) == Some(true) {
        infer_called(rt);
        rt.tables.invalidations.start();
        return Ok(arrays::any_vector(heap, &[]));
    }
    let entries = rt.tables.invalidations.stop();
    // What a method ended carries the tag of its definition, which comes last.
    let mut tag = METHOD_TAG;
    let mut values: Vec<Value> = Vec::new();
    for entry in entries.iter().rev() {
        let core = heap.core();
        let instance = |it: Instance| Value::inline(core.method_instance, u64::from(it.as_u32()));
        // In reverse: the tag before what it says.
        match entry {
            Invalidation::Ended { instance: ended, depth } => {
                values.push(Value::inline(core.int32, u64::from(*depth)));
                values.push(instance(*ended));
            }
            Invalidation::Callee(callee) => values.extend([text::string(heap, tag), instance(*callee)]),
            Invalidation::Signature(sig) => values.push(heap.type_value(*sig)),
            Invalidation::Binding { module, name, last } => {
                let parts = [
                    Value::module(core, *module),
                    Value::symbol(core, *name),
                    numbers::uint64(heap, last.number()),
                ];
                values.extend([text::string(heap, BINDING_TAG), tuples::new(heap, &parts)]);
            }
            Invalidation::Method { method, deleted } => {
                tag = if *deleted { DELETED_TAG } else { METHOD_TAG };
                values.extend([text::string(heap, tag), Value::inline(core.method, method.index() as u64)]);
            }
        }
    }
    values.reverse();
    Ok(arrays::any_vector(heap, &values))
}
