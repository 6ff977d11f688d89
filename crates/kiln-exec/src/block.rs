//! Blocks of bytes that go to compiled code or come from it: on the stack if they are small, as nearly all are. A collection finds
//! the objects that they name.

use kiln_runtime::heap::ScannedWords;

/// Bytes that need no allocation.
const SMALL: usize = 512;

#[repr(C, align(64))]
struct Aligned([u8; SMALL]);

/// Zeroed bytes, aligned for any vector if they are few, and for any number otherwise.
pub(crate) struct Block {
    small: Aligned,
    large: Option<ScannedWords>,
    len: usize,
}

impl Block {
    /// So many.
    pub(crate) fn new(len: usize) -> Self {
        let large = (len > SMALL).then(|| ScannedWords::new(len.div_ceil(8)));
        Self { small: Aligned([0; SMALL]), large, len }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.large {
            Some(large) => &large.bytes()[..self.len],
            None => &self.small.0[..self.len],
        }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.large {
            Some(large) => &mut large.bytes_mut()[..self.len],
            None => &mut self.small.0[..self.len],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small or large, a block is zero, as long as it is asked to be, and keeps what is written.
    #[test]
    fn blocks_keep_what_is_written() {
        for len in [0, 1, SMALL, SMALL + 1, 10_000] {
            let mut block = Block::new(len);
            assert!(block.bytes().len() == len && block.bytes().iter().all(|it| *it == 0));
            block.bytes_mut().fill(7);
            assert!(block.bytes().iter().all(|it| *it == 7));
        }
    }
}
