//! Faults of libraries, with the offset at which they were found.

use std::fmt;

/// A part of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryPart {
    /// The first 88 bytes.
    Header,
    /// The list of functions.
    Functions,
    /// The list of sections behind the functions.
    Extension,
    /// Metadata that the loader reads.
    PublicMetadata,
    /// Metadata for tools.
    PrivateMetadata,
    /// The modules.
    Modules,
    /// The sources.
    Sources,
    /// The section with the name of the library's file.
    Dynamic,
    /// The reflections.
    Reflections,
}

impl fmt::Display for LibraryPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "the header",
            Self::Functions => "the function list",
            Self::Extension => "the header extension",
            Self::PublicMetadata => "the public metadata",
            Self::PrivateMetadata => "the private metadata",
            Self::Modules => "the module list",
            Self::Sources => "the sources",
            Self::Dynamic => "the dynamic header",
            Self::Reflections => "the reflection list",
        })
    }
}

/// A fault of a library, or of bitcode in a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetalLibErrorKind {
    /// The bytes end inside this part.
    Short(LibraryPart),
    /// The first four bytes are not those of a library.
    NotALibrary,
    /// The version of the format is none of 1.2.5 to 1.2.9.
    FormatVersion(u16, u16, u16),
    /// A byte of the header has a value that is not known, or that this version does not have.
    HeaderByte(u8),
    /// The size in the header is not the size of the bytes.
    FileSize(u64),
    /// A section does not start, or does not end, where its neighbours leave room for it.
    Place(LibraryPart),
    /// A group's size is not that of its tags.
    GroupSize(u32),
    /// A tag that this part must have is not there.
    MissingTag([u8; 4]),
    /// A tag that this part does not have here, that is repeated, or that is not known.
    UnexpectedTag([u8; 4]),
    /// A value has another size than its tag demands.
    ValueSize([u8; 4]),
    /// A text has no NUL at its end, or one before.
    Unterminated,
    /// A text is not UTF-8.
    NotUtf8,
    /// A text is longer than its tag can hold, or has a NUL.
    Unwritable([u8; 4]),
    /// A function kind is not known.
    FunctionKind(u8),
    /// An offset of a function is not that of its metadata, module, archive or reflection.
    Offset([u8; 4]),
    /// The hash of a module is not that of its bytes.
    Hash,
    /// A module's wrapper is not that of bitcode, or its length is wrong.
    Wrapper,
    /// Bytes to be wrapped do not begin as bitcode does: they may be in a wrapper already.
    NotBitcode,
    /// Padding is not zero, or longer than needed.
    Padding,
    /// A reflection is not one: its identifier is not there.
    NotAReflection,
    /// There are archives of sources, but no sources; or a function names an archive that is not there.
    NoSuchArchive,
    /// Some functions have reflections, and others have none.
    SomeReflections,
    /// A flag is neither 0 nor 1.
    Flag(u8),
    /// A number is larger than its field.
    TooLarge,
    /// There is no table entry for this release of macOS.
    UnknownMacOs(u16),
}

/// A fault with the offset, in bytes, at which it was found; where a library is written, the offset at which the faulty
/// part would stand, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetalLibError {
    /// The offset in bytes.
    pub at: usize,
    /// The fault.
    pub kind: MetalLibErrorKind,
}

impl MetalLibErrorKind {
    /// Returns the fault at an offset.
    pub(crate) fn at(self, at: usize) -> MetalLibError {
        MetalLibError { at, kind: self }
    }
}

/// The letters of a tag, others escaped.
fn letters(tag: [u8; 4]) -> String {
    tag.escape_ascii().to_string()
}

impl fmt::Display for MetalLibErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Short(part) => write!(f, "the bytes end inside {part}"),
            Self::NotALibrary => f.write_str("this is no Metal library"),
            Self::FormatVersion(major, minor, patch) => {
                write!(f, "format {major}.{minor}.{patch} is not supported")
            }
            Self::HeaderByte(value) => write!(f, "the header has an unknown value {value:#04x}"),
            Self::FileSize(size) => write!(f, "the header says that there are {size} bytes"),
            Self::Place(part) => write!(f, "{part} is misplaced"),
            Self::GroupSize(size) => write!(f, "a group does not have {size} bytes, as it says"),
            Self::MissingTag(tag) => write!(f, "the tag {} is missing", letters(tag)),
            Self::UnexpectedTag(tag) => write!(f, "the tag {} is not supported here", letters(tag)),
            Self::ValueSize(tag) => write!(f, "the value of {} has another size", letters(tag)),
            Self::Unterminated => f.write_str("a text does not end with its only NUL"),
            Self::NotUtf8 => f.write_str("a text is not UTF-8"),
            Self::Unwritable(tag) => write!(f, "the text of {} is too long or has a NUL", letters(tag)),
            Self::FunctionKind(kind) => write!(f, "there is no function kind {kind}"),
            Self::Offset(tag) => write!(f, "an offset of {} is wrong", letters(tag)),
            Self::Hash => f.write_str("the hash is not that of the module"),
            Self::Wrapper => f.write_str("a module is not in the wrapper of bitcode"),
            Self::NotBitcode => f.write_str("the bytes are not raw bitcode"),
            Self::Padding => f.write_str("the padding is not zero or too long"),
            Self::NotAReflection => f.write_str("a reflection has no identifier"),
            Self::NoSuchArchive => f.write_str("there is no such archive of sources"),
            Self::SomeReflections => f.write_str("some functions have no reflection"),
            Self::Flag(value) => write!(f, "a flag is {value}"),
            Self::TooLarge => f.write_str("a number is too large"),
            Self::UnknownMacOs(major) => write!(f, "the versions for macOS {major} are not known"),
        }
    }
}

impl fmt::Display for MetalLibError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.kind)
    }
}

impl std::error::Error for MetalLibError {}
