//! The actions of a target, beside its facts: the one interface between emission and a back end.
//!
//! A third-party library adds targets: it depends on this crate, [registers](crate::Generator::register) its own
//! [`Target`] in a C function `kiln_codegen_setup`, which the host calls with each instance first, and is loaded in
//! place of this library. It exports the same C functions.

#[cfg(feature = "bpf")]
mod bpf;
#[cfg(feature = "gcn")]
mod gcn;
#[cfg(feature = "metal")]
mod metal;
#[cfg(feature = "native")]
mod native;
#[cfg(feature = "ptx")]
mod ptx;
mod registry;
#[cfg(feature = "spirv")]
mod spirv;

pub(crate) use registry::Targets;

use crate::error::EmitError;
use crate::items::DeviceItems;
use crate::items::none::NoItems;
use crate::llvm::{FileKind, Machine, Module};
use kiln_targets::TargetFacts;
use kiln_unit::DeviceOptions;

/// The job of a target.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The facts about the target.
    pub facts: &'a TargetFacts,
    /// The options.
    pub options: &'a DeviceOptions,
    /// The entry's symbol.
    pub entry: &'a str,
    /// Whether the entry is a kernel.
    pub is_kernel: bool,
    /// Whether it is code of the host, which no kernel calls.
    pub is_host: bool,
    /// The bits of the vectors that item loops are compiled to; 0 if they are not.
    pub vector_bits: u32,
    /// Whether the groups of its launches have one size, which the code knows.
    pub is_sized: bool,
}

impl Job<'_> {
    /// Whether it is code of the host at level 0: it is compiled quickly.
    pub(crate) fn is_quick(&self) -> bool {
        self.is_host && self.options.opt_level == 0
    }
}

/// A target's actions.
pub trait Target: Sync {
    /// Returns the name of the back end.
    fn backend(&self) -> &'static str;

    /// Whether the target accepts these facts: by default, those of its back end.
    fn takes(&self, facts: &TargetFacts) -> bool {
        facts.backend.name() == self.backend()
    }

    /// Returns the facts of targets that `kiln_targets` does not know, for selection by name.
    fn offers(&self) -> Vec<TargetFacts> {
        Vec::new()
    }

    /// Returns the queries of items.
    fn items(&self) -> &'static dyn DeviceItems {
        &NoItems
    }

    /// Returns the machine for modules.
    ///
    /// # Errors
    /// Fails if LLVM has none, or if it lacks an option.
    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError>;

    /// Returns the options with which a single function is compiled, to see whether the back end has code for an intrinsic:
    /// those with which it has the most. `None`, the default, if the back end cannot be asked.
    fn probe_options(&self) -> Option<DeviceOptions> {
        None
    }

    /// Whether the device or its loader defines this function.
    fn is_provided(&self, symbol: &str) -> bool {
        let _ = symbol;
        false
    }

    /// Whether a function is at an address that is fixed before loading.
    fn is_address_of_function(&self, address: u64) -> bool {
        let _ = address;
        false
    }

    /// Prepares a linked module for passes and back end: conventions, attributes, metadata.
    ///
    /// # Errors
    /// Fails if the back end would refuse the module.
    fn prepare(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError>;

    /// Optimizes a module, and lowers what the back end does not accept.
    ///
    /// # Errors
    /// Fails if a pass is unknown.
    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError>;

    /// Emits the artifact, or its text.
    ///
    /// # Errors
    /// Fails if the back end refuses.
    fn emit(
        &self,
        job: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError>;
}

const _: fn(&dyn Target) = |_| {};
