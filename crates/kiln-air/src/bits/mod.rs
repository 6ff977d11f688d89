//! LLVM's bitstream: numbers of any number of bits, in records, in blocks that may be nested.

mod reader;
mod writer;

pub(crate) use reader::read_lengths;
pub use reader::{BitBlock, BitItem, BitRecord, read_blocks};
pub(crate) use writer::{Abbreviation, BitWriter, lengths};

/// Raw bitcode begins so.
pub(crate) const MAGIC: [u8; 4] = *b"BC\xc0\xde";

/// The abbreviation numbers that every block has.
const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
/// The first number of an abbreviation that a block defines.
const FIRST_DEFINED: u64 = 4;
