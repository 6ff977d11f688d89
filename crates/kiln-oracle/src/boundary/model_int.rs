//! Integers: arithmetic that wraps, division in every rounding, bits and shifts.
#![expect(clippy::wildcard_enum_match_arm, reason = "the rest is not of integers")]

use super::model::{Mode, Op, Outcome, promoted};
use super::model_float;
use super::numbers::{Num, Ty, fitting, float, wrapped};
use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;

/// The outcome of an operation on integers or `Bool`s.
pub(super) fn expected(op: Op, x: Num, y: Num) -> Option<Outcome> {
    let (a, b) = (x.integer(), y.integer());
    let both_bool = x.ty == Ty::Bool && y.ty == Ty::Bool;
    let counted = if both_bool { Ty::Int(64) } else { promoted(x.ty, y.ty) };
    let ty = promoted(x.ty, y.ty);
    let value = match op {
        Op::Add => wrapped(counted, &(a + b)),
        Op::Sub => wrapped(counted, &(a - b)),
        Op::Mul => wrapped(ty, &(a * b)),
        Op::And => wrapped(ty, &(low(ty, &a) & low(ty, &b))),
        Op::Or => wrapped(ty, &(low(ty, &a) | low(ty, &b))),
        Op::Xor => wrapped(ty, &(low(ty, &a) ^ low(ty, &b))),
        Op::Quotient => {
            let wide = Ty::Float(64);
            let both = (model_float::nearest(wide, x), model_float::nearest(wide, y));
            float(wide, both.0.float() / both.1.float())
        }
        Op::Left => shifted(x, &b, true),
        Op::Right => shifted(x, &-b, true),
        Op::RightLogical => shifted(x, &-b, false),
        Op::Div(mode) => return division(x, y, mode, true),
        Op::Rem(mode) => return division(x, y, mode, false),
        _ => return None,
    };
    Some(Outcome::Value(value))
}

fn low(ty: Ty, value: &IBig) -> IBig {
    wrapped(ty, value).integer()
}

/// `x` shifted left by a number that may be negative; a `Bool` is shifted as an `Int`.
fn shifted(x: Num, by: &IBig, arithmetic: bool) -> Num {
    let ty = if x.ty == Ty::Bool { Ty::Int(64) } else { x.ty };
    let count = usize::try_from(by.clone().unsigned_abs()).unwrap_or(1000).min(1000);
    let value = if arithmetic || *by >= IBig::ZERO { x.integer() } else { IBig::from(x.bits) };
    wrapped(ty, &if *by >= IBig::ZERO { value << count } else { value >> count })
}

/// Arithmetic of integers of one type that throws where it would wrap.
pub(super) fn checked(op: Op, x: Num, y: Num) -> Option<Outcome> {
    if x.ty != y.ty || x.ty == Ty::Bool || x.ty.is_float() {
        return None;
    }
    let (a, b) = (x.integer(), y.integer());
    let exact = match op {
        Op::CheckedAdd => a + b,
        Op::CheckedSub => a - b,
        _ => a * b,
    };
    Some(fitting(x.ty, &exact).map_or(Outcome::Overflow, Outcome::Value))
}

/// The quotient rounded to a whole number; the divisor is not zero.
pub(super) fn divided(n: &IBig, d: &IBig, mode: Mode) -> IBig {
    let (n, d) = if *d < IBig::ZERO { (-n, -d) } else { (n.clone(), d.clone()) };
    // Toward minus infinity.
    let mut floor = &n / &d;
    if &floor * &d > n {
        floor -= IBig::ONE;
    }
    let rest = &n - &floor * &d;
    if rest == IBig::ZERO {
        return floor;
    }
    let twice: IBig = &rest * 2;
    let negative = n < IBig::ZERO;
    let up = match mode {
        Mode::Down => false,
        Mode::Up => true,
        Mode::ToZero => negative,
        Mode::FromZero => !negative,
        Mode::Nearest => twice > d || (twice == d && &floor % IBig::from(2) != IBig::ZERO),
        Mode::TiesAway => twice > d || (twice == d && !negative),
        Mode::TiesUp => twice >= d,
    };
    if up { floor + IBig::ONE } else { floor }
}

fn division(x: Num, y: Num, mode: Mode, quotient: bool) -> Option<Outcome> {
    let mixed = x.ty != y.ty && matches!((x.ty, y.ty), (Ty::Int(_), Ty::UInt(_)) | (Ty::UInt(_), Ty::Int(_)));
    let plain = matches!(mode, Mode::ToZero | Mode::Down | Mode::Up);
    // Of remainders, those of `rem` and `mod`; of a signed and an unsigned number, the three plain roundings.
    if (mixed && !plain) || (!quotient && !matches!(mode, Mode::ToZero | Mode::Down)) {
        return None;
    }
    let both_bool = x.ty == Ty::Bool && y.ty == Ty::Bool;
    if both_bool && mode != Mode::ToZero && !(mode == Mode::Down) {
        return None;
    }
    let (a, b) = (x.integer(), y.integer());
    if b == IBig::ZERO {
        return Some(Outcome::Divide);
    }
    let ty = promoted(x.ty, y.ty);
    let ty = match (x.ty, y.ty) {
        (Ty::Int(_), Ty::UInt(_)) if quotient || mode == Mode::ToZero => Ty::Int(ty.bits()),
        (Ty::UInt(_), Ty::Int(_)) if quotient || mode == Mode::ToZero => Ty::UInt(ty.bits()),
        (Ty::Int(_), Ty::UInt(_)) => Ty::UInt(ty.bits()),
        (Ty::UInt(_), Ty::Int(_)) => Ty::Int(ty.bits()),
        _ => ty,
    };
    let found = divided(&a, &b, mode);
    let signed = matches!(ty, Ty::Int(_)) && !mixed;
    if quotient && signed && wrapped(ty, &found).integer() != found {
        return Some(Outcome::Divide);
    }
    let value = if quotient { found } else { a - b * found };
    Some(Outcome::Value(wrapped(ty, &value)))
}
