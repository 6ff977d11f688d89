//! `<:`, `isa`, `typeassert`, `ifelse`, `sizeof`, `compilerbarrier`.

use super::{bool_argument, symbol_argument, type_argument};
use crate::heap::{FieldSlot, ObjectForm, memory, svecs, text};
use crate::{Heap, Run, Value, exceptions};
use kiln_types::{Type, TypeData, datatype, layout, typevar, unionall};

pub(super) fn subtype(heap: &Heap, a: Value, b: Value) -> Run {
    let (a, b) = (type_argument(heap, "<:", a)?, type_argument(heap, "<:", b)?);
    Ok(heap.bool(a == b || heap.types().subtype(a, b)))
}

pub(super) fn isa(heap: &Heap, value: Value, ty: Value) -> Run {
    let ty = type_argument(heap, "isa", ty)?;
    Ok(heap.bool(heap.isa(value, ty)))
}

pub(super) fn typeassert(heap: &Heap, value: Value, ty: Value) -> Run {
    let ty = type_argument(heap, "typeassert", ty)?;
    if heap.isa(value, ty) { Ok(value) } else { Err(exceptions::type_error(heap, "typeassert", ty, value)) }
}

pub(super) fn ifelse(heap: &Heap, args: &[Value]) -> Run {
    Ok(if bool_argument(heap, "ifelse", args[0])? { args[1] } else { args[2] })
}

pub(super) fn compilerbarrier(heap: &Heap, setting: Value, value: Value) -> Run {
    let setting = symbol_argument(heap, "compilerbarrier", setting)?;
    match heap.types().name(setting) {
        "type" | "const" | "conditional" => Ok(value),
        _ => Err(exceptions::error(
            heap,
            "The first argument of `compilerbarrier` must be either of `:type`, `:const` or `:conditional`.",
        )),
    }
}

/// `sizeof` of a type or of an object.
pub(super) fn sizeof(heap: &Heap, value: Value) -> Run {
    if let Some(ty) = value.as_type(heap.core()) {
        return sizeof_type(heap, ty);
    }
    if let Some(symbol) = value.as_symbol(heap.core()) {
        return Ok(heap.int(heap.types().name(symbol).len() as i64));
    }
    let size = match heap.shape(value.ty()).map(|it| (&it.form, it.size)) {
        Some((ObjectForm::String, _)) => text::bytes(heap, value).len(),
        Some((ObjectForm::Svec, _)) => 8 * (1 + svecs::len(heap, value)),
        Some((ObjectForm::Memory(element), _)) => {
            let selector = usize::from(matches!(element.slot, FieldSlot::Union(_)));
            memory::len(heap, value) * (element.stride as usize + selector)
        }
        Some((ObjectForm::Inline | ObjectForm::Struct, size)) => size as usize,
        None => 0,
    };
    Ok(heap.int(size as i64))
}

/// Returns the type itself; for a type with free parameters that no field mentions, an instance of it: all have the
/// same layout.
fn with_irrelevant_parameters(heap: &Heap, ty: Type) -> Type {
    let types = heap.types();
    let TypeData::Data { name, params } = types.data(ty) else { return ty };
    if !typevar::has_free_vars(types, ty)
        || datatype::is_tuple(types, ty)
        || datatype::field_types(types, ty).iter().any(|&it| typevar::has_free_vars(types, it))
    {
        return ty;
    }
    let bound = |&it: &Type| {
        if let TypeData::Var { upper, .. } = types.data(it)
            && !typevar::has_free_vars(types, *upper)
        {
            return *upper;
        }
        it
    };
    let params: Vec<Type> = params.iter().map(bound).collect();
    types.apply(types.type_name(*name).wrapper, &params).unwrap_or(ty)
}

fn sizeof_type(heap: &Heap, ty: Type) -> Run {
    let types = heap.types();
    let fail = |message: &str| Err(exceptions::error(heap, message));
    let inner = unionall::unwrap(types, ty);
    match types.data(inner) {
        TypeData::Bottom => {
            fail("The empty type does not have a definite size since it does not have instances.")
        }
        TypeData::Union(members) => {
            let sizes: Option<Vec<u32>> = members
                .iter()
                .map(|&it| {
                    layout::is_bits(types, it).then(|| layout::of(types, it).map(|it| it.size)).flatten()
                })
                .collect();
            match sizes.and_then(|it| it.into_iter().max()) {
                Some(size) => Ok(heap.int(i64::from(size))),
                None => fail("Argument is an abstract type and does not have a definite size."),
            }
        }
        TypeData::Data { name, .. } => {
            let shown = types.name(types.type_name(*name).def.name);
            if datatype::is_abstract(types, inner) {
                return fail(&format!("Abstract type {shown} does not have a definite size."));
            }
            let laid_out = with_irrelevant_parameters(heap, inner);
            match heap.shape(laid_out).map(|it| (&it.form, it.size)) {
                Some((ObjectForm::Inline, _)) if inner == heap.core().symbol => {
                    fail(&format!("Type {shown} does not have a definite size."))
                }
                Some((ObjectForm::Inline | ObjectForm::Struct, size)) => Ok(heap.int(i64::from(size))),
                Some(_) => fail(&format!("Type {shown} does not have a definite size.")),
                None => fail(&format!(
                    "Argument is an incomplete {shown} type and does not have a definite size."
                )),
            }
        }
        TypeData::UnionAll { .. } | TypeData::Var { .. } | TypeData::Vararg { .. } | TypeData::Value(_) => {
            fail("Argument is an abstract type and does not have a definite size.")
        }
    }
}
