//! Comparisons of a value that grows with the lane and one that is the same in all lanes.

use super::divergence::{Divergence, Shape};
use super::item_loop;
use super::values::Values;
use crate::llvm::{Module, Val};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};

/// A comparison of a linear with a uniform value. The linear value is far from the ends of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearTest {
    linear: Val,
    uniform: Val,
    predicate: Int,
    /// The growth of the linear value from lane to lane.
    stride: i64,
}

impl LinearTest {
    /// Returns a condition as such a comparison, or, if it is not `wanted`, its negation.
    pub(super) fn new(
        module: &Module,
        divergence: &Divergence,
        condition: Val,
        wanted: bool,
    ) -> Option<Self> {
        if module.opcode(condition) != Some(Op::LLVMICmp) {
            return None;
        }
        let [a, b] = module.operands(condition)[..] else { return None };
        let predicate = module.int_predicate(condition);
        let predicate = if wanted { predicate } else { inverse(predicate) };
        let of = |linear, uniform, predicate| {
            let Shape::Linear(stride @ 1..=64) = divergence.shape(linear) else { return None };
            let fits = divergence.is_far_from_wrapping(module, linear, is_unsigned(predicate))
                && divergence.shape(uniform) == Shape::Uniform
                && predicate != Int::LLVMIntNE;
            fits.then_some(Self { linear, uniform, predicate, stride })
        };
        of(a, b, predicate).or_else(|| of(b, a, item_loop::swapped(predicate)?))
    }

    /// Returns the linear value, the uniform one, and how they are compared, if the linear value grows by one: the items for
    /// which it holds are neighbours.
    pub(super) fn of_neighbours(&self) -> Option<(Val, Val, Int)> {
        (self.stride == 1).then_some((self.linear, self.uniform, self.predicate))
    }

    /// Returns the values of lane 0, in 64 bits: a lane that is not active may wrap around a narrower type.
    fn values(&self, values: &mut Values<'_>, divergence: &Divergence) -> (Val, Val) {
        let module = values.module;
        let ty = module.int(64);
        let extend = if is_unsigned(self.predicate) { Op::LLVMZExt } else { Op::LLVMSExt };
        let widened = |it| if module.type_of(it) == ty { it } else { module.cast(extend, it, ty) };
        (widened(values.base(divergence, self.linear)), widened(values.base(divergence, self.uniform)))
    }

    /// Returns whether it may hold in some lane.
    pub(super) fn may_hold(&self, values: &mut Values<'_>, divergence: &Divergence) -> Val {
        let (base, bound) = self.values(values, divergence);
        let module = values.module;
        let last = module.const_i64(self.stride * i64::from(values.lanes - 1));
        match self.predicate {
            Int::LLVMIntEQ => module.icmp(Int::LLVMIntULE, module.sub(bound, base), last),
            Int::LLVMIntSGT | Int::LLVMIntSGE | Int::LLVMIntUGT | Int::LLVMIntUGE => {
                module.icmp(self.predicate, module.add(base, last), bound)
            }
            _ => module.icmp(self.predicate, base, bound),
        }
    }

    /// Returns the lanes in which it holds, for numbers of 64 bits of which only a part of 32 bits grows with the lane: that is
    /// compared, with the uniform value less the rest, which is the same for all items.
    pub(super) fn lanes(&self, values: &mut Values<'_>, divergence: &Divergence) -> Option<Val> {
        let module = values.module;
        let sum = Sum::new(module, divergence, self.linear)?;
        let (wide, narrow) = (module.int(64), module.int(32));
        let limited = |name, it, limit: i64| {
            module.intrinsic(name, &[wide], &[it, module.const_int(wide, i128::from(limit) as u128)])
        };
        let mut bound = values.base(divergence, self.uniform);
        if is_unsigned(self.predicate) {
            bound = limited("llvm.umin", bound, i64::MAX);
        }
        let extended = |values: &mut Values<'_>, term| {
            let term = values.base(divergence, term);
            if module.type_of(term) == wide { term } else { module.cast(Op::LLVMSExt, term, wide) }
        };
        let mut shared = module.const_i64(0);
        for term in sum.terms {
            shared = module.add(shared, extended(values, term));
        }
        let left = module.intrinsic("llvm.ssub.sat", &[wide], &[bound, shared]);
        let left = limited("llvm.smax", limited("llvm.smin", left, i32::MAX.into()), i32::MIN.into());
        let left = module.splat(module.resize(left, narrow), values.lanes);
        let base = module.resize(values.base(divergence, sum.part), narrow);
        let part = module.add(module.splat(base, values.lanes), values.multiples(narrow, self.stride));
        Some(module.icmp(signed(self.predicate), part, left))
    }
}

/// Returns the values that the code of a comparison, or of a branch, reads beside the operands.
pub(super) fn read_beside(module: &Module, divergence: &Divergence, it: Val) -> Vec<Val> {
    match module.opcode(it) {
        Some(Op::LLVMICmp) => {
            let test = LinearTest::new(module, divergence, it, true);
            let sum = test.and_then(|it| Sum::new(module, divergence, it.linear));
            sum.map_or_else(Vec::new, |it| it.terms.into_iter().chain([it.part]).collect())
        }
        Some(Op::LLVMBr) => {
            let Some(condition) = module.operands(it).first().copied() else { return Vec::new() };
            let tests = [true, false].map(|wanted| LinearTest::new(module, divergence, condition, wanted));
            tests.into_iter().flatten().flat_map(|it| [it.linear, it.uniform]).collect()
        }
        _ => Vec::new(),
    }
}

/// A linear value of 64 bits as the sum of a linear part, strictly between the least and the greatest number of 32 bits, and of
/// uniform terms. No partial sum wraps, and values that are extended without sign are natural, so all are sums of signed numbers.
struct Sum {
    part: Val,
    terms: Vec<Val>,
}

impl Sum {
    fn new(module: &Module, divergence: &Divergence, linear: Val) -> Option<Self> {
        if module.int_bits(module.type_of(linear)) != 64 {
            return None;
        }
        let (mut part, mut terms) = (linear, Vec::new());
        loop {
            let range = divergence.range(module, part)?;
            let operands = module.operands(part);
            let is_uniform = |at: usize| divergence.shape(operands[at]) == Shape::Uniform;
            match module.opcode(part) {
                Some(Op::LLVMAdd) if is_uniform(0) || is_uniform(1) => {
                    let at = usize::from(is_uniform(1));
                    terms.push(operands[at]);
                    part = operands[1 - at];
                }
                Some(Op::LLVMSExt | Op::LLVMZExt) => part = operands[0],
                _ => {
                    let fits = range.0 > i32::MIN.into() && range.1 < i32::MAX.into();
                    return fits.then_some(Self { part, terms });
                }
            }
        }
    }
}

/// Returns the comparison of signed numbers that stands for one of natural numbers.
pub(super) fn signed(predicate: Int) -> Int {
    match predicate {
        Int::LLVMIntUGT => Int::LLVMIntSGT,
        Int::LLVMIntUGE => Int::LLVMIntSGE,
        Int::LLVMIntULT => Int::LLVMIntSLT,
        Int::LLVMIntULE => Int::LLVMIntSLE,
        Int::LLVMIntEQ
        | Int::LLVMIntNE
        | Int::LLVMIntSGT
        | Int::LLVMIntSGE
        | Int::LLVMIntSLT
        | Int::LLVMIntSLE => predicate,
    }
}

/// Returns the comparison that holds where one does not.
fn inverse(predicate: Int) -> Int {
    match predicate {
        Int::LLVMIntEQ => Int::LLVMIntNE,
        Int::LLVMIntNE => Int::LLVMIntEQ,
        Int::LLVMIntSGT => Int::LLVMIntSLE,
        Int::LLVMIntSGE => Int::LLVMIntSLT,
        Int::LLVMIntSLT => Int::LLVMIntSGE,
        Int::LLVMIntSLE => Int::LLVMIntSGT,
        Int::LLVMIntUGT => Int::LLVMIntULE,
        Int::LLVMIntUGE => Int::LLVMIntULT,
        Int::LLVMIntULT => Int::LLVMIntUGE,
        Int::LLVMIntULE => Int::LLVMIntUGT,
    }
}

/// Whether a comparison is of natural numbers.
pub(super) fn is_unsigned(predicate: Int) -> bool {
    matches!(predicate, Int::LLVMIntUGT | Int::LLVMIntUGE | Int::LLVMIntULT | Int::LLVMIntULE)
}
