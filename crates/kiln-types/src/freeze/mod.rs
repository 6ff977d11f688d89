//! A whole interner as bytes, and back with equal ids.
//!
//! An image holds the tables in the order of their ids: symbols, modules, definitions, constants, types. They are
//! used where they lie ([`FrozenTable`]): an entry is decoded on demand, and the hash tables by which
//! equal things are found again are part of the image. What follows from a type (free variables, concreteness) is
//! worked out then; what is only remembered (layouts, supertypes, answers of `subtype`) is left out. Equal interners
//! have equal bytes.
//!
//! # Invariants
//! * A type or constant mentions earlier ones only. The reader insists, which is what makes walking through what
//!   it read end.
//! * The reader never panics when it is told to check everything first: bytes that no writer wrote are an
//!   [`ImageError`]. Without that, damage may be found later, and is a bug.

mod bytes;
mod lazy;
mod place;
mod read;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub use bytes::{In, Out};
pub(crate) use lazy::FrozenTypes;
pub use place::ImageBytes;
pub use read::Counts;
pub use table::{FrozenTable, TableWriter, Thawed, accepted};

/// An error in the bytes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageError(pub &'static str);

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ImageError {}
