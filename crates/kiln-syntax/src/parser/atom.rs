//! Names, literals, and expressions in brackets and quotes.

use super::Parser;
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    /// The smallest expression. With `check_names` operators that are syntax, and closing words, are no names; after
    /// `:` and `.` they are.
    pub(super) fn atom(&mut self, check_names: bool, after_prefix: bool) {
        if self.enter().is_none() {
            return;
        }
        self.skip_newlines();
        let token = self.token(0);
        match token.kind {
            SyntaxKind::Ident | SyntaxKind::VarName => self.bump(),
            SyntaxKind::BadToken => self.bump_as(SyntaxKind::Error),
            kind if kind.is_literal() => self.bump(),
            SyntaxKind::Colon => self.quoted(),
            SyntaxKind::LParen => self.paren(check_names, after_prefix),
            SyntaxKind::LBracket => self.vector(),
            SyntaxKind::LBrace => self.braces(),
            SyntaxKind::At => self.macro_call(),
            SyntaxKind::Quote | SyntaxKind::TripleQuote => self.string(false),
            SyntaxKind::Backtick | SyntaxKind::TripleBacktick => self.string(true),
            kind if kind.is_word_operator() => self.bump_as(SyntaxKind::Ident),
            SyntaxKind::Question | SyntaxKind::Prime | SyntaxKind::Dot if check_names => self.not_a_value(),
            kind if kind.is_operator() => {
                if check_names && (kind.is_syntactic_operator() || self.colon_equals_here()) {
                    self.not_a_value();
                } else {
                    self.bump();
                }
            }
            kind if kind.is_keyword() && !(check_names && self.is_closing(kind)) => {
                self.bump_as(SyntaxKind::Ident)
            }
            kind => {
                let word = self.text.get(token.start as usize..token.end as usize).unwrap_or("");
                let message = match kind {
                    SyntaxKind::End => "the expression is not complete".to_owned(),
                    _ => format!("an expression is expected, not `{word}`"),
                };
                self.error_here(message);
                self.missing(SyntaxKind::Error);
            }
        }
        self.leave();
    }

    /// Whether `:=` is next. Of the operators of its kind it alone is no name: `≔` is one.
    pub(super) fn colon_equals_here(&self) -> bool {
        let token = self.token(0);
        token.kind == SyntaxKind::Assign && self.text.as_bytes()[token.start as usize] == b':'
    }

    fn not_a_value(&mut self) {
        let token = self.token(0);
        let word = self.text.get(token.start as usize..token.end as usize).unwrap_or("");
        let message = format!("`{word}` is not a value");
        self.error_here(message);
        self.bump_as(SyntaxKind::Error);
    }

    /// `:x`, `:(x)`, or a lone `:`. The next token is `:`.
    fn quoted(&mut self) {
        let next = self.token(1);
        let spaced = next.flags.has(Flags::SPACE_BEFORE);
        if self.is_closing(next.kind) && (!next.kind.is_keyword() || spaced) {
            return self.bump();
        }
        let mark = self.mark();
        self.skip();
        if spaced {
            self.no_space_here();
        }
        let inner = self.mode.without(super::Mode::END_VALUE);
        self.in_mode(inner, |parser| parser.atom(false, false));
        self.emit(mark, SyntaxKind::QuoteExpr, Flags::COLON);
    }

    fn vector(&mut self) {
        let mark = self.mark();
        let opener = self.token(0);
        self.skip();
        let end_is_value = self.mode.has(super::Mode::END_VALUE);
        let array = self.array(SyntaxKind::RBracket, opener, end_is_value);
        self.emit_dim(mark, array.kind, array.flags, array.dim);
    }

    /// A string or command; the next token is its opening delimiter.
    pub(super) fn string(&mut self, raw: bool) {
        let mark = self.mark();
        let delimiter = self.token(0).kind;
        self.skip();
        loop {
            match self.token(0).kind {
                SyntaxKind::StrChunk => self.bump(),
                SyntaxKind::Dollar => self.interpolation(),
                kind if kind == delimiter => break self.skip(),
                _ => break,
            }
        }
        let triple = matches!(delimiter, SyntaxKind::TripleQuote | SyntaxKind::TripleBacktick);
        let mut flags = if triple { Flags::TRIPLE } else { Flags::NONE };
        if raw {
            flags |= Flags::RAW;
        }
        let kind = if delimiter.is_string_delim() { SyntaxKind::String } else { SyntaxKind::CmdString };
        self.emit(mark, kind, flags);
    }

    /// `$x` or `$(x)` in a string; the next token is `$`.
    fn interpolation(&mut self) {
        self.skip();
        let token = self.token(0);
        match token.kind {
            SyntaxKind::LParen => {
                let mark = self.mark();
                self.skip();
                let list = self.bracketed(SyntaxKind::RParen, true);
                let simple = !list.commas && list.semis == 0 && list.items == 1;
                if !simple || self.nodes.last().is_some_and(|node| node.kind == SyntaxKind::Generator) {
                    self.fail_since(mark, "a string interpolates one expression at a time");
                }
                self.close(SyntaxKind::RParen, token);
                self.emit(mark, SyntaxKind::Parens, Flags::NONE);
            }
            kind if kind == SyntaxKind::Ident || kind.is_keyword() || kind.is_word_operator() => {
                self.bump_as(SyntaxKind::Ident)
            }
            SyntaxKind::Bool => self.bump(),
            _ => {
                self.error_here("a name or `(` is expected after `$` in a string; `\\$` is a plain one");
                self.missing(SyntaxKind::Error);
            }
        }
    }
}
