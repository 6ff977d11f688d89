//! Arithmetic without a limit of size: the float behind `BigFloat`, and its text. Integers are those of
//! `dashu-int`; `crate::host` reads both from objects of the heap and writes results back.

mod arithmetic;
mod elementary;
mod float;
mod rounding;
mod text;

pub(crate) use elementary::Function;
pub(crate) use float::{BinaryFloat, Class};
pub(crate) use rounding::{Context, RoundingMode};
pub(crate) use text::{parse, parse_integer, scientific};
