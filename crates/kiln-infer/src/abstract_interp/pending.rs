//! Pending results: those of recursive groups whose head is still being inferred.

use super::result::InferenceResult;
use super::state::InferenceState;
use kiln_ir::Instance;
use kiln_runtime::tables::CodeInstance;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The result of a member of an unfinished recursive group.
pub(crate) struct PendingResult {
    pub(crate) instance: Instance,
    pub(crate) derivation: Derivation,
    pub(crate) result: InferenceResult,
    /// The position of the lowest active instance that the result depends on.
    pub(crate) lowest: usize,
}

/// The derivation of a result.
pub(crate) enum Derivation {
    /// Inferred in this run.
    Inferred(Box<InferenceState>),
    /// A revalidated result.
    Kept(Arc<CodeInstance>),
}

/// The pending results, callees first, indexed by instance.
///
/// A recursive group is inferred in rounds, and each round drops the results of the one before. The dropped results
/// are remembered: an inner group starts its own rounds from them instead of from bottom, since results only rise. So
/// the rounds of nested groups add up instead of multiplying.
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

    /// Returns the pending result of an instance.
    pub(crate) fn find(&self, instance: Instance) -> Option<&PendingResult> {
        self.places.get(&instance).map(|&at| &self.results[at])
    }

    /// Adds the result of an instance that has none.
    pub(crate) fn push(&mut self, result: PendingResult) {
        let before = self.places.insert(result.instance, self.results.len());
        debug_assert!(before.is_none(), "an instance waits once");
        self.results.push(result);
    }

    /// Drops the results from `first` on for another round, and remembers them.
    pub(crate) fn retry_from(&mut self, first: usize) {
        for it in self.results.drain(first..) {
            self.places.remove(&it.instance);
            self.dropped.insert(it.instance, it.result);
        }
    }

    /// Drops the results from `first` on without a trace.
    pub(crate) fn forget_from(&mut self, first: usize) {
        for it in self.results.drain(first..) {
            self.places.remove(&it.instance);
        }
    }

    /// Removes the results from `first` on, which are final.
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

    /// Returns the result of an instance in an earlier round.
    pub(crate) fn earlier_result(&self, instance: Instance) -> Option<&InferenceResult> {
        self.dropped.get(&instance)
    }
}
