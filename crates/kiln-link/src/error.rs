//! Why an object could not be linked.

use std::fmt;

/// Why an object could not be linked. Nothing of it is reachable afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectLinkError {
    /// The bytes are no x86-64 ELF relocatable object, or contradict themselves.
    Malformed(String),
    /// The object wants something this linker deliberately does not do.
    Unsupported(String),
    /// The caller does not know this symbol.
    Undefined(String),
    /// A displacement does not fit its field.
    OutOfRange(String),
    /// The system gave no memory.
    Memory(String),
}

impl fmt::Display for ObjectLinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectLinkError::Malformed(it) => write!(f, "malformed object: {it}"),
            ObjectLinkError::Unsupported(it) => write!(f, "unsupported in an object: {it}"),
            ObjectLinkError::Undefined(it) => write!(f, "undefined symbol `{it}`"),
            ObjectLinkError::OutOfRange(it) => write!(f, "relocation out of range: {it}"),
            ObjectLinkError::Memory(it) => write!(f, "no memory for code: {it}"),
        }
    }
}

impl std::error::Error for ObjectLinkError {}
