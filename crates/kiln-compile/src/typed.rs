//! Inference and optimization of one instance and all it calls, bottom up.

use crate::bodies::Bodies;
use crate::env::CompileEnv;
use crate::late_calls::LateCalls;
use crate::naming::{job, specialization};
use crate::typed_error::TypedError;
use kiln_infer::{Finished, InferError, InferenceInputs};
use kiln_ir::{Instance, IrCode};
use kiln_opt::{OptParams, inlining_class, optimize, unroll_recursion};
use kiln_runtime::bug::while_doing;
use kiln_runtime::deferred;
use kiln_runtime::eval::generated;
use kiln_runtime::tables::{CodeInstance, Edge};
use std::sync::Arc;

/// The code instance, made now if there is none.
pub fn code_instance(env: &CompileEnv<'_>, instance: Instance) -> Result<Arc<CodeInstance>, TypedError> {
    let CompileEnv { rt, view, .. } = *env;
    // A hit is not counted.
    if let Some(found) = rt.tables.code_instance(instance, view.owner, view.world) {
        return Ok(found);
    }
    let about = || specialization(rt, instance);
    env.counters().timed(|it| &it.infer_ns, "infer", about, || infer_within(env, instance, &[]))
}

/// Whether all results that something was made of hold still, which is found out of those that were not requested since
/// they ended: one that came from another session does not name what it calls.
pub fn all_hold(env: &CompileEnv<'_>, parts: &[Arc<CodeInstance>]) -> bool {
    let CompileEnv { rt, view, .. } = *env;
    parts.iter().all(|it| {
        it.holds_in(view.world) || {
            let current = rt.tables.current_instance(it.instance, view.world);
            code_instance(env, current).is_ok_and(|now| Arc::ptr_eq(&now, it))
        }
    })
}

/// The code instance, asked for by the optimizer of the bodies that `outer` names, the latest last.
pub(crate) fn infer_within(
    env: &CompileEnv<'_>,
    instance: Instance,
    outer: &[Instance],
) -> Result<Arc<CodeInstance>, TypedError> {
    let CompileEnv { rt, view, .. } = *env;
    if let Some(found) = rt.tables.code_instance(instance, view.owner, view.world) {
        return Ok(found);
    }
    let _alone = rt.tables.inference.lock();
    // Another thread may have inferred it while this one waited.
    if let Some(found) = rt.tables.code_instance(instance, view.owner, view.world) {
        return Ok(found);
    }
    if let Some(owner) = deferred::owner(rt, instance) {
        return crate::owned::compile(env, (instance, owner), outer);
    }
    let inputs = InferenceInputs {
        world: view.world,
        view: view.tables.clone(),
        params: view.params.clone(),
        owner: view.owner,
    };
    let mut finish = |instance: Instance, code: IrCode| {
        env.counters().count(|it| &it.inferences);
        optimized(env, outer, instance, code)
    };
    let doing = || format!("inferring {}", job(rt, instance));
    let made = while_doing(doing, || kiln_infer::infer(rt, &inputs, instance, &mut finish));
    made.map_err(|it| match it {
        InferError::Generator(_) => TypedError::Generator,
        InferError::Stale => TypedError::Stale,
    })
}

/// A body through the optimizer, and what it came to depend on. `outer` are the bodies being optimized that it is for.
pub(crate) fn optimized(
    env: &CompileEnv<'_>,
    outer: &[Instance],
    instance: Instance,
    code: IrCode,
) -> Finished {
    let CompileEnv { rt, view, .. } = *env;
    let late = LateCalls::new(env, outer, instance);
    let bodies = Bodies::new(rt, view, Some(&late));
    let meta = generated::instance_body(rt, instance).map(|it| it.meta.clone()).unwrap_or_default();
    let mut params = OptParams {
        propagate_inbounds: meta.propagate_inbounds,
        check_bounds: view.params.check_bounds,
        guard_arithmetic: !view.in_kernel(),
        ..OptParams::default()
    };
    if view.always_inline {
        params.inline_cost_max = OptParams::INLINE_COST_LIMIT;
    }
    let about = || specialization(rt, instance);
    let mut code = env.counters().timed(
        |it| &it.optimize_ns,
        "optimize",
        about,
        || {
            let code = optimize(code, &rt.types, &bodies, &params, &mut |_, _| ());
            if view.in_kernel() {
                return code;
            }
            unroll_recursion(code, &rt.types, &bodies, &params, (instance, meta.inlining))
        },
    );
    // What was inlined from a body made earlier names what it calls as it was then.
    for data in code.stmts.values_mut() {
        if let Some(callee) = data.op.callee_mut() {
            *callee = rt.tables.current_instance(*callee, view.world);
        }
    }
    let inlining = inlining_class(&code, meta.inlining, &rt.types, &params) as u8;
    let asked: Vec<Edge> = bodies.into_edges().collect();
    let (mut edges, worlds) = late.into_edges();
    edges.extend(asked);
    Finished { code, edges, worlds, inlining }
}

/// The instance whose result a static call of `instance` reaches: the one that took its place if its method was defined
/// again, and the one the result was first made for if that holds still.
pub fn resolve(env: &CompileEnv<'_>, instance: Instance) -> Instance {
    let CompileEnv { rt, view, .. } = *env;
    let current = rt.tables.current_instance(instance, view.world);
    code_instance(env, current).map_or(current, |it| it.instance)
}
