//! Floats of any precision as text, and numbers from text.

use super::float::{BinaryFloat, Class};
use super::rounding::{Context, RoundingMode, shift_round};
use dashu_int::ops::{BitTest, DivRem};
use dashu_int::{IBig, Sign, UBig};

/// `log10(2) * 2^63`, cut off.
const LOG10_2: i128 = 0x2688_26A1_3EF3_FDE6;

/// Digits that tell any two numbers of a precision apart.
fn enough_digits(precision: usize) -> usize {
    2 + ((precision as i128 * LOG10_2) >> 63) as usize
}

/// `d.ddde±xx`, the number rounded to nearest; `digits` after the point, or as many as tell it from any other number
/// of the precision. For finite numbers.
pub(crate) fn scientific(x: &BinaryFloat, precision: usize, digits: Option<usize>) -> Option<String> {
    let count = digits.map_or_else(|| enough_digits(precision), |it| it + 1);
    let sign = if x.negative { "-" } else { "" };
    let (text, point) = match &x.class {
        Class::Zero => ("0".repeat(count), 0),
        Class::Finite { mantissa, exponent } => decimal(mantissa, i128::from(*exponent), x.negative, count)?,
        Class::Nan | Class::Infinite => return None,
    };
    let (first, rest) = text.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if point < 0 { '-' } else { '+' };
    Some(format!("{sign}{first}{dot}{rest}e{exponent_sign}{:02}", point.abs()))
}

/// The first `count` digits of `mantissa * 2^exponent`, rounded to nearest, and the power of ten of the first.
fn decimal(mantissa: &UBig, exponent: i128, negative: bool, count: usize) -> Option<(String, i128)> {
    let bits = mantissa.bit_len() as i128;
    let mut point = ((exponent + bits - 1) * LOG10_2) >> 63;
    let limit = UBig::from(10u8).pow(count);
    loop {
        let scale = point + 1 - count as i128;
        let precision = bits as usize + 4 * count;
        let work = Context { precision, mode: RoundingMode::Nearest, range: (i64::MIN >> 1, i64::MAX >> 1) };
        let (power, power_exponent, _) = work.power(10, u64::try_from(scale.unsigned_abs()).ok()?);
        let digits = match scale >= 0 {
            true => {
                let shift = exponent - power_exponent;
                let divisor = power << usize::try_from((-shift).max(0)).ok()?;
                let (quotient, rest) = (mantissa << usize::try_from(shift.max(0)).ok()?).div_rem(&divisor);
                let twice = rest << 1usize;
                let up = twice > divisor || (twice == divisor && quotient.bit(0));
                if up { quotient + UBig::ONE } else { quotient }
            }
            false => shift_round(
                &(mantissa * power),
                -(exponent + power_exponent),
                false,
                negative,
                RoundingMode::Nearest,
            ),
        };
        if digits >= limit {
            point += 1;
        } else if digits.clone() * UBig::from(10u8) < limit {
            point -= 1;
        } else {
            return Some((digits.to_string(), point));
        }
    }
}

/// Parses an integer in a base from 2 to 62 (above 36, lower-case letters are digits of their own).
pub(crate) fn parse_integer(text: &str, base: u32) -> Option<IBig> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = parse_digits(digits, base)?;
    Some(IBig::from_parts(if negative { Sign::Negative } else { Sign::Positive }, magnitude))
}

fn parse_digits(digits: &str, base: u32) -> Option<UBig> {
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_alphanumeric()) {
        return None;
    }
    if base <= 36 {
        return UBig::from_str_radix(digits, base).ok();
    }
    let mut number = UBig::ZERO;
    for byte in digits.bytes() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'Z' => byte - b'A' + 10,
            _ => byte - b'a' + 36,
        };
        if u32::from(digit) >= base {
            return None;
        }
        number = number * UBig::from(base) + UBig::from(digit);
    }
    Some(number)
}

/// The float that a text is, rounded once. `base` is from 2 to 36, or 0: that of the prefix `0x` or `0b`, else ten.
pub(crate) fn parse(text: &str, base: u32, context: &Context) -> Option<BinaryFloat> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = text.to_ascii_lowercase();
    let (base, digits) = match (base, lower.get(..2)) {
        (0 | 16, Some("0x")) => (16, &lower[2..]),
        (0 | 2, Some("0b")) => (2, &lower[2..]),
        (0, _) => (10, lower.as_str()),
        _ => (base, lower.as_str()),
    };
    if base <= 16 {
        match digits {
            "inf" | "infinity" => return Some(BinaryFloat::infinite(negative)),
            "nan" => return Some(BinaryFloat::NAN),
            _ => {}
        }
    }
    let binary = matches!(base, 2 | 16);
    let separators: &[char] = match base {
        16 => &['p', '@'],
        2 => &['e', 'p', '@'],
        _ if base <= 10 => &['e', '@'],
        _ => &['@'],
    };
    let (number, exponent) = match digits.split_once(separators) {
        Some((number, exponent)) => (number, exponent.parse::<i128>().ok()?),
        None => (digits, 0),
    };
    let in_twos = binary && digits.contains('p');
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mantissa = parse_digits(&format!("{whole}{fraction}"), base)?;
    if mantissa.is_zero() {
        return Some(BinaryFloat::zero(negative));
    }
    let places = -(fraction.len() as i128);
    match in_twos {
        true => scaled(context, negative, mantissa, base, places, exponent),
        false => scaled(context, negative, mantissa, base, places + exponent, 0),
    }
}

/// `±mantissa * base^power * 2^twos`, rounded.
fn scaled(
    context: &Context,
    negative: bool,
    mantissa: UBig,
    base: u32,
    power: i128,
    twos: i128,
) -> Option<BinaryFloat> {
    if base.is_power_of_two() {
        let exponent = power * i128::from(base.trailing_zeros()) + twos;
        return Some(context.round(negative, mantissa, exponent, false));
    }
    // Far outside any range of exponents.
    if power.unsigned_abs() > 1 << 62 {
        return Some(if power > 0 { context.overflow(negative) } else { context.vanish(negative) });
    }
    let (scale, exponent, exact) = context.power(base, power.unsigned_abs() as u64);
    Some(match power >= 0 {
        true => {
            let product = mantissa * scale;
            let missing = (context.precision + 3).saturating_sub(product.bit_len());
            context.round(negative, product << missing, exponent + twos - missing as i128, !exact)
        }
        false => context.quotient(negative, &mantissa, &scale, twos - exponent),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(precision: usize) -> Context {
        Context { precision, mode: RoundingMode::Nearest, range: (-(1 << 62) + 1, (1 << 62) - 1) }
    }

    #[test]
    fn text_reads_back_and_prints_enough_digits() {
        let tenth = parse("0.1", 10, &context(256)).unwrap();
        let text = scientific(&tenth, 256, None).unwrap();
        assert_eq!(text.len(), 79 + 1 + 4);
        assert!(text.starts_with("1.00000000000"));
        assert_eq!(parse(&text, 10, &context(256)).unwrap(), tenth);
        assert_eq!(scientific(&BinaryFloat::from_f64(-1536.0), 53, Some(2)).unwrap(), "-1.54e+03");
        assert_eq!(scientific(&BinaryFloat::from_f64(9.996), 53, Some(2)).unwrap(), "1.00e+01");
    }

    #[test]
    fn doubles_parse_as_the_standard_library_does() {
        for text in ["1e22", "1e23", "0.3", "123456789.123456789e-20", "4.9e-320", "1.7976931348623157e308"] {
            let exact = parse(text, 10, &context(2000)).unwrap().to_f64(RoundingMode::Nearest);
            assert_eq!(exact, text.parse::<f64>().unwrap(), "{text}");
        }
        assert_eq!(parse("0x1.8p3", 0, &context(53)).unwrap().to_f64(RoundingMode::Nearest), 12.0);
        assert_eq!(parse("-Inf", 0, &context(53)).unwrap(), BinaryFloat::infinite(true));
        for text in ["", "e5", "1e", ".", "1.2.3", "0x", "1_0"] {
            assert_eq!(parse(text, 0, &context(53)), None, "{text}");
        }
    }

    #[test]
    fn exponents_beyond_what_can_be_written_out_are_in_reach() {
        let huge = parse("1e1000000000", 10, &context(256)).unwrap();
        assert!(scientific(&huge, 256, Some(20)).unwrap().starts_with("1.00000000000000000000e+1000000000"));
    }
}
