//! Sites of compiled host code that ask something of text: the question goes to the runtime with the bytes that the operands are, and the
//! bits of the answer go back. Operands of other forms go the way of interpreted code.

use crate::statement_operand::Source;
use crate::trusted;
use crate::value_form::ValueForm;
use kiln_ir::{Op, StmtData};
use kiln_runtime::heap::text;
use kiln_runtime::host::{TextAnswer, TextOperand, TextQuestion, substring_type};
use kiln_runtime::{Heap, Runtime, Value};

/// The operands that a question has at most.
const OPERANDS_MAX: usize = 4;
/// Bytes of a `SubString{String}`: the string, the bytes before the part, and the bytes of the part.
const PART_BYTES: usize = 24;

/// A site.
#[derive(Debug)]
pub(crate) struct TextSite {
    question: TextQuestion,
    operands: Box<[Operand]>,
    answer: AnswerForm,
}

/// An operand; numbers are offsets.
#[derive(Debug)]
enum Operand {
    KnownText(Box<[u8]>),
    KnownChar(u32),
    KnownWord(i64),
    /// A `String`, by its address.
    String(u32),
    /// A `SubString{String}`.
    Part(u32),
    Char(u32),
    Int(u32),
    Bool(u32),
}

/// How compiled code holds an answer.
#[derive(Debug)]
enum AnswerForm {
    /// A number of so many bytes.
    Number(usize),
    /// A number or `nothing`, told apart by a tag behind the bytes of the union.
    Optional { number_bytes: usize, tag_at: usize, number_tag: u8, nothing_tag: u8 },
}

/// Writes the low bytes of a number. Returns false if there is no room.
#[inline]
fn write_number(bits: u128, bytes: usize, to: &mut [u8]) -> bool {
    let bits = bits.to_le_bytes();
    let places = to.get_mut(..bytes).zip(bits.get(..bytes));
    places.map(|(to, from)| to.copy_from_slice(from)).is_some()
}

impl TextSite {
    /// The site of a statement, if it is one.
    pub(crate) fn find(
        rt: &Runtime,
        data: &StmtData,
        operands: &[Source],
        result: &ValueForm,
    ) -> Option<Self> {
        let Op::Host(function, _) = &data.op else { return None };
        let known = operands.first().and_then(|it| match it {
            Source::Known(value) => Some(*value),
            Source::Passed(..) => None,
        });
        let (question, first) = TextQuestion::of(rt, *function, known)?;
        let operands = operands.get(first..).filter(|it| it.len() <= OPERANDS_MAX)?;
        let operands: Box<[_]> = operands.iter().map(|it| Operand::of(rt, it)).collect::<Option<_>>()?;
        let answer = AnswerForm::of(rt, question, result)?;
        Some(Self { question, operands, answer })
    }

    /// Answers by the operands that compiled code passes, and writes the answer. Returns false if the question has to be asked by values.
    #[inline]
    pub(crate) fn serve(&self, heap: &Heap, bytes: &[u8], result: &mut [u8]) -> bool {
        let mut operands = [TextOperand::Word(0); OPERANDS_MAX];
        for (to, from) in operands.iter_mut().zip(&self.operands) {
            let Some(operand) = from.read(heap, bytes) else { return false };
            *to = operand;
        }
        let answer = self.question.answer(&operands[..self.operands.len()]);
        answer.is_some_and(|it| self.answer.write(it, result))
    }
}

impl Operand {
    fn of(rt: &Runtime, source: &Source) -> Option<Self> {
        let core = rt.heap.core();
        let (form, at) = match source {
            Source::Known(value) => return Self::known(rt, *value),
            Source::Passed(form, place) => (form, place.offset),
        };
        match form {
            ValueForm::Object => Some(Self::String(at)),
            ValueForm::Data(ty, _) if *ty == core.char => Some(Self::Char(at)),
            ValueForm::Data(ty, _) if *ty == core.int64 => Some(Self::Int(at)),
            ValueForm::Data(ty, _) if *ty == core.bool => Some(Self::Bool(at)),
            ValueForm::Data(ty, PART_BYTES) if Some(*ty) == substring_type(rt) => Some(Self::Part(at)),
            ValueForm::Data(..) | ValueForm::Ghost(_) | ValueForm::Tagged(..) => None,
        }
    }

    fn known(rt: &Runtime, value: Value) -> Option<Self> {
        let core = rt.heap.core();
        if let Some(bytes) = text::as_bytes(&rt.heap, value) {
            return Some(Self::KnownText(bytes.into()));
        }
        if value.ty() == core.char {
            return Some(Self::KnownChar(value.bits() as u32));
        }
        value.as_int(core).or_else(|| value.as_bool(core).map(i64::from)).map(Self::KnownWord)
    }

    #[inline]
    fn read<'a>(&'a self, heap: &'a Heap, bytes: &[u8]) -> Option<TextOperand<'a>> {
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|it| u64::from_le_bytes(*it));
        let string = |at: usize| text::as_bytes(heap, trusted::heap_memory(heap).object(word(at)?)?);
        Some(match *self {
            Self::KnownText(ref bytes) => TextOperand::Text(bytes),
            Self::KnownChar(bits) => TextOperand::Char(bits),
            Self::KnownWord(word) => TextOperand::Word(word),
            Self::String(at) => TextOperand::Text(string(at as usize)?),
            Self::Part(at) => {
                let at = at as usize;
                let (offset, count) = (word(at + 8)? as usize, word(at + 16)? as usize);
                TextOperand::Text(string(at)?.get(offset..offset.checked_add(count)?)?)
            }
            Self::Char(at) => {
                TextOperand::Char(u32::from_le_bytes(*bytes.get(at as usize..)?.first_chunk()?))
            }
            Self::Int(at) => TextOperand::Word(word(at as usize)? as i64),
            Self::Bool(at) => TextOperand::Word(i64::from(*bytes.get(at as usize)?)),
        })
    }
}

impl AnswerForm {
    fn of(rt: &Runtime, question: TextQuestion, form: &ValueForm) -> Option<Self> {
        let nothing = rt.heap.core().nothing;
        let wanted = question.number_type(rt);
        match form {
            ValueForm::Data(ty, size) if *ty == wanted && !question.may_be_nothing() => {
                Some(Self::Number(*size))
            }
            ValueForm::Tagged(members, payload) if question.may_be_nothing() => {
                let &[a, b] = &**members else { return None };
                let (number, number_tag) = if a.0 == nothing { (b, 1) } else { (a, 0) };
                let is_pair = (a.0 == nothing) != (b.0 == nothing);
                (is_pair && number.0 == wanted).then_some(Self::Optional {
                    number_bytes: number.1,
                    tag_at: *payload,
                    number_tag,
                    nothing_tag: 1 - number_tag,
                })
            }
            ValueForm::Data(..) | ValueForm::Tagged(..) | ValueForm::Ghost(_) | ValueForm::Object => None,
        }
    }

    /// Writes an answer. Returns false if it is not of this form.
    #[inline]
    fn write(&self, answer: TextAnswer, to: &mut [u8]) -> bool {
        match (self, answer) {
            (Self::Number(bytes), TextAnswer::Bits(bits)) => write_number(bits, *bytes, to),
            (Self::Number(_), TextAnswer::Nothing) => false,
            (Self::Optional { number_bytes, tag_at, number_tag, .. }, TextAnswer::Bits(bits)) => {
                write_number(bits, *number_bytes, to)
                    && write_number(u128::from(*number_tag), 1, to.get_mut(*tag_at..).unwrap_or_default())
            }
            (Self::Optional { tag_at, nothing_tag, .. }, TextAnswer::Nothing) => {
                write_number(u128::from(*nothing_tag), 1, to.get_mut(*tag_at..).unwrap_or_default())
            }
        }
    }
}
