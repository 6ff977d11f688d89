//! Machine integers from text.

use super::arguments::Arguments;
use super::printing::integer_width;
use crate::Run;
use crate::heap::bits;

/// `parse_integer(T, s, base)`: the number of a machine type that a text is, white space around it; base 0 takes it from a prefix
/// (`0x`, `0o`, `0b`), else 10. `nothing` if the text is irregular in any way.
pub(super) fn parse_integer(args: &Arguments<'_>) -> Run {
    args.expect(3, 3)?;
    let heap = args.heap();
    let ty = args.ty(0)?;
    let (text, base) = (args.any_bytes(1)?, args.int(2)?);
    let number = integer_width(heap, ty).and_then(|(size, signed)| number(text, base, size, signed));
    Ok(number.map_or_else(|| heap.nothing(), |bits| bits::from_wide(heap, ty, bits)))
}

/// The number that a text is, of a type of so many bits.
pub(super) fn number(text: &[u8], base: i64, bits: u32, signed: bool) -> Option<u128> {
    let base = u32::try_from(base).ok().filter(|it| matches!(it, 0 | 2..=36))?;
    let is_space = |it: &u8| matches!(it, 9..=13 | 32);
    let start = text.iter().position(|it| !is_space(it))?;
    let end = text.iter().rposition(|it| !is_space(it))?;
    let text = &text[start..=end];
    let (negative, digits) = match *text {
        [b'-', ref rest @ ..] if signed => (true, rest),
        [b'+', ref rest @ ..] if signed => (false, rest),
        ref all => (false, all),
    };
    let (base, digits) = match (base, digits) {
        (0, [b'0', b'x', rest @ ..]) => (16, rest),
        (0, [b'0', b'o', rest @ ..]) => (8, rest),
        (0, [b'0', b'b', rest @ ..]) => (2, rest),
        (0, all) => (10, all),
        (base, all) => (base, all),
    };
    let magnitude = magnitude(digits, base)?;
    let limit = match (signed, negative) {
        (true, true) => 1 << (bits - 1),
        (true, false) => (1 << (bits - 1)) - 1,
        (false, _) => u128::MAX >> (128 - bits),
    };
    (magnitude <= limit).then(|| if negative { magnitude.wrapping_neg() } else { magnitude })
}

fn magnitude(digits: &[u8], base: u32) -> Option<u128> {
    if digits.is_empty() {
        return None;
    }
    // Eighteen digits of any base up to 10 fit a word.
    if base <= 10 && digits.len() <= 18 {
        let mut word = 0_u64;
        for &it in digits {
            let digit = it.wrapping_sub(b'0');
            if u32::from(digit) >= base {
                return None;
            }
            word = word * u64::from(base) + u64::from(digit);
        }
        return Some(u128::from(word));
    }
    let digit = |it: u8| char::from(it).to_digit(base);
    let mut wide = 0_u128;
    for &it in digits {
        wide = wide.checked_mul(u128::from(base))?.checked_add(u128::from(digit(it)?))?;
    }
    Some(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least and the greatest number of a type, and one beyond.
    #[test]
    fn limits() {
        assert_eq!(number(b" -128 ", 10, 8, true), Some(128_u128.wrapping_neg()));
        assert_eq!(number(b"127", 10, 8, true), Some(127));
        assert_eq!(number(b"128", 10, 8, true), None);
        assert_eq!(number(b"-129", 10, 8, true), None);
        assert_eq!(number(b"255", 10, 8, false), Some(255));
        assert_eq!(number(b"256", 10, 8, false), None);
        assert_eq!(number(b"340282366920938463463374607431768211455", 10, 128, false), Some(u128::MAX));
        assert_eq!(number(b"340282366920938463463374607431768211456", 10, 128, false), None);
        assert_eq!(number(b"-170141183460469231731687303715884105728", 10, 128, true), Some(1 << 127));
    }

    /// Prefixes count where no base is given.
    #[test]
    fn bases() {
        assert_eq!(number(b"0xff", 0, 64, true), Some(255));
        assert_eq!(number(b"-0b101", 0, 64, true), Some(5_u128.wrapping_neg()));
        assert_eq!(number(b"0o17", 0, 64, false), Some(15));
        assert_eq!(number(b"zZ", 36, 64, true), Some(35 * 36 + 35));
    }

    /// Everything else is left to Julia code, which says why.
    #[test]
    fn irregular() {
        for text in [&b""[..], b" ", b"-", b"0x", b"1 2", b"1_0", b"12a", b"-1", b"+1", b"\xc2\xa01"] {
            assert_eq!(number(text, 0, 64, false), None, "{text:?}");
        }
    }
}
