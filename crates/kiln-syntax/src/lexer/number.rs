//! Numbers.

use super::Lexer;
use crate::chars::starts_name;
use crate::{Flags, SyntaxKind};

impl Lexer<'_> {
    /// A number. With `after_dot` the dot of `.5` has been read.
    pub(super) fn number(&mut self, after_dot: bool) {
        if !after_dot && self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'b' | b'o') {
            return self.prefixed();
        }
        self.digits(|byte| byte.is_ascii_digit());
        let mut kind = if after_dot { SyntaxKind::Float } else { SyntaxKind::Integer };
        if self.byte(0) == b'.' && self.byte(1) != b'.' {
            if after_dot {
                self.pos += 1;
                return self.bad("a number has at most one decimal point");
            }
            self.pos += 1;
            if self.dottable_here() {
                self.bad("it is not clear whose the `.` is: the number's or the operator's");
                if let Some(diagnostic) = self.out.diagnostics.last_mut() {
                    diagnostic.help = Some("put a blank before or after the `.`".to_owned());
                }
                return;
            }
            kind = SyntaxKind::Float;
            if self.accept(b'_') {
                return self.bad("a `_` cannot follow a decimal point");
            }
            let fraction = self.digits(|byte| byte.is_ascii_digit());
            if !self.exponent_here() {
                if self.byte(0) == b'.' && self.byte(1) != b'.' && !self.dottable_after_dot() {
                    self.pos += 1;
                    return self.bad("a number has at most one decimal point");
                }
                if !fraction && self.multiplicand_here() {
                    return self
                        .bad("a number that ends in `.` cannot be multiplied by what follows without `*`");
                }
            }
        }
        if self.exponent_here() {
            kind = if self.byte(0) == b'f' { SyntaxKind::Float32 } else { SyntaxKind::Float };
            if !self.exponent() {
                return self.bad("this exponent has no digits");
            }
            if self.byte(0) == b'.' && self.byte(1) != b'.' && !self.dottable_after_dot() {
                self.pos += 1;
                return self.bad("an exponent cannot have a decimal point");
            }
            return self.push_float(kind);
        }
        self.push(kind, Flags::NONE);
    }

    /// A number with an exponent, which may be too large.
    fn push_float(&mut self, kind: SyntaxKind) {
        let text = self.text.get(self.start..self.pos).unwrap_or("");
        if crate::literal::parse_number(text, kind).is_some() {
            return self.push(kind, Flags::NONE);
        }
        let size = if kind == SyntaxKind::Float32 { "Float32" } else { "Float64" };
        self.bad(&format!("this number is too large for a {size}"));
    }

    /// Digits with single `_` between them. Whether there were any.
    fn digits(&mut self, is_digit: fn(&u8) -> bool) -> bool {
        let start = self.pos;
        while let Some(byte) = self.bytes.get(self.pos) {
            let separator = *byte == b'_' && self.bytes.get(self.pos + 1).is_some_and(is_digit);
            if !(separator || is_digit(byte)) {
                break;
            }
            self.pos += 1;
        }
        self.pos > start
    }

    fn sign_len(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b'+' | b'-') => 1,
            Some(0xe2) if self.bytes[at..].starts_with("−".as_bytes()) => 3,
            _ => 0,
        }
    }

    fn exponent_here(&self) -> bool {
        matches!(self.byte(0), b'e' | b'E' | b'f')
            && (self.byte(1).is_ascii_digit() || self.sign_len(self.pos + 1) > 0)
    }

    fn exponent(&mut self) -> bool {
        self.pos += 1;
        self.pos += self.sign_len(self.pos);
        let start = self.pos;
        while self.byte(0).is_ascii_digit() {
            self.pos += 1;
        }
        self.pos > start
    }

    fn dottable_after_dot(&mut self) -> bool {
        self.pos += 1;
        let found = self.dottable_here();
        self.pos -= 1;
        found
    }

    fn multiplicand_here(&self) -> bool {
        matches!(self.byte(0), b'(' | b'[' | b'{' | b'@' | b'`' | b'"')
            || self.char_at(self.pos).is_some_and(starts_name)
    }

    /// `0x`, `0b`, `0o`.
    fn prefixed(&mut self) {
        let (kind, is_digit): (SyntaxKind, fn(&u8) -> bool) = match self.byte(1) {
            b'x' => (SyntaxKind::HexInt, |byte| byte.is_ascii_hexdigit()),
            b'b' => (SyntaxKind::BinInt, |byte| matches!(byte, b'0' | b'1')),
            _ => (SyntaxKind::OctInt, |byte| matches!(byte, b'0'..=b'7')),
        };
        self.pos += 2;
        let mut had_digits = self.digits(is_digit);
        if kind == SyntaxKind::HexInt {
            let fraction = self.byte(0) == b'.' && self.byte(1) != b'.';
            if fraction {
                self.pos += 1;
                had_digits |= self.digits(is_digit);
            }
            if matches!(self.byte(0), b'p' | b'P') {
                return if self.exponent() && had_digits {
                    self.push_float(SyntaxKind::Float);
                } else {
                    self.bad("this exponent has no digits");
                };
            }
            if fraction {
                return self.bad("a hexadecimal number with a point needs an exponent: `p0`");
            }
        }
        let rest = self.char_at(self.pos);
        if !had_digits || rest.is_some_and(|c| c.is_ascii_digit() || starts_name(c)) {
            while let Some(c) = self.char_at(self.pos).filter(|&c| c.is_ascii_digit() || starts_name(c)) {
                self.pos += c.len_utf8();
            }
            return self.bad("this is not a number");
        }
        self.push(kind, Flags::NONE);
    }
}
