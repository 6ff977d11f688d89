//! Identities that are equal in every process, for owners and configurations.
//!
//! A [`Stable`] value describes itself to a [`StableWriter`], which encodes it. Different values have different
//! encodings, so a hash of the bytes may serve as an identity. Process-local data must not be written: no address, no
//! id of an interner, nothing in the order of a hash table.

use crate::tables::CacheOwner;
use std::sync::Arc;

/// The first byte of an encoding.
const NUMBER: u8 = 1;
const WIDE: u8 = 2;
const FLAG: u8 = 3;
const TEXT: u8 = 4;
const BYTES: u8 = 5;
const LIST: u8 = 6;
const NONE: u8 = 7;
const SOME: u8 = 8;

/// A value that describes itself equally in every process.
///
/// Numbers, texts, options, lists and tuples of such values implement it; other types write their name and fields:
///
/// ```
/// use kiln_runtime::caching::{Stable, StableWriter};
///
/// struct Wgsl { version: u32, subgroups: bool }
///
/// impl Stable for Wgsl {
///     fn write(&self, to: &mut StableWriter) {
///         let Self { version, subgroups } = self; // a field that is added has to say whether it counts
///         to.text("Wgsl").value(version).value(subgroups);
///     }
/// }
/// ```
pub trait Stable {
    /// Writes the value.
    fn write(&self, to: &mut StableWriter);
}

/// Collects the encoding of a [`Stable`] value.
#[derive(Clone, Debug, Default)]
pub struct StableWriter {
    bytes: Vec<u8>,
}

impl StableWriter {
    /// A whole number; its width does not count.
    pub fn number(&mut self, number: i128) -> &mut Self {
        match i64::try_from(number) {
            Ok(it) => self.tagged(NUMBER, &it.to_le_bytes()),
            Err(_) => self.tagged(WIDE, &number.to_le_bytes()),
        }
    }
    /// Yes or no.
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.tagged(FLAG, &[u8::from(flag)])
    }
    /// A name or another text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.sized(TEXT, text.as_bytes())
    }
    /// Bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.sized(BYTES, bytes)
    }
    /// Starts a list of `len` values.
    pub fn list(&mut self, len: usize) -> &mut Self {
        self.tagged(LIST, &(len as u64).to_le_bytes())
    }
    /// Another value.
    pub fn value<T: Stable + ?Sized>(&mut self, value: &T) -> &mut Self {
        value.write(self);
        self
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) -> &mut Self {
        self.bytes.push(tag);
        self.bytes.extend_from_slice(bytes);
        self
    }
    fn sized(&mut self, tag: u8, bytes: &[u8]) -> &mut Self {
        self.tagged(tag, &(bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Returns a hash of the written bytes; `domain` separates identities of different kinds.
    pub(crate) fn hash(&self, domain: &str) -> u128 {
        let mut hasher = blake3::Hasher::new_derive_key(domain);
        hasher.update(&self.bytes);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        u128::from_le_bytes(bytes)
    }
}

/// The encoding of a [`Stable`] value, which can be stored and compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StableBytes(Arc<[u8]>);

impl StableBytes {
    /// Describes `value`.
    pub fn from_stable<T: Stable + ?Sized>(value: &T) -> Self {
        let mut writer = StableWriter::default();
        writer.value(value);
        Self(writer.bytes.into())
    }
    /// Returns the bytes, equal in every process for equal values.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Stable for StableBytes {
    fn write(&self, to: &mut StableWriter) {
        to.bytes(&self.0);
    }
}

impl Stable for CacheOwner {
    fn write(&self, to: &mut StableWriter) {
        to.bytes(&self.hash().to_le_bytes());
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Stable for $ty {
            fn write(&self, to: &mut StableWriter) {
                to.number(*self as i128);
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize i128);

impl Stable for bool {
    fn write(&self, to: &mut StableWriter) {
        to.flag(*self);
    }
}

impl Stable for str {
    fn write(&self, to: &mut StableWriter) {
        to.text(self);
    }
}

impl Stable for String {
    fn write(&self, to: &mut StableWriter) {
        to.text(self);
    }
}

impl<T: Stable + ?Sized> Stable for &T {
    fn write(&self, to: &mut StableWriter) {
        (**self).write(to);
    }
}

impl<T: Stable + ?Sized> Stable for Box<T> {
    fn write(&self, to: &mut StableWriter) {
        (**self).write(to);
    }
}

impl<T: Stable> Stable for Option<T> {
    fn write(&self, to: &mut StableWriter) {
        match self {
            None => to.tagged(NONE, &[]),
            Some(it) => to.tagged(SOME, &[]).value(it),
        };
    }
}

impl<T: Stable> Stable for [T] {
    fn write(&self, to: &mut StableWriter) {
        to.list(self.len());
        self.iter().for_each(|it| it.write(to));
    }
}

impl<T: Stable, const N: usize> Stable for [T; N] {
    fn write(&self, to: &mut StableWriter) {
        self.as_slice().write(to);
    }
}

impl<T: Stable> Stable for Vec<T> {
    fn write(&self, to: &mut StableWriter) {
        self.as_slice().write(to);
    }
}

impl Stable for () {
    fn write(&self, to: &mut StableWriter) {
        to.list(0);
    }
}

macro_rules! tuples {
    ($($len:literal: $($ty:ident $at:tt)*;)*) => {$(
        impl<$($ty: Stable),*> Stable for ($($ty,)*) {
            fn write(&self, to: &mut StableWriter) {
                to.list($len)$(.value(&self.$at))*;
            }
        }
    )*};
}
tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded<T: Stable + ?Sized>(value: &T) -> Vec<u8> {
        StableBytes::from_stable(value).as_bytes().to_vec()
    }

    /// MISSION C1: owners that differ anywhere have different encodings, however their parts are cut.
    #[test]
    fn different_values_say_different_things() {
        let all = [
            encoded("ab"),
            encoded(&("a", "b")),
            encoded(&["a", "b", ""]),
            encoded(&("ab", "")),
            encoded(&("a", ("b",))),
            encoded(&Some("ab")),
            encoded(&None::<u8>),
            encoded(&()),
            encoded(&0),
            encoded(&1),
            encoded(&-1),
            encoded(&i128::MAX),
            encoded(&true),
            encoded(&StableBytes::from_stable("ab")),
        ];
        for (n, one) in all.iter().enumerate() {
            assert!(!all[..n].contains(one), "{n} says what another one says");
        }
    }

    /// The encoding is a format: equal in every process and every build.
    #[test]
    fn what_is_said_does_not_change() {
        assert_eq!(encoded(&("X", 1)), encoded(&("X".to_owned(), 1_u8)));
        assert_eq!(
            StableWriter::default().value(&("X", 1)).hash("kiln test"),
            250_338_348_848_076_603_194_646_330_562_233_807_850
        );
    }
}
