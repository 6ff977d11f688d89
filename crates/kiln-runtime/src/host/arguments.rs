//! Arguments of a host function, checked as they are read.

use crate::heap::text;
use crate::tables::{MethodId, World};
use crate::{Heap, Run, Runtime, Value, exceptions};
use kiln_ir::HostFunction;
use kiln_types::{Module, Symbol, Type};

/// One call.
pub(super) struct Arguments<'a> {
    pub(super) rt: &'a Runtime,
    pub(super) function: HostFunction,
    pub(super) values: &'a [Value],
}

impl<'a> Arguments<'a> {
    pub(super) fn heap(&self) -> &'a Heap {
        &self.rt.heap
    }

    /// Throws unless there are between `least` and `most` arguments.
    #[inline]
    pub(super) fn expect(&self, least: usize, most: usize) -> Run<()> {
        if (least..=most).contains(&self.values.len()) { Ok(()) } else { self.has_wrong_count(least, most) }
    }

    #[cold]
    fn has_wrong_count(&self, least: usize, most: usize) -> Run<()> {
        let name = self.function.name();
        match exceptions::wrong_count(self.heap(), name, self.values.len(), least, Some(most)) {
            Some(thrown) => Err(thrown),
            None => Ok(()),
        }
    }

    /// Argument `at`, which must be there.
    #[inline]
    pub(super) fn value(&self, at: usize) -> Run {
        self.values.get(at).copied().ok_or_else(|| self.lacks(at))
    }

    #[cold]
    fn lacks(&self, at: usize) -> Box<crate::Thrown> {
        let message = format!("{}: too few arguments (expected {})", self.function.name(), at + 1);
        exceptions::argument_error(self.heap(), &message)
    }

    #[inline]
    fn checked<T>(&self, at: usize, expected: Type, read: impl Fn(Value) -> Option<T>) -> Run<T> {
        let value = self.value(at)?;
        read(value).ok_or_else(|| self.is_of_wrong_type(value, expected))
    }

    #[cold]
    fn is_of_wrong_type(&self, value: Value, expected: Type) -> Box<crate::Thrown> {
        exceptions::type_error(self.heap(), self.function.name(), expected, value)
    }

    pub(super) fn int(&self, at: usize) -> Run<i64> {
        let core = self.heap().core();
        self.checked(at, core.int64, |it| it.as_int(core))
    }

    pub(super) fn symbol(&self, at: usize) -> Run<Symbol> {
        let core = self.heap().core();
        self.checked(at, core.symbol, |it| it.as_symbol(core))
    }

    pub(super) fn module(&self, at: usize) -> Run<Module> {
        let core = self.heap().core();
        self.checked(at, core.module, |it| it.as_module(core))
    }

    pub(super) fn ty(&self, at: usize) -> Run<Type> {
        let core = self.heap().core();
        self.checked(at, core.type_, |it| it.as_type(core))
    }

    pub(super) fn method(&self, at: usize) -> Run<MethodId> {
        let core = self.heap().core();
        let read = |it: Value| (it.ty() == core.method).then(|| MethodId::from_index(it.bits() as usize));
        self.checked(at, core.method, read)
    }

    /// The world that argument `at` names; the running one if it is not there.
    pub(super) fn world(&self, at: usize) -> Run<World> {
        if at >= self.values.len() {
            return Ok(self.rt.current_world());
        }
        let core = self.heap().core();
        self.checked(at, core.uint64, |it| (it.ty() == core.uint64).then(|| World::new(it.bits())))
    }

    pub(super) fn bytes(&self, at: usize) -> Run<&'a [u8]> {
        let heap = self.heap();
        self.checked(at, heap.core().string, |it| text::as_bytes(heap, it))
    }

    /// Returns a string as text; invalid UTF-8 is replaced.
    pub(super) fn text(&self, at: usize) -> Run<String> {
        Ok(String::from_utf8_lossy(self.bytes(at)?).into_owned())
    }

    /// The string, or `nothing`.
    pub(super) fn string_or_nothing(&self, text: Option<&[u8]>) -> Value {
        text.map_or_else(|| self.heap().nothing(), |it| text::from_bytes(self.heap(), it))
    }

    pub(super) fn error(&self, message: &str) -> Box<crate::Thrown> {
        exceptions::error(self.heap(), message)
    }
}
