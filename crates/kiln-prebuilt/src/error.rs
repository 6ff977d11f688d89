//! The errors of prebuilt kernels.

use std::fmt;

/// An image, a kernel or a launch failed.
///
/// ```
/// use kiln_prebuilt::{ErrorKind, Image};
/// let error = Image::open("no/such/file.kimg").unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Image);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The operation that failed.
    pub kind: ErrorKind,
    /// The message to the user.
    pub message: String,
    /// Where an item of a kernel failed, the innermost function first.
    pub frames: Vec<Frame>,
}

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The image cannot be used.
    Image,
    /// The image has no such kernel for this machine.
    Kernel,
    /// The arguments are of other types or lengths, or the launch has too many items.
    Arguments,
    /// An item of the kernel failed.
    Item,
}

/// A function of a kernel that an item failed in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// The file; empty if that is not known.
    pub file: String,
    /// The line in the file, from 1; 0 if that is not known.
    pub line: u32,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), frames: Vec::new() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
