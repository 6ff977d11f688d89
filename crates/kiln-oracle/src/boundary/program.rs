//! The Julia programs of the matrix.

use super::model::{MODES, Mode, Op};
use super::model_one::{FUNCTIONS, One};
use super::numbers::{Num, TYPES, Ty, boundary_values};
use std::fmt::Write;

/// Definitions that every program needs: results go to `KINDS` and `BITS`.
pub const PRELUDE: &str = include_str!("prelude.jl");
/// The same for results of kernels.
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
pub fn operations() -> Vec<(Op, String)> {
    let plain = [
        (Op::Add, "+"),
        (Op::Sub, "-"),
        (Op::Mul, "*"),
        (Op::Quotient, "/"),
        (Op::Div(Mode::ToZero), "div"),
        (Op::Div(Mode::Down), "fld"),
        (Op::Div(Mode::Up), "cld"),
        (Op::Rem(Mode::ToZero), "rem"),
        (Op::Rem(Mode::Down), "mod"),
        (Op::And, "&"),
        (Op::Or, "|"),
        (Op::Xor, "xor"),
        (Op::Left, "<<"),
        (Op::Right, ">>"),
        (Op::RightLogical, ">>>"),
        (Op::Equal, "=="),
        (Op::Less, "<"),
        (Op::LessOrEqual, "<="),
        (Op::IsEqual, "isequal"),
        (Op::IsLess, "isless"),
        (Op::Min, "min"),
        (Op::Max, "max"),
        (Op::Convert, "converted"),
        (Op::Wrap, "wrapped"),
        (Op::Compare, "cmp"),
        (Op::CopySign, "copysign"),
        (Op::FlipSign, "flipsign"),
        (Op::CheckedAdd, "Base.checked_add"),
        (Op::CheckedSub, "Base.checked_sub"),
        (Op::CheckedMul, "Base.checked_mul"),
    ];
    let mut found: Vec<(Op, String)> = plain.into_iter().map(|(op, name)| (op, name.to_owned())).collect();
    for (mode, name) in MODES {
        found.push((Op::Div(mode), format!("(x, y) -> div(x, y, {name})")));
        found.push((Op::Rem(mode), format!("(x, y) -> rem(x, y, {name})")));
        found.push((Op::Round(mode), format!("(x, y) -> round(typeof(y), x, {name})")));
        found.push((Op::One(One::Round(mode)), format!("(x, y) -> round(x, {name})")));
    }
    found.extend(FUNCTIONS.map(|(one, name)| (Op::One(one), format!("(x, y) -> {name}(x)"))));
    found
}

/// Values as a Julia vector.
fn vector(ty: Ty, values: &[Num]) -> String {
    let word = match ty {
        Ty::Bool => "UInt8".to_owned(),
        Ty::Int(n) | Ty::UInt(n) | Ty::Float(n) => format!("UInt{n}"),
    };
    let mut text = format!("{}[", ty.name());
    for value in values {
        let digits = ty.bits() as usize / 4;
        match ty {
            Ty::Bool => _ = write!(text, "{}, ", value.bits == 1),
            Ty::Int(_) | Ty::UInt(_) | Ty::Float(_) => {
                _ = write!(text, "reinterpret({}, 0x{:0digits$x} % {word}), ", ty.name(), value.bits);
            }
        }
    }
    text + "]"
}

/// The values of each type, as a vector `VALUES_` and the type's name.
pub fn values_program() -> String {
    let line = |ty: &Ty| format!("const VALUES_{} = {}\n", ty.name(), vector(*ty, &boundary_values(*ty)));
    TYPES.iter().map(line).collect()
}

/// A program that applies a function to all values of two types.
pub fn pairs_program(function: &str, a: Ty, b: Ty) -> String {
    format!("record_all({function}, VALUES_{}, VALUES_{})", a.name(), b.name())
}

/// A program that applies a function in a kernel to the pairs of values of these numbers, those of `b` first.
pub fn kernel_program(function: &str, a: Ty, b: Ty, pairs: &[usize]) -> String {
    let pairs: Vec<String> = pairs.iter().map(usize::to_string).collect();
    let (a, b) = (a.name(), b.name());
    format!("record_in_kernel({function}, VALUES_{a}, VALUES_{b}, [{}])", pairs.join(", "))
}

/// The definition of `type_number` for each type.
pub fn type_numbers() -> String {
    TYPES.iter().enumerate().map(|(i, ty)| format!("type_number(::{}) = {}\n", ty.name(), i)).collect()
}
