//! Questions about the item: calls of `julia.air.NAME.TYPE` become parameters, which the driver fills.
//!
//! A question has one parameter, of the greatest type in which it is asked; Metal's language does not have it twice.

use super::{INPUTS, refused};
use crate::error::EmitError;
use crate::llvm::{AirDraft, Function, Ty, Val};
use kiln_air::ItemInput;
use llvm_sys::LLVMOpcode as Op;

/// A question, and the form of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Input {
    /// The question.
    pub(super) what: ItemInput,
    /// The numbers of the answer, 1 to 3.
    count: u32,
    /// The bits of each number, 16 or 32.
    bits: u32,
}

impl Input {
    /// Returns the question that a function asks; `None` if there is none of this name.
    fn of_name(name: &str) -> Option<Self> {
        let (what, ty) = name.strip_prefix(INPUTS)?.rsplit_once('.')?;
        let what = ItemInput::from_name(&format!("air.{what}"))?;
        let (count, bits) = match ty {
            "i16" => (1, 16),
            "i32" => (1, 32),
            "v2i16" => (2, 16),
            "v2i32" => (2, 32),
            "v3i16" => (3, 16),
            "v3i32" => (3, 32),
            _ => return None,
        };
        (count == 1 || what.has_dimensions()).then_some(Self { what, count, bits })
    }

    /// Returns the questions that a function asks, in the order in which it asks them first.
    pub(super) fn asked(module: AirDraft<'_>, function: Function) -> Result<Vec<Self>, EmitError> {
        let mut all: Vec<Self> = Vec::new();
        for (call, name) in calls(module, function) {
            let unknown = || refused(module, call, format!("AIR has no answer to `{name}`"));
            let it = Self::of_name(&name).ok_or_else(unknown)?;
            if module.type_of(call) != it.ty(module) {
                return Err(unknown());
            }
            match all.iter_mut().find(|other| other.what == it.what) {
                Some(known) => {
                    *known =
                        Self { count: known.count.max(it.count), bits: known.bits.max(it.bits), ..*known }
                }
                None => all.push(it),
            }
        }
        Ok(all)
    }

    /// Returns the type of the answer.
    pub(super) fn ty(self, module: AirDraft<'_>) -> Ty {
        let number = module.int(self.bits);
        if self.count == 1 { number } else { module.vector(number, self.count) }
    }
}

/// Returns the calls that ask about the item, with the names of the functions.
fn calls(module: AirDraft<'_>, function: Function) -> Vec<(Val, String)> {
    let all = module.all_instructions(function).into_iter();
    let calls = all.filter(|it| module.opcode(*it) == Some(Op::LLVMCall));
    let named = calls.filter_map(|it| Some((it, module.called_name(it)?)));
    named.filter(|it| it.1.starts_with(INPUTS)).collect()
}

/// The mark of a parameter that answers a question: AIR's name of it.
const MARK: &str = "kiln-input";

/// Returns the question that a parameter answers.
pub(super) fn of_param(module: AirDraft<'_>, entry: Function, param: usize) -> Option<ItemInput> {
    ItemInput::from_name(&module.param_text(entry, param, MARK)?)
}

/// Replaces each question in an entry by the parameter that answers it; the first of them has the index `first`.
pub(super) fn answer(module: AirDraft<'_>, entry: Function, first: usize, asked: &[Input]) {
    for (at, it) in asked.iter().enumerate() {
        module.set_param_text(entry, first + at, MARK, it.what.name());
    }
    for (call, name) in calls(module, entry) {
        let Some(it) = Input::of_name(&name) else { continue };
        let Some(at) = asked.iter().position(|other| other.what == it.what) else { continue };
        let known = asked[at];
        module.before(call);
        let mut value = module.param(entry, first + at);
        if it.count == 1 && known.count > 1 {
            value = module.element(value, 0);
        } else if it.count < known.count {
            value = module.shuffle(value, &(0..it.count).collect::<Vec<_>>());
        }
        if it.bits < known.bits {
            value = module.cast(Op::LLVMTrunc, value, it.ty(module));
        }
        module.replace(call, value);
    }
}
