//! The error of the library: the party at fault, a code, the message, and the diagnostics behind it.

use crate::frontend::FrontState;
use kiln_compile::{CompileError, Compiler};
use kiln_inspect::InspectError;
use kiln_runtime::bug::Bug;
use kiln_syntax::Files;
use std::borrow::Cow;
use std::fmt;

/// An operation failed.
///
/// `message` is the whole text for people, of several lines, with source lines and carets where there are any. Programs
/// match on [`kind`](Self::kind) and [`code`](Self::code), and take places from [`diagnostics`](Self::diagnostics).
///
/// ```
/// use kiln::{ErrorKind, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// let error = session.load_text("half.jl", "half(x) = x /\n").unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Program);
/// assert_eq!(error.diagnostics[0].place.as_ref().unwrap().file, "half.jl");
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The party at fault.
    pub kind: ErrorKind,
    /// A stable name of the problem, such as `bounds-error`; a kind's own name where there is no better one.
    pub code: Cow<'static, str>,
    /// The message to the user, several lines.
    pub message: String,
    /// The diagnostics, with source locations as far as they are known.
    pub diagnostics: Vec<Diagnostic>,
}

/// The party at fault for an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The Julia program: it does not compile, or throws.
    Program,
    /// The caller's request made no sense (a file that is not there, a signature that does not parse).
    Usage,
    /// The target does not support an operation of the program.
    Limit,
    /// A third-party tool: it is missing, or refuses its input.
    Tool,
    /// LLVM has failed, or its process has ended.
    Internal,
    /// kiln itself failed: a panic, which is caught here. The session should not be used any more.
    Bug,
}

/// One problem of a Julia program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A stable name, such as `dynamic-call`.
    pub code: Cow<'static, str>,
    /// Whether the program can run all the same.
    pub is_warning: bool,
    /// One line, without a final stop.
    pub message: String,
    /// The place of the problem, if it has one.
    pub place: Option<SourceLabel>,
    /// Other places that explain it.
    pub labels: Vec<SourceLabel>,
    /// The advice that follows the message.
    pub help: Option<String>,
}

/// A span of a source file, and a remark about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLabel {
    /// The name that the file was loaded under.
    pub file: String,
    /// The line of the first byte, from 1.
    pub line: u32,
    /// The column of the first byte, in bytes from 1.
    pub column: u32,
    /// The bytes of the span in the file.
    pub span: std::ops::Range<usize>,
    /// The remark; may be empty.
    pub label: String,
}

impl ErrorKind {
    /// Returns the name in reports.
    ///
    /// ```
    /// assert_eq!(kiln::ErrorKind::Limit.name(), "target-limit");
    /// ```
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

impl Error {
    /// An error of this kind, without diagnostics.
    ///
    /// ```
    /// use kiln::{Error, ErrorKind};
    /// let error = Error::new(ErrorKind::Usage, "there is no such file");
    /// assert_eq!((error.to_string().as_str(), &*error.code), ("there is no such file", "usage"));
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let code = named_code(&message).map_or(Cow::Borrowed(kind.name()), |it| Cow::Owned(it.to_owned()));
        Self { kind, code, message, diagnostics: Vec::new() }
    }

    /// The program is at fault.
    ///
    /// ```
    /// assert_eq!(kiln::Error::program("the input is empty").kind, kiln::ErrorKind::Program);
    /// ```
    pub fn program(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Program, message)
    }

    /// The caller is at fault.
    ///
    /// ```
    /// assert!(kiln::Error::usage("a kernel has a name").is_usage());
    /// ```
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// kiln itself failed.
    pub(crate) fn bug(bug: &Bug) -> Self {
        Self::new(ErrorKind::Bug, bug.to_string())
    }

    /// Names the problem.
    pub(crate) fn with_code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = code.into();
        self
    }

    /// Adds the problems behind it; the first names it.
    pub(crate) fn with_diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        if let Some(first) = diagnostics.first() {
            self.code = first.code.clone();
        }
        self.diagnostics = diagnostics;
        self
    }

    /// Adds the diagnostics that its message shows, if the session has rendered them: an exception carries the text alone.
    pub(crate) fn with_rendered(self, front: &FrontState) -> Self {
        let found = front.shown(&self.message).unwrap_or_default();
        self.with_problems(&found, front)
    }

    /// Adds diagnostics of a compilation, if there are any.
    pub(crate) fn with_problems(self, problems: &[kiln_syntax::Diagnostic], front: &FrontState) -> Self {
        let files = front.files.lock();
        let found: Vec<_> = problems.iter().map(|it| Diagnostic::new(it, &files)).collect();
        if found.is_empty() { self } else { self.with_diagnostics(found) }
    }

    /// Whether the caller's request made no sense.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert!(session.run_file("no/such/file.jl").unwrap_err().is_usage());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn is_usage(&self) -> bool {
        self.kind == ErrorKind::Usage
    }

    /// Whether kiln itself failed.
    ///
    /// ```
    /// assert!(!kiln::Error::program("it throws").is_bug());
    /// ```
    pub fn is_bug(&self) -> bool {
        self.kind == ErrorKind::Bug
    }
}

impl Error {
    /// The error of a compilation, with the party at fault.
    pub(crate) fn of_compilation(compiler: &Compiler, front: &FrontState, error: &CompileError) -> Self {
        let kind = match error.kind {
            kiln_compile::ErrorKind::Program => ErrorKind::Program,
            kiln_compile::ErrorKind::Limit => ErrorKind::Limit,
            kiln_compile::ErrorKind::Tool => ErrorKind::Tool,
            kiln_compile::ErrorKind::Internal => ErrorKind::Internal,
        };
        let message = compiler.render(&error.diagnostics);
        Self::new(kind, message).with_problems(&error.diagnostics, front)
    }

    /// The error of something that cannot be shown.
    pub(crate) fn of_inspection(compiler: &Compiler, front: &FrontState, error: &InspectError) -> Self {
        let shown = Self::program(error.render(compiler));
        match error {
            InspectError::Compile(error) => shown.with_problems(&error.diagnostics, front),
            _ => shown,
        }
    }
}

/// The code in a message that begins with `error[code]:`.
fn named_code(message: &str) -> Option<&str> {
    let (code, _) = message.strip_prefix("error[")?.split_once(']')?;
    Some(code)
}

impl Diagnostic {
    /// A warning without a place.
    ///
    /// ```
    /// assert!(kiln::Diagnostic::warning("missing-package", "not available: Foo").is_warning);
    /// ```
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code: Cow::Borrowed(code),
            is_warning: true,
            message,
            place: None,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A diagnostic of the front end or of a compilation, with its places in words.
    pub(crate) fn new(found: &kiln_syntax::Diagnostic, files: &Files) -> Self {
        Self {
            code: Cow::Borrowed(found.code),
            is_warning: found.severity == kiln_syntax::Severity::Warning,
            message: found.message.clone(),
            place: SourceLabel::new(&found.primary, files),
            labels: found.secondary.iter().filter_map(|it| SourceLabel::new(it, files)).collect(),
            help: found.help.clone(),
        }
    }
}

impl SourceLabel {
    fn new(label: &kiln_syntax::Label, files: &Files) -> Option<Self> {
        let file = files.get(label.span.file)?;
        let (line, column) = file.lines().line_column(label.span.start);
        let span = label.span.start as usize..label.span.end as usize;
        Some(Self { file: file.name.to_string(), line, column, span, label: label.text.clone() })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
