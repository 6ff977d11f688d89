//! Errors of lowering.

use kiln_ir::SourceLoc;

/// A problem in the user's program, with its place. The front end turns it into a `Diagnostic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// A stable name for the kind of problem.
    pub code: &'static str,
    /// The message: one complete sentence.
    pub message: String,
    /// The location of the problem.
    pub loc: SourceLoc,
    /// The advice that follows the message.
    pub help: Option<String>,
    /// Other places that matter, each with a phrase.
    pub secondary: Vec<(SourceLoc, String)>,
}

/// A remark about a program that lowers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerWarning {
    /// The remark.
    pub message: String,
    /// The location of the remark.
    pub loc: SourceLoc,
}

impl LowerError {
    /// A problem with a place and nothing more.
    pub fn new(code: &'static str, message: impl Into<String>, loc: SourceLoc) -> Self {
        Self { code, message: message.into(), loc, help: None, secondary: Vec::new() }
    }
    /// Adds advice for the user.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Adds a second place.
    pub fn with_label(mut self, loc: SourceLoc, text: impl Into<String>) -> Self {
        self.secondary.push((loc, text.into()));
        self
    }
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LowerError {}

/// The result of everything here; the error is boxed because it is large and rare.
pub(crate) type Lowering<T> = Result<T, Box<LowerError>>;

/// A boxed error, ready for `return Err(..)`.
pub(crate) fn problem(code: &'static str, message: impl Into<String>, loc: SourceLoc) -> Box<LowerError> {
    Box::new(LowerError::new(code, message, loc))
}

/// As [`problem`], with advice for the user.
pub(crate) fn problem_with_help(
    code: &'static str,
    message: impl Into<String>,
    loc: SourceLoc,
    help: impl Into<String>,
) -> Box<LowerError> {
    Box::new(LowerError::new(code, message, loc).with_help(help))
}
