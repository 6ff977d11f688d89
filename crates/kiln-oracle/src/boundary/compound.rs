//! The second matrix: rational and complex numbers, with each other and with the plain numbers.

use super::model::{ModelOutcome, RoundingDirection};
use super::numbers::{Num, NumberType, TYPES, boundary_values, fitting, float};
use super::program::{DIVIDE, DOMAIN, INEXACT, OVERFLOW};
use super::{model_complex, model_rational};
use dashu_int::IBig;
use std::fmt::Write;

/// Definitions that programs of this matrix need after the prelude of the first.
pub const PRELUDE: &str = include_str!("compound.jl");
/// The `KINDS` of an `ArgumentError`.
const ARGUMENT: u8 = 106;

/// The form of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberForm {
    /// A number of the first matrix.
    Plain,
    /// `Rational`.
    Rational,
    /// `Complex`.
    Complex,
}

/// The type of a number: its form, and the type of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberKind {
    /// The form.
    pub form: NumberForm,
    /// The type of the parts.
    pub part: NumberType,
}

/// A number by its parts; of a plain one both are the number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its form.
    pub form: NumberForm,
    /// The numerator, or the real part.
    pub a: Num,
    /// The denominator, or the imaginary part.
    pub b: Num,
}

/// An exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedException {
    /// `DivideError`.
    Divide,
    /// `InexactError`.
    Inexact,
    /// `OverflowError`.
    Overflow,
    /// `DomainError`.
    Domain,
    /// `ArgumentError`.
    Argument,
}

/// The outcome of an operation.
pub type Given = Result<Number, ExpectedException>;

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Quotient,
    /// `//`
    Ratio,
    /// `div` with a rounding mode.
    Div(RoundingDirection),
    /// `rem`
    Rem,
    /// `mod`
    Mod,
    /// `==`
    Equal,
    /// `isequal`
    IsEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `isless`
    IsLess,
    /// The first number converted to the type of the second.
    Convert,
    /// The first rounded to the type of the second.
    RoundTo(RoundingDirection),
    /// A function of the first number alone.
    One(CompoundFunction),
}

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundFunction {
    /// `-`
    Negate,
    /// `abs`
    Abs,
    /// `abs2`
    SquaredAbs,
    /// `sign`
    Sign,
    /// `inv`
    Inverse,
    /// `conj`
    Conjugate,
    /// `float`
    Float,
    /// `isinteger`
    IsInteger,
    /// `iszero`
    IsZero,
    /// `isone`
    IsOne,
    /// `round`
    Round(RoundingDirection),
}

/// The operations, with Julia functions of two numbers.
pub fn operations() -> Vec<(CompoundOp, String)> {
    let two = [
        (CompoundOp::Add, "+"),
        (CompoundOp::Sub, "-"),
        (CompoundOp::Mul, "*"),
        (CompoundOp::Quotient, "/"),
        (CompoundOp::Ratio, "//"),
        (CompoundOp::Div(RoundingDirection::ToZero), "div"),
        (CompoundOp::Div(RoundingDirection::Down), "fld"),
        (CompoundOp::Div(RoundingDirection::Up), "cld"),
        (CompoundOp::Rem, "rem"),
        (CompoundOp::Mod, "mod"),
        (CompoundOp::Equal, "=="),
        (CompoundOp::IsEqual, "isequal"),
        (CompoundOp::Less, "<"),
        (CompoundOp::LessOrEqual, "<="),
        (CompoundOp::IsLess, "isless"),
        (CompoundOp::Convert, "converted"),
    ];
    let one = [
        (CompoundFunction::Negate, "-"),
        (CompoundFunction::Abs, "abs"),
        (CompoundFunction::SquaredAbs, "abs2"),
        (CompoundFunction::Sign, "sign"),
        (CompoundFunction::Inverse, "inv"),
        (CompoundFunction::Conjugate, "conj"),
        (CompoundFunction::Float, "float"),
        (CompoundFunction::IsInteger, "isinteger"),
        (CompoundFunction::IsZero, "iszero"),
        (CompoundFunction::IsOne, "isone"),
    ];
    let mut found: Vec<(CompoundOp, String)> =
        two.into_iter().map(|(op, name)| (op, name.to_owned())).collect();
    found.extend(one.map(|(one, name)| (CompoundOp::One(one), format!("(x, y) -> {name}(x)"))));
    for (mode, name) in super::model::MODES {
        found.push((CompoundOp::Div(mode), format!("(x, y) -> div(x, y, {name})")));
        found.push((CompoundOp::RoundTo(mode), format!("(x, y) -> round(typeof(y), x, {name})")));
        found.push((CompoundOp::One(CompoundFunction::Round(mode)), format!("(x, y) -> round(x, {name})")));
    }
    found
}

impl NumberKind {
    /// The type's name in Julia.
    pub fn name(self) -> String {
        match self.form {
            NumberForm::Plain => self.part.name(),
            NumberForm::Rational => format!("Rational{{{}}}", self.part.name()),
            NumberForm::Complex => format!("Complex{{{}}}", self.part.name()),
        }
    }

    fn constant(self) -> String {
        self.name().replace(['{', '}'], "_")
    }

    /// The numbers of this type that the matrix takes.
    pub fn values(self) -> Vec<Number> {
        match self.form {
            NumberForm::Plain => boundary_values(self.part).into_iter().map(Number::plain).collect(),
            NumberForm::Rational => model_rational::values(self.part),
            NumberForm::Complex => model_complex::values(self.part),
        }
    }
}

impl Number {
    /// A number of the first matrix.
    pub fn plain(num: Num) -> Self {
        Self { form: NumberForm::Plain, a: num, b: num }
    }

    /// Whether both are the same number of the same type.
    pub fn same(self, other: Self) -> bool {
        self.form == other.form && self.a.same(other.a) && self.b.same(other.b)
    }

    /// The number as a program or a message has it.
    pub fn shown(self) -> String {
        let part = |it: Num| match it.ty {
            NumberType::Float(_) => format!("{}({:?})", it.ty.name(), it.float()),
            NumberType::Bool | NumberType::Int(_) | NumberType::UInt(_) => {
                format!("{}({})", it.ty.name(), it.integer())
            }
        };
        match self.form {
            NumberForm::Plain => part(self.a),
            NumberForm::Rational => format!("{}//{}", part(self.a), part(self.b)),
            NumberForm::Complex => format!("Complex({}, {})", part(self.a), part(self.b)),
        }
    }
}

impl ExpectedException {
    fn from_kind(kind: u8) -> Option<Self> {
        Some(match kind {
            DIVIDE => Self::Divide,
            INEXACT => Self::Inexact,
            DOMAIN => Self::Domain,
            OVERFLOW => Self::Overflow,
            ARGUMENT => Self::Argument,
            _ => return None,
        })
    }
}

/// Returns the result that a program stored as `kind` and two words; `None` for an exception that no operation may
/// throw.
pub fn stored(kind: u8, a: u128, b: u128) -> Option<Given> {
    let form = match kind / 20 {
        0 => NumberForm::Plain,
        1 => NumberForm::Rational,
        2 => NumberForm::Complex,
        _ => return ExpectedException::from_kind(kind).map(Err),
    };
    let ty = *TYPES.get(usize::from(kind % 20))?;
    Some(Ok(Number { form, a: Num { ty, bits: a }, b: Num { ty, bits: b } }))
}

/// The types of the second matrix, and those that each is paired with.
pub fn pairs() -> Vec<(NumberKind, NumberKind)> {
    let kinds = |form, parts: &[NumberType]| -> Vec<NumberKind> {
        parts.iter().map(|&part| NumberKind { form, part }).collect()
    };
    let plain = kinds(NumberForm::Plain, &TYPES);
    let rational = kinds(NumberForm::Rational, &model_rational::PARTS);
    let complex = kinds(NumberForm::Complex, &model_complex::PARTS);
    let mut found = Vec::new();
    for compound in [rational, complex] {
        for &x in &compound {
            found.extend(compound.iter().map(|&y| (x, y)));
            found.extend(plain.iter().flat_map(|&y| [(x, y), (y, x)]));
        }
    }
    found
}

/// The outcome of `op` on `x` and `y`; `None` where the matrix does not ask.
pub fn expected(op: CompoundOp, x: Number, y: Number) -> Option<Given> {
    match (x.form, y.form) {
        (NumberForm::Complex, _) | (_, NumberForm::Complex) => model_complex::expected(op, x, y),
        _ => model_rational::expected(op, x, y),
    }
}

/// The values of each type, as a vector `VALUES_` and the type's name.
pub fn values_program() -> String {
    let mut kinds: Vec<NumberKind> =
        pairs().into_iter().map(|it| it.0).filter(|it| it.form != NumberForm::Plain).collect();
    kinds.dedup();
    let mut text = String::new();
    for (i, kind) in kinds.iter().enumerate() {
        if kinds[..i].contains(kind) {
            continue;
        }
        let make = if kind.form == NumberForm::Rational { "ratio" } else { "Complex" };
        let part = |it: Num| match it.ty {
            NumberType::Bool => (it.bits == 1).to_string(),
            ty @ (NumberType::Int(_) | NumberType::UInt(_) | NumberType::Float(_)) => format!(
                "reinterpret({}, 0x{:0digits$x})",
                ty.name(),
                it.bits,
                digits = ty.bits() as usize / 4
            ),
        };
        _ = write!(text, "const VALUES_{} = [", kind.constant());
        for value in kind.values() {
            _ = write!(text, "{make}({}, {}), ", part(value.a), part(value.b));
        }
        text += "]\n";
    }
    text
}

/// A program that applies a function to all values of two types.
pub fn program(function: &str, a: NumberKind, b: NumberKind) -> String {
    format!("record_parts({function}, VALUES_{}, VALUES_{})", a.constant(), b.constant())
}

/// An operation of the first matrix on parts.
pub(super) fn apply(op: super::model::NumberOp, x: Num, y: Num) -> Result<Num, ExpectedException> {
    part(super::model::expected(op, x, y))
}

/// The outcome of an operation of the first matrix, which it asks for.
pub(super) fn part(outcome: Option<ModelOutcome>) -> Result<Num, ExpectedException> {
    match outcome {
        Some(ModelOutcome::Value(found)) => Ok(found),
        Some(ModelOutcome::Divide) => Err(ExpectedException::Divide),
        Some(ModelOutcome::Inexact) => Err(ExpectedException::Inexact),
        Some(ModelOutcome::Overflow) => Err(ExpectedException::Overflow),
        Some(ModelOutcome::Domain) => Err(ExpectedException::Domain),
        None => unreachable!("operations on parts are in the first matrix"),
    }
}

/// A part converted to a type.
pub(super) fn to(ty: NumberType, x: Num) -> Result<Num, ExpectedException> {
    apply(super::model::NumberOp::Convert, x, Num { ty, bits: 0 })
}

/// A small number as a part.
pub(super) fn small(ty: NumberType, value: i8) -> Num {
    if ty.is_float() {
        return float(ty, value.into());
    }
    fitting(ty, &IBig::from(value)).unwrap_or(Num { ty, bits: 0 })
}
