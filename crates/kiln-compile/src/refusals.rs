//! Refusals of the code generator, kept so that the next session finds out sooner.

use crate::env::Compiler;
use crate::error::CompileError;
use kiln_cache::{Entry, Key};
use kiln_unit::{CodegenReply, Refusal};
use std::time::Duration;

/// Why the code generator made nothing.
pub(crate) enum NoReply {
    /// It refuses the code, and would again.
    Refused(Vec<Refusal>),
    /// It could not be asked, or has failed itself.
    Failed(CompileError),
}

impl From<CompileError> for NoReply {
    fn from(why: CompileError) -> Self {
        Self::Failed(why)
    }
}

/// An error that may be the code generator's refusal.
pub(crate) trait MayRefuse {
    /// The error of these refusals.
    fn of_refusals(refusals: Vec<Refusal>) -> Self;
    /// The refusals, if that is what the error is.
    fn refusals(&self) -> Option<&[Refusal]>;
}

impl MayRefuse for NoReply {
    fn of_refusals(refusals: Vec<Refusal>) -> Self {
        Self::Refused(refusals)
    }

    fn refusals(&self) -> Option<&[Refusal]> {
        match self {
            Self::Refused(refusals) => Some(refusals),
            Self::Failed(_) => None,
        }
    }
}

/// Returns what is made, unless the code generator refused it in another session: `key` is that of the refusals, which are kept
/// if it refuses now.
pub(crate) fn unless_refused<T, E: MayRefuse>(
    compiler: &Compiler,
    key: Option<Key>,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    if let Some(refusals) = key.as_ref().and_then(|it| kept(compiler, it)) {
        return Err(E::of_refusals(refusals));
    }
    make().inspect_err(|it| {
        if let (Some(refusals), Some(key)) = (it.refusals(), key) {
            keep(compiler, key, refusals);
        }
    })
}

fn kept(compiler: &Compiler, key: &Key) -> Option<Vec<Refusal>> {
    if !compiler.results.looks_up() {
        return None;
    }
    let entry = compiler.results.get_hint(key)?;
    CodegenReply::from_bytes(&entry.payload).ok()?.result.err()
}

fn keep(compiler: &Compiler, key: Key, refusals: &[Refusal]) {
    let (llvm_version, times) = (String::new(), Vec::new());
    let reply = CodegenReply { llvm_version, result: Err(refusals.to_vec()), times };
    compiler.results.replace(key, Entry::new(reply.to_bytes(), Duration::ZERO));
}
