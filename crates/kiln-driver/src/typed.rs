//! Inference and optimization of one instance and all it calls, bottom up.

use crate::bodies::Bodies;
use crate::stats::{Counters, count, timed};
use kiln_infer::{InferError, InferenceInputs, InferenceParams};
use kiln_ir::{Instance, IrCode};
use kiln_opt::{OptParams, optimize};
use kiln_runtime::Runtime;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodTableView, World};
use std::sync::Arc;

/// Results for kernels of this machine's CPU. One fixed number: what inference depends on besides is the session's.
const KERNEL_OWNER: CacheOwner = CacheOwner::from_hash(1);

/// What inference is to see: everything that two jobs with the same results must agree on.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) owner: CacheOwner,
    pub(crate) tables: MethodTableView,
    pub(crate) world: World,
}

impl View {
    /// What the device intrinsic `in_kernel` answers.
    pub(crate) fn in_kernel(&self) -> bool {
        self.owner == KERNEL_OWNER
    }

    /// What host code sees.
    pub(crate) fn host(rt: &Runtime) -> Self {
        Self { owner: CacheOwner::HOST, tables: MethodTableView::global(), world: rt.tables.world() }
    }

    /// What kernels of the CPU see. They share inference with one another and not with host code, to which
    /// `kiln_in_kernel()` answers otherwise.
    pub(crate) fn device(rt: &Runtime) -> Self {
        Self { owner: KERNEL_OWNER, tables: MethodTableView::global(), world: rt.tables.world() }
    }
}

/// Why an instance has no typed body.
pub(crate) type InferFailure = String;

/// The code instance, made now if there is none.
pub(crate) fn code_instance(
    rt: &Runtime,
    counters: &Counters,
    view: &View,
    instance: Instance,
) -> Result<Arc<CodeInstance>, InferFailure> {
    if let Some(found) = rt.tables.code_instance(instance, view.owner, view.world) {
        return Ok(found);
    }
    let inputs = InferenceInputs {
        world: view.world,
        view: view.tables.clone(),
        params: InferenceParams {
            have_fma: rt.have_fma,
            in_kernel: view.in_kernel(),
            ..InferenceParams::default()
        },
        owner: view.owner,
    };
    let bodies = Bodies { rt, owner: view.owner, world: view.world };
    let mut finish = |instance: Instance, code: IrCode| {
        count(&counters.inferences);
        let propagate = rt.instance_body(instance).is_ok_and(|it| it.meta.propagate_inbounds);
        let params = OptParams { propagate_inbounds: propagate, ..OptParams::default() };
        timed(&counters.optimize_ns, || optimize(code, &rt.types, &bodies, &params, &mut |_, _| ()))
    };
    timed(&counters.infer_ns, || kiln_infer::infer(rt, &inputs, instance, &mut finish)).map_err(|it| match it
    {
        InferError::Generator(_) => "the generator of a @generated function threw".to_owned(),
        InferError::Stale => "a definition made while compiling changed what was compiled".to_owned(),
    })
}
