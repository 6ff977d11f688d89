//! Floats as Julia prints them.
//!
//! The shortest form has the fewest digits that read back as the same number of the same type. It is written
//! without an exponent when the point falls at most three zeros before the first digit or within the first six
//! digits (three for `Float16`), else as `d.ddde±x`.

use crate::intrinsics::{float16_from_f64, float16_to_f32};

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

/// Digits `d1 d2 d3...` of the number `0.d1d2d3... * 10^point`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    digits: String,
    point: i32,
}

impl Decimal {
    /// Reads `d.ddde±x`, with any number of digits before the point.
    fn from_scientific(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let whole = mantissa.split_once('.').map_or(mantissa, |(whole, _)| whole);
        let kept = digits.trim_end_matches('0');
        let digits = if kept.is_empty() { "0" } else { kept }.to_owned();
        Self { digits, point: exponent + whole.len() as i32 }
    }

    /// The fewest digits that read back as `x`, a positive finite number.
    fn shortest(x: f64, kind: FloatKind) -> Self {
        match kind {
            FloatKind::Double => {
                Self::from_scientific(&format!("{x:e}")).even_on_tie(x, 15, |it| it.parse() == Ok(x))
            }
            FloatKind::Single => {
                let decimal = Self::from_scientific(&format!("{:e}", x as f32));
                decimal.even_on_tie(x, 6, |it| it.parse() == Ok(x as f32))
            }
            FloatKind::Half => Self::shortest_half(x),
        }
    }

    /// Returns the even digits of the two if `x` lies exactly between these digits and those one less. Numbers with
    /// fewer than `least` digits are exactly those digits. `reads_back` tests whether a text parses to the number.
    fn even_on_tie(self, x: f64, least: usize, reads_back: impl Fn(&str) -> bool) -> Self {
        /// An exact tie has zeros only from here on.
        const BEYOND: usize = 60;
        let count = self.digits.len();
        let Some((head, last)) = self.digits.split_at_checked(count - 1) else { return self };
        let last = last.parse::<u8>().unwrap_or(0);
        if count < least || last % 2 == 0 {
            return self;
        }
        let lower = format!("{head}{}", last - 1);
        let digits_of = |places: usize| format!("{x:.places$e}").replace('.', "");
        if !digits_of(count).starts_with(&format!("{lower}5e")) {
            return self;
        }
        let exact = digits_of(count + BEYOND).starts_with(&format!("{lower}5{}", "0".repeat(BEYOND)));
        let text = format!("0.{lower}e{}", self.point);
        if exact && reads_back(&text) { Self { digits: lower, point: self.point } } else { self }
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

/// The text of a non-finite number, or of zero with the given digits.
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
    if let Some(text) = special(x) {
        return text.to_owned();
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let x = x.abs();
    if x == 0.0 {
        return format!("{sign}0.0");
    }
    let mut decimal = Decimal::shortest(x, kind);
    if compact && decimal.digits.len() > 6 {
        decimal = Decimal::from_scientific(&format!("{x:.5e}"));
    }
    let Decimal { digits, point } = decimal;
    let count = digits.len() as i32;
    let most = if kind == FloatKind::Half { 3 } else { 6 };
    // Rounded to an integer that is not exactly the number: the exponent says that digits are missing.
    let unit = 10f64.powi(point - count);
    let inexact = point >= count && ((x + 0.05) % unit - 0.05).abs() > 0.05;
    if point > -4 && point <= most && !inexact {
        if point <= 0 {
            return format!("{sign}0.{}{digits}", "0".repeat(-point as usize));
        }
        if point >= count {
            return format!("{sign}{digits}{}.0", "0".repeat((point - count) as usize));
        }
        let (whole, rest) = digits.split_at(point as usize);
        return format!("{sign}{whole}.{rest}");
    }
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() { "0" } else { rest };
    format!("{sign}{first}.{rest}{exponent}{}", point - 1)
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
    special(x).map_or_else(|| format!("{x:.digits$}"), str::to_owned)
}

/// `%.*e`: exactly `digits` digits after the point and an exponent of at least two.
pub fn scientific(x: f64, digits: usize) -> String {
    if let Some(text) = special(x) {
        return text.to_owned();
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
