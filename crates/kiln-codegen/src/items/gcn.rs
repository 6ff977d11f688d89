//! AMD GPUs: registers set by the hardware, and sizes that the launcher stores behind the arguments (code objects of
//! version 5 and later).

use super::{DeviceItems, ItemQuery, letter};
use crate::error::TargetLimit;
use crate::llvm::{Module, Order, Val};
use kiln_targets::TargetFacts;
use llvm_sys::LLVMOpcode as Opcode;

/// The items of a group, at most.
const ITEMS_MAX: i64 = 1024;
/// The offset of the numbers of groups in the implicit arguments, four bytes each.
const NUM_GROUPS: usize = 0;
/// The offset of the sizes of groups in the implicit arguments, two bytes each.
const LOCAL_SIZE: usize = 12;
/// The items of a warp, which may be half of a wavefront.
const WARP: u32 = 32;

/// Queries of AMD GPUs.
pub(crate) struct Gcn;

impl DeviceItems for Gcn {
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit> {
        let register = |name| module.intrinsic(&format!("llvm.amdgcn.{name}.id.{}", letter(dim)), &[], &[]);
        let argument = |offset: usize, bytes: usize| {
            let base = module.intrinsic("llvm.amdgcn.implicitarg.ptr", &[], &[]);
            let at = module.field(base, (offset + bytes * dim) as u64);
            module.invariant(module.load(module.int(8 * bytes as u32), at, bytes as u32))
        };
        let value = match what {
            ItemQuery::LocalId => register("workitem"),
            ItemQuery::GroupId => register("workgroup"),
            ItemQuery::LocalSize => argument(LOCAL_SIZE, 2),
            ItemQuery::NumGroups => argument(NUM_GROUPS, 4),
        };
        Ok(module.widen(module.within(value, what.range(ITEMS_MAX))))
    }

    fn barrier(&self, module: &Module) -> Result<(), TargetLimit> {
        module.fence_in(Order::Release, "workgroup");
        module.intrinsic("llvm.amdgcn.s.barrier", &[], &[]);
        module.fence_in(Order::Acquire, "workgroup");
        Ok(())
    }

    /// The items of a wavefront run in lockstep, so the active items have met.
    fn warp_barrier(&self, module: &Module, _: &TargetFacts, mask: Option<Val>) -> Result<Val, TargetLimit> {
        let (int, long) = (module.int(32), module.int(64));
        module.fence_in(Order::Release, "wavefront");
        module.intrinsic("llvm.amdgcn.wave.barrier", &[], &[]);
        module.fence_in(Order::Acquire, "wavefront");
        let yes = module.const_int(module.int(1), 1);
        let here = module.intrinsic("llvm.amdgcn.ballot", &[long], &[yes]);
        let (all, none) = (module.const_u32(u32::MAX), module.const_u32(0));
        let low = module.intrinsic("llvm.amdgcn.mbcnt.lo", &[], &[all, none]);
        let lane = module.intrinsic("llvm.amdgcn.mbcnt.hi", &[], &[all, low]);
        let half = module.resize(module.and(lane, module.const_u32(WARP)), long);
        let here = module.resize(module.binary(Opcode::LLVMLShr, here, half), int);
        let Some(mask) = mask else { return Ok(here) };
        let is_empty = module.int_eq(mask, none);
        Ok(module.and(here, module.select(is_empty, all, mask)))
    }
}
