//! Ranges of integers, to know that a sum does not wrap for any item.

use crate::llvm::{Module, TypeKind, Val};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::FxHashMap;

/// The least and the greatest value, signed.
pub(super) type Interval = (i128, i128);

/// Numbers of at most this size are so far from the ends of 64 bits that a lane's part of 32 bits may be added to them.
const FAR: i128 = (1 << 63) - (1 << 33);

/// The steps from a value to facts, at most.
const DEPTH_MAX: u32 = 12;

/// Ranges of values, each of which holds for all items, whether they are active or not.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    known: FxHashMap<Val, Interval>,
}

impl Ranges {
    /// Notes the range of a value.
    pub(super) fn set(&mut self, value: Val, range: (i64, i64)) {
        self.known.insert(value, (range.0.into(), range.1.into()));
    }

    /// Whether a value is not negative.
    pub(super) fn is_natural(&mut self, module: &Module, value: Val) -> bool {
        self.of(module, value, 0).is_some_and(|it| it.0 >= 0)
    }

    /// Whether a value is computed without wrapping.
    pub(super) fn is_exact(&mut self, module: &Module, value: Val) -> bool {
        self.of(module, value, 0).is_some()
    }

    /// Whether a value is computed without wrapping, and is so far from the ends of 64 bits that some strides are as well. If
    /// `unsigned`, it is not negative.
    pub(super) fn is_far_from_wrapping(&mut self, module: &Module, value: Val, unsigned: bool) -> bool {
        self.of(module, value, 0).is_some_and(|it| it.1 <= FAR && it.0 >= if unsigned { 0 } else { -FAR })
    }

    /// Returns the range of an integer of at most 64 bits; `None` if the computation of it may wrap, or is unknown.
    pub(super) fn of(&mut self, module: &Module, value: Val, depth: u32) -> Option<Interval> {
        if let Some(known) = self.known.get(&value) {
            return Some(*known);
        }
        if let Some(constant) = module.int_constant(value) {
            return Some((constant.into(), constant.into()));
        }
        let TypeKind::Int(bits @ 2..=64) = module.type_kind(module.type_of(value)) else { return None };
        if depth > DEPTH_MAX {
            return None;
        }
        let found = self.computed(module, value, bits, depth)?;
        let limit = 1i128 << (bits - 1);
        (found.0 >= -limit && found.1 < limit).then(|| {
            self.known.insert(value, found);
            found
        })
    }

    fn computed(&mut self, module: &Module, value: Val, bits: u32, depth: u32) -> Option<Interval> {
        let operands = module.operands(value);
        let mut operand = |at: usize| self.of(module, *operands.get(at)?, depth + 1);
        match module.opcode(value)? {
            Op::LLVMAdd => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some((a.0 + b.0, a.1 + b.1))
            }
            Op::LLVMSub => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some((a.0 - b.1, a.1 - b.0))
            }
            Op::LLVMMul => {
                let (a, b) = (operand(0)?, operand(1)?);
                let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                Some((*all.iter().min()?, *all.iter().max()?))
            }
            Op::LLVMShl => {
                let (a, by) = (operand(0)?, module.int_constant(operands[1])?);
                (0..63).contains(&by).then(|| (a.0 << by, a.1 << by))
            }
            Op::LLVMSExt => operand(0),
            Op::LLVMZExt => match operand(0) {
                Some(it) if it.0 >= 0 => Some(it),
                _ => match module.type_kind(module.type_of(operands[0])) {
                    TypeKind::Int(from @ 1..=63) => Some((0, (1i128 << from) - 1)),
                    _ => None,
                },
            },
            Op::LLVMTrunc => operand(0),
            Op::LLVMLoad | Op::LLVMCall => {
                let (low, high) = module.range_of(value)?;
                Some((low.into(), i128::from(high) - 1))
            }
            Op::LLVMAnd => {
                let mask = module.int_constant(operands[1])?;
                (mask >= 0).then_some((0, mask.into()))
            }
            Op::LLVMLShr => {
                let by = module.int_constant(operands[1])?;
                (1..i64::from(bits)).contains(&by).then(|| (0, (1i128 << (i64::from(bits) - by)) - 1))
            }
            Op::LLVMAShr => {
                let by = module.int_constant(operands[1]).filter(|by| (1..i64::from(bits)).contains(by))?;
                let any = 1i128 << (i64::from(bits) - 1 - by);
                Some(operand(0).map_or((-any, any - 1), |it| (it.0 >> by, it.1 >> by)))
            }
            _ => None,
        }
    }
}
