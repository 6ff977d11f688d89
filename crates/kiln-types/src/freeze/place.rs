//! Where the bytes of an image are.

use std::sync::Arc;

/// The bytes of an image, or of a part of one.
#[derive(Clone, Debug)]
pub enum ImageBytes {
    /// In the program.
    Program(&'static [u8]),
    /// A part of bytes that were read.
    Read {
        /// All of them.
        bytes: Arc<Vec<u8>>,
        /// Where the part starts.
        start: usize,
        /// The length.
        len: usize,
    },
}

impl Default for ImageBytes {
    fn default() -> Self {
        Self::Program(&[])
    }
}

impl ImageBytes {
    /// Bytes that were read.
    pub fn read(bytes: Vec<u8>) -> Self {
        let len = bytes.len();
        Self::Read { bytes: Arc::new(bytes), start: 0, len }
    }
    /// The bytes.
    #[inline]
    pub fn get(&self) -> &[u8] {
        match self {
            Self::Program(bytes) => bytes,
            Self::Read { bytes, start, len } => &bytes[*start..*start + *len],
        }
    }
    /// `len` bytes from `start` on, which must be there.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        match self {
            Self::Program(bytes) => Self::Program(&bytes[start..start + len]),
            Self::Read { bytes, start: base, .. } => {
                Self::Read { bytes: bytes.clone(), start: base + start, len }
            }
        }
    }
    /// The number of 32 bits at `at`, which must be there.
    #[inline]
    pub fn u32_at(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.get()[at..at + 4]);
        u32::from_le_bytes(word)
    }
}
