//! The checked reader.

use crate::{Malformed, Read};

const SHORT: Malformed = Malformed("the bytes end too early");

/// A list gets this much memory before its elements are read, or as much as there are bytes to read, if that is more.
const ROOM_BYTES: usize = 4096;

/// The bytes that have not been read yet.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
    /// Returns everything that has not been read yet.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
    /// Whether everything has been read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
    /// Everything must have been read.
    #[inline]
    pub fn finish(&self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed("bytes are left over")) }
    }
    /// The next `len` bytes.
    #[inline]
    pub fn take(&mut self, len: usize) -> Read<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(len).ok_or(SHORT)?;
        self.rest = rest;
        Ok(head)
    }
    /// The next `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(SHORT)?;
        self.rest = rest;
        Ok(*head)
    }
    /// One byte.
    #[inline]
    pub fn u8(&mut self) -> Read<u8> {
        let (&first, rest) = self.rest.split_first().ok_or(SHORT)?;
        self.rest = rest;
        Ok(first)
    }
    /// Two bytes.
    #[inline]
    pub fn u16(&mut self) -> Read<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    /// Four bytes.
    #[inline]
    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    /// Eight bytes.
    #[inline]
    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// A flag.
    #[inline]
    pub fn bool(&mut self) -> Read<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither 0 nor 1")),
        }
    }
    /// A number of seven bits a byte. Only the shortest form is accepted.
    #[inline]
    pub fn number(&mut self) -> Read<u64> {
        let first = self.u8()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part || byte == 0 {
                return Err(Malformed("a number is not in its shortest form"));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Malformed("a number has too many bytes"))
    }
    /// A [`number`](Self::number) of 32 bits.
    #[inline]
    pub fn number_u32(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| Malformed("a number is too large"))
    }
    /// A [`number`](Self::number) that is an index into a table of `len` entries.
    #[inline]
    pub fn index(&mut self, len: usize) -> Read<usize> {
        let index = self.number()?;
        if index < len as u64 { Ok(index as usize) } else { Err(Malformed("an index is outside its table")) }
    }
    /// The number of following elements, each of at least one byte.
    #[inline]
    pub fn count(&mut self) -> Read<usize> {
        let count = self.number()?;
        if count > self.rest.len() as u64 {
            return Err(Malformed("a list is longer than the bytes"));
        }
        Ok(count as usize)
    }
    /// Bytes behind their length.
    #[inline]
    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let len = self.count()?;
        self.take(len)
    }
    /// Text behind its length.
    #[inline]
    pub fn str(&mut self) -> Read<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed("a text is not UTF-8"))
    }
    /// Text behind its length, to be kept.
    pub fn string(&mut self) -> Read<String> {
        self.str().map(str::to_owned)
    }
    /// A list behind its length, each element by `read`, which must consume something.
    #[inline]
    pub fn list<T>(&mut self, read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.list_of(read)
    }
    /// A [`list`](Self::list) of elements whose reader has an error of its own.
    #[inline]
    pub fn list_of<T, E: From<Malformed>>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<Vec<T>, E> {
        let count = self.count()?;
        // An element may be larger than its bytes: a length that lies gets no more memory for that.
        let room = self.rest.len().max(ROOM_BYTES) / size_of::<T>().max(1);
        let mut list = Vec::with_capacity(count.min(room));
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }
    /// `len` bytes that [`Writer::sparse`](crate::Writer::sparse) wrote.
    pub fn sparse(&mut self, len: usize) -> Read<Vec<u8>> {
        if len.div_ceil(8) > self.rest.len() {
            return Err(SHORT);
        }
        let mut bytes = vec![0; len];
        for group in bytes.chunks_mut(8) {
            let mut present = self.u8()?;
            while present != 0 {
                let at = present.trailing_zeros() as usize;
                *group.get_mut(at).ok_or(Malformed("a byte outside its object"))? = self.u8()?;
                present &= present - 1;
            }
        }
        Ok(bytes)
    }
}
