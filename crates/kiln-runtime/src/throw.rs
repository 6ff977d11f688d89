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
    /// `throw(ty(fields...))`, the fields given as the type stores them.
    #[cold]
    pub fn exception(&self, ty: Type, fields: &[Value]) -> Box<Thrown> {
        Thrown::new(fields::new_struct(&self.heap, ty, fields))
    }
    /// `error(message)`.
    #[cold]
    pub fn error(&self, message: &str) -> Box<Thrown> {
        self.exception(self.types.core().error_exception, &[text::string(&self.heap, message)])
    }
    /// `throw(ArgumentError(message))`.
    #[cold]
    pub fn argument_error(&self, message: &str) -> Box<Thrown> {
        self.exception(self.types.core().argument_error, &[text::string(&self.heap, message)])
    }
    /// `TypeError(func, context, expected, got)`.
    #[cold]
    pub fn type_error(&self, func: &str, context: &str, expected: Type, got: Value) -> Box<Thrown> {
        let fields =
            [self.heap.symbol(func), text::string(&self.heap, context), self.heap.type_value(expected), got];
        self.exception(self.types.core().type_error, &fields)
    }
    /// `UndefVarError(name, world, scope)`.
    #[cold]
    pub fn undef_var(&self, name: Symbol, scope: NameScope) -> Box<Thrown> {
        let core = self.types.core();
        let scope = match scope {
            NameScope::Local => self.heap.symbol("local"),
            NameScope::StaticParameter => self.heap.symbol("static_parameter"),
            NameScope::Global(module) => Value::module(core, module),
        };
        let world = numbers::uint64(&self.heap, self.current_world().number());
        self.exception(core.undef_var_error, &[Value::symbol(core, name), world, scope])
    }
    /// `MethodError(f, args, world)`.
    #[cold]
    pub fn method_error(&self, callee: Value, args: &[Value]) -> Box<Thrown> {
        let world = numbers::uint64(&self.heap, self.current_world().number());
        self.exception(self.types.core().method_error, &[callee, tuples::new(&self.heap, args), world])
    }
    /// `MethodError(f, types, world)`: an `invoke` with these types.
    #[cold]
    pub fn no_invoked_method(&self, callee: Value, types: Value) -> Box<Thrown> {
        let world = numbers::uint64(&self.heap, self.current_world().number());
        self.exception(self.types.core().method_error, &[callee, types, world])
    }
    /// `BoundsError(a, i)`.
    #[cold]
    pub fn bounds_error(&self, a: Value, i: Value) -> Box<Thrown> {
        self.exception(self.types.core().bounds_error, &[a, i])
    }
    /// `FieldError(type, field)`.
    #[cold]
    pub fn field_error(&self, ty: Type, field: Symbol) -> Box<Thrown> {
        let fields = [self.heap.type_value(ty), Value::symbol(self.types.core(), field)];
        self.exception(self.types.core().field_error, &fields)
    }
    /// `StackOverflowError()`.
    #[cold]
    pub fn stack_overflow(&self) -> Box<Thrown> {
        self.exception(self.types.core().stack_overflow_error, &[])
    }
}
