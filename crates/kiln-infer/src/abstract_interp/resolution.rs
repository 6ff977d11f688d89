//! The resolution of a lowered statement: the form that SSA construction gives it.

use kiln_ir::{Builtin, HostFunction, Instance, Intrinsic};
use kiln_types::{Const, Module, Symbol, Type};

/// See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum Resolution {
    /// No call, or one that was not reached.
    #[default]
    None,
    /// Always this, and nothing else happens.
    Const(Const),
    /// An intrinsic.
    Intrinsic(Intrinsic),
    /// A builtin.
    Builtin(Builtin),
    /// A host function.
    Host(HostFunction),
    /// One of these; the first whose conditions hold.
    Cases(Vec<Case>),
    /// `f(args...)` with arguments from tuples: how each splatted argument expands, and what the call is then.
    Splat(Vec<Expansion>, Box<Resolution>),
    /// `invoke(f, types, args...)`: the call without the second argument.
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
    /// It is a tuple or named tuple with fields of these types.
    Fields(Vec<Type>),
    /// These constants.
    Consts(Vec<Const>),
}

/// One target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// Arguments, by position in the call, that are of a type when this is the case.
    pub(crate) conditions: Vec<(u32, Type)>,
    /// The cases before it leave no other: the conditions hold without being tested.
    pub(crate) certain: bool,
    /// The callee; `None`: dispatch at run time (which also throws the `MethodError`).
    pub(crate) target: Option<Instance>,
    /// The value returned if it is a constant and nothing else happens.
    pub(crate) value: Option<Const>,
    /// The type of what is returned.
    pub(crate) ty: Type,
}
