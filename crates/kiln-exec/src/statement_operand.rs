//! Operands of statements that the host runs for compiled code.

use crate::value_form::ValueForm;
use kiln_runtime::{Runtime, Value};
use kiln_unit::OperandPlace;

/// An operand.
#[derive(Debug)]
pub(crate) enum Source {
    /// The host knows it.
    Known(Value),
    /// Compiled code passes it.
    Passed(ValueForm, OperandPlace),
}

impl Source {
    /// The operand, among those that compiled code passes.
    #[inline]
    pub(crate) fn value(&self, rt: &Runtime, bytes: &[u8]) -> Value {
        match self {
            Self::Known(value) => *value,
            Self::Passed(form, place) => {
                let range = place.offset as usize..(place.offset + place.size) as usize;
                form.unpack(rt, bytes.get(range).unwrap_or_default())
            }
        }
    }
}
