//! The views of kernels that are looked at.

use kiln_compile::View;
use kiln_exec::{ExecEnv, KernelJob};
use kiln_runtime::tables::TableId;
use kiln_types::{Type, datatype};

/// Returns the view of a kernel, the types of its function and arguments given: that of its launch, of several
/// configurations in the one that was asked for last for the first time; if it was not, that of which nothing is said.
pub(crate) fn view_of(env: &ExecEnv<'_>, types: &[Type]) -> View {
    let ExecEnv { rt, exec } = *env;
    let args = datatype::tuple(&rt.types, &types[1..]);
    let is_it = |job: &KernelJob| job.function == types[0] && job.args == args;
    if let Some(job) = exec.jobs.last_asked(is_it) {
        return env.view(job.config);
    }
    let launched = |view: &View| {
        let instance = rt.tables.dispatch_in(view.id(rt), types, view.world);
        instance.is_ok_and(|it| rt.tables.code_instance(it, view.owner, view.world).is_some())
    };
    let views = exec.configs.known_views(rt).into_iter().rev();
    views.into_iter().find(launched).unwrap_or_else(|| device_view(env, &[]))
}

/// Returns the view of kernels that see these overlay tables and of which nothing else is said.
pub(crate) fn device_view(env: &ExecEnv<'_>, tables: &[TableId]) -> View {
    let ExecEnv { rt, exec } = *env;
    env.view(exec.configs.plain(rt, &exec.compiler, tables))
}
