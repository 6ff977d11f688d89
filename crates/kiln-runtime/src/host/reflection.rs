//! Questions about types.

use super::arguments::Arguments;
use crate::heap::{params, svecs, text, tuples};
use crate::tables::Binding;
use crate::{Run, Value, exceptions};
use kiln_ir::HostFunction;
use kiln_types::{Module, Symbol, datatype, display, equality, intersect, layout, typejoin, typevar};

pub(super) fn relation(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let (heap, a, b) = (args.heap(), args.ty(0)?, args.ty(1)?);
    Ok(if args.values.len() == 3 {
        match heap.types().name(args.symbol(2)?) {
            "walk" => heap.type_value(intersect::meet_by_walk(heap.types(), a, b)),
            _ => {
                let (common, env) = intersect::meet_with_values(heap.types(), a, b);
                let env: Vec<Value> = env.iter().map(|&it| params::value_of_param(heap, it)).collect();
                svecs::new(heap, &[heap.type_value(common), svecs::new(heap, &env)])
            }
        }
    } else if args.function == HostFunction::Typeintersect {
        heap.type_value(intersect::meet(heap.types(), a, b))
    } else if args.function == HostFunction::Typejoin {
        heap.type_value(typejoin::join(heap.types(), a, b))
    } else {
        heap.bool(a == b || equality::are_equal(heap.types(), a, b))
    })
}

pub(super) fn type_string(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let heap = args.heap();
    match args.value(0)?.as_type_like(heap.core()) {
        Some(ty) => {
            let (types, tables) = (heap.types(), &args.rt.tables);
            let (main, world) = (Module::MAIN, tables.world());
            let visible = |module: Module, name: Symbol| {
                let found = tables.bindings.resolve_binding(main, name, world);
                let defined = matches!(found.binding, Binding::Const(_) | Binding::Global(..));
                defined && (found.module, found.name) == (module, name)
            };
            let ended = |name| tables.bindings.type_name_ended(name);
            Ok(text::string(heap, &display::of_type_seen(types, ty, &visible, &ended)))
        }
        None => args.ty(0).map(|ty| heap.type_value(ty)),
    }
}

pub(super) fn has_free_typevars(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let heap = args.heap();
    let ty = args.value(0)?.as_type_like(heap.core());
    Ok(heap.bool(ty.is_some_and(|it| typevar::has_free_vars(heap.types(), it))))
}

pub(super) fn fieldoffset(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let (heap, ty, index) = (args.heap(), args.ty(0)?, args.int(1)?);
    let layout = layout::of(heap.types(), ty);
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
    let layout = layout::of(types, ty);
    let number = |it: Option<u32>| heap.int(i64::from(it.unwrap_or(0)));
    let fields = [
        ("size", number(layout.map(|it| it.size))),
        ("align", number(layout.map(|it| it.align))),
        ("nfields", heap.int(datatype::field_types(types, ty).len() as i64)),
        ("isbits", heap.bool(layout::is_bits(types, ty))),
        ("concrete", heap.bool(datatype::is_concrete(types, ty))),
        ("abstract", heap.bool(datatype::is_abstract(types, ty))),
        ("primitive", heap.bool(datatype::is_primitive(types, ty))),
        ("mutable", heap.bool(datatype::is_mutable(types, ty))),
        ("pointerfree", heap.bool(layout.is_some_and(|it| it.pointer_free))),
        ("tuple", heap.bool(datatype::is_tuple(types, ty))),
        ("namedtuple", heap.bool(datatype::is_named_tuple(types, ty))),
    ];
    Ok(named(args, &fields))
}

/// Whether a field is declared `const` or `@atomic`.
pub(super) fn field_attribute(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let (heap, ty, at) = (args.heap(), args.ty(0)?, args.int(1)?);
    let types = heap.types();
    let is_const = types.name(args.symbol(2)?) == "const";
    let marks = datatype::name_of(types, ty).map(|it| {
        let def = &types.type_name(it).def;
        if is_const { def.const_fields.clone() } else { def.atomic_fields.clone() }
    });
    let at = usize::try_from(at.wrapping_sub(1)).ok();
    let marks = marks.unwrap_or_default();
    Ok(heap.bool(at.and_then(|it| marks.get(it).copied()).unwrap_or(false)))
}

/// The name of an intrinsic function.
pub(super) fn intrinsic_name(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let (heap, value) = (args.heap(), args.value(0)?);
    let found = crate::interp::intrinsic_of(value.bits());
    match found.filter(|_| value.ty() == heap.core().intrinsic_function) {
        Some(it) => Ok(heap.symbol(it.name())),
        None => {
            Err(exceptions::type_error(heap, args.function.name(), heap.core().intrinsic_function, value))
        }
    }
}

/// A named tuple of these fields.
pub(super) fn named(args: &Arguments<'_>, fields: &[(&str, Value)]) -> Value {
    let heap = args.heap();
    let names: Vec<_> = fields.iter().map(|it| heap.types().symbol(it.0)).collect();
    let values: Vec<_> = fields.iter().map(|it| it.1).collect();
    tuples::named(heap, &names, &values)
}
