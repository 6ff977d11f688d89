//! Tables: memory of an item that holds constants, and is only read afterwards, becomes memory of constants. A tuple that a kernel
//! indexes by a number of its own is such a table.

use crate::air::is_hint;
use crate::llvm::{AirDraft, Block, ConstantForm, Contents, Function, Val};
use crate::vector::Flow;
use llvm_sys::LLVMOpcode as Op;

/// The bytes of a table, at most.
const BYTES_MAX: u64 = 1 << 14;

/// The uses of an allocation.
#[derive(Default)]
struct Uses {
    /// Stores of constants, with their offsets.
    stores: Vec<(Val, u64)>,
    loads: Vec<Val>,
    /// Calls that only say something of the memory.
    hints: Vec<Val>,
}

impl Uses {
    /// Returns the uses of an allocation; `None` if there are others than loads, and stores of constants at known places.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other uses keep the memory as it is")]
    fn of(module: AirDraft<'_>, allocation: Val) -> Option<Self> {
        let (mut uses, mut waiting) = (Self::default(), vec![(allocation, Some(0))]);
        while let Some((address, offset)) = waiting.pop() {
            for user in module.users_of(address) {
                let operands = module.operands(user);
                match module.opcode(user)? {
                    Op::LLVMLoad if module.access_order(user).is_none() => uses.loads.push(user),
                    Op::LLVMStore if operands[1] == address && operands[0] != address => {
                        let is_plain = module.access_order(user).is_none();
                        bits(module, operands[0]).filter(|_| is_plain)?;
                        uses.stores.push((user, offset?));
                    }
                    Op::LLVMGetElementPtr if operands[0] == address && operands.len() == 2 => {
                        let step = module.bytes_of(module.indexed_type(user));
                        let index = module.int_constant(operands[1]).and_then(|it| u64::try_from(it).ok());
                        let next = offset.zip(index).map(|(offset, index)| offset + index * step);
                        waiting.push((user, next));
                    }
                    Op::LLVMCall if module.called_name(user).is_some_and(|it| is_hint(&it)) => {
                        uses.hints.push(user);
                    }
                    _ => return None,
                }
            }
        }
        Some(uses)
    }

    /// Whether all stores are in one block, and all loads after them.
    fn is_in_order(&self, module: AirDraft<'_>, flow: &Flow) -> bool {
        let Some(&(first, _)) = self.stores.first() else { return false };
        let block: Block = module.block_of(first);
        let order = module.instructions_of(block);
        let place = |it: Val| order.iter().position(|other| *other == it);
        let Some(last) = self.stores.iter().map(|it| place(it.0)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let last = last.into_iter().max();
        self.loads.iter().all(|it| match place(*it) {
            Some(at) => Some(at) > last,
            None => {
                let nodes = (flow.node(block), flow.node(module.block_of(*it)));
                matches!(nodes, (Some(stores), Some(load)) if flow.dominates(stores, load))
            }
        })
    }
}

/// Returns the bytes of a constant number.
fn bits(module: AirDraft<'_>, value: Val) -> Option<Vec<u8>> {
    let contents = Contents::new(&module);
    if !contents.is_constant_value(value) {
        return None;
    }
    let bytes = usize::try_from(module.bytes_of(module.type_of(value))).ok().filter(|it| *it <= 8)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "other constants are no numbers")]
    let number = match contents.constant_form(value) {
        ConstantForm::Int(number) | ConstantForm::Float(number) => number,
        ConstantForm::Null if module.space_of(value).is_none() => 0,
        _ => return None,
    };
    Some(number.to_le_bytes()[..bytes].to_vec())
}

/// Makes tables of the allocations of an entry, in an address space. Returns whether there are any.
pub(super) fn promote(module: AirDraft<'_>, entry: Function, space: u32) -> bool {
    let flow = Flow::new(&module, entry);
    let mut found = false;
    for it in module.all_instructions(entry) {
        if module.opcode(it) != Some(Op::LLVMAlloca) {
            continue;
        }
        let Some(bytes) = module.allocated_type(it).map(|it| module.bytes_of(it)) else { continue };
        let Some(uses) = Uses::of(module, it).filter(|it| it.is_in_order(module, &flow)) else { continue };
        let mut table = vec![0; usize::try_from(bytes.min(BYTES_MAX)).unwrap_or(0)];
        let is_filled = uses.stores.iter().all(|(store, offset)| {
            let Some(value) = bits(module, module.operands(*store)[0]) else { return false };
            let Ok(start) = usize::try_from(*offset) else { return false };
            let place = table.get_mut(start..start + value.len());
            place.map(|it| it.copy_from_slice(&value)).is_some()
        });
        if !is_filled || bytes > BYTES_MAX {
            continue;
        }
        found = true;
        let others = uses.hints.into_iter().chain(uses.stores.into_iter().map(|it| it.0));
        others.for_each(|it| module.erase(it));
        let constant = module.constant_bytes(space, &table, module.alignment(it));
        module.before(it);
        module.replace(it, module.in_space(constant, module.ptr()));
    }
    found
}
