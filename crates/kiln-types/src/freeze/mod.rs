//! A whole interner as bytes, and back with equal ids.
//!
//! An image holds the tables in the order of their ids: symbols, modules, definitions, constants, types. They are
//! used in place ([`FrozenTable`]): an entry is decoded on demand, and the hash tables of the interner are part of
//! the image. Facts of a type that follow from its parts (free variables, concreteness) stand with it, so that
//! these are not decoded; caches (layouts, supertypes, results of `subtype`) are left out. Equal interners have equal bytes.
//!
//! # Invariants
//! * A type or constant mentions earlier ones only. The reader checks this, so walks through its output terminate.
//! * A reader that checks everything first never panics: malformed bytes are an [`ImageError`]. Without the check,
//!   damage may surface later, as a bug.

pub(crate) mod lazy;
mod place;
mod read;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use lazy::FrozenTypes;
pub use place::ImageBytes;
pub use read::TableSizes;
pub use table::{FrozenTable, TableWriter, Thawed, accepted};
pub use tables::{check_constants, counts, intern_as_read};
pub use write::write;

use kiln_bytes::Malformed;

/// An error in the bytes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageError(pub &'static str);

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ImageError {}

impl From<Malformed> for ImageError {
    #[inline]
    fn from(error: Malformed) -> Self {
        Self(error.0)
    }
}
