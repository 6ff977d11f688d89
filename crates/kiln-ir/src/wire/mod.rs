//! Canonical bytes of an [`IrCode`], and a checked reader of them into another interner.
//!
//! A [`Wire`] has two sections. `body` is the identity of the code: types, constants and calls go through tables of
//! descriptors in first-use order, so it contains no id of an interner and no instance; equal bodies have equal bytes
//! in every process, and [`content_hash`] identifies them. `host` is for the host only: the name, positions, inlining
//! and the thunks of throw sites; moving or renaming a function changes nothing else.
//!
//! A reader accepts untrusted bytes: it returns a body whose references are all in range, or an error.
//!
//! Sessions of one image share more: entries of the image need no description ([`write_within`]).
//!
//! # Deliberately absent
//! Objects with identity: such a constant is written as its number of first use, and `Wire::objects` maps the numbers
//! to objects. A reader makes handles of the numbers.

mod decode;
mod encode;
mod read_types;
mod section;
mod write_types;

use crate::{Instance, IrCode};
use kiln_bytes::Malformed;
use kiln_types::{ObjectHandle, Types};

pub use decode::WireReader;
pub use section::{ImageObjects, OwnNames, SectionReader, SectionWriter, bind};

const OUT_OF_RANGE: WireError = WireError("a reference is out of range");

/// A serialized body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The code, without names and places.
    pub body: Vec<u8>,
    /// Names, places, thunks.
    pub host: Vec<u8>,
    /// The instances of `Instance(n)` in the calls of the body.
    pub instances: Vec<Instance>,
    /// The instances of `Instance(n)` in `host`, for inlined code.
    pub inlined: Vec<Instance>,
    /// The objects of the numbers in the body.
    pub objects: Vec<ObjectHandle>,
}

/// Bytes that are no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError(pub &'static str);

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "malformed IR: {}", self.0)
    }
}

impl std::error::Error for WireError {}

impl From<Malformed> for WireError {
    fn from(error: Malformed) -> Self {
        Self(error.0)
    }
}

/// Serializes a body.
pub fn write(code: &IrCode, types: &Types) -> Wire {
    encode::write(code, types, None).0
}

/// Serializes a body for other sessions of the image that `types` comes from: entries of the image are referred to by
/// id, later definitions by name and [definition hash](kiln_types::identity::hash_of_definition), objects by their numbers in the image. `None` if the body
/// mentions session-local data.
pub fn write_within(code: &IrCode, types: &Types, image: &dyn ImageObjects) -> Option<Wire> {
    let (wire, is_closed) = encode::write(code, types, Some(image));
    (is_closed && wire.objects.is_empty()).then_some(wire)
}

/// The identity of a body: a hash of `Wire::body`.
pub fn content_hash(body: &[u8]) -> [u8; 32] {
    *blake3::hash(body).as_bytes()
}

#[cfg(test)]
mod tests;
