//! Why a program did not run to its end.

use kiln_runtime::bug::Bug;
use std::fmt;

/// A program failed, or could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The message to the user, several lines.
    pub message: String,
    /// The party at fault.
    pub kind: FailureKind,
}

/// The party at fault for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The program.
    Program,
    /// The caller's request made no sense (a file that is not there, a signature that does not parse).
    Usage,
    /// The target: it cannot do what the program asks for.
    Limit,
    /// A third-party tool: it is missing, or refuses its input.
    Tool,
    /// LLVM has failed, or its process has ended.
    Internal,
    /// kiln itself failed: a panic, which is caught here. The session should not be used any more.
    Bug,
}

impl FailureKind {
    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Usage => "usage",
            Self::Limit => "target-limit",
            Self::Tool => "tool",
            Self::Internal => "internal",
            Self::Bug => "bug",
        }
    }
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), kind }
    }

    /// The program failed: status 1.
    pub fn program(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Program, message)
    }

    /// kiln itself failed: status 1.
    pub(crate) fn bug(bug: &Bug) -> Self {
        Self::new(FailureKind::Bug, bug.to_string())
    }

    /// A command line that means nothing: status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// Whether the caller's request made no sense.
    pub fn is_usage(&self) -> bool {
        self.kind == FailureKind::Usage
    }

    /// Whether kiln itself failed.
    pub fn is_bug(&self) -> bool {
        self.kind == FailureKind::Bug
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
