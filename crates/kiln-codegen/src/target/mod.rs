//! The behaviour of a target, beside the facts about it: the one interface between emission and a back end.
//!
//! A third-party library has more targets: it depends on this crate, [registers](crate::Generator::register) its own
//! [`Target`] in a C function `kiln_codegen_setup`, which its opener calls with each instance first, and is opened in
//! the place of this one. The C functions of this one are in it, too.

#[cfg(feature = "bpf")]
mod bpf;
#[cfg(feature = "gcn")]
mod gcn;
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

/// The output to make, as far as a target may know.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The facts about the target.
    pub facts: &'a TargetFacts,
    /// How.
    pub options: &'a DeviceOptions,
    /// The entry's symbol.
    pub entry: &'a str,
    /// Whether the entry is a kernel.
    pub is_kernel: bool,
}

/// A target's actions.
pub trait Target: Sync {
    /// The name of the back end whose targets it makes code for.
    fn backend(&self) -> &'static str;

    /// Whether it makes code for these facts: for those of its back end.
    fn takes(&self, facts: &TargetFacts) -> bool {
        facts.backend.name() == self.backend()
    }

    /// Targets it has that `kiln_targets` does not know, for people to name.
    fn offers(&self) -> Vec<TargetFacts> {
        Vec::new()
    }

    /// The instructions by which items ask the device that runs them.
    fn items(&self) -> &'static dyn DeviceItems {
        &NoItems
    }

    /// The machine that modules are made for.
    ///
    /// # Errors
    /// When there is none, or the options ask for what it lacks.
    fn machine(&self, job: &Job<'_>) -> Result<Machine, EmitError>;

    /// Whether the device or its loader has a function that no module defines.
    fn is_provided(&self, symbol: &str) -> bool {
        let _ = symbol;
        false
    }

    /// Whether there is a function at an address that is known before anything is loaded.
    fn is_address_of_function(&self, address: u64) -> bool {
        let _ = address;
        false
    }

    /// Brings a linked module into the form that passes and the back end take: conventions, attributes, metadata.
    ///
    /// # Errors
    /// When the back end would not take it.
    fn prepare(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError>;

    /// Optimizes a module and lowers what the back end does not take.
    ///
    /// # Errors
    /// When a pass is not known.
    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), EmitError>;

    /// Makes the artifact, or its text.
    ///
    /// # Errors
    /// When the back end refuses.
    fn emit(
        &self,
        job: &Job<'_>,
        machine: &Machine,
        module: &Module,
        kind: FileKind,
    ) -> Result<Vec<u8>, EmitError>;
}

const _: fn(&dyn Target) = |_| {};
