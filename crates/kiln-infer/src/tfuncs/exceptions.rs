//! Types of the exceptions that builtins and intrinsics throw.

use super::Env;
use crate::lattice::Lattice;
use kiln_ir::{Builtin, Intrinsic};
use kiln_types::{Type, datatype};

/// Returns the exception type of a builtin; `None` if the call's own result holds it.
pub(crate) fn builtin_exception(env: Env<'_>, builtin: Builtin, args: &[Lattice]) -> Option<Type> {
    use Builtin as B;
    let (types, core) = (env.types, env.types.core());
    let any = Some(core.any);
    match builtin {
        B::ApplyIterate | B::Invoke | B::Invokelatest | B::Deferred | B::Getglobal => None,
        B::Throw => match args {
            [it] => Some(it.widenconst(types)),
            _ => any,
        },
        B::Typeassert | B::Isa | B::Issubtype | B::Ifelse if args.len() == arity(builtin) => {
            Some(core.type_error)
        }
        B::Getfield => Some(of_field(env, args)),
        B::Memoryrefnew if is_memory(env, args.first()) => Some(core.bounds_error),
        B::Memoryrefget if is_memory(env, args.first()) => {
            Some(types.union(&[core.bounds_error, core.undef_ref_error]))
        }
        _ => any,
    }
}

fn arity(builtin: Builtin) -> usize {
    if builtin == Builtin::Ifelse { 3 } else { 2 }
}

fn is_memory(env: Env<'_>, arg: Option<&Lattice>) -> bool {
    let types = env.types;
    let core = types.core();
    let name = arg.and_then(|it| datatype::name_of(types, it.widenconst(types)));
    name.is_some()
        && (name == datatype::name_of(types, core.generic_memory)
            || name == datatype::name_of(types, core.generic_memory_ref))
}

/// Returns the exception type of an access to a missing or undefined field.
fn of_field(env: Env<'_>, args: &[Lattice]) -> Type {
    let (types, core) = (env.types, env.types.core());
    let [object, name] = args else { return core.any };
    let Some(of) = object.exact_type(types).filter(|&it| it != core.module) else { return core.any };
    let missing = match name.widenconst(types) {
        it if it == core.int64 => core.bounds_error,
        it if it == core.symbol => core.field_error,
        _ => return core.any,
    };
    if datatype::is_tuple(types, of) || datatype::is_named_tuple(types, of) {
        return missing;
    }
    types.union(&[missing, core.undef_ref_error])
}

/// Returns the exception type of an intrinsic.
pub(crate) fn intrinsic_exception(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Type {
    use Intrinsic as I;
    let types = env.types;
    let integers =
        args.iter().all(|it| it.exact_type(types).is_some_and(|it| datatype::is_primitive(types, it)));
    let divides = matches!(op, I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt | I::CheckedUremInt);
    if divides && integers && args.len() == 2 && args[0].widenconst(types) == args[1].widenconst(types) {
        return types.core().divide_error;
    }
    types.core().any
}
