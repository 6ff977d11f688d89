//! The target registry of an instance of the code generator.

use super::Target;
use crate::error::{EmitError, EmitErrorKind};
use kiln_targets::TargetFacts;

/// The built-in targets, and those that third-party libraries register.
const BUILT_IN: &[&dyn Target] = &[
    #[cfg(feature = "native")]
    &super::native::Native,
    #[cfg(feature = "ptx")]
    &super::ptx::Ptx,
    #[cfg(feature = "gcn")]
    &super::gcn::Gcn,
    #[cfg(feature = "spirv")]
    &super::spirv::Spirv,
    #[cfg(feature = "metal")]
    &super::metal::Metal,
    #[cfg(feature = "bpf")]
    &super::bpf::Bpf,
];

/// The built-in targets, and those that third-party libraries register.
#[derive(Default)]
pub(crate) struct Targets {
    registered: Vec<&'static dyn Target>,
}

impl Targets {
    /// Adds a target, which takes precedence over earlier ones.
    pub(crate) fn register(&mut self, target: &'static dyn Target) {
        self.registered.push(target);
    }

    /// Returns the facts of registered targets that `kiln_targets` does not know, the last target's first.
    pub(crate) fn offered(&self) -> Vec<TargetFacts> {
        self.registered.iter().rev().flat_map(|it| it.offers()).collect()
    }

    /// Returns the target for these facts.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(crate) fn lookup(&self, facts: &TargetFacts) -> Result<&'static dyn Target, EmitError> {
        let mut all = self.registered.iter().rev().chain(BUILT_IN);
        let found = all.find(|it| it.takes(facts)).copied();
        found.ok_or_else(|| {
            let (target, backend) = (facts.name.clone(), facts.backend.name().to_owned());
            EmitErrorKind::NoTarget { target, backend }.into()
        })
    }
}
