//! Why a program did not run to its end.

use kiln_runtime::bug::Bug;
use std::fmt;

/// A program failed, or could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What to tell the user, several lines.
    pub message: String,
    /// The caller's request made no sense (a file that is not there, a signature that does not parse).
    pub is_usage: bool,
    /// kiln itself failed: a panic, which is caught here. The session should not be used any more.
    pub is_bug: bool,
}

impl Failure {
    /// The program failed: status 1.
    pub fn program(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_usage: false, is_bug: false }
    }

    /// kiln itself failed: status 1.
    pub(crate) fn bug(bug: &Bug) -> Self {
        Self { message: bug.to_string(), is_usage: false, is_bug: true }
    }

    /// A command line that means nothing: status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_usage: true, is_bug: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
