//! Integers: arithmetic that wraps, division in every rounding, bits and shifts.
#![expect(clippy::wildcard_enum_match_arm, reason = "the rest is not of integers")]

use super::model::{ModelOutcome, NumberOp, RoundingDirection, promoted};
use super::model_float;
use super::numbers::{Num, NumberType, fitting, float, wrapped};
use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;

/// The outcome of an operation on integers or `Bool`s.
pub(super) fn expected(op: NumberOp, x: Num, y: Num) -> Option<ModelOutcome> {
    let (a, b) = (x.integer(), y.integer());
    let both_bool = x.ty == NumberType::Bool && y.ty == NumberType::Bool;
    let counted = if both_bool { NumberType::Int(64) } else { promoted(x.ty, y.ty) };
    let ty = promoted(x.ty, y.ty);
    let value = match op {
        NumberOp::Add => wrapped(counted, &(a + b)),
        NumberOp::Sub => wrapped(counted, &(a - b)),
        NumberOp::Mul => wrapped(ty, &(a * b)),
        NumberOp::And => wrapped(ty, &(low(ty, &a) & low(ty, &b))),
        NumberOp::Or => wrapped(ty, &(low(ty, &a) | low(ty, &b))),
        NumberOp::Xor => wrapped(ty, &(low(ty, &a) ^ low(ty, &b))),
        NumberOp::Quotient => {
            let wide = NumberType::Float(64);
            let both = (model_float::nearest(wide, x), model_float::nearest(wide, y));
            float(wide, both.0.float() / both.1.float())
        }
        NumberOp::Left => shifted(x, &b, true),
        NumberOp::Right => shifted(x, &-b, true),
        NumberOp::RightLogical => shifted(x, &-b, false),
        NumberOp::Div(mode) => return division(x, y, mode, true),
        NumberOp::Rem(mode) => return division(x, y, mode, false),
        _ => return None,
    };
    Some(ModelOutcome::Value(value))
}

fn low(ty: NumberType, value: &IBig) -> IBig {
    wrapped(ty, value).integer()
}

/// `x` shifted left by a number that may be negative; a `Bool` is shifted as an `Int`.
fn shifted(x: Num, by: &IBig, arithmetic: bool) -> Num {
    let ty = if x.ty == NumberType::Bool { NumberType::Int(64) } else { x.ty };
    let count = usize::try_from(by.clone().unsigned_abs()).unwrap_or(1000).min(1000);
    let value = if arithmetic || *by >= IBig::ZERO { x.integer() } else { IBig::from(x.bits) };
    wrapped(ty, &if *by >= IBig::ZERO { value << count } else { value >> count })
}

/// Arithmetic of integers of one type that throws where it would wrap.
pub(super) fn checked(op: NumberOp, x: Num, y: Num) -> Option<ModelOutcome> {
    if x.ty != y.ty || x.ty == NumberType::Bool || x.ty.is_float() {
        return None;
    }
    let (a, b) = (x.integer(), y.integer());
    let exact = match op {
        NumberOp::CheckedAdd => a + b,
        NumberOp::CheckedSub => a - b,
        _ => a * b,
    };
    Some(fitting(x.ty, &exact).map_or(ModelOutcome::Overflow, ModelOutcome::Value))
}

/// The quotient rounded to a whole number; the divisor is not zero.
pub(super) fn divided(n: &IBig, d: &IBig, mode: RoundingDirection) -> IBig {
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
        RoundingDirection::Down => false,
        RoundingDirection::Up => true,
        RoundingDirection::ToZero => negative,
        RoundingDirection::FromZero => !negative,
        RoundingDirection::Nearest => twice > d || (twice == d && &floor % IBig::from(2) != IBig::ZERO),
        RoundingDirection::TiesAway => twice > d || (twice == d && !negative),
        RoundingDirection::TiesUp => twice >= d,
    };
    if up { floor + IBig::ONE } else { floor }
}

fn division(x: Num, y: Num, mode: RoundingDirection, quotient: bool) -> Option<ModelOutcome> {
    let mixed = x.ty != y.ty
        && matches!(
            (x.ty, y.ty),
            (NumberType::Int(_), NumberType::UInt(_)) | (NumberType::UInt(_), NumberType::Int(_))
        );
    let plain = matches!(mode, RoundingDirection::ToZero | RoundingDirection::Down | RoundingDirection::Up);
    // Of remainders, those of `rem` and `mod`; of a signed and an unsigned number, the three plain roundings.
    if (mixed && !plain)
        || (!quotient && !matches!(mode, RoundingDirection::ToZero | RoundingDirection::Down))
    {
        return None;
    }
    let both_bool = x.ty == NumberType::Bool && y.ty == NumberType::Bool;
    if both_bool && mode != RoundingDirection::ToZero && !(mode == RoundingDirection::Down) {
        return None;
    }
    let (a, b) = (x.integer(), y.integer());
    if b == IBig::ZERO {
        return Some(ModelOutcome::Divide);
    }
    let ty = promoted(x.ty, y.ty);
    let ty = match (x.ty, y.ty) {
        (NumberType::Int(_), NumberType::UInt(_)) if quotient || mode == RoundingDirection::ToZero => {
            NumberType::Int(ty.bits())
        }
        (NumberType::UInt(_), NumberType::Int(_)) if quotient || mode == RoundingDirection::ToZero => {
            NumberType::UInt(ty.bits())
        }
        (NumberType::Int(_), NumberType::UInt(_)) => NumberType::UInt(ty.bits()),
        (NumberType::UInt(_), NumberType::Int(_)) => NumberType::Int(ty.bits()),
        _ => ty,
    };
    let found = divided(&a, &b, mode);
    let signed = matches!(ty, NumberType::Int(_)) && !mixed;
    if quotient && signed && wrapped(ty, &found).integer() != found {
        return Some(ModelOutcome::Divide);
    }
    let value = if quotient { found } else { a - b * found };
    Some(ModelOutcome::Value(wrapped(ty, &value)))
}
