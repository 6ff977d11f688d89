//! Floats: arithmetic rounded once, remainders by exact division, quotients by Julia's formulas on those remainders.
#![expect(clippy::wildcard_enum_match_arm, reason = "the rest is not of floats")]

use super::model::{ModelOutcome, NumberOp, RoundingDirection, converted, promoted};
use super::model_int::divided;
use super::numbers::{Exact, Num, NumberType, float};
use dashu_int::IBig;

/// The float of type `ty` nearest to a number.
pub(super) fn nearest(ty: NumberType, x: Num) -> Num {
    match converted(x, ty) {
        ModelOutcome::Value(found) => found,
        ModelOutcome::Divide | ModelOutcome::Inexact | ModelOutcome::Overflow | ModelOutcome::Domain => x,
    }
}

/// Returns the outcome of an operation on two numbers, one of which is a float.
pub(super) fn expected(op: NumberOp, x: Num, y: Num) -> Option<ModelOutcome> {
    let ty = promoted(x.ty, y.ty);
    // Of two types Julia takes these remainders without promotion: `-y` of an unsigned number wraps.
    if x.ty != y.ty
        && matches!(
            op,
            NumberOp::Rem(RoundingDirection::Up | RoundingDirection::FromZero | RoundingDirection::Nearest)
        )
    {
        return None;
    }
    if let Some(found) = with_bool(op, x, y) {
        return Some(ModelOutcome::Value(found));
    }
    let (x, y) = (nearest(ty, x), nearest(ty, y));
    let found = match op {
        NumberOp::Add => arithmetic(ty, x, y, |a, b| a + b, |a, b| a + b),
        NumberOp::Sub => arithmetic(ty, x, y, |a, b| a - b, |a, b| a - b),
        NumberOp::Mul => arithmetic(ty, x, y, |a, b| a * b, |a, b| a * b),
        NumberOp::Quotient => arithmetic(ty, x, y, |a, b| a / b, |a, b| a / b),
        NumberOp::Rem(mode) => remainder(ty, x, y, mode)?,
        NumberOp::Div(mode) => quotient(ty, x, y, mode)?,
        _ => return None,
    };
    Some(ModelOutcome::Value(found))
}

/// `false` adds nothing, and times `false` is a zero of the other's sign.
fn with_bool(op: NumberOp, x: Num, y: Num) -> Option<Num> {
    let (flag, other) = match (x.ty, y.ty) {
        (NumberType::Bool, _) => (x.bits == 1, y),
        (_, NumberType::Bool) => (y.bits == 1, x),
        _ => return None,
    };
    match op {
        NumberOp::Add if !flag => Some(other),
        NumberOp::Mul if flag => Some(other),
        NumberOp::Mul => {
            Some(float(other.ty, 0.0_f64.copysign(if other.is_negative() { -1.0 } else { 1.0 })))
        }
        _ => None,
    }
}

/// In the format itself, or for `Float16` in `f64`, which has more than twice its digits.
fn arithmetic(ty: NumberType, x: Num, y: Num, wide: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32) -> Num {
    if ty.bits() == 32 {
        let found = narrow(f32::from_bits(x.bits as u32), f32::from_bits(y.bits as u32));
        return Num { ty, bits: u128::from(found.to_bits()) };
    }
    float(ty, wide(x.float(), y.float()))
}

fn remainder(ty: NumberType, x: Num, y: Num, mode: RoundingDirection) -> Option<Num> {
    let (a, b) = (x.float(), y.float());
    let found = match mode {
        RoundingDirection::ToZero => a % b,
        RoundingDirection::Down => return Some(modulo(ty, x, y)),
        RoundingDirection::Up => return Some(modulo(ty, x, float(ty, -b))),
        RoundingDirection::FromZero if x.is_negative() == y.is_negative() => {
            return Some(modulo(ty, x, float(ty, -b)));
        }
        RoundingDirection::FromZero => return Some(modulo(ty, x, y)),
        RoundingDirection::Nearest => nearest_remainder(x, y),
        RoundingDirection::TiesAway | RoundingDirection::TiesUp => return None,
    };
    Some(float(ty, found))
}

/// `mod`, with the sum rounded in the format.
fn modulo(ty: NumberType, x: Num, y: Num) -> Num {
    let (a, b) = (x.float(), y.float());
    let r = a % b;
    if r == 0.0 {
        float(ty, r.copysign(if y.is_negative() { -1.0 } else { 1.0 }))
    } else if (r > 0.0) != (b > 0.0) {
        arithmetic(ty, float(ty, r), y, |a, b| a + b, |a, b| a + b)
    } else {
        float(ty, r)
    }
}

fn nearest_remainder(x: Num, y: Num) -> f64 {
    let (Exact::Finite(n, d, _), Exact::Finite(m, e, _)) = (x.exact(), y.exact()) else {
        return x.float() % y.float();
    };
    if m == IBig::ZERO {
        return f64::NAN;
    }
    // Over the common denominator `d * e`.
    let (top, bottom) = (n * IBig::from(e.clone()), m * IBig::from(d.clone()));
    let rest = &top - &bottom * divided(&top, &bottom, RoundingDirection::Nearest);
    let zero = 0.0_f64.copysign(if x.is_negative() { -1.0 } else { 1.0 });
    let found = Exact::Finite(rest.clone(), d * e, false);
    let value = super::numbers::rounded(NumberType::Float(64), &found).float();
    if rest == IBig::ZERO { zero } else { value }
}

fn quotient(ty: NumberType, x: Num, y: Num, mode: RoundingDirection) -> Option<Num> {
    let (a, b) = (x.float(), y.float());
    match ty.bits() {
        64 => {
            let rest = remainder(ty, x, y, mode)?.float();
            Some(float(ty, ((a - rest) / b).round_ties_even()))
        }
        // Of the wider quotient.
        32 => Some(float(ty, rounded_by(a / b, mode))),
        _ => Some(float(ty, rounded_by(f64::from((a as f32) / (b as f32)), mode))),
    }
}

pub(super) fn rounded_by(x: f64, mode: RoundingDirection) -> f64 {
    let found = match mode {
        RoundingDirection::ToZero => x.trunc(),
        RoundingDirection::Down => x.floor(),
        RoundingDirection::Up => x.ceil(),
        RoundingDirection::FromZero => {
            if x < 0.0 {
                x.floor()
            } else {
                x.ceil()
            }
        }
        RoundingDirection::Nearest => x.round_ties_even(),
        RoundingDirection::TiesAway => x.round(),
        RoundingDirection::TiesUp => {
            if x - x.floor() >= 0.5 {
                x.floor() + 1.0
            } else {
                x.floor()
            }
        }
    };
    found.copysign(x)
}
