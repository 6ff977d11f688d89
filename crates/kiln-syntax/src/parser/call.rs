//! Calls, indexing, fields, macros: everything that follows a value without an operator.

use super::{Mark, Mode, Parser};
use crate::tree::Token;
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    /// Parses a form, or an atom with its calls, indices and fields.
    pub(super) fn call(&mut self) {
        if self.form_here() {
            return self.resword();
        }
        let mark = self.mark();
        self.unary_prefix(false);
        self.call_chain(mark, false);
    }

    fn form_here(&self) -> bool {
        let kind = self.kind();
        if self.starts_form(kind) {
            return true;
        }
        let next = self.peek2().kind;
        match kind {
            SyntaxKind::Mutable => next == SyntaxKind::Struct,
            SyntaxKind::Abstract | SyntaxKind::Primitive => next == SyntaxKind::Type,
            _ => false,
        }
    }

    /// `&x`, `::x`, `$x`, or an atom.
    pub(super) fn unary_prefix(&mut self, after_prefix: bool) {
        let token = self.peek();
        if !token.kind.is_syntactic_unary() || token.flags.has(Flags::DOTTED) {
            return self.atom(true, after_prefix);
        }
        let next = self.peek2().kind;
        if token.kind != SyntaxKind::ColonColon && self.is_closing_or_newline(next) {
            return self.bump();
        }
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        match token.kind {
            SyntaxKind::Amp => {
                self.bump();
                self.call_where();
                self.emit(mark, SyntaxKind::PrefixOperator, Flags::NONE);
            }
            SyntaxKind::ColonColon => {
                self.skip();
                self.call_where();
                self.emit(mark, SyntaxKind::Decl, Flags::PREFIX);
            }
            _ => {
                self.skip();
                self.unary_prefix(true);
                self.emit(mark, SyntaxKind::Interpolate, Flags::NONE);
            }
        }
        self.leave();
    }

    /// Parses `@` and the macro call after it; the next token is `@`.
    pub(super) fn macro_call(&mut self) {
        let mark = self.mark();
        self.skip();
        self.macro_name();
        self.call_chain(mark, true);
    }

    /// The name after `@`.
    pub(super) fn macro_name(&mut self) {
        self.no_space_here();
        let mark = self.mark();
        let before = self.nodes.len();
        self.atom(false, false);
        let leaf = self.nodes.len() == before + 1 && self.behind_kind() != SyntaxKind::Error;
        if !leaf && self.nodes.last().map(|node| node.kind) != Some(SyntaxKind::Parens) {
            self.error_since(mark, "a macro's name is expected after `@`");
        }
    }

    /// Parses the suffixes of a value: `(...)`, `[...]`, `{...}`, `.x`, `'`, and string literals.
    pub(super) fn call_chain(&mut self, mark: Mark, is_macro: bool) {
        if self.behind_kind().is_number() && self.kind() == SyntaxKind::LParen {
            return;
        }
        // In a macro call: where the name is not yet a `MacroName` node.
        let mut chain = Chain { mark, is_macro, unnamed: is_macro, misplaced: false, string_macro: true };
        loop {
            let token = self.peek();
            let spaced = token.flags.has(Flags::SPACE_BEFORE);
            let string_macro = std::mem::replace(&mut chain.string_macro, false);
            if !chain.is_macro && self.mode.has(Mode::SPACES) && spaced && opens(token.kind) {
                break;
            }
            let continues = matches!(
                token.kind,
                SyntaxKind::LParen
                    | SyntaxKind::LBracket
                    | SyntaxKind::LBrace
                    | SyntaxKind::Prime
                    | SyntaxKind::Dot
            );
            if chain.is_macro && (spaced || !continues) {
                self.macro_arguments(&mut chain);
                break;
            }
            match token.kind {
                SyntaxKind::LParen => self.call_arguments(&mut chain),
                SyntaxKind::LBracket => self.index(&mut chain),
                SyntaxKind::LBrace => self.curly(&mut chain),
                SyntaxKind::Dot => {
                    if !self.field(&mut chain) {
                        break;
                    }
                }
                SyntaxKind::Prime if !spaced => {
                    self.bump();
                    self.emit(mark, SyntaxKind::Call, Flags::POSTFIX);
                }
                SyntaxKind::Quote
                | SyntaxKind::TripleQuote
                | SyntaxKind::Backtick
                | SyntaxKind::TripleBacktick
                    if !spaced && string_macro && self.after_name() =>
                {
                    self.string_macro(mark);
                }
                _ => break,
            }
        }
    }

    /// Whether the token just consumed, a node by itself, was a name.
    fn after_name(&self) -> bool {
        let Some(last) = self.cur.checked_sub(1) else { return false };
        let kind = self.tokens[last].kind;
        let name = kind == SyntaxKind::Ident || kind.is_contextual_keyword() || kind.is_word_operator();
        let node = self.nodes.last().map_or(SyntaxKind::End, |node| node.kind);
        name && (node == SyntaxKind::Ident || node == SyntaxKind::Field)
    }

    fn finish_name(&mut self, chain: &mut Chain) {
        if chain.unnamed {
            self.emit(chain.mark, SyntaxKind::MacroName, Flags::NONE);
            chain.unnamed = false;
        }
    }

    /// `@m a b`: arguments separated by blanks.
    fn macro_arguments(&mut self, chain: &mut Chain) {
        self.finish_name(chain);
        let documents = self.cur.checked_sub(1).is_some_and(|last| {
            let Token { start, end, .. } = self.tokens[last];
            self.text.get(start as usize..end as usize) == Some("doc")
        });
        let inner = self.mode.with(Mode::SPACES).without(Mode::NEWLINES);
        self.in_mode(inner, |parser| {
            let count = parser.space_separated();
            if documents && count == 1 && parser.kind() == SyntaxKind::Newline {
                let next = parser.peek2().kind;
                if !parser.is_closing_or_newline(next) {
                    parser.skip_newlines();
                    parser.eq();
                }
            }
        });
        self.emit(chain.mark, SyntaxKind::MacroCall, Flags::NONE);
    }

    fn space_separated(&mut self) -> usize {
        let mut count = 0;
        loop {
            let kind = self.kind();
            if self.is_closing_or_newline(kind) || (self.mode.has(Mode::GENERATOR) && kind == SyntaxKind::For)
            {
                return count;
            }
            let before = self.cur;
            self.eq();
            count += 1;
            if self.cur == before {
                return count;
            }
        }
    }

    fn call_arguments(&mut self, chain: &mut Chain) {
        self.finish_name(chain);
        self.no_space_here();
        let flags = self.argument_list(SyntaxKind::RParen);
        if self.kind() == SyntaxKind::Do {
            self.do_block();
        }
        if chain.is_macro {
            self.emit(chain.mark, SyntaxKind::MacroCall, flags | Flags::PARENS);
            chain.is_macro = false;
        } else {
            self.emit(chain.mark, SyntaxKind::Call, flags);
        }
    }

    /// `(a, b; c)` or `{a, b}` after a callee.
    fn argument_list(&mut self, closer: SyntaxKind) -> Flags {
        let opener = self.token(0);
        self.skip();
        let inner = self.mode.with(Mode::GENERATOR);
        self.in_mode(inner, |parser| {
            let list = parser.bracketed(closer, false);
            parser.add_parameters(&list);
            parser.close(closer, opener);
            list.comma_flag()
        })
    }

    fn index(&mut self, chain: &mut Chain) {
        self.finish_name(chain);
        let inner = self.mark();
        self.no_space_here();
        let opener = self.token(0);
        self.skip();
        let outer = self.mode;
        let array = self.in_mode(outer.with(Mode::END_VALUE), |parser| {
            parser.array(SyntaxKind::RBracket, opener, outer.has(Mode::END_VALUE))
        });
        if chain.is_macro {
            self.emit_dim(inner, array.kind, array.flags, array.dim);
            self.emit(chain.mark, SyntaxKind::MacroCall, Flags::NONE);
            chain.is_macro = false;
            return;
        }
        let kind = match array.kind {
            SyntaxKind::Hcat => SyntaxKind::TypedHcat,
            SyntaxKind::Vcat => SyntaxKind::TypedVcat,
            SyntaxKind::Ncat => SyntaxKind::TypedNcat,
            SyntaxKind::Comprehension => SyntaxKind::TypedComprehension,
            _ => SyntaxKind::Ref,
        };
        self.emit_dim(chain.mark, kind, array.flags, array.dim);
    }

    fn curly(&mut self, chain: &mut Chain) {
        self.finish_name(chain);
        let inner = self.mark();
        self.no_space_here();
        let flags = self.argument_list(SyntaxKind::RBrace);
        if chain.is_macro {
            self.emit(inner, SyntaxKind::Braces, flags);
            self.emit(chain.mark, SyntaxKind::MacroCall, Flags::NONE);
            chain.is_macro = false;
        } else {
            self.emit(chain.mark, SyntaxKind::Curly, flags);
        }
    }

    /// After a value: `.x`, `.(...)`, `.:x`, `.$x`, `.@m`. False if the dot belongs to something else.
    fn field(&mut self, chain: &mut Chain) -> bool {
        let next = self.token(1);
        let operator = next.kind.is_operator() && !next.kind.is_word_operator();
        if operator
            && !matches!(
                next.kind,
                SyntaxKind::Colon | SyntaxKind::Dollar | SyntaxKind::Prime | SyntaxKind::Question
            )
        {
            return false;
        }
        self.no_space_here();
        if chain.is_macro && !chain.unnamed && !chain.misplaced {
            self.error_here("`@` goes before the first or the last part of a macro's name");
            chain.misplaced = true;
        }
        self.skip();
        let mark = chain.mark;
        match self.kind() {
            SyntaxKind::LParen => {
                if chain.is_macro {
                    self.error_here("a macro cannot be broadcast");
                    self.finish_name(chain);
                    chain.is_macro = false;
                }
                self.no_space_here();
                let flags = self.argument_list(SyntaxKind::RParen);
                self.emit(mark, SyntaxKind::DotCall, flags);
                return true;
            }
            SyntaxKind::Colon => {
                let inner = self.mark();
                self.skip();
                self.no_space_here();
                self.atom(false, false);
                self.emit(inner, SyntaxKind::QuoteExpr, Flags::COLON);
            }
            SyntaxKind::Dollar => {
                let inner = self.mark();
                if chain.is_macro {
                    self.error_here("a part of a macro's name cannot be interpolated");
                }
                self.skip();
                self.atom(true, false);
                self.emit(inner, SyntaxKind::Interpolate, Flags::NONE);
            }
            SyntaxKind::At => {
                let inner = self.mark();
                if chain.is_macro {
                    self.error_here("one `@` is enough");
                }
                self.skip();
                self.macro_name();
                if !chain.unnamed {
                    self.emit(inner, SyntaxKind::MacroName, Flags::NONE);
                }
                chain.is_macro = true;
            }
            SyntaxKind::Prime => {
                self.error_here("`.'` no longer exists; `permutedims` and `transpose` do");
                self.bump();
                self.emit(mark, SyntaxKind::Call, Flags::POSTFIX);
                return true;
            }
            _ => {
                self.atom(false, false);
                chain.string_macro = true;
            }
        }
        self.emit(mark, SyntaxKind::Field, Flags::NONE);
        true
    }

    /// `r"..."x`; the name is the last node.
    fn string_macro(&mut self, mark: Mark) {
        self.string(true);
        let token = self.peek();
        let kind = token.kind;
        let word = kind == SyntaxKind::Ident || kind.is_keyword() || kind.is_word_operator();
        if !token.flags.has(Flags::SPACE_BEFORE) && (word || kind.is_number()) {
            if word {
                self.bump_as(SyntaxKind::StrChunk);
                if let Some(leaf) = self.nodes.last_mut() {
                    leaf.flags |= Flags::RAW;
                }
            } else {
                self.bump();
            }
        }
        self.emit(mark, SyntaxKind::StringMacro, Flags::NONE);
    }

    /// `do x ... end`; the next token is `do`.
    fn do_block(&mut self) {
        let opener = self.token(0);
        let mark = self.mark();
        self.skip();
        self.in_mode(Mode::STATEMENT, |parser| {
            let arguments = parser.mark();
            match parser.kind() {
                SyntaxKind::Newline => parser.skip_newlines(),
                SyntaxKind::Semi => parser.skip(),
                _ => {
                    parser.comma_separated(|parser| parser.binary(crate::kind::level::SPLAT));
                }
            }
            let line_ends = parser.newline_done;
            parser.emit(arguments, SyntaxKind::Tuple, Flags::NONE);
            parser.block();
            if line_ends {
                parser.empty_block_on_next_line();
            }
            parser.close(SyntaxKind::EndKw, opener);
        });
        self.emit(mark, SyntaxKind::DoBlock, Flags::NONE);
    }

    /// Items between commas.
    pub(super) fn comma_separated(&mut self, item: fn(&mut Self)) {
        item(self);
        while self.kind() == SyntaxKind::Comma {
            self.skip();
            item(self);
        }
    }
}

/// The state of [`Parser::call_chain`].
struct Chain {
    mark: Mark,
    is_macro: bool,
    unnamed: bool,
    misplaced: bool,
    string_macro: bool,
}

/// Kinds that, after a blank in a matrix or macro call, start another element.
fn opens(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::LParen
            | SyntaxKind::LBracket
            | SyntaxKind::LBrace
            | SyntaxKind::Quote
            | SyntaxKind::TripleQuote
            | SyntaxKind::Backtick
            | SyntaxKind::TripleBacktick
    )
}
