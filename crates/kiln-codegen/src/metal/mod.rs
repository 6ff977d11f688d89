//! AIR for Apple GPUs: an optimized kernel gets the entry, the memory and the functions that Apple's compiler knows.
//!
//! 1. The entry takes every argument by address, and what it asks about the item as further parameters ([`entry`], [`inputs`]).
//! 2. Pointers get the address space of their memory, since accesses of unknown memory do not work ([`memory`]).
//! 3. Operations of LLVM become functions of AIR ([`functions`], [`atomics`]), and items that fail return.
//! 4. [`crate::air`] writes the module in the dialect of LLVM 14, and [`library`] describes its parameters.
//!
//! # Invariants
//! * All code is in the entry: a function that was not inlined is there only if AIR defines it.
//! * Operations and intrinsics of LLVM that Apple's compiler is not known to take are refused, with the place of the function and the
//!   line. A function of AIR that a program names itself (`extern air.f`) is not checked.

mod atomics;
mod entry;
mod functions;
mod inputs;
mod library;
mod memory;
mod tables;

use crate::error::{EmitError, EmitErrorKind, TargetLimit};
use crate::llvm::{AirDraft, Function, Machine, Module, Val};
use crate::passes::{Device, device};
use crate::target::Job;
use kiln_targets::AirVersions;

pub(crate) use library::emit;

/// The prefix of functions that stand for parameters of the entry, as GPUCompiler names them.
pub(crate) const INPUTS: &str = "julia.air.";
/// The prefix of functions that AIR has.
pub(crate) const FUNCTIONS: &str = "air.";

/// Returns the versions that a module is for.
fn versions(job: &Job<'_>) -> Result<AirVersions, EmitError> {
    kiln_targets::metal_versions(job.facts)
        .ok_or_else(|| EmitErrorKind::Target("this is no target of Metal".into()).into())
}

/// Returns a refusal of an instruction, with its place.
fn refused(module: AirDraft<'_>, instruction: Val, message: String) -> EmitError {
    let place = module.place_of(instruction).map(|(file, line)| format!(" ({file}:{line})"));
    TargetLimit::Other(message + &place.unwrap_or_default()).into()
}

/// Returns the entry.
fn entry_of(job: &Job<'_>, module: AirDraft<'_>) -> Result<Function, EmitError> {
    Ok(module.defined(job.entry).ok_or(EmitErrorKind::NoEntry)?)
}

/// Prepares a linked module: all of it is to be inlined into its entry.
pub(crate) fn prepare(job: &Job<'_>, module: &Module) -> Result<(), EmitError> {
    let module = AirDraft::new(module);
    let entry = entry_of(job, module)?;
    module.inline_all_into(entry);
    functions::annotate(module);
    if job.options.fastmath {
        module.relax_floats();
    }
    Ok(())
}

/// Passes that follow address spaces through the code, and simplify what becomes known.
const FOLLOW: &str = "function<eager-inv>(infer-address-spaces,sroa,instcombine<no-verify-fixpoint>,early-cse<memssa>,\
                      infer-address-spaces,instcombine<no-verify-fixpoint>,simplifycfg,adce),globaldce,strip-dead-prototypes";

/// Passes that make no intrinsics.
const FINISH: &str = "always-inline,globaldce,function(instsimplify,adce),strip-dead-prototypes";
/// Pointers to pointers are followed so far.
const ROUNDS_MAX: u32 = 8;

/// Optimizes a module, and makes AIR of it. AIR that is not optimized does not exist: address spaces are found by passes.
pub(crate) fn legalize(job: &Job<'_>, machine: &Machine, plain: &Module) -> Result<(), EmitError> {
    let module = AirDraft::new(plain);
    let options = Device { space_inference: true, ..Device::default() };
    machine.run_passes(plain, &device(job.options.opt_level.max(1), &options))?;
    if job.is_kernel {
        entry::wrap(job, machine, module)?;
    }
    let entry = entry_of(job, module)?;
    module.move_constants(job.facts.spaces.constant);
    machine.run_passes(plain, FOLLOW)?;
    for _ in 0..ROUNDS_MAX {
        if !memory::assume_device(module, entry, &job.facts.spaces) {
            break;
        }
        machine.run_passes(plain, FOLLOW)?;
    }
    if tables::promote(module, entry, job.facts.spaces.constant) {
        machine.run_passes(plain, FOLLOW)?;
    }
    memory::follow_volatile(module, entry, &job.facts.spaces);
    module.fold_null_casts(entry);
    module.return_where_it_stops();
    functions::lower(module, entry)?;
    atomics::lower(module, entry, &versions(job)?)?;
    memory::merge_byte_steps(module, entry);
    machine.run_passes(plain, FINISH)?;
    memory::check(module, entry)
}
