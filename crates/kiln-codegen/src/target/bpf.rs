//! Objects for the virtual machine of the Linux kernel. There are no kernels of items: an entry is a function, in `.text`.

use super::{Job, Target};
use crate::error::EmitError;
use crate::llvm::{Architecture, FileKind, Machine, MachineSpec, Module};
use crate::passes::Device;
use kiln_targets::TargetFacts;

/// The kernel has about two hundred helpers.
const HELPERS_MAX: u64 = 1000;

/// Values that a function takes: those in registers.
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

    /// Helpers of the kernel are called by number.
    fn is_address_of_function(&self, address: u64) -> bool {
        (1..=HELPERS_MAX).contains(&address)
    }

    /// A call passes five values and brings one back, in registers: what needs more is no call.
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
