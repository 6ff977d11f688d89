//! Floats with a given number of digits, by arithmetic of 128 bits, which is exact: the usual sizes and numbers of digits need no more.

/// Powers of ten that 128 bits hold.
const POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < 39 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// `x * 10^power` for a finite `x`, without its sign, rounded to an integer, ties to even. `None` where 128 bits do not do.
fn scaled(x: f64, power: i32) -> Option<u128> {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
    let exponent = field.max(1) - 1075;
    let ten = *POWERS.get(power.unsigned_abs() as usize)?;
    let shifted = |it: u128, by: i32| {
        let by = u32::try_from(by).unwrap_or(0);
        (by < it.leading_zeros()).then(|| it << by)
    };
    let (above, below) = if power >= 0 { (ten, 1) } else { (1, ten) };
    let above = shifted(u128::from(mantissa).checked_mul(above)?, exponent)?;
    let below = shifted(below, -exponent)?;
    let (whole, rest) = if below.is_power_of_two() {
        (above >> below.trailing_zeros(), above & (below - 1))
    } else {
        (above / below, above % below)
    };
    let is_up = rest > below - rest || rest == below - rest && whole % 2 == 1;
    Some(whole + u128::from(is_up))
}

/// The digits of a number, without zeros before them, but `least` at least.
fn digits(number: u128, least: usize) -> String {
    let text = u64::try_from(number).map_or_else(|_| number.to_string(), |it| it.to_string());
    if text.len() >= least { text } else { "0".repeat(least - text.len()) + &text }
}

/// `%.*f` of a finite number; `None` where 128 bits do not do.
pub(super) fn fixed(x: f64, places: usize) -> Option<String> {
    let mut text = digits(scaled(x, i32::try_from(places).ok()?)?, places + 1);
    if places > 0 {
        text.insert(text.len() - places, '.');
    }
    if x.is_sign_negative() {
        text.insert(0, '-');
    }
    Some(text)
}

/// `%.*e` of a finite number: the mantissa, and the exponent; `None` where 128 bits do not do, and for zero.
pub(super) fn scientific(x: f64, places: usize) -> Option<(String, i32)> {
    if x == 0.0 {
        return None;
    }
    let wanted = i32::try_from(places).ok()?;
    let limit = *POWERS.get(places + 1)?;
    let mut exponent = x.abs().log10().floor() as i32;
    // The estimate is one off at most. A power of ten may come of a number below it that was rounded up: then the lesser exponent gives
    // as many digits, without a carry.
    let mut was_too_small = false;
    for _ in 0..4 {
        let number = scaled(x, wanted - exponent)?;
        if number >= limit {
            exponent += 1;
            was_too_small = true;
        } else if number < limit / 10 || number == limit / 10 && !was_too_small {
            exponent -= 1;
        } else {
            let mut text = digits(number, 1);
            if places > 0 {
                text.insert(1, '.');
            }
            if x.is_sign_negative() {
                text.insert(0, '-');
            }
            return Some((text, exponent));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_the_library(x: f64, places: usize) {
        if let Some(text) = fixed(x, places) {
            assert_eq!(text, format!("{x:.places$}"), "{x:?} with {places}");
        }
        if let Some((mantissa, exponent)) = scientific(x, places) {
            assert_eq!(format!("{mantissa}e{exponent}"), format!("{x:.places$e}"), "{x:?} with {places}");
        }
    }

    /// Numbers with few digits, in the middle of two texts too; and any bits.
    #[test]
    fn what_is_answered_is_what_the_library_says() {
        let mut state = 1_u64;
        for n in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let places = (n % 19) as usize;
            let small = (state >> 40) as f64;
            for x in [small / 8.0, small / 7.0, -small * 1.5, small * 1e-9, f64::from_bits(state)] {
                if x.is_finite() {
                    as_the_library(x, places);
                }
            }
        }
        for x in [0.0, -0.0, 9.5, 9.95, 99.5, 0.5, 1.5, 2.5, 1e22, 1e23, 5e-324, f64::MAX, 1e15 + 0.5] {
            for places in 0..40 {
                as_the_library(x, places);
            }
        }
    }

    /// The usual numbers are answered.
    #[test]
    fn usual_numbers_are_answered() {
        assert_eq!(fixed(1e6 / 7.0, 4).as_deref(), Some("142857.1429"));
        assert_eq!(scientific(1.5, 1), Some(("1.5".to_owned(), 0)));
        assert_eq!(scientific(123_456.0, 0), Some(("1".to_owned(), 5)));
        assert_eq!(fixed(-0.25, 1).as_deref(), Some("-0.2"));
    }
}
