//! Results that each operation of the matrix has to give.
#![expect(clippy::wildcard_enum_match_arm, reason = "operations of another kind are another function")]

use super::model_one::{self, NumberFunction};
use super::numbers::{Exact, Num, NumberType, TYPES, boundary_values, fitting, rounded, wrapped};
use super::{model_float, model_int};
use dashu_int::IBig;
use std::cmp::Ordering;

/// A rounding mode of Julia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundingDirection {
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
pub const MODES: [(RoundingDirection, &str); 7] = [
    (RoundingDirection::ToZero, "RoundToZero"),
    (RoundingDirection::Down, "RoundDown"),
    (RoundingDirection::Up, "RoundUp"),
    (RoundingDirection::FromZero, "RoundFromZero"),
    (RoundingDirection::Nearest, "RoundNearest"),
    (RoundingDirection::TiesAway, "RoundNearestTiesAway"),
    (RoundingDirection::TiesUp, "RoundNearestTiesUp"),
];

/// The outcome of an operation.
#[derive(Clone, Copy, Debug)]
pub enum ModelOutcome {
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

impl ModelOutcome {
    /// Whether both are the same value or exception.
    pub fn same(self, other: Self) -> bool {
        match (self, other) {
            (ModelOutcome::Value(a), ModelOutcome::Value(b)) => a.same(b),
            (ModelOutcome::Divide, ModelOutcome::Divide)
            | (ModelOutcome::Inexact, ModelOutcome::Inexact)
            | (ModelOutcome::Overflow, ModelOutcome::Overflow)
            | (ModelOutcome::Domain, ModelOutcome::Domain) => true,
            (
                ModelOutcome::Value(_)
                | ModelOutcome::Divide
                | ModelOutcome::Inexact
                | ModelOutcome::Overflow
                | ModelOutcome::Domain,
                _,
            ) => false,
        }
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Quotient,
    /// `div` with a rounding mode.
    Div(RoundingDirection),
    /// `rem` with a rounding mode.
    Rem(RoundingDirection),
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
    Round(RoundingDirection),
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
    One(NumberFunction),
}

/// The outcome of `op` on `x` and `y`; `None` where the matrix does not ask.
pub fn expected(op: NumberOp, x: Num, y: Num) -> Option<ModelOutcome> {
    let floats = x.ty.is_float() || y.ty.is_float();
    match op {
        NumberOp::Equal | NumberOp::Less | NumberOp::LessOrEqual | NumberOp::IsEqual | NumberOp::IsLess => {
            Some(ModelOutcome::Value(boolean(compared(op, x, y))))
        }
        NumberOp::Min | NumberOp::Max => extremum(op, x, y),
        NumberOp::Compare => {
            let (less, greater) = (compared(NumberOp::IsLess, x, y), compared(NumberOp::IsLess, y, x));
            let sign = i8::from(greater) - i8::from(less);
            Some(ModelOutcome::Value(wrapped(NumberType::Int(64), &IBig::from(sign))))
        }
        NumberOp::CopySign | NumberOp::FlipSign => model_one::with_sign(op == NumberOp::CopySign, x, y),
        NumberOp::CheckedAdd | NumberOp::CheckedSub | NumberOp::CheckedMul => model_int::checked(op, x, y),
        // Once for each value: with the first of its own type.
        NumberOp::One(one) => {
            (x.ty == y.ty && y == boundary_values(y.ty)[0]).then(|| one.outcome(x)).flatten()
        }
        NumberOp::Convert => Some(converted(x, y.ty)),
        NumberOp::Round(mode) => rounded_to(x, y.ty, mode),
        NumberOp::And
        | NumberOp::Or
        | NumberOp::Xor
        | NumberOp::Left
        | NumberOp::Right
        | NumberOp::RightLogical
        | NumberOp::Wrap
            if floats =>
        {
            None
        }
        NumberOp::Wrap => Some(ModelOutcome::Value(if y.ty == NumberType::Bool {
            boolean(x.bits & 1 == 1)
        } else {
            wrapped(y.ty, &x.integer())
        })),
        NumberOp::Add
        | NumberOp::Sub
        | NumberOp::Mul
        | NumberOp::Quotient
        | NumberOp::Div(_)
        | NumberOp::Rem(_)
            if floats =>
        {
            model_float::expected(op, x, y)
        }
        NumberOp::Add
        | NumberOp::Sub
        | NumberOp::Mul
        | NumberOp::Quotient
        | NumberOp::Div(_)
        | NumberOp::Rem(_)
        | NumberOp::And
        | NumberOp::Or
        | NumberOp::Xor
        | NumberOp::Left
        | NumberOp::Right
        | NumberOp::RightLogical => model_int::expected(op, x, y),
    }
}

/// `true` or `false` of Julia.
pub fn boolean(it: bool) -> Num {
    Num { ty: NumberType::Bool, bits: u128::from(it) }
}

/// The type that two types promote to.
pub fn promoted(a: NumberType, b: NumberType) -> NumberType {
    let rank = |ty: NumberType| match ty {
        NumberType::Bool => 0,
        NumberType::Int(n) => 2 * n,
        NumberType::UInt(n) => 2 * n + 1,
        NumberType::Float(n) => 1000 + n,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// A number converted to a type.
pub fn converted(x: Num, to: NumberType) -> ModelOutcome {
    if let NumberType::Float(_) = to {
        // `Float16` of the widest integers goes by way of `Float32`.
        let narrow = to.bits() == 16 && x.ty.bits() == 128;
        let from = if narrow { rounded(NumberType::Float(32), &x.exact()) } else { x };
        return ModelOutcome::Value(rounded(to, &from.exact()));
    }
    match whole(&x.exact()) {
        Some(value) => fitting(to, &value).map_or(ModelOutcome::Inexact, ModelOutcome::Value),
        None => ModelOutcome::Inexact,
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

fn rounded_to(x: Num, to: NumberType, mode: RoundingDirection) -> Option<ModelOutcome> {
    if to.is_float()
        || (to == NumberType::Bool && x.ty != NumberType::Bool)
        || (x.ty == NumberType::Bool && to != NumberType::Bool)
    {
        return None;
    }
    let Exact::Finite(n, d, _) = x.exact() else { return Some(ModelOutcome::Inexact) };
    let value = model_int::divided(&n, &IBig::from(d), mode);
    Some(fitting(to, &value).map_or(ModelOutcome::Inexact, ModelOutcome::Value))
}

/// Compares two numbers that are not NaN.
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

fn compared(op: NumberOp, x: Num, y: Num) -> bool {
    let (a, b) = (x.exact(), y.exact());
    let (nan_a, nan_b) = (a == Exact::Nan, b == Exact::Nan);
    if nan_a || nan_b {
        return match op {
            NumberOp::IsEqual => nan_a && nan_b,
            NumberOp::IsLess => !nan_a,
            _ => false,
        };
    }
    let order = order(&a, &b);
    let floats = x.ty.is_float() || y.ty.is_float();
    let signs = (floats && x.is_negative(), floats && y.is_negative());
    match op {
        NumberOp::Equal => order.is_eq(),
        NumberOp::Less => order.is_lt(),
        NumberOp::LessOrEqual => order.is_le(),
        NumberOp::IsEqual => order.is_eq() && signs.0 == signs.1,
        _ => order.is_lt() || (order.is_eq() && signs.0 && !signs.1),
    }
}

fn extremum(op: NumberOp, x: Num, y: Num) -> Option<ModelOutcome> {
    let ty = promoted(x.ty, y.ty);
    let (ModelOutcome::Value(a), ModelOutcome::Value(b)) = (converted(x, ty), converted(y, ty)) else {
        return Some(ModelOutcome::Inexact);
    };
    let nan = [a, b].into_iter().find(|it| it.exact() == Exact::Nan);
    let b_less = compared(NumberOp::IsLess, b, a);
    Some(ModelOutcome::Value(nan.unwrap_or(if b_less == (op == NumberOp::Min) { b } else { a })))
}

/// The number of a type in the programs' results.
pub fn type_number(ty: NumberType) -> Option<usize> {
    TYPES.iter().position(|it| *it == ty)
}
