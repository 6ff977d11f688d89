//! What is written is read back, and other bytes are refused.

use super::{Malformed, Reader, Writer, hex};

#[test]
fn what_is_written_is_read_back() {
    let mut out = Writer::new();
    out.u8(7);
    out.u16(0x1234);
    out.u32(0x1234_5678);
    out.u64(u64::MAX - 1);
    out.bool(true);
    out.index(300);
    out.raw(b"raw");
    out.bytes(&[1, 2]);
    out.str("täxt");
    out.list(&[5u64, 6], |out, it| out.number(*it));
    let mut input = Reader::new(out.as_bytes());
    assert_eq!(input.u8(), Ok(7));
    assert_eq!(input.u16(), Ok(0x1234));
    assert_eq!(input.u32(), Ok(0x1234_5678));
    assert_eq!(input.u64(), Ok(u64::MAX - 1));
    assert_eq!(input.bool(), Ok(true));
    assert_eq!(input.clone().index(300), Err(Malformed("an index is outside its table")));
    assert_eq!(input.index(301), Ok(300));
    assert_eq!(input.array(), Ok(*b"raw"));
    assert_eq!(input.bytes(), Ok(&[1, 2][..]));
    assert_eq!(input.str(), Ok("täxt"));
    assert_eq!(input.list(Reader::number), Ok(vec![5, 6]));
    assert_eq!((input.finish(), input.is_empty(), input.rest().len()), (Ok(()), true, 0));
    assert_eq!(Reader::new(&[0]).finish(), Err(Malformed("bytes are left over")));
}

/// Keys and contents are compared by their bytes.
#[test]
fn a_number_has_one_form() {
    for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
        let mut out = Writer::new();
        out.number(value);
        let mut input = Reader::new(out.as_bytes());
        assert_eq!((input.number(), input.finish()), (Ok(value), Ok(())));
        assert_eq!(Reader::new(out.as_bytes()).number_u32().ok(), u32::try_from(value).ok());
    }
    let padded = Malformed("a number is not in its shortest form");
    assert_eq!(Reader::new(&[0x80, 0x00]).number(), Err(padded), "zero");
    assert_eq!(Reader::new(&[0xff; 10]).number(), Err(padded), "more than 64 bits");
    assert!(Reader::new(&[0x80; 11]).number().is_err(), "without an end");
    assert!(Reader::new(&[0x80]).number().is_err(), "cut short");
    assert!(Reader::new(&[2]).bool().is_err());
}

#[test]
fn a_length_past_the_end_is_refused() {
    assert!(Reader::new(&[5, 1, 2]).bytes().is_err());
    let mut longest = Writer::new();
    longest.number(u64::MAX);
    for bytes in [&[5, 1, 2], longest.as_bytes()] {
        assert_eq!(Reader::new(bytes).bytes(), Err(Malformed("a list is longer than the bytes")));
        assert_eq!(Reader::new(bytes).list(Reader::u8), Err(Malformed("a list is longer than the bytes")));
    }
    assert!(Reader::new(&[0xff; 3]).sparse(usize::MAX).is_err());
}

/// The elements of a list may be much larger than the bytes that promise them.
#[test]
fn a_lying_length_gets_little_memory() {
    let mut bytes = vec![0; 1 << 14];
    bytes[..2].copy_from_slice(&[0x80, 0x7f]); // 16256 elements
    let mut met = 0;
    let read = Reader::new(&bytes).list(|it| {
        met += 1;
        it.take(1 << 12).map(|_| [0u8; 1 << 12])
    });
    assert_eq!((read.is_err(), met), (true, 4));
}

#[test]
fn sparse_bytes_are_read_back() {
    for bytes in [&[][..], &[0; 9], &[1, 0, 2, 0, 0, 0, 0, 3, 0, 4]] {
        let mut out = Writer::new();
        out.sparse(bytes);
        let mut input = Reader::new(out.as_bytes());
        assert_eq!((input.sparse(bytes.len()).as_deref(), input.finish()), (Ok(bytes), Ok(())));
    }
    assert_eq!(Reader::new(&[0b1000, 1]).sparse(3), Err(Malformed("a byte outside its object")));
}

#[test]
fn bytes_in_hexadecimal() {
    assert_eq!(hex(&[0, 0x0f, 0xa0]), "000fa0");
}
