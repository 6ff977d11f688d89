//! Floats as Julia prints them.
//!
//! The shortest form has the fewest digits that read back as the same number of the same type. It is written
//! without an exponent when the point falls at most three zeros before the first digit or within the first six
//! digits (three for `Float16`), else as `d.ddde±x`.

use super::exact_decimal;
use crate::intrinsics::{float16_from_f64, float16_to_f32};
use std::fmt::{self, Write as _};
use std::io::Write as _;

/// The type a number is printed as; it determines the digits that identify the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    /// `Float16`.
    Half,
    /// `Float32`.
    Single,
    /// `Float64`.
    Double,
}

/// The most digits of a shortest text.
const DIGITS_MAX: usize = 17;

/// Digits `d1 d2 d3...` of the number `0.d1d2d3... * 10^point`, without zeros at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: [u8; DIGITS_MAX],
    count: usize,
    point: i32,
}

/// A short text that is written without allocation.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 32],
    count: usize,
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.count..self.count + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.count += text.len();
        Ok(())
    }
}

impl Decimal {
    /// Reads `d.ddde±x`, with any number of digits before the point.
    fn from_scientific(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let mut decimal = Self { digits: [b'0'; DIGITS_MAX], count: 0, point: exponent.parse().unwrap_or(0) };
        let mut whole = true;
        let mut place = 0;
        for byte in mantissa.bytes() {
            whole &= byte != b'.';
            if !byte.is_ascii_digit() {
                continue;
            }
            decimal.point += i32::from(whole);
            if let Some(digit) = decimal.digits.get_mut(place) {
                *digit = byte;
                place += 1;
                if byte != b'0' {
                    decimal.count = place;
                }
            }
        }
        decimal.count = decimal.count.max(1);
        decimal
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.digits[..self.count]).unwrap_or("0")
    }

    /// The digits that the standard library finds to be the fewest.
    fn fewest(x: impl fmt::LowerExp) -> Self {
        let mut text = ShortText::default();
        // There are at most 17 digits, a point, and an exponent of three digits.
        let _ = write!(text, "{x:e}");
        Self::from_scientific(std::str::from_utf8(&text.bytes[..text.count]).unwrap_or("0"))
    }

    /// The fewest digits that read back as `x`, a positive finite number.
    fn shortest(x: f64, kind: FloatKind) -> Self {
        match kind {
            FloatKind::Double => Self::fewest(x).even_on_tie(x, 15, |it| it.parse() == Ok(x)),
            FloatKind::Single => Self::fewest(x as f32).even_on_tie(x, 6, |it| it.parse() == Ok(x as f32)),
            FloatKind::Half => Self::shortest_half(x),
        }
    }

    /// Returns the even digits of the two if `x` lies exactly between these digits and those one less. Numbers with
    /// fewer than `least` digits are exactly those digits. `reads_back` tests whether a text parses to the number.
    fn even_on_tie(self, x: f64, least: usize, reads_back: impl Fn(&str) -> bool) -> Self {
        /// An exact tie has zeros only from here on.
        const BEYOND: usize = 60;
        let (count, point) = (self.count, self.point);
        let last = self.digits[count - 1] - b'0';
        if count < least || last.is_multiple_of(2) || !self.may_be_tie(x) {
            return self;
        }
        let mut lower = self;
        lower.digits[count - 1] -= 1;
        let digits_of = |places: usize| format!("{x:.places$e}").replace('.', "");
        let head = lower.text();
        if !digits_of(count).starts_with(&format!("{head}5e")) {
            return self;
        }
        let exact = digits_of(count + BEYOND).starts_with(&format!("{head}5{}", "0".repeat(BEYOND)));
        if exact && reads_back(&format!("0.{head}e{point}")) { lower } else { self }
    }

    /// Whether the exact digits of the number may end one digit behind these: a fraction of so many bits has as many decimal
    /// digits behind the point.
    fn may_be_tie(&self, x: f64) -> bool {
        const MANTISSA_BITS: u32 = 52;
        let bits = x.to_bits();
        let (exponent, fraction) = (bits >> MANTISSA_BITS, bits & ((1 << MANTISSA_BITS) - 1));
        let (mantissa, scale) = if exponent == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << MANTISSA_BITS, exponent as i32 - 1075)
        };
        let behind_point = -(scale + mantissa.trailing_zeros() as i32);
        let wanted = self.count as i32 + 1 - self.point;
        if behind_point > 0 { behind_point == wanted } else { wanted <= 0 }
    }

    fn shortest_half(x: f64) -> Self {
        let bits = float16_from_f64(x);
        for count in 0..5 {
            let near = format!("{x:.count$e}");
            let candidates = [near.clone(), step(&near, -1), step(&near, 1)];
            // The neighbours matter where the gap below a number is half the gap above it.
            for text in candidates {
                let value: f64 = text.parse().unwrap_or(f64::NAN);
                if float16_from_f64(value) == bits {
                    return Self::from_scientific(&text);
                }
            }
        }
        Self::from_scientific(&format!("{x:e}"))
    }
}

/// Returns the decimal with its last digit one more or less.
fn step(scientific: &str, by: i64) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, after)| after.len());
    let digits: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let exponent: i64 = exponent.parse().unwrap_or(0);
    format!("{}e{}", digits + by, exponent - places as i64)
}

/// The text of a number that is not finite.
fn special(x: f64) -> Option<&'static str> {
    if x.is_nan() {
        Some("NaN")
    } else if x.is_infinite() {
        Some(if x > 0.0 { "Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// `print(x)`: the shortest text that reads back as `x`. `exponent` is the letter before the exponent.
/// `compact` keeps at most six digits, as in `show` of an array.
pub fn shortest(x: f64, kind: FloatKind, compact: bool, exponent: char) -> String {
    let mut out = Vec::with_capacity(24);
    append_shortest(x, kind, compact, exponent, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends [`shortest`].
pub(super) fn append_shortest(x: f64, kind: FloatKind, compact: bool, exponent: char, out: &mut Vec<u8>) {
    if let Some(text) = special(x) {
        return out.extend_from_slice(text.as_bytes());
    }
    if x.is_sign_negative() {
        out.push(b'-');
    }
    let x = x.abs();
    if x == 0.0 {
        return out.extend_from_slice(b"0.0");
    }
    let mut decimal = Decimal::shortest(x, kind);
    if compact && decimal.count > 6 {
        decimal = Decimal::from_scientific(&format!("{x:.5e}"));
    }
    let Decimal { point, count, .. } = decimal;
    let digits = &decimal.digits[..count];
    let zeros = |out: &mut Vec<u8>, n: i32| out.resize(out.len() + n.max(0) as usize, b'0');
    let behind = point - count as i32;
    let most = if kind == FloatKind::Half { 3 } else { 6 };
    // Rounded to an integer that is not exactly the number: the exponent says that digits are missing.
    let is_inexact = || ((x + 0.05) % 10f64.powi(behind) - 0.05).abs() > 0.05;
    if point <= -4 || point > most || behind >= 0 && is_inexact() {
        let (first, rest) = digits.split_at(1);
        out.extend_from_slice(first);
        out.push(b'.');
        out.extend_from_slice(if rest.is_empty() { b"0" } else { rest });
        // Writing to a vector does not fail.
        let _ = write!(out, "{exponent}{}", point - 1);
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        zeros(out, -point);
        out.extend_from_slice(digits);
    } else if behind >= 0 {
        out.extend_from_slice(digits);
        zeros(out, behind);
        out.extend_from_slice(b".0");
    } else {
        let (whole, rest) = digits.split_at(point as usize);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(rest);
    }
}

/// `show(x)`: as [`shortest`], with the type visible: `1.0f0`, `1.0f10`; a `Float16` is shown as `Float16(1.0)`.
pub fn typed(x: f64, kind: FloatKind, compact: bool) -> String {
    match kind {
        FloatKind::Double => shortest(x, kind, compact, 'e'),
        FloatKind::Single => match special(x) {
            Some(text) => format!("{text}32"),
            None => {
                let text = shortest(x, kind, compact, 'f');
                if text.contains('f') { text } else { format!("{text}f0") }
            }
        },
        FloatKind::Half => match special(x) {
            Some(text) => format!("{text}16"),
            None => format!("Float16({})", shortest(x, kind, compact, 'e')),
        },
    }
}

/// `%.*f`: exactly `digits` digits after the point, ties to even.
pub fn fixed(x: f64, digits: usize) -> String {
    if let Some(text) = special(x) {
        return text.to_owned();
    }
    exact_decimal::fixed(x, digits).unwrap_or_else(|| format!("{x:.digits$}"))
}

/// `%.*e`: exactly `digits` digits after the point and an exponent of at least two.
pub fn scientific(x: f64, digits: usize) -> String {
    if let Some(text) = special(x) {
        return text.to_owned();
    }
    if let Some((mut text, exponent)) = exact_decimal::scientific(x, digits) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(text, "e{sign}{:0>2}", exponent.unsigned_abs());
        return text;
    }
    let text = format!("{x:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, size) = match exponent.strip_prefix('-') {
        Some(size) => ('-', size),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{size:0>2}")
}

/// The number a `Float16` holds.
pub fn half_value(bits: u16) -> f64 {
    f64::from(float16_to_f32(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(x: f64) -> String {
        shortest(x, FloatKind::Double, false, 'e')
    }

    fn single(x: f32) -> String {
        shortest(f64::from(x), FloatKind::Single, false, 'e')
    }

    fn half(x: f64) -> String {
        shortest(x, FloatKind::Half, false, 'e')
    }

    /// A number in the middle of two shortest texts has the even one, unless that is read as another number.
    #[test]
    fn ties_go_to_the_even_digit() {
        assert_eq!(double(2f64.powi(-25)), "2.9802322387695312e-8");
        assert_eq!(single(305404.13), "305404.12");
        assert_eq!(single(2f32.powi(-12)), "0.00024414062");
        assert_eq!(double(9007199254740993.0), "9.007199254740992e15");
    }

    /// The point moves within six digits, then the exponent starts.
    #[test]
    fn shortest_doubles() {
        let cases = [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (100000.0, "100000.0"),
            (1e6, "1.0e6"),
            (123456.789, "123456.789"),
            (1234567.0, "1.234567e6"),
            (0.0001, "0.0001"),
            (0.00001, "1.0e-5"),
            (0.000123, "0.000123"),
            (1.0 / 3.0, "0.3333333333333333"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5.0e-324"),
            (1e23, "1.0e23"),
            (9007199254740993.0, "9.007199254740992e15"),
            (-0.0, "-0.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Inf"),
        ];
        for (x, text) in cases {
            assert_eq!(double(x), text);
        }
    }

    /// A `Float32` needs fewer digits, and shows its type.
    #[test]
    fn shortest_singles() {
        assert_eq!(single(0.1), "0.1");
        assert_eq!(single(1e10), "1.0e10");
        assert_eq!(single(16777216.0), "1.6777216e7");
        assert_eq!(typed(f64::from(0.1f32), FloatKind::Single, false), "0.1f0");
        assert_eq!(typed(1e10, FloatKind::Single, false), "1.0f10");
        assert_eq!(typed(f64::INFINITY, FloatKind::Single, false), "Inf32");
    }

    /// A `Float16` has three digits before the exponent starts.
    #[test]
    fn shortest_halves() {
        assert_eq!(half(1.0), "1.0");
        assert_eq!(half(half_value(float16_from_f64(0.1))), "0.1");
        assert_eq!(half(999.5), "999.5");
        assert_eq!(half(1000.0), "1.0e3");
        assert_eq!(half(65504.0), "6.55e4");
        assert_eq!(typed(1.5, FloatKind::Half, false), "Float16(1.5)");
    }

    /// Every `Float16` reads back.
    #[test]
    fn halves_read_back() {
        for bits in 1..0x7c00u16 {
            let text = half(half_value(bits));
            assert_eq!(float16_from_f64(text.parse().unwrap()), bits, "{text}");
        }
    }

    /// Six digits, and an exponent where digits before the point are lost.
    #[test]
    fn compact_numbers() {
        let compact = |x| shortest(x, FloatKind::Double, true, 'e');
        assert_eq!(compact(1.0 / 3.0), "0.333333");
        assert_eq!(compact(2.0 / 3.0), "0.666667");
        assert_eq!(compact(123456.7), "1.23457e5");
        assert_eq!(compact(12345.678), "12345.7");
        assert_eq!(compact(100000.0), "100000.0");
        assert_eq!(compact(0.1), "0.1");
    }

    /// The forms of `@printf`.
    #[test]
    fn printf_forms() {
        assert_eq!(fixed(1.005, 2), "1.00");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(-0.0, 1), "-0.0");
        assert_eq!(fixed(1e22, 1), "10000000000000000000000.0");
        assert_eq!(scientific(1234.5, 3), "1.234e+03");
        assert_eq!(scientific(1e-7, 0), "1e-07");
        assert_eq!(scientific(1e100, 2), "1.00e+100");
    }
}
