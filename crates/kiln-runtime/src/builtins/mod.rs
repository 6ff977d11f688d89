//! `Core` builtins that operate on values alone: they call no method, read no global, and run no Julia code.
//!
//! [`call`] executes all of them except those for which [`needs_runtime`] holds: the interpreter's dispatcher
//! executes these itself, with [`modify_field`] and [`replace_field`] for operations on values. Arguments are checked
//! in Julia's order and errors are Julia's exceptions.

mod apply_type;
mod construct;
mod definitions;
mod fields;
mod memory;
mod reflect;
mod relations;
mod vectors;

pub use apply_type::apply_type;
pub use construct::{new_struct, splat_new};
pub use fields::{modify_field, replace_field};
pub use reflect::{reflected_field, reflected_names};

use crate::heap::{identity, svecs, tuples};
use crate::{Heap, Run, Value, exceptions};
use kiln_ir::Builtin;

/// Whether a builtin calls Julia code or reads code tables.
pub fn needs_runtime(builtin: Builtin) -> bool {
    use Builtin as B;
    matches!(
        builtin,
        B::Throw
            | B::Modifyfield
            | B::ApplyIterate
            | B::Invoke
            | B::Invokelatest
            | B::Applicable
            | B::Getglobal
            | B::Setglobal
            | B::Isdefinedglobal
            | B::Deferred
            | B::DeferredCall
    )
}

/// Least and greatest number of arguments.
fn arity(builtin: Builtin) -> (usize, Option<usize>) {
    use Builtin as B;
    let (least, most) = match builtin {
        B::Typeof | B::Nfields | B::Sizeof | B::SvecLen | B::Memoryrefoffset | B::Throw => (1, 1),
        B::Is
        | B::Issubtype
        | B::Isa
        | B::Typeassert
        | B::SvecRef
        | B::Memorynew
        | B::UnionAllNew
        | B::Setsuper
        | B::EquivTypedef
        | B::Compilerbarrier => (2, 2),
        B::Ifelse | B::Typevar | B::Memoryrefget | B::MemoryrefIsassigned | B::Abstracttype => (3, 3),
        B::Memoryrefset | B::Primitivetype => (4, 4),
        B::Structtype => (7, 7),
        B::Getfield | B::Finalizer => (2, 4),
        B::Setfield | B::Swapfield => (3, 4),
        B::Replacefield => (4, 6),
        B::Modifyfield => (4, 5),
        B::Fieldtype | B::Isdefined | B::Getglobal | B::Typebody => (2, 3),
        B::Setglobal => (3, 4),
        B::Isdefinedglobal => (2, 4),
        B::Memoryrefnew => (1, 3),
        B::ApplyType | B::Expr | B::Applicable | B::Invokelatest | B::Deferred => return (1, None),
        B::ApplyIterate | B::Invoke | B::DeferredCall => return (2, None),
        B::Tuple | B::Svec | B::Donotdelete => return (0, None),
    };
    (least, Some(most))
}

/// Throws Julia's `ArgumentError` if a builtin gets the wrong number of arguments.
pub fn check_count(heap: &Heap, builtin: Builtin, count: usize) -> Run<()> {
    let (least, most) = arity(builtin);
    // The name Julia's own check gives.
    let name = match builtin.name() {
        "_expr" => "Expr",
        "_typevar" => "TypeVar",
        "_unionall" => "UnionAll",
        name => name,
    };
    match exceptions::wrong_count(heap, name, count, least, most) {
        Some(thrown) => Err(thrown),
        None => Ok(()),
    }
}

/// Calls a builtin.
pub fn call(heap: &Heap, builtin: Builtin, args: &[Value]) -> Run {
    use Builtin as B;
    check_count(heap, builtin, args.len())?;
    match builtin {
        B::Is => Ok(heap.bool(identity::egal(heap, args[0], args[1]))),
        B::Typeof => Ok(heap.type_value(args[0].ty())),
        B::Issubtype => relations::subtype(heap, args[0], args[1]),
        B::Isa => relations::isa(heap, args[0], args[1]),
        B::Typeassert => relations::typeassert(heap, args[0], args[1]),
        B::Ifelse => relations::ifelse(heap, args),
        B::Sizeof => relations::sizeof(heap, args[0]),
        B::Tuple => Ok(tuples::new(heap, args)),
        B::Getfield => fields::getfield(heap, args),
        B::Setfield => fields::setfield(heap, args),
        B::Swapfield => fields::swapfield(heap, args),
        B::Replacefield => replace_field(heap, args),
        B::Fieldtype => fields::fieldtype(heap, args),
        B::Isdefined => fields::isdefined(heap, args),
        B::Nfields => Ok(heap.int(reflect::field_count(heap, args[0]) as i64)),
        B::Svec => Ok(svecs::new(heap, args)),
        B::SvecLen => vectors::svec_len(heap, args[0]),
        B::SvecRef => vectors::svec_ref(heap, args[0], args[1]),
        B::Expr => vectors::expr(heap, args),
        B::ApplyType => apply_type::apply_type(heap, args[0], &args[1..]),
        B::Typevar => apply_type::typevar(heap, args),
        B::UnionAllNew => apply_type::unionall(heap, args[0], args[1]),
        B::Memorynew => memory::memorynew(heap, args[0], args[1]),
        B::Memoryrefnew => memory::memoryrefnew(heap, args),
        B::Memoryrefoffset => memory::memoryrefoffset(heap, args[0]),
        B::Memoryrefget => memory::memoryrefget(heap, args),
        B::Memoryrefset => memory::memoryrefset(heap, args),
        B::MemoryrefIsassigned => memory::memoryref_isassigned(heap, args),
        B::Abstracttype => definitions::abstracttype(heap, args),
        B::Primitivetype => definitions::primitivetype(heap, args),
        B::Structtype => definitions::structtype(heap, args),
        B::Setsuper => definitions::setsuper(heap, args[0], args[1]),
        B::Typebody => definitions::typebody(heap, args),
        B::EquivTypedef => definitions::equiv_typedef(heap, args[0], args[1]),
        B::Compilerbarrier => relations::compilerbarrier(heap, args[0], args[1]),
        B::Donotdelete | B::Finalizer => Ok(heap.nothing()),
        B::Throw
        | B::Modifyfield
        | B::ApplyIterate
        | B::Invoke
        | B::Invokelatest
        | B::Applicable
        | B::Getglobal
        | B::Setglobal
        | B::Isdefinedglobal
        | B::Deferred
        | B::DeferredCall => {
            Err(exceptions::error(heap, &format!("`{}` needs a running session", builtin.name())))
        }
    }
}

/// The type an argument must be, or a `TypeError`.
fn type_argument(heap: &Heap, function: &str, value: Value) -> Run<kiln_types::Type> {
    value.as_type(heap.core()).ok_or_else(|| exceptions::type_error(heap, function, heap.core().type_, value))
}

/// The `Int` an argument must be, or a `TypeError`.
fn int_argument(heap: &Heap, function: &str, value: Value) -> Run<i64> {
    value.as_int(heap.core()).ok_or_else(|| exceptions::type_error(heap, function, heap.core().int64, value))
}

/// The `Symbol` an argument must be, or a `TypeError`.
fn symbol_argument(heap: &Heap, function: &str, value: Value) -> Run<kiln_types::Symbol> {
    value
        .as_symbol(heap.core())
        .ok_or_else(|| exceptions::type_error(heap, function, heap.core().symbol, value))
}

/// The `Bool` an argument must be, or a `TypeError`.
fn bool_argument(heap: &Heap, function: &str, value: Value) -> Run<bool> {
    value.as_bool(heap.core()).ok_or_else(|| exceptions::type_error(heap, function, heap.core().bool, value))
}

/// The elements of the `SimpleVector` an argument must be, or a `TypeError`.
fn svec_argument(heap: &Heap, function: &str, value: Value) -> Run<Vec<Value>> {
    if value.ty() == heap.core().simple_vector {
        Ok(svecs::values(heap, value))
    } else {
        Err(exceptions::type_error(heap, function, heap.core().simple_vector, value))
    }
}

#[cfg(test)]
mod tests;
