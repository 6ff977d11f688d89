//! Names, literals, and what brackets and quotes make of expressions.

use super::Parser;
use crate::{Flags, Kind};

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
            Kind::Ident | Kind::VarName => self.bump(),
            Kind::BadToken => self.bump_as(Kind::Error),
            kind if kind.is_literal() => self.bump(),
            Kind::Colon => self.quoted(),
            Kind::LParen => self.paren(check_names, after_prefix),
            Kind::LBracket => self.vector(),
            Kind::LBrace => self.braces(),
            Kind::At => self.macro_call(),
            Kind::Quote | Kind::TripleQuote => self.string(false),
            Kind::Backtick | Kind::TripleBacktick => self.string(true),
            kind if kind.is_word_operator() => self.bump_as(Kind::Ident),
            Kind::Question | Kind::Prime | Kind::Dot if check_names => self.not_a_value(),
            kind if kind.is_operator() => {
                if check_names && (kind.is_syntactic_operator() || self.colon_equals_here()) {
                    self.not_a_value();
                } else {
                    self.bump();
                }
            }
            kind if kind.is_keyword() && !(check_names && self.is_closing(kind)) => self.bump_as(Kind::Ident),
            kind => {
                let word = self.text.get(token.start as usize..token.end as usize).unwrap_or("");
                let message = match kind {
                    Kind::End => "the expression is not complete".to_owned(),
                    _ => format!("an expression is expected, not `{word}`"),
                };
                self.error_here(message);
                self.missing(Kind::Error);
            }
        }
        self.leave();
    }

    /// Whether `:=` is next. Of the operators of its kind it alone is no name: `≔` is one.
    pub(super) fn colon_equals_here(&self) -> bool {
        let token = self.token(0);
        token.kind == Kind::Assign && self.text.as_bytes()[token.start as usize] == b':'
    }

    fn not_a_value(&mut self) {
        let token = self.token(0);
        let word = self.text.get(token.start as usize..token.end as usize).unwrap_or("");
        let message = format!("`{word}` is not a value");
        self.error_here(message);
        self.bump_as(Kind::Error);
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
        self.emit(mark, Kind::QuoteExpr, Flags::COLON);
    }

    fn vector(&mut self) {
        let mark = self.mark();
        let opener = self.token(0);
        self.skip();
        let end_is_value = self.mode.has(super::Mode::END_VALUE);
        let array = self.array(Kind::RBracket, opener, end_is_value);
        self.emit_dim(mark, array.kind, array.flags, array.dim);
    }

    /// A string or command; the next token is its opening delimiter.
    pub(super) fn string(&mut self, raw: bool) {
        let mark = self.mark();
        let delimiter = self.token(0).kind;
        self.skip();
        loop {
            match self.token(0).kind {
                Kind::StrChunk => self.bump(),
                Kind::Dollar => self.interpolation(),
                kind if kind == delimiter => break self.skip(),
                _ => break,
            }
        }
        let triple = matches!(delimiter, Kind::TripleQuote | Kind::TripleBacktick);
        let mut flags = if triple { Flags::TRIPLE } else { Flags::NONE };
        if raw {
            flags |= Flags::RAW;
        }
        let kind = if delimiter.is_string_delim() { Kind::String } else { Kind::CmdString };
        self.emit(mark, kind, flags);
    }

    /// `$x` or `$(x)` in a string; the next token is `$`.
    fn interpolation(&mut self) {
        self.skip();
        let token = self.token(0);
        match token.kind {
            Kind::LParen => {
                let mark = self.mark();
                self.skip();
                let list = self.bracketed(Kind::RParen, true);
                let simple = !list.commas && list.semis == 0 && list.items == 1;
                if !simple || self.nodes.last().is_some_and(|node| node.kind == Kind::Generator) {
                    self.fail_since(mark, "a string interpolates one expression at a time");
                }
                self.close(Kind::RParen, token);
                self.emit(mark, Kind::Parens, Flags::NONE);
            }
            kind if kind == Kind::Ident || kind.is_keyword() || kind.is_word_operator() => {
                self.bump_as(Kind::Ident)
            }
            Kind::Bool => self.bump(),
            _ => {
                self.error_here("a name or `(` is expected after `$` in a string; `\\$` is a plain one");
                self.missing(Kind::Error);
            }
        }
    }
}
