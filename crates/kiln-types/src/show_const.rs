//! Constants as `repr` shows them.

use crate::names::{is_identifier, is_operator};
use crate::{Const, ConstData, Symbol, Type, Types, datatype, display, layout, module};

pub(crate) fn display(types: &Types, constant: Const) -> String {
    match types.const_data(constant) {
        ConstData::Bits { ty, bytes } => bits(types, *ty, bytes),
        ConstData::Symbol(symbol) => self::symbol(types, *symbol),
        ConstData::Type(ty) => display::of_type(types, *ty),
        ConstData::String(bytes) => quoted(&String::from_utf8_lossy(bytes)),
        ConstData::Module(module) => module::path(types, *module),
        ConstData::Aggregate { ty, fields } => {
            let fields = fields.iter().map(|&it| display(types, it)).collect();
            aggregate(types, *ty, fields)
        }
        ConstData::Object { ty, .. } => format!("{}(...)", display::of_type(types, *ty)),
    }
}

fn symbol(types: &Types, symbol: Symbol) -> String {
    let name = types.name(symbol);
    if is_identifier(name) || is_operator(name) && name != ":" {
        format!(":{name}")
    } else if name == ":" {
        ":(:)".to_owned()
    } else {
        format!("Symbol({})", quoted(name))
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn bits(types: &Types, ty: Type, bytes: &[u8]) -> String {
    let core = types.core();
    let mut wide = [0; 16];
    wide[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
    let unsigned = u128::from_le_bytes(wide);
    let signed = [core.int8, core.int16, core.int32, core.int64, core.int128];
    let unsigned_types = [core.uint8, core.uint16, core.uint32, core.uint64, core.uint128];
    if signed.contains(&ty) {
        let shift = 128 - 8 * bytes.len() as u32;
        return (((unsigned << shift) as i128) >> shift).to_string();
    }
    if unsigned_types.contains(&ty) {
        return format!("0x{unsigned:0width$x}", width = 2 * bytes.len());
    }
    if ty == core.bool {
        return (unsigned != 0).to_string();
    }
    if ty == core.nothing {
        return "nothing".to_owned();
    }
    if ty == core.float64 {
        let value = f64::from_bits(unsigned as u64);
        return float(value, format!("{value:e}"), "e", "");
    }
    if ty == core.float32 {
        let value = f32::from_bits(unsigned as u32);
        return float(value.into(), format!("{value:e}"), "f", "32");
    }
    if ty == core.char {
        return character(unsigned as u32);
    }
    if let Some(layout) = layout::of(types, ty)
        && !datatype::is_primitive(types, ty)
        && let Some(text) = fields(types, ty, layout, bytes)
    {
        return text;
    }
    format!("{}(0x{unsigned:0width$x})", display::of_type(types, ty), width = 2 * bytes.len().max(1))
}

fn fields(types: &Types, ty: Type, layout: &crate::Layout, bytes: &[u8]) -> Option<String> {
    if types.type_name(datatype::name_of(types, ty)?).of_function {
        let shown = display::of_type(types, ty);
        return Some(shown.strip_prefix("typeof(")?.strip_suffix(')')?.to_owned());
    }
    let mut shown = Vec::new();
    for (field, &field_ty) in layout.fields.iter().zip(datatype::field_types(types, ty)) {
        let at = field.offset as usize;
        let (value_ty, len) = match &field.storage {
            crate::FieldStorage::Union { members } => {
                let member = *members.get(*bytes.get(at + field.size as usize - 1)? as usize)?;
                (member, layout::of(types, member)?.size as usize)
            }
            crate::FieldStorage::Inline | crate::FieldStorage::Pointer => (field_ty, field.size as usize),
        };
        shown.push(bits(types, value_ty, bytes.get(at..at + len)?));
    }
    Some(aggregate(types, ty, shown))
}

fn aggregate(types: &Types, ty: Type, fields: Vec<String>) -> String {
    if datatype::is_tuple(types, ty) {
        let comma = if fields.len() == 1 { "," } else { "" };
        return format!("({}{comma})", fields.join(", "));
    }
    if datatype::is_named_tuple(types, ty) {
        let named = datatype::field_names(types, ty).iter().zip(&fields);
        let parts: Vec<_> = named.map(|(&name, value)| format!("{} = {value}", types.name(name))).collect();
        let comma = if parts.len() == 1 { "," } else { "" };
        return if parts.is_empty() {
            "NamedTuple()".into()
        } else {
            format!("({}{comma})", parts.join(", "))
        };
    }
    format!("{}({})", display::of_type(types, ty), fields.join(", "))
}

/// `scientific` is the shortest decimal of the value as Rust writes it: `1.5e3`.
fn float(value: f64, scientific: String, exponent_mark: &str, suffix: &str) -> String {
    if value.is_nan() {
        return format!("NaN{suffix}");
    }
    if value.is_infinite() {
        return format!("{}Inf{suffix}", if value < 0.0 { "-" } else { "" });
    }
    let (sign, rest) = match scientific.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", &scientific[..]),
    };
    let (mantissa, exponent) = rest.split_once('e').unwrap_or((rest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(|it| *it != '.').collect();
    let is_single = exponent_mark == "f";
    if !(-5..=5).contains(&exponent) || exponent == -5 {
        let (first, more) = digits.split_at(1);
        let more = if more.is_empty() { "0" } else { more };
        return format!("{sign}{first}.{more}{exponent_mark}{exponent}");
    }
    let point = exponent + 1;
    let text = if point <= 0 {
        format!("{sign}0.{}{digits}", "0".repeat(-point as usize))
    } else if digits.len() as i32 <= point {
        format!("{sign}{digits}{}.0", "0".repeat((point - digits.len() as i32) as usize))
    } else {
        format!("{sign}{}.{}", &digits[..point as usize], &digits[point as usize..])
    };
    if is_single { text + "f0" } else { text }
}

/// A `Char` holds UTF-8 bytes from its high end.
fn character(bits: u32) -> String {
    let bytes = bits.to_be_bytes();
    let len = 4 - (bits.trailing_zeros() / 8).min(3) as usize;
    match std::str::from_utf8(&bytes[..len]) {
        Ok("\'") => "'\\''".to_owned(),
        Ok("\\") => "'\\\\'".to_owned(),
        Ok("\n") => "'\\n'".to_owned(),
        Ok("\t") => "'\\t'".to_owned(),
        Ok("\0") => "'\\0'".to_owned(),
        Ok(text) => format!("'{text}'"),
        Err(_) => format!("'\\x{bits:08x}'"),
    }
}
