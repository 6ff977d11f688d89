//! Functions of one number, and those that only look at signs.
#![expect(clippy::wildcard_enum_match_arm, reason = "a function of other numbers is not asked")]

use super::model::{ModelOutcome, RoundingDirection, boolean};
use super::model_float::rounded_by;
use super::numbers::{Exact, Num, NumberType, fitting, float, wrapped};
use dashu_int::IBig;

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFunction {
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
    Round(RoundingDirection),
    /// `Base.checked_neg`
    CheckedNegate,
    /// `Base.checked_abs`
    CheckedAbs,
}

/// The functions, by the names that Julia has for them.
pub const FUNCTIONS: [(NumberFunction, &str); 24] = [
    (NumberFunction::Negate, "-"),
    (NumberFunction::Abs, "abs"),
    (NumberFunction::Sign, "sign"),
    (NumberFunction::SignBit, "signbit"),
    (NumberFunction::Not, "~"),
    (NumberFunction::CountOnes, "count_ones"),
    (NumberFunction::LeadingZeros, "leading_zeros"),
    (NumberFunction::TrailingZeros, "trailing_zeros"),
    (NumberFunction::SwapBytes, "bswap"),
    (NumberFunction::ReverseBits, "bitreverse"),
    (NumberFunction::IsOdd, "isodd"),
    (NumberFunction::IsEven, "iseven"),
    (NumberFunction::IsZero, "iszero"),
    (NumberFunction::IsOne, "isone"),
    (NumberFunction::IsInteger, "isinteger"),
    (NumberFunction::IsFinite, "isfinite"),
    (NumberFunction::IsNan, "isnan"),
    (NumberFunction::IsSubnormal, "issubnormal"),
    (NumberFunction::Next, "nextfloat"),
    (NumberFunction::Previous, "prevfloat"),
    (NumberFunction::SquareRoot, "sqrt"),
    (NumberFunction::IntegerRoot, "isqrt"),
    (NumberFunction::CheckedNegate, "Base.checked_neg"),
    (NumberFunction::CheckedAbs, "Base.checked_abs"),
];

impl NumberFunction {
    /// The outcome; `None` where the matrix does not ask.
    pub(super) fn outcome(self, x: Num) -> Option<ModelOutcome> {
        match (self, x.ty) {
            (
                NumberFunction::IsZero
                | NumberFunction::IsOne
                | NumberFunction::IsInteger
                | NumberFunction::IsFinite
                | NumberFunction::IsNan
                | NumberFunction::SignBit,
                _,
            )
            | (NumberFunction::IsOdd | NumberFunction::IsEven, _) => {
                self.question(x).map(|it| ModelOutcome::Value(boolean(it)))
            }
            (NumberFunction::IsSubnormal, NumberType::Float(_)) => {
                self.question(x).map(|it| ModelOutcome::Value(boolean(it)))
            }
            (
                NumberFunction::CheckedNegate | NumberFunction::CheckedAbs,
                NumberType::Int(_) | NumberType::UInt(_),
            ) => {
                let exact =
                    if self == NumberFunction::CheckedAbs { magnitude(x.integer()) } else { -x.integer() };
                Some(fitting(x.ty, &exact).map_or(ModelOutcome::Overflow, ModelOutcome::Value))
            }
            (NumberFunction::SquareRoot, NumberType::Float(_)) => Some(root(x)),
            (_, NumberType::Float(_)) => self.of_float(x).map(ModelOutcome::Value),
            (NumberFunction::IntegerRoot, NumberType::Int(_)) if x.is_negative() => {
                Some(ModelOutcome::Domain)
            }
            (_, NumberType::Int(_) | NumberType::UInt(_)) => self.of_integer(x).map(ModelOutcome::Value),
            (_, NumberType::Bool) => None,
        }
    }

    fn question(self, x: Num) -> Option<bool> {
        let exact = x.exact();
        Some(match (self, &exact) {
            (NumberFunction::SignBit, _) => x.is_negative(),
            (NumberFunction::IsNan, _) => exact == Exact::Nan,
            (NumberFunction::IsFinite, _) => matches!(exact, Exact::Finite(..)),
            (_, Exact::Nan | Exact::Infinite(_)) => false,
            (NumberFunction::IsZero, Exact::Finite(n, ..)) => *n == IBig::ZERO,
            (NumberFunction::IsOne, Exact::Finite(n, d, _)) => *n == IBig::from(d.clone()),
            (NumberFunction::IsSubnormal, Exact::Finite(n, ..)) => {
                *n != IBig::ZERO && x.bits >> x.ty.fraction_bits() & exponent_mask(x.ty) == 0
            }
            (_, Exact::Finite(n, d, _)) => {
                let d = IBig::from(d.clone());
                let is_whole = n % &d == IBig::ZERO;
                let is_odd = is_whole && (n / &d) % IBig::from(2) != IBig::ZERO;
                match self {
                    NumberFunction::IsInteger => is_whole,
                    NumberFunction::IsOdd => is_odd,
                    NumberFunction::IsEven => is_whole && !is_odd,
                    _ => return None,
                }
            }
        })
    }

    fn of_integer(self, x: Num) -> Option<Num> {
        let (value, width) = (x.integer(), x.ty.bits());
        let counted = |it: u32| wrapped(NumberType::Int(64), &IBig::from(it));
        let reversed = |bits: u128| Num { ty: x.ty, bits: bits >> (128 - width) };
        Some(match self {
            NumberFunction::Negate => wrapped(x.ty, &-value),
            NumberFunction::Abs => wrapped(x.ty, &magnitude(value)),
            NumberFunction::Sign => wrapped(x.ty, &IBig::from(value.cmp(&IBig::ZERO) as i8)),
            NumberFunction::Not => wrapped(x.ty, &(-value - IBig::ONE)),
            NumberFunction::CountOnes => counted(x.bits.count_ones()),
            NumberFunction::LeadingZeros => counted(x.bits.leading_zeros() - (128 - width)),
            NumberFunction::TrailingZeros => counted(x.bits.trailing_zeros().min(width)),
            NumberFunction::SwapBytes => reversed(x.bits.swap_bytes()),
            NumberFunction::ReverseBits => reversed(x.bits.reverse_bits()),
            NumberFunction::IntegerRoot => Num { ty: x.ty, bits: integer_root(x.bits) },
            NumberFunction::Round(_) => x,
            _ => return None,
        })
    }

    fn of_float(self, x: Num) -> Option<Num> {
        let sign = 1u128 << (x.ty.bits() - 1);
        Some(match self {
            NumberFunction::Negate => Num { bits: x.bits ^ sign, ..x },
            NumberFunction::Abs => Num { bits: x.bits & !sign, ..x },
            NumberFunction::Sign => match x.exact() {
                Exact::Nan => x,
                Exact::Finite(n, ..) if n == IBig::ZERO => x,
                Exact::Finite(..) | Exact::Infinite(_) => {
                    float(x.ty, if x.is_negative() { -1.0 } else { 1.0 })
                }
            },
            NumberFunction::Next => neighbour(x, true),
            NumberFunction::Previous => neighbour(x, false),
            NumberFunction::Round(mode) => float(x.ty, rounded_by(x.float(), mode)),
            _ => return None,
        })
    }
}

fn magnitude(value: IBig) -> IBig {
    if value < IBig::ZERO { -value } else { value }
}

fn exponent_mask(ty: NumberType) -> u128 {
    (1 << (ty.bits() - 1 - ty.fraction_bits())) - 1
}

/// The root of a float, rounded once: `f64` has more than twice the digits of the narrower formats.
fn root(x: Num) -> ModelOutcome {
    let value = x.float();
    if value < 0.0 { ModelOutcome::Domain } else { ModelOutcome::Value(float(x.ty, value.sqrt())) }
}

/// Returns the greatest number whose square is at most `value`.
fn integer_root(value: u128) -> u128 {
    let fits = |it: u128| it.checked_mul(it).is_some_and(|it| it <= value);
    (0..64).rev().fold(0, |root, bit| if fits(root | 1 << bit) { root | 1 << bit } else { root })
}

/// Returns the next float up or down; infinities and NaN are unchanged.
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
pub(super) fn with_sign(copies: bool, x: Num, y: Num) -> Option<ModelOutcome> {
    if x.ty != y.ty || !x.ty.is_signed() {
        return None;
    }
    let flips = if copies { x.is_negative() != y.is_negative() } else { y.is_negative() };
    if flips { NumberFunction::Negate.outcome(x) } else { Some(ModelOutcome::Value(x)) }
}
