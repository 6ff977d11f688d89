//! Loops over the rows of a region: several rows in one turn.
//!
//! A loop over rows lies inside the item loop of a column. An item waits for its own sum, and loads what all rows of the column share. In a
//! turn of several rows, the sums of different rows do not wait for each other, and the shared values are loaded once. The rows that do
//! not fill a turn run one by one.
//!
//! The private memory of an item is one place that the rows use one after the other, so rows that use private memory run one by one.
//!
//! # Deliberately absent
//! Rows with control flow of their own, calls and atomic operations.

use super::divergence::{is_hint, is_lanewise};
use crate::llvm::{Access, Block, Function, Module, NOT_UNROLLED, ROWS, SEVERAL_ROWS, Val, loop_has};
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The rows of a turn.
const ROWS_A_TURN: u32 = 4;
/// A row with fewer operations on floating-point numbers runs alone: it has no sum to wait for.
const OPERATIONS_MIN: usize = 8;
/// The instructions of a row, at most.
const SIZE_MAX: usize = 250;

/// A loop over rows that is one block: `loop { row; counter += 1; if counter >= limit break }`.
struct RowLoop {
    block: Block,
    before: Block,
    exit: Block,
    counter: Val,
    first: Val,
    limit: Val,
    /// The instructions of a row, without the counter and the branch.
    row: Vec<Val>,
}

/// Lets the loops over rows of a function take several in a turn; returns whether there is one.
pub(super) fn take_several(module: &Module, function: Function) -> bool {
    let blocks = module.blocks_of(function);
    let mut loops: Vec<RowLoop> = blocks.iter().filter_map(|it| RowLoop::new(module, *it)).collect();
    if !loops.is_empty() {
        let private = blocks_with_private_memory(module, &blocks);
        loops.retain(|it| private.as_ref().is_some_and(|blocks| !blocks.contains(&it.block)));
    }
    for it in &loops {
        it.emit(module, function);
    }
    !loops.is_empty()
}

impl RowLoop {
    fn new(module: &Module, block: Block) -> Option<Self> {
        if !loop_has(module, block, ROWS) {
            return None;
        }
        let [again, exit] = module.successors(block)[..] else { return None };
        let mut row = module.instructions_of(block);
        let (counter, end) = (*row.first()?, row.pop()?);
        if again != block || module.opcode(counter) != Some(Op::LLVMPHI) {
            return None;
        }
        let [a, b] = module.incoming(counter)[..] else { return None };
        let ((before, first), (_, next)) = if a.0 == block { (b, a) } else { (a, b) };
        row.remove(0);
        let test = *module.operands(end).first()?;
        if module.opcode(test) != Some(Op::LLVMICmp) {
            return None;
        }
        let [tested, limit] = module.operands(test)[..] else { return None };
        // The counter may be wider than the number of rows.
        let is_next = |it: Val| {
            it == next || module.opcode(it) == Some(Op::LLVMTrunc) && module.operands(it)[0] == next
        };
        let is_test = module.int_predicate(test) == Int::LLVMIntSLT && is_next(tested);
        let counts = module.opcode(next) == Some(Op::LLVMAdd)
            && module.operands(next)[0] == counter
            && module.int_constant(module.operands(next)[1]) == Some(1);
        let is_alone = module.successors(before) == [block]
            && row
                .iter()
                .chain([&counter])
                .all(|it| module.users_of(*it).into_iter().all(|it| module.block_of(it) == block))
            && !row.contains(&limit);
        let is_float = |it: &&Val| {
            matches!(
                module.opcode(**it),
                Some(Op::LLVMFAdd | Op::LLVMFSub | Op::LLVMFMul | Op::LLVMFDiv | Op::LLVMCall)
            )
        };
        let pays = row.len() <= SIZE_MAX && row.iter().filter(is_float).count() >= OPERATIONS_MIN;
        let fits = is_test && counts && is_alone && pays && row.iter().all(|it| may_interleave(module, *it));
        fits.then_some(Self { block, before, exit, counter, first, limit, row })
    }

    /// Emits a loop that takes several rows a turn, before the loop that takes one.
    fn emit(&self, module: &Module, function: Function) {
        let (several, rest) = (module.block(function), module.block(function));
        let (wide, narrow) = (module.type_of(self.counter), module.type_of(self.limit));
        let number = |ty, it: u32| module.const_int(ty, it.into());
        let enough = |from| {
            let left = module.sub(self.limit, module.resize(from, narrow));
            module.icmp(Int::LLVMIntSGE, left, number(narrow, ROWS_A_TURN))
        };
        module.reopen(self.before);
        module.at_end(self.before);
        module.cond_br(enough(self.first), several, self.block);

        module.at_end(several);
        let counter = module.phi(wide);
        module.add_incoming(counter, self.first, self.before);
        let mut copies: Vec<FxHashMap<Val, Val>> = (0..ROWS_A_TURN)
            .map(|row| FxHashMap::from_iter([(self.counter, module.add(counter, number(wide, row)))]))
            .collect();
        for &it in &self.row {
            module.locate_as(it);
            for copy in &mut copies {
                let operands = module.operands(it);
                let operands: Vec<Val> =
                    operands.into_iter().map(|it| copy.get(&it).copied().unwrap_or(it)).collect();
                copy.insert(it, module.copy_with(it, &operands));
            }
        }
        let next = module.add(counter, number(wide, ROWS_A_TURN));
        module.add_incoming(counter, next, several);
        module.cond_br(enough(next), several, rest);
        module.hint_loop(&[(SEVERAL_ROWS.into(), None), (NOT_UNROLLED.into(), None)]);

        module.at_end(rest);
        let is_left = module.icmp(Int::LLVMIntSLT, module.resize(next, narrow), self.limit);
        module.cond_br(is_left, self.block, self.exit);
        module.add_incoming(self.counter, next, rest);
        for phi in module.instructions_of(self.exit) {
            if module.opcode(phi) != Some(Op::LLVMPHI) {
                break;
            }
            if let Some((_, value)) = module.incoming(phi).into_iter().find(|it| it.0 == self.block) {
                module.add_incoming(phi, value, rest);
            }
        }
    }
}

/// Returns the blocks that access private memory, which is an allocation of the function; `None` if its address escapes.
fn blocks_with_private_memory(module: &Module, blocks: &[Block]) -> Option<FxHashSet<Block>> {
    let all = blocks.iter().flat_map(|it| module.instructions_of(*it));
    let mut waiting: Vec<Val> = all.filter(|it| module.opcode(*it) == Some(Op::LLVMAlloca)).collect();
    let (mut seen, mut found) = (FxHashSet::default(), FxHashSet::default());
    while let Some(place) = waiting.pop() {
        if !seen.insert(place) {
            continue;
        }
        for user in module.users_of(place) {
            found.insert(module.block_of(user));
            match module.opcode(user)? {
                Op::LLVMGetElementPtr | Op::LLVMBitCast | Op::LLVMSelect | Op::LLVMPHI => waiting.push(user),
                Op::LLVMLoad | Op::LLVMICmp => {}
                Op::LLVMStore if module.operands(user)[0] != place => {}
                Op::LLVMCall if is_hint(module, user) => {}
                _ => return None,
            }
        }
    }
    Some(found)
}

/// Whether an instruction of a row may run between those of other rows. Items of a region may run in any order; atomic and ordered
/// accesses keep theirs.
fn may_interleave(module: &Module, it: Val) -> bool {
    match module.opcode(it) {
        Some(Op::LLVMLoad | Op::LLVMStore) => module.access(it) == Access::Plain,
        Some(Op::LLVMCall) => is_lanewise(module, it),
        Some(
            Op::LLVMPHI
            | Op::LLVMAlloca
            | Op::LLVMAtomicRMW
            | Op::LLVMAtomicCmpXchg
            | Op::LLVMFence
            | Op::LLVMSwitch
            | Op::LLVMBr,
        )
        | None => false,
        Some(_) => true,
    }
}
