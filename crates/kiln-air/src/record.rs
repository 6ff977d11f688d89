//! Reading the numbers of a record, with the errors that name it.

use crate::bits::{BitBlock, BitItem, BitRecord};
use crate::error::{BitcodeError, BitcodeFault};
use crate::types::{AirTypes, TypeId};

/// The numbers of a record that have not been read yet.
pub(crate) struct Operands<'a> {
    pub(crate) block: u32,
    pub(crate) record: &'a BitRecord,
    next: usize,
}

impl<'a> Operands<'a> {
    pub(crate) fn new(block: u32, record: &'a BitRecord) -> Self {
        Self { block, record, next: 0 }
    }
    /// Returns the error that the record is malformed.
    pub(crate) fn fault(&self) -> BitcodeError {
        BitcodeFault::Record(self.block, self.record.code).at(self.record.at)
    }
    /// Returns the error that the record does not stand here.
    pub(crate) fn unexpected(&self) -> BitcodeError {
        BitcodeFault::UnexpectedRecord(self.block, self.record.code).at(self.record.at)
    }
    pub(crate) fn rest(&self) -> &'a [u64] {
        &self.record.values[self.next..]
    }
    pub(crate) fn number(&mut self) -> Result<u64, BitcodeError> {
        let value = self.rest().first().copied().ok_or_else(|| self.fault())?;
        self.next += 1;
        Ok(value)
    }
    pub(crate) fn number_u32(&mut self) -> Result<u32, BitcodeError> {
        u32::try_from(self.number()?).map_err(|_| self.fault())
    }
    pub(crate) fn flag(&mut self) -> Result<bool, BitcodeError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.fault()),
        }
    }
    /// Reads the number of a type that has been read.
    pub(crate) fn ty(&mut self, types: &AirTypes) -> Result<TypeId, BitcodeError> {
        let ty = TypeId(self.number_u32()?);
        if types.get(ty).is_some() { Ok(ty) } else { Err(self.fault()) }
    }
    /// Reads a number that must be this one.
    pub(crate) fn exactly(&mut self, expected: u64) -> Result<(), BitcodeError> {
        if self.number()? == expected { Ok(()) } else { Err(self.fault()) }
    }
    /// Everything must have been read.
    pub(crate) fn finish(&self) -> Result<(), BitcodeError> {
        if self.rest().is_empty() && self.record.blob.is_none() { Ok(()) } else { Err(self.fault()) }
    }
    /// Reads the other numbers as the bytes of a text.
    pub(crate) fn text(&mut self) -> Result<String, BitcodeError> {
        let bytes: Option<Vec<u8>> = self.rest().iter().map(|it| u8::try_from(*it).ok()).collect();
        self.next = self.record.values.len();
        text(bytes.ok_or_else(|| self.fault())?, self.record.at)
    }
    /// Reads the bytes of a text up to a 0.
    pub(crate) fn terminated(&mut self) -> Result<String, BitcodeError> {
        let mut bytes = Vec::new();
        loop {
            match u8::try_from(self.number()?).map_err(|_| self.fault())? {
                0 => return text(bytes, self.record.at),
                byte => bytes.push(byte),
            }
        }
    }
    /// Reads an alignment in bytes, or 0.
    pub(crate) fn align(&mut self) -> Result<u32, BitcodeError> {
        let code = self.number()?;
        align(code).ok_or_else(|| self.fault())
    }
}

/// Returns the alignment in bytes for its number.
pub(crate) fn align(code: u64) -> Option<u32> {
    match code {
        0 => Some(0),
        1..=32 => Some(1 << (code - 1)),
        _ => None,
    }
}

/// Returns the signed number whose sign is in the lowest bit.
pub(crate) fn signed(value: u64) -> i64 {
    match value {
        1 => i64::MIN,
        _ if value & 1 == 0 => (value >> 1) as i64,
        _ => -((value >> 1) as i64),
    }
}

/// Returns a text.
pub(crate) fn text(bytes: Vec<u8>, at: u64) -> Result<String, BitcodeError> {
    String::from_utf8(bytes).map_err(|_| BitcodeFault::NotUtf8.at(at))
}

/// The items of a block that have not been read yet.
pub(crate) struct Items<'a> {
    pub(crate) block: &'a BitBlock,
    next: usize,
}

impl<'a> Items<'a> {
    pub(crate) fn new(block: &'a BitBlock) -> Self {
        Self { block, next: 0 }
    }
    /// Returns the next record, if the next item is one of this kind.
    pub(crate) fn record(&mut self, code: u64) -> Option<Operands<'a>> {
        match self.block.items.get(self.next) {
            Some(BitItem::Record(record)) if record.code == code => {
                self.next += 1;
                Some(Operands::new(self.block.id, record))
            }
            _ => None,
        }
    }
    /// Returns the next record, which must be of this kind.
    pub(crate) fn required(&mut self, code: u64) -> Result<Operands<'a>, BitcodeError> {
        let fault = self.unexpected();
        self.record(code).ok_or(fault)
    }
    /// Returns the next record of any kind.
    pub(crate) fn any(&mut self) -> Option<Operands<'a>> {
        match self.block.items.get(self.next) {
            Some(BitItem::Record(record)) => {
                self.next += 1;
                Some(Operands::new(self.block.id, record))
            }
            _ => None,
        }
    }
    /// Returns the next block, if the next item is one of this kind.
    pub(crate) fn block(&mut self, id: u32) -> Option<&'a BitBlock> {
        match self.block.items.get(self.next) {
            Some(BitItem::Block(block)) if block.id == id => {
                self.next += 1;
                Some(block)
            }
            _ => None,
        }
    }
    /// Returns the error that the next item does not stand here, or that there is none.
    pub(crate) fn unexpected(&self) -> BitcodeError {
        match self.block.items.get(self.next) {
            Some(BitItem::Record(it)) => BitcodeFault::UnexpectedRecord(self.block.id, it.code).at(it.at),
            Some(BitItem::Block(it)) => BitcodeFault::UnexpectedBlock(it.id).at(it.at),
            None => BitcodeFault::Block.at(self.block.at),
        }
    }
    /// Everything must have been read.
    pub(crate) fn finish(&self) -> Result<(), BitcodeError> {
        if self.next == self.block.items.len() { Ok(()) } else { Err(self.unexpected()) }
    }
}
