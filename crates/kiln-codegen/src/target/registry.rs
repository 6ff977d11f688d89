//! The targets of an instance of the code generator.

use super::Target;
use crate::error::{EmitError, EmitErrorKind};
use kiln_targets::TargetFacts;

/// The targets there are of our own. The only place that knows them by name.
const BUILT_IN: &[&dyn Target] = &[
    #[cfg(feature = "native")]
    &super::native::Native,
    #[cfg(feature = "ptx")]
    &super::ptx::Ptx,
    #[cfg(feature = "gcn")]
    &super::gcn::Gcn,
    #[cfg(feature = "spirv")]
    &super::spirv::Spirv,
    #[cfg(feature = "bpf")]
    &super::bpf::Bpf,
];

/// The built-in targets, and those that a third-party library registers.
#[derive(Default)]
pub(crate) struct Targets {
    registered: Vec<&'static dyn Target>,
}

impl Targets {
    /// Adds a target. It is asked before those that were there.
    pub(crate) fn register(&mut self, target: &'static dyn Target) {
        self.registered.push(target);
    }

    /// The targets of registered back ends that `kiln_targets` does not know, the last one's first.
    pub(crate) fn offered(&self) -> Vec<TargetFacts> {
        self.registered.iter().rev().flat_map(|it| it.offers()).collect()
    }

    /// The target that takes requests with these facts.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn lookup(&self, facts: &TargetFacts) -> Result<&'static dyn Target, EmitError> {
        let mut all = self.registered.iter().rev().chain(BUILT_IN);
        let found = all.find(|it| it.takes(facts)).copied();
        found.ok_or_else(|| {
            let (target, backend) = (facts.name.clone(), facts.backend.name().to_owned());
            EmitErrorKind::NoTarget { target, backend }.into()
        })
    }
}
