//! Instructions that have no form for vectors: one lane after the other runs them, in ascending order.

use super::values::Wide;
use super::widen::BlockCode;
use crate::llvm::Val;
use llvm_sys::LLVMOpcode as Op;

/// Up to this many lanes, an atomic operation is unrolled, one copy a lane. A loop over lanes does not know which lane it takes from a
/// vector, and loads it from memory.
const UNROLLED_LANES_MAX: u32 = 16;

impl BlockCode<'_, '_> {
    /// Runs an instruction for each active lane.
    pub(super) fn lane_by_lane(&mut self, it: Val) -> Option<Wide> {
        let module = self.values.module;
        let operands: Vec<Wide> =
            module.operands(it).into_iter().map(|it| self.values.get(self.divergence, it)).collect();
        if module.is_claim(it) {
            return Some(self.first_lane(it, &operands));
        }
        let is_atomic = module.opcode(it) == Some(Op::LLVMAtomicRMW);
        if is_atomic && self.values.lanes <= UNROLLED_LANES_MAX {
            self.lanes_in_a_row(it, &operands)
        } else {
            self.loop_over_lanes(it, &operands)
        }
    }

    /// Returns the active lanes as bits, the first lowest.
    fn active_bits(&self) -> Val {
        let (module, lanes) = (self.values.module, self.values.lanes);
        let ty = module.int(lanes);
        match self.mask {
            Some(mask) => module.cast(Op::LLVMBitCast, mask, ty),
            None => module.const_int(ty, if lanes == 128 { u128::MAX } else { (1 << lanes) - 1 }),
        }
    }

    /// Emits a claim of the record of failures for the first active lane, in which the others fail: whether that lane gets it or
    /// not, it is taken after that.
    fn first_lane(&mut self, it: Val, operands: &[Wide]) -> Wide {
        let module = self.values.module;
        let none = module.zero(self.values.wide_type(module.type_of(it)));
        let lane = match self.mask {
            Some(_) => {
                let bits = self.active_bits();
                let is_zero_poison = module.const_int(module.int(1), 1);
                let lane = module.intrinsic("llvm.cttz", &[module.type_of(bits)], &[bits, is_zero_poison]);
                module.resize(lane, module.int(32))
            }
            None => module.const_u32(0),
        };
        module.locate_as(it);
        let given: Vec<Val> = operands.iter().map(|it| self.values.one(*it, lane)).collect();
        let made = module.copy_with(it, &given);
        Wide::Lanes(self.values.with(none, made, lane))
    }

    /// Emits a copy for each lane, and a branch around it where lanes may not be active.
    fn lanes_in_a_row(&mut self, it: Val, operands: &[Wide]) -> Option<Wide> {
        let module = self.values.module;
        let result = (!module.users_of(it).is_empty()).then(|| self.values.wide_type(module.type_of(it)));
        let mut so_far = result.map(|ty| module.poison(ty));
        let bits = self.mask.is_some().then(|| self.active_bits());
        for lane in 0..self.values.lanes {
            let skipped = bits.map(|bits| {
                let (before, run, next) =
                    (module.here(), module.block(self.values.function), module.block(self.values.function));
                let ty = module.type_of(bits);
                let own = module.and(bits, module.const_int(ty, 1 << lane));
                module.cond_br(module.int_eq(own, module.zero(ty)), next, run);
                module.at_end(run);
                (before, next)
            });
            module.locate_as(it);
            let index = module.const_u32(lane);
            let given: Vec<Val> = operands.iter().map(|it| self.values.one(*it, index)).collect();
            let made = module.copy_with(it, &given);
            let mut new = so_far.map(|it| self.values.with(it, made, index));
            if let Some((before, next)) = skipped {
                let ran = module.here();
                module.br(next);
                module.at_end(next);
                new = new.zip(so_far).map(|(new, old)| {
                    let phi = module.phi(module.type_of(new));
                    module.add_incoming(phi, old, before);
                    module.add_incoming(phi, new, ran);
                    phi
                });
            }
            so_far = new;
        }
        so_far.map(Wide::Lanes)
    }

    /// Emits a loop over the active lanes.
    fn loop_over_lanes(&mut self, it: Val, operands: &[Wide]) -> Option<Wide> {
        let module = self.values.module;
        let is_used = !module.users_of(it).is_empty();
        let result = is_used.then(|| self.values.wide_type(module.type_of(it)));
        let bits = self.active_bits();
        let bits_type = module.type_of(bits);
        let before = module.here();
        let (body, done) = (module.block(self.values.function), module.block(self.values.function));
        module.br(body);
        module.at_end(body);
        let left = module.phi(bits_type);
        module.add_incoming(left, bits, before);
        let so_far = result.map(|ty| {
            let phi = module.phi(ty);
            module.add_incoming(phi, module.poison(ty), before);
            phi
        });
        module.locate_as(it);
        let is_zero_poison = module.const_int(module.int(1), 1);
        let lane = module.intrinsic("llvm.cttz", &[bits_type], &[left, is_zero_poison]);
        let lane = module.resize(lane, module.int(32));
        let given: Vec<Val> = operands.iter().map(|it| self.values.one(*it, lane)).collect();
        let made = module.copy_with(it, &given);
        let new = so_far.map(|it| self.values.with(it, made, lane));
        let less = module.sub(left, module.const_int(bits_type, 1));
        let rest = module.and(left, less);
        module.add_incoming(left, rest, module.here());
        if let (Some(phi), Some(new)) = (so_far, new) {
            module.add_incoming(phi, new, module.here());
        }
        module.cond_br(module.int_eq(rest, module.zero(bits_type)), done, body);
        module.at_end(done);
        new.map(Wide::Lanes)
    }
}
