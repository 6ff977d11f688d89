//! `printf` of machine numbers, strings and characters: a whole format at once.

use super::arguments::Arguments;
use super::float_text;
use super::printing::{elements, machine_integer};
use crate::{Run, Value};

/// The most digits and columns that are formatted here.
const PLACES_MAX: i64 = 1 << 12;

/// A `Printf.Spec` (`base/stdlib/Printf.jl`), in the order of its fields.
struct Spec {
    conversion: u8,
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    hash: bool,
    /// Columns.
    width: usize,
    /// Digits or characters.
    precision: Option<usize>,
}

impl Spec {
    /// `None` if the width or the precision is an argument.
    fn read(args: &Arguments<'_>, value: Value) -> Option<Self> {
        let heap = args.heap();
        if value.is_inline() || heap.field_count(value) != 8 {
            return None;
        }
        let bits = |at: usize| heap.get_field(value, at).map(Value::bits);
        let places = |at: usize| bits(at).map(|it| it as i64).filter(|it| (-1..=PLACES_MAX).contains(it));
        Some(Self {
            conversion: (bits(0)? as u32 >> 24) as u8,
            left: bits(1)? != 0,
            plus: bits(2)? != 0,
            space: bits(3)? != 0,
            zero: bits(4)? != 0,
            hash: bits(5)? != 0,
            width: usize::try_from(places(6)?).unwrap_or(0),
            precision: usize::try_from(places(7)?).ok(),
        })
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Puts a sign or prefix before ASCII text, and fills up to the width.
    fn pad(&self, prefix: &str, text: &str, may_have_zeros: bool, out: &mut Vec<u8>) {
        let gap = self.width.saturating_sub(prefix.len() + text.len());
        let zeros = self.zero && may_have_zeros && !self.left;
        if !self.left && !zeros {
            out.resize(out.len() + gap, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if zeros {
            out.resize(out.len() + gap, b'0');
        }
        out.extend_from_slice(text.as_bytes());
        if self.left {
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
            _ => (size.to_string(), ""),
        };
        let missing = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let digits = if missing > 0 { "0".repeat(missing) + &digits } else { digits };
        let prefix = format!("{}{}", self.sign(negative), if self.hash { radix } else { "" });
        self.pad(&prefix, &digits, self.precision.is_none(), out);
    }

    fn float(&self, x: f64, out: &mut Vec<u8>) {
        let upper = self.conversion.is_ascii_uppercase();
        let prefix = self.sign(x.is_sign_negative() && !x.is_nan());
        let a = x.abs();
        if !a.is_finite() {
            return self.pad(prefix, if a.is_nan() { "NaN" } else { "Inf" }, false, out);
        }
        let places = self.precision.unwrap_or(6);
        let mut text = match self.conversion.to_ascii_lowercase() {
            b'f' => float_text::fixed(a, places),
            b'e' => float_text::scientific(a, places),
            _ => general(a, places.max(1), self.hash),
        };
        // The point stays where no digit is behind it.
        if self.hash && !text.contains('.') {
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

/// `format_text(parts::Vector{Any}, values...)`: the text of a `Printf.Format`, whose parts are strings and `Spec`s; `nothing` where
/// a value is not of a machine's number, or the format asks for something rare.
pub(super) fn format_text(args: &Arguments<'_>) -> Run {
    args.expect(1, usize::MAX)?;
    let heap = args.heap();
    Ok(formatted(args).map_or_else(|| heap.nothing(), |it| heap.new_string(&it)))
}

fn formatted(args: &Arguments<'_>) -> Option<Vec<u8>> {
    let heap = args.heap();
    let (part, count) = elements(heap, *args.values.first()?)?;
    let mut values = args.values[1..].iter();
    let mut out = Vec::with_capacity(64);
    for at in 0..count {
        let part = part(at)?;
        if let Some(literal) = heap.as_string(part) {
            out.extend_from_slice(literal);
        } else {
            one_value(args, &Spec::read(args, part)?, *values.next()?, &mut out)?;
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
            if spec.hash || !args.append_known(value, &mut text) {
                return None;
            }
            let text = std::str::from_utf8(&text).ok()?;
            // Columns and characters are bytes in printable ASCII.
            if !text.bytes().all(|it| (b' '..=b'~').contains(&it)) {
                (spec.width == 0 && spec.precision.is_none()).then_some(())?;
            }
            let count = spec.precision.map_or(text.len(), |it| it.min(text.len()));
            spec.pad("", &text[..count], false, out);
        }
        b'c' => {
            let byte = (value.ty() == args.heap().core().char).then(|| value.bits() as u32)?;
            let c =
                u8::try_from(byte >> 24).ok().filter(|it| byte << 8 == 0 && (b' '..=b'~').contains(it))?;
            spec.pad("", char::from(c).encode_utf8(&mut [0; 4]), false, out);
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
