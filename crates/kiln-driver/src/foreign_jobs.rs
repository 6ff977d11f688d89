//! Jobs for back ends of others: what to compile as this driver's kernels are inferred, and the typed code of all that a
//! job reaches. What they make of it they keep with the job: `kiln_runtime::caching`.

use crate::check::Place;
use crate::kernel_host::Driver;
use crate::reflect::ReflectError;
use crate::typed::{View, code_instance};
use kiln_infer::InferenceParams;
use kiln_runtime::Runtime;
use kiln_runtime::caching::{CacheView, CompilerConfig, CompilerJob, ConfigOptions, Description};
use kiln_runtime::tables::{CodeInstance, DispatchFailure, MethodTableView, TableId};
use kiln_types::Type;
use std::sync::Arc;

impl Driver {
    /// How kernels are compiled that see these overlay tables, the front one first: where a back end begins, to change what
    /// it does otherwise.
    pub fn kernel_options(&self, rt: &Runtime, overlays: &[TableId]) -> ConfigOptions {
        ConfigOptions {
            method_tables: MethodTableView::stacked(overlays),
            inference: Description::of(&View::kernel_params(rt)),
            target: Description::of(&self.facts().to_bytes()),
            opt_level: 3,
            ..ConfigOptions::default()
        }
    }

    /// The job of a call with exactly these types, the function's first, in the newest world.
    ///
    /// # Errors
    /// When no method takes the arguments, or none is the most specific.
    pub fn job(
        &self,
        rt: &Runtime,
        call: &[Type],
        config: &Arc<CompilerConfig>,
    ) -> Result<CompilerJob, DispatchFailure> {
        let world = rt.tables.world();
        let tables = config.options().method_tables.clone();
        let source = CacheView::of(&rt.tables, config.owner(), tables, world).exact_instance(call)?;
        Ok(CompilerJob { source, config: config.clone(), world })
    }

    /// The typed code of a job, inferred now unless that has been done for the owner of its configuration.
    ///
    /// # Errors
    /// When it has none, or the configuration names other parameters of inference than this driver's kernels have.
    pub fn infer(&self, rt: &Runtime, job: &CompilerJob) -> Result<Arc<CodeInstance>, ReflectError> {
        let view = job_view(rt, job)?;
        code_instance(rt, self.counters(), &view, job.source).map_err(ReflectError)
    }

    /// The typed code of a job and of all that it reaches by static calls, its own first. What is made of them is good in
    /// each world in which all of them hold.
    ///
    /// # Errors
    /// As [`Driver::infer`].
    pub fn reachable(
        &self,
        rt: &Runtime,
        job: &CompilerJob,
    ) -> Result<Arc<[Arc<CodeInstance>]>, ReflectError> {
        let view = job_view(rt, job)?;
        let place = if job.config.options().kernel { Place::Device } else { Place::Host };
        self.call_graph(rt, &view, job.source, place).map(|it| it.parts()).map_err(ReflectError)
    }
}

fn job_view(rt: &Runtime, job: &CompilerJob) -> Result<View, ReflectError> {
    let options = job.config.options();
    let params: InferenceParams = View::kernel_params(rt);
    if options.inference != Description::of(&params) {
        return Err(ReflectError("its configuration is not of a kernel of this driver".into()));
    }
    Ok(View {
        owner: job.config.owner(),
        tables: options.method_tables.clone(),
        world: job.world,
        params,
        always_inline: options.always_inline,
    })
}
