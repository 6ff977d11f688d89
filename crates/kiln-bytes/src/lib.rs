//! Writing and checked reading of bytes: the one encoding of what kiln keeps, sends, and hashes.
//!
//! A [`Writer`] collects numbers, texts and lists, a [`Reader`] reads them back in the same order. Numbers of a fixed
//! length are little-endian. Other numbers, and lengths, are unsigned LEB128: seven bits a byte, low ones first.
//!
//! # Invariants
//! * Equal values have equal bytes: a number has one form, the shortest, and a flag is 0 or 1.
//! * Nothing read is trusted. For any bytes the result is a value or a [`Malformed`], never a panic, and a list that
//!   promises more elements than there are bytes is refused before memory is asked for.
//!
//! # Deliberately absent
//! Versions, checksums and names of fields: each format has its own.

mod reader;
mod writer;

pub use reader::Reader;
pub use writer::Writer;

use std::fmt;

/// An error in bytes that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed bytes: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Result of reading.
pub type Read<T> = Result<T, Malformed>;

/// Returns `bytes` in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests;
