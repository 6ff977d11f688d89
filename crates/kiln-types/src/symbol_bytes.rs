//! Symbols of arbitrary bytes: the name of a symbol is text, and a byte that is not UTF-8 is encoded as a character
//! of its own.
//!
//! These characters are the last 128 of the last private plane. If a program itself uses one of them, the name holds
//! its four bytes instead, so different bytes always have different names.

use std::borrow::Cow;

/// The character of the byte 0x80.
const FIRST: u32 = 0x10_ff80;

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte & 0x7f)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_stand_in(c: char) -> bool {
    u32::from(c) >= FIRST
}

/// The name of the symbol of these bytes.
pub fn name_of_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes)
        && !text.contains(is_stand_in)
    {
        return Cow::Borrowed(text);
    }
    let mut name = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_stand_in(c) {
                name.extend(c.encode_utf8(&mut [0; 4]).bytes().map(stand_in));
            } else {
                name.push(c);
            }
        }
        name.extend(chunk.invalid().iter().map(|&it| stand_in(it)));
    }
    Cow::Owned(name)
}

/// The bytes of a symbol's name: the inverse of [`name_of_bytes`].
pub fn bytes_of_name(name: &str) -> Cow<'_, [u8]> {
    if !name.contains(is_stand_in) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut bytes = Vec::with_capacity(name.len());
    for c in name.chars() {
        if is_stand_in(c) {
            bytes.push(0x80 | (u32::from(c) & 0x7f) as u8);
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::{bytes_of_name, name_of_bytes};

    /// Valid text is its own name; other bytes, and the characters that stand for them, come back as they were.
    #[test]
    fn names_keep_the_bytes() {
        assert_eq!(name_of_bytes("größe".as_bytes()), "größe");
        let private = '\u{10ffb1}'.to_string();
        for bytes in [&b"a\xffb"[..], b"\xed\xb3\x9b", private.as_bytes(), b"\xf4\x8f\xbe", b""] {
            let name = name_of_bytes(bytes);
            assert_eq!(&*bytes_of_name(&name), bytes);
        }
        assert_ne!(name_of_bytes(b"\xb1"), name_of_bytes(private.as_bytes()));
    }
}
