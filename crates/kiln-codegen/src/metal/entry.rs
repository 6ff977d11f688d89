//! The entry of a kernel as drivers call it: it takes all arguments by address, then the questions about the item.
//!
//! The optimized body becomes a function of its own, which the new entry calls with what it has loaded, and which is inlined.
//! Buffers have the locations 0, 1, ... in the order of the parameters; memory of the group has locations of its own.

use super::inputs::{self, Input};
use crate::error::{EmitError, TargetLimit};
use crate::llvm::{AirDraft, Function, Machine, Ty, Val};
use crate::passes::INLINE;
use crate::target::Job;
use kiln_targets::AddressSpaces;

/// The name of the old entry until it is inlined.
const BODY: &str = "kiln.body";
/// Marks of parameters that hold the address of a value of the host.
const SIZE: &str = "dereferenceable";
const ALIGN: &str = "align";

/// The way in which the body takes an argument.
enum Taken {
    /// An address, as it is.
    Address,
    /// A value of this type, in a register.
    Value(Ty),
    /// The address of a copy of a value of this type.
    Copy(Ty),
}

/// Returns the way in which the body takes each argument.
fn arguments(job: &Job<'_>, module: AirDraft<'_>, body: Function) -> Result<Vec<Taken>, EmitError> {
    let AddressSpaces { global, shared, constant, .. } = job.facts.spaces;
    let mut all = Vec::new();
    for (index, ty) in module.param_types(body).into_iter().enumerate() {
        let param = module.param(body, index);
        all.push(match (module.take_by_value(body, index), module.space_of(param)) {
            (Some(copied), _) => Taken::Copy(copied),
            (None, None) => Taken::Value(ty),
            (None, Some(space)) if [global, shared, constant].contains(&space) => Taken::Address,
            (None, Some(space)) => {
                let message = format!(
                    "argument {}: an address in memory of an item (address space {space}), which the host does not have",
                    index + 1
                );
                return Err(TargetLimit::Other(message).into());
            }
        });
    }
    Ok(all)
}

/// Returns the value of an argument for the body.
fn value_of(module: AirDraft<'_>, machine: &Machine, taken: &Taken, param: Val) -> Val {
    match taken {
        Taken::Address => param,
        Taken::Value(ty) => module.load(*ty, param, module.size_on(machine, *ty).1),
        Taken::Copy(ty) => {
            let (bytes, align) = module.size_on(machine, *ty);
            let copy = module.alloca(*ty, align);
            let types = [module.type_of(copy), module.type_of(param), module.int(64)];
            let volatile = module.zero(module.int(1));
            let length = module.const_i64(i64::from(bytes));
            let copying = module.intrinsic("llvm.memcpy", &types, &[copy, param, length, volatile]);
            [0, 1].into_iter().for_each(|it| module.align_argument(copying, it, align));
            copy
        }
    }
}

/// Replaces the entry.
pub(super) fn wrap(job: &Job<'_>, machine: &Machine, module: AirDraft<'_>) -> Result<(), EmitError> {
    let body = super::entry_of(job, module)?;
    let arguments = arguments(job, module, body)?;
    let asked = Input::asked(module, body)?;
    let device = module.ptr_in(job.facts.spaces.global);
    let types = module.param_types(body);
    let mut params: Vec<Ty> = arguments
        .iter()
        .zip(types)
        .map(|(it, ty)| if matches!(it, Taken::Address) { ty } else { device })
        .collect();
    let first_input = params.len();
    params.extend(asked.iter().map(|it| it.ty(module)));
    module.rename(body, BODY);
    let entry = module.function(job.entry, module.void(), &params);
    module.set_attribute(entry, "nounwind");
    module.at_end(module.block(entry));
    let mut values = Vec::new();
    for (index, taken) in arguments.iter().enumerate() {
        if let Taken::Value(ty) | Taken::Copy(ty) = taken {
            let (bytes, align) = module.size_on(machine, *ty);
            let marks = [("noalias", 0), ("captures", 0), ("readonly", 0)];
            for (name, number) in marks.into_iter().chain([(SIZE, bytes.into()), (ALIGN, align.into())]) {
                module.set_param(entry, index, name, number);
            }
        }
        values.push(value_of(module, machine, taken, module.param(entry, index)));
    }
    module.call(body, &values);
    module.ret(None);
    module.set_internal(body);
    module.inline_all_into(entry);
    machine.run_passes(&module, INLINE)?;
    inputs::answer(module, entry, first_input, &asked);
    Ok(())
}

/// Returns the size and the alignment of the value that a parameter is the address of; `None` if it is memory of the program.
pub(super) fn value_at(module: AirDraft<'_>, entry: Function, param: usize) -> Option<(u32, u32)> {
    let number = |name| module.param_number(entry, param, name).and_then(|it| u32::try_from(it).ok());
    Some((number(SIZE)?, number(ALIGN)?))
}
