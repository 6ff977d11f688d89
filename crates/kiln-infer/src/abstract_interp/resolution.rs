//! The resolution of a call: how SSA construction emits it.

use kiln_ir::{Builtin, HostFunction, Instance, Intrinsic};
use kiln_types::{Const, Module, Symbol, Type};

/// The resolution of one lowered statement. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum Resolution {
    /// No call, or an unreachable one.
    #[default]
    None,
    /// This constant; the call has no effects.
    Const(Const),
    /// An intrinsic.
    Intrinsic(Intrinsic),
    /// A builtin.
    Builtin(Builtin),
    /// A host function.
    Host(HostFunction),
    /// The first of these whose conditions hold.
    Cases(Vec<Case>),
    /// A splat `f(args...)`: the expansion of each splatted argument, and the resolution of the expanded call.
    Splat(Vec<Expansion>, Box<Resolution>),
    /// `invoke(f, types, args...)`: the resolution of the call without the second argument.
    Invoke(Box<Resolution>),
    /// The address of an instance.
    Lookup(Instance),
    /// `getglobal` of a variable.
    Global(Module, Symbol),
    /// Dispatch at run time.
    Dynamic,
}

/// How a splatted argument becomes arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// The fields of a tuple or named tuple, by their types.
    Fields(Vec<Type>),
    /// These constants.
    Consts(Vec<Const>),
}

/// One target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// The type tests that select this case: positions of arguments in the call, and types.
    pub(crate) conditions: Vec<(u32, Type)>,
    /// The earlier cases leave no other: the conditions hold and need no test.
    pub(crate) certain: bool,
    /// The callee; `None` for dispatch at run time, which also throws the `MethodError`.
    pub(crate) target: Option<Instance>,
    /// The constant returned, if the call has no effects.
    pub(crate) value: Option<Const>,
    /// The type of the returned value.
    pub(crate) ty: Type,
}
