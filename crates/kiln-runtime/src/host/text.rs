//! Strings, symbols, and numbers as text.

use super::arguments::Arguments;
use super::float_text::{self, FloatKind};
use super::{parse_float32, parse_float64};
use crate::heap::{FieldSlot, constants, memory, numbers, text};
use crate::{Run, Value, exceptions};
use kiln_ir::HostFunction;
use kiln_types::{Type, bytes_of_name, name_of_bytes};

/// `Ptr{elem}` with this address.
pub(super) fn pointer(args: &Arguments<'_>, elem: Type, address: u64) -> Run {
    let types = args.heap().types();
    match types.apply(args.heap().core().ptr, &[elem]) {
        Ok(ty) => Ok(Value::inline(ty, address)),
        Err(_) => Err(args.error("`Ptr` takes no such type")),
    }
}

pub(super) fn string_from_memory(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let memory = args.value(0)?;
    let holds_bytes = memory::element(heap, memory.ty())
        .is_some_and(|it| it.stride == 1 && matches!(it.slot, FieldSlot::Inline(_)));
    if !holds_bytes {
        let expected = memory::memory_type(heap, heap.core().uint8);
        return Err(exceptions::type_error(heap, args.function.name(), expected, memory));
    }
    let bytes = memory::bytes(heap, memory);
    let (offset, count) = (args.int(1)?, args.int(2)?);
    let range = usize::try_from(offset).ok().zip(usize::try_from(count).ok());
    let found = range.and_then(|(start, count)| bytes.get(start..start.checked_add(count)?));
    match found {
        Some(found) => Ok(text::from_bytes(heap, found)),
        None => Err(exceptions::bounds_error(heap, memory, args.value(1)?)),
    }
}

pub(super) fn string_pointer(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    args.bytes(0)?;
    let address = text::pointer(args.heap(), args.value(0)?);
    pointer(args, args.heap().core().uint8, address)
}

pub(super) fn symbol_from_string(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    if args.bytes(0)?.contains(&0) {
        return Err(exceptions::argument_error(args.heap(), "Symbol name may not contain \\0"));
    }
    Ok(args.heap().symbol(&name_of_bytes(args.bytes(0)?)))
}

pub(super) fn symbol_name(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let symbol = args.symbol(0)?;
    Ok(text::from_bytes(args.heap(), &bytes_of_name(args.heap().types().name(symbol))))
}

/// Returns `##prefix#n`, or `##n`, a name that neither the program nor another call uses.
pub(super) fn gensym(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    let prefix = if args.values.is_empty() { String::new() } else { args.text(0)? };
    let number = constants::next_serial(args.heap());
    let name = if prefix.is_empty() { format!("##{number}") } else { format!("##{prefix}#{number}") };
    Ok(args.heap().symbol(&name))
}

/// The number and its type, if the value is a float.
fn float(args: &Arguments<'_>, value: Value) -> Option<(f64, FloatKind)> {
    let core = args.heap().core();
    let bits = value.bits();
    if value.ty() == core.float64 {
        Some((f64::from_bits(bits), FloatKind::Double))
    } else if value.ty() == core.float32 {
        Some((f64::from(f32::from_bits(bits as u32)), FloatKind::Single))
    } else if value.ty() == core.float16 {
        Some((float_text::half_value(bits as u16), FloatKind::Half))
    } else {
        None
    }
}

pub(super) fn float_to_string(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let Some((x, kind)) = float(args, args.value(0)?) else {
        let expected = heap.core().abstract_float;
        return Err(exceptions::type_error(heap, args.function.name(), expected, args.value(0)?));
    };
    let digits = usize::try_from(args.int(2)?.clamp(0, 1 << 16)).unwrap_or(0);
    let letter = if kind == FloatKind::Single { 'f' } else { 'e' };
    let text = match heap.types().name(args.symbol(1)?) {
        "shortest" => float_text::shortest(x, kind, false, 'e'),
        "compact" => float_text::shortest(x, kind, true, 'e'),
        "lettered" => float_text::shortest(x, kind, false, letter),
        "compact_lettered" => float_text::shortest(x, kind, true, letter),
        "typed" => float_text::typed(x, kind, false),
        "typed_compact" => float_text::typed(x, kind, true),
        "fixed" => float_text::fixed(x, digits),
        "exp" => float_text::scientific(x, digits),
        other => return Err(args.error(&format!("float_to_string: there is no mode `{other}`"))),
    };
    Ok(text::string(heap, &text))
}

pub(super) fn parse_float(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let heap = args.heap();
    let text = args.any_bytes(0)?;
    let number = if args.function == HostFunction::ParseFloat32 {
        parse_float32(text).map(|it| numbers::float32(heap, it))
    } else {
        parse_float64(text).map(|it| numbers::float64(heap, it))
    };
    Ok(number.unwrap_or_else(|| heap.nothing()))
}
