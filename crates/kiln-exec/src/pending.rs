//! The state of host functions that are compiled while they go on being interpreted.

use kiln_compile::{BackgroundJob, CallGraph, View};
use kiln_ir::Instance;
use kiln_metrics::Tally;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// The host functions whose code is being generated, by instance.
#[derive(Default)]
pub struct PendingFunctions(pub(crate) Mutex<FxHashMap<Instance, PendingFunction>>);

/// A function some of whose units are awaited.
pub(crate) struct PendingFunction {
    pub(crate) inferred: Inferred,
    pub(crate) awaited: Vec<Arc<BackgroundJob>>,
    pub(crate) parts: CompilationParts,
    /// When its units were first asked for.
    pub(crate) since: Instant,
}

/// The call graph of a function, and the view that it was made in.
pub(crate) struct Inferred {
    pub(crate) view: View,
    pub(crate) graph: CallGraph,
}

/// The cost of a compilation that is done in parts, of which the background may do some.
#[derive(Debug, Default)]
pub(crate) struct CompilationParts {
    pub(crate) tally: Tally,
    /// Of the parts that the program waited for.
    pub(crate) nanos: u64,
}

impl CompilationParts {
    /// The time that all parts took, those in the background with them.
    pub(crate) fn all_nanos(&self) -> u64 {
        self.nanos + self.tally.now().background_ns
    }
}

impl fmt::Debug for PendingFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingFunctions").field("count", &self.0.lock().len()).finish()
    }
}
