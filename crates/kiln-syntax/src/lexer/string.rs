//! Strings, commands and characters.

use super::{Lexer, StringState};
use crate::chars::starts_name;
use crate::literal::unescape;
use crate::{Flags, SyntaxKind};

impl Lexer<'_> {
    /// An opening `"` or backtick.
    pub(super) fn open_string(&mut self, delimiter: u8) {
        let after_name = self.last == SyntaxKind::Ident
            || self.last.is_contextual_keyword()
            || self.last.is_word_operator();
        let raw = delimiter == b'`' || after_name;
        let triple = self.byte(1) == delimiter && self.byte(2) == delimiter;
        self.strings.push(StringState { opener: self.pos as u32, delimiter, triple, raw, depth: 0 });
        self.pos += if triple { 3 } else { 1 };
        self.push(delimiter_kind(delimiter, triple), Flags::NONE);
    }

    /// The next token inside the text of a string. False at the end of the input.
    pub(super) fn string_part(&mut self) -> bool {
        let Some(&StringState { delimiter, triple, raw, .. }) = self.strings.last() else { return false };
        if self.pos >= self.bytes.len() {
            return false;
        }
        let byte = self.byte(0);
        if self.last == SyntaxKind::Dollar {
            if byte == b'(' {
                self.change_depth(1);
                self.single(SyntaxKind::LParen);
                return true;
            }
            if self.char_at(self.pos).is_some_and(starts_name) {
                self.name();
                return true;
            }
        }
        if self.closes(delimiter, triple) {
            let opener = self.strings.pop().map_or(0, |it| it.opener);
            if !triple && self.bytes[opener as usize..self.pos].contains(&b'\n') {
                self.first_long_string.get_or_insert(opener);
            }
            self.pos += if triple { 3 } else { 1 };
            self.push(delimiter_kind(delimiter, triple), Flags::NONE);
            return true;
        }
        if byte == b'$' && !raw {
            self.single(SyntaxKind::Dollar);
            return true;
        }
        let escaped = if raw { self.raw_chunk(delimiter, triple) } else { self.chunk(delimiter, triple) };
        self.push(SyntaxKind::StrChunk, if raw { Flags::RAW } else { Flags::NONE });
        if escaped {
            let (start, end) = (self.start, self.pos);
            if let Err(problem) = unescape(&self.bytes[start..end]) {
                self.error_at(start + problem.start, start + problem.end, problem.message);
            }
        }
        true
    }

    fn closes(&self, delimiter: u8, triple: bool) -> bool {
        self.byte(0) == delimiter && (!triple || (self.byte(1) == delimiter && self.byte(2) == delimiter))
    }

    /// Text up to an interpolation or the end. Whether it has escapes.
    fn chunk(&mut self, delimiter: u8, triple: bool) -> bool {
        let mut escaped = false;
        while let Some(&byte) = self.bytes.get(self.pos) {
            if byte == b'$' || self.closes(delimiter, triple) {
                break;
            }
            if byte == b'\\' {
                escaped = true;
                self.pos += 1;
            }
            self.pos += 1;
        }
        self.pos = self.pos.min(self.bytes.len());
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        escaped
    }

    fn raw_chunk(&mut self, delimiter: u8, triple: bool) -> bool {
        while self.pos < self.bytes.len() && !self.closes(delimiter, triple) {
            let mut backslashes = 0;
            while self.accept(b'\\') {
                backslashes += 1;
            }
            let escapes_delimiter = backslashes % 2 == 1 && self.byte(0) == delimiter;
            if backslashes == 0 || escapes_delimiter {
                self.pos += 1;
            }
        }
        self.pos = self.pos.min(self.bytes.len());
        false
    }

    /// A `'`: adjoint after a value, else a character.
    pub(super) fn prime(&mut self) {
        let after_value = self.last.is_literal()
            || self.last.is_contextual_keyword()
            || matches!(
                self.last,
                SyntaxKind::Ident
                    | SyntaxKind::VarName
                    | SyntaxKind::Dot
                    | SyntaxKind::RParen
                    | SyntaxKind::RBracket
                    | SyntaxKind::RBrace
                    | SyntaxKind::Prime
                    | SyntaxKind::EndKw
            );
        if after_value {
            self.pos += 1;
            let mut flags = Flags::NONE;
            while let Some(c) = self.char_at(self.pos).filter(|&c| crate::chars::is_operator_suffix(c)) {
                self.pos += c.len_utf8();
                flags = Flags::SUFFIXED;
            }
            return self.push(SyntaxKind::Prime, flags);
        }
        self.character();
    }

    fn character(&mut self) {
        self.pos += 1;
        let content = self.pos;
        if self.byte(0) == b'\'' && self.byte(1) != b'\'' {
            self.pos += 1;
            return self.bad("a character literal needs one character");
        }
        if self.byte(0) == b'\\' {
            self.pos += 1;
        }
        self.pos += self.char_at(self.pos).map_or(0, char::len_utf8);
        while !matches!(self.bytes.get(self.pos), None | Some(b'\'' | b'\n')) {
            self.pos += 1;
        }
        if !self.accept(b'\'') {
            self.unclosed("syntax/unclosed-char", self.pos, "this character literal is never closed");
            return self.push(SyntaxKind::BadToken, Flags::NONE);
        }
        match unescape(&self.bytes[content..self.pos - 1]) {
            Err(problem) => {
                self.error_at(content + problem.start, content + problem.end, problem.message);
                self.push(SyntaxKind::BadToken, Flags::NONE);
            }
            Ok(bytes) if crate::literal::char_bits(&bytes).is_none() => {
                self.bad("a character literal has one character; strings take `\"`");
            }
            Ok(_) => self.push(SyntaxKind::Char, Flags::NONE),
        }
    }
}

fn delimiter_kind(delimiter: u8, triple: bool) -> SyntaxKind {
    match (delimiter, triple) {
        (b'`', false) => SyntaxKind::Backtick,
        (b'`', true) => SyntaxKind::TripleBacktick,
        (_, false) => SyntaxKind::Quote,
        (_, true) => SyntaxKind::TripleQuote,
    }
}
