//! Rational numbers: exact arithmetic that throws where a step of it leaves the type of the parts.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is of other numbers is not asked")]

use super::compound::{Form, Given, Number, One, Op, Thrown, apply, small, to};
use super::model::{Mode, Op as Plain, boolean, order, promoted};
use super::model_one::One as PlainOne;
use super::numbers::{Exact, Num, Ty, boundary_values, fitting};
use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

/// The types of parts that the matrix takes.
pub(super) const PARTS: [Ty; 6] =
    [Ty::Int(8), Ty::UInt(8), Ty::Int(32), Ty::Int(64), Ty::UInt(64), Ty::Int(128)];

/// The values of `Rational{ty}` that the matrix takes, the infinities among them.
pub(super) fn values(ty: Ty) -> Vec<Number> {
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
    Number { form: Form::Rational, a, b }
}

/// The outcome of an operation on two numbers, none of them complex and one of them rational.
pub(super) fn expected(op: Op, x: Number, y: Number) -> Option<Given> {
    let floats = x.a.ty.is_float() || y.a.ty.is_float();
    match op {
        Op::One(one) => (x.form == Form::Rational && y.form == x.form && y.a.ty == x.a.ty)
            .then(|| of_one(one, x))
            .flatten(),
        Op::Equal | Op::IsEqual | Op::Less | Op::LessOrEqual | Op::IsLess => compared(op, x, y),
        Op::Convert => Some(converted(x, y)),
        Op::RoundTo(mode) => rounded_to(x, y, mode),
        Op::Div(mode) if !floats && (is_plain(mode) || has_sign(x) == has_sign(y)) => {
            Some(division(x, y, mode))
        }
        Op::Add | Op::Sub | Op::Mul | Op::Quotient if floats => with_float(op, x, y),
        Op::Add | Op::Sub | Op::Rem | Op::Mod if !floats => Some(sum(op, x, y)),
        Op::Mul if !floats => Some(product(x, y)),
        Op::Ratio | Op::Quotient if !floats => Some(over(x, y)),
        _ => None,
    }
}

fn promote(x: Num, y: Num) -> Result<(Num, Num), Thrown> {
    let ty = promoted(x.ty, y.ty);
    Ok((to(ty, x)?, to(ty, y)?))
}

fn checked(op: Plain, x: Num, y: Num) -> Result<Num, Thrown> {
    let (x, y) = promote(x, y)?;
    if x.ty == Ty::Bool { apply(Plain::And, x, y) } else { apply(op, x, y) }
}

fn times(x: Num, y: Num) -> Result<Num, Thrown> {
    checked(Plain::CheckedMul, x, y)
}

/// Both numbers over their greatest common divisor, each in its type.
fn reduced(x: Num, y: Num) -> Result<(Num, Num), Thrown> {
    let (a, b) = (x.integer(), y.integer());
    let (m, n) = (a.clone().unsigned_abs(), b.clone().unsigned_abs());
    if m == UBig::ZERO && n == UBig::ZERO {
        return Err(Thrown::Divide);
    }
    let divisor = IBig::from(m.gcd(n));
    let fit = |it, ty| fitting(ty, &it).ok_or(Thrown::Inexact);
    Ok((fit(a / &divisor, x.ty)?, fit(b / &divisor, y.ty)?))
}

fn promoted_reduced(x: Num, y: Num) -> Result<(Num, Num), Thrown> {
    let (x, y) = promote(x, y)?;
    reduced(x, y)
}

fn negated(x: Num) -> Result<Num, Thrown> {
    fitting(x.ty, &-x.integer()).ok_or(Thrown::Overflow)
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
        return Err(Thrown::Argument);
    }
    let (num, den) = reduced(num, den)?;
    with_sign_above(num, den)
}

fn unchecked(num: Num, den: Num) -> Given {
    let (num, den) = promote(num, den)?;
    Ok(ratio(num, den))
}

/// `+`, `-`, `rem` and `mod`: of the numerators over a common denominator.
fn sum(op: Op, x: Number, y: Number) -> Given {
    let step = |a: Num, b: Num| match op {
        Op::Add => checked(Plain::CheckedAdd, a, b),
        Op::Sub => checked(Plain::CheckedSub, a, b),
        Op::Rem => apply(Plain::Rem(Mode::ToZero), a, b),
        _ => apply(Plain::Rem(Mode::Down), a, b),
    };
    match (x.form, y.form) {
        (Form::Rational, Form::Plain) => unchecked(step(x.a, times(x.b, y.a)?)?, x.b),
        (Form::Plain, Form::Rational) => {
            let found = step(times(y.b, x.a)?, y.a)?;
            if matches!(op, Op::Add | Op::Sub) { unchecked(found, y.b) } else { fraction(found, y.b) }
        }
        _ => {
            if matches!(op, Op::Add | Op::Sub)
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
fn sum_of_infinities(op: Op, x: Number, y: Number) -> Result<Option<Number>, Thrown> {
    let (a, b) = (promote(x.a, y.a)?.0, promote(x.b, y.b)?.0);
    if x.b.bits != 0 {
        return Ok(None);
    }
    let above = if op == Op::Sub { negative(y)?.a } else { y.a };
    Ok((y.b.bits == 0 && above.integer() == x.a.integer()).then(|| ratio(a, b)))
}

fn negative(x: Number) -> Given {
    Ok(ratio(negated(x.a)?, x.b))
}

fn product(x: Number, y: Number) -> Given {
    match (x.form, y.form) {
        (Form::Rational, Form::Plain) => {
            let (xd, yn) = promoted_reduced(x.b, y.a)?;
            unchecked(times(x.a, yn)?, xd)
        }
        (Form::Plain, Form::Rational) => {
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
        (Form::Rational, Form::Plain) => with_sign_above(xn, times(x.b, yn)?),
        (Form::Plain, Form::Rational) => with_sign_above(times(xn, y.b)?, yn),
        _ => {
            let (xd, yd) = promoted_reduced(x.b, y.b)?;
            let num = times(xn, yd)?;
            with_sign_above(num, times(xd, yn)?)
        }
    }
}

/// Integers of which one type has a sign and the other has none are only divided in these roundings.
fn is_plain(mode: Mode) -> bool {
    matches!(mode, Mode::ToZero | Mode::Down | Mode::Up)
}

fn has_sign(x: Number) -> bool {
    x.a.ty.is_signed()
}

fn division(x: Number, y: Number, mode: Mode) -> Given {
    let (xn, yn) = reduced(x.a, y.a)?;
    let (n, d) = match (x.form, y.form) {
        (Form::Rational, Form::Plain) => (xn, times(x.b, yn)?),
        (Form::Plain, Form::Rational) => (times(xn, y.b)?, yn),
        _ => {
            let (xd, yd) = reduced(x.b, y.b)?;
            (times(xn, yd)?, times(xd, yn)?)
        }
    };
    apply(Plain::Div(mode), n, d).map(Number::plain)
}

fn exact(x: Number) -> Exact {
    if x.form == Form::Plain {
        return x.a.exact();
    }
    match UBig::try_from(x.b.integer()) {
        Ok(d) if d != UBig::ZERO => Exact::Finite(x.a.integer(), d, false),
        _ => Exact::Infinite(x.a.is_negative()),
    }
}

fn compared(op: Op, x: Number, y: Number) -> Option<Given> {
    // Julia compares products that wrap where one type has a sign and the other has none.
    let mixed = !x.a.ty.is_float() && !y.a.ty.is_float() && has_sign(x) != has_sign(y);
    if mixed && (x.a.is_negative() || y.a.is_negative()) && !matches!(op, Op::Equal | Op::IsEqual) {
        return None;
    }
    let (a, b) = (exact(x), exact(y));
    let (nan_a, nan_b) = (a == Exact::Nan, b == Exact::Nan);
    let found = if nan_a || nan_b {
        match op {
            Op::IsEqual => nan_a && nan_b,
            Op::IsLess => !nan_a,
            _ => false,
        }
    } else {
        let order = order(&a, &b);
        let floats = x.a.ty.is_float() || y.a.ty.is_float();
        let (minus_a, minus_b) = (floats && x.a.is_negative(), floats && y.a.is_negative());
        match op {
            Op::Equal => order == Ordering::Equal,
            Op::Less => order == Ordering::Less,
            Op::LessOrEqual => order != Ordering::Greater,
            Op::IsEqual => order == Ordering::Equal && minus_a == minus_b,
            _ => order == Ordering::Less || (order == Ordering::Equal && minus_a && !minus_b),
        }
    };
    Some(Ok(Number::plain(boolean(found))))
}

fn converted(x: Number, y: Number) -> Given {
    let ty = y.a.ty;
    match (x.form, y.form) {
        (Form::Rational, Form::Rational) => Ok(ratio(to(ty, x.a)?, to(ty, x.b)?)),
        (Form::Rational, _) if ty.is_float() => to_float(x, ty).map(Number::plain),
        (Form::Rational, _) if x.b.bits != 1 => Err(Thrown::Inexact),
        (Form::Rational, _) => to(ty, x.a).map(Number::plain),
        _ if x.a.ty.is_float() => from_float(x.a, ty),
        _ => Ok(ratio(to(ty, x.a)?, small(ty, 1))),
    }
}

/// The quotient of the parts, in the type itself or, for narrow ones, in one that holds the parts.
fn to_float(x: Number, ty: Ty) -> Result<Num, Thrown> {
    let wide = match (ty.bits(), x.a.ty.bits()) {
        (16 | 32, 128) => Ty::Float(64),
        (16, 16..=64) => Ty::Float(32),
        _ => ty,
    };
    to(ty, apply(Plain::Quotient, to(wide, x.a)?, to(wide, x.b)?)?)
}

fn from_float(x: Num, ty: Ty) -> Given {
    match x.exact() {
        Exact::Nan => Err(Thrown::Inexact),
        Exact::Finite(n, ..) if !ty.is_signed() && n < IBig::ZERO => Err(Thrown::Overflow),
        Exact::Infinite(true) if !ty.is_signed() => Err(Thrown::Overflow),
        Exact::Infinite(negative) => Ok(ratio(small(ty, if negative { -1 } else { 1 }), small(ty, 0))),
        Exact::Finite(..) => {
            let (n, d) = convergent(x, ty)?;
            let found = fraction(n, d)?;
            if apply(Plain::Equal, to_float(found, x.ty)?, x)?.bits == 1 {
                Ok(found)
            } else {
                Err(Thrown::Inexact)
            }
        }
    }
}

/// The last convergent of a float's continued fraction whose parts have type `ty`. Its steps are those of the float's own
/// arithmetic.
fn convergent(x: Num, ty: Ty) -> Result<(Num, Num), Thrown> {
    let one = small(x.ty, 1);
    let (mut divided, mut divisor) = (apply(Plain::One(PlainOne::Abs), x, boundary_values(x.ty)[0])?, one);
    let (mut last, mut before) =
        ((small(ty, if x.is_negative() { -1 } else { 1 }), small(ty, 0)), (small(ty, 0), small(ty, 1)));
    loop {
        let whole = apply(Plain::Div(Mode::ToZero), divided, divisor)?;
        let next = |last: Num, before: Num| -> Result<Num, Thrown> {
            checked(Plain::CheckedAdd, times(to(ty, whole)?, last)?, before)
        };
        let (Ok(n), Ok(d)) = (next(last.0, before.0), next(last.1, before.1)) else { return Ok(last) };
        (last, before) = ((n, d), last);
        let rest = apply(Plain::Rem(Mode::ToZero), divided, divisor)?;
        let goes_on = rest.float() > 0.0; // not with NaN
        if !goes_on {
            return Ok(last);
        }
        (divided, divisor) = (divisor, rest);
    }
}

/// Arithmetic with a float is that of floats.
fn with_float(op: Op, x: Number, y: Number) -> Option<Given> {
    let ty = promoted(x.a.ty, y.a.ty);
    let plain = match op {
        Op::Add => Plain::Add,
        Op::Sub => Plain::Sub,
        Op::Mul => Plain::Mul,
        _ => Plain::Quotient,
    };
    let float = |it: Number| if it.form == Form::Rational { to_float(it, ty) } else { Ok(it.a) };
    Some(float(x).and_then(|a| apply(plain, a, float(y)?)).map(Number::plain))
}

fn rounded_to(x: Number, y: Number, mode: Mode) -> Option<Given> {
    if x.form != Form::Rational || y.form != Form::Plain || y.a.ty == Ty::Bool || y.a.ty.is_float() {
        return None;
    }
    let rounded = apply(Plain::Div(mode), x.a, x.b);
    Some(rounded.and_then(|it| to(y.a.ty, it)).map(Number::plain))
}

fn of_one(one: One, x: Number) -> Option<Given> {
    let ty = x.a.ty;
    let question = |it: bool| Ok(Number::plain(boolean(it)));
    Some(match one {
        One::Negate if x.a.bits == 0 => Ok(x),
        One::Negate => negative(x),
        One::Abs if x.a.is_negative() => negative(x),
        One::Abs => Ok(x),
        One::Sign if x.a.bits == 0 => Ok(x),
        One::Sign => Ok(ratio(small(ty, if x.a.is_negative() { -1 } else { 1 }), small(ty, 1))),
        One::Inverse => with_sign_above(x.b, x.a),
        One::Float => to_float(x, Ty::Float(64)).map(Number::plain),
        One::IsInteger => question(x.b.bits == 1),
        One::IsZero => question(x.a.bits == 0),
        One::IsOne => question(x.a.bits == 1 && x.b.bits == 1),
        // `copysign` negates also where it then takes the number as it is.
        One::Round(_) if x.b.bits == 0 && !has_sign(x) => Err(Thrown::Overflow),
        One::Round(_) if x.b.bits == 0 => Ok(x),
        One::Round(mode) => apply(Plain::Div(mode), x.a, x.b).map(|it| ratio(it, small(ty, 1))),
        _ => return None,
    })
}
