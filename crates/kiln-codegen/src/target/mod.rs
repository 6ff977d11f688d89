//! The behaviour of a target, beside the facts about it: the one interface between emission and a back end.
//!
//! A third-party library has more targets: it depends on this crate, [registers](register) its own
//! [`Target`] in a C function `kiln_codegen_setup`, which its opener calls first, and is opened in the place of
//! this one. The C functions of this one are in it, too.

#[cfg(feature = "bpf")]
mod bpf;
#[cfg(feature = "gcn")]
mod gcn;
#[cfg(feature = "native")]
mod native;
#[cfg(feature = "ptx")]
mod ptx;
#[cfg(feature = "spirv")]
mod spirv;

use crate::items::DeviceItems;
use crate::items::none::NoItems;
use crate::llvm::{FileKind, Machine, Module};
use kiln_targets::TargetFacts;
use kiln_unit::DeviceOptions;
use std::sync::{PoisonError, RwLock};

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
    fn machine(&self, job: &Job<'_>) -> Result<Machine, String>;

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
    fn prepare(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), String>;

    /// Optimizes a module and lowers what the back end does not take.
    ///
    /// # Errors
    /// When a pass is not known.
    fn legalize(&self, job: &Job<'_>, machine: &Machine, module: &Module) -> Result<(), String>;

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
    ) -> Result<Vec<u8>, String>;
}

const _: fn(&dyn Target) = |_| {};

/// The targets there are of our own. The only place that knows them by name.
const BUILT_IN: &[&dyn Target] = &[
    #[cfg(feature = "native")]
    &native::Native,
    #[cfg(feature = "ptx")]
    &ptx::Ptx,
    #[cfg(feature = "gcn")]
    &gcn::Gcn,
    #[cfg(feature = "spirv")]
    &spirv::Spirv,
    #[cfg(feature = "bpf")]
    &bpf::Bpf,
];

static REGISTERED: RwLock<Vec<&'static dyn Target>> = RwLock::new(Vec::new());

/// Adds a target. It is asked before those that were there.
pub fn register(target: &'static dyn Target) {
    REGISTERED.write().unwrap_or_else(PoisonError::into_inner).push(target);
}

/// Returns the targets of registered back ends that `kiln_targets` does not know, the last one's first.
pub(crate) fn offered() -> Vec<TargetFacts> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    registered.iter().rev().flat_map(|it| it.offers()).collect()
}

/// The target that takes requests with these facts.
///
/// # Errors
/// When this library has none.
pub fn lookup(facts: &TargetFacts) -> Result<&'static dyn Target, String> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    let mut all = registered.iter().rev().chain(BUILT_IN);
    let found = all.find(|it| it.takes(facts)).copied();
    found.ok_or_else(|| {
        format!("this code generator has no target for {} ({})", facts.name, facts.backend.name())
    })
}
