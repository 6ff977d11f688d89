//! Floats from text, as `parse(Float64, s)` accepts them.

/// The number a text is: white space around it, a sign, decimal digits with a point and an exponent, `Inf`,
/// `Infinity` or `NaN` in any case, or a hexadecimal number with a binary exponent. `None` if it is anything else, and
/// for a number so great or so small that it would become infinite or zero.
pub(super) fn parse_float64(text: &[u8]) -> Option<f64> {
    parse(text, |text| text.parse::<f64>().ok(), |x| x, |x| x.is_finite() && x != 0.0)
}

/// As [`parse_float64`], rounded once to `Float32`.
pub(super) fn parse_float32(text: &[u8]) -> Option<f32> {
    parse(text, |text| text.parse::<f32>().ok(), |x| x as f32, |x| x.is_finite() && x != 0.0)
}

fn parse<T: Copy>(
    text: &[u8],
    decimal: impl Fn(&str) -> Option<T>,
    from_hex: impl Fn(f64) -> T,
    is_plain: impl Fn(T) -> bool,
) -> Option<T> {
    let text = std::str::from_utf8(text).ok()?;
    let text = text.trim_matches(|c| matches!(c, '\t'..='\r' | ' '));
    if text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E')) {
        let is_zero = || {
            let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
            mantissa.bytes().all(|it| matches!(it, b'0' | b'.' | b'+' | b'-'))
        };
        return decimal(text).filter(|&it| is_plain(it) || is_zero());
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    if matches!(lower.as_str(), "inf" | "infinity" | "nan") {
        return decimal(text);
    }
    let digits = lower.strip_prefix("0x")?;
    let value = hexadecimal(digits)?;
    let is_zero =
        || digits.split('p').next().is_some_and(|it| it.bytes().all(|it| matches!(it, b'0' | b'.')));
    let number = from_hex(if text.starts_with('-') { -value } else { value });
    (is_plain(number) || is_zero()).then_some(number)
}

/// `h.hhhp±d`; digits beyond the first 60 bits only count as "some".
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut scale: i32 = exponent.parse().ok()?;
    let mut bits = 0u64;
    let digits = whole.chars().map(|it| (it, 0)).chain(fraction.chars().map(|it| (it, -4)));
    for (digit, step) in digits {
        let digit = u64::from(digit.to_digit(16)?);
        if bits >> 59 == 0 {
            bits = (bits << 4) | digit;
            scale = scale.saturating_add(step);
        } else {
            bits |= u64::from(digit != 0);
            scale = scale.saturating_add(4 + step);
        }
    }
    // Two steps: a single power of two may over- or underflow where the product does not.
    let half = scale / 2;
    Some(bits as f64 * 2f64.powi(half) * 2f64.powi(scale - half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms that are numbers.
    #[test]
    fn numbers() {
        let cases = [
            ("1", 1.0),
            (" -1.5e3\n", -1500.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("+2E-2", 0.02),
            ("Inf", f64::INFINITY),
            ("-infinity", f64::NEG_INFINITY),
            ("0x1.8p1", 3.0),
            ("-0x10", -16.0),
            ("-0e-400", -0.0),
            ("5e-324", 5e-324),
            ("0x0p-5000", 0.0),
        ];
        for (text, number) in cases {
            assert_eq!(parse_float64(text.as_bytes()), Some(number), "{text}");
        }
        assert!(parse_float64(b"NaN").is_some_and(f64::is_nan));
        assert_eq!(parse_float32(b"0.1"), Some(0.1f32));
        assert_eq!((parse_float32(b"1e39"), parse_float32(b"1e-50")), (None, None));
    }

    /// Invalid forms.
    #[test]
    fn other_text() {
        for text in [
            "", " ", ".", "e5", "1e", "1 2", "1_000", "0x", "0xg", "--1", "1.2.3", "abc", "1e+", "1f2",
            "1e400", "1e-400", "0x1p1024",
        ] {
            assert_eq!(parse_float64(text.as_bytes()), None, "{text:?}");
        }
    }
}
