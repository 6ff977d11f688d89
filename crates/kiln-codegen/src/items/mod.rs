//! Queries of an item to the device that runs it: its own number, the other items, the time.
//!
//! What is true of a device is in its facts; here is what it takes to ask it, in instructions. A target has them
//! (`Target::items`): the built-in ones here, those of a third party wherever it is.

#[cfg(feature = "gcn")]
pub(crate) mod gcn;
pub(crate) mod none;
#[cfg(feature = "ptx")]
pub(crate) mod ptx;
#[cfg(feature = "spirv")]
pub(crate) mod spirv;

use crate::error::TargetLimit;
use crate::llvm::{Convention, Function, Module, Order, Ty, Val};
use crate::target::Target;
use kiln_targets::{Items, TargetFacts};
use none::NoItems;

/// A query of an item in each dimension. Answers count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Which item of its group it is.
    LocalId,
    /// Which group it is in.
    GroupId,
    /// How many items its group has.
    LocalSize,
    /// How many groups there are.
    NumGroups,
}

/// Groups, and items of all groups, are fewer in each dimension.
const COUNT_END: i64 = 1 << 31;

impl Question {
    /// Returns the range of the answers, for groups of at most so many items.
    pub fn range(self, items_max: i64) -> std::ops::Range<i64> {
        match self {
            Self::LocalId => 0..items_max,
            Self::LocalSize => 1..items_max + 1,
            Self::GroupId => 0..COUNT_END - 1,
            Self::NumGroups => 1..COUNT_END,
        }
    }
}

/// The items that an atomic operation orders accesses for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Those of the group.
    WorkGroup,
    /// Those of the device.
    Device,
    /// Those of all devices, and the threads of the host.
    System,
}

/// The instructions by which an item asks the device that runs it. Whether a device has something is in its facts; an error
/// says why it does not answer. Most GPUs do what the defaults do.
pub trait DeviceItems: Sync {
    /// The answer to a question, an `i64`.
    ///
    /// # Errors
    /// When the device has no answer.
    fn ask(&self, module: &Module, what: Question, dim: usize) -> Result<Val, TargetLimit>;

    /// Waits for all items of the group that have not returned; what they wrote before is seen after.
    ///
    /// # Errors
    /// When there are no others to wait for.
    fn barrier(&self, module: &Module) -> Result<(), TargetLimit>;

    /// Waits for the items of a warp that the `i32` `mask` names; the result is who met. Without a mask no item is waited for.
    ///
    /// # Errors
    /// When the device has no warps.
    fn warp_barrier(
        &self,
        module: &Module,
        facts: &TargetFacts,
        mask: Option<Val>,
    ) -> Result<Val, TargetLimit>;

    /// Ticks of a counter, an `i64`.
    ///
    /// # Errors
    /// When the device has no clock.
    fn clock(&self, module: &Module, facts: &TargetFacts) -> Result<Val, TargetLimit> {
        let _ = facts;
        Ok(module.intrinsic("llvm.readcyclecounter", &[], &[]))
    }

    /// Orders the accesses before it against those behind it, as the items of the scope see them.
    fn fence(&self, module: &Module, facts: &TargetFacts, order: Order, scope: Scope) {
        match (&facts.scopes, scope) {
            (Some(names), Scope::WorkGroup) => module.fence_in(order, &names.group),
            (Some(names), Scope::Device) => module.fence_in(order, &names.device),
            (_, Scope::System) => module.fence_in(order, ""),
            (None, Scope::WorkGroup | Scope::Device) => module.fence(order),
        }
    }

    /// The bytes of the group's memory whose size the launch gives, an `i64`; the largest number where items are not told.
    fn dynamic_shared_bytes(&self, module: &Module) -> Val {
        module.const_i64(i64::MAX)
    }

    /// Prepares a kernel in which an item that fails leaves others at a barrier.
    fn mind_barriers(&self, module: &Module, entry: Function) {
        let _ = (module, entry);
    }

    /// The convention that makes a function a kernel, where items launch kernels.
    fn launched(&self) -> Option<Convention> {
        None
    }

    /// The type of an argument that fits no register, whose bytes are `words`.
    fn wrapped(&self, module: &Module, words: Ty) -> Ty {
        let _ = module;
        words
    }
}

const _: Option<&dyn DeviceItems> = None;

/// How to ask the device of these facts; `None` where loops of codegen's run the items.
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
