//! The writer. It cannot fail.

/// Collects bytes.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Nothing written yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Nothing written yet, and room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
    }
    /// Returns all that was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
    /// Returns what has been written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
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
    #[inline]
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }
    /// Two bytes.
    #[inline]
    pub fn u16(&mut self, value: u16) {
        self.raw(&value.to_le_bytes());
    }
    /// Four bytes.
    #[inline]
    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }
    /// Eight bytes.
    #[inline]
    pub fn u64(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }
    /// A flag.
    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }
    /// A number that is small more often than not: seven bits a byte.
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }
    /// An index or a length, as a number.
    #[inline]
    pub fn index(&mut self, index: usize) {
        self.number(index as u64);
    }
    /// Bytes whose length the reader knows.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
    /// Bytes behind their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.index(bytes.len());
        self.raw(bytes);
    }
    /// Text behind its length.
    pub fn str(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
    /// A list behind its length, each element by `write`.
    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.index(items.len());
        for item in items {
            write(self, item);
        }
    }
    /// Bytes of which many are 0, and whose length the reader knows: of each eight a byte that tells which are not 0,
    /// and those.
    pub fn sparse(&mut self, bytes: &[u8]) {
        for group in bytes.chunks(8) {
            let present = group.iter().enumerate().map(|(at, &it)| u8::from(it != 0) << at);
            self.u8(present.fold(0, |all, it| all | it));
            self.bytes.extend(group.iter().filter(|&&it| it != 0));
        }
    }
}
