//! Metal libraries (`.metallib`): the container in which Apple's drivers take compiled GPU code, as typed structures.
//!
//! A [`MetalLibrary`] lists functions; each [`MetalFunction`] has a name, a kind, versions and a module, which is bitcode
//! behind a [wrapper](wrap). [`write()`] lays a library out and [`read`] is its inverse. [`MetalVersions`] says which
//! versions belong to a release of macOS.
//!
//! ```
//! use kiln_metallib::{FunctionKind, MetalFunction, MetalLibrary, MetalVersions, read, wrap, write};
//!
//! let versions = MetalVersions::of_macos(14)?;
//! let bitcode = wrap(b"BC\xc0\xde")?;
//! let mut library = MetalLibrary::for_macos(&versions);
//! library.functions.push(MetalFunction::new("vadd", FunctionKind::Kernel, &versions, bitcode));
//! library.uuid = Some(library.content_uuid());
//! let bytes = write(&library)?;
//! assert_eq!(read(&bytes)?, library);
//! # Ok::<(), kiln_metallib::MetalLibError>(())
//! ```
//!
//! # Invariants
//! * `read(&write(library)?)? == library`, and bytes that [`read`] accepts are the bytes that [`write()`] makes of the
//!   result: there is one layout for one library. Apple's tools write this layout.
//! * Nothing read is trusted: any bytes are a library or a [`MetalLibError`] with the offset of the fault, never a panic.
//! * Equal libraries have equal bytes. No clock, no file and no random number takes part.
//!
//! # Deliberately absent
//! The tags of graphics stages, lists of variables, imported symbols and scripts: their layout is not known well enough,
//! and a file that has them is refused by the tag's name. The contents of modules and of reflection buffers.

mod bitcode;
mod cursor;
mod error;
mod layout;
mod model;
mod read;
mod reflection;
mod tag;
mod versions;
mod write;

pub use bitcode::{unwrap, wrap};
pub use error::{LibraryPart, MetalLibError, MetalLibErrorKind};
pub use model::{
    DebugPlace, EmbeddedSources, FunctionConstant, FunctionKind, LibraryKind, MetalFunction, MetalLibrary,
    Platform, PlatformVersion, SourceArchive,
};
pub use read::read;
pub use versions::{AirVersion, FormatVersion, LanguageVersion, MetalVersions};
pub use write::write;
