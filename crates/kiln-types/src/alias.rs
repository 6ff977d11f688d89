//! Names that `Base` and `Core` give to partly applied types: `Vector{T}` for `Array{T, 1}`.

use crate::{Module, Type, TypeData, Types, consts, datatype, unionall};

/// The alias that a `DataType` is an instance of, and the parameters it leaves.
pub(crate) fn of(types: &Types, ty: Type) -> Option<(&'static str, Vec<Type>)> {
    let params = datatype::params(types, ty);
    let name = datatype::name_of(types, ty)?;
    let is = |core: Type| datatype::name_of(types, core) == Some(name);
    let names = if is(types.core.array) {
        ["Vector", "Matrix"]
    } else if is(types.core.abstract_array) {
        ["AbstractVector", "AbstractMatrix"]
    } else if is(types.core.dense_array) {
        ["DenseVector", "DenseMatrix"]
    } else if is(types.core.generic_memory) {
        return of_memory(types, params, types.core.memory, ["Memory", "AtomicMemory"]);
    } else if is(types.core.generic_memory_ref) {
        return of_memory(types, params, types.core.memory_ref, ["MemoryRef", "AtomicMemoryRef"]);
    } else {
        return in_base(types, ty, params);
    };
    let TypeData::Value(rank) = types.data(*params.get(1)?) else { return None };
    match consts::as_int(types, *rank) {
        Some(1) => Some((names[0], vec![params[0]])),
        Some(2) => Some((names[1], vec![params[0]])),
        _ => None,
    }
}

/// Aliases of types that Base itself defines.
fn in_base(types: &Types, ty: Type, params: &[Type]) -> Option<(&'static str, Vec<Type>)> {
    let def = &types.type_name(datatype::name_of(types, ty)?).def;
    let &[only] = params else { return None };
    if def.module != Module::BASE {
        return None;
    }
    let core = &types.core;
    let alias = match (types.name(def.name), types.data(only)) {
        ("Complex", _) if only == core.float64 => "ComplexF64",
        ("Complex", _) if only == core.float32 => "ComplexF32",
        ("Complex", _) if only == core.float16 => "ComplexF16",
        ("BitArray", TypeData::Value(rank)) => match consts::as_int(types, *rank)? {
            1 => "BitVector",
            2 => "BitMatrix",
            _ => return None,
        },
        ("GenericIOBuffer", _) if Some(("Memory", vec![core.uint8])) == of(types, only) => "IOBuffer",
        _ => return None,
    };
    Some((alias, Vec::new()))
}

/// Memory in the address space of the CPU.
fn of_memory(
    types: &Types,
    params: &[Type],
    plain: Type,
    names: [&'static str; 2],
) -> Option<(&'static str, Vec<Type>)> {
    let &[kind, elem, space] = params else { return None };
    let &[plain_kind, _, plain_space] = datatype::params(types, unionall::unwrap(types, plain)) else {
        return None;
    };
    let atomic = consts::to_param(types, consts::symbol(types, types.symbol("atomic")));
    if space != plain_space {
        None
    } else if kind == plain_kind {
        Some((names[0], vec![elem]))
    } else {
        (kind == atomic).then(|| (names[1], vec![elem]))
    }
}
