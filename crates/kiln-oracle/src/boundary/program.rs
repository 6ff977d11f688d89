//! The Julia programs of the matrix.

use super::model::{MODES, NumberOp, RoundingDirection};
use super::model_one::{FUNCTIONS, NumberFunction};
use super::numbers::{Num, NumberType, TYPES, boundary_values};
use std::fmt::Write;

/// Definitions that every program needs: results go to `KINDS` and `BITS`.
pub const PRELUDE: &str = include_str!("prelude.jl");
/// As [`PRELUDE`], for results of kernels.
pub const KERNEL_PRELUDE: &str = include_str!("kernel.jl");
/// `KINDS` of exceptions.
pub const DIVIDE: u8 = 100;
/// An `InexactError`.
pub const INEXACT: u8 = 101;
/// A `DomainError`.
pub const DOMAIN: u8 = 102;
/// An `OverflowError`.
pub const OVERFLOW: u8 = 103;

/// The operations, with Julia functions of two numbers.
pub fn operations() -> Vec<(NumberOp, String)> {
    let plain = [
        (NumberOp::Add, "+"),
        (NumberOp::Sub, "-"),
        (NumberOp::Mul, "*"),
        (NumberOp::Quotient, "/"),
        (NumberOp::Div(RoundingDirection::ToZero), "div"),
        (NumberOp::Div(RoundingDirection::Down), "fld"),
        (NumberOp::Div(RoundingDirection::Up), "cld"),
        (NumberOp::Rem(RoundingDirection::ToZero), "rem"),
        (NumberOp::Rem(RoundingDirection::Down), "mod"),
        (NumberOp::And, "&"),
        (NumberOp::Or, "|"),
        (NumberOp::Xor, "xor"),
        (NumberOp::Left, "<<"),
        (NumberOp::Right, ">>"),
        (NumberOp::RightLogical, ">>>"),
        (NumberOp::Equal, "=="),
        (NumberOp::Less, "<"),
        (NumberOp::LessOrEqual, "<="),
        (NumberOp::IsEqual, "isequal"),
        (NumberOp::IsLess, "isless"),
        (NumberOp::Min, "min"),
        (NumberOp::Max, "max"),
        (NumberOp::Convert, "converted"),
        (NumberOp::Wrap, "wrapped"),
        (NumberOp::Compare, "cmp"),
        (NumberOp::CopySign, "copysign"),
        (NumberOp::FlipSign, "flipsign"),
        (NumberOp::CheckedAdd, "Base.checked_add"),
        (NumberOp::CheckedSub, "Base.checked_sub"),
        (NumberOp::CheckedMul, "Base.checked_mul"),
    ];
    let mut found: Vec<(NumberOp, String)> =
        plain.into_iter().map(|(op, name)| (op, name.to_owned())).collect();
    for (mode, name) in MODES {
        found.push((NumberOp::Div(mode), format!("(x, y) -> div(x, y, {name})")));
        found.push((NumberOp::Rem(mode), format!("(x, y) -> rem(x, y, {name})")));
        found.push((NumberOp::Round(mode), format!("(x, y) -> round(typeof(y), x, {name})")));
        found.push((NumberOp::One(NumberFunction::Round(mode)), format!("(x, y) -> round(x, {name})")));
    }
    found.extend(FUNCTIONS.map(|(one, name)| (NumberOp::One(one), format!("(x, y) -> {name}(x)"))));
    found
}

/// Values as a Julia vector.
fn vector(ty: NumberType, values: &[Num]) -> String {
    let word = match ty {
        NumberType::Bool => "UInt8".to_owned(),
        NumberType::Int(n) | NumberType::UInt(n) | NumberType::Float(n) => format!("UInt{n}"),
    };
    let mut text = format!("{}[", ty.name());
    for value in values {
        let digits = ty.bits() as usize / 4;
        match ty {
            NumberType::Bool => _ = write!(text, "{}, ", value.bits == 1),
            NumberType::Int(_) | NumberType::UInt(_) | NumberType::Float(_) => {
                _ = write!(text, "reinterpret({}, 0x{:0digits$x} % {word}), ", ty.name(), value.bits);
            }
        }
    }
    text + "]"
}

/// The values of each type, as a vector `VALUES_` and the type's name.
pub fn values_program() -> String {
    let line =
        |ty: &NumberType| format!("const VALUES_{} = {}\n", ty.name(), vector(*ty, &boundary_values(*ty)));
    TYPES.iter().map(line).collect()
}

/// A program that applies a function to all values of two types.
pub fn pairs_program(function: &str, a: NumberType, b: NumberType) -> String {
    format!("record_all({function}, VALUES_{}, VALUES_{})", a.name(), b.name())
}

/// A program that applies a function in a kernel to the pairs of values of these numbers, those of `b` first.
pub fn kernel_program(function: &str, a: NumberType, b: NumberType, pairs: &[usize]) -> String {
    let pairs: Vec<String> = pairs.iter().map(usize::to_string).collect();
    let (a, b) = (a.name(), b.name());
    format!("record_in_kernel({function}, VALUES_{a}, VALUES_{b}, [{}])", pairs.join(", "))
}

/// The definition of `type_number` for each type.
pub fn type_numbers() -> String {
    TYPES.iter().enumerate().map(|(i, ty)| format!("type_number(::{}) = {}\n", ty.name(), i)).collect()
}
