//! Comparisons of item indices, in a form that Intel's OpenCL driver for processors compiles right.
//!
//! Where a condition bounds the index of an item, that driver runs the items of a group from the lower to the upper bound, and computes
//! the two wrong for a signed comparison of a sum that has the item's index in its group:
//!
//! * An upper bound that belongs to the range (`local_id + start <= n`) drops the last item of a group where it is the only one.
//! * A sum that may be negative (`local_id - 1 + start`) drops further items, for each comparison.
//!
//! OpenCL C shows the same (driver 2026.2, kernels of two dimensions). Comparisons of a sum below a bound, and unsigned ones,
//! are right.

use crate::llvm::{Convention, Module, Val};
use llvm_sys::LLVMIntPredicate::{
    self as Int, LLVMIntEQ, LLVMIntNE, LLVMIntSGE, LLVMIntSGT, LLVMIntSLE, LLVMIntSLT, LLVMIntUGE,
    LLVMIntUGT, LLVMIntULE, LLVMIntULT,
};
use llvm_sys::LLVMOpcode as Op;

/// The function of an item's index in its group.
const INDEX_IN_GROUP: &str = "_Z12get_local_idj";
/// The function of the number of dimensions, which is the same for all items.
const DIMENSIONS: &str = "_Z12get_work_dimv";
/// The depth to which sums are searched. Those of indices have a few terms.
const DEPTH: u32 = 12;

/// Replaces the signed comparisons of item indices that the driver computes wrong.
pub(crate) fn compare_indices(module: &Module) {
    let blocks = module.bodies().into_iter().flat_map(|it| module.blocks_of(it));
    let compared: Vec<Val> = blocks
        .flat_map(|it| module.instructions_of(it))
        .filter(|it| module.opcode(*it) == Some(Op::LLVMICmp))
        .collect();
    for comparison in compared {
        if let Some(found) = Comparison::of(module, comparison) {
            module.before(comparison);
            let value = found.in_another_form(module);
            module.replace(comparison, value);
        }
    }
}

/// A signed comparison of an item's index with a bound.
struct Comparison {
    index: Val,
    predicate: Int,
    bound: Val,
}

impl Comparison {
    /// Returns the comparison that an instruction is, with the index on the left, if it is such a one.
    fn of(module: &Module, instruction: Val) -> Option<Self> {
        let predicate = module.int_predicate(instruction);
        let swapped = match predicate {
            LLVMIntSLT => LLVMIntSGT,
            LLVMIntSLE => LLVMIntSGE,
            LLVMIntSGT => LLVMIntSLT,
            LLVMIntSGE => LLVMIntSLE,
            LLVMIntEQ | LLVMIntNE | LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE => return None,
        };
        let operands = module.operands(instruction);
        let [left, right] = operands[..] else { return None };
        if has_index_in_group(module, left, DEPTH) {
            Some(Self { index: left, predicate, bound: right })
        } else if has_index_in_group(module, right, DEPTH) {
            Some(Self { index: right, predicate: swapped, bound: left })
        } else {
            None
        }
    }

    /// Emits it in a form that the driver compiles right, at the module's place.
    fn in_another_form(&self, module: &Module) -> Val {
        let Self { index, predicate, bound } = *self;
        let zero = module.zero(module.type_of(index));
        if !is_at_least_zero(module, index, DEPTH) {
            return module.icmp(predicate, module.xor(index, hidden_zero(module, index)), bound);
        }
        // A bound below zero is above all indices without signs.
        if predicate == LLVMIntSLE {
            let has_items = module.icmp(LLVMIntSGE, bound, zero);
            module.and(has_items, module.icmp(LLVMIntULE, index, bound))
        } else if predicate == LLVMIntSGT {
            let has_none = module.icmp(LLVMIntSLT, bound, zero);
            module.or(has_none, module.icmp(LLVMIntUGT, index, bound))
        } else {
            module.icmp(predicate, index, bound)
        }
    }
}

/// Emits a zero of the type of `like` that no driver knows to be one: a kernel has one to three dimensions.
fn hidden_zero(module: &Module, like: Val) -> Val {
    let int = module.int(32);
    let dimensions = module.declared(DIMENSIONS, int, &[], &["memory", "nounwind", "willreturn"]);
    module.set_convention(dimensions, Convention::SpirFunction);
    let none = module.int_eq(module.call(dimensions, &[]), module.const_u32(0));
    module.resize(none, module.type_of(like))
}

/// Whether a value is a sum with an item's index in its group.
fn has_index_in_group(module: &Module, value: Val, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match module.opcode(value) {
        Some(Op::LLVMCall) => module.called_name(value).is_some_and(|it| it == INDEX_IN_GROUP),
        Some(Op::LLVMAdd | Op::LLVMSub | Op::LLVMOr | Op::LLVMTrunc | Op::LLVMZExt | Op::LLVMSExt) => {
            module.operands(value).into_iter().any(|it| has_index_in_group(module, it, depth))
        }
        _ => false,
    }
}

/// Whether a value is known not to be negative: of ranges and of operations that do not wrap.
fn is_at_least_zero(module: &Module, value: Val, depth: u32) -> bool {
    if let Some(constant) = module.int_constant(value) {
        return constant >= 0;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    let operands = || module.operands(value);
    let all = || operands().into_iter().all(|it| is_at_least_zero(module, it, depth));
    match module.opcode(value) {
        Some(Op::LLVMCall) => module.range_of(value).is_some_and(|(low, _)| low >= 0),
        Some(Op::LLVMZExt) => true,
        Some(Op::LLVMAdd | Op::LLVMMul | Op::LLVMShl) => module.has_no_signed_wrap(value) && all(),
        Some(Op::LLVMOr | Op::LLVMSExt) => all(),
        Some(Op::LLVMTrunc) => {
            let high = module.range_of(operands()[0]).filter(|(low, _)| *low >= 0).map(|(_, high)| high);
            let bits = module.int_bits(module.type_of(value));
            high.is_some_and(|it| bits < 64 && it <= 1 << (bits - 1))
        }
        _ => false,
    }
}
