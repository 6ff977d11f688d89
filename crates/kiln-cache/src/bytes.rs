//! Checked reading and writing of small binary structures: little-endian numbers, LEB128 lengths.

/// A cursor over bytes; every read returns `None` instead of passing the end.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        Some(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.array()?))
    }

    /// An unsigned LEB128 number; only the shortest form is accepted, so that a value has one encoding.
    pub(crate) fn leb(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }

    /// Bytes behind their LEB128 length.
    pub(crate) fn prefixed(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.leb()?).ok()?;
        self.take(count)
    }

    /// UTF-8 text behind its LEB128 length.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.prefixed()?).ok()
    }
}

/// Appends `value` as unsigned LEB128.
pub(crate) fn put_leb(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends `bytes` behind their LEB128 length.
pub(crate) fn put_prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    put_leb(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// `bytes` in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_leb_form() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_leb(&mut out, value);
            let mut reader = Reader::new(&out);
            assert_eq!(reader.leb(), Some(value));
            assert!(reader.is_empty());
        }
        assert_eq!(Reader::new(&[0x80, 0x00]).leb(), None, "padded zero");
        assert_eq!(Reader::new(&[0xff; 10]).leb(), None, "more than 64 bits");
    }

    #[test]
    fn a_length_past_the_end_is_refused() {
        assert_eq!(Reader::new(&[5, 1, 2]).prefixed(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]).prefixed(), None);
    }
}
