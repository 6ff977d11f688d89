//! A whole interner as bytes, and back with equal ids.
//!
//! An image holds the tables in the order of their ids, so that reading it makes the same ids again: symbols,
//! modules, kinds of definitions, constants, types, definitions. What follows from a type (free variables,
//! concreteness) is worked out again; what is only remembered (layouts, supertypes, answers of `subtype`) is
//! left out. Equal interners have equal bytes.
//!
//! # Invariants
//! * A type or constant mentions earlier ones only. The reader insists, which is what makes walking through what
//!   it read end.
//! * The reader never panics: bytes that no writer wrote are an [`ImageError`].

mod bytes;
mod read;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub use bytes::{In, Out};
pub use read::Counts;

/// What is wrong with the bytes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageError(pub &'static str);

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ImageError {}
