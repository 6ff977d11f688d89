//! `printf` of machine numbers, strings and characters: a whole format at once.

use super::arguments::Arguments;
use super::float_text;
use super::printing::machine_integer;
use crate::heap::text;
use crate::{Run, Value};

/// The most digits and columns that are formatted here.
const PLACES_MAX: i32 = 1 << 12;

/// The flags of a conversion, as `base/stdlib/Printf.jl` packs them.
mod flag {
    pub(super) const LEFT: u8 = 1;
    pub(super) const PLUS: u8 = 2;
    pub(super) const SPACE: u8 = 4;
    pub(super) const ZERO: u8 = 8;
    pub(super) const HASH: u8 = 16;
}

/// A conversion.
struct Spec {
    conversion: u8,
    flags: u8,
    /// Columns.
    width: usize,
    /// Digits or characters.
    precision: Option<usize>,
}

/// A part of a format.
enum Part<'a> {
    Literal(&'a [u8]),
    /// `None` if the width or the precision is an argument, or beyond what is formatted here.
    Value(Option<Spec>),
}

/// The next part of a packed format. A literal is a zero byte, its length, and its bytes; a conversion its letter, its flags, its width
/// and its precision. Numbers have four bytes.
fn next_part<'a>(packed: &mut &'a [u8]) -> Option<Part<'a>> {
    let (&conversion, rest) = packed.split_first()?;
    if conversion == 0 {
        let (length, rest) = rest.split_first_chunk()?;
        let (literal, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *packed = rest;
        return Some(Part::Literal(literal));
    }
    let (&flags, rest) = rest.split_first()?;
    let (width, rest) = rest.split_first_chunk()?;
    let (precision, rest) = rest.split_first_chunk()?;
    *packed = rest;
    let places =
        |bytes: &[u8; 4]| Some(i32::from_le_bytes(*bytes)).filter(|it| (-1..=PLACES_MAX).contains(it));
    let spec = places(width).zip(places(precision)).map(|(width, precision)| Spec {
        conversion,
        flags,
        width: usize::try_from(width).unwrap_or(0),
        precision: usize::try_from(precision).ok(),
    });
    Some(Part::Value(spec))
}

impl Spec {
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.has(flag::PLUS), self.has(flag::SPACE)) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Puts a sign or prefix before ASCII text, and fills up to the width.
    fn pad(&self, (sign, radix): (&str, &str), text: &str, may_have_zeros: bool, out: &mut Vec<u8>) {
        let gap = self.width.saturating_sub(sign.len() + radix.len() + text.len());
        let left = self.has(flag::LEFT);
        let zeros = self.has(flag::ZERO) && may_have_zeros && !left;
        if !left && !zeros {
            out.resize(out.len() + gap, b' ');
        }
        out.extend_from_slice(sign.as_bytes());
        out.extend_from_slice(radix.as_bytes());
        if zeros {
            out.resize(out.len() + gap, b'0');
        }
        out.extend_from_slice(text.as_bytes());
        if left {
            out.resize(out.len() + gap, b' ');
        }
    }

    fn integer(&self, (bits, signed): (u128, bool), out: &mut Vec<u8>) {
        let negative = signed && (bits as i128) < 0;
        let size = if negative { (bits as i128).unsigned_abs() } else { bits };
        let (digits, radix) = match self.conversion {
            b'x' => (format!("{size:x}"), "0x"),
            b'X' => (format!("{size:X}"), "0X"),
            b'o' => (format!("{size:o}"), "0"),
            _ => (u64::try_from(size).map_or_else(|_| size.to_string(), |it| it.to_string()), ""),
        };
        let missing = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let digits = if missing > 0 { "0".repeat(missing) + &digits } else { digits };
        let radix = if self.has(flag::HASH) { radix } else { "" };
        self.pad((self.sign(negative), radix), &digits, self.precision.is_none(), out);
    }

    fn float(&self, x: f64, out: &mut Vec<u8>) {
        let upper = self.conversion.is_ascii_uppercase();
        let prefix = (self.sign(x.is_sign_negative() && !x.is_nan()), "");
        let a = x.abs();
        if !a.is_finite() {
            return self.pad(prefix, if a.is_nan() { "NaN" } else { "Inf" }, false, out);
        }
        let places = self.precision.unwrap_or(6);
        let mut text = match self.conversion.to_ascii_lowercase() {
            b'f' => float_text::fixed(a, places),
            b'e' => float_text::scientific(a, places),
            _ => general(a, places.max(1), self.has(flag::HASH)),
        };
        // The point stays where no digit is behind it.
        if self.has(flag::HASH) && !text.contains('.') {
            text.insert(text.find('e').unwrap_or(text.len()), '.');
        }
        if upper {
            text.make_ascii_uppercase();
        }
        self.pad(prefix, &text, true, out);
    }
}

/// `%g`: the form with fewer characters, without zeros at the end unless they are kept.
fn general(a: f64, places: usize, keep: bool) -> String {
    if a == 0.0 {
        return if keep { format!("0.{}", "0".repeat(places - 1)) } else { "0".to_owned() };
    }
    let text = float_text::scientific(a, places - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let power: i64 = exponent.parse().unwrap_or(0);
    if power < -4 || power >= places as i64 {
        return format!("{}e{exponent}", if keep { mantissa } else { without_zeros(mantissa) });
    }
    let fixed = float_text::fixed(a, (places as i64 - 1 - power) as usize);
    if keep { fixed } else { without_zeros(&fixed).to_owned() }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// `format_text(packed::String, values...)`: the text of a `Printf.Format`; `nothing` where a value is not of a machine's number, or the
/// format asks for something rare.
pub(super) fn format_text(args: &Arguments<'_>) -> Run {
    args.expect(1, usize::MAX)?;
    let heap = args.heap();
    Ok(formatted(args, args.bytes(0)?).map_or_else(|| heap.nothing(), |it| text::from_bytes(heap, &it)))
}

fn formatted(args: &Arguments<'_>, mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut values = args.values[1..].iter();
    let mut out = Vec::with_capacity(64);
    while !packed.is_empty() {
        match next_part(&mut packed)? {
            Part::Literal(text) => out.extend_from_slice(text),
            Part::Value(spec) => one_value(args, &spec?, *values.next()?, &mut out)?,
        }
    }
    values.next().is_none().then_some(out)
}

fn one_value(args: &Arguments<'_>, spec: &Spec, value: Value, out: &mut Vec<u8>) -> Option<()> {
    match spec.conversion {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => spec.integer(machine_integer(args.heap(), value)?, out),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => spec.float(number(args, value)?, out),
        b's' => {
            let mut text = Vec::new();
            if spec.has(flag::HASH) || !args.append_known(value, &mut text) {
                return None;
            }
            let text = std::str::from_utf8(&text).ok()?;
            // Columns and characters are bytes in printable ASCII.
            if !text.bytes().all(|it| (b' '..=b'~').contains(&it)) {
                (spec.width == 0 && spec.precision.is_none()).then_some(())?;
            }
            let count = spec.precision.map_or(text.len(), |it| it.min(text.len()));
            spec.pad(("", ""), &text[..count], false, out);
        }
        b'c' => {
            let byte = (value.ty() == args.heap().core().char).then(|| value.bits() as u32)?;
            let c =
                u8::try_from(byte >> 24).ok().filter(|it| byte << 8 == 0 && (b' '..=b'~').contains(it))?;
            spec.pad(("", ""), char::from(c).encode_utf8(&mut [0; 4]), false, out);
        }
        _ => return None,
    }
    Some(())
}

/// A machine number as a `Float64`.
fn number(args: &Arguments<'_>, value: Value) -> Option<f64> {
    let core = args.heap().core();
    let bits = value.bits();
    if value.ty() == core.float64 {
        Some(f64::from_bits(bits))
    } else if value.ty() == core.float32 {
        Some(f64::from(f32::from_bits(bits as u32)))
    } else {
        machine_integer(args.heap(), value)
            .map(|(bits, signed)| if signed { bits as i128 as f64 } else { bits as f64 })
    }
}
