//! Making the exceptions that the runtime itself throws.

use crate::heap::{Value, fields, numbers, text, tuples};
use crate::runtime::Runtime;
use crate::thrown::Thrown;
use kiln_types::{Module, Symbol, Type};

/// Where an undefined name was looked for: the `scope` of an `UndefVarError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameScope {
    /// A local variable.
    Local,
    /// A static parameter that the call does not determine.
    StaticParameter,
    /// A global of this module.
    Global(Module),
}

impl Runtime {
    /// `error(message)`.
    #[cold]
    pub fn error(&self, message: &str) -> Box<Thrown> {
        exception(self, self.types.core().error_exception, &[text::string(&self.heap, message)])
    }
}

/// `throw(ty(fields...))`, the fields given as the type stores them.
#[cold]
pub fn exception(rt: &Runtime, ty: Type, fields: &[Value]) -> Box<Thrown> {
    Thrown::new(fields::new_struct(&rt.heap, ty, fields))
}

/// `throw(ArgumentError(message))`.
#[cold]
pub fn argument_error(rt: &Runtime, message: &str) -> Box<Thrown> {
    exception(rt, rt.types.core().argument_error, &[text::string(&rt.heap, message)])
}

/// `TypeError(func, context, expected, got)`.
#[cold]
pub fn type_error(rt: &Runtime, func: &str, context: &str, expected: Type, got: Value) -> Box<Thrown> {
    let fields = [rt.heap.symbol(func), text::string(&rt.heap, context), rt.heap.type_value(expected), got];
    exception(rt, rt.types.core().type_error, &fields)
}

/// `UndefVarError(name, world, scope)`.
#[cold]
pub fn undef_var(rt: &Runtime, name: Symbol, scope: NameScope) -> Box<Thrown> {
    let core = rt.types.core();
    let scope = match scope {
        NameScope::Local => rt.heap.symbol("local"),
        NameScope::StaticParameter => rt.heap.symbol("static_parameter"),
        NameScope::Global(module) => Value::module(core, module),
    };
    let world = numbers::uint64(&rt.heap, rt.current_world().number());
    exception(rt, core.undef_var_error, &[Value::symbol(core, name), world, scope])
}

/// `MethodError(f, args, world)`.
#[cold]
pub fn method_error(rt: &Runtime, callee: Value, args: &[Value]) -> Box<Thrown> {
    let world = numbers::uint64(&rt.heap, rt.current_world().number());
    exception(rt, rt.types.core().method_error, &[callee, tuples::new(&rt.heap, args), world])
}

/// `MethodError(f, types, world)`: an `invoke` with these types.
#[cold]
pub fn no_invoked_method(rt: &Runtime, callee: Value, types: Value) -> Box<Thrown> {
    let world = numbers::uint64(&rt.heap, rt.current_world().number());
    exception(rt, rt.types.core().method_error, &[callee, types, world])
}

/// `BoundsError(a, i)`.
#[cold]
pub fn bounds_error(rt: &Runtime, a: Value, i: Value) -> Box<Thrown> {
    exception(rt, rt.types.core().bounds_error, &[a, i])
}

/// `FieldError(type, field)`.
#[cold]
pub fn field_error(rt: &Runtime, ty: Type, field: Symbol) -> Box<Thrown> {
    let fields = [rt.heap.type_value(ty), Value::symbol(rt.types.core(), field)];
    exception(rt, rt.types.core().field_error, &fields)
}

/// `StackOverflowError()`.
#[cold]
pub fn stack_overflow(rt: &Runtime) -> Box<Thrown> {
    exception(rt, rt.types.core().stack_overflow_error, &[])
}
