//! Objects for the virtual machine of the Linux kernel. It has no items: an entry is a function in `.text`.

use super::{Job, Target};
use crate::error::EmitError;
use crate::llvm::{Architecture, FileKind, Machine, MachineSpec, Module};
use crate::passes::Device;
use kiln_targets::TargetFacts;

/// A bound of the numbers of helpers, of which there are about two hundred.
const HELPERS_MAX: u64 = 1000;

/// The parameters of a function, which are in registers.
const PARAMETERS_MAX: u32 = 5;

/// The virtual machine of the Linux kernel.
pub(super) struct Bpf;

impl Target for Bpf {
    fn backend(&self) -> &'static str {
        "bpf"
    }

    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError> {
        let TargetFacts { triple, cpu, features, .. } = job.facts;
        let opt_level = job.options.opt_level;
        Machine::new(&MachineSpec { architecture: Architecture::Bpf, triple, cpu, features, opt_level })
    }

    /// Whether an address is the number of a helper.
    fn is_address_of_function(&self, address: u64) -> bool {
        (1..=HELPERS_MAX).contains(&address)
    }

    /// Inlines functions that take more than five values or return several, since calls use registers only.
    fn prepare(&self, job: &Job<'_>, _: &Machine, module: &Module) -> Result<(), EmitError> {
        module.inline_all_beyond(PARAMETERS_MAX, job.entry);
        Ok(())
    }

    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError> {
        machine.run_passes(module, &crate::passes::device(job.options.opt_level, &Device::default()))
    }

    fn emit(
        &self,
        _: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError> {
        machine.file(module, kind)
    }
}
