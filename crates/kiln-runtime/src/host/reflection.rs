//! Questions about types and methods.

use super::arguments::Arguments;
use crate::tables::{MethodId, MethodMatch};
use crate::{Run, Value, exceptions};
use kiln_ir::HostFunction;
use kiln_types::Type;

pub(super) fn relation(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let (heap, a, b) = (args.heap(), args.ty(0)?, args.ty(1)?);
    Ok(if args.function == HostFunction::Typeintersect {
        heap.type_value(heap.types().intersect(a, b))
    } else if args.function == HostFunction::Typejoin {
        heap.type_value(heap.types().typejoin(a, b))
    } else {
        heap.bool(a == b || heap.types().equal(a, b))
    })
}

pub(super) fn type_string(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let heap = args.heap();
    match args.value(0)?.as_type_like(heap.core()) {
        Some(ty) => Ok(heap.string(&heap.types().display(ty))),
        None => args.ty(0).map(|ty| heap.type_value(ty)),
    }
}

pub(super) fn fieldoffset(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let (heap, ty, index) = (args.heap(), args.ty(0)?, args.int(1)?);
    let layout = heap.types().layout(ty);
    let field = usize::try_from(index.wrapping_sub(1)).ok().zip(layout);
    match field.and_then(|(index, layout)| layout.fields.get(index)) {
        Some(field) => Ok(heap.int(i64::from(field.offset))),
        None => Err(exceptions::bounds_error(heap, args.value(0)?, args.value(1)?)),
    }
}

pub(super) fn layout(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let heap = args.heap();
    let (types, ty) = (heap.types(), args.ty(0)?);
    let layout = types.layout(ty);
    let number = |it: Option<u32>| heap.int(i64::from(it.unwrap_or(0)));
    let fields = [
        ("size", number(layout.map(|it| it.size))),
        ("align", number(layout.map(|it| it.align))),
        ("nfields", heap.int(types.field_types(ty).len() as i64)),
        ("isbits", heap.bool(types.is_bits(ty))),
        ("concrete", heap.bool(types.is_concrete(ty))),
        ("abstract", heap.bool(types.is_abstract(ty))),
        ("primitive", heap.bool(types.is_primitive(ty))),
        ("mutable", heap.bool(types.is_mutable(ty))),
        ("pointerfree", heap.bool(layout.is_some_and(|it| it.pointer_free))),
        ("tuple", heap.bool(types.is_tuple(ty))),
        ("namedtuple", heap.bool(types.is_named_tuple(ty))),
    ];
    Ok(named(args, &fields))
}

/// A named tuple of these fields.
pub(super) fn named(args: &Arguments<'_>, fields: &[(&str, Value)]) -> Value {
    let heap = args.heap();
    let names: Vec<_> = fields.iter().map(|it| heap.types().symbol(it.0)).collect();
    let values: Vec<_> = fields.iter().map(|it| it.1).collect();
    heap.named_tuple(&names, &values)
}

fn signature(args: &Arguments<'_>) -> Run<Type> {
    args.rt.signature(args.value(0)?, args.ty(1)?)
}

fn matches(args: &Arguments<'_>, sig: Type) -> Vec<MethodMatch> {
    let world = args.rt.current_world();
    args.rt.tables.find_matches(sig, world, usize::MAX).map_or_else(Vec::new, |it| it.matches)
}

pub(super) fn hasmethod(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let callee = args.value(0)?.ty();
    let special =
        args.rt.callees.of_type(callee).is_some() || callee == args.heap().core().intrinsic_function;
    let found = special || matches(args, signature(args)?).iter().any(|it| it.fully_covers);
    Ok(args.heap().bool(found))
}

fn method_value(args: &Arguments<'_>, method: MethodId) -> Value {
    Value::inline(args.heap().core().method, method.index() as u64)
}

pub(super) fn methods_list(args: &Arguments<'_>) -> Run {
    args.expect(1, 2)?;
    let (heap, types) = (args.heap(), args.heap().types());
    let sig = if args.values.len() == 2 {
        signature(args)?
    } else {
        let rest = types.vararg(heap.core().any, None);
        types.tuple(&[heap.dispatch_type(args.value(0)?), rest])
    };
    let found: Vec<Value> = matches(args, sig).iter().map(|it| method_value(args, it.method)).collect();
    Ok(heap.any_vector(&found))
}

pub(super) fn method_info(args: &Arguments<'_>) -> Run {
    args.expect(1, 2)?;
    if args.values.len() == 1 {
        return describe(args);
    }
    match matches(args, signature(args)?).iter().find(|it| it.fully_covers) {
        Some(found) => Ok(method_value(args, found.method)),
        None => Err(args.error("no unique matching method found for the specified argument types")),
    }
}

fn describe(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    let (core, value) = (heap.core(), args.value(0)?);
    if value.ty() != core.method {
        return Err(exceptions::type_error(heap, args.function.name(), core.method, value));
    }
    let method = args.rt.tables.method(MethodId::from_index(value.bits() as usize));
    let (file, line) = args.rt.frontend.place(method.loc).unwrap_or_default();
    let fields = [
        ("name", Value::symbol(core, method.name)),
        ("module", Value::module(core, method.module)),
        ("sig", heap.type_value(method.sig)),
        ("file", heap.symbol(&file)),
        ("line", heap.int(i64::from(line))),
        ("nargs", heap.int(i64::from(method.nargs))),
        ("isva", heap.bool(method.is_va)),
    ];
    Ok(named(args, &fields))
}

pub(super) fn return_type(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let sig = signature(args)?;
    let inferred = args.rt.compiler.get().and_then(|it| it.return_type(args.rt, sig));
    Ok(args.heap().type_value(inferred.unwrap_or(args.heap().core().any)))
}
