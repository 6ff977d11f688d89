//! Floats: arithmetic rounded once, remainders by exact division, quotients by Julia's formulas on those remainders.
#![expect(clippy::wildcard_enum_match_arm, reason = "the rest is not of floats")]

use super::model::{Mode, Op, Outcome, converted, promoted};
use super::model_int::divided;
use super::numbers::{Exact, Num, Ty, float};
use dashu_int::IBig;

/// The float of type `ty` nearest to a number.
pub(super) fn nearest(ty: Ty, x: Num) -> Num {
    match converted(x, ty) {
        Outcome::Value(found) => found,
        Outcome::Divide | Outcome::Inexact | Outcome::Overflow | Outcome::Domain => x,
    }
}

/// The outcome of an operation on two numbers of which one is a float.
pub(super) fn expected(op: Op, x: Num, y: Num) -> Option<Outcome> {
    let ty = promoted(x.ty, y.ty);
    // Of two types Julia takes these remainders without promotion: `-y` of an unsigned number wraps.
    if x.ty != y.ty && matches!(op, Op::Rem(Mode::Up | Mode::FromZero | Mode::Nearest)) {
        return None;
    }
    if let Some(found) = with_bool(op, x, y) {
        return Some(Outcome::Value(found));
    }
    let (x, y) = (nearest(ty, x), nearest(ty, y));
    let found = match op {
        Op::Add => arithmetic(ty, x, y, |a, b| a + b, |a, b| a + b),
        Op::Sub => arithmetic(ty, x, y, |a, b| a - b, |a, b| a - b),
        Op::Mul => arithmetic(ty, x, y, |a, b| a * b, |a, b| a * b),
        Op::Quotient => arithmetic(ty, x, y, |a, b| a / b, |a, b| a / b),
        Op::Rem(mode) => remainder(ty, x, y, mode)?,
        Op::Div(mode) => quotient(ty, x, y, mode)?,
        _ => return None,
    };
    Some(Outcome::Value(found))
}

/// `false` adds nothing, and times `false` is a zero of the other's sign.
fn with_bool(op: Op, x: Num, y: Num) -> Option<Num> {
    let (flag, other) = match (x.ty, y.ty) {
        (Ty::Bool, _) => (x.bits == 1, y),
        (_, Ty::Bool) => (y.bits == 1, x),
        _ => return None,
    };
    match op {
        Op::Add if !flag => Some(other),
        Op::Mul if flag => Some(other),
        Op::Mul => Some(float(other.ty, 0.0_f64.copysign(if other.is_negative() { -1.0 } else { 1.0 }))),
        _ => None,
    }
}

/// In the format itself, or for `Float16` in `f64`, which has more than twice its digits.
fn arithmetic(ty: Ty, x: Num, y: Num, wide: fn(f64, f64) -> f64, narrow: fn(f32, f32) -> f32) -> Num {
    if ty.bits() == 32 {
        let found = narrow(f32::from_bits(x.bits as u32), f32::from_bits(y.bits as u32));
        return Num { ty, bits: u128::from(found.to_bits()) };
    }
    float(ty, wide(x.float(), y.float()))
}

fn remainder(ty: Ty, x: Num, y: Num, mode: Mode) -> Option<Num> {
    let (a, b) = (x.float(), y.float());
    let found = match mode {
        Mode::ToZero => a % b,
        Mode::Down => return Some(modulo(ty, x, y)),
        Mode::Up => return Some(modulo(ty, x, float(ty, -b))),
        Mode::FromZero if x.is_negative() == y.is_negative() => return Some(modulo(ty, x, float(ty, -b))),
        Mode::FromZero => return Some(modulo(ty, x, y)),
        Mode::Nearest => nearest_remainder(x, y),
        Mode::TiesAway | Mode::TiesUp => return None,
    };
    Some(float(ty, found))
}

/// `mod`, whose sum is rounded in the format.
fn modulo(ty: Ty, x: Num, y: Num) -> Num {
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
    let rest = &top - &bottom * divided(&top, &bottom, Mode::Nearest);
    let zero = 0.0_f64.copysign(if x.is_negative() { -1.0 } else { 1.0 });
    let found = Exact::Finite(rest.clone(), d * e, false);
    let value = super::numbers::rounded(Ty::Float(64), &found).float();
    if rest == IBig::ZERO { zero } else { value }
}

fn quotient(ty: Ty, x: Num, y: Num, mode: Mode) -> Option<Num> {
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

pub(super) fn rounded_by(x: f64, mode: Mode) -> f64 {
    let found = match mode {
        Mode::ToZero => x.trunc(),
        Mode::Down => x.floor(),
        Mode::Up => x.ceil(),
        Mode::FromZero => {
            if x < 0.0 {
                x.floor()
            } else {
                x.ceil()
            }
        }
        Mode::Nearest => x.round_ties_even(),
        Mode::TiesAway => x.round(),
        Mode::TiesUp => {
            if x - x.floor() >= 0.5 {
                x.floor() + 1.0
            } else {
                x.floor()
            }
        }
    };
    found.copysign(x)
}
