//! The intrinsics that a target's back end has code for. Foreign code may name any intrinsic of LLVM, and a back end that has no
//! instruction for one ends with a fatal error, for the whole kernel and without a place. So the function around it is
//! compiled alone, where it is called; if that fails, the call is refused, and the first target of the family that does
//! compile it is named.
//!
//! # Invariants
//! * An answer depends on the target, the text and this library only, so it is kept as long as the generator.
//! * A fatal error during a probe is no error of the request.

use crate::error::TargetLimit;
use crate::llvm::{FileKind, Module, Rules, during};
use crate::target::{Job, Target};
use kiln_targets::TargetFacts;
use kiln_unit::DeviceOptions;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The name of a function that is compiled alone.
const PROBED: &str = "probed";

/// The answers so far.
#[derive(Default)]
pub(crate) struct Probes(Mutex<HashMap<(String, String), Option<TargetLimit>>>);

/// Returns the limit that keeps the target from a function, by its text and its name.
pub(crate) type Limit<'a> = dyn Fn(&str, &str) -> Option<TargetLimit> + 'a;

/// Returns the limits of a target, for one unit.
pub(crate) fn limits<'a>(
    answers: &'a Probes,
    target: &'static dyn Target,
    facts: &'a TargetFacts,
) -> impl Fn(&str, &str) -> Option<TargetLimit> + 'a {
    move |text, entry| Probe { answers, target, facts }.limit(text, entry)
}

/// The asker of one unit.
#[derive(Clone, Copy)]
struct Probe<'a> {
    answers: &'a Probes,
    target: &'static dyn Target,
    facts: &'a TargetFacts,
}

impl Probe<'_> {
    /// Returns the limit that keeps the target from `entry` in `text`, which LLVM has accepted; `None` if it compiles, if the
    /// text has no intrinsics, or if the target cannot be asked.
    fn limit(&self, text: &str, entry: &str) -> Option<TargetLimit> {
        let options = self.target.probe_options()?;
        let intrinsic = intrinsic(text)?;
        let key = (self.facts.name.clone(), format!("{entry}\n{text}"));
        let answers = || self.answers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = answers().get(&key) {
            return known.clone();
        }
        let compiles = |facts: &TargetFacts| compiles(self.target, facts, &options, text, entry);
        let limit = (!compiles(self.facts)).then(|| TargetLimit::Intrinsic {
            name: intrinsic.to_owned(),
            target: self.facts.name.clone(),
            first: kiln_targets::of_backend(&self.facts.backend).into_iter().find(compiles).map(|it| it.name),
        });
        answers().insert(key, limit.clone());
        limit
    }
}

/// Returns the first intrinsic that a text names.
fn intrinsic(text: &str) -> Option<&str> {
    let ends = |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '.' | '_'));
    let start = text.find("llvm.")?;
    let name = &text[start..];
    Some(&name[..name.find(ends).unwrap_or(name.len())])
}

/// Whether the back end makes code of a function.
fn compiles(
    target: &dyn Target,
    facts: &TargetFacts,
    options: &DeviceOptions,
    text: &str,
    entry: &str,
) -> bool {
    let job = Job {
        facts,
        options,
        entry: PROBED,
        is_kernel: false,
        is_host: false,
        vector_bits: 0,
        is_sized: false,
    };
    let Ok(machine) = target.machine(&job) else { return false };
    let module = Module::for_device(&machine, false, facts.spaces.generic);
    let rules = Rules {
        prefix: PROBED,
        visibility: crate::llvm::Visibility::Replaceable,
        is_taken: &|_| false,
        is_elsewhere: &|_| false,
    };
    if module.add_text(text, entry, &rules).is_err() {
        return false;
    }
    if let Some(function) = module.find_function(PROBED) {
        module.set_external(function);
    }
    let emit = || target.emit(&job, &machine, &module, FileKind::Assembly).is_ok();
    let ((is_made, messages), fatal) = during("a probe", || module.errors_of(emit));
    is_made && messages.is_empty() && fatal.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_are_found_in_texts() {
        assert_eq!(intrinsic("declare i32 @\"llvm.nvvm.x_y.p1\"(i32)"), Some("llvm.nvvm.x_y.p1"));
        assert_eq!(intrinsic("call void @llvm.trap()"), Some("llvm.trap"));
        assert_eq!(intrinsic("ret i32 %0"), None);
    }
}
