//! Why a check could not be made.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An obstacle to a check, as opposed to its findings.
#[derive(Debug)]
pub enum Error {
    /// A file or folder cannot be read or written.
    File(PathBuf, io::Error),
    /// A process that evaluates tests does not start.
    Worker(io::Error),
    /// kiln refuses a program of the check's own.
    Program(kiln::Error),
    /// A line of recorded scores is not of their form.
    Score(String),
    /// A program of the check's own made this, which is no text.
    NoText(String),
    /// The command line is not one that the command takes; how it is used.
    Usage(&'static str),
}

impl Error {
    /// Adds the path to an error of the file system.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |why| Self::File(path.to_owned(), why)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, why) => write!(f, "{}: {why}", path.display()),
            Self::Worker(why) => write!(f, "a worker does not start: {why}"),
            Self::Program(why) => why.fmt(f),
            Self::Score(line) => write!(f, "no score: {line}"),
            Self::NoText(expression) => write!(f, "{expression} is no text"),
            Self::Usage(usage) => f.write_str(usage),
        }
    }
}

impl std::error::Error for Error {}

impl From<kiln::Error> for Error {
    fn from(why: kiln::Error) -> Self {
        Self::Program(why)
    }
}
