//! Complex numbers: arithmetic by parts.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is of other numbers is not asked")]

use super::compound::{
    CompoundFunction, CompoundOp, ExpectedException, Given, Number, NumberForm, apply, part, small, to,
};
use super::model::{NumberOp as Plain, boolean, promoted};
use super::model_one::NumberFunction as PlainOne;
use super::numbers::{Exact, Num, NumberType, boundary_values, fitting, float, rounded};
use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};

/// The types of parts that the matrix takes.
pub(super) const PARTS: [NumberType; 7] = [
    NumberType::Bool,
    NumberType::Int(8),
    NumberType::UInt(16),
    NumberType::Int(64),
    NumberType::Float(16),
    NumberType::Float(32),
    NumberType::Float(64),
];

/// The values of `Complex{ty}` that the matrix takes.
pub(super) fn values(ty: NumberType) -> Vec<Number> {
    let infinity = f64::INFINITY;
    let parts: Vec<Num> = match ty {
        NumberType::Bool => boundary_values(ty),
        NumberType::Float(_) => {
            let tiny = Num { ty, bits: 1 };
            let greatest = Num { bits: float(ty, infinity).bits - 1, ..tiny };
            let plain = [0.0, -0.0, 1.0, -1.5, infinity, f64::NAN].map(|it| float(ty, it));
            plain.into_iter().chain([greatest, tiny]).collect()
        }
        NumberType::Int(_) | NumberType::UInt(_) => {
            let all = u128::MAX >> (128 - ty.bits());
            let top = 1 << (ty.bits() - 1);
            [0, 1, 3, all, top, top - 1].map(|bits| Num { ty, bits }).into()
        }
    };
    // Each part with itself, with the next and with one further on: each meets values of all kinds.
    let count = parts.len();
    let pair = |i: usize, step: usize| complex(parts[i], parts[(i + step) % count]);
    let mut found: Vec<Number> = (0..count).flat_map(|i| [0, 1, 3].map(|step| pair(i, step))).collect();
    let mut seen: Vec<Number> = Vec::new();
    found.retain(|it| {
        let is_new = !seen.iter().any(|other| other.same(*it));
        seen.push(*it);
        is_new
    });
    found
}

fn complex(a: Num, b: Num) -> Number {
    Number { form: NumberForm::Complex, a, b }
}

/// `Complex(a, b)`, which promotes.
fn of_parts(a: Num, b: Num) -> Given {
    let ty = promoted(a.ty, b.ty);
    Ok(complex(to(ty, a)?, to(ty, b)?))
}

fn minus(x: Num) -> Result<Num, ExpectedException> {
    if x.ty == NumberType::Bool {
        return Ok(small(NumberType::Int(64), -(x.bits as i8)));
    }
    part(PlainOne::Negate.outcome(x))
}

/// The outcome of an operation on two numbers, one of them complex.
pub(super) fn expected(op: CompoundOp, x: Number, y: Number) -> Option<Given> {
    Some(match op {
        CompoundOp::One(one) => {
            let asked = x.form == NumberForm::Complex && y.form == x.form && y.a.ty == x.a.ty;
            return asked.then(|| of_one(one, x)).flatten();
        }
        CompoundOp::Add => sum(x, y),
        CompoundOp::Sub => difference(x, y),
        CompoundOp::Mul => product(x, y),
        CompoundOp::Quotient => return quotient(x, y),
        CompoundOp::Equal | CompoundOp::IsEqual => equality(op, x, y),
        CompoundOp::Convert => converted(x, y),
        _ => return None,
    })
}

fn sum(x: Number, y: Number) -> Given {
    match (x.form, y.form) {
        (NumberForm::Plain, _) => of_parts(apply(Plain::Add, x.a, y.a)?, y.b),
        (_, NumberForm::Plain) => of_parts(apply(Plain::Add, x.a, y.a)?, x.b),
        _ => of_parts(apply(Plain::Add, x.a, y.a)?, apply(Plain::Add, x.b, y.b)?),
    }
}

fn difference(x: Number, y: Number) -> Given {
    let re = apply(Plain::Sub, x.a, y.a)?;
    match (x.form, y.form) {
        (NumberForm::Plain, _) if x.a.ty == NumberType::Bool => of_parts(re, minus(y.b)?),
        (NumberForm::Plain, _) => of_parts(re, minus(to(re.ty, y.b)?)?),
        (_, NumberForm::Plain) => of_parts(re, x.b),
        _ => of_parts(re, apply(Plain::Sub, x.b, y.b)?),
    }
}

fn product(x: Number, y: Number) -> Given {
    let times = |a, b| apply(Plain::Mul, a, b);
    match (x.form, y.form) {
        (NumberForm::Plain, _) => of_parts(times(x.a, y.a)?, times(x.a, y.b)?),
        (_, NumberForm::Plain) => of_parts(times(x.a, y.a)?, times(x.b, y.a)?),
        _ => {
            let re = apply(Plain::Sub, times(x.a, y.a)?, times(x.b, y.b)?)?;
            of_parts(re, apply(Plain::Add, times(x.a, y.b)?, times(x.b, y.a)?)?)
        }
    }
}

/// By a real number, each part. By a complex one of the narrow floats, the quotient by way of `Float64`.
fn quotient(x: Number, y: Number) -> Option<Given> {
    if y.form == NumberForm::Plain {
        let over = |it| apply(Plain::Quotient, it, y.a);
        return Some(over(x.a).and_then(|a| of_parts(a, over(x.b)?)));
    }
    let narrow = x.form == NumberForm::Complex && x.a.ty == y.a.ty && x.a.ty.is_float() && x.a.ty.bits() < 64;
    narrow.then(|| Ok(narrow_quotient(x, y)))
}

fn narrow_quotient(x: Number, y: Number) -> Number {
    let ty = x.a.ty;
    let (a, b, c, d) = (x.a.float(), x.b.float(), y.a.float(), y.b.float());
    if c.is_infinite() || d.is_infinite() {
        if !a.is_finite() || !b.is_finite() {
            return complex(float(ty, f64::NAN), float(ty, f64::NAN));
        }
        let sign = |it: f64| if it == 0.0 || it.is_nan() { it } else { 1.0_f64.copysign(it) };
        return complex(float(ty, 0.0 * sign(a) * sign(c)), float(ty, -0.0 * sign(b) * sign(d)));
    }
    let below = c * c + d * d;
    let exact_below = products([y.a, y.a], [y.b, y.b], false);
    // Infinities, NaN and signs of zeros are those of the formula in `f64`.
    let part = |above: Option<Ratio>, plain: f64| match (above, &exact_below) {
        (Some((n, d)), Some((m, e))) if n != IBig::ZERO && *m != IBig::ZERO => {
            let quotient = Exact::Finite(n * IBig::from(e.clone()), d * m.clone().unsigned_abs(), false);
            rounded(ty, &rounded(NumberType::Float(64), &quotient).exact())
        }
        _ => float(ty, plain / below),
    };
    complex(
        part(products([x.a, y.a], [x.b, y.b], false), a * c + b * d),
        part(products([x.b, y.a], [x.a, y.b], true), b * c - a * d),
    )
}

/// A numerator and a denominator.
type Ratio = (IBig, UBig);

/// The sum or difference of two products of finite numbers.
fn products(first: [Num; 2], second: [Num; 2], subtracts: bool) -> Option<Ratio> {
    let product = |factors: [Num; 2]| match factors.map(Num::exact) {
        [Exact::Finite(n, d, _), Exact::Finite(m, e, _)] => Some((n * m, d * e)),
        _ => None,
    };
    let ((n, d), (m, e)) = (product(first)?, product(second)?);
    let m = if subtracts { -m } else { m };
    Some((n * IBig::from(e.clone()) + m * IBig::from(d.clone()), d * e))
}

fn is_real(x: Number) -> bool {
    x.form == NumberForm::Plain || matches!(x.b.exact(), Exact::Finite(n, ..) if n == IBig::ZERO)
}

fn equality(op: CompoundOp, x: Number, y: Number) -> Given {
    let plain = if op == CompoundOp::Equal { Plain::Equal } else { Plain::IsEqual };
    let same = |a, b| Ok(apply(plain, a, b)?.bits == 1);
    let found = match (x.form, y.form) {
        (NumberForm::Complex, NumberForm::Complex) => same(x.a, y.a)? & same(x.b, y.b)?,
        _ if op == CompoundOp::Equal => is_real(x) && is_real(y) && same(x.a, y.a)?,
        (NumberForm::Complex, _) => same(x.a, y.a)? & same(x.b, small(y.a.ty, 0))?,
        _ => same(x.a, y.a)? & same(small(x.a.ty, 0), y.b)?,
    };
    Ok(Number::plain(boolean(found)))
}

fn converted(x: Number, y: Number) -> Given {
    let ty = y.a.ty;
    match (x.form, y.form) {
        (NumberForm::Complex, NumberForm::Complex) => Ok(complex(to(ty, x.a)?, to(ty, x.b)?)),
        (NumberForm::Complex, _) if !is_real(x) => Err(ExpectedException::Inexact),
        (NumberForm::Complex, _) => to(ty, x.a).map(Number::plain),
        _ => Ok(complex(to(ty, x.a)?, small(ty, 0))),
    }
}

fn of_one(one: CompoundFunction, x: Number) -> Option<Given> {
    let question = |it: bool| Ok(Number::plain(boolean(it)));
    let is = |it: Num, value: i8| apply(Plain::Equal, it, small(it.ty, value)).is_ok_and(|it| it.bits == 1);
    Some(match one {
        CompoundFunction::Negate => minus(x.a).and_then(|a| of_parts(a, minus(x.b)?)),
        CompoundFunction::Conjugate => minus(x.b).and_then(|b| of_parts(x.a, b)),
        CompoundFunction::SquaredAbs => {
            let square = |it| apply(Plain::Mul, it, it);
            square(x.a).and_then(|a| apply(Plain::Add, a, square(x.b)?)).map(Number::plain)
        }
        CompoundFunction::Float => {
            let ty = if x.a.ty.is_float() { x.a.ty } else { NumberType::Float(64) };
            to(ty, x.a).and_then(|a| Ok(complex(a, to(ty, x.b)?)))
        }
        CompoundFunction::IsInteger => question(is_real(x) && is_whole(x.a)),
        CompoundFunction::IsZero => question(is(x.a, 0) && is(x.b, 0)),
        CompoundFunction::IsOne => question(is(x.a, 1) && is(x.b, 0)),
        _ => return None,
    })
}

fn is_whole(x: Num) -> bool {
    match x.exact() {
        Exact::Finite(n, d, _) => {
            fitting(NumberType::Int(8), &(n % IBig::from(d))).is_some_and(|it| it.bits == 0)
        }
        Exact::Nan | Exact::Infinite(_) => false,
    }
}
