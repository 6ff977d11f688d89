//! Targets by their names: kiln's own, and those of the named code generator.

use crate::diagnostics::plain;
use crate::env::Compiler;
use crate::error::CompileError;
use crate::near::nearest;
use kiln_codegen_client::CodegenError;
use kiln_targets::{Backend, FAMILIES, TargetFacts};
use std::fmt;

/// Why there is no such target.
#[derive(Debug)]
pub enum TargetError {
    /// No target has the name.
    Unknown {
        /// The name.
        name: String,
        /// A target whose name is like it.
        nearest: Option<String>,
    },
    /// No target of the back end is known.
    NoneOf(Backend),
    /// The code generator, which may have more targets, cannot be opened.
    Codegen(CodegenError),
}

impl std::error::Error for TargetError {}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, nearest: None } => write!(f, "there is no target `{name}`"),
            Self::Unknown { name, nearest: Some(meant) } => {
                write!(f, "there is no target `{name}`; did you mean `{meant}`?")
            }
            Self::NoneOf(backend) => write!(f, "no target of {} is known: name one", backend.name()),
            Self::Codegen(error) => f.write_str(&error.with_help()),
        }
    }
}

impl From<TargetError> for CompileError {
    fn from(error: TargetError) -> Self {
        Self::in_this_world(plain(&error.to_string()))
    }
}

/// Returns the target of this name: one of `kiln_targets`, or one that the named code generator has beside them.
///
/// # Errors
/// When there is none.
pub fn target(compiler: &Compiler, name: &str) -> Result<TargetFacts, TargetError> {
    if let Some(facts) = kiln_targets::lookup(name) {
        return Ok(facts);
    }
    let offered = offered_targets(compiler)?.into_iter().find(|it| it.name == name);
    offered.ok_or_else(|| {
        let known: Vec<String> = FAMILIES.iter().flat_map(|it| it.names).map(|it| (*it).to_owned()).collect();
        TargetError::Unknown { name: name.to_owned(), nearest: nearest(name, &known) }
    })
}

/// Returns the targets of the named code generator beside those of `kiln_targets`. Ours, opened if none is named, has none.
///
/// # Errors
/// When it cannot be opened.
pub fn offered_targets(compiler: &Compiler) -> Result<Vec<TargetFacts>, TargetError> {
    compiler.codegen.offered_targets().map_err(TargetError::Codegen)
}

/// Returns the target that stages of a back end are shown for: the first of that back end among those that are `named`,
/// kiln's own and those of the code generator.
///
/// # Errors
/// When a name is none of a target, or no target has the back end.
pub fn shown_target(
    compiler: &Compiler,
    named: &[String],
    backend: &Backend,
) -> Result<TargetFacts, TargetError> {
    let named = named.iter().map(String::as_str);
    for name in named.chain(FAMILIES.iter().map(|it| it.shown)) {
        let facts = target(compiler, name)?;
        if facts.backend == *backend {
            return Ok(facts);
        }
    }
    let offered = offered_targets(compiler)?.into_iter().find(|it| it.backend == *backend);
    offered.ok_or_else(|| TargetError::NoneOf(backend.clone()))
}

/// Returns the back end of this name, if a target has it.
pub fn backend_named(compiler: &Compiler, name: &str) -> Option<Backend> {
    let own = FAMILIES.iter().map(|it| it.backend.clone()).find(|it| it.name() == name);
    own.or_else(|| {
        let offered = offered_targets(compiler).ok()?.into_iter().map(|it| it.backend);
        offered.into_iter().find(|it| it.name() == name)
    })
}
