//! Numbers of varying length, and text.

use super::WireError;

/// Writes.
#[derive(Debug, Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }
    /// Seven bits a byte, low ones first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Reads.
#[derive(Debug)]
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl<'a> In<'a> {
    pub(super) fn byte(&mut self) -> Result<u8, WireError> {
        let (&first, rest) = self.0.split_first().ok_or(WireError("the bytes end too early"))?;
        self.0 = rest;
        Ok(first)
    }
    pub(super) fn bool(&mut self) -> Result<bool, WireError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError("a flag is neither 0 nor 1")),
        }
    }
    /// Only the shortest form of a number is accepted.
    pub(super) fn number(&mut self) -> Result<u64, WireError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part || (byte == 0 && shift > 0) {
                return Err(WireError("a number is not in its shortest form"));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError("a number has too many bytes"))
    }
    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        u32::try_from(self.number()?).map_err(|_| WireError("a number is too large"))
    }
    /// Reads the number of following elements, each of at least one byte.
    pub(super) fn count(&mut self) -> Result<usize, WireError> {
        let count = self.number()?;
        if count > self.0.len() as u64 {
            return Err(WireError("a list is longer than the bytes"));
        }
        Ok(count as usize)
    }
    /// A number that may not exceed `max`.
    pub(super) fn count_up_to(&mut self, max: usize) -> Result<usize, WireError> {
        usize::try_from(self.number()?).ok().filter(|it| *it <= max).ok_or(WireError("a number is too large"))
    }
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], WireError> {
        let len = self.count()?;
        let (head, rest) = self.0.split_at(len);
        self.0 = rest;
        Ok(head)
    }
    pub(super) fn str(&mut self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError("a name is not UTF-8"))
    }
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let count = self.count()?;
        (0..count).map(|_| read(self)).collect()
    }
    pub(super) fn finish(&self) -> Result<(), WireError> {
        if self.0.is_empty() { Ok(()) } else { Err(WireError("bytes are left over")) }
    }
}
