//! Where a statement came from, opaque to everything after lowering.

/// A file number, a byte offset and a length packed into 64 bits. Only the front end, which packs it, and the
/// driver, which turns it back into a place in a file, look inside. Never hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLoc(u64);

impl SourceLoc {
    /// No place at all: compiler-made statements.
    pub const NONE: SourceLoc = SourceLoc(0);

    /// Packs a place. `file` counts from 1; `len` saturates at 65,535 bytes.
    pub fn new(file: u16, start: u32, len: u32) -> Self {
        let len = u16::try_from(len).unwrap_or(u16::MAX);
        Self((u64::from(file) << 48) | (u64::from(start) << 16) | u64::from(len))
    }
    /// The file number; 0 for [`SourceLoc::NONE`].
    pub fn file(self) -> u16 {
        (self.0 >> 48) as u16
    }
    /// Byte offset of the first character.
    pub fn start(self) -> u32 {
        (self.0 >> 16) as u32
    }
    /// Length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "a place is not a collection")]
    pub fn len(self) -> u32 {
        u32::from(self.0 as u16)
    }
    /// Whether this is [`SourceLoc::NONE`].
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
    /// Whether `other` lies within this place. A place too long to encode extends to the end of its file.
    pub fn contains(self, other: Self) -> bool {
        let end = if self.len() == u32::from(u16::MAX) { u32::MAX } else { self.start() + self.len() };
        !self.is_none()
            && self.file() == other.file()
            && self.start() <= other.start()
            && other.start() + other.len() <= end
    }
    /// The packed form, for serializing.
    pub fn to_bits(self) -> u64 {
        self.0
    }
    /// The inverse of `to_bits`; every bit pattern is a valid, if perhaps meaningless, place.
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}
