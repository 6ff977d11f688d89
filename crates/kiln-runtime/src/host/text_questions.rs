//! Questions about text that compiled code asks with the bytes in hand: no value is made of what it passes, nor of the answer. The host
//! functions answer by the same code.

use super::bytes::{TextFact, TextTypes, fact_of};
use super::integer_parse::number;
use super::printing::integer_width;
use super::search::{Needle, order, place_in, stands_at};
use super::{parse_float32, parse_float64};
use crate::{Runtime, Value};
use kiln_ir::HostFunction;
use kiln_types::Type;

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextQuestion {
    /// [`HostFunction::TextFact`], of this fact. Operands: the text.
    Fact(TextFact),
    /// [`HostFunction::FindText`]. Operands: the text, what is looked for, a place from 1, and whether to look backwards.
    Find,
    /// [`HostFunction::CompareText`]. Operands: two texts.
    Compare,
    /// [`HostFunction::HasText`]. Operands: two texts and a place from 1.
    Has,
    /// [`HostFunction::ParseInteger`]. Operands: the text and the base.
    ParseInteger {
        /// The type of the number.
        ty: Type,
        /// The width of the type.
        bits: u32,
        /// Whether the type is signed.
        signed: bool,
    },
    /// [`HostFunction::ParseFloat64`]. Operands: the text.
    ParseFloat64,
    /// [`HostFunction::ParseFloat32`]. Operands: the text.
    ParseFloat32,
}

/// An operand of a question.
#[derive(Clone, Copy, Debug)]
pub enum TextOperand<'a> {
    /// A `String` or a part of one.
    Text(&'a [u8]),
    /// A `Char`.
    Char(u32),
    /// An `Int`, or a `Bool` as 0 or 1.
    Word(i64),
}

/// The answer of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnswer {
    /// `nothing`.
    Nothing,
    /// The bits of a number.
    Bits(u128),
}

/// `SubString{String}`, once Base has it.
pub fn substring_type(rt: &Runtime) -> Option<Type> {
    TextTypes::of(rt).map(|it| it.substring)
}

impl TextQuestion {
    /// The question that a call of a host function is, and the first of the arguments that are its operands. `known` is what is known of
    /// the first argument. `None` for other functions, and for arguments that it is not asked with.
    pub fn of(rt: &Runtime, function: HostFunction, known: Option<Value>) -> Option<(Self, usize)> {
        const OF_ALL_ARGUMENTS: [(HostFunction, TextQuestion); 5] = [
            (HostFunction::FindText, TextQuestion::Find),
            (HostFunction::CompareText, TextQuestion::Compare),
            (HostFunction::HasText, TextQuestion::Has),
            (HostFunction::ParseFloat64, TextQuestion::ParseFloat64),
            (HostFunction::ParseFloat32, TextQuestion::ParseFloat32),
        ];
        if let Some((_, question)) = OF_ALL_ARGUMENTS.iter().find(|it| it.0 == function) {
            return Some((*question, 0));
        }
        let core = rt.heap.core();
        if function == HostFunction::TextFact {
            return Some((Self::Fact(fact_of(rt, known?.as_symbol(core)?)?), 1));
        }
        if function == HostFunction::ParseInteger {
            let ty = known?.as_type(core)?;
            let (bits, signed) = integer_width(&rt.heap, ty)?;
            return Some((Self::ParseInteger { ty, bits, signed }, 1));
        }
        None
    }

    /// The type of the number of an answer.
    pub fn number_type(self, rt: &Runtime) -> Type {
        let core = rt.heap.core();
        match self {
            Self::Fact(_) | Self::Find | Self::Compare => core.int64,
            Self::Has => core.bool,
            Self::ParseFloat64 => core.float64,
            Self::ParseFloat32 => core.float32,
            Self::ParseInteger { ty, .. } => ty,
        }
    }

    /// Whether an answer can be `nothing`.
    pub fn may_be_nothing(self) -> bool {
        matches!(self, Self::ParseInteger { .. } | Self::ParseFloat64 | Self::ParseFloat32)
    }

    /// The answer; `None` for operands that the question is not asked with.
    #[inline]
    pub fn answer(self, operands: &[TextOperand<'_>]) -> Option<TextAnswer> {
        use TextOperand::{Char, Text, Word};
        let word = |it: i64| TextAnswer::Bits(u128::from(it as u64));
        let maybe = |it: Option<u128>| it.map_or(TextAnswer::Nothing, TextAnswer::Bits);
        Some(match (self, operands) {
            (Self::Fact(fact), &[Text(text)]) => word(fact.about(text)),
            (Self::Find, &[Text(text), Text(what), Word(from), Word(backwards)]) => {
                word(place_in(text, Needle::of_text(what), from, backwards != 0))
            }
            (Self::Find, &[Text(text), Char(what), Word(from), Word(backwards)]) => {
                word(place_in(text, Needle::of_char(what), from, backwards != 0))
            }
            (Self::Compare, &[Text(a), Text(b)]) => word(order(a, b)),
            (Self::Has, &[Text(text), Text(what), Word(at)]) => {
                TextAnswer::Bits(u128::from(stands_at(text, what, at)))
            }
            (Self::ParseInteger { bits, signed, .. }, &[Text(text), Word(base)]) => {
                maybe(number(text, base, bits, signed))
            }
            (Self::ParseFloat64, &[Text(text)]) => {
                maybe(parse_float64(text).map(|it| u128::from(it.to_bits())))
            }
            (Self::ParseFloat32, &[Text(text)]) => {
                maybe(parse_float32(text).map(|it| u128::from(it.to_bits())))
            }
            _ => return None,
        })
    }
}
