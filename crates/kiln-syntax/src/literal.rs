//! The values of literals: escapes, characters, numbers.

/// A malformed escape: which bytes, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapeError {
    /// First byte, within the text given.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The description of the error.
    pub message: &'static str,
}

/// Returns the bytes of the text between the quotes of an ordinary string.
pub fn unescape(text: &[u8]) -> Result<Vec<u8>, EscapeError> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at = escape(text, at, &mut out)?,
            b'\r' => {
                out.push(b'\n');
                at += if text.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Ok(out)
}

/// Reads the escape at `at`, appends its bytes, and returns the offset after it.
fn escape(text: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, EscapeError> {
    let fail = |end: usize, message| Err(EscapeError { start: at, end: end.min(text.len()), message });
    let Some(&letter) = text.get(at + 1) else { return fail(at + 1, "nothing follows this backslash") };
    let simple = match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'e' => 0x1b,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'v' => 0x0b,
        b'a' => 0x07,
        b'\\' | b'\'' | b'"' | b'$' | b'`' => letter,
        b'\r' | b'\n' => return Ok(after_line_break(text, at + 1)),
        b'x' | b'u' | b'U' => return hex_escape(text, at, out),
        b'0'..=b'7' => {
            let digits =
                text[at + 1..].iter().take(3).take_while(|digit| (b'0'..=b'7').contains(*digit)).count();
            let value = number(&text[at + 1..at + 1 + digits], 8);
            let Ok(byte) = u8::try_from(value) else {
                return fail(at + 1 + digits, "an octal escape is at most \\377");
            };
            out.push(byte);
            return Ok(at + 1 + digits);
        }
        _ => return fail(at + 2, "there is no such escape"),
    };
    out.push(simple);
    Ok(at + 2)
}

fn number(digits: &[u8], radix: u32) -> u32 {
    digits.iter().fold(0u32, |value, &digit| {
        value.wrapping_mul(radix).wrapping_add(char::from(digit).to_digit(radix).unwrap_or(0))
    })
}

fn hex_escape(text: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, EscapeError> {
    let letter = text[at + 1];
    let most = match letter {
        b'x' => 2,
        b'u' => 4,
        _ => 8,
    };
    let digits = text[at + 2..].iter().take(most).take_while(|digit| digit.is_ascii_hexdigit()).count();
    let end = at + 2 + digits;
    let value = number(&text[at + 2..end], 16);
    if digits == 0 {
        return Err(EscapeError { start: at, end, message: "this escape has no hexadecimal digits" });
    }
    if letter == b'x' {
        out.push(value as u8);
    } else if value <= 0x10_ffff {
        push_code_point(value, out);
    } else {
        return Err(EscapeError { start: at, end, message: "there is no such Unicode character" });
    }
    Ok(end)
}

/// UTF-8 as Julia's `Char(n)` prints it: surrogates are encoded like anything else.
fn push_code_point(value: u32, out: &mut Vec<u8>) {
    if let Some(c) = char::from_u32(value) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        out.extend_from_slice(&[
            0xe0 | (value >> 12) as u8,
            0x80 | (value >> 6 & 0x3f) as u8,
            0x80 | (value & 0x3f) as u8,
        ]);
    }
}

/// An escaped line break yields no bytes, nor does the indentation after it.
fn after_line_break(text: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    if text[at] == b'\r' && text.get(next) == Some(&b'\n') {
        next += 1;
    }
    while matches!(text.get(next), Some(b' ' | b'\t')) {
        next += 1;
    }
    next
}

/// Returns the bytes of the text between the quotes of a raw string: only backslashes before a delimiter (or the end)
/// are special.
pub fn unescape_raw(text: &[u8], delimiter: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b'\\' {
            let backslashes = text[at..].iter().take_while(|&&byte| byte == b'\\').count();
            at += backslashes;
            let before_delimiter = text.get(at).is_none_or(|&byte| byte == delimiter);
            let kept = if before_delimiter { backslashes / 2 } else { backslashes };
            out.extend(std::iter::repeat_n(b'\\', kept));
            if let Some(&next) = text.get(at) {
                out.push(next);
                at += 1;
            }
        } else if byte == b'\r' {
            out.push(b'\n');
            at += if text.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

/// Julia's `Char`: the UTF-8 bytes from the top of 32 bits down. `None` unless `bytes` is exactly one character,
/// which may be malformed in the ways `read(io, Char)` accepts.
pub fn char_bits(bytes: &[u8]) -> Option<u32> {
    let lead = *bytes.first()?;
    let length = match lead {
        0x00..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    let taken = 1 + bytes[1..].iter().take(length - 1).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    if taken != bytes.len() {
        return None;
    }
    let bits = bytes.iter().enumerate().fold(0u32, |bits, (i, &byte)| bits | u32::from(byte) << (24 - 8 * i));
    Some(bits)
}

/// A number as Julia reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberLiteral {
    /// `Int64`.
    Int64(i64),
    /// Too large for `Int64`.
    Int128(i128),
    /// By the number of digits written.
    UInt8(u8),
    /// By the number of digits written.
    UInt16(u16),
    /// By the number of digits written.
    UInt32(u32),
    /// By the number of digits written.
    UInt64(u64),
    /// By the number of digits written.
    UInt128(u128),
    /// Larger than any of these.
    Big,
    /// `Float64`.
    Float64(f64),
    /// `Float32`.
    Float32(f32),
}

/// The text of a number without `_`, and with a plain `-` for each `−`.
pub fn plain_number(text: &str) -> String {
    text.chars().filter(|&c| c != '_').map(|c| if c == '−' { '-' } else { c }).collect()
}

/// Reads a number token of kind `kind`, sign included. `None` if a float overflows.
pub fn parse_number(text: &str, kind: crate::SyntaxKind) -> Option<NumberLiteral> {
    let plain = plain_number(text);
    let unsigned = plain.strip_prefix('+').unwrap_or(&plain);
    match kind {
        crate::SyntaxKind::HexInt => Some(unsigned_literal(unsigned, 16, [2, 4, 8, 16, 32])),
        crate::SyntaxKind::BinInt => Some(unsigned_literal(unsigned, 2, [8, 16, 32, 64, 128])),
        crate::SyntaxKind::OctInt => Some(octal_literal(unsigned)),
        crate::SyntaxKind::Float if unsigned.trim_start_matches('-').starts_with("0x") => {
            hex_float(unsigned).map(NumberLiteral::Float64)
        }
        crate::SyntaxKind::Float => {
            plain.parse().ok().filter(|value: &f64| value.is_finite()).map(NumberLiteral::Float64)
        }
        crate::SyntaxKind::Float32 => {
            let value: f32 = plain.replace('f', "e").parse().ok()?;
            value.is_finite().then_some(NumberLiteral::Float32(value))
        }
        _ => Some(match (plain.parse(), plain.parse()) {
            (Ok(small), _) => NumberLiteral::Int64(small),
            (_, Ok(large)) => NumberLiteral::Int128(large),
            _ => NumberLiteral::Big,
        }),
    }
}

/// Sizes by digits: at most `widths[i]` digits make the i-th size.
fn unsigned_literal(text: &str, radix: u32, widths: [usize; 5]) -> NumberLiteral {
    let digits = text.get(2..).unwrap_or("");
    let value = u128::from_str_radix(digits, radix).unwrap_or(0);
    match widths.iter().position(|&width| digits.len() <= width) {
        Some(0) => NumberLiteral::UInt8(value as u8),
        Some(1) => NumberLiteral::UInt16(value as u16),
        Some(2) => NumberLiteral::UInt32(value as u32),
        Some(3) => NumberLiteral::UInt64(value as u64),
        Some(_) => NumberLiteral::UInt128(value),
        None => NumberLiteral::Big,
    }
}

/// Octal digits carry three bits, so a size needs both the digits and the value to fit.
fn octal_literal(text: &str) -> NumberLiteral {
    let digits = text.get(2..).unwrap_or("");
    let Ok(value) = u128::from_str_radix(digits, 8) else { return NumberLiteral::Big };
    match digits.len() {
        0..=3 if value <= u128::from(u8::MAX) => NumberLiteral::UInt8(value as u8),
        0..=6 if value <= u128::from(u16::MAX) => NumberLiteral::UInt16(value as u16),
        0..=11 if value <= u128::from(u32::MAX) => NumberLiteral::UInt32(value as u32),
        0..=22 if value <= u128::from(u64::MAX) => NumberLiteral::UInt64(value as u64),
        0..=43 => NumberLiteral::UInt128(value),
        _ => NumberLiteral::Big,
    }
}

/// `0x1.8p3`. Correctly rounded for mantissas of up to 128 bits; further digits only make it inexact.
fn hex_float(text: &str) -> Option<f64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.get(2..)?.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let written = exponent.strip_prefix('+').unwrap_or(exponent);
    let mut exponent: i64 =
        written.parse().unwrap_or(if written.starts_with('-') { -1 << 40 } else { 1 << 40 });
    exponent -= 4 * fraction.len() as i64;
    let mut bits: u128 = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = u128::from(digit.to_digit(16)?);
        if bits >> 120 == 0 {
            bits = bits << 4 | digit;
        } else {
            bits |= u128::from(digit != 0);
            exponent += 4;
        }
    }
    let value = scale(bits, exponent);
    value.is_finite().then_some(if negative { -value } else { value })
}

/// `bits * 2^exponent`, rounded once to nearest, ties to even.
fn scale(bits: u128, exponent: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let top = 127 - i64::from(bits.leading_zeros()) + exponent;
    if top > 1023 {
        return f64::INFINITY;
    }
    // The weight of the last bit the result can have.
    let last = (top - 52).max(-1074);
    let drop = last - exponent;
    let mut kept = if drop <= 0 {
        bits << (-drop).min(127)
    } else if drop > 127 {
        0
    } else {
        let kept = bits >> drop;
        let rest = bits & ((1u128 << drop) - 1);
        let half = 1u128 << (drop - 1);
        kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
    };
    let mut weight = last;
    if kept >> 53 != 0 {
        kept >>= 1;
        weight += 1;
    }
    if weight > 971 {
        return f64::INFINITY;
    }
    let biased = if kept >> 52 == 0 { 0 } else { (weight + 1075) as u64 };
    f64::from_bits(biased << 52 | (kept as u64 & ((1 << 52) - 1)))
}
