//! Results that each operation of the matrix has to give.
#![expect(clippy::wildcard_enum_match_arm, reason = "operations of another kind are another function")]

use super::model_one::{self, One};
use super::numbers::{Exact, Num, TYPES, Ty, boundary_values, fitting, rounded, wrapped};
use super::{model_float, model_int};
use dashu_int::IBig;
use std::cmp::Ordering;

/// A rounding mode of Julia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `RoundToZero`.
    ToZero,
    /// `RoundDown`.
    Down,
    /// `RoundUp`.
    Up,
    /// `RoundFromZero`.
    FromZero,
    /// `RoundNearest`.
    Nearest,
    /// `RoundNearestTiesAway`.
    TiesAway,
    /// `RoundNearestTiesUp`.
    TiesUp,
}

/// All rounding modes, with their names.
pub const MODES: [(Mode, &str); 7] = [
    (Mode::ToZero, "RoundToZero"),
    (Mode::Down, "RoundDown"),
    (Mode::Up, "RoundUp"),
    (Mode::FromZero, "RoundFromZero"),
    (Mode::Nearest, "RoundNearest"),
    (Mode::TiesAway, "RoundNearestTiesAway"),
    (Mode::TiesUp, "RoundNearestTiesUp"),
];

/// The outcome of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// A number.
    Value(Num),
    /// A `DivideError`.
    Divide,
    /// An `InexactError`.
    Inexact,
    /// An `OverflowError`.
    Overflow,
    /// A `DomainError`.
    Domain,
}

impl Outcome {
    /// Whether both are the same value or exception.
    pub fn same(self, other: Self) -> bool {
        match (self, other) {
            (Outcome::Value(a), Outcome::Value(b)) => a.same(b),
            (Outcome::Divide, Outcome::Divide)
            | (Outcome::Inexact, Outcome::Inexact)
            | (Outcome::Overflow, Outcome::Overflow)
            | (Outcome::Domain, Outcome::Domain) => true,
            (
                Outcome::Value(_) | Outcome::Divide | Outcome::Inexact | Outcome::Overflow | Outcome::Domain,
                _,
            ) => false,
        }
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Quotient,
    /// `div` with a rounding mode.
    Div(Mode),
    /// `rem` with a rounding mode.
    Rem(Mode),
    /// `&`
    And,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `<<`
    Left,
    /// `>>`
    Right,
    /// `>>>`
    RightLogical,
    /// `==`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `isequal`
    IsEqual,
    /// `isless`
    IsLess,
    /// `min`
    Min,
    /// `max`
    Max,
    /// The first number converted to the type of the second.
    Convert,
    /// The low bits of the first as the type of the second.
    Wrap,
    /// The first rounded to the type of the second.
    Round(Mode),
    /// `cmp`
    Compare,
    /// `copysign`
    CopySign,
    /// `flipsign`
    FlipSign,
    /// `checked_add`, of integers of one type.
    CheckedAdd,
    /// `checked_sub`
    CheckedSub,
    /// `checked_mul`
    CheckedMul,
    /// A function of the first number alone.
    One(One),
}

/// The outcome of `op` on `x` and `y`; `None` where the matrix does not ask.
pub fn expected(op: Op, x: Num, y: Num) -> Option<Outcome> {
    let floats = x.ty.is_float() || y.ty.is_float();
    match op {
        Op::Equal | Op::Less | Op::LessOrEqual | Op::IsEqual | Op::IsLess => {
            Some(Outcome::Value(boolean(compared(op, x, y))))
        }
        Op::Min | Op::Max => extremum(op, x, y),
        Op::Compare => {
            let (less, greater) = (compared(Op::IsLess, x, y), compared(Op::IsLess, y, x));
            let sign = i8::from(greater) - i8::from(less);
            Some(Outcome::Value(wrapped(Ty::Int(64), &IBig::from(sign))))
        }
        Op::CopySign | Op::FlipSign => model_one::with_sign(op == Op::CopySign, x, y),
        Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul => model_int::checked(op, x, y),
        // Once for each value: with the first of its own type.
        Op::One(one) => (x.ty == y.ty && y == boundary_values(y.ty)[0]).then(|| one.of(x)).flatten(),
        Op::Convert => Some(converted(x, y.ty)),
        Op::Round(mode) => rounded_to(x, y.ty, mode),
        Op::And | Op::Or | Op::Xor | Op::Left | Op::Right | Op::RightLogical | Op::Wrap if floats => None,
        Op::Wrap => Some(Outcome::Value(if y.ty == Ty::Bool {
            boolean(x.bits & 1 == 1)
        } else {
            wrapped(y.ty, &x.integer())
        })),
        Op::Add | Op::Sub | Op::Mul | Op::Quotient | Op::Div(_) | Op::Rem(_) if floats => {
            model_float::expected(op, x, y)
        }
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Quotient
        | Op::Div(_)
        | Op::Rem(_)
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Left
        | Op::Right
        | Op::RightLogical => model_int::expected(op, x, y),
    }
}

/// `true` or `false` of Julia.
pub fn boolean(it: bool) -> Num {
    Num { ty: Ty::Bool, bits: u128::from(it) }
}

/// The type that two types promote to.
pub fn promoted(a: Ty, b: Ty) -> Ty {
    let rank = |ty: Ty| match ty {
        Ty::Bool => 0,
        Ty::Int(n) => 2 * n,
        Ty::UInt(n) => 2 * n + 1,
        Ty::Float(n) => 1000 + n,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// A number converted to a type.
pub fn converted(x: Num, to: Ty) -> Outcome {
    if let Ty::Float(_) = to {
        // `Float16` of the widest integers goes by way of `Float32`.
        let narrow = to.bits() == 16 && x.ty.bits() == 128;
        let from = if narrow { rounded(Ty::Float(32), &x.exact()) } else { x };
        return Outcome::Value(rounded(to, &from.exact()));
    }
    match whole(&x.exact()) {
        Some(value) => fitting(to, &value).map_or(Outcome::Inexact, Outcome::Value),
        None => Outcome::Inexact,
    }
}

fn whole(value: &Exact) -> Option<IBig> {
    match value {
        Exact::Nan | Exact::Infinite(_) => None,
        Exact::Finite(n, d, _) => {
            let d = IBig::from(d.clone());
            (n % &d == IBig::ZERO).then(|| n / &d)
        }
    }
}

fn rounded_to(x: Num, to: Ty, mode: Mode) -> Option<Outcome> {
    if to.is_float() || (to == Ty::Bool && x.ty != Ty::Bool) || (x.ty == Ty::Bool && to != Ty::Bool) {
        return None;
    }
    let Exact::Finite(n, d, _) = x.exact() else { return Some(Outcome::Inexact) };
    let value = model_int::divided(&n, &IBig::from(d), mode);
    Some(fitting(to, &value).map_or(Outcome::Inexact, Outcome::Value))
}

/// How two numbers that are no NaN compare.
pub fn order(x: &Exact, y: &Exact) -> Ordering {
    let side = |it: &Exact| match it {
        Exact::Infinite(true) => -1,
        Exact::Infinite(false) => 1,
        Exact::Nan | Exact::Finite(..) => 0,
    };
    match (x, y) {
        (Exact::Finite(a, b, _), Exact::Finite(c, d, _)) => {
            (a * IBig::from(d.clone())).cmp(&(c * IBig::from(b.clone())))
        }
        _ => side(x).cmp(&side(y)),
    }
}

fn compared(op: Op, x: Num, y: Num) -> bool {
    let (a, b) = (x.exact(), y.exact());
    let (nan_a, nan_b) = (a == Exact::Nan, b == Exact::Nan);
    if nan_a || nan_b {
        return match op {
            Op::IsEqual => nan_a && nan_b,
            Op::IsLess => !nan_a,
            _ => false,
        };
    }
    let order = order(&a, &b);
    let floats = x.ty.is_float() || y.ty.is_float();
    let signs = (floats && x.is_negative(), floats && y.is_negative());
    match op {
        Op::Equal => order.is_eq(),
        Op::Less => order.is_lt(),
        Op::LessOrEqual => order.is_le(),
        Op::IsEqual => order.is_eq() && signs.0 == signs.1,
        _ => order.is_lt() || (order.is_eq() && signs.0 && !signs.1),
    }
}

fn extremum(op: Op, x: Num, y: Num) -> Option<Outcome> {
    let ty = promoted(x.ty, y.ty);
    let (Outcome::Value(a), Outcome::Value(b)) = (converted(x, ty), converted(y, ty)) else {
        return Some(Outcome::Inexact);
    };
    let nan = [a, b].into_iter().find(|it| it.exact() == Exact::Nan);
    let b_less = compared(Op::IsLess, b, a);
    Some(Outcome::Value(nan.unwrap_or(if b_less == (op == Op::Min) { b } else { a })))
}

/// The number of a type in the programs' results.
pub fn type_number(ty: Ty) -> Option<usize> {
    TYPES.iter().position(|it| *it == ty)
}
