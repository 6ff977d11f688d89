//! A binary float of any precision: conversion to and from machine numbers, comparison, rounding to integers.

use super::rounding::{Context, RoundingMode, shift_round};
use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use std::cmp::Ordering;

/// A float. Its precision belongs to the [`Context`] that rounds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BinaryFloat {
    pub(crate) negative: bool,
    pub(crate) class: Class,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Nan,
    Infinite,
    Zero,
    /// `mantissa * 2^exponent`, the mantissa not zero.
    Finite {
        mantissa: UBig,
        exponent: i64,
    },
}

impl BinaryFloat {
    pub(crate) const NAN: Self = Self { negative: false, class: Class::Nan };

    pub(crate) fn infinite(negative: bool) -> Self {
        Self { negative, class: Class::Infinite }
    }

    pub(crate) fn zero(negative: bool) -> Self {
        Self { negative, class: Class::Zero }
    }

    pub(crate) fn is_nan(&self) -> bool {
        self.class == Class::Nan
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.class == Class::Zero
    }

    /// The integer as a float, exactly.
    pub(crate) fn from_integer(integer: IBig) -> Self {
        let (sign, mantissa) = integer.into_parts();
        match mantissa.is_zero() {
            true => Self::zero(false),
            false => {
                Self { negative: sign == Sign::Negative, class: Class::Finite { mantissa, exponent: 0 } }
            }
        }
    }

    /// The number as a float, exactly.
    pub(crate) fn from_f64(x: f64) -> Self {
        let negative = x.is_sign_negative();
        let bits = x.to_bits();
        let (field, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let class = match (field, fraction) {
            (0x7ff, 0) => Class::Infinite,
            (0x7ff, _) => Class::Nan,
            (0, 0) => Class::Zero,
            (0, _) => Class::Finite { mantissa: fraction.into(), exponent: -1074 },
            _ => Class::Finite { mantissa: (fraction | 1 << 52).into(), exponent: field as i64 - 1075 },
        };
        Self { negative: negative && class != Class::Nan, class }
    }

    /// Rounded to the precision and range of the context.
    pub(crate) fn rounded(self, context: &Context) -> Self {
        match self.class {
            Class::Finite { mantissa, exponent } => {
                context.round(self.negative, mantissa, i128::from(exponent), false)
            }
            Class::Nan | Class::Infinite | Class::Zero => self,
        }
    }

    /// Rounded to a machine float with `digits` bits whose least positive number is `2^least`.
    fn to_machine(&self, mode: RoundingMode, digits: i128, least: i128, greatest: f64) -> f64 {
        let sign = if self.negative { -1.0 } else { 1.0 };
        let magnitude = match &self.class {
            Class::Nan => return f64::NAN,
            Class::Infinite => f64::INFINITY,
            Class::Zero => 0.0,
            Class::Finite { mantissa, exponent } => {
                let exponent = i128::from(*exponent);
                let top = exponent + mantissa.bit_len() as i128;
                if top > 2000 {
                    let up = shift_round(&UBig::ONE, 1, true, self.negative, mode) == UBig::ONE;
                    return sign * if up { f64::INFINITY } else { greatest };
                }
                let quantum = (top - digits).max(least);
                let whole = shift_round(mantissa, quantum - exponent, false, self.negative, mode);
                let whole = u64::try_from(&whole).unwrap_or(u64::MAX) as f64;
                // Two steps: a power of two below the least normal number is not exact in one.
                let half = (quantum / 2) as i32;
                let value = whole * 2f64.powi(half) * 2f64.powi(quantum as i32 - half);
                match value > greatest {
                    false => value,
                    true if shift_round(&UBig::ONE, 1, true, self.negative, mode) == UBig::ONE => {
                        f64::INFINITY
                    }
                    true => greatest,
                }
            }
        };
        sign * magnitude
    }

    pub(crate) fn to_f64(&self, mode: RoundingMode) -> f64 {
        self.to_machine(mode, 53, -1074, f64::MAX)
    }

    pub(crate) fn to_f32(&self, mode: RoundingMode) -> f32 {
        self.to_machine(mode, 24, -149, f64::from(f32::MAX)) as f32
    }

    /// The `Float16`, as a wider number that it is exactly.
    pub(crate) fn to_f16(&self, mode: RoundingMode) -> f64 {
        self.to_machine(mode, 11, -24, 65504.0)
    }

    /// Returns the nearest integer in the direction of the mode; `ties_away` rounds halves away from zero. `None` for
    /// infinities and NaN.
    pub(crate) fn to_integer(&self, mode: RoundingMode, ties_away: bool) -> Option<IBig> {
        let magnitude = match &self.class {
            Class::Nan | Class::Infinite => return None,
            Class::Zero => UBig::ZERO,
            Class::Finite { mantissa, exponent } => {
                let drop = -i128::from(*exponent);
                let is_half = drop >= 1 && mantissa.trailing_zeros().is_some_and(|it| it as i128 == drop - 1);
                let mode = if ties_away && is_half { RoundingMode::FromZero } else { mode };
                shift_round(mantissa, drop, false, self.negative, mode)
            }
        };
        let sign = if self.negative { Sign::Negative } else { Sign::Positive };
        Some(IBig::from_parts(sign, magnitude))
    }

    pub(crate) fn is_integer(&self) -> bool {
        match &self.class {
            Class::Nan | Class::Infinite => false,
            Class::Zero => true,
            Class::Finite { mantissa, exponent } => {
                let zeros = mantissa.trailing_zeros().unwrap_or(0) as i128;
                zeros + i128::from(*exponent) >= 0
            }
        }
    }

    /// Order by value; `None` if either is NaN.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        let rank = |it: &Self| match (&it.class, it.negative) {
            (Class::Nan, _) => None,
            (Class::Zero, _) => Some(0),
            (Class::Finite { .. }, false) => Some(1),
            (Class::Finite { .. }, true) => Some(-1),
            (Class::Infinite, false) => Some(2),
            (Class::Infinite, true) => Some(-2),
        };
        let (a, b) = (rank(self)?, rank(other)?);
        if a != b {
            return Some(a.cmp(&b));
        }
        let (Class::Finite { mantissa: m, exponent: e }, Class::Finite { mantissa: n, exponent: f }) =
            (&self.class, &other.class)
        else {
            return Some(Ordering::Equal);
        };
        let order = compare_magnitudes((m, i128::from(*e)), (n, i128::from(*f)));
        Some(if self.negative { order.reverse() } else { order })
    }
}

/// Orders two magnitudes `mantissa * 2^exponent`.
pub(super) fn compare_magnitudes((m, e): (&UBig, i128), (n, f): (&UBig, i128)) -> Ordering {
    let tops = (e + m.bit_len() as i128).cmp(&(f + n.bit_len() as i128));
    if tops != Ordering::Equal {
        return tops;
    }
    // The tops agree, so the shift is at most the difference in length.
    match e.cmp(&f) {
        Ordering::Equal => m.cmp(n),
        Ordering::Less => m.cmp(&(n << (f - e) as usize)),
        Ordering::Greater => (m << (e - f) as usize).cmp(n),
    }
}
