//! NVIDIA GPUs: special registers, group and warp barriers.

use super::{DeviceItems, ItemQuery, letter};
use crate::error::TargetLimit;
use crate::llvm::{Convention, Module, Val};
use kiln_targets::TargetFacts;

/// Queries of NVIDIA GPUs.
pub(crate) struct Ptx;

impl DeviceItems for Ptx {
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit> {
        let register = match what {
            ItemQuery::LocalId => "tid",
            ItemQuery::GroupId => "ctaid",
            ItemQuery::LocalSize => "ntid",
            ItemQuery::NumGroups => "nctaid",
        };
        let name = format!("llvm.nvvm.read.ptx.sreg.{register}.{}", letter(dim));
        let items_max = [1024, 1024, 64][dim];
        let value = module.within(module.intrinsic(&name, &[], &[]), what.range(items_max));
        Ok(module.widen(value))
    }

    fn barrier(&self, module: &Module) -> Result<(), TargetLimit> {
        module.intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", &[], &[module.const_u32(0)]);
        Ok(())
    }

    /// The vote returns the items that met; the barrier before it orders memory.
    fn warp_barrier(&self, module: &Module, _: &TargetFacts, mask: Option<Val>) -> Result<Val, TargetLimit> {
        let here = module.intrinsic("llvm.nvvm.activemask", &[], &[]);
        let mask = mask.map_or(here, |mask| {
            let is_empty = module.int_eq(mask, module.const_u32(0));
            module.select(is_empty, here, mask)
        });
        module.intrinsic("llvm.nvvm.bar.warp.sync", &[], &[mask]);
        let yes = module.const_int(module.int(1), 1);
        Ok(module.intrinsic("llvm.nvvm.vote.ballot.sync", &[], &[mask, yes]))
    }

    fn dynamic_shared_bytes(&self, module: &Module) -> Val {
        module.widen(module.intrinsic("llvm.nvvm.read.ptx.sreg.dynamic_smem_size", &[], &[]))
    }
    fn launched(&self) -> Option<Convention> {
        Some(Convention::PtxKernel)
    }
}
