//! Rational numbers: exact arithmetic that throws where a step of it leaves the type of the parts.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is of other numbers is not asked")]

use super::compound::{
    CompoundFunction, CompoundOp, ExpectedException, Given, Number, NumberForm, apply, small, to,
};
use super::model::{NumberOp as Plain, RoundingDirection, boolean, order, promoted};
use super::model_one::NumberFunction as PlainOne;
use super::numbers::{Exact, Num, NumberType, boundary_values, fitting};
use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

/// The types of parts that the matrix takes.
pub(super) const PARTS: [NumberType; 6] = [
    NumberType::Int(8),
    NumberType::UInt(8),
    NumberType::Int(32),
    NumberType::Int(64),
    NumberType::UInt(64),
    NumberType::Int(128),
];

/// The values of `Rational{ty}` that the matrix takes, the infinities among them.
pub(super) fn values(ty: NumberType) -> Vec<Number> {
    let all = IBig::from(u128::MAX >> (128 - ty.bits()));
    let two = IBig::from(2);
    let (least, greatest) =
        if ty.is_signed() { (-(&all / &two) - IBig::ONE, all / &two) } else { (IBig::ZERO, all) };
    let one = || IBig::ONE;
    let pairs = [
        (IBig::ZERO, one()),
        (one(), one()),
        (-one(), one()),
        (one(), two.clone()),
        (IBig::from(3), two.clone()),
        (-IBig::from(5), two),
        (-IBig::from(2), IBig::from(3)),
        (one(), IBig::from(4)),
        (greatest.clone(), one()),
        (&greatest - IBig::ONE, greatest.clone()),
        (one(), greatest.clone()),
        (-one(), greatest),
        (least.clone(), one()),
        (least, IBig::from(3)),
        (one(), IBig::ZERO),
        (-one(), IBig::ZERO),
    ];
    let parts = |(n, d)| Some(ratio(fitting(ty, &n)?, fitting(ty, &d)?));
    let mut found: Vec<Number> = pairs.into_iter().filter_map(parts).collect();
    // `0//3` of an unsigned type is no value in lowest terms.
    found.retain(|it| it.a.bits != 0 || it.b.bits == 1);
    found.dedup_by(|a, b| a.same(*b));
    found
}

fn ratio(a: Num, b: Num) -> Number {
    Number { form: NumberForm::Rational, a, b }
}

/// The outcome of an operation on two numbers, none of them complex and one of them rational.
pub(super) fn expected(op: CompoundOp, x: Number, y: Number) -> Option<Given> {
    let floats = x.a.ty.is_float() || y.a.ty.is_float();
    match op {
        CompoundOp::One(one) => (x.form == NumberForm::Rational && y.form == x.form && y.a.ty == x.a.ty)
            .then(|| of_one(one, x))
            .flatten(),
        CompoundOp::Equal
        | CompoundOp::IsEqual
        | CompoundOp::Less
        | CompoundOp::LessOrEqual
        | CompoundOp::IsLess => compared(op, x, y),
        CompoundOp::Convert => Some(converted(x, y)),
        CompoundOp::RoundTo(mode) => rounded_to(x, y, mode),
        CompoundOp::Div(mode) if !floats && (is_plain(mode) || has_sign(x) == has_sign(y)) => {
            Some(division(x, y, mode))
        }
        CompoundOp::Add | CompoundOp::Sub | CompoundOp::Mul | CompoundOp::Quotient if floats => {
            with_float(op, x, y)
        }
        CompoundOp::Add | CompoundOp::Sub | CompoundOp::Rem | CompoundOp::Mod if !floats => {
            Some(sum(op, x, y))
        }
        CompoundOp::Mul if !floats => Some(product(x, y)),
        CompoundOp::Ratio | CompoundOp::Quotient if !floats => Some(over(x, y)),
        _ => None,
    }
}

fn promote(x: Num, y: Num) -> Result<(Num, Num), ExpectedException> {
    let ty = promoted(x.ty, y.ty);
    Ok((to(ty, x)?, to(ty, y)?))
}

fn checked(op: Plain, x: Num, y: Num) -> Result<Num, ExpectedException> {
    let (x, y) = promote(x, y)?;
    if x.ty == NumberType::Bool { apply(Plain::And, x, y) } else { apply(op, x, y) }
}

fn times(x: Num, y: Num) -> Result<Num, ExpectedException> {
    checked(Plain::CheckedMul, x, y)
}

/// Both numbers over their greatest common divisor, each in its type.
fn reduced(x: Num, y: Num) -> Result<(Num, Num), ExpectedException> {
    let (a, b) = (x.integer(), y.integer());
    let (m, n) = (a.clone().unsigned_abs(), b.clone().unsigned_abs());
    if m == UBig::ZERO && n == UBig::ZERO {
        return Err(ExpectedException::Divide);
    }
    let divisor = IBig::from(m.gcd(n));
    let fit = |it, ty| fitting(ty, &it).ok_or(ExpectedException::Inexact);
    Ok((fit(a / &divisor, x.ty)?, fit(b / &divisor, y.ty)?))
}

fn promoted_reduced(x: Num, y: Num) -> Result<(Num, Num), ExpectedException> {
    let (x, y) = promote(x, y)?;
    reduced(x, y)
}

fn negated(x: Num) -> Result<Num, ExpectedException> {
    fitting(x.ty, &-x.integer()).ok_or(ExpectedException::Overflow)
}

/// A fraction whose denominator may be negative.
fn with_sign_above(num: Num, den: Num) -> Given {
    let (num, den) = promote(num, den)?;
    if !den.is_negative() {
        return Ok(ratio(num, den));
    }
    let den = negated(den)?;
    Ok(ratio(negated(num)?, den))
}

/// `Rational(num, den)`.
fn fraction(num: Num, den: Num) -> Given {
    let (num, den) = promote(num, den)?;
    if num.bits == 0 && den.bits == 0 {
        return Err(ExpectedException::Argument);
    }
    let (num, den) = reduced(num, den)?;
    with_sign_above(num, den)
}

fn unchecked(num: Num, den: Num) -> Given {
    let (num, den) = promote(num, den)?;
    Ok(ratio(num, den))
}

/// `+`, `-`, `rem` and `mod`: of the numerators over a common denominator.
fn sum(op: CompoundOp, x: Number, y: Number) -> Given {
    let step = |a: Num, b: Num| match op {
        CompoundOp::Add => checked(Plain::CheckedAdd, a, b),
        CompoundOp::Sub => checked(Plain::CheckedSub, a, b),
        CompoundOp::Rem => apply(Plain::Rem(RoundingDirection::ToZero), a, b),
        _ => apply(Plain::Rem(RoundingDirection::Down), a, b),
    };
    match (x.form, y.form) {
        (NumberForm::Rational, NumberForm::Plain) => unchecked(step(x.a, times(x.b, y.a)?)?, x.b),
        (NumberForm::Plain, NumberForm::Rational) => {
            let found = step(times(y.b, x.a)?, y.a)?;
            if matches!(op, CompoundOp::Add | CompoundOp::Sub) {
                unchecked(found, y.b)
            } else {
                fraction(found, y.b)
            }
        }
        _ => {
            if matches!(op, CompoundOp::Add | CompoundOp::Sub)
                && let Some(found) = sum_of_infinities(op, x, y)?
            {
                return Ok(found);
            }
            let (xd, yd) = promoted_reduced(x.b, y.b)?;
            let num = step(times(x.a, yd)?, times(y.a, xd)?)?;
            fraction(num, times(x.b, yd)?)
        }
    }
}

/// The sum of two infinities of one sign.
fn sum_of_infinities(op: CompoundOp, x: Number, y: Number) -> Result<Option<Number>, ExpectedException> {
    let (a, b) = (promote(x.a, y.a)?.0, promote(x.b, y.b)?.0);
    if x.b.bits != 0 {
        return Ok(None);
    }
    let above = if op == CompoundOp::Sub { negative(y)?.a } else { y.a };
    Ok((y.b.bits == 0 && above.integer() == x.a.integer()).then(|| ratio(a, b)))
}

fn negative(x: Number) -> Given {
    Ok(ratio(negated(x.a)?, x.b))
}

fn product(x: Number, y: Number) -> Given {
    match (x.form, y.form) {
        (NumberForm::Rational, NumberForm::Plain) => {
            let (xd, yn) = promoted_reduced(x.b, y.a)?;
            unchecked(times(x.a, yn)?, xd)
        }
        (NumberForm::Plain, NumberForm::Rational) => {
            let (xn, yd) = promoted_reduced(x.a, y.b)?;
            unchecked(times(xn, y.a)?, yd)
        }
        _ => {
            let (xn, yd) = promoted_reduced(x.a, y.b)?;
            let (xd, yn) = promoted_reduced(x.b, y.a)?;
            let num = times(xn, yn)?;
            unchecked(num, times(xd, yd)?)
        }
    }
}

fn over(x: Number, y: Number) -> Given {
    let (xn, yn) = promoted_reduced(x.a, y.a)?;
    match (x.form, y.form) {
        (NumberForm::Rational, NumberForm::Plain) => with_sign_above(xn, times(x.b, yn)?),
        (NumberForm::Plain, NumberForm::Rational) => with_sign_above(times(xn, y.b)?, yn),
        _ => {
            let (xd, yd) = promoted_reduced(x.b, y.b)?;
            let num = times(xn, yd)?;
            with_sign_above(num, times(xd, yn)?)
        }
    }
}

/// Integers of different signedness are only divided in these roundings.
fn is_plain(mode: RoundingDirection) -> bool {
    matches!(mode, RoundingDirection::ToZero | RoundingDirection::Down | RoundingDirection::Up)
}

fn has_sign(x: Number) -> bool {
    x.a.ty.is_signed()
}

fn division(x: Number, y: Number, mode: RoundingDirection) -> Given {
    let (xn, yn) = reduced(x.a, y.a)?;
    let (n, d) = match (x.form, y.form) {
        (NumberForm::Rational, NumberForm::Plain) => (xn, times(x.b, yn)?),
        (NumberForm::Plain, NumberForm::Rational) => (times(xn, y.b)?, yn),
        _ => {
            let (xd, yd) = reduced(x.b, y.b)?;
            (times(xn, yd)?, times(xd, yn)?)
        }
    };
    apply(Plain::Div(mode), n, d).map(Number::plain)
}

fn exact(x: Number) -> Exact {
    if x.form == NumberForm::Plain {
        return x.a.exact();
    }
    match UBig::try_from(x.b.integer()) {
        Ok(d) if d != UBig::ZERO => Exact::Finite(x.a.integer(), d, false),
        _ => Exact::Infinite(x.a.is_negative()),
    }
}

fn compared(op: CompoundOp, x: Number, y: Number) -> Option<Given> {
    // Julia compares products that wrap where one type has a sign and the other has none.
    let mixed = !x.a.ty.is_float() && !y.a.ty.is_float() && has_sign(x) != has_sign(y);
    if mixed
        && (x.a.is_negative() || y.a.is_negative())
        && !matches!(op, CompoundOp::Equal | CompoundOp::IsEqual)
    {
        return None;
    }
    let (a, b) = (exact(x), exact(y));
    let (nan_a, nan_b) = (a == Exact::Nan, b == Exact::Nan);
    let found = if nan_a || nan_b {
        match op {
            CompoundOp::IsEqual => nan_a && nan_b,
            CompoundOp::IsLess => !nan_a,
            _ => false,
        }
    } else {
        let order = order(&a, &b);
        let floats = x.a.ty.is_float() || y.a.ty.is_float();
        let (minus_a, minus_b) = (floats && x.a.is_negative(), floats && y.a.is_negative());
        match op {
            CompoundOp::Equal => order == Ordering::Equal,
            CompoundOp::Less => order == Ordering::Less,
            CompoundOp::LessOrEqual => order != Ordering::Greater,
            CompoundOp::IsEqual => order == Ordering::Equal && minus_a == minus_b,
            _ => order == Ordering::Less || (order == Ordering::Equal && minus_a && !minus_b),
        }
    };
    Some(Ok(Number::plain(boolean(found))))
}

fn converted(x: Number, y: Number) -> Given {
    let ty = y.a.ty;
    match (x.form, y.form) {
        (NumberForm::Rational, NumberForm::Rational) => Ok(ratio(to(ty, x.a)?, to(ty, x.b)?)),
        (NumberForm::Rational, _) if ty.is_float() => to_float(x, ty).map(Number::plain),
        (NumberForm::Rational, _) if x.b.bits != 1 => Err(ExpectedException::Inexact),
        (NumberForm::Rational, _) => to(ty, x.a).map(Number::plain),
        _ if x.a.ty.is_float() => from_float(x.a, ty),
        _ => Ok(ratio(to(ty, x.a)?, small(ty, 1))),
    }
}

/// The quotient of the parts, in the type itself or, for narrow ones, in one that holds the parts.
fn to_float(x: Number, ty: NumberType) -> Result<Num, ExpectedException> {
    let wide = match (ty.bits(), x.a.ty.bits()) {
        (16 | 32, 128) => NumberType::Float(64),
        (16, 16..=64) => NumberType::Float(32),
        _ => ty,
    };
    to(ty, apply(Plain::Quotient, to(wide, x.a)?, to(wide, x.b)?)?)
}

fn from_float(x: Num, ty: NumberType) -> Given {
    match x.exact() {
        Exact::Nan => Err(ExpectedException::Inexact),
        Exact::Finite(n, ..) if !ty.is_signed() && n < IBig::ZERO => Err(ExpectedException::Overflow),
        Exact::Infinite(true) if !ty.is_signed() => Err(ExpectedException::Overflow),
        Exact::Infinite(negative) => Ok(ratio(small(ty, if negative { -1 } else { 1 }), small(ty, 0))),
        Exact::Finite(..) => {
            let (n, d) = convergent(x, ty)?;
            let found = fraction(n, d)?;
            if apply(Plain::Equal, to_float(found, x.ty)?, x)?.bits == 1 {
                Ok(found)
            } else {
                Err(ExpectedException::Inexact)
            }
        }
    }
}

/// Returns the last convergent of a float's continued fraction whose parts have type `ty`. Its steps use the float's
/// own arithmetic.
fn convergent(x: Num, ty: NumberType) -> Result<(Num, Num), ExpectedException> {
    let one = small(x.ty, 1);
    let (mut divided, mut divisor) = (apply(Plain::One(PlainOne::Abs), x, boundary_values(x.ty)[0])?, one);
    let (mut last, mut before) =
        ((small(ty, if x.is_negative() { -1 } else { 1 }), small(ty, 0)), (small(ty, 0), small(ty, 1)));
    loop {
        let whole = apply(Plain::Div(RoundingDirection::ToZero), divided, divisor)?;
        let next = |last: Num, before: Num| -> Result<Num, ExpectedException> {
            checked(Plain::CheckedAdd, times(to(ty, whole)?, last)?, before)
        };
        let (Ok(n), Ok(d)) = (next(last.0, before.0), next(last.1, before.1)) else { return Ok(last) };
        (last, before) = ((n, d), last);
        let rest = apply(Plain::Rem(RoundingDirection::ToZero), divided, divisor)?;
        let goes_on = rest.float() > 0.0; // not with NaN
        if !goes_on {
            return Ok(last);
        }
        (divided, divisor) = (divisor, rest);
    }
}

/// Arithmetic with a float is that of floats.
fn with_float(op: CompoundOp, x: Number, y: Number) -> Option<Given> {
    let ty = promoted(x.a.ty, y.a.ty);
    let plain = match op {
        CompoundOp::Add => Plain::Add,
        CompoundOp::Sub => Plain::Sub,
        CompoundOp::Mul => Plain::Mul,
        _ => Plain::Quotient,
    };
    let float = |it: Number| if it.form == NumberForm::Rational { to_float(it, ty) } else { Ok(it.a) };
    Some(float(x).and_then(|a| apply(plain, a, float(y)?)).map(Number::plain))
}

fn rounded_to(x: Number, y: Number, mode: RoundingDirection) -> Option<Given> {
    if x.form != NumberForm::Rational
        || y.form != NumberForm::Plain
        || y.a.ty == NumberType::Bool
        || y.a.ty.is_float()
    {
        return None;
    }
    let rounded = apply(Plain::Div(mode), x.a, x.b);
    Some(rounded.and_then(|it| to(y.a.ty, it)).map(Number::plain))
}

fn of_one(one: CompoundFunction, x: Number) -> Option<Given> {
    let ty = x.a.ty;
    let question = |it: bool| Ok(Number::plain(boolean(it)));
    Some(match one {
        CompoundFunction::Negate if x.a.bits == 0 => Ok(x),
        CompoundFunction::Negate => negative(x),
        CompoundFunction::Abs if x.a.is_negative() => negative(x),
        CompoundFunction::Abs => Ok(x),
        CompoundFunction::Sign if x.a.bits == 0 => Ok(x),
        CompoundFunction::Sign => Ok(ratio(small(ty, if x.a.is_negative() { -1 } else { 1 }), small(ty, 1))),
        CompoundFunction::Inverse => with_sign_above(x.b, x.a),
        CompoundFunction::Float => to_float(x, NumberType::Float(64)).map(Number::plain),
        CompoundFunction::IsInteger => question(x.b.bits == 1),
        CompoundFunction::IsZero => question(x.a.bits == 0),
        CompoundFunction::IsOne => question(x.a.bits == 1 && x.b.bits == 1),
        // `copysign` negates also where it then takes the number as it is.
        CompoundFunction::Round(_) if x.b.bits == 0 && !has_sign(x) => Err(ExpectedException::Overflow),
        CompoundFunction::Round(_) if x.b.bits == 0 => Ok(x),
        CompoundFunction::Round(mode) => apply(Plain::Div(mode), x.a, x.b).map(|it| ratio(it, small(ty, 1))),
        _ => return None,
    })
}
