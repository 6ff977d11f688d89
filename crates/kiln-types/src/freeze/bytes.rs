//! Numbers of variable length, and byte strings: the encoding of the tables of an image.

use super::ImageError;

/// The bytes of a part of an image that is being written.
#[derive(Debug, Default)]
pub struct Out {
    bytes: Vec<u8>,
}

impl Out {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
    /// Returns the number of written bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// One byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }
    /// Seven bits a byte, low ones first.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
    /// An index or a length.
    pub fn index(&mut self, index: usize) {
        self.number(index as u64);
    }
    /// A flag.
    pub fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }
    /// Eight bytes, for numbers that are seldom small.
    pub fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }
    /// A length and as many bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.index(bytes.len());
        self.raw(bytes);
    }
    /// Bytes of which many are 0, and whose length the reader knows: of each eight a byte that tells which are not 0, and
    /// those.
    pub fn sparse(&mut self, bytes: &[u8]) {
        for group in bytes.chunks(8) {
            let present = group.iter().enumerate().map(|(at, &it)| u8::from(it != 0) << at);
            self.byte(present.fold(0, |all, it| all | it));
            self.bytes.extend(group.iter().filter(|&&it| it != 0));
        }
    }
    /// Bytes whose length the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// The bytes of a part of an image that have not been read yet. Nothing read is trusted.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    rest: &'a [u8],
}

impl<'a> In<'a> {
    /// All of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
    /// Returns the number of remaining bytes.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }
    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, ImageError> {
        let (&first, rest) = self.rest.split_first().ok_or(ImageError("the bytes end too early"))?;
        self.rest = rest;
        Ok(first)
    }
    /// A number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, ImageError> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part || byte == 0 {
                return Err(ImageError("a number is not in its shortest form"));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(ImageError("a number has too many bytes"))
    }
    /// A number of 32 bits.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, ImageError> {
        u32::try_from(self.number()?).map_err(|_| ImageError("a number is too large"))
    }
    /// An index into a table of `len` entries.
    #[inline]
    pub fn index(&mut self, len: usize) -> Result<usize, ImageError> {
        let index = self.number()?;
        if index < len as u64 { Ok(index as usize) } else { Err(ImageError("an index is outside its table")) }
    }
    /// Reads the number of following elements, each of at least one byte.
    #[inline]
    pub fn count(&mut self) -> Result<usize, ImageError> {
        let count = self.number()?;
        if count > self.rest.len() as u64 {
            return Err(ImageError("a list is longer than the bytes"));
        }
        Ok(count as usize)
    }
    /// A flag.
    #[inline]
    pub fn flag(&mut self) -> Result<bool, ImageError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ImageError("a flag is neither 0 nor 1")),
        }
    }
    /// Eight bytes.
    #[inline]
    pub fn word(&mut self) -> Result<u64, ImageError> {
        let mut word = [0; 8];
        word.copy_from_slice(self.raw(8)?);
        Ok(u64::from_le_bytes(word))
    }
    /// A length and as many bytes.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], ImageError> {
        let len = self.count()?;
        self.raw(len)
    }
    /// `len` bytes.
    #[inline]
    pub fn raw(&mut self, len: usize) -> Result<&'a [u8], ImageError> {
        let (head, rest) = self.rest.split_at_checked(len).ok_or(ImageError("the bytes end too early"))?;
        self.rest = rest;
        Ok(head)
    }
    /// `len` bytes that [`Out::sparse`] wrote.
    pub fn sparse(&mut self, len: usize) -> Result<Vec<u8>, ImageError> {
        if len.div_ceil(8) > self.rest.len() {
            return Err(ImageError("the bytes end too early"));
        }
        let mut bytes = vec![0; len];
        for group in bytes.chunks_mut(8) {
            let mut present = self.byte()?;
            while present != 0 {
                let at = present.trailing_zeros() as usize;
                *group.get_mut(at).ok_or(ImageError("a byte outside its object"))? = self.byte()?;
                present &= present - 1;
            }
        }
        Ok(bytes)
    }
    /// Text.
    pub fn text(&mut self) -> Result<&'a str, ImageError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| ImageError("a text is not UTF-8"))
    }
    /// A list: how many, then each.
    pub fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, ImageError>,
    ) -> Result<Vec<T>, ImageError> {
        let count = self.count()?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }
    /// Nothing may be left.
    #[inline]
    pub fn finish(&self) -> Result<(), ImageError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ImageError("bytes are left over")) }
    }
}
