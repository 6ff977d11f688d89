//! Rounding of exact values to a precision and an exponent range, in MPFR's five modes.

use super::float::{BinaryFloat, Class};
use dashu_int::UBig;
use dashu_int::ops::BitTest;

/// Direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundingMode {
    /// To the nearest value, ties to the one with an even last bit.
    Nearest,
    ToZero,
    Up,
    Down,
    FromZero,
}

impl RoundingMode {
    /// The mode with this number in Julia's `MPFRRoundingMode`.
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        Some(match number {
            0 => Self::Nearest,
            1 => Self::ToZero,
            2 => Self::Up,
            3 => Self::Down,
            4 => Self::FromZero,
            _ => return None,
        })
    }

    /// Whether the magnitude grows, given the first dropped bit, whether any later bit is set, and whether the
    /// last kept bit is odd.
    fn increments(self, negative: bool, half: bool, rest: bool, odd: bool) -> bool {
        match self {
            Self::Nearest => half && (rest || odd),
            Self::ToZero => false,
            Self::Up => !negative && (half || rest),
            Self::Down => negative && (half || rest),
            Self::FromZero => half || rest,
        }
    }

    /// Whether a magnitude between two values goes to the greater one when neither is nearer.
    fn away(self, negative: bool) -> bool {
        match self {
            Self::Nearest | Self::FromZero => true,
            Self::ToZero => false,
            Self::Up => !negative,
            Self::Down => negative,
        }
    }
}

/// Returns the magnitude `mantissa / 2^drop`, rounded to an integer. `sticky`: the exact value exceeds `mantissa` by
/// less than one.
pub(super) fn shift_round(
    mantissa: &UBig,
    drop: i128,
    sticky: bool,
    negative: bool,
    mode: RoundingMode,
) -> UBig {
    if drop <= 0 {
        let shifted = mantissa << usize::try_from(-drop).unwrap_or(usize::MAX);
        let grows = mode.increments(negative, false, sticky, false);
        return if grows { shifted + UBig::ONE } else { shifted };
    }
    let bits = mantissa.bit_len();
    let Some(drop) = usize::try_from(drop).ok().filter(|&it| it <= bits) else {
        let grows = mode.increments(negative, false, true, false);
        return if grows { UBig::ONE } else { UBig::ZERO };
    };
    let kept = mantissa >> drop;
    let half = mantissa.bit(drop - 1);
    let rest = sticky || mantissa.trailing_zeros().is_some_and(|it| it < drop - 1);
    if mode.increments(negative, half, rest, kept.bit(0)) { kept + UBig::ONE } else { kept }
}

/// The format of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Bits of the mantissa.
    pub(crate) precision: usize,
    pub(crate) mode: RoundingMode,
    /// Least and greatest exponent `e` of `0.1... * 2^e`.
    pub(crate) range: (i64, i64),
}

impl Context {
    /// The value `±mantissa * 2^exponent` rounded; `mantissa` must not be zero. With `sticky` the exact magnitude
    /// is a little more, by less than one unit of `mantissa`, which must then have more than `precision + 1` bits.
    pub(crate) fn round(&self, negative: bool, mantissa: UBig, exponent: i128, sticky: bool) -> BinaryFloat {
        let drop = mantissa.bit_len() as i128 - self.precision as i128;
        let (mut mantissa, mut exponent) = match drop > 0 {
            true => (shift_round(&mantissa, drop, sticky, negative, self.mode), exponent + drop),
            false => (mantissa, exponent),
        };
        if mantissa.bit_len() > self.precision {
            mantissa >>= 1usize;
            exponent += 1;
        }
        let top = exponent + mantissa.bit_len() as i128;
        let (least, greatest) = (i128::from(self.range.0), i128::from(self.range.1));
        if top > greatest {
            return self.overflow(negative);
        }
        if top < least {
            // Half of the least number is the tie; it goes to zero, the even neighbour.
            let up = if self.mode == RoundingMode::Nearest {
                top == least - 1 && !mantissa.is_power_of_two_or_zero()
            } else {
                self.mode.away(negative)
            };
            return self.underflow(negative, up);
        }
        BinaryFloat { negative, class: Class::Finite { mantissa, exponent: exponent as i64 } }
    }

    /// `base^exponent` as `mantissa * 2^exponent`, and whether that is exact. A long one is cut off so that its relative
    /// error is below `2^-(precision + 64)`.
    pub(super) fn power(&self, base: u32, exponent: u64) -> (UBig, i128, bool) {
        if exponent < 1 << 16 {
            return (UBig::from(base).pow(exponent as usize), 0, true);
        }
        // Each of at most 64 squarings doubles the relative error and adds one unit in the last place.
        let width = self.precision + 64 + 2 * 64 + 8;
        let (mut mantissa, mut scale, mut exact) = (UBig::ONE, 0i128, true);
        for bit in (0..64 - exponent.leading_zeros()).rev() {
            mantissa = &mantissa * &mantissa;
            scale *= 2;
            if exponent >> bit & 1 == 1 {
                mantissa *= UBig::from(base);
            }
            let excess = mantissa.bit_len().saturating_sub(width);
            exact &= mantissa.trailing_zeros().is_some_and(|it| it >= excess);
            mantissa >>= excess;
            scale += excess as i128;
        }
        (mantissa, scale, exact)
    }

    /// The result of overflow: infinity or the greatest number.
    pub(crate) fn overflow(&self, negative: bool) -> BinaryFloat {
        let class = if self.mode.away(negative) { Class::Infinite } else { self.greatest() };
        BinaryFloat { negative, class }
    }

    fn greatest(&self) -> Class {
        let mantissa = UBig::ones(self.precision);
        Class::Finite { mantissa, exponent: self.range.1 - self.precision as i64 }
    }

    /// The result of underflow: zero, or the least number if `up`.
    pub(crate) fn underflow(&self, negative: bool, up: bool) -> BinaryFloat {
        let least = Class::Finite { mantissa: UBig::ONE, exponent: self.range.0 - 1 };
        BinaryFloat { negative, class: if up { least } else { Class::Zero } }
    }

    /// As [`Self::underflow`], for a magnitude far below the least number.
    pub(crate) fn vanish(&self, negative: bool) -> BinaryFloat {
        self.underflow(negative, self.mode != RoundingMode::Nearest && self.mode.away(negative))
    }
}

trait PowerOfTwo {
    fn is_power_of_two_or_zero(&self) -> bool;
}

impl PowerOfTwo for UBig {
    fn is_power_of_two_or_zero(&self) -> bool {
        self.trailing_zeros().is_none_or(|it| it + 1 == self.bit_len())
    }
}
