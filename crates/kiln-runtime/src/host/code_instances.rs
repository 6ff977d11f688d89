//! `Core.CodeInstance`s: the results of inference that a method instance keeps, seen as objects with fields.
//!
//! One is held as a number: that of its method instance and its place among the results kept there.

use crate::eval::{code_value, typed_value};
use crate::heap::{constants, fields, numbers, svecs};
use crate::tables::{CacheOwner, CodeInstance, Edge, MethodMatch, World};
use crate::{Run, Runtime, Value, exceptions};
use kiln_ir::{CodeInfo, Instance};
use kiln_types::{Module, Symbol};
use std::sync::Arc;

const PLACE_BITS: u32 = 32;
/// The place of the body that a generator made, behind those of all results.
const GENERATED: usize = u32::MAX as usize;

/// The fields that every `CodeInstance` shows, but `next` and `rettype_const`, which may be undefined.
const FIELDS: &[&str] = &[
    "def",
    "owner",
    "next",
    "min_world",
    "max_world",
    "rettype",
    "exctype",
    "rettype_const",
    "inferred",
    "edges",
];

/// Returns the newest result of the host for an instance. Inference runs on demand, so an instance without a result
/// in the running world is inferred now.
pub(super) fn newest(rt: &Runtime, instance: Instance) -> Option<Value> {
    super::invalidations::infer_kept(rt);
    infer(rt, instance);
    before(rt, instance, usize::MAX)
}

/// Infers an instance for the host in the newest world, unless it has a result there.
pub(super) fn infer(rt: &Runtime, instance: Instance) {
    let world = rt.tables.world();
    let method = rt.tables.method(rt.tables.instance_data(instance).method);
    // Macros run once a call in the source: the interpreter's work, for which nothing is inferred.
    if rt.types.name(method.name).starts_with('@') {
        return;
    }
    if let Some(compiler) = rt.compiler.get()
        && rt.tables.code_instance(instance, CacheOwner::HOST, world).is_none()
    {
        let data = rt.tables.instance_data(instance);
        let found = MethodMatch {
            method: data.method,
            spec_types: data.spec_types,
            static_params: data.static_params.to_vec(),
            fully_covers: true,
        };
        let _ = crate::interp::with_room(|| compiler.inferred(rt, &found, world));
    }
}

/// The newest result of the host at a place below `end`.
fn before(rt: &Runtime, instance: Instance, end: usize) -> Option<Value> {
    let data = rt.tables.instance_data(instance);
    let code = data.results();
    let is_shown = |it: &CodeInstance| it.owner == CacheOwner::HOST && !it.is_withdrawn();
    let place = (0..code.len().min(end)).rev().find(|&it| is_shown(&code[it]));
    let generated = (end != GENERATED && data.generated.get().is_some()).then_some(GENERATED);
    let place = place.filter(|_| end != GENERATED).or(generated)?;
    let number = u64::from(instance.as_u32()) << PLACE_BITS | place as u64;
    Some(Value::inline(rt.heap.core().code_instance, number))
}

/// Returns the instance and the index of a `CodeInstance` value, and the result it refers to.
fn parts(rt: &Runtime, value: Value) -> Option<(Instance, usize, Arc<CodeInstance>)> {
    let instance = Instance::from_u32((value.bits() >> PLACE_BITS) as u32);
    let place = value.bits() as u32 as usize;
    let found = rt.tables.instance_data(instance).results().get(place).cloned()?;
    Some((instance, place, found))
}

/// `getfield` of a `CodeInstance`.
pub(super) fn field(rt: &Runtime, object: Value, field: Value) -> Run {
    let (heap, core) = (&rt.heap, rt.heap.core());
    let name = field.as_symbol(core).map(|it| heap.types().name(it));
    let known = name.and_then(|name| FIELDS.iter().find(|it| **it == name));
    if let Some(&name) = known
        && let Some(body) = generated(rt, object)
    {
        return body_field(rt, object, &body, name);
    }
    let (Some(&name), Some((instance, place, code))) = (known, parts(rt, object)) else {
        return Err(exceptions::field_error(heap, object.ty(), field));
    };
    let undefined = || exceptions::undef_ref_error(heap);
    match name {
        "def" => Ok(Value::inline(core.method_instance, u64::from(instance.as_u32()))),
        "next" => before(rt, instance, place).ok_or_else(undefined),
        "min_world" => Ok(numbers::uint64(heap, code.worlds().min.number())),
        "max_world" => Ok(numbers::uint64(heap, code.worlds().max.number())),
        "rettype" => Ok(heap.type_value(code.return_type)),
        "exctype" => Ok(heap.type_value(code.exception_type)),
        "rettype_const" => code.return_const.map(|it| constants::value_of(heap, it)).ok_or_else(undefined),
        "edges" => edges(rt, &code),
        "inferred" => match code.code(rt) {
            Some(code) => typed_value::typed_value(rt, code),
            None => Ok(heap.nothing()),
        },
        _ => Ok(heap.nothing()),
    }
}

/// Returns the generated body, if a `CodeInstance` value refers to one.
fn generated(rt: &Runtime, value: Value) -> Option<Arc<CodeInfo>> {
    let is_body = value.bits() as u32 as usize == GENERATED;
    let instance = Instance::from_u32((value.bits() >> PLACE_BITS) as u32);
    rt.tables.instance_data(instance).generated.get().filter(|_| is_body).cloned()
}

/// A field of the `CodeInstance` that holds the body that a generator made: nothing is inferred of it yet.
fn body_field(rt: &Runtime, object: Value, body: &CodeInfo, name: &str) -> Run {
    let (heap, core) = (&rt.heap, rt.heap.core());
    match name {
        "def" => Ok(Value::inline(core.method_instance, object.bits() >> PLACE_BITS)),
        "owner" => Ok(heap.symbol("uninferred")),
        "min_world" => Ok(numbers::uint64(heap, World::FIRST.number())),
        "max_world" => Ok(numbers::uint64(heap, World::MAX.number())),
        "rettype" | "exctype" => Ok(heap.type_value(core.any)),
        "inferred" => code_value::lowered_value(rt, body),
        "edges" => Ok(svecs::new(heap, &[])),
        _ => Err(exceptions::undef_ref_error(heap)),
    }
}

/// Returns the dependencies of a result in Julia's form: instances of calls; signature and instance of an `invoke`;
/// number of methods, signature and methods of a look-up; bindings.
fn edges(rt: &Runtime, code: &CodeInstance) -> Run {
    let (heap, core) = (&rt.heap, rt.heap.core());
    let instance = |it: &Instance| {
        Value::inline(
            core.method_instance,
            u64::from(rt.tables.instances.plain(&rt.tables.methods, *it).as_u32()),
        )
    };
    let mut listed: Vec<Value> = Vec::new();
    for edge in code.edges.iter() {
        match edge {
            Edge::Instance(callee) => listed.push(instance(callee)),
            Edge::Invoke { sig, instance: callee } => {
                listed.extend([heap.type_value(*sig), instance(callee)]);
            }
            // One target is an instance's edge.
            Edge::Lookup { found, .. } if found.len() == 1 => {}
            Edge::Lookup { sig, found } => {
                listed.extend([heap.int(found.len() as i64), heap.type_value(*sig)]);
                listed.extend(found.iter().map(|it| Value::inline(core.method, it.index() as u64)));
            }
            Edge::Binding(module, name) => listed.push(binding(rt, *module, *name)?),
            Edge::Original { .. } | Edge::TooMany(_) | Edge::Body(_) | Edge::Constant { .. } => {}
        }
    }
    Ok(svecs::new(heap, &listed))
}

/// `Core.Binding` of a name.
fn binding(rt: &Runtime, module: Module, name: Symbol) -> Run {
    let core = rt.heap.core();
    let ty = rt.global(Module::CORE, rt.types.symbol("Binding"));
    let ty = ty.and_then(|it| it.as_type(core));
    let ty = ty.ok_or_else(|| rt.error("`Core.Binding` is not defined yet"))?;
    let parts = [Value::module(core, module), Value::symbol(core, name)];
    Ok(fields::new_struct(&rt.heap, ty, &[fields::new_struct(&rt.heap, core.global_ref, &parts)]))
}

/// The method instance of a `CodeInstance` that holds in the running world.
pub(crate) fn invoked(rt: &Runtime, value: Value) -> Run<Instance> {
    let world = rt.current_world();
    match parts(rt, value) {
        Some((instance, _, code)) if code.holds_in(world) => Ok(instance),
        _ => Err(rt.error("invoke: CodeInstance not valid for this world")),
    }
}
