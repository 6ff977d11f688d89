//! The checks of a session, from launch to launch, and their reports.

use kiln_ir::SourceLoc;
use kiln_launch::{Checker, FindingKind};
use kiln_syntax::Diagnostic;
use kiln_unit::Checks;
use parking_lot::Mutex;

/// One cause that the checks have found in a program.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The name of the kernel.
    pub kernel: String,
    /// How it is shown.
    pub diagnostic: Diagnostic,
    /// The item and the group of each party, from 1.
    pub parties: Vec<[[i64; 3]; 2]>,
    /// The name of the memory, if it has one.
    pub array: Option<String>,
    /// How often it was found.
    pub count: u64,
    pub(super) cause: Cause,
}

/// The identity of a cause: the kernel, the kind and the places of both parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cause(pub(super) String, pub(super) FindingKind, pub(super) [SourceLoc; 2]);

/// The checks of a session, from launch to launch.
#[derive(Debug)]
pub struct Checking {
    pub(super) checks: Checks,
    pub(super) state: Mutex<State>,
}

/// The state that launches share.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The states of checkers that no launch has. A launch may wait for another: for what its items print, say.
    pub(super) idle: Vec<Checker>,
    pub(super) reports: Vec<CheckReport>,
    /// The addresses of the memory that the program has freed, which is kept alive.
    pub(super) freed: Vec<u64>,
}

impl Checking {
    /// Nothing has been found yet.
    pub(crate) fn new(checks: Checks) -> Self {
        Self { checks, state: Mutex::default() }
    }

    /// Notes memory that kernels are not to access any more; whether that is checked.
    pub fn free(&self, memory: u64) -> bool {
        if self.checks.memory {
            self.state.lock().freed.push(memory);
        }
        self.checks.memory
    }

    /// Returns the causes found so far, in their order.
    pub fn reports(&self) -> Vec<CheckReport> {
        self.state.lock().reports.clone()
    }
}
