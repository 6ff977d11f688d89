//! Accesses of screened kernels: the comparison of one item's becomes one of all lanes; see [`crate::screen`].

use super::divergence::Shape;
use super::widen::BlockCode;
use crate::llvm::{Module, Val};
use crate::screen::{Comparison, Form, is_of_screen};
use llvm_sys::LLVMOpcode as Op;

/// Whether a call is one of the screen.
pub(super) fn is_screen(module: &Module, call: Val) -> bool {
    module.called_name(call).is_some_and(|it| is_of_screen(&it))
}

impl BlockCode<'_, '_> {
    /// Emits a call of the screen.
    pub(super) fn screen(&mut self, it: Val) {
        let module = self.values.module;
        let operands = module.operands(it);
        let shapes: Vec<Shape> = operands.iter().map(|it| self.divergence.shape(*it)).collect();
        let name = module.called_name(it).unwrap_or_default();
        let Some(of_item) = Comparison::of_name(&name) else {
            // What is declared for one lane is for all.
            if shapes.iter().all(|it| *it == Shape::Uniform) {
                self.scalar(it);
            } else {
                self.lane_by_lane(it);
            }
            return;
        };
        let bytes = i64::from(of_item.bytes);
        let form = match (shapes[1], shapes[3]) {
            // The launcher gets a bit for each lane.
            _ if self.values.lanes > 64 => {
                self.lane_by_lane(it);
                return;
            }
            (Shape::Uniform, Shape::Linear(1)) => Form::Same,
            (Shape::Linear(stride), Shape::Linear(1)) if stride == bytes => Form::Row(self.values.lanes),
            _ => {
                self.lane_by_lane(it);
                return;
            }
        };
        let mut given: Vec<Val> = operands[..4].iter().map(|it| self.base(*it)).collect();
        given.push(match form {
            Form::Row(_) => self.full_mask(),
            Form::One | Form::Same => self.lane_bits(),
        });
        module.call(Comparison { form, ..of_item }.declared(module), &given);
    }

    /// Returns a bit for each lane that is active.
    fn lane_bits(&self) -> Val {
        let (module, lanes) = (self.values.module, self.values.lanes);
        let bits = module.cast(Op::LLVMBitCast, self.full_mask(), module.int(lanes));
        module.resize(bits, module.int(64))
    }
}
