//! Reading with offsets: numbers, texts and tags, and the errors that name where they were expected.

use crate::error::{LibraryPart, MetalLibError, MetalLibErrorKind};
use crate::tag::{self, Tag};
use kiln_bytes::Reader;

/// Bytes of a library that have not been read yet, and their offset in it.
pub(crate) struct Cursor<'a> {
    input: Reader<'a>,
    /// The offset of the end.
    end: usize,
    /// The part that is being read.
    pub(crate) part: LibraryPart,
}

impl<'a> Cursor<'a> {
    /// Reads bytes that start at an offset of the library.
    pub(crate) fn new(bytes: &'a [u8], at: usize, part: LibraryPart) -> Self {
        Self { input: Reader::new(bytes), end: at + bytes.len(), part }
    }
    /// Returns the offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.end - self.input.rest().len()
    }
    /// Returns the bytes that have not been read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.input.rest()
    }
    /// Whether all bytes have been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.input.is_empty()
    }
    /// Returns the error that the bytes end too early.
    pub(crate) fn short(&self) -> MetalLibError {
        MetalLibErrorKind::Short(self.part).at(self.end)
    }
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], MetalLibError> {
        self.input.take(len).map_err(|_| self.short())
    }
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], MetalLibError> {
        self.input.array().map_err(|_| self.short())
    }
    pub(crate) fn u8(&mut self) -> Result<u8, MetalLibError> {
        self.input.u8().map_err(|_| self.short())
    }
    pub(crate) fn u16(&mut self) -> Result<u16, MetalLibError> {
        self.input.u16().map_err(|_| self.short())
    }
    pub(crate) fn u32(&mut self) -> Result<u32, MetalLibError> {
        self.input.u32().map_err(|_| self.short())
    }
    pub(crate) fn u64(&mut self) -> Result<u64, MetalLibError> {
        self.input.u64().map_err(|_| self.short())
    }
    /// Reads a flag.
    pub(crate) fn flag(&mut self) -> Result<bool, MetalLibError> {
        let at = self.at();
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(MetalLibErrorKind::Flag(other).at(at)),
        }
    }
    /// Reads a text up to its NUL.
    pub(crate) fn text(&mut self) -> Result<String, MetalLibError> {
        let at = self.at();
        let length = self.input.rest().iter().position(|it| *it == 0);
        let length = length.ok_or_else(|| MetalLibErrorKind::Unterminated.at(at))?;
        let text = self.take(length + 1)?.split_last().expect("there is a NUL").1;
        Ok(std::str::from_utf8(text).map_err(|_| MetalLibErrorKind::NotUtf8.at(at))?.to_owned())
    }
    /// Reads a number that is an offset or a size in memory.
    pub(crate) fn size(&mut self) -> Result<usize, MetalLibError> {
        let at = self.at();
        usize::try_from(self.u64()?).map_err(|_| MetalLibErrorKind::TooLarge.at(at))
    }
    /// Everything must have been read: this is the value of a tag.
    pub(crate) fn finish(&self, tag: Tag) -> Result<(), MetalLibError> {
        if self.is_empty() { Ok(()) } else { Err(MetalLibErrorKind::ValueSize(tag).at(self.at())) }
    }

    /// Reads the value of the next tag if it is this one.
    pub(crate) fn optional(&mut self, tag: Tag) -> Result<Option<Cursor<'a>>, MetalLibError> {
        if self.input.rest().get(..4) != Some(&tag[..]) {
            return Ok(None);
        }
        self.take(4)?;
        let size = if tag::is_wide(tag) { self.u32()? as usize } else { usize::from(self.u16()?) };
        let at = self.at();
        Ok(Some(Cursor::new(self.take(size)?, at, self.part)))
    }
    /// Reads the value of the next tag, which must be this one.
    pub(crate) fn required(&mut self, tag: Tag) -> Result<Cursor<'a>, MetalLibError> {
        let at = self.at();
        self.optional(tag)?.ok_or_else(|| MetalLibErrorKind::MissingTag(tag).at(at))
    }
    /// Reads the end of a group.
    pub(crate) fn end_of_group(&mut self) -> Result<(), MetalLibError> {
        let at = self.at();
        match self.array::<4>()? {
            tag::END => Ok(()),
            other => Err(MetalLibErrorKind::UnexpectedTag(other).at(at)),
        }
    }
    /// Reads a group behind its size, which counts so many bytes more than the group.
    pub(crate) fn group(&mut self, more: usize) -> Result<Cursor<'a>, MetalLibError> {
        let at = self.at();
        let size = self.u32()?;
        let bytes =
            (size as usize).checked_sub(more).ok_or_else(|| MetalLibErrorKind::GroupSize(size).at(at))?;
        let start = self.at();
        Ok(Cursor::new(self.take(bytes)?, start, self.part))
    }
    /// Reads the end of a group behind its size: it is also the end of its bytes.
    pub(crate) fn end_of_sized_group(&mut self) -> Result<(), MetalLibError> {
        self.end_of_group()?;
        let at = self.at();
        if self.is_empty() { Ok(()) } else { Err(MetalLibErrorKind::GroupSize(0).at(at)) }
    }
}
