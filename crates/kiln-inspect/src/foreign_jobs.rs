//! Jobs for back ends of others: what to compile as this driver's kernels are inferred, and the typed code of all that a
//! job reaches. What they make of it they keep with the job: `kiln_runtime::caching`.

use crate::error::InspectError;
use crate::views::device_view;
use kiln_compile::{Place, View, call_graph, code_instance};
use kiln_exec::{ExecEnv, kernel_params};
use kiln_infer::InferenceParams;
use kiln_runtime::Runtime;
use kiln_runtime::caching::{CacheView, CompilerConfig, CompilerJob, StableBytes};
use kiln_runtime::tables::{CodeInstance, DispatchFailure};
use kiln_types::Type;
use std::sync::Arc;

/// The job of a call with exactly these types, the function's first, in the newest world.
///
/// # Errors
/// When no method takes the arguments, or none is the most specific.
pub fn foreign_job(
    rt: &Runtime,
    call: &[Type],
    config: &Arc<CompilerConfig>,
) -> Result<CompilerJob, DispatchFailure> {
    let world = rt.tables.world();
    let tables = config.options().method_tables.clone();
    let source = CacheView::with_view(&rt.tables, config.owner(), tables, world).exact_instance(call)?;
    Ok(CompilerJob { source, config: config.clone(), world })
}

/// The typed code of a job, inferred now unless that has been done for the owner of its configuration.
///
/// # Errors
/// When it has none, or the configuration names other parameters of inference than this driver's kernels have.
pub fn infer_job(env: &ExecEnv<'_>, job: &CompilerJob) -> Result<Arc<CodeInstance>, InspectError> {
    let view = job_view(env, job)?;
    Ok(code_instance(&env.stages(&view), job.source)?)
}

/// The typed code of a job and of all that it reaches by static calls, its own first. What is made of them is good in
/// each world in which all of them hold.
///
/// # Errors
/// As [`infer_job`].
pub fn reachable(env: &ExecEnv<'_>, job: &CompilerJob) -> Result<Arc<[Arc<CodeInstance>]>, InspectError> {
    let view = job_view(env, job)?;
    let place = if job.config.options().kernel { Place::Device } else { Place::Host };
    Ok(call_graph(&env.stages(&view), job.source, place)?.parts())
}

fn job_view(env: &ExecEnv<'_>, job: &CompilerJob) -> Result<View, InspectError> {
    let options = job.config.options();
    // Of a target that has fused multiply-add, or of one that has not.
    let params = [true, false].map(|have_fma| InferenceParams {
        have_fma,
        ..kernel_params(env.rt, &env.exec.compiler.options, &env.exec.compiler.options.facts)
    });
    let params = params.into_iter().find(|it| options.inference == StableBytes::from_stable(it));
    let params = params.ok_or(InspectError::ForeignConfig)?;
    Ok(View {
        owner: job.config.owner(),
        tables: options.method_tables.clone(),
        world: job.world,
        params,
        always_inline: options.always_inline,
        ..device_view(env, &[])
    })
}
