//! Text to tokens.
//!
//! The lexer uses two facts of the context: the previous token (a `'` after a value is an operator, a `"` after a
//! name starts a raw string), and the enclosing strings. All other context belongs to the parser. Trivia go to a list
//! of their own; flags of the next token tell the parser about them.

mod number;
mod operator;
mod string;

use crate::chars::{
    continues_name, continues_name_ascii, is_invisible, is_space, starts_name, unicode_operator,
};
use crate::{Diagnostic, FileId, Flags, Span, SyntaxKind, tree::Token};

/// A string the lexer is inside of.
struct StringState {
    opener: u32,
    delimiter: u8,
    triple: bool,
    raw: bool,
    /// The number of open `(` of an interpolation; 0 in the text of the string.
    depth: u32,
}

/// The result of lexing.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) trivia: Vec<Token>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Cuts `text` into tokens.
pub(crate) fn lex(text: &str, file: FileId) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        file,
        pos: 0,
        start: 0,
        last: SyntaxKind::Newline,
        before: Flags::NONE,
        strings: Vec::new(),
        first_long_string: None,
        out: Lexed {
            tokens: Vec::with_capacity(text.len() / 3),
            trivia: Vec::with_capacity(text.len() / 6),
            diagnostics: Vec::new(),
        },
    };
    while lexer.next() {}
    for state in std::mem::take(&mut lexer.strings) {
        let opener = Span::new(file, state.opener, state.opener + 1);
        let what = if state.delimiter == b'`' { "command" } else { "string" };
        let message = format!("this {what} is never closed");
        let mut problem = Diagnostic::error("syntax/unclosed-string", message, opener);
        if let Some(first) = lexer.first_long_string.filter(|_| !state.triple) {
            // Each quote behind a forgotten one closes what should open: the first string over a line break began it.
            problem.primary.span = Span::new(file, first, first + 1);
            let text =
                "this quote opens a string that nothing closes, if the other one is meant as it stands";
            problem = problem.with_secondary(opener, text);
        }
        lexer.out.diagnostics.push(problem);
    }
    lexer.push(SyntaxKind::End, Flags::NONE);
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    file: FileId,
    pos: usize,
    /// Where the current token starts.
    start: usize,
    /// The kind of the token or trivia just before.
    last: SyntaxKind,
    /// Flags the next token gets for the trivia before it.
    before: Flags,
    strings: Vec<StringState>,
    /// The start of the first string with single quotes that continues after a line break.
    first_long_string: Option<u32>,
    out: Lexed,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.pos < self.bytes.len() && self.bytes[self.pos] == byte;
        self.pos += usize::from(found);
        found
    }

    fn push(&mut self, kind: SyntaxKind, flags: Flags) {
        let flags = flags | self.before;
        self.out.tokens.push(Token { kind, flags, start: self.start as u32, end: self.pos as u32 });
        self.before = Flags::NONE;
        self.last = kind;
    }

    fn error(&mut self, message: &str) {
        self.error_at(self.start, self.pos, message);
    }

    fn error_at(&mut self, start: usize, end: usize, message: &str) {
        let span = Span::new(self.file, start as u32, end as u32);
        self.out.diagnostics.push(Diagnostic::error("syntax/token", message, span));
    }

    /// An error about a token that the end of the text cuts off.
    fn unclosed(&mut self, code: &'static str, end: usize, message: &str) {
        let span = Span::new(self.file, self.start as u32, end as u32);
        self.out.diagnostics.push(Diagnostic::error(code, message, span));
    }

    fn bad(&mut self, message: &str) {
        self.error(message);
        self.push(SyntaxKind::BadToken, Flags::NONE);
    }

    /// Reads one token or piece of trivia. False at the end.
    fn next(&mut self) -> bool {
        self.start = self.pos;
        if let Some(state) = self.strings.last() {
            if state.depth == 0 {
                return self.string_part();
            }
            match self.byte(0) {
                b'(' => self.change_depth(1),
                b')' => self.change_depth(-1),
                _ => {}
            }
        }
        let Some(&byte) = self.bytes.get(self.pos) else { return false };
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.blanks(),
            b'#' => self.comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'0'..=b'9' => self.number(false),
            b'(' => self.single(SyntaxKind::LParen),
            b')' => self.single(SyntaxKind::RParen),
            b'[' => self.single(SyntaxKind::LBracket),
            b']' => self.single(SyntaxKind::RBracket),
            b'{' => self.single(SyntaxKind::LBrace),
            b'}' => self.single(SyntaxKind::RBrace),
            b',' => self.single(SyntaxKind::Comma),
            b';' => self.single(SyntaxKind::Semi),
            b'@' => self.single(SyntaxKind::At),
            b'"' | b'`' => self.open_string(byte),
            b'\'' => self.prime(),
            b'.' => self.dot(),
            0x80.. => self.non_ascii(),
            _ if self.operator(Flags::NONE) => {}
            _ => {
                self.pos += 1;
                self.bad("this character means nothing in Julia");
            }
        }
        true
    }

    fn change_depth(&mut self, by: i32) {
        if let Some(state) = self.strings.last_mut() {
            state.depth = state.depth.saturating_add_signed(by);
        }
    }

    fn single(&mut self, kind: SyntaxKind) {
        self.pos += 1;
        self.push(kind, Flags::NONE);
    }

    fn blanks(&mut self) {
        let mut kind = SyntaxKind::Whitespace;
        loop {
            match self.bytes.get(self.pos) {
                Some(b'\n') => {
                    kind = SyntaxKind::Newline;
                    if self.before.has(Flags::NEWLINE_BEFORE) {
                        self.before |= Flags::BLANK_LINE_BEFORE;
                    }
                    self.before |= Flags::NEWLINE_BEFORE;
                    self.pos += 1;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.pos += 1,
                Some(0x80..) => match self.char_at(self.pos) {
                    Some(c) if is_space(c) => self.pos += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        self.trivia(kind);
    }

    fn trivia(&mut self, kind: SyntaxKind) {
        self.before |= Flags::SPACE_BEFORE;
        self.out.trivia.push(Token {
            kind,
            flags: Flags::NONE,
            start: self.start as u32,
            end: self.pos as u32,
        });
        self.last = kind;
    }

    fn comment(&mut self) {
        self.pos += 1;
        if !self.accept(b'=') {
            let rest = &self.bytes[self.pos..];
            self.pos += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            return self.trivia(SyntaxKind::Comment);
        }
        let mut depth = 1;
        while depth > 0 {
            match (self.byte(0), self.byte(1)) {
                (b'#', b'=') => (depth, self.pos) = (depth + 1, self.pos + 2),
                (b'=', b'#') => (depth, self.pos) = (depth - 1, self.pos + 2),
                _ if self.pos >= self.bytes.len() => {
                    self.unclosed("syntax/unclosed-comment", self.start + 2, "this comment is never closed");
                    break;
                }
                _ => self.pos += 1,
            }
        }
        self.trivia(SyntaxKind::Comment);
    }

    /// A name or keyword; the caller has seen that one starts here.
    fn name(&mut self) {
        let in_string = self.strings.last().is_some_and(|state| state.depth == 0);
        let end = self.name_end(self.pos);
        let name = &self.bytes[self.pos..end];
        let kind = keyword(name);
        self.pos = end;
        if kind == SyntaxKind::Var
            && !in_string
            && self.byte(0) == b'"'
            && self.bytes[self.pos..] != *b"\"\"\""
        {
            let triple = self.byte(1) == b'"' && self.byte(2) == b'"';
            if !triple {
                return self.var_name();
            }
        }
        self.push(
            if self.last == SyntaxKind::At && kind.is_keyword() { SyntaxKind::Ident } else { kind },
            Flags::NONE,
        );
    }

    fn name_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            if byte < 0x80 {
                let stop = byte == b'!' && self.bytes.get(at + 1) == Some(&b'=');
                if stop || !continues_name_ascii(byte) {
                    break;
                }
                at += 1;
                continue;
            }
            let Some(c) = self.char_at(at) else { break };
            let joiner = matches!(c, '\u{200c}' | '\u{200d}');
            let joins = joiner
                && self
                    .char_at(at + c.len_utf8())
                    .is_some_and(|next| !next.is_ascii() && continues_name(next));
            if !(joins || continues_name(c)) {
                break;
            }
            at += c.len_utf8();
        }
        at
    }

    /// `var"..."` after the `var`: one token.
    fn var_name(&mut self) {
        self.pos += 1;
        loop {
            match self.bytes.get(self.pos) {
                Some(b'"') => break self.pos += 1,
                Some(b'\\') => self.pos = (self.pos + 2).min(self.bytes.len()),
                Some(_) => self.pos += 1,
                None => {
                    self.unclosed(
                        "syntax/unclosed-name",
                        self.start + 4,
                        "this `var\"...\"` is never closed",
                    );
                    break;
                }
            }
        }
        self.push(SyntaxKind::VarName, Flags::NONE);
        let suffix = self.byte(0);
        if continues_name_ascii(suffix) && suffix != b'!' {
            self.error("a name in `var\"...\"` cannot have a suffix");
        }
    }

    fn non_ascii(&mut self) {
        let Some(c) = self.char_at(self.pos) else {
            self.pos += 1;
            return;
        };
        if is_space(c) {
            self.blanks();
        } else if starts_name(c) {
            self.name();
        } else if unicode_operator(c).is_some() {
            self.operator(Flags::NONE);
        } else {
            self.pos += c.len_utf8();
            let shown = c.escape_unicode();
            if is_invisible(c) {
                self.bad(&format!("there is an invisible character here ({shown})"));
            } else if continues_name(c) {
                self.bad(&format!("a name cannot begin with `{c}`"));
            } else {
                self.bad(&format!("`{c}` ({shown}) means nothing in Julia"));
            }
        }
    }
}

/// The kind of a word.
fn keyword(word: &[u8]) -> SyntaxKind {
    match word {
        b"baremodule" => SyntaxKind::Baremodule,
        b"begin" => SyntaxKind::Begin,
        b"break" => SyntaxKind::Break,
        b"const" => SyntaxKind::Const,
        b"continue" => SyntaxKind::Continue,
        b"do" => SyntaxKind::Do,
        b"export" => SyntaxKind::Export,
        b"for" => SyntaxKind::For,
        b"function" => SyntaxKind::Function,
        b"global" => SyntaxKind::Global,
        b"if" => SyntaxKind::If,
        b"import" => SyntaxKind::Import,
        b"let" => SyntaxKind::Let,
        b"local" => SyntaxKind::Local,
        b"macro" => SyntaxKind::Macro,
        b"module" => SyntaxKind::Module,
        b"quote" => SyntaxKind::QuoteKw,
        b"return" => SyntaxKind::Return,
        b"struct" => SyntaxKind::Struct,
        b"try" => SyntaxKind::Try,
        b"using" => SyntaxKind::Using,
        b"while" => SyntaxKind::While,
        b"catch" => SyntaxKind::Catch,
        b"finally" => SyntaxKind::Finally,
        b"else" => SyntaxKind::Else,
        b"elseif" => SyntaxKind::Elseif,
        b"end" => SyntaxKind::EndKw,
        b"abstract" => SyntaxKind::Abstract,
        b"as" => SyntaxKind::As,
        b"mutable" => SyntaxKind::Mutable,
        b"outer" => SyntaxKind::Outer,
        b"primitive" => SyntaxKind::Primitive,
        b"public" => SyntaxKind::Public,
        b"type" => SyntaxKind::Type,
        b"var" => SyntaxKind::Var,
        b"in" => SyntaxKind::In,
        b"isa" => SyntaxKind::Isa,
        b"where" => SyntaxKind::Where,
        b"true" | b"false" => SyntaxKind::Bool,
        _ => SyntaxKind::Ident,
    }
}
