//! The writer of bitstreams.

use super::{DEFINE_ABBREV, END_BLOCK, ENTER_SUBBLOCK, FIRST_DEFINED, MAGIC, UNABBREV_RECORD};

/// The width of abbreviation numbers in all blocks.
const WIDTH: u32 = 4;
/// The width outside of blocks.
const TOP_WIDTH: u32 = 2;

/// A record with a blob at its end: before it are its number and as many numbers of variable length. A block has at most
/// one such form, so that it needs no name.
#[derive(Clone, Copy)]
pub(crate) struct Abbreviation {
    /// The number of the record.
    pub(crate) code: u64,
    /// The count of numbers before the blob.
    pub(crate) numbers: u32,
}

/// Bits that are written.
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet.
    partial: u64,
    partial_bits: u32,
    /// The offsets of the lengths of open blocks.
    open: Vec<usize>,
}

impl BitWriter {
    /// Returns a stream that begins as bitcode.
    pub(crate) fn new() -> Self {
        Self { bytes: MAGIC.to_vec(), partial: 0, partial_bits: 0, open: Vec::new() }
    }

    /// Returns the bytes: blocks end at whole words.
    pub(crate) fn finish(self) -> Vec<u8> {
        debug_assert!(self.open.is_empty() && self.partial_bits == 0, "blocks are closed");
        self.bytes
    }

    /// Writes a number of at most 32 bits.
    fn fixed(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 32 && value >> bits == 0, "the number fits");
        self.partial |= value << self.partial_bits;
        self.partial_bits += bits;
        while self.partial_bits >= 8 {
            self.bytes.push(self.partial as u8);
            self.partial >>= 8;
            self.partial_bits -= 8;
        }
    }
    /// Writes a number in groups of so many bits, the first of which says whether there are more.
    fn variable(&mut self, mut value: u64, bits: u32) {
        let more = 1 << (bits - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, bits);
            value >>= bits - 1;
        }
        self.fixed(value, bits);
    }
    /// Continues at a multiple of 32 bits.
    fn align(&mut self) {
        while self.partial_bits != 0 || !self.bytes.len().is_multiple_of(4) {
            let bits = 8 - self.partial_bits;
            self.fixed(0, bits);
        }
    }
    fn abbreviation(&mut self, number: u64) {
        self.fixed(number, if self.open.is_empty() { TOP_WIDTH } else { WIDTH });
    }

    /// Writes a block.
    pub(crate) fn block(&mut self, id: u32, contents: impl FnOnce(&mut Self)) {
        self.abbreviation(ENTER_SUBBLOCK);
        self.variable(u64::from(id), 8);
        self.variable(u64::from(WIDTH), 4);
        self.align();
        let length_at = self.bytes.len();
        self.fixed(0, 32);
        self.open.push(length_at);
        contents(self);
        self.abbreviation(END_BLOCK);
        self.align();
        self.open.pop();
        let words = (self.bytes.len() - length_at - 4) / 4;
        let words = u32::try_from(words).expect("a module has less than 16 GiB");
        self.bytes[length_at..length_at + 4].copy_from_slice(&words.to_le_bytes());
    }

    /// Writes a record.
    pub(crate) fn record(&mut self, code: u64, values: &[u64]) {
        self.abbreviation(UNABBREV_RECORD);
        self.variable(code, 6);
        self.variable(values.len() as u64, 6);
        for value in values {
            self.variable(*value, 6);
        }
    }

    /// Writes a record whose numbers are the bytes of a text.
    pub(crate) fn text(&mut self, code: u64, before: &[u64], text: &str) {
        let values: Vec<u64> = before.iter().copied().chain(text.bytes().map(u64::from)).collect();
        self.record(code, &values);
    }

    /// Defines the form of a record with a blob, and writes it.
    pub(crate) fn blob(&mut self, form: Abbreviation, numbers: &[u64], blob: &[u8]) {
        debug_assert_eq!(form.numbers as usize, numbers.len(), "as many numbers as the form has");
        self.abbreviation(DEFINE_ABBREV);
        self.variable(u64::from(form.numbers) + 2, 5);
        self.fixed(1, 1); // a literal: the number of the record
        self.variable(form.code, 8);
        for _ in numbers {
            self.fixed(0, 1);
            self.fixed(2, 3); // of variable length,
            self.variable(6, 5); // in groups of 6 bits
        }
        self.fixed(0, 1);
        self.fixed(5, 3); // a blob
        self.abbreviation(FIRST_DEFINED);
        for number in numbers {
            self.variable(*number, 6);
        }
        self.variable(blob.len() as u64, 6);
        self.align();
        for byte in blob {
            self.fixed(u64::from(*byte), 8);
        }
        self.align();
    }
}

/// Returns the lengths of texts as a stream of numbers in groups of 6 bits, filled up to a whole word.
pub(crate) fn lengths(texts: &[String]) -> Vec<u8> {
    let mut out = BitWriter { bytes: Vec::new(), partial: 0, partial_bits: 0, open: Vec::new() };
    for text in texts {
        out.variable(text.len() as u64, 6);
    }
    out.align();
    out.bytes
}
