//! Transfer functions: the result type and the effects of intrinsics and builtins for given arguments. They are pure
//! functions of the types and, to fold constants, of the heap.
//!
//! # Deliberately absent
//! Forms that need a method table, a binding or a slot: calls through `_apply_iterate` and `invoke`, globals,
//! conditionals. Those are in `abstract_interp`.

mod apply_type;
mod exceptions;
mod fields;
mod host;
mod intrinsics;
mod memory;
mod queries;

pub(crate) use apply_type::{bound_of, instance_type};
pub(crate) use exceptions::{builtin_exception, intrinsic_exception};
pub(crate) use host::host;
pub(crate) use intrinsics::intrinsic;
pub(crate) use queries::{svec_elements, tuple_of};

use crate::InferenceParams;
use crate::lattice::Lattice;
use kiln_ir::{Builtin, Effects};
use kiln_runtime::Runtime;
use kiln_types::{Type, Types, typevar};

/// The inputs of transfer functions.
#[derive(Clone, Copy)]
pub(crate) struct Env<'a> {
    /// Types and heap.
    pub(crate) rt: &'a Runtime,
    /// `rt.types`.
    pub(crate) types: &'a Types,
    /// Facts about the target that constants depend on.
    pub(crate) params: &'a InferenceParams,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The type of the value.
    pub(crate) ty: Lattice,
    /// Its effects.
    pub(crate) effects: Effects,
}

/// Effects of a pure function that may throw.
pub(crate) const PURE: Effects = Effects { nothrow: false, ..Effects::TOTAL };
/// Effects of reading memory that others may write.
pub(crate) const READ: Effects =
    Effects { consistent: false, inaccessible_mem_only: false, nothrow: false, ..Effects::TOTAL };
/// Effects of writing memory.
pub(crate) const WRITE: Effects = Effects { effect_free: false, ..READ };
/// Effects of reading a field of an object that is an argument.
pub(crate) const READ_OBJECT: Effects = Effects { no_argument_reads: false, ..PURE };
/// Effects of writing a field of an object that is an argument.
pub(crate) const WRITE_OBJECT: Effects = Effects { no_argument_writes: false, ..READ_OBJECT };
/// Effects of allocating an object.
pub(crate) const ALLOC: Effects = Effects { no_new_object: false, ..PURE };

impl Outcome {
    /// Makes an outcome; one without a value throws.
    pub(crate) fn new(env: Env<'_>, ty: Lattice, effects: Effects) -> Self {
        let nothrow = effects.nothrow && !ty.is_bottom(env.types);
        Self { ty, effects: Effects { nothrow, ..effects } }
    }
    /// Makes the outcome of a function without effects.
    pub(crate) fn pure(env: Env<'_>, ty: Lattice, nothrow: bool) -> Self {
        Self::new(env, ty, Effects { nothrow, ..PURE })
    }
    /// Makes the outcome of a call that always throws.
    pub(crate) fn throws(env: Env<'_>) -> Self {
        Self::new(env, Lattice::bottom(env.types), PURE)
    }
    /// Makes the outcome of an unknown call.
    pub(crate) fn unknown(env: Env<'_>) -> Self {
        Self::new(env, Lattice::any(env.types), Effects::NONE)
    }
    /// Makes an outcome with a value of a type.
    pub(crate) fn with_type(env: Env<'_>, ty: Type, effects: Effects) -> Self {
        Self::new(env, Lattice::normalize(env.types, ty), effects)
    }
}

/// Infers a builtin. `args` are without the function.
pub(crate) fn builtin(env: Env<'_>, builtin: Builtin, args: &[Lattice]) -> Outcome {
    use Builtin as B;
    if args.iter().any(|it| it.is_bottom(env.types)) {
        return Outcome::throws(env);
    }
    let core = env.types.core();
    match builtin {
        B::Is => queries::is(env, args),
        B::Typeof => queries::type_of(env, args),
        B::Issubtype => queries::is_subtype(env, args),
        B::Isa => queries::isa(env, args),
        B::Typeassert => queries::type_assert(env, args),
        B::Throw => Outcome::throws(env),
        B::Tuple => Outcome::pure(env, tuple_of(env.types, args), true),
        B::Getfield => fields::get(env, args),
        B::Setfield => fields::set(env, args),
        B::Swapfield => fields::swap(env, args),
        B::Fieldtype => fields::field_type(env, args),
        B::Isdefined => fields::is_defined(env, args),
        B::Nfields => queries::field_count(env, args),
        B::Sizeof => queries::size_of(env, args),
        B::Svec => Outcome::with_type(env, core.simple_vector, Effects { nothrow: true, ..ALLOC }),
        B::SvecLen => queries::svec_len(env, args),
        B::SvecRef => queries::svec_ref(env, args),
        B::ApplyType => apply_type::apply(env, args),
        B::Ifelse => queries::if_else(env, args),
        B::Applicable | B::Isdefinedglobal => Outcome::with_type(env, core.bool, READ),
        B::Setglobal => match args.get(2) {
            Some(value) => Outcome::new(env, value.clone(), WRITE),
            None => Outcome::throws(env),
        },
        B::Memorynew => memory::new(env, args),
        B::Memoryrefnew => memory::new_ref(env, args),
        B::Memoryrefoffset => {
            Outcome::with_type(env, core.int64, Effects { nothrow: false, ..Effects::TOTAL })
        }
        B::Memoryrefget => memory::get(env, args),
        B::Memoryrefset => memory::set(env, args),
        B::MemoryrefIsassigned => Outcome::with_type(env, core.bool, READ_OBJECT),
        B::Typevar => Outcome::with_type(env, core.type_var, ALLOC),
        B::UnionAllNew => Outcome::with_type(env, core.type_, PURE),
        B::Expr => Outcome::with_type(env, core.expr, ALLOC),
        B::Abstracttype | B::Primitivetype | B::Structtype => {
            Outcome::with_type(env, core.type_, Effects::NONE)
        }
        B::Setsuper | B::Typebody | B::Finalizer => Outcome::with_type(env, core.nothing, Effects::NONE),
        B::EquivTypedef => Outcome::with_type(env, core.bool, Effects::NONE),
        B::Compilerbarrier => queries::barrier(env, args),
        B::Donotdelete => {
            Outcome::with_type(env, core.nothing, Effects { effect_free: false, ..Effects::TOTAL })
        }
        // Resolved look-ups are not builtins any more; others are refused in kernels and executed by the interpreter.
        B::Deferred => Outcome::with_type(env, pointer_to_nothing(env), READ),
        B::DeferredCall => match args.get(1).and_then(|it| it.as_type(env.types)) {
            Some(ty) if !typevar::has_free_vars(env.types, ty) => Outcome::with_type(env, ty, Effects::NONE),
            _ => Outcome::unknown(env),
        },
        B::Getglobal | B::ApplyIterate | B::Invoke | B::Invokelatest | B::Modifyfield | B::Replacefield => {
            Outcome::unknown(env)
        }
    }
}

/// Returns `Ptr{Cvoid}`.
pub(crate) fn pointer_to_nothing(env: Env<'_>) -> Type {
    let core = env.types.core();
    env.types.apply(core.ptr, &[core.nothing]).unwrap_or(core.any)
}
