//! Queries of an item to the device that runs it: its own number, the other items, the time.
//!
//! The only place in emission that knows devices by name. What is true of a device is in its facts; here is what it
//! takes to ask it, in instructions.

mod gcn;
mod none;
mod ptx;
mod spirv;

use crate::llvm::{ByAddress, Convention, Function, Module, Order, Ty, Val};
use kiln_targets::{Backend, TargetFacts};

/// A query of an item in each dimension. Answers count from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Question {
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
    fn range(self, items_max: i64) -> std::ops::Range<i64> {
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
pub(crate) enum Scope {
    /// Those of the group.
    WorkGroup,
    /// Those of the device.
    Device,
    /// Those of all devices, and the threads of the host.
    System,
}

/// How to ask a device. An error says what the device cannot do. What most GPUs have is the default.
pub(crate) trait DeviceItems: Sync {
    /// The answer to a question, an `i64`.
    fn ask(&self, module: &Module, what: Question, dim: usize) -> Result<Val, String>;
    /// Waits for all items of the group that have not returned; what they wrote before is seen after.
    fn barrier(&self, module: &Module) -> Result<(), String>;
    /// The same for the items of a warp that the `i32` `mask` names; the result is who met. Without a mask no item is waited
    /// for.
    fn warp_barrier(&self, module: &Module, facts: &TargetFacts, mask: Option<Val>) -> Result<Val, String>;
    /// Ticks of a counter, an `i64`.
    fn clock(&self, module: &Module, _facts: &TargetFacts) -> Result<Val, String> {
        Ok(module.intrinsic("llvm.readcyclecounter", &[], &[]))
    }
    /// Returns LLVM's name of the scope of all items of the device, where operations are atomic for them.
    fn scope(&self) -> Option<&'static str> {
        Some("device")
    }
    /// LLVM's name for the items of a scope.
    fn scope_of(&self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::WorkGroup => Some("workgroup"),
            Scope::Device => self.scope(),
            Scope::System => Some(""),
        }
    }
    /// Orders the accesses before it against those behind it, as the items of the scope see them.
    fn fence(&self, module: &Module, order: Order, scope: Scope) {
        match self.scope_of(scope) {
            Some(scope) => module.fence_in(order, scope),
            None => module.fence(order),
        }
    }
    /// The bytes of the group's memory whose size the launch gives, an `i64`; the largest number where items are not told.
    fn dynamic_shared_bytes(&self, module: &Module) -> Val {
        module.const_i64(i64::MAX)
    }
    /// Whether floats are added in memory, by an instruction or what the back end makes of one.
    fn adds_floats(&self) -> bool {
        true
    }
    /// The smallest integers in bytes that can be exchanged.
    fn atomic_bytes_min(&self) -> u32 {
        1
    }
    /// Whether the back end makes what LLVM says of signed overflow, and of the least and the greatest of two floats.
    fn is_exact(&self) -> bool {
        true
    }
    /// Whether 64-bit integers have products of twice their width, to see an overflow by.
    fn has_wide_products(&self) -> bool {
        true
    }
    /// Whether there is a division of signed integers.
    fn divides_signed(&self) -> bool {
        true
    }
    /// Whether there are atomic operations for the least and the greatest of two integers.
    fn has_extrema(&self) -> bool {
        true
    }
    /// Whether atomic loads and stores can be ordered; otherwise fences beside them are.
    fn orders_accesses(&self, _facts: &TargetFacts) -> bool {
        true
    }
    /// Whether accesses of one item can be ordered for others to see.
    fn has_fences(&self) -> bool {
        true
    }
    /// Whether a function can call itself.
    fn recurses(&self) -> bool {
        true
    }
    /// Whether functions have addresses that can be called.
    fn has_function_pointers(&self) -> bool {
        true
    }
    /// Is told of a kernel in which an item that fails leaves others at a barrier.
    fn mind_barriers(&self, _module: &Module, _entry: Function) {}
    /// Returns the convention that makes a function a kernel, where items launch kernels.
    fn launched(&self) -> Option<Convention> {
        None
    }
    /// Whether memory whose size the launch gives is a parameter, not a symbol.
    fn passes_dynamic_shared(&self) -> bool {
        false
    }
    /// How a kernel takes an argument that does not fit a register, if it does.
    fn by_address(&self) -> Option<ByAddress> {
        Some(ByAddress::Value)
    }
    /// The type of such an argument, whose bytes are `words`.
    fn wrapped(&self, _module: &Module, words: Ty) -> Ty {
        words
    }
}

const _: Option<&dyn DeviceItems> = None;

/// How to ask the device of these facts; `None` where loops of codegen's run the items.
pub(crate) fn lookup(facts: &TargetFacts) -> Option<&'static dyn DeviceItems> {
    match facts.backend {
        Backend::Native => None,
        Backend::Ptx => Some(&ptx::Ptx),
        Backend::Gcn => Some(&gcn::Gcn),
        Backend::Spirv => Some(&spirv::Spirv),
        Backend::Bpf | Backend::Other => Some(&none::NoItems),
    }
}

/// The letter of a dimension.
fn letter(dim: usize) -> char {
    ['x', 'y', 'z'][dim]
}
