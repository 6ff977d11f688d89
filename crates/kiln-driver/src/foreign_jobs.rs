//! Jobs for back ends of others: what to compile as this driver's kernels are inferred, and the typed code of all that a
//! job reaches. What they make of it they keep with the job: `kiln_runtime::caching`.

use crate::config::kernel_params;
use crate::kernel_host::Driver;
use crate::reflect::ReflectError;
use kiln_compile::{Place, View, call_graph, code_instance};
use kiln_infer::InferenceParams;
use kiln_runtime::Runtime;
use kiln_runtime::caching::{CacheView, CompilerConfig, CompilerJob, Description};
use kiln_runtime::tables::{CodeInstance, DispatchFailure};
use kiln_types::Type;
use std::sync::Arc;

impl Driver {
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
        let view = self.job_view(rt, job)?;
        code_instance(&self.env(rt, &view), job.source).map_err(ReflectError::from)
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
        let view = self.job_view(rt, job)?;
        let place = if job.config.options().kernel { Place::Device } else { Place::Host };
        call_graph(&self.env(rt, &view), job.source, place).map(|it| it.parts()).map_err(ReflectError::from)
    }

    fn job_view(&self, rt: &Runtime, job: &CompilerJob) -> Result<View, ReflectError> {
        let options = job.config.options();
        // Of a target that has fused multiply-add, or of one that has not.
        let params =
            [true, false].map(|have_fma| InferenceParams { have_fma, ..kernel_params(rt, self.facts()) });
        let params = params.into_iter().find(|it| options.inference == Description::of(it));
        let other = || ReflectError("its configuration is not of a kernel of this driver".into());
        let (method_tables, params) = (options.method_tables.clone(), params.ok_or_else(other)?);
        Ok(View {
            owner: job.config.owner(),
            tables: method_tables,
            world: job.world,
            params,
            always_inline: options.always_inline,
            ..self.device_view(rt, &[])
        })
    }
}
