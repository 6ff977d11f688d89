//! Bodies of `@generated` functions: the generator runs once an instance.

use super::{QuoteLocations, quote, value_code};
use crate::heap::{Value, tuples};
use crate::interp::{Decoded, call};
use crate::runtime::Runtime;
use crate::services::GeneratedBody;
use crate::tables::{Method, MethodInstance, ViewId, generator_world};
use crate::thrown::Run;
use kiln_ir::{Ast, CodeInfo, Instance};
use kiln_types::{Type, datatype, unionall};
use std::sync::Arc;

/// Returns the lowered body of an instance: the method's own, or the output of its generator.
pub fn instance_body(rt: &Runtime, instance: Instance) -> Run<Arc<CodeInfo>> {
    let data = rt.tables.instance_data(instance);
    let method = rt.tables.method(data.method);
    if method.code.meta.generated { generated_body(rt, instance) } else { Ok(method.code.clone()) }
}

/// The body that the generator of an instance's method makes for it.
pub fn generated_body(rt: &Runtime, instance: Instance) -> Run<Arc<CodeInfo>> {
    let data = rt.tables.instance_data(instance);
    if let Some(code) = data.generated.get() {
        return Ok(code.clone());
    }
    let method = rt.tables.method(data.method);
    let code = Arc::new(generate(rt, &method, &data)?);
    Ok(data.generated.get_or_init(|| code).clone())
}

/// The decoded body of a method for arguments of the types `actual`.
pub(crate) fn method_body(rt: &Runtime, method: &Method, actual: Type, params: &[Type]) -> Run<Arc<Decoded>> {
    if method.code.meta.generated {
        let instance = rt.tables.instance(method.id, actual, params);
        return Ok(Arc::new(Decoded::new(rt, generated_body(rt, instance)?)));
    }
    Ok(call::decoded_body(rt, method, crate::interp::running_view()))
}

fn generate(rt: &Runtime, method: &Method, data: &MethodInstance) -> Run<CodeInfo> {
    let args = generator_args(rt, method, data);
    let generator = Arc::new(CodeInfo { is_va: false, ..(**method.code).clone() });
    let decoded = Decoded::new(rt, generator);
    let params = call::param_values(rt, &data.static_params);
    // A generator sees what there was when it was defined, for every caller at any time: its output can not go stale.
    let world = generator_world(&rt.tables, method.module, method.worlds().min);
    let world = world.unwrap_or_else(|| rt.current_world());
    let run = || crate::interp::in_world(world, || call::run_with(rt, method.id, &decoded, &args, &params));
    let in_view = || crate::interp::in_view(ViewId::HOST, run);
    let made = crate::interp::generating(method.id, rt.current_world(), in_view)?;
    if value_code::is_code_info(rt, made) {
        return generated_code(rt, method, data, made);
    }
    let mut ast = Ast::new();
    let body = quote::value_expr(rt, &mut ast, made, method.loc, &QuoteLocations::default());
    let names: Vec<_> = method.code.slots.iter().take(method.nargs as usize).map(|it| it.name).collect();
    let body = GeneratedBody {
        module: method.module,
        name: method.name,
        args: &names,
        is_va: method.is_va,
        static_params: &method.code.static_params,
        body,
        loc: method.loc,
    };
    crate::interp::with_room(|| rt.frontend.lower_generated(rt, &mut ast, body))
}

/// The body that a generator returned as code.
fn generated_code(rt: &Runtime, method: &Method, data: &MethodInstance, made: Value) -> Run<CodeInfo> {
    let mut code = value_code::code_of_value(rt, made, method.module)?;
    code.name = method.name;
    code.loc = method.loc;
    let given = datatype::params(&rt.types, unionall::unwrap(&rt.types, data.spec_types)).len();
    let own = (code.nargs, code.is_va) != (method.nargs, method.is_va);
    let takes_them = if code.is_va { code.nargs as usize <= given + 1 } else { code.nargs as usize == given };
    if own && takes_them && code.nargs > 0 {
        code.static_params.clone_from(&method.code.static_params);
        return Ok(code);
    }
    if code.slots.len() < method.nargs as usize {
        return Err(rt.error("the generated code has too few slots for its arguments"));
    }
    code.nargs = method.nargs;
    code.is_va = method.is_va;
    code.static_params.clone_from(&method.code.static_params);
    Ok(code)
}

/// A generator gets types where the body gets values; the rest of a vararg method as a tuple of types.
fn generator_args(rt: &Runtime, method: &Method, data: &MethodInstance) -> Vec<Value> {
    let elems = datatype::params(&rt.types, unionall::unwrap(&rt.types, data.spec_types));
    let mut args: Vec<Value> = elems.iter().map(|&it| rt.heap.type_value(it)).collect();
    if method.is_va {
        let rest = args.split_off((method.nargs as usize - 1).min(args.len()));
        args.push(tuples::new(&rt.heap, &rest));
    }
    args
}
