//! What a target does, beside what is true of it: the one interface between emission and a back end.

use crate::llvm::{Machine, Module};
use kiln_targets::{Backend, TargetFacts};
use kiln_unit::CodegenOptions;

/// A target's actions.
pub(crate) trait Target: Sync {
    /// The machine that modules for these facts are made for.
    fn machine(&self, facts: &TargetFacts, options: &CodegenOptions) -> Result<Machine, String>;
    /// Brings a module into the form the back end takes, and optimizes it.
    fn legalize(&self, machine: &Machine, module: &Module, options: &CodegenOptions) -> Result<(), String>;
    /// Makes the artifact.
    fn emit(&self, machine: &Machine, module: &Module) -> Result<Vec<u8>, String>;
}

const _: fn(&dyn Target) = |_| {};

/// The target that takes requests with these facts. The only place that knows targets by name.
pub(crate) fn lookup(facts: &TargetFacts) -> &'static dyn Target {
    match facts.backend {
        Backend::Native => &Native,
        Backend::Ptx | Backend::Gcn | Backend::Spirv | Backend::Bpf => &Native, // not yet
    }
}

/// Objects for x86-64.
struct Native;

impl Target for Native {
    fn machine(&self, facts: &TargetFacts, options: &CodegenOptions) -> Result<Machine, String> {
        if facts.backend != Backend::Native {
            return Machine::for_facts(facts);
        }
        Machine::x86(&facts.triple, &facts.cpu, &facts.features, options.opt_level)
    }

    fn legalize(&self, machine: &Machine, module: &Module, options: &CodegenOptions) -> Result<(), String> {
        machine.run_passes(module, &crate::passes::pipeline(options.opt_level))
    }

    fn emit(&self, machine: &Machine, module: &Module) -> Result<Vec<u8>, String> {
        machine.object(module)
    }
}
