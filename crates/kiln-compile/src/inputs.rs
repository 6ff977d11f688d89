//! The inputs of a job: what it sees, and what it is compiled for.

use crate::unit_target::UnitTarget;
use kiln_infer::InferenceParams;
use kiln_runtime::Runtime;
use kiln_runtime::tables::{CacheOwner, MethodTableView, ViewId, World};
use kiln_unit::DeviceOptions;
use std::sync::Arc;

/// The inputs of a job's stages. Jobs with the same typed code agree on the inputs of inference: on everything but the
/// last two fields.
#[derive(Clone, Debug)]
pub struct View {
    /// The owner of typed code.
    pub owner: CacheOwner,
    /// The method tables that the job sees.
    pub tables: MethodTableView,
    /// The world that the job is compiled in.
    pub world: World,
    /// The parameters of inference.
    pub params: InferenceParams,
    /// Every call is inlined that can be.
    pub always_inline: bool,
    /// The target of units: units of the same typed code that agree here are the same.
    pub unit: Arc<UnitTarget>,
    /// How what a device is given is linked from units: nothing before that sees it.
    pub device: Arc<DeviceOptions>,
    /// The room of a launch for the objects that a kernel makes: only the launch sees it.
    pub heap_bytes: u32,
}

impl View {
    /// Returns the answer of the device intrinsic `in_kernel`.
    pub fn in_kernel(&self) -> bool {
        self.params.in_kernel
    }

    /// Returns the view of host code that is compiled for `unit`.
    pub fn host(rt: &Runtime, unit: &Arc<UnitTarget>) -> Self {
        Self {
            owner: CacheOwner::HOST,
            tables: MethodTableView::global(),
            world: rt.tables.world(),
            params: InferenceParams {
                have_fma: rt.have_fma,
                check_bounds: rt.check_bounds,
                ..InferenceParams::default()
            },
            always_inline: false,
            unit: unit.clone(),
            device: Arc::default(),
            heap_bytes: 0,
        }
    }

    /// The same view, as the interpreter's dispatch knows it.
    pub fn id(&self, rt: &Runtime) -> ViewId {
        self.params.view_id(rt, &self.tables)
    }
}
