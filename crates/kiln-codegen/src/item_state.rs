//! The state of the running item, passed from function to function in registers. Devices know their items; there,
//! only the launch's state is passed.

use crate::llvm::{Function, Module, Val};

/// The values of the state.
pub(crate) const STATE_VALUES: usize = 15;
/// The one of them that is the item's place in its row.
pub(crate) const LOCAL_X: usize = 4;
const SHARED: usize = 13;
const DYNAMIC_SHARED: usize = 14;

/// The state of an item, as values of the function being emitted.
#[derive(Clone, Copy)]
pub(crate) struct ItemState {
    values: [Val; STATE_VALUES],
}

impl ItemState {
    /// Takes the values in parameter order.
    pub(crate) fn new(values: [Val; STATE_VALUES]) -> Self {
        Self { values }
    }

    /// Returns the state of host code, which has no items: the context alone is passed.
    pub(crate) fn of_host(module: &Module, function: Function) -> Self {
        let (zero, null) = (module.const_i64(0), module.zero(module.ptr()));
        let mut values = [zero; STATE_VALUES];
        values[0] = module.param(function, 0);
        (values[SHARED], values[DYNAMIC_SHARED]) = (null, null);
        Self { values }
    }

    /// Returns the state that a function takes as its first parameters.
    pub(crate) fn params(module: &Module, function: Function) -> Self {
        Self { values: std::array::from_fn(|it| module.param(function, it)) }
    }

    /// Returns the values in parameter order.
    pub(crate) fn values(&self) -> &[Val] {
        &self.values
    }
    /// Returns the state of another item of the same row.
    pub(crate) fn at_x(mut self, x: Val) -> Self {
        self.values[LOCAL_X] = x;
        self
    }
    /// Returns the address of the `LaunchContext`.
    pub(crate) fn ctx(&self) -> Val {
        self.values[0]
    }
    pub(crate) fn group_id(&self, dim: usize) -> Val {
        self.values[1 + dim]
    }
    pub(crate) fn local_id(&self, dim: usize) -> Val {
        self.values[LOCAL_X + dim]
    }
    pub(crate) fn num_groups(&self, dim: usize) -> Val {
        self.values[7 + dim]
    }
    pub(crate) fn local_size(&self, dim: usize) -> Val {
        self.values[10 + dim]
    }
    pub(crate) fn shared(&self) -> Val {
        self.values[SHARED]
    }
    pub(crate) fn dynamic_shared(&self) -> Val {
        self.values[DYNAMIC_SHARED]
    }
}

/// The state that functions of a device pass on, as values of the function being emitted.
#[derive(Clone, Copy, Default)]
pub(crate) struct DeviceState {
    /// The state of the kernel, in global memory; may be null.
    pub(crate) kernel: Option<Val>,
    /// The dynamic shared memory, if it is a parameter.
    pub(crate) dynamic_shared: Option<Val>,
}
