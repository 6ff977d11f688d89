//! The second matrix: rational and complex numbers, with each other and with the plain numbers.

use super::model::{Mode, Outcome};
use super::numbers::{Num, TYPES, Ty, boundary_values, fitting, float};
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
pub enum Form {
    /// A number of the first matrix.
    Plain,
    /// `Rational`.
    Rational,
    /// `Complex`.
    Complex,
}

/// The type of a number: its form, and the type of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The form.
    pub form: Form,
    /// The type of the parts.
    pub part: Ty,
}

/// A number by its parts; of a plain one both are the number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its form.
    pub form: Form,
    /// The numerator, or the real part.
    pub a: Num,
    /// The denominator, or the imaginary part.
    pub b: Num,
}

/// An exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thrown {
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
pub type Given = Result<Number, Thrown>;

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
    /// `//`
    Ratio,
    /// `div` with a rounding mode.
    Div(Mode),
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
    RoundTo(Mode),
    /// A function of the first number alone.
    One(One),
}

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum One {
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
    Round(Mode),
}

/// The operations, with Julia functions of two numbers.
pub fn operations() -> Vec<(Op, String)> {
    let two = [
        (Op::Add, "+"),
        (Op::Sub, "-"),
        (Op::Mul, "*"),
        (Op::Quotient, "/"),
        (Op::Ratio, "//"),
        (Op::Div(Mode::ToZero), "div"),
        (Op::Div(Mode::Down), "fld"),
        (Op::Div(Mode::Up), "cld"),
        (Op::Rem, "rem"),
        (Op::Mod, "mod"),
        (Op::Equal, "=="),
        (Op::IsEqual, "isequal"),
        (Op::Less, "<"),
        (Op::LessOrEqual, "<="),
        (Op::IsLess, "isless"),
        (Op::Convert, "converted"),
    ];
    let one = [
        (One::Negate, "-"),
        (One::Abs, "abs"),
        (One::SquaredAbs, "abs2"),
        (One::Sign, "sign"),
        (One::Inverse, "inv"),
        (One::Conjugate, "conj"),
        (One::Float, "float"),
        (One::IsInteger, "isinteger"),
        (One::IsZero, "iszero"),
        (One::IsOne, "isone"),
    ];
    let mut found: Vec<(Op, String)> = two.into_iter().map(|(op, name)| (op, name.to_owned())).collect();
    found.extend(one.map(|(one, name)| (Op::One(one), format!("(x, y) -> {name}(x)"))));
    for (mode, name) in super::model::MODES {
        found.push((Op::Div(mode), format!("(x, y) -> div(x, y, {name})")));
        found.push((Op::RoundTo(mode), format!("(x, y) -> round(typeof(y), x, {name})")));
        found.push((Op::One(One::Round(mode)), format!("(x, y) -> round(x, {name})")));
    }
    found
}

impl Kind {
    /// The type's name in Julia.
    pub fn name(self) -> String {
        match self.form {
            Form::Plain => self.part.name(),
            Form::Rational => format!("Rational{{{}}}", self.part.name()),
            Form::Complex => format!("Complex{{{}}}", self.part.name()),
        }
    }

    fn constant(self) -> String {
        self.name().replace(['{', '}'], "_")
    }

    /// The numbers of this type that the matrix takes.
    pub fn values(self) -> Vec<Number> {
        match self.form {
            Form::Plain => boundary_values(self.part).into_iter().map(Number::plain).collect(),
            Form::Rational => model_rational::values(self.part),
            Form::Complex => model_complex::values(self.part),
        }
    }
}

impl Number {
    /// A number of the first matrix.
    pub fn plain(num: Num) -> Self {
        Self { form: Form::Plain, a: num, b: num }
    }

    /// Whether both are the same number of the same type.
    pub fn same(self, other: Self) -> bool {
        self.form == other.form && self.a.same(other.a) && self.b.same(other.b)
    }

    /// The number as a program or a message has it.
    pub fn shown(self) -> String {
        let part = |it: Num| match it.ty {
            Ty::Float(_) => format!("{}({:?})", it.ty.name(), it.float()),
            Ty::Bool | Ty::Int(_) | Ty::UInt(_) => format!("{}({})", it.ty.name(), it.integer()),
        };
        match self.form {
            Form::Plain => part(self.a),
            Form::Rational => format!("{}//{}", part(self.a), part(self.b)),
            Form::Complex => format!("Complex({}, {})", part(self.a), part(self.b)),
        }
    }
}

impl Thrown {
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

/// The result that a program stored as `kind` and two words; `None` if it threw what no operation may throw.
pub fn stored(kind: u8, a: u128, b: u128) -> Option<Given> {
    let form = match kind / 20 {
        0 => Form::Plain,
        1 => Form::Rational,
        2 => Form::Complex,
        _ => return Thrown::from_kind(kind).map(Err),
    };
    let ty = *TYPES.get(usize::from(kind % 20))?;
    Some(Ok(Number { form, a: Num { ty, bits: a }, b: Num { ty, bits: b } }))
}

/// The types of the second matrix, and those that each is paired with.
pub fn pairs() -> Vec<(Kind, Kind)> {
    let kinds = |form, parts: &[Ty]| -> Vec<Kind> { parts.iter().map(|&part| Kind { form, part }).collect() };
    let plain = kinds(Form::Plain, &TYPES);
    let rational = kinds(Form::Rational, &model_rational::PARTS);
    let complex = kinds(Form::Complex, &model_complex::PARTS);
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
pub fn expected(op: Op, x: Number, y: Number) -> Option<Given> {
    match (x.form, y.form) {
        (Form::Complex, _) | (_, Form::Complex) => model_complex::expected(op, x, y),
        _ => model_rational::expected(op, x, y),
    }
}

/// The values of each type, as a vector `VALUES_` and the type's name.
pub fn values_program() -> String {
    let mut kinds: Vec<Kind> =
        pairs().into_iter().map(|it| it.0).filter(|it| it.form != Form::Plain).collect();
    kinds.dedup();
    let mut text = String::new();
    for (i, kind) in kinds.iter().enumerate() {
        if kinds[..i].contains(kind) {
            continue;
        }
        let make = if kind.form == Form::Rational { "ratio" } else { "Complex" };
        let part = |it: Num| match it.ty {
            Ty::Bool => (it.bits == 1).to_string(),
            ty @ (Ty::Int(_) | Ty::UInt(_) | Ty::Float(_)) => format!(
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
pub fn program(function: &str, a: Kind, b: Kind) -> String {
    format!("record_parts({function}, VALUES_{}, VALUES_{})", a.constant(), b.constant())
}

/// An operation of the first matrix on parts.
pub(super) fn apply(op: super::model::Op, x: Num, y: Num) -> Result<Num, Thrown> {
    part(super::model::expected(op, x, y))
}

/// The outcome of an operation of the first matrix, which it asks for.
pub(super) fn part(outcome: Option<Outcome>) -> Result<Num, Thrown> {
    match outcome {
        Some(Outcome::Value(found)) => Ok(found),
        Some(Outcome::Divide) => Err(Thrown::Divide),
        Some(Outcome::Inexact) => Err(Thrown::Inexact),
        Some(Outcome::Overflow) => Err(Thrown::Overflow),
        Some(Outcome::Domain) => Err(Thrown::Domain),
        None => unreachable!("operations on parts are in the first matrix"),
    }
}

/// A part converted to a type.
pub(super) fn to(ty: Ty, x: Num) -> Result<Num, Thrown> {
    apply(super::model::Op::Convert, x, Num { ty, bits: 0 })
}

/// A small number as a part.
pub(super) fn small(ty: Ty, value: i8) -> Num {
    if ty.is_float() {
        return float(ty, value.into());
    }
    fitting(ty, &IBig::from(value)).unwrap_or(Num { ty, bits: 0 })
}
