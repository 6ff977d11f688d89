//! The error of an instance that has no typed code.

use std::fmt;

/// Why an instance has no typed code, or no body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedError {
    /// The generator of a generated function threw.
    Generator,
    /// A definition that was made meanwhile changed the code that was compiled.
    Stale,
    /// The method of this name has neither a body nor a constant result.
    Bodiless(String),
    /// The compiler that owns the instance does not make it, in its words.
    Owner(String),
    /// The library lacks a function that compiled device code calls, or has one that does not fit.
    Runtime(String),
    /// The error of an instance that the program asks for at a place.
    AskedFor {
        /// The error.
        error: Box<TypedError>,
        /// The file.
        file: String,
        /// The line, from 1.
        line: u32,
    },
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Generator => f.write_str("the generator of a @generated function threw"),
            Self::Stale => f.write_str("a definition made while compiling changed what was compiled"),
            Self::Bodiless(name) => write!(f, "`{name}` has neither a body nor a constant result"),
            Self::Owner(why) | Self::Runtime(why) => f.write_str(why),
            Self::AskedFor { error, file, line } => write!(f, "{error}; asked for at {file}:{line}"),
        }
    }
}

impl std::error::Error for TypedError {}
