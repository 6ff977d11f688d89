//! The error of a compilation: whose it is, what users are told, and what it depends on.

use crate::diagnostics;
use kiln_codegen_client::CodegenError;
use kiln_runtime::tables::CodeInstance;
use kiln_syntax::Diagnostic;
use kiln_unit::{Refusal, RefusalKind};
use std::fmt;
use std::sync::Arc;

/// The code of results that differ from the stored ones.
pub const DIFFERS: &str = "cache-differs";

/// The party at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The program, or kiln, which does not compile something.
    Program,
    /// The target: it cannot do it for any program.
    Limit,
    /// A tool: the code generator is missing or of another version, or a device's driver refuses the code.
    Tool,
    /// The code generator, or kiln, has failed.
    Internal,
}

impl ErrorKind {
    /// Returns the party at fault for refusals of the code generator.
    pub fn of_refusals(refusals: &[Refusal]) -> Self {
        match RefusalKind::from_refusals(refusals) {
            RefusalKind::Unsupported => Self::Program,
            RefusalKind::Limit => Self::Limit,
            RefusalKind::Internal => Self::Internal,
        }
    }

    /// Returns the party at fault for two errors together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Internal, _) | (_, Self::Internal) => Self::Internal,
            (Self::Tool, _) | (_, Self::Tool) => Self::Tool,
            (Self::Limit, Self::Limit) => Self::Limit,
            (Self::Program, _) | (_, Self::Program) => Self::Program,
        }
    }

    /// Whether the same code would give the same error again.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::Program | Self::Limit)
    }
}

/// Why there is no code.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// The party at fault.
    pub kind: ErrorKind,
    /// The problems, as users are told.
    pub diagnostics: Vec<Diagnostic>,
    /// The code instances that the error depends on: as long as they hold, so does it. `None`: it depends on more than the
    /// program.
    pub dependencies: Option<Arc<[Arc<CodeInstance>]>>,
}

impl CompileError {
    /// An error of the code generator or of a part of it: nothing is known yet of what it depends on.
    pub fn new(kind: ErrorKind, diagnostics: Vec<Diagnostic>) -> Self {
        Self { kind, diagnostics, dependencies: None }
    }

    /// An error because of these results.
    pub fn of_program(diagnostics: Vec<Diagnostic>, dependencies: Arc<[Arc<CodeInstance>]>) -> Self {
        Self { kind: ErrorKind::Program, diagnostics, dependencies: Some(dependencies) }
    }

    /// An error because of what is the case in the world it was asked for in.
    pub fn in_this_world(diagnostics: Vec<Diagnostic>) -> Self {
        Self::of_program(diagnostics, Arc::new([]))
    }

    /// An error because the target cannot do it.
    pub fn limit(problem: Diagnostic, dependencies: Arc<[Arc<CodeInstance>]>) -> Self {
        Self { kind: ErrorKind::Limit, diagnostics: vec![problem], dependencies: Some(dependencies) }
    }

    /// An error because kiln has not done what it should have.
    pub fn bug(what: &str) -> Self {
        Self::new(ErrorKind::Internal, vec![diagnostics::bug(what)])
    }

    /// An error because there is no code generator, or it cannot be reached.
    pub fn no_codegen(error: &CodegenError) -> Self {
        Self::new(ErrorKind::Tool, vec![diagnostics::no_codegen(error)])
    }

    /// An error because a device's driver does not take the code.
    pub fn of_driver(why: &str) -> Self {
        Self::new(ErrorKind::Tool, vec![diagnostics::refused_by_driver(why)])
    }

    /// The same error, which depends on these results if they would give it again.
    #[must_use]
    pub fn with_dependencies(self, dependencies: Arc<[Arc<CodeInstance>]>) -> Self {
        let dependencies = self.kind.is_lasting().then_some(dependencies);
        Self { dependencies, ..self }
    }

    /// Adds the problems of another error.
    pub(crate) fn add(&mut self, other: &Self) {
        let new = other.diagnostics.iter().filter(|it| !self.diagnostics.contains(it));
        let new: Vec<Diagnostic> = new.cloned().collect();
        self.diagnostics.extend(new);
        self.kind = self.kind.and(other.kind);
    }
}

impl std::error::Error for CompileError {}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self.diagnostics.iter().map(|it| &*it.message).collect();
        f.write_str(&messages.join("; "))
    }
}
