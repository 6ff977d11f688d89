//! Julia's exceptions, made from Rust: one function a kind, with exactly the fields Julia gives it.

use crate::heap::{fields, numbers, text};
use crate::{Heap, Thrown, Value};
use kiln_types::Type;

/// `ErrorException(message)`.
#[cold]
pub fn error(heap: &Heap, message: &str) -> Box<Thrown> {
    with_message(heap, heap.core().error_exception, message)
}

/// `ArgumentError(message)`.
#[cold]
pub fn argument_error(heap: &Heap, message: &str) -> Box<Thrown> {
    with_message(heap, heap.core().argument_error, message)
}

/// `ConcurrencyViolationError(message)`.
#[cold]
pub fn concurrency_error(heap: &Heap, message: &str) -> Box<Thrown> {
    with_message(heap, heap.core().concurrency_violation_error, message)
}

fn with_message(heap: &Heap, ty: Type, message: &str) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, ty, &[text::string(heap, message)]))
}

/// `TypeError(function, "", expected, got)`.
#[cold]
pub fn type_error(heap: &Heap, function: &str, expected: Type, got: Value) -> Box<Thrown> {
    type_error_in(heap, function, "", heap.type_value(expected), got)
}

/// `TypeError(function, context, expected, got)`.
#[cold]
pub fn type_error_in(heap: &Heap, function: &str, context: &str, expected: Value, got: Value) -> Box<Thrown> {
    let fields = [heap.symbol(function), text::string(heap, context), expected, got];
    Thrown::new(fields::new_struct(heap, heap.core().type_error, &fields))
}

/// `DivideError()`.
#[cold]
pub fn divide_error(heap: &Heap) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().divide_error, &[]))
}

/// `UndefRefError()`.
#[cold]
pub fn undef_ref_error(heap: &Heap) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().undef_ref_error, &[]))
}

/// `OutOfMemoryError()`.
#[cold]
pub fn out_of_memory_error(heap: &Heap) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().out_of_memory_error, &[]))
}

/// `StackOverflowError()`.
#[cold]
pub fn stack_overflow_error(heap: &Heap) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().stack_overflow_error, &[]))
}

/// `BoundsError(a, i)`.
#[cold]
pub fn bounds_error(heap: &Heap, a: Value, i: Value) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().bounds_error, &[a, i]))
}

/// `FieldError(type, field)`.
#[cold]
pub fn field_error(heap: &Heap, ty: Type, field: Value) -> Box<Thrown> {
    Thrown::new(fields::new_struct(heap, heap.core().field_error, &[heap.type_value(ty), field]))
}

/// `UndefVarError(name, world, scope)`.
#[cold]
pub fn undef_var_error(heap: &Heap, name: Value, world: u64, scope: Value) -> Box<Thrown> {
    Thrown::new(fields::new_struct(
        heap,
        heap.core().undef_var_error,
        &[name, numbers::uint64(heap, world), scope],
    ))
}

/// Returns Julia's exception for a builtin with the wrong number of arguments; `None` if `count` is right.
pub fn wrong_count(
    heap: &Heap,
    name: &str,
    count: usize,
    least: usize,
    most: Option<usize>,
) -> Option<Box<Thrown>> {
    if count < least {
        return Some(argument_error(heap, &format!("{name}: too few arguments (expected {least})")));
    }
    let most = most.filter(|&most| count > most)?;
    Some(argument_error(heap, &format!("{name}: too many arguments (expected {most})")))
}
