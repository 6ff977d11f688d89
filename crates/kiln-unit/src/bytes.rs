//! Writing and checked reading of little-endian bytes: the one encoding of everything in this crate.

use std::fmt;

/// Malformed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed bytes: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Result of reading.
pub type Read<T> = Result<T, Malformed>;

/// Collects bytes.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.out.push(value);
    }
    /// A flag.
    pub fn bool(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }
    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }
    /// Eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }
    /// A length of something in memory.
    ///
    /// # Panics
    /// Beyond 4 GiB.
    pub fn len(&mut self, len: usize) {
        self.u32(u32::try_from(len).expect("units are far below 4 GiB"));
    }
    /// Bytes with their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.out.extend_from_slice(bytes);
    }
    /// Text with its length.
    pub fn str(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
    /// A list, each element by `write`.
    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.len(items.len());
        for item in items {
            write(self, item);
        }
    }
}

/// Reads the output of a [`Writer`].
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
    /// Everything must have been read.
    pub fn finish(&self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed("bytes are left over")) }
    }
    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(len).ok_or(Malformed("the bytes end too early"))?;
        self.rest = rest;
        Ok(head)
    }
    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| Malformed("the bytes end too early"))
    }
    /// One byte.
    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.array::<1>()?[0])
    }
    /// A flag.
    pub fn bool(&mut self) -> Read<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither 0 nor 1")),
        }
    }
    /// Four bytes.
    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    /// Eight bytes.
    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// Bytes with their length.
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let len = self.u32()? as usize;
        self.take(len)
    }
    /// Text with its length.
    pub fn str(&mut self) -> Read<String> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Malformed("a text is not UTF-8"))
    }
    /// A list, each element by `read`, which must consume something.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let len = self.u32()? as usize;
        if len > self.rest.len() {
            return Err(Malformed("a list is longer than the bytes"));
        }
        (0..len).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length that promises more than there is must not allocate it.
    #[test]
    fn a_lying_length_is_an_error() {
        let mut reader = Reader::new(&[255, 255, 255, 255, 1]);
        assert_eq!(reader.list(Reader::u8), Err(Malformed("a list is longer than the bytes")));
    }
}
