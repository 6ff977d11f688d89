//! Sums, products, quotients and roots: exact, then rounded once.

use super::float::{BinaryFloat, Class, compare_magnitudes};
use super::rounding::{Context, RoundingMode};
use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use std::cmp::Ordering;

impl Context {
    /// The sign of an exact zero sum of two numbers of opposite sign.
    fn zero_sum(&self) -> BinaryFloat {
        BinaryFloat::zero(self.mode == RoundingMode::Down)
    }

    pub(crate) fn add(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        match (&x.class, &y.class) {
            (Class::Nan, _) | (_, Class::Nan) => BinaryFloat::NAN,
            (Class::Infinite, Class::Infinite) if x.negative != y.negative => BinaryFloat::NAN,
            (Class::Infinite, _) => x.clone(),
            (_, Class::Infinite) => y.clone(),
            (Class::Zero, Class::Zero) if x.negative != y.negative => self.zero_sum(),
            (Class::Zero, _) => y.clone().rounded(self),
            (_, Class::Zero) => x.clone().rounded(self),
            (Class::Finite { mantissa: m, exponent: e }, Class::Finite { mantissa: n, exponent: f }) => {
                self.add_finite((x.negative, m, i128::from(*e)), (y.negative, n, i128::from(*f)))
            }
        }
    }

    fn add_finite(&self, x: (bool, &UBig, i128), y: (bool, &UBig, i128)) -> BinaryFloat {
        let (mut a, mut b) = (x, y);
        match compare_magnitudes((a.1, a.2), (b.1, b.2)) {
            Ordering::Less => std::mem::swap(&mut a, &mut b),
            Ordering::Equal if a.0 != b.0 => return self.zero_sum(),
            Ordering::Equal | Ordering::Greater => {}
        }
        let ((negative, m, e), (other, n, f)) = (a, b);
        let subtracts = negative != other;
        // A number below the last place that matters only says on which side the result lies.
        let wide = (self.precision + 3).saturating_sub(m.bit_len());
        let low = e - wide as i128;
        if low >= f + n.bit_len() as i128 {
            let m = m << wide;
            let m = if subtracts { m - UBig::ONE } else { m };
            return self.round(negative, m, low, true);
        }
        let least = e.min(f);
        let (m, n) = (m << (e - least) as usize, n << (f - least) as usize);
        self.round(negative, if subtracts { m - n } else { m + n }, least, false)
    }

    pub(crate) fn sub(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        self.add(x, &BinaryFloat { negative: !y.negative, class: y.class.clone() })
    }

    pub(crate) fn mul(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        let negative = x.negative != y.negative;
        match (&x.class, &y.class) {
            (Class::Nan, _) | (_, Class::Nan) => BinaryFloat::NAN,
            (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite) => BinaryFloat::NAN,
            (Class::Infinite, _) | (_, Class::Infinite) => BinaryFloat::infinite(negative),
            (Class::Zero, _) | (_, Class::Zero) => BinaryFloat::zero(negative),
            (Class::Finite { mantissa: m, exponent: e }, Class::Finite { mantissa: n, exponent: f }) => {
                self.round(negative, m * n, i128::from(*e) + i128::from(*f), false)
            }
        }
    }

    pub(crate) fn div(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        let negative = x.negative != y.negative;
        match (&x.class, &y.class) {
            (Class::Nan, _) | (_, Class::Nan) => BinaryFloat::NAN,
            (Class::Infinite, Class::Infinite) | (Class::Zero, Class::Zero) => BinaryFloat::NAN,
            (Class::Infinite, _) | (_, Class::Zero) => BinaryFloat::infinite(negative),
            (Class::Zero, _) | (_, Class::Infinite) => BinaryFloat::zero(negative),
            (Class::Finite { mantissa: m, exponent: e }, Class::Finite { mantissa: n, exponent: f }) => {
                let exponent = i128::from(*e) - i128::from(*f);
                self.quotient(negative, m, n, exponent)
            }
        }
    }

    /// `±m / n * 2^exponent` rounded; neither may be zero.
    pub(crate) fn quotient(&self, negative: bool, m: &UBig, n: &UBig, exponent: i128) -> BinaryFloat {
        let shift = (self.precision + 3 + n.bit_len()).saturating_sub(m.bit_len());
        let (quotient, rest) = (m << shift).div_rem(n);
        self.round(negative, quotient, exponent - shift as i128, !rest.is_zero())
    }

    pub(crate) fn sqrt(&self, x: &BinaryFloat) -> BinaryFloat {
        match &x.class {
            Class::Zero => x.clone(),
            Class::Nan => BinaryFloat::NAN,
            Class::Infinite | Class::Finite { .. } if x.negative => BinaryFloat::NAN,
            Class::Infinite => x.clone(),
            Class::Finite { mantissa, exponent } => {
                let missing = (2 * (self.precision + 3)).saturating_sub(mantissa.bit_len());
                let shift = missing + (missing as i64 - exponent).rem_euclid(2) as usize;
                let (root, rest) = (mantissa << shift).sqrt_rem();
                self.round(false, root, (i128::from(*exponent) - shift as i128) / 2, !rest.is_zero())
            }
        }
    }

    /// `x * y + z` with one rounding.
    pub(crate) fn fma(&self, x: &BinaryFloat, y: &BinaryFloat, z: &BinaryFloat) -> BinaryFloat {
        match (&x.class, &y.class, &z.class) {
            (
                Class::Finite { mantissa: m, exponent: e },
                Class::Finite { mantissa: n, exponent: f },
                Class::Finite { mantissa: k, exponent: g },
            ) => {
                let exponent = i128::from(*e) + i128::from(*f);
                let product = m * n;
                self.add_finite(
                    (x.negative != y.negative, &product, exponent),
                    (z.negative, k, i128::from(*g)),
                )
            }
            _ => {
                let exact = Context { precision: usize::MAX >> 1, ..*self };
                self.add(&exact.mul(x, y), z)
            }
        }
    }

    /// Returns `x - n * y` for the quotient `n` of the two, truncated, or rounded to nearest if `nearest`.
    pub(crate) fn rem(&self, x: &BinaryFloat, y: &BinaryFloat, nearest: bool) -> BinaryFloat {
        match (&x.class, &y.class) {
            (Class::Nan | Class::Infinite, _) | (_, Class::Nan | Class::Zero) => BinaryFloat::NAN,
            (Class::Zero, _) | (_, Class::Infinite) => x.clone().rounded(self),
            (Class::Finite { mantissa: m, exponent: e }, Class::Finite { mantissa: n, exponent: f }) => {
                let (e, f) = (i128::from(*e), i128::from(*f));
                if f - e > m.bit_len() as i128 + 2 {
                    return x.clone().rounded(self);
                }
                let least = e.min(f);
                let n = n << (f - least) as usize;
                let (mut rest, odd) = remainder(m, (e - least) as usize, &n);
                let mut negative = x.negative;
                if nearest {
                    let twice = &rest << 1usize;
                    if twice > n || (twice == n && odd) {
                        rest = n - rest;
                        negative = !negative;
                    }
                }
                match rest.is_zero() {
                    true => BinaryFloat::zero(x.negative),
                    false => self.round(negative, rest, least, false),
                }
            }
        }
    }
}

/// The remainder of `m * 2^shift` by `n`, and whether the quotient is odd. A great shift is no great number.
fn remainder(m: &UBig, shift: usize, n: &UBig) -> (UBig, bool) {
    if shift < 1 << 16 {
        let (quotient, rest) = (m << shift).div_rem(n);
        return (rest, quotient.bit(0));
    }
    // Modulo `2n` the remainder tells the parity of the quotient too.
    let ring = dashu_int::fast_div::ConstDivisor::new(n << 1usize);
    let power = ring.reduce(UBig::from(2u8)).pow(&UBig::from(shift));
    let rest = (ring.reduce(m.clone()) * power).residue();
    if &rest >= n { (rest - n, true) } else { (rest, false) }
}
