//! Address spaces: pointers of which only the type says that they may point anywhere.
//!
//! A pointer that the host gives, in a structure or as a number, points to memory of the device: the host has no other addresses.
//! Passes carry this on. What is left may point to memory of the item, as its allocations do; AIR cannot say more.

use super::refused;
use crate::error::EmitError;
use crate::llvm::{AirDraft, Function, Val};
use kiln_targets::AddressSpaces;
use llvm_sys::LLVMOpcode as Op;

/// The steps of a search for the memory of a pointer, at most.
const STEPS_MAX: usize = 1000;

/// Gives pointers that are loaded from the device's memory, or made of numbers, the address space of the device. Returns whether there
/// are any.
pub(super) fn assume_device(module: AirDraft<'_>, entry: Function, spaces: &AddressSpaces) -> bool {
    let mut found = false;
    let device = module.ptr_in(spaces.global);
    for it in module.all_instructions(entry) {
        if module.space_of(it) != Some(spaces.generic) {
            continue;
        }
        let operands = module.operands(it);
        let is_device = match module.opcode(it) {
            Some(Op::LLVMLoad) => !may_be_private(module, operands[0], spaces),
            Some(Op::LLVMIntToPtr) => !may_be_private(module, operands[0], spaces),
            _ => false,
        };
        if !is_device {
            continue;
        }
        found = true;
        module.before(it);
        let pointer = match module.opcode(it) {
            Some(Op::LLVMLoad) => module.load(device, operands[0], module.alignment(it)),
            _ => module.cast(Op::LLVMIntToPtr, operands[0], device),
        };
        let generic = module.in_space(pointer, module.type_of(it));
        module.replace(it, generic);
    }
    found
}

/// Whether a pointer, or a number that becomes one, may be an address of memory of the item: of an allocation, or one that is found there.
/// Memory of the device has addresses of the device alone; so has that of the group, whose own addresses numbers must not be.
fn may_be_private(module: AirDraft<'_>, value: Val, spaces: &AddressSpaces) -> bool {
    let is_number = module.space_of(value).is_none();
    let (mut waiting, mut seen) = (vec![(value, is_number)], Vec::new());
    while let Some((it, is_number)) = waiting.pop() {
        if seen.contains(&it) {
            continue;
        }
        seen.push(it);
        match module.space_of(it) {
            Some(space) if space == spaces.generic => {}
            Some(space) if is_number && space != spaces.global => return true,
            Some(_) => continue,
            None => {}
        }
        let operands = module.operands(it);
        match module.opcode(it) {
            Some(Op::LLVMLoad) => waiting.push((operands[0], false)),
            Some(Op::LLVMGetElementPtr | Op::LLVMFreeze | Op::LLVMAddrSpaceCast) => {
                waiting.push((operands[0], is_number));
            }
            Some(Op::LLVMIntToPtr | Op::LLVMPtrToInt | Op::LLVMPtrToAddr) => {
                waiting.push((operands[0], true))
            }
            Some(Op::LLVMPHI) => waiting.extend(module.incoming(it).into_iter().map(|it| (it.1, is_number))),
            Some(Op::LLVMSelect) => waiting.extend(operands[1..].iter().map(|it| (*it, is_number))),
            // Numbers that are computed, or asked for.
            Some(Op::LLVMCall) if module.space_of(it).is_none() => {}
            Some(_) if module.space_of(it).is_none() => {
                waiting.extend(operands.into_iter().map(|it| (it, true)));
            }
            None if module.space_of(it).is_none() || module.is_no_address(it) => {}
            _ => return true,
        }
        if seen.len() > STEPS_MAX {
            return true;
        }
    }
    false
}

/// Returns a pointer in the address space that it was converted from; `None` if it has none.
#[expect(clippy::wildcard_enum_match_arm, reason = "other pointers were not converted")]
fn unconverted(module: AirDraft<'_>, pointer: Val) -> Option<Val> {
    let operands = module.operands(pointer);
    match module.opcode(pointer)? {
        Op::LLVMAddrSpaceCast => Some(operands[0]),
        Op::LLVMGetElementPtr if operands.len() == 2 => {
            let base = unconverted(module, operands[0])?;
            module.before(pointer);
            Some(module.gep(module.indexed_type(pointer), base, operands[1]))
        }
        _ => None,
    }
}

/// Makes volatile accesses go to the address space of their memory: passes leave them as they are.
pub(super) fn follow_volatile(module: AirDraft<'_>, entry: Function, spaces: &AddressSpaces) {
    for it in module.all_instructions(entry) {
        let index = match module.opcode(it) {
            Some(Op::LLVMLoad) => 0,
            Some(Op::LLVMStore) => 1,
            _ => continue,
        };
        let address = module.operands(it)[index];
        if module.space_of(address) == Some(spaces.generic)
            && let Some(specific) = unconverted(module, address)
        {
            module.set_operand(it, index, specific);
        }
    }
}

/// Returns the operands of an instruction that are addresses of memory which it accesses.
fn address_of(module: AirDraft<'_>, it: Val) -> Vec<Val> {
    let operands = module.operands(it);
    match module.opcode(it) {
        Some(Op::LLVMLoad | Op::LLVMAtomicRMW | Op::LLVMAtomicCmpXchg) => vec![operands[0]],
        Some(Op::LLVMStore) => vec![operands[1]],
        Some(Op::LLVMCall) => operands[..module.argument_count(it)].to_vec(),
        _ => Vec::new(),
    }
}

/// Checks that accesses through pointers without an address space are of the item's own memory.
///
/// # Errors
/// Fails with the first access that is not.
pub(super) fn check(module: AirDraft<'_>, entry: Function) -> Result<(), EmitError> {
    for it in module.all_instructions(entry) {
        for address in address_of(module, it) {
            if module.space_of(address) == Some(0) && !is_private(module, address) {
                let message = "an access of memory of which it is not known whether it is the device's, the group's or the \
                               item's: AIR has no instruction for that";
                return Err(refused(module, it, message.into()));
            }
        }
    }
    Ok(())
}

/// Whether a pointer points to an allocation of the item.
fn is_private(module: AirDraft<'_>, pointer: Val) -> bool {
    let (mut waiting, mut seen) = (vec![pointer], Vec::<Val>::new());
    while let Some(it) = waiting.pop() {
        if seen.contains(&it) {
            continue;
        }
        seen.push(it);
        let operands = module.operands(it);
        match module.opcode(it) {
            Some(Op::LLVMAlloca) => {}
            Some(Op::LLVMGetElementPtr | Op::LLVMFreeze) => waiting.push(operands[0]),
            Some(Op::LLVMPHI) => waiting.extend(module.incoming(it).into_iter().map(|it| it.1)),
            Some(Op::LLVMSelect) => waiting.extend(&operands[1..]),
            _ => return false,
        }
        if seen.len() > STEPS_MAX {
            return false;
        }
    }
    true
}

/// Makes one step of bytes of several: Apple's compiler is reported to lose accesses through a chain of them.
pub(super) fn merge_byte_steps(module: AirDraft<'_>, entry: Function) {
    let byte = module.int(8);
    let steps = |it: Val| {
        let operands = module.operands(it);
        let is_step = module.opcode(it) == Some(Op::LLVMGetElementPtr)
            && module.indexed_type(it) == byte
            && operands.len() == 2;
        is_step.then(|| (operands[0], operands[1]))
    };
    for it in module.all_instructions(entry) {
        let Some((mut base, second)) = steps(it) else { continue };
        let mut all = vec![second];
        // Blocks are in no order: what is below has not been merged yet.
        while let Some((below, step)) = steps(base) {
            all.push(step);
            base = below;
        }
        if all.len() < 2 {
            continue;
        }
        module.before(it);
        let long = module.int(64);
        let wide = all.into_iter().map(|it| match module.int_bits(module.type_of(it)) {
            64 => it,
            _ => module.cast(Op::LLVMSExt, it, long),
        });
        let sum = wide.reduce(|sum, it| module.add(it, sum));
        if let Some(sum) = sum {
            module.replace(it, module.gep_bytes(base, sum));
        }
    }
}
