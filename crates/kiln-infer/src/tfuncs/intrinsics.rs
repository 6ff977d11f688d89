//! Transfer functions of intrinsics: types by group; constants are folded by the implementation that the runtime's
//! interpreter uses.

use super::{Env, Outcome, PURE, READ, WRITE, instance_type};
use crate::lattice::Lattice;
use kiln_ir::{Effects, Intrinsic, foreign};
use kiln_runtime::heap::constants;
use kiln_runtime::intrinsics;
use kiln_types::{ConstData, Type, TypeData, datatype, layout, typevar};

/// The transfer function of an intrinsic.
pub(crate) fn intrinsic(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Outcome {
    if op.arity().is_some_and(|it| it != args.len()) || args.iter().any(|it| it.is_bottom(env.types)) {
        return Outcome::throws(env);
    }
    if matches!(op, Intrinsic::Llvmcall | Intrinsic::Foreigncall) {
        return foreign_call(env, op, args);
    }
    if let Some(folded) = fold(env, op, args) {
        return folded;
    }
    Outcome::new(env, result_type(env, op, args), effects(env, op, args))
}

/// Folds a call whose result depends on its constant arguments only.
fn fold(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Option<Outcome> {
    if op == Intrinsic::InKernel {
        // Not consistent: the value differs in the runtime's interpreter, which must not evaluate such calls.
        let effects = Effects { consistent: false, ..Effects::TOTAL };
        return env.params.in_kernel.then(|| Outcome::new(env, Lattice::bool(env.types, true), effects));
    }
    if is_memory(op) || is_device(op) || matches!(op, Intrinsic::AddPtr | Intrinsic::SubPtr) {
        return None;
    }
    let heap = &env.rt.heap;
    let values: Option<Vec<_>> =
        args.iter().map(|it| it.as_const().map(|it| constants::value_of(heap, it))).collect();
    Some(match intrinsics::call(heap, env.params.have_fma, op, &values?) {
        Ok(value) => Outcome::pure(env, Lattice::Const(constants::const_of(heap, value)), true),
        Err(_) => Outcome::throws(env),
    })
}

/// Infers a foreign call: it returns its declared type, and only arithmetic is known to have no effects.
fn foreign_call(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Outcome {
    let types = env.types;
    let declared = if op == Intrinsic::Llvmcall { 1 } else { 2 };
    let Some(result) = args.get(declared) else { return Outcome::throws(env) };
    let ty = Lattice::normalize(types, instance_type(env, result));
    let known = match args[0].as_const() {
        Some(what) if op == Intrinsic::Llvmcall => foreign::arithmetic_of(types, what),
        _ => None, // of the host, or only known at run time
    };
    let Some(known) = known else { return Outcome::new(env, ty, Effects::NONE) };
    let consistent = known == foreign::Arithmetic::Exact;
    if consistent && let Some(value) = fold_foreign(env, op, args) {
        return Outcome::pure(env, value, true);
    }
    Outcome::new(env, ty, Effects { consistent, ..Effects::TOTAL })
}

/// Folds exact arithmetic on constants.
fn fold_foreign(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Option<Lattice> {
    let heap = &env.rt.heap;
    let values: Option<Vec<_>> =
        args.iter().map(|it| it.as_const().map(|it| constants::value_of(heap, it))).collect();
    let value = intrinsics::evaluate_foreign_exactly(heap, op, &values?)?.ok()?;
    Some(Lattice::Const(constants::const_of(heap, value)))
}

fn is_memory(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::Pointerref
            | I::Pointerset
            | I::AtomicFence
            | I::AtomicPointerref
            | I::AtomicPointerset
            | I::AtomicPointerswap
            | I::AtomicPointermodify
            | I::AtomicPointerreplace
    )
}

fn is_device(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::LocalId
            | I::GroupId
            | I::LocalSize
            | I::NumGroups
            | I::Barrier
            | I::SharedMemory
            | I::DynamicSharedMemory
            | I::DynamicSharedBytes
            | I::PrivateMemory
            | I::WarpBarrier
            | I::Report
            | I::Clock
            | I::StaticAssertion
            | I::InKernel
            | I::KernelState
            | I::DeclareConstant
            | I::DebugLevel
            | I::Lanes
            | I::KernelEntry
    )
}

fn is_conversion(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::SextInt
            | I::ZextInt
            | I::TruncInt
            | I::Fptoui
            | I::Fptosi
            | I::Uitofp
            | I::Sitofp
            | I::Fptrunc
            | I::Fpext
            | I::Bitcast
    )
}

fn is_division(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::CheckedSdivInt
            | I::CheckedUdivInt
            | I::CheckedSremInt
            | I::CheckedUremInt
            | I::SdivInt
            | I::UdivInt
            | I::SremInt
            | I::UremInt
    )
}

fn is_predicate(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::EqInt
            | I::NeInt
            | I::SltInt
            | I::UltInt
            | I::SleInt
            | I::UleInt
            | I::EqFloat
            | I::NeFloat
            | I::LtFloat
            | I::LeFloat
            | I::EqFloatFast
            | I::NeFloatFast
            | I::LtFloatFast
            | I::LeFloatFast
            | I::Fpiseq
            | I::HaveFma
            | I::InKernel
    )
}

fn is_checked(op: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        op,
        I::CheckedSaddInt
            | I::CheckedUaddInt
            | I::CheckedSsubInt
            | I::CheckedUsubInt
            | I::CheckedSmulInt
            | I::CheckedUmulInt
    )
}

fn result_type(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Lattice {
    use Intrinsic as I;
    let types = env.types;
    let core = types.core();
    let first = args.first().map_or(core.any, |it| it.widenconst(types));
    let ty = if is_predicate(op) {
        core.bool
    } else if is_checked(op) {
        datatype::tuple(types, &[first, core.bool])
    } else if is_conversion(op) {
        instance_type(env, &args[0])
    } else if matches!(op, I::Pointerref | I::AtomicPointerref | I::AtomicPointerswap) {
        pointee(env, first)
    } else if op == I::AtomicPointermodify {
        modified(env, first)
    } else if op == I::AtomicPointerreplace {
        replaced(env, first)
    } else if matches!(op, I::AtomicFence | I::Barrier | I::Report | I::StaticAssertion | I::DeclareConstant)
    {
        core.nothing
    } else if matches!(op, I::SharedMemory | I::DynamicSharedMemory | I::PrivateMemory | I::KernelState) {
        types.apply(core.ptr, &[core.uint8]).unwrap_or(core.any)
    } else if op == I::KernelEntry {
        first
    } else if op == I::WarpBarrier {
        if first == core.uint64 { first } else { core.uint32 }
    } else if op == I::Clock {
        core.uint64
    } else if is_device(op) {
        core.int64
    } else {
        first
    };
    Lattice::normalize(types, ty)
}

/// Returns `T` of a `Ptr{T}` (or of another pointer with `T` as first parameter).
pub(crate) fn pointee(env: Env<'_>, pointer: Type) -> Type {
    let types = env.types;
    if let TypeData::Data { params, .. } = types.data(pointer)
        && types.subtype(pointer, types.core().ref_)
        && let Some(&elem) = params.first()
        && !typevar::has_free_vars(types, elem)
    {
        return elem;
    }
    types.core().any
}

/// Returns `Pair{T, T}`, the type of the old and the new value.
fn modified(env: Env<'_>, pointer: Type) -> Type {
    let types = env.types;
    let elem = pointee(env, pointer);
    let pair = env.rt.base_global("Pair").and_then(|it| it.as_type(types.core()));
    match pair {
        Some(pair) if datatype::is_concrete(types, elem) => {
            types.apply(pair, &[elem, elem]).unwrap_or(types.core().any)
        }
        _ => types.core().any,
    }
}

/// Returns `@NamedTuple{old::T, success::Bool}`.
fn replaced(env: Env<'_>, pointer: Type) -> Type {
    let types = env.types;
    let elem = pointee(env, pointer);
    if !datatype::is_concrete(types, elem) {
        return types.core().any;
    }
    let names = [types.symbol("old"), types.symbol("success")];
    datatype::named_tuple(types, &names, datatype::tuple(types, &[elem, types.core().bool]))
}

fn effects(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> Effects {
    use Intrinsic as I;
    let nothrow = is_nothrow(env, op, args);
    if is_device(op) {
        let shared = matches!(
            op,
            I::Barrier
                | I::WarpBarrier
                | I::Report
                | I::Clock
                | I::StaticAssertion
                | I::SharedMemory
                | I::PrivateMemory
                | I::DynamicSharedMemory
                | I::DeclareConstant
        );
        return Effects { nothrow: true, effect_free: !shared, ..READ };
    }
    if op == I::Pointerref {
        Effects { nothrow, noub: false, ..READ }
    } else if op == I::AtomicPointermodify {
        Effects::NONE
    } else if is_memory(op) {
        Effects { nothrow, noub: false, ..WRITE }
    } else {
        Effects { nothrow, ..PURE }
    }
}

fn primitive(env: Env<'_>, it: &Lattice) -> Option<Type> {
    it.exact_type(env.types).filter(|&it| datatype::is_primitive(env.types, it))
}

/// Whether a call with these arguments never throws: primitive operands of one type, and no division by a possible
/// zero.
fn is_nothrow(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> bool {
    use Intrinsic as I;
    let types = env.types;
    let same = || {
        let first = args.first().and_then(|it| primitive(env, it));
        first.is_some() && args[1..].iter().all(|it| primitive(env, it) == first)
    };
    if is_division(op) {
        let divisor = args[1].as_const().map(|it| types.const_data(it).clone());
        let safe = matches!(divisor, Some(ConstData::Bits { bytes, .. })
            if bytes.iter().any(|&it| it != 0) && bytes.iter().any(|&it| it != 0xff));
        return safe && same();
    }
    if is_conversion(op) {
        return conversion_fits(env, op, args);
    }
    match op {
        I::ShlInt | I::LshrInt | I::AshrInt => args.iter().all(|it| primitive(env, it).is_some()),
        I::HaveFma => args[0].as_type(types).is_some(),
        I::Pointerref | I::Pointerset | I::AddPtr | I::SubPtr => {
            let pointer = args[0].exact_type(types).is_some_and(|it| types.subtype(it, types.core().ref_));
            let elem = pointee(env, args[0].widenconst(types));
            let value = op != I::Pointerset || types.subtype(args[1].widenconst(types), elem);
            pointer && value && (matches!(op, I::AddPtr | I::SubPtr) || layout::is_bits(types, elem))
        }
        _ if is_memory(op) => false,
        _ => same(),
    }
}

fn conversion_fits(env: Env<'_>, op: Intrinsic, args: &[Lattice]) -> bool {
    use Intrinsic as I;
    let types = env.types;
    let to = args[0].as_type(types).filter(|&it| datatype::is_primitive(types, it));
    let (Some(to), Some(from)) = (to, primitive(env, &args[1])) else { return false };
    let bytes = |it| layout::of(types, it).map_or(0, |it| it.size);
    match op {
        I::SextInt | I::ZextInt => bytes(to) > bytes(from) || from == types.core().bool,
        I::TruncInt => bytes(to) < bytes(from) || to == types.core().bool,
        I::Fpext => bytes(to) > bytes(from),
        I::Fptrunc => bytes(to) < bytes(from),
        I::Bitcast => bytes(to) == bytes(from),
        _ => true,
    }
}
