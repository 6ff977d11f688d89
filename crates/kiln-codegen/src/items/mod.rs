//! Queries of an item to the device that runs it: indices, sizes, the clock; and barriers and fences.
//!
//! Facts about a device are data; this interface emits the instructions. `Target::items` returns a target's
//! implementation: those of the built-in targets are here, those of third parties in their own libraries.

#[cfg(feature = "gcn")]
pub(crate) mod gcn;
#[cfg(feature = "metal")]
pub(crate) mod metal;
pub(crate) mod none;
#[cfg(feature = "ptx")]
pub(crate) mod ptx;
#[cfg(feature = "spirv")]
pub(crate) mod spirv;

use crate::error::TargetLimit;
use crate::llvm::{Convention, Module, Order, Ty, Val};
use crate::target::Target;
use kiln_targets::{Items, TargetFacts};
use none::NoItems;

/// A query of an item in each dimension. Results count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemQuery {
    /// The index of the item in its group.
    LocalId,
    /// The index of the group.
    GroupId,
    /// The items of a group.
    LocalSize,
    /// The groups of the grid.
    NumGroups,
}

/// The numbers of groups and of all items in each dimension are below this.
const COUNT_END: i64 = 1 << 31;

impl ItemQuery {
    /// Returns the range of the results, for groups of at most `items_max` items.
    pub fn range(self, items_max: i64) -> std::ops::Range<i64> {
        match self {
            Self::LocalId => 0..items_max,
            Self::LocalSize => 1..items_max + 1,
            Self::GroupId => 0..COUNT_END - 1,
            Self::NumGroups => 1..COUNT_END,
        }
    }
}

/// The scope of an atomic operation: the items that see its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The items of the group.
    WorkGroup,
    /// The items of the device.
    Device,
    /// The items of all devices, and the threads of the host.
    System,
}

/// The instructions for queries of an item. The facts say whether a device has a feature; an error explains why it
/// does not. The defaults fit most GPUs.
pub trait DeviceItems: Sync {
    /// Emits a query; the result is an `i64`.
    ///
    /// # Errors
    /// Fails if the device does not have it.
    fn ask(&self, module: &Module, what: ItemQuery, dim: usize) -> Result<Val, TargetLimit>;

    /// Emits a barrier: waits for all items of the group that have not returned, and makes their earlier writes
    /// visible.
    ///
    /// # Errors
    /// Fails if the target has no groups.
    fn barrier(&self, module: &Module) -> Result<(), TargetLimit>;

    /// Waits for the items of a warp in the `i32` `mask`; the result is the mask of those that met. Without a mask no
    /// item waits.
    ///
    /// # Errors
    /// Fails if the device has no warps.
    fn warp_barrier(
        &self,
        module: &Module,
        facts: &TargetFacts,
        mask: Option<Val>,
    ) -> Result<Val, TargetLimit>;

    /// Reads a counter of ticks, an `i64`.
    ///
    /// # Errors
    /// Fails if the device has no clock.
    fn clock(&self, module: &Module, facts: &TargetFacts) -> Result<Val, TargetLimit> {
        let _ = facts;
        Ok(module.intrinsic("llvm.readcyclecounter", &[], &[]))
    }

    /// Emits a fence: orders earlier accesses before later ones for the items of the scope.
    fn fence(&self, module: &Module, facts: &TargetFacts, order: Order, scope: Scope) {
        match (&facts.scopes, scope) {
            (Some(names), Scope::WorkGroup) => module.fence_in(order, &names.group),
            (Some(names), Scope::Device) => module.fence_in(order, &names.device),
            (_, Scope::System) => module.fence_in(order, ""),
            (None, Scope::WorkGroup | Scope::Device) => module.fence(order),
        }
    }

    /// Returns the bytes of dynamic shared memory, an `i64`; the largest number if items cannot query it.
    fn dynamic_shared_bytes(&self, module: &Module) -> Val {
        module.const_i64(i64::MAX)
    }

    /// Returns the calling convention of kernels that items launch, if they can.
    fn launched(&self) -> Option<Convention> {
        None
    }

    /// Returns the type of an argument that does not fit a register; its bytes are `words`.
    fn wrapped(&self, module: &Module, words: Ty) -> Ty {
        let _ = module;
        words
    }
}

const _: Option<&dyn DeviceItems> = None;

/// Returns the queries of a device; `None` if loops run the items.
pub(crate) fn lookup(facts: &TargetFacts, target: &dyn Target) -> Option<&'static dyn DeviceItems> {
    match facts.items {
        Items::Loops => None,
        Items::Device => Some(target.items()),
        Items::None => Some(&NoItems),
    }
}

/// The letter of a dimension.
fn letter(dim: usize) -> char {
    ['x', 'y', 'z'][dim]
}
