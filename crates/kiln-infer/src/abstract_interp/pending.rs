//! Results of instances whose recursion has not been resolved: each waits for a caller that it depends on.

use super::result::InferenceResult;
use super::state::InferenceState;
use kiln_ir::Instance;
use kiln_runtime::tables::CodeInstance;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A result that waits for those it depends on.
pub(crate) struct PendingResult {
    pub(crate) instance: Instance,
    pub(crate) derivation: Derivation,
    pub(crate) result: InferenceResult,
    /// The lowest active instance that the result depends on.
    pub(crate) lowest: usize,
}

/// How a result came about.
pub(crate) enum Derivation {
    /// By inference.
    Inferred(Box<InferenceState>),
    /// It had ended, and holds still.
    Kept(Arc<CodeInstance>),
}

/// The results that wait, callees first, each found by its instance.
///
/// A recursive group is inferred in rounds, and each round drops the results of the one before. What those results said
/// remains: a member of the group starts its own rounds from there instead of from nothing, since what callers are told
/// only rises. So the rounds of nested groups add up; they would multiply.
#[derive(Default)]
pub(crate) struct PendingResults {
    results: Vec<PendingResult>,
    places: FxHashMap<Instance, usize>,
    dropped: FxHashMap<Instance, InferenceResult>,
}

impl PendingResults {
    /// The number of results.
    pub(crate) fn len(&self) -> usize {
        self.results.len()
    }

    /// The result of an instance.
    pub(crate) fn find(&self, instance: Instance) -> Option<&PendingResult> {
        self.places.get(&instance).map(|&at| &self.results[at])
    }

    /// Adds the result of an instance that has none.
    pub(crate) fn push(&mut self, result: PendingResult) {
        let before = self.places.insert(result.instance, self.results.len());
        debug_assert!(before.is_none(), "an instance waits once");
        self.results.push(result);
    }

    /// Drops the results from `first` on, because what they depend on was wrong; what they said is remembered.
    pub(crate) fn retry_from(&mut self, first: usize) {
        for it in self.results.drain(first..) {
            self.places.remove(&it.instance);
            self.dropped.insert(it.instance, it.result);
        }
    }

    /// Drops the results from `first` on as if they had never been made.
    pub(crate) fn forget_from(&mut self, first: usize) {
        for it in self.results.drain(first..) {
            self.places.remove(&it.instance);
        }
    }

    /// Removes the results from `first` on, which are final now.
    pub(crate) fn take_from(&mut self, first: usize) -> Vec<PendingResult> {
        let group: Vec<PendingResult> = self.results.drain(first..).collect();
        for it in &group {
            self.places.remove(&it.instance);
            self.dropped.remove(&it.instance);
        }
        if first == 0 {
            self.dropped.clear();
        }
        group
    }

    /// The result that an instance had in an earlier round of those that it depends on.
    pub(crate) fn earlier_result(&self, instance: Instance) -> Option<&InferenceResult> {
        self.dropped.get(&instance)
    }
}
