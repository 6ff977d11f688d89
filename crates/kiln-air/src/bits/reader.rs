//! The reader of bitstreams: any abbreviations, also those that a block defines for other blocks.

use super::{DEFINE_ABBREV, END_BLOCK, ENTER_SUBBLOCK, FIRST_DEFINED, MAGIC, UNABBREV_RECORD};
use crate::error::{BitcodeError, BitcodeFault};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of the block that defines abbreviations for others.
const BLOCKINFO: u32 = 0;
/// The record there that names the other block.
const SET_BLOCK: u64 = 1;
/// Blocks are in at most so many others.
const DEPTH_MAX: u32 = 8;
/// The characters of numbers of six bits.
const CHARACTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";

/// A record: a number that says what it is, and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitRecord {
    /// The offset in bits.
    pub at: u64,
    /// The number of its kind.
    pub code: u64,
    /// The numbers.
    pub values: Vec<u64>,
    /// The bytes at its end, if its form has them.
    pub blob: Option<Vec<u8>>,
}

/// A record or a block in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitItem {
    /// A record.
    Record(BitRecord),
    /// A block.
    Block(BitBlock),
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitBlock {
    /// The offset in bits.
    pub at: u64,
    /// The number of its kind.
    pub id: u32,
    /// Its contents, in order.
    pub items: Vec<BitItem>,
}

/// The form of one operand of an abbreviation.
#[derive(Clone, Copy)]
enum Form {
    Literal(u64),
    Fixed(u32),
    Variable(u32),
    Array,
    Character,
    Blob,
}

type Forms = Rc<Vec<Form>>;

/// The bits that are read.
struct Bits<'a> {
    bytes: &'a [u8],
    at: u64,
    end: u64,
}

impl Bits<'_> {
    fn short(&self) -> BitcodeError {
        BitcodeFault::Short.at(self.at)
    }
    fn fixed(&mut self, bits: u32) -> Result<u64, BitcodeError> {
        if u64::from(bits) > self.end - self.at {
            return Err(self.short());
        }
        let mut value = 0;
        let mut read = 0;
        while read < bits {
            let byte = self.bytes[(self.at / 8) as usize];
            let skip = (self.at % 8) as u32;
            let take = (8 - skip).min(bits - read);
            let part = u64::from(byte >> skip) & ((1 << take) - 1);
            value |= part << read;
            read += take;
            self.at += u64::from(take);
        }
        Ok(value)
    }
    fn variable(&mut self, bits: u32) -> Result<u64, BitcodeError> {
        let start = self.at;
        let more = 1_u64 << (bits - 1);
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let group = self.fixed(bits)?;
            let part = group & (more - 1);
            if shift >= 64 && part != 0 || shift < 64 && (part << shift) >> shift != part {
                return Err(BitcodeFault::Number.at(start));
            }
            value |= part.checked_shl(shift).unwrap_or(0);
            if group & more == 0 {
                return Ok(value);
            }
            shift += bits - 1;
            if shift > 128 {
                return Err(BitcodeFault::Number.at(start));
            }
        }
    }
    fn align(&mut self) -> Result<(), BitcodeError> {
        let next = self.at.next_multiple_of(32);
        if next > self.end {
            return Err(self.short());
        }
        self.at = next;
        Ok(())
    }
    /// Reads the count of a list whose elements have at least one bit each.
    fn count(&mut self) -> Result<usize, BitcodeError> {
        let at = self.at;
        let count = self.variable(6)?;
        if count > self.end - self.at {
            return Err(BitcodeFault::Short.at(at));
        }
        Ok(count as usize)
    }
}

/// Returns the lengths of so many texts: the inverse of [`lengths`](super::lengths).
pub(crate) fn read_lengths(bytes: &[u8], count: usize, at: u64) -> Result<Vec<usize>, BitcodeError> {
    let mut bits = Bits { bytes, at: 0, end: bytes.len() as u64 * 8 };
    let mut lengths = Vec::new();
    for _ in 0..count {
        let length = bits.variable(6).map_err(|it| it.fault.at(at))?;
        lengths.push(usize::try_from(length).map_err(|_| BitcodeFault::Number.at(at))?);
    }
    Ok(lengths)
}

struct Reader<'a> {
    bits: Bits<'a>,
    /// The abbreviations that are defined for blocks of a kind.
    shared: BTreeMap<u32, Vec<Forms>>,
}

/// Returns the outermost blocks of raw bitcode.
///
/// # Errors
/// Fails if the bytes are not a sequence of whole blocks.
pub fn read_blocks(bytes: &[u8]) -> Result<Vec<BitBlock>, BitcodeError> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else { return Err(BitcodeFault::Magic.at(0)) };
    let end = bytes.len() as u64 * 8;
    if !rest.len().is_multiple_of(4) {
        return Err(BitcodeFault::Short.at(end));
    }
    let mut reader = Reader { bits: Bits { bytes, at: 32, end }, shared: BTreeMap::new() };
    let mut blocks = Vec::new();
    while reader.bits.at < end {
        let at = reader.bits.at;
        if reader.bits.fixed(2)? != ENTER_SUBBLOCK {
            return Err(BitcodeFault::Block.at(at));
        }
        blocks.push(reader.block(at, 0)?);
    }
    Ok(blocks)
}

impl Reader<'_> {
    /// Reads a block behind the number that says it is one.
    fn block(&mut self, at: u64, depth: u32) -> Result<BitBlock, BitcodeError> {
        let fault = || BitcodeFault::Block.at(at);
        let id = u32::try_from(self.bits.variable(8)?).map_err(|_| fault())?;
        let width = u32::try_from(self.bits.variable(4)?).map_err(|_| fault())?;
        if !(2..=32).contains(&width) || depth > DEPTH_MAX {
            return Err(fault());
        }
        self.bits.align()?;
        let bits = self.bits.fixed(32)? * 32;
        let end = self.bits.at + bits;
        if end > self.bits.end {
            return Err(fault());
        }
        let mut forms = self.shared.get(&id).cloned().unwrap_or_default();
        let mut described = None;
        let mut items = Vec::new();
        loop {
            let at = self.bits.at;
            match self.bits.fixed(width)? {
                END_BLOCK => break,
                ENTER_SUBBLOCK => items.push(BitItem::Block(self.block(at, depth + 1)?)),
                DEFINE_ABBREV => {
                    let new = Rc::new(self.definition(at)?);
                    match described {
                        Some(other) if id == BLOCKINFO => self.shared.entry(other).or_default().push(new),
                        None if id == BLOCKINFO => return Err(BitcodeFault::Abbreviation.at(at)),
                        _ => forms.push(new),
                    }
                }
                UNABBREV_RECORD => {
                    let record = self.plain(at)?;
                    if id == BLOCKINFO && record.code == SET_BLOCK {
                        let other = record.values.first().and_then(|it| u32::try_from(*it).ok());
                        described = Some(other.ok_or_else(|| BitcodeFault::Record(id, SET_BLOCK).at(at))?);
                    }
                    items.push(BitItem::Record(record));
                }
                number => {
                    let form = forms.get((number - FIRST_DEFINED) as usize).cloned();
                    let form = form.ok_or_else(|| BitcodeFault::Abbreviation.at(at))?;
                    items.push(BitItem::Record(self.abbreviated(at, &form)?));
                }
            }
        }
        self.bits.align()?;
        if self.bits.at == end { Ok(BitBlock { at, id, items }) } else { Err(fault()) }
    }

    fn plain(&mut self, at: u64) -> Result<BitRecord, BitcodeError> {
        let code = self.bits.variable(6)?;
        let count = self.bits.count()?;
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.bits.variable(6)?);
        }
        Ok(BitRecord { at, code, values, blob: None })
    }

    /// Reads the definition of an abbreviation.
    fn definition(&mut self, at: u64) -> Result<Vec<Form>, BitcodeError> {
        let fault = || BitcodeFault::Abbreviation.at(at);
        let count = self.bits.variable(5)?;
        let mut forms = Vec::new();
        for _ in 0..count {
            if self.bits.fixed(1)? == 1 {
                forms.push(Form::Literal(self.bits.variable(8)?));
                continue;
            }
            forms.push(match self.bits.fixed(3)? {
                1 => match self.bits.variable(5)? {
                    0 => Form::Literal(0), // LLVM reads no bits for it
                    bits @ 1..=64 => Form::Fixed(bits as u32),
                    _ => return Err(fault()),
                },
                2 => match self.bits.variable(5)? {
                    0 => Form::Literal(0),
                    bits @ 2..=32 => Form::Variable(bits as u32),
                    _ => return Err(fault()),
                },
                3 => Form::Array,
                4 => Form::Character,
                5 => Form::Blob,
                _ => return Err(fault()),
            });
        }
        // An array is the last but one, a blob is the last, and the first operand is one number.
        for (index, form) in forms.iter().enumerate() {
            let behind = forms.len() - 1 - index;
            let is_possible = match form {
                Form::Array => {
                    index > 0
                        && behind == 1
                        && !matches!(forms[index + 1], Form::Literal(_) | Form::Array | Form::Blob)
                }
                Form::Blob => index > 0 && behind == 0,
                Form::Literal(_) | Form::Fixed(_) | Form::Variable(_) | Form::Character => true,
            };
            if !is_possible {
                return Err(fault());
            }
        }
        if forms.is_empty() { Err(fault()) } else { Ok(forms) }
    }

    fn operand(&mut self, form: Form) -> Result<u64, BitcodeError> {
        match form {
            Form::Literal(it) => Ok(it),
            Form::Fixed(bits) => self.bits.fixed(bits),
            Form::Variable(bits) => self.bits.variable(bits),
            Form::Character => Ok(u64::from(CHARACTERS[self.bits.fixed(6)? as usize])),
            Form::Array | Form::Blob => Err(BitcodeFault::Abbreviation.at(self.bits.at)),
        }
    }

    fn abbreviated(&mut self, at: u64, forms: &[Form]) -> Result<BitRecord, BitcodeError> {
        let (mut values, mut blob, mut index) = (Vec::new(), None, 0);
        while let Some(form) = forms.get(index) {
            match form {
                Form::Array => {
                    let count = self.bits.count()?;
                    for _ in 0..count {
                        values.push(self.operand(forms[index + 1])?);
                    }
                    index += 1;
                }
                Form::Blob => {
                    let count = self.bits.count()?;
                    self.bits.align()?;
                    let mut bytes = Vec::new();
                    for _ in 0..count {
                        bytes.push(self.bits.fixed(8)? as u8);
                    }
                    self.bits.align()?;
                    blob = Some(bytes);
                }
                Form::Literal(_) | Form::Fixed(_) | Form::Variable(_) | Form::Character => {
                    values.push(self.operand(*form)?);
                }
            }
            index += 1;
        }
        let code = values.remove(0); // the first operand is one number
        Ok(BitRecord { at, code, values, blob })
    }
}
