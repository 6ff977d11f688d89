//! Objects for x86-64.

use super::{Job, Target};
use crate::error::{EmitError, EmitErrorKind};
use crate::llvm::{Architecture, FileKind, Machine, MachineSpec, Module};
use kiln_targets::TargetFacts;

/// Processors that run kernels as loops over items.
pub(super) struct Native;

impl Target for Native {
    fn backend(&self) -> &'static str {
        "native"
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let opt_level = job.options.opt_level;
        Machine::new(&MachineSpec { architecture: Architecture::X86, triple, cpu, features, opt_level })
    }

    fn prepare(&self, _: &Job<'_>, _: &Machine, _: &Module) -> Result<(), EmitError> {
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        let level = job.options.opt_level;
        if job.is_host {
            crate::host::failing::define(module);
        }
        let passes = if job.is_quick() { crate::passes::QUICK.into() } else { crate::passes::unit(level) };
        machine.run_passes(module, &passes)?;
        if level >= 2 && job.vector_bits > 0 {
            crate::vector::vectorize(module, machine, job.vector_bits)?;
        }
        if crate::screen::define(module) {
            machine.run_passes(module, crate::passes::INLINE)?;
        }
        if crate::regions::define_records(module) {
            machine.run_passes(module, &crate::passes::groups(level, job.is_sized))?;
        }
        if level >= 2 {
            machine.run_passes(module, &crate::passes::vectorize())?;
        } else if job.is_host && !job.is_quick() && crate::host::has_tight_loop(module) {
            machine.run_passes(module, &crate::passes::host_loops())?;
        }
        module.narrow_conversions_of_half();
        if !job.is_host {
            crate::group_atomics::unlock(module);
        }
        Ok(())
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        // LLVM reports errors in a program's inline assembly and continues.
        let (made, errors) = module.errors_of(|| machine.file(module, kind));
        if errors.is_empty() { made } else { Err(EmitErrorKind::Llvm(errors).into()) }
    }
}
