//! The error of this crate: its place, and its kind as data.
//!
//! Only `Display` makes text of it, when a reply is written: see [`EmitError::into_refusal`]. Nothing parses the
//! text.

#[cfg(feature = "air")]
mod air;
mod foreign;
mod invalid_body;
mod link;
mod target_limit;
#[cfg(test)]
mod tests;
mod unsupported;

#[cfg(feature = "air")]
pub use air::AirUnsupported;
pub use foreign::{ForeignError, TextError};
pub use invalid_body::{InvalidBody, RuntimeResult};
pub use link::{LinkError, LinkStep};
pub use target_limit::TargetLimit;
pub use unsupported::{NameRole, Operation, TypeRole, Unsupported};

use kiln_ir::wire::WireError;
use kiln_targets::OptionError;
use kiln_unit::{InvalidEntryName, Malformed, Refusal, RefusalKind};
use std::fmt;

/// An error of emission, device link or listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// The function of the request, or the position of the part in a device link; 0 if none is at fault.
    pub function: u32,
    /// In a device link, the function of the part.
    pub within: Option<u32>,
    /// The statement at fault, if any.
    pub stmt: Option<u32>,
    /// The error.
    pub kind: EmitErrorKind,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmitErrorKind {
    /// The bytes are no request, or no facts of a target.
    Request(Malformed),
    /// The name of the entry.
    EntryName(InvalidEntryName),
    /// The bytes of a body are no IR.
    Wire(WireError),
    /// A body contradicts itself or others.
    Body(InvalidBody),
    /// No target of this library takes the request.
    NoTarget {
        /// The target's name.
        target: String,
        /// The back end it belongs to.
        backend: String,
    },
    /// The target does not take an option.
    Option(OptionError),
    /// kiln does not compile an operation.
    Unsupported(Unsupported),
    /// The target cannot do it in any program.
    Limit(TargetLimit),
    /// An error about a query of a device.
    Query {
        /// The target's name.
        target: String,
        /// The error.
        cause: Box<EmitErrorKind>,
    },
    /// Foreign code of a program.
    Foreign(ForeignError),
    /// The passes did not remove a static assertion.
    StaticAssertion,
    /// Parts and libraries cannot be linked.
    Link(LinkError),
    /// LLVM's verifier refuses a module.
    Verifier {
        /// The module.
        module: VerifiedModule,
        /// LLVM's message.
        message: String,
    },
    /// LLVM reports an error, in its words.
    Llvm(String),
    /// LLVM cannot read a kept module.
    UnreadableModule,
    /// LLVM has no machine with these settings.
    NoMachine,
    /// The text is no data layout.
    NoLayout(String),
    /// LLVM has no back end for the triple, which is only described.
    NoFiles(String),
    /// The module lacks the entry.
    NoEntry,
    /// LLVM gave up, and its message follows as [`Fatal`](Self::Fatal).
    GaveUp(GaveUp),
    /// A fatal error of LLVM, in its words.
    Fatal(String),
    /// A bug of this crate.
    Panic {
        /// The panic's message.
        message: String,
        /// The call stack, if the host asked for it.
        trace: Option<String>,
    },
    /// A target outside of this crate refuses, in its words.
    Target(String),
    /// The bitcode of LLVM 14 does not have something.
    #[cfg(feature = "air")]
    Air(AirUnsupported),
}

/// A fatal error of LLVM; `llvm::during` returns its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

/// The modules that LLVM's verifier checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifiedModule {
    /// The module of a unit, before the passes.
    Emitted,
    /// The module of a device link, before the passes.
    Linked,
    /// The module after the passes.
    Optimized,
}

impl EmitError {
    /// Sets the statement, unless it is set.
    #[must_use]
    pub fn at(self, stmt: u32) -> Self {
        Self { stmt: self.stmt.or(Some(stmt)), ..self }
    }

    /// Sets the function of the request, or the part.
    #[must_use]
    pub fn in_function(self, function: u32) -> Self {
        Self { function, ..self }
    }

    /// Names the target in an error of a query.
    #[must_use]
    pub(crate) fn of_query(self, target: String) -> Self {
        Self { kind: EmitErrorKind::Query { target, cause: Box::new(self.kind) }, ..self }
    }

    /// Makes the reply to the host. Only this makes text; the driver gets the statement, the party at fault and an
    /// undefined symbol as data.
    pub fn into_refusal(self) -> Refusal {
        let mut missing = None;
        if let EmitErrorKind::Link(LinkError::Undefined(symbol)) = &self.kind {
            missing = Some(symbol.clone());
        }
        Refusal {
            function: self.function,
            stmt: self.stmt,
            within: self.within,
            message: self.kind.to_string(),
            kind: self.kind.fault(),
            missing,
        }
    }
}

impl EmitErrorKind {
    /// Returns the party at fault.
    pub fn fault(&self) -> RefusalKind {
        match self {
            Self::Limit(_) => RefusalKind::Limit,
            Self::Query { cause, .. } => cause.fault(),
            Self::Fatal(_) | Self::Panic { .. } => RefusalKind::Internal,
            #[cfg(feature = "air")]
            Self::Air(_) => RefusalKind::Unsupported,
            Self::Request(_)
            | Self::EntryName(_)
            | Self::Wire(_)
            | Self::Body(_)
            | Self::NoTarget { .. }
            | Self::Option(_)
            | Self::Unsupported(_)
            | Self::Foreign(_)
            | Self::StaticAssertion
            | Self::Link(_)
            | Self::Verifier { .. }
            | Self::Llvm(_)
            | Self::UnreadableModule
            | Self::NoMachine
            | Self::NoLayout(_)
            | Self::NoFiles(_)
            | Self::NoEntry
            | Self::GaveUp(_)
            | Self::Target(_) => RefusalKind::Unsupported,
        }
    }
}

impl Unsupported {
    /// Makes the error of a type in a role.
    pub(crate) fn of_type(role: TypeRole, ty: String) -> EmitError {
        Self::Type { ty, role }.into()
    }

    /// Makes the error of a name in a role.
    pub(crate) fn of_name(role: NameRole, name: &str) -> EmitError {
        Self::Name { name: name.to_owned(), role }.into()
    }
}

/// Makes the reply of a request's errors, at least one.
pub(crate) fn refusals(errors: Vec<EmitError>) -> Vec<Refusal> {
    errors.into_iter().map(EmitError::into_refusal).collect()
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LLVM gave up")
    }
}

impl fmt::Display for VerifiedModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Emitted => "what was emitted",
            Self::Linked => "what was linked",
            Self::Optimized => "what the passes made",
        })
    }
}

impl fmt::Display for EmitErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => error.fmt(f),
            Self::EntryName(error) => error.fmt(f),
            Self::Wire(error) => error.fmt(f),
            Self::Body(error) => error.fmt(f),
            Self::NoTarget { target, backend } => {
                write!(f, "this code generator has no target for {target} ({backend})")
            }
            Self::Option(error) => error.fmt(f),
            Self::Unsupported(error) => error.fmt(f),
            Self::Limit(error) => error.fmt(f),
            Self::Query { target, cause } => write!(f, "{cause} ({target})"),
            Self::Foreign(error) => error.fmt(f),
            Self::StaticAssertion => f.write_str("a static assertion is not proven"),
            Self::Link(error) => error.fmt(f),
            Self::Verifier { module, message } => write!(f, "LLVM's verifier refuses {module}: {message}"),
            Self::Llvm(message) | Self::Fatal(message) | Self::Target(message) => f.write_str(message),
            Self::UnreadableModule => f.write_str("the module cannot be read"),
            Self::NoMachine => f.write_str("LLVM makes no such machine"),
            Self::NoLayout(layout) => write!(f, "`{layout}` is no data layout"),
            Self::NoFiles(triple) => write!(f, "LLVM makes no files for {triple}"),
            Self::NoEntry => f.write_str("the entry is not there"),
            Self::GaveUp(error) => error.fmt(f),
            #[cfg(feature = "air")]
            Self::Air(error) => error.fmt(f),
            Self::Panic { message, trace } => {
                write!(f, "a bug in codegen: {message}")?;
                trace.as_ref().map_or(Ok(()), |it| write!(f, "\n{it}"))
            }
        }
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for EmitError {}

impl From<EmitErrorKind> for EmitError {
    fn from(kind: EmitErrorKind) -> Self {
        Self { function: 0, within: None, stmt: None, kind }
    }
}

impl From<EmitError> for Vec<EmitError> {
    fn from(error: EmitError) -> Self {
        vec![error]
    }
}

impl From<Malformed> for EmitError {
    fn from(error: Malformed) -> Self {
        EmitErrorKind::Request(error).into()
    }
}

impl From<InvalidEntryName> for EmitError {
    fn from(error: InvalidEntryName) -> Self {
        EmitErrorKind::EntryName(error).into()
    }
}

impl From<WireError> for EmitError {
    fn from(error: WireError) -> Self {
        EmitErrorKind::Wire(error).into()
    }
}

impl From<InvalidBody> for EmitError {
    fn from(error: InvalidBody) -> Self {
        EmitErrorKind::Body(error).into()
    }
}

impl From<RuntimeResult> for EmitError {
    fn from(result: RuntimeResult) -> Self {
        InvalidBody::RuntimeResult(result).into()
    }
}

impl From<OptionError> for EmitError {
    fn from(error: OptionError) -> Self {
        EmitErrorKind::Option(error).into()
    }
}

impl From<Unsupported> for EmitError {
    fn from(error: Unsupported) -> Self {
        EmitErrorKind::Unsupported(error).into()
    }
}

impl From<Operation> for EmitError {
    fn from(operation: Operation) -> Self {
        Unsupported::Operation(operation).into()
    }
}

impl From<TargetLimit> for EmitError {
    fn from(limit: TargetLimit) -> Self {
        EmitErrorKind::Limit(limit).into()
    }
}

impl From<ForeignError> for EmitError {
    fn from(error: ForeignError) -> Self {
        EmitErrorKind::Foreign(error).into()
    }
}

impl From<LinkError> for EmitError {
    fn from(error: LinkError) -> Self {
        EmitErrorKind::Link(error).into()
    }
}

impl From<GaveUp> for EmitError {
    fn from(error: GaveUp) -> Self {
        EmitErrorKind::GaveUp(error).into()
    }
}
