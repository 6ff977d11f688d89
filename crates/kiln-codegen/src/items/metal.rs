//! Apple GPUs: parameters of the kernel that the driver fills, named by functions until the entry is made, and functions of AIR.

use super::{DeviceItems, ItemQuery, Scope};
use crate::error::TargetLimit;
use crate::llvm::{Module, Order, Val};
use kiln_targets::TargetFacts;

/// Memory that barriers and fences order: of the device and of the group.
const ALL_MEMORY: u32 = 1 | 2;
/// Scopes of AIR.
const GROUP: u32 = 1;
const DEVICE: u32 = 2;
/// Orders of AIR.
const ACQUIRE: u32 = 2;
const RELEASE: u32 = 3;
const ACQUIRE_RELEASE: u32 = 4;
const SEQUENTIAL: u32 = 5;
/// The function that orders accesses.
pub(crate) const FENCE: &str = "air.atomic.fence";

/// Queries of Apple GPUs.
pub(crate) struct Metal;

/// Emits a fence for the items of a scope.
pub(crate) fn fence(module: &Module, order: Order, scope: Scope) {
    // The host sees what a kernel has written when it is over: no scope is wider than the device.
    let scope = if scope == Scope::WorkGroup { GROUP } else { DEVICE };
    let order = match order {
        Order::Unordered | Order::Monotonic => return,
        Order::Acquire => ACQUIRE,
        Order::Release => RELEASE,
        Order::AcquireRelease => ACQUIRE_RELEASE,
        Order::SequentiallyConsistent => SEQUENTIAL,
    };
    let int = module.int(32);
    let fence = module.declared(FENCE, module.void(), &[int; 3], &["nounwind", "willreturn"]);
    module.call(fence, &[ALL_MEMORY, order, scope].map(|it| module.const_u32(it)));
}

/// Emits a barrier of AIR.
fn barrier(module: &Module, name: &str) {
    let int = module.int(32);
    let attributes = ["convergent", "nounwind", "willreturn"];
    let barrier = module.declared(name, module.void(), &[int; 2], &attributes);
    module.call(barrier, &[ALL_MEMORY, GROUP].map(|it| module.const_u32(it)));
}

impl DeviceItems for Metal {
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit> {
        let name = match what {
            ItemQuery::LocalId => "thread_position_in_threadgroup",
            ItemQuery::GroupId => "threadgroup_position_in_grid",
            ItemQuery::LocalSize => "threads_per_threadgroup",
            ItemQuery::NumGroups => "threadgroups_per_grid",
        };
        let (name, vector) = (format!("julia.air.{name}.v3i32"), module.vector(module.int(32), 3));
        let function = module.declared(&name, vector, &[], &["memory", "nounwind", "willreturn"]);
        Ok(module.widen(module.element(module.call(function, &[]), dim as u32)))
    }

    fn barrier(&self, module: &Module) -> Result<(), TargetLimit> {
        barrier(module, "air.wg.barrier");
        Ok(())
    }

    fn fence(&self, module: &Module, _: &TargetFacts, order: Order, scope: Scope) {
        fence(module, order, scope);
    }

    /// Items of a SIMD-group wait for all of them that come here; the mask says which of them count.
    fn warp_barrier(&self, module: &Module, _: &TargetFacts, mask: Option<Val>) -> Result<Val, TargetLimit> {
        if mask.is_some() {
            barrier(module, "air.simdgroup.barrier");
        }
        let attributes = ["convergent", "nounwind", "willreturn"];
        let (bit, long) = (module.int(1), module.int(64));
        let ballot = module.declared("air.simd_ballot.i64", long, &[bit], &attributes);
        let here = module.resize(module.call(ballot, &[module.const_int(bit, 1)]), module.int(32));
        let Some(mask) = mask else { return Ok(here) };
        let is_empty = module.int_eq(mask, module.const_u32(0));
        Ok(module.and(here, module.select(is_empty, module.const_u32(u32::MAX), mask)))
    }

    fn clock(&self, _: &Module, _: &TargetFacts) -> Result<Val, TargetLimit> {
        Err(TargetLimit::Clock)
    }
}
