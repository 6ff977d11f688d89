//! The fixed part of the layout: the header, and the groups of tags that all sections are made of.

use crate::error::{MetalLibError, MetalLibErrorKind};
use crate::tag::{self, Tag};
use kiln_bytes::Writer;

/// The bytes of the header.
pub(crate) const HEADER_BYTES: u64 = 88;
/// The first four bytes.
pub(crate) const MAGIC: [u8; 4] = *b"MTLB";
/// The first number of the format.
pub(crate) const MAJOR: u16 = 1;
/// The second number of the format.
pub(crate) const MINOR: u16 = 2;
/// The bit of the first number for macOS.
pub(crate) const MACOS_BIT: u16 = 1 << 15;
/// The bit of a header byte that says "stub" beside the kind, and "64 bits" beside the platform.
pub(crate) const HIGH_BIT: u8 = 1 << 7;

/// A group of tags under construction.
#[derive(Default)]
pub(crate) struct Group {
    out: Writer,
}

impl Group {
    /// Adds a tag with its value.
    ///
    /// # Errors
    /// Fails if the value is too long for the size behind its tag.
    pub(crate) fn add(&mut self, tag: Tag, value: &[u8]) -> Result<(), MetalLibError> {
        let too_long = || MetalLibErrorKind::Unwritable(tag).at(0);
        self.out.raw(&tag);
        if tag::is_wide(tag) {
            self.out.u32(u32::try_from(value.len()).map_err(|_| too_long())?);
        } else {
            self.out.u16(u16::try_from(value.len()).map_err(|_| too_long())?);
        }
        self.out.raw(value);
        Ok(())
    }

    /// Returns the tags and their end.
    pub(crate) fn plain(mut self) -> Vec<u8> {
        self.out.raw(&tag::END);
        self.out.finish()
    }

    /// Returns the group behind its size, which counts itself.
    ///
    /// # Errors
    /// Fails if the size has more than 32 bits.
    pub(crate) fn sized(self) -> Result<Vec<u8>, MetalLibError> {
        self.behind_size(4)
    }

    /// Returns the group behind its size, which counts so many bytes more than the group.
    ///
    /// # Errors
    /// Fails if the size has more than 32 bits.
    pub(crate) fn behind_size(self, more: usize) -> Result<Vec<u8>, MetalLibError> {
        let plain = self.plain();
        let size = u32::try_from(plain.len() + more).map_err(|_| MetalLibErrorKind::TooLarge.at(0))?;
        Ok([&size.to_le_bytes()[..], &plain].concat())
    }
}

/// Returns a text with the NUL at its end.
///
/// # Errors
/// Fails if the text has a NUL.
pub(crate) fn text(tag: Tag, text: &str) -> Result<Vec<u8>, MetalLibError> {
    if text.contains('\0') {
        return Err(MetalLibErrorKind::Unwritable(tag).at(0));
    }
    Ok([text.as_bytes(), &[0]].concat())
}
