//! Elementary functions: `dashu-float` truncates each value a few bits beyond the requested precision and reports
//! whether it is exact; rounding happens here. Special values follow IEEE 754 and MPFR.
#![expect(clippy::wildcard_enum_match_arm, reason = "functions that behave alike there are the rest")]

use super::float::{BinaryFloat, Class};
use super::rounding::Context;
use dashu_float::math::FpResult;
use dashu_float::round::mode::{HalfEven, Zero};
use dashu_float::{Context as Evaluation, FBig, FpError, Repr};
use dashu_int::ops::{BitTest, SquareRootRem};
use dashu_int::{IBig, Sign, UBig};

/// Bits beyond the precision: enough for rounding to know on which side of a boundary the value lies.
const GUARD: usize = 3;

macro_rules! functions {
    ($($variant:ident = $name:literal => $method:ident),* $(,)?) => {
        /// A function of one number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function { $($variant),* }

        impl Function {
            /// The function with this name in Julia.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            fn evaluate<R: dashu_float::round::ErrorBounds>(
                self,
                context: &Evaluation<R>,
                x: &Repr<2>,
            ) -> FpResult<FBig<R, 2>> {
                match self { $(Self::$variant => functions!(@call context, x, $method)),* }
            }
        }
    };
    (@call $context:ident, $x:ident, cbrt) => { $context.cbrt($x) };
    (@call $context:ident, $x:ident, exp2) => { $context.powf(&Repr::new(IBig::from(2), 0), $x, None) };
    (@call $context:ident, $x:ident, exp10) => { $context.powf(&Repr::new(IBig::from(10), 0), $x, None) };
    (@call $context:ident, $x:ident, $method:ident) => { $context.$method($x, None) };
}

functions! {
    Exp = "exp" => exp, Exp2 = "exp2" => exp2, Exp10 = "exp10" => exp10, Expm1 = "expm1" => exp_m1,
    Log = "log" => ln, Log2 = "log2" => log2, Log10 = "log10" => log10, Log1p = "log1p" => ln_1p,
    Sin = "sin" => sin, Cos = "cos" => cos, Tan = "tan" => tan,
    Asin = "asin" => asin, Acos = "acos" => acos, Atan = "atan" => atan,
    Sinh = "sinh" => sinh, Cosh = "cosh" => cosh, Tanh = "tanh" => tanh,
    Asinh = "asinh" => asinh, Acosh = "acosh" => acosh, Atanh = "atanh" => atanh,
    Sinpi = "sinpi" => sin_pi, Cospi = "cospi" => cos_pi, Tanpi = "tanpi" => tan_pi,
    Cbrt = "cbrt" => cbrt,
}

fn repr(x: &BinaryFloat) -> Repr<2> {
    match &x.class {
        Class::Finite { mantissa, exponent } => {
            let sign = if x.negative { Sign::Negative } else { Sign::Positive };
            Repr::new(IBig::from_parts(sign, mantissa.clone()), *exponent as isize)
        }
        Class::Nan | Class::Infinite | Class::Zero => Repr::zero(),
    }
}

impl Context {
    /// The value of an evaluation at some precision, rounded to this context.
    fn settle(
        &self,
        toward_zero: impl FnOnce(&Evaluation<Zero>) -> FpResult<FBig<Zero, 2>>,
        nearest: impl FnOnce(&Evaluation<HalfEven>) -> FpResult<FBig<HalfEven, 2>>,
    ) -> BinaryFloat {
        match toward_zero(&Evaluation::new(self.precision + GUARD)) {
            Ok(rounded) => {
                let (value, exact) = rounded.value_with_exact();
                self.take(value.repr(), !exact)
            }
            // The value is exact, so no error interval lies on one side of it.
            Err(FpError::ZivRetryLimitExceeded) => match nearest(&Evaluation::new(self.precision + 64)) {
                Ok(value) => self.take(value.value().repr(), false),
                Err(error) => self.failed(error),
            },
            Err(error) => self.failed(error),
        }
    }

    fn failed(&self, error: FpError) -> BinaryFloat {
        match error {
            FpError::Overflow(sign) => self.overflow(sign == Sign::Negative),
            FpError::Underflow(sign) => self.vanish(sign == Sign::Negative),
            FpError::InfiniteInput
            | FpError::OutOfDomain
            | FpError::Indeterminate
            | FpError::ZivRetryLimitExceeded => BinaryFloat::NAN,
        }
    }

    fn take(&self, value: &Repr<2>, sticky: bool) -> BinaryFloat {
        let negative = value.sign() == Sign::Negative;
        if value.is_infinite() {
            return if sticky { self.overflow(negative) } else { BinaryFloat::infinite(negative) };
        }
        let mantissa = value.significand().clone().into_parts().1;
        if mantissa.is_zero() {
            return if sticky { self.vanish(negative) } else { BinaryFloat::zero(negative) };
        }
        let missing = (self.precision + GUARD).saturating_sub(mantissa.bit_len());
        self.round(negative, mantissa << missing, value.exponent() as i128 - missing as i128, sticky)
    }

    /// `f(x)`.
    pub(crate) fn elementary(&self, f: Function, x: &BinaryFloat) -> BinaryFloat {
        if let Some(known) = self.special(f, x) {
            return known;
        }
        let argument = repr(x);
        self.settle(|it| f.evaluate(it, &argument), |it| f.evaluate(it, &argument))
    }

    /// The value at zero, infinity and NaN, and where the result leaves the range by far.
    fn special(&self, f: Function, x: &BinaryFloat) -> Option<BinaryFloat> {
        use Function as F;
        let negative = x.negative;
        let one = || BinaryFloat::from_integer(IBig::ONE);
        let half_pi = || self.half_pi(negative);
        match x.class {
            Class::Nan => Some(BinaryFloat::NAN),
            Class::Zero => match f {
                F::Exp | F::Exp2 | F::Exp10 | F::Cos | F::Cosh | F::Cospi => Some(one()),
                F::Log | F::Log2 | F::Log10 => Some(BinaryFloat::infinite(true)),
                F::Acos => Some(self.half_pi(false)),
                F::Acosh => Some(BinaryFloat::NAN),
                _ => Some(x.clone()),
            },
            Class::Infinite => Some(match f {
                F::Exp | F::Exp2 | F::Exp10 if negative => BinaryFloat::zero(false),
                F::Expm1 if negative => BinaryFloat::from_integer(-IBig::ONE),
                F::Log | F::Log2 | F::Log10 | F::Log1p | F::Acosh if negative => BinaryFloat::NAN,
                F::Exp
                | F::Exp2
                | F::Exp10
                | F::Expm1
                | F::Log
                | F::Log2
                | F::Log10
                | F::Log1p
                | F::Acosh => x.clone(),
                F::Sinh | F::Asinh | F::Cbrt => x.clone(),
                F::Cosh => BinaryFloat::infinite(false),
                F::Tanh => BinaryFloat { negative, ..one() },
                F::Atan => half_pi(),
                F::Sin | F::Cos | F::Tan | F::Asin | F::Acos | F::Atanh | F::Sinpi | F::Cospi | F::Tanpi => {
                    BinaryFloat::NAN
                }
            }),
            Class::Finite { ref mantissa, exponent } => {
                let top = exponent.saturating_add(mantissa.bit_len() as i64);
                self.special_finite(f, x, top)
            }
        }
    }

    fn special_finite(&self, f: Function, x: &BinaryFloat, top: i64) -> Option<BinaryFloat> {
        use Function as F;
        let is_one = *x == BinaryFloat::from_integer(IBig::ONE)
            || x.compare(&BinaryFloat { negative: x.negative, ..BinaryFloat::from_integer(IBig::ONE) })
                == Some(std::cmp::Ordering::Equal);
        match f {
            F::Log | F::Log2 | F::Log10 | F::Acosh if is_one && !x.negative => Some(BinaryFloat::zero(false)),
            F::Acos if is_one && !x.negative => Some(BinaryFloat::zero(false)),
            F::Atanh if is_one => Some(BinaryFloat::infinite(x.negative)),
            F::Log1p if is_one && x.negative => Some(BinaryFloat::infinite(true)),
            F::Exp | F::Exp2 | F::Exp10 | F::Expm1 | F::Sinh | F::Cosh if top > 63 => Some(match f {
                F::Sinh => self.overflow(x.negative),
                F::Cosh => self.overflow(false),
                F::Expm1 if x.negative => {
                    self.sub(&BinaryFloat::from_integer(IBig::ONE), &BinaryFloat::from_integer(IBig::from(2)))
                }
                _ if x.negative => self.vanish(false),
                _ => self.overflow(false),
            }),
            // Far nearer to one than the last place.
            F::Exp | F::Exp2 | F::Exp10 | F::Cos | F::Cosh | F::Cospi
                if top < -(self.precision as i64) - 8 =>
            {
                let less = match f {
                    F::Cos | F::Cospi => true,
                    F::Exp | F::Exp2 | F::Exp10 => x.negative,
                    _ => false,
                };
                Some(self.adjacent_rounded(&UBig::ONE, 0, false, less))
            }
            // Far nearer to the argument than its last place.
            F::Expm1
            | F::Log1p
            | F::Sin
            | F::Tan
            | F::Asin
            | F::Atan
            | F::Sinh
            | F::Tanh
            | F::Asinh
            | F::Atanh
                if top < -(self.precision as i64) - 8 =>
            {
                let less = match f {
                    F::Expm1 => x.negative,
                    F::Log1p => !x.negative,
                    F::Tan | F::Asin | F::Sinh | F::Atanh => false,
                    _ => true,
                };
                match &x.class {
                    Class::Finite { mantissa, exponent } => {
                        Some(self.adjacent_rounded(mantissa, *exponent, x.negative, less))
                    }
                    Class::Nan | Class::Infinite | Class::Zero => None,
                }
            }
            _ => None,
        }
    }

    /// The rounding of a magnitude a little less or a little more than this one.
    fn adjacent_rounded(&self, mantissa: &UBig, exponent: i64, negative: bool, less: bool) -> BinaryFloat {
        let missing = (self.precision + GUARD).saturating_sub(mantissa.bit_len()) + 1;
        let wide = mantissa << missing;
        let wide = if less { wide - UBig::ONE } else { wide };
        self.round(negative, wide, i128::from(exponent) - missing as i128, true)
    }

    /// `±π/2`.
    fn half_pi(&self, negative: bool) -> BinaryFloat {
        self.pi_times(negative, 1, -1)
    }

    /// `±π * factor * 2^scale`.
    fn pi_times(&self, negative: bool, factor: u8, scale: i128) -> BinaryFloat {
        let evaluation = Evaluation::<Zero>::new(self.precision + GUARD + 8);
        let pi = evaluation.pi::<2>(None).value();
        let (mantissa, exponent) = (pi.repr().significand().clone().into_parts().1, pi.repr().exponent());
        self.round(negative, mantissa * UBig::from(factor), exponent as i128 + scale, true)
    }

    /// Returns a mathematical constant by its name in Julia.
    pub(crate) fn constant(&self, name: &str) -> Option<BinaryFloat> {
        let two = BinaryFloat::from_integer(IBig::from(2));
        match name {
            "pi" => Some(self.pi_times(false, 1, 0)),
            "log2" => Some(self.elementary(Function::Log, &two)),
            "e" => Some(self.elementary(Function::Exp, &BinaryFloat::from_integer(IBig::ONE))),
            _ => None,
        }
    }

    /// `x ^ y`.
    pub(crate) fn pow(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        let one = BinaryFloat::from_integer(IBig::ONE);
        let equals_one = x.compare(&one) == Some(std::cmp::Ordering::Equal);
        if y.is_zero() || equals_one {
            return one;
        }
        if x.is_nan() || y.is_nan() {
            return BinaryFloat::NAN;
        }
        let whole = y.is_integer();
        let odd = whole && is_odd(y);
        let magnitude = BinaryFloat { negative: false, class: x.class.clone() };
        if y.class == Class::Infinite {
            return match magnitude.compare(&one) {
                Some(std::cmp::Ordering::Equal) => one,
                Some(order) if (order == std::cmp::Ordering::Greater) == y.negative => {
                    BinaryFloat::zero(false)
                }
                _ => BinaryFloat::infinite(false),
            };
        }
        match x.class {
            Class::Zero if y.negative => BinaryFloat::infinite(x.negative && odd),
            Class::Zero => BinaryFloat::zero(x.negative && odd),
            Class::Infinite if y.negative => BinaryFloat::zero(x.negative && odd),
            Class::Infinite => BinaryFloat::infinite(x.negative && odd),
            _ if x.negative && !whole => BinaryFloat::NAN,
            _ => {
                let (base, exponent) =
                    if whole { (x.clone(), y.clone()) } else { without_roots(x.clone(), odd_part(y)) };
                let (base, exponent) = (repr(&base), repr(&exponent));
                self.settle(|it| it.powf(&base, &exponent, None), |it| it.powf(&base, &exponent, None))
            }
        }
    }

    /// `atan(y, x)`.
    pub(crate) fn atan2(&self, y: &BinaryFloat, x: &BinaryFloat) -> BinaryFloat {
        match (&y.class, &x.class) {
            (Class::Nan, _) | (_, Class::Nan) => BinaryFloat::NAN,
            (Class::Infinite, Class::Infinite) => {
                self.pi_times(y.negative, if x.negative { 3 } else { 1 }, -2)
            }
            (Class::Infinite, _) => self.half_pi(y.negative),
            (Class::Zero, _) | (_, Class::Infinite) if x.negative => self.pi_times(y.negative, 1, 0),
            (Class::Zero, _) | (_, Class::Infinite) => BinaryFloat::zero(y.negative),
            (_, Class::Zero) => self.half_pi(y.negative),
            (Class::Finite { .. }, Class::Finite { .. }) => {
                let (y, x) = (repr(y), repr(x));
                self.settle(|it| it.atan2(&y, &x, None), |it| it.atan2(&y, &x, None))
            }
        }
    }

    /// `sqrt(x^2 + y^2)`.
    pub(crate) fn hypot(&self, x: &BinaryFloat, y: &BinaryFloat) -> BinaryFloat {
        match (&x.class, &y.class) {
            (Class::Infinite, _) | (_, Class::Infinite) => BinaryFloat::infinite(false),
            (Class::Nan, _) | (_, Class::Nan) => BinaryFloat::NAN,
            (Class::Zero, _) => BinaryFloat { negative: false, class: y.class.clone() }.rounded(self),
            (_, Class::Zero) => BinaryFloat { negative: false, class: x.class.clone() }.rounded(self),
            (Class::Finite { .. }, Class::Finite { .. }) => {
                let (x, y) = (repr(x), repr(y));
                self.settle(|it| it.hypot(&x, &y), |it| it.hypot(&x, &y))
            }
        }
    }
}

/// The root of a power that is exact: halves the exponent's fraction while the base is a square, so that `2.25^1.5`
/// becomes `1.5^3`. An exact value has no error interval on one side of it, and its evaluation would not end.
fn without_roots(mut x: BinaryFloat, mut y: BinaryFloat) -> (BinaryFloat, BinaryFloat) {
    while let (Class::Finite { mantissa: m, exponent: e }, Class::Finite { exponent: f, .. }) =
        (&mut x.class, &mut y.class)
    {
        let zeros = m.trailing_zeros().unwrap_or(0);
        *m >>= zeros;
        *e += zeros as i64;
        let (root, rest) = m.sqrt_rem();
        if *e % 2 != 0 || !rest.is_zero() || *f >= 0 {
            break;
        }
        (*m, *e, *f) = (root, *e / 2, *f + 1);
    }
    (x, y)
}

/// The number with an odd mantissa.
fn odd_part(x: &BinaryFloat) -> BinaryFloat {
    match &x.class {
        Class::Finite { mantissa, exponent } => {
            let zeros = mantissa.trailing_zeros().unwrap_or(0);
            let class = Class::Finite { mantissa: mantissa >> zeros, exponent: exponent + zeros as i64 };
            BinaryFloat { negative: x.negative, class }
        }
        Class::Nan | Class::Infinite | Class::Zero => x.clone(),
    }
}

/// Whether a finite integer is odd.
fn is_odd(x: &BinaryFloat) -> bool {
    match &x.class {
        Class::Finite { mantissa, exponent } => {
            mantissa.trailing_zeros().is_some_and(|it| it as i128 + i128::from(*exponent) == 0)
        }
        Class::Nan | Class::Infinite | Class::Zero => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounding::RoundingMode;
    use super::*;

    fn context(mode: RoundingMode) -> Context {
        Context { precision: 53, mode, range: (-(1 << 62) + 1, (1 << 62) - 1) }
    }

    fn number(x: f64) -> BinaryFloat {
        BinaryFloat::from_f64(x)
    }

    #[test]
    fn results_at_53_bits_are_those_of_correctly_rounded_doubles() {
        let nearest = context(RoundingMode::Nearest);
        let value = |f: &str, x: f64| {
            let f = Function::from_name(f).unwrap();
            nearest.elementary(f, &number(x)).to_f64(RoundingMode::Nearest)
        };
        assert_eq!(value("exp", 1.0), std::f64::consts::E);
        assert_eq!(value("log", 10.0), std::f64::consts::LN_10);
        assert_eq!(value("log2", 8.0), 3.0);
        assert_eq!(value("log10", 1000.0), 3.0);
        assert_eq!(value("exp2", 10.0), 1024.0);
        assert_eq!(value("exp10", 3.0), 1000.0);
        assert_eq!(value("cbrt", -27.0), -3.0);
        assert_eq!(value("sin", 1e22), -0.8522008497671888);
        assert_eq!(value("exp", -1e300), 0.0);
        assert!(value("log", -1.0).is_nan());
    }

    #[test]
    fn directions_enclose_the_value() {
        for (f, x) in [("exp", 0.5), ("sin", 2.0), ("exp", 1e-300), ("cos", 1e-300), ("tanh", -1e-200)] {
            let f = Function::from_name(f).unwrap();
            let down = context(RoundingMode::Down).elementary(f, &number(x)).to_f64(RoundingMode::Nearest);
            let up = context(RoundingMode::Up).elementary(f, &number(x)).to_f64(RoundingMode::Nearest);
            assert_eq!(up, down.next_up(), "{f:?}({x})");
        }
    }

    #[test]
    fn exact_powers_end() {
        let pow = |x, y| context(RoundingMode::Up).pow(&number(x), &number(y)).to_f64(RoundingMode::Nearest);
        assert_eq!(pow(2.25, 1.5), 3.375);
        assert_eq!(pow(4.0, 0.5), 2.0);
        assert_eq!(pow(-2.0, 3.0), -8.0);
        assert_eq!(pow(0.0, -1.0), f64::INFINITY);
        assert_eq!(pow(10.0, -2.0), 0.01);
    }
}
