//! Functions of one number, and those that only look at signs.
#![expect(clippy::wildcard_enum_match_arm, reason = "a function of other numbers is not asked")]

use super::model::{Mode, Outcome, boolean};
use super::model_float::rounded_by;
use super::numbers::{Exact, Num, Ty, fitting, float, wrapped};
use dashu_int::IBig;

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum One {
    /// `-`
    Negate,
    /// `abs`
    Abs,
    /// `sign`
    Sign,
    /// `signbit`
    SignBit,
    /// `~`
    Not,
    /// `count_ones`
    CountOnes,
    /// `leading_zeros`
    LeadingZeros,
    /// `trailing_zeros`
    TrailingZeros,
    /// `bswap`
    SwapBytes,
    /// `bitreverse`
    ReverseBits,
    /// `isodd`
    IsOdd,
    /// `iseven`
    IsEven,
    /// `iszero`
    IsZero,
    /// `isone`
    IsOne,
    /// `isinteger`
    IsInteger,
    /// `isfinite`
    IsFinite,
    /// `isnan`
    IsNan,
    /// `issubnormal`
    IsSubnormal,
    /// `nextfloat`
    Next,
    /// `prevfloat`
    Previous,
    /// `sqrt`
    SquareRoot,
    /// `isqrt`
    IntegerRoot,
    /// `round`
    Round(Mode),
    /// `Base.checked_neg`
    CheckedNegate,
    /// `Base.checked_abs`
    CheckedAbs,
}

/// The functions, by the names that Julia has for them.
pub const FUNCTIONS: [(One, &str); 24] = [
    (One::Negate, "-"),
    (One::Abs, "abs"),
    (One::Sign, "sign"),
    (One::SignBit, "signbit"),
    (One::Not, "~"),
    (One::CountOnes, "count_ones"),
    (One::LeadingZeros, "leading_zeros"),
    (One::TrailingZeros, "trailing_zeros"),
    (One::SwapBytes, "bswap"),
    (One::ReverseBits, "bitreverse"),
    (One::IsOdd, "isodd"),
    (One::IsEven, "iseven"),
    (One::IsZero, "iszero"),
    (One::IsOne, "isone"),
    (One::IsInteger, "isinteger"),
    (One::IsFinite, "isfinite"),
    (One::IsNan, "isnan"),
    (One::IsSubnormal, "issubnormal"),
    (One::Next, "nextfloat"),
    (One::Previous, "prevfloat"),
    (One::SquareRoot, "sqrt"),
    (One::IntegerRoot, "isqrt"),
    (One::CheckedNegate, "Base.checked_neg"),
    (One::CheckedAbs, "Base.checked_abs"),
];

impl One {
    /// The outcome; `None` where the matrix does not ask.
    pub(super) fn of(self, x: Num) -> Option<Outcome> {
        match (self, x.ty) {
            (One::IsZero | One::IsOne | One::IsInteger | One::IsFinite | One::IsNan | One::SignBit, _)
            | (One::IsOdd | One::IsEven, _) => self.question(x).map(|it| Outcome::Value(boolean(it))),
            (One::IsSubnormal, Ty::Float(_)) => self.question(x).map(|it| Outcome::Value(boolean(it))),
            (One::CheckedNegate | One::CheckedAbs, Ty::Int(_) | Ty::UInt(_)) => {
                let exact = if self == One::CheckedAbs { magnitude(x.integer()) } else { -x.integer() };
                Some(fitting(x.ty, &exact).map_or(Outcome::Overflow, Outcome::Value))
            }
            (One::SquareRoot, Ty::Float(_)) => Some(root(x)),
            (_, Ty::Float(_)) => self.of_float(x).map(Outcome::Value),
            (One::IntegerRoot, Ty::Int(_)) if x.is_negative() => Some(Outcome::Domain),
            (_, Ty::Int(_) | Ty::UInt(_)) => self.of_integer(x).map(Outcome::Value),
            (_, Ty::Bool) => None,
        }
    }

    fn question(self, x: Num) -> Option<bool> {
        let exact = x.exact();
        Some(match (self, &exact) {
            (One::SignBit, _) => x.is_negative(),
            (One::IsNan, _) => exact == Exact::Nan,
            (One::IsFinite, _) => matches!(exact, Exact::Finite(..)),
            (_, Exact::Nan | Exact::Infinite(_)) => false,
            (One::IsZero, Exact::Finite(n, ..)) => *n == IBig::ZERO,
            (One::IsOne, Exact::Finite(n, d, _)) => *n == IBig::from(d.clone()),
            (One::IsSubnormal, Exact::Finite(n, ..)) => {
                *n != IBig::ZERO && x.bits >> x.ty.fraction_bits() & exponent_mask(x.ty) == 0
            }
            (_, Exact::Finite(n, d, _)) => {
                let d = IBig::from(d.clone());
                let is_whole = n % &d == IBig::ZERO;
                let is_odd = is_whole && (n / &d) % IBig::from(2) != IBig::ZERO;
                match self {
                    One::IsInteger => is_whole,
                    One::IsOdd => is_odd,
                    One::IsEven => is_whole && !is_odd,
                    _ => return None,
                }
            }
        })
    }

    fn of_integer(self, x: Num) -> Option<Num> {
        let (value, width) = (x.integer(), x.ty.bits());
        let counted = |it: u32| wrapped(Ty::Int(64), &IBig::from(it));
        let reversed = |bits: u128| Num { ty: x.ty, bits: bits >> (128 - width) };
        Some(match self {
            One::Negate => wrapped(x.ty, &-value),
            One::Abs => wrapped(x.ty, &magnitude(value)),
            One::Sign => wrapped(x.ty, &IBig::from(value.cmp(&IBig::ZERO) as i8)),
            One::Not => wrapped(x.ty, &(-value - IBig::ONE)),
            One::CountOnes => counted(x.bits.count_ones()),
            One::LeadingZeros => counted(x.bits.leading_zeros() - (128 - width)),
            One::TrailingZeros => counted(x.bits.trailing_zeros().min(width)),
            One::SwapBytes => reversed(x.bits.swap_bytes()),
            One::ReverseBits => reversed(x.bits.reverse_bits()),
            One::IntegerRoot => Num { ty: x.ty, bits: integer_root(x.bits) },
            One::Round(_) => x,
            _ => return None,
        })
    }

    fn of_float(self, x: Num) -> Option<Num> {
        let sign = 1u128 << (x.ty.bits() - 1);
        Some(match self {
            One::Negate => Num { bits: x.bits ^ sign, ..x },
            One::Abs => Num { bits: x.bits & !sign, ..x },
            One::Sign => match x.exact() {
                Exact::Nan => x,
                Exact::Finite(n, ..) if n == IBig::ZERO => x,
                Exact::Finite(..) | Exact::Infinite(_) => {
                    float(x.ty, if x.is_negative() { -1.0 } else { 1.0 })
                }
            },
            One::Next => neighbour(x, true),
            One::Previous => neighbour(x, false),
            One::Round(mode) => float(x.ty, rounded_by(x.float(), mode)),
            _ => return None,
        })
    }
}

fn magnitude(value: IBig) -> IBig {
    if value < IBig::ZERO { -value } else { value }
}

fn exponent_mask(ty: Ty) -> u128 {
    (1 << (ty.bits() - 1 - ty.fraction_bits())) - 1
}

/// The root of a float, rounded once: `f64` has more than twice the digits of the narrower formats.
fn root(x: Num) -> Outcome {
    let value = x.float();
    if value < 0.0 { Outcome::Domain } else { Outcome::Value(float(x.ty, value.sqrt())) }
}

/// The greatest number whose square is at most `value`.
fn integer_root(value: u128) -> u128 {
    let fits = |it: u128| it.checked_mul(it).is_some_and(|it| it <= value);
    (0..64).rev().fold(0, |root, bit| if fits(root | 1 << bit) { root | 1 << bit } else { root })
}

/// The next float up or down; infinities and NaN stay.
fn neighbour(x: Num, up: bool) -> Num {
    let sign = 1u128 << (x.ty.bits() - 1);
    match x.exact() {
        Exact::Nan => x,
        Exact::Infinite(negative) if negative != up => x,
        Exact::Finite(n, ..) if n == IBig::ZERO => Num { bits: if up { 1 } else { sign | 1 }, ..x },
        Exact::Finite(..) | Exact::Infinite(_) if x.is_negative() == up => Num { bits: x.bits - 1, ..x },
        Exact::Finite(..) | Exact::Infinite(_) => Num { bits: x.bits + 1, ..x },
    }
}

/// `copysign(x, y)`, or `flipsign(x, y)`, where both are of one type.
pub(super) fn with_sign(copies: bool, x: Num, y: Num) -> Option<Outcome> {
    if x.ty != y.ty || !x.ty.is_signed() {
        return None;
    }
    let flips = if copies { x.is_negative() != y.is_negative() } else { y.is_negative() };
    if flips { One::Negate.of(x) } else { Some(Outcome::Value(x)) }
}
