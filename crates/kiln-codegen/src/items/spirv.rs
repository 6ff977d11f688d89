//! OpenCL: built-in functions, which the back end knows by their mangled names.

use super::{COUNT_END, DeviceItems, ItemQuery, Scope};
use crate::error::TargetLimit;
use crate::llvm::{Module, Order, Ty, Val};
use kiln_targets::{SPIRV_CLOCK, TargetFacts, spirv_minor};

/// The memory flags of `barrier`: shared and global.
const ALL_FENCES: u32 = 3;
/// The operands of `ControlBarrier`: the sub-group scope, and shared and global memory.
const SUBGROUP: u32 = 3;
const ALL_IN_ORDER: u32 = 0x308;
/// Scopes of memory.
const ALL_DEVICES: u32 = 0;
const DEVICE: u32 = 1;
const GROUP: u32 = 2;
/// Semantics of fences: the order, and memory of the group and of all groups.
const ACQUIRES: u32 = 0x2;
const RELEASES: u32 = 0x4;
const ACQUIRES_AND_RELEASES: u32 = 0x8;
const IN_ONE_ORDER: u32 = 0x10;
const ALL_MEMORY: u32 = 0x300;
/// The first minor version with ballots: 1.3.
const BALLOT_MINOR: u32 = 3;

/// Queries of OpenCL devices.
pub(crate) struct Spirv;

impl DeviceItems for Spirv {
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit> {
        let name = match what {
            ItemQuery::LocalId => "_Z12get_local_idj",
            ItemQuery::GroupId => "_Z12get_group_idj",
            ItemQuery::LocalSize => "_Z14get_local_sizej",
            ItemQuery::NumGroups => "_Z14get_num_groupsj",
        };
        let attributes = ["memory", "nounwind", "willreturn"];
        let function = module.declared(name, module.int(64), &[module.int(32)], &attributes);
        let value = module.call(function, &[module.const_u32(dim as u32)]);
        Ok(module.within(value, what.range(COUNT_END - 1)))
    }

    fn barrier(&self, module: &Module) -> Result<(), TargetLimit> {
        let attributes = ["convergent", "nounwind"];
        let function = module.declared("_Z7barrierj", module.void(), &[module.int(32)], &attributes);
        module.call(function, &[module.const_u32(ALL_FENCES)]);
        Ok(())
    }

    /// LLVM's own fence names no memory, so it would order nothing.
    fn fence(&self, module: &Module, _: &TargetFacts, order: Order, scope: Scope) {
        let scope = match scope {
            Scope::WorkGroup => GROUP,
            Scope::Device => DEVICE,
            Scope::System => ALL_DEVICES,
        };
        let order = match order {
            Order::Acquire => ACQUIRES,
            Order::Release => RELEASES,
            Order::SequentiallyConsistent => IN_ONE_ORDER,
            Order::AcquireRelease | Order::Unordered | Order::Monotonic => ACQUIRES_AND_RELEASES,
        };
        let int = module.int(32);
        let name = "_Z21__spirv_MemoryBarrierjj";
        let fence = module.declared(name, module.void(), &[int, int], &["nounwind", "willreturn"]);
        module.call(fence, &[scope, order | ALL_MEMORY].map(|it| module.const_u32(it)));
    }

    /// Drivers make a whole sub-group wait, or none of it: the mask is not used.
    fn warp_barrier(
        &self,
        module: &Module,
        facts: &TargetFacts,
        mask: Option<Val>,
    ) -> Result<Val, TargetLimit> {
        if spirv_minor(facts).is_none_or(|it| it < BALLOT_MINOR) {
            return Err(TargetLimit::Ballot);
        }
        let (int, attributes) = (module.int(32), ["convergent", "nounwind"]);
        if mask.is_some() {
            let name = "_Z22__spirv_ControlBarrierjjj";
            let barrier = module.declared(name, module.void(), &[int, int, int], &attributes);
            module.call(barrier, &[SUBGROUP, SUBGROUP, ALL_IN_ORDER].map(|it| module.const_u32(it)));
        }
        let ballot = module.declared("_Z16sub_group_balloti", module.vector(int, 4), &[int], &attributes);
        let here = module.element(module.call(ballot, &[module.const_u32(1)]), 0);
        let Some(mask) = mask else { return Ok(here) };
        let is_empty = module.int_eq(mask, module.const_u32(0));
        Ok(module.and(here, module.select(is_empty, module.const_u32(u32::MAX), mask)))
    }

    fn clock(&self, module: &Module, facts: &TargetFacts) -> Result<Val, TargetLimit> {
        if !facts.features.contains(SPIRV_CLOCK) {
            return Err(TargetLimit::ClockExtension(SPIRV_CLOCK));
        }
        let function = module.declared("_Z17clock_read_devicev", module.int(64), &[], &["nounwind"]);
        Ok(module.call(function, &[]))
    }

    /// Intel's driver misreads an argument that is not a struct.
    fn wrapped(&self, module: &Module, words: Ty) -> Ty {
        module.structure(&[words])
    }
}
