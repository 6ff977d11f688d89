//! The forms that bind tighter than binary operators: `where`, juxtaposition, unary operators, `^`, `::`, `->`.

use super::{Mark, Mode, Parser};
use crate::kind::level;
use crate::tree::{SyntaxNode, Token};
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    /// `<: A where B` is `<: (A where B)`.
    pub(super) fn unary_subtype(&mut self) {
        let token = self.peek();
        let type_operator = matches!(token.kind, SyntaxKind::Subtype | SyntaxKind::Supertype)
            && !token.flags.has(Flags::DOTTED);
        if !type_operator {
            return self.juxtapose_where();
        }
        match self.peek2().kind {
            SyntaxKind::LBrace | SyntaxKind::LParen => self.juxtapose_where(),
            next if self.is_closing_or_newline(next) || next == SyntaxKind::Eq => self.bump(),
            _ => {
                if self.enter().is_none() {
                    return;
                }
                let mark = self.mark();
                self.bump();
                self.unary_subtype();
                self.emit(mark, SyntaxKind::PrefixOperator, Flags::NONE);
                self.leave();
            }
        }
    }

    fn juxtapose_where(&mut self) {
        let mark = self.mark();
        self.juxtapose();
        self.where_tail(mark);
    }

    fn where_tail(&mut self, mark: Mark) {
        if self.mode.has(Mode::WHERE) && self.kind() == SyntaxKind::Where {
            self.where_chain(mark);
        }
    }

    /// A call and the `where`s after it.
    pub(super) fn call_where(&mut self) {
        let mark = self.mark();
        self.call();
        self.where_tail(mark);
    }

    /// `where {A, B} where C ...`; the next token is `where`.
    pub(super) fn where_chain(&mut self, mark: Mark) {
        let inner = self.mode.without(Mode::WHERE);
        self.in_mode(inner, |parser| {
            while parser.kind() == SyntaxKind::Where {
                parser.skip();
                parser.skip_newlines();
                if parser.kind() == SyntaxKind::LBrace {
                    parser.braces();
                } else {
                    parser.binary(level::COMPARE);
                }
                parser.emit(mark, SyntaxKind::WhereExpr, Flags::NONE);
            }
        });
    }

    /// `2x`, `(a)(b)c`, `x'y`.
    fn juxtapose(&mut self) {
        let mark = self.mark();
        self.unary();
        let mut terms = 1;
        while self.juxtaposes() {
            if self.kind() == SyntaxKind::Radical {
                self.unary();
            } else {
                self.factor();
            }
            terms += 1;
        }
        if terms > 1 {
            self.emit(mark, SyntaxKind::Juxtapose, Flags::NONE);
        }
    }

    fn juxtaposes(&mut self) -> bool {
        let token = self.peek();
        let kind = token.kind;
        if token.flags.has(Flags::SPACE_BEFORE) || self.is_closing(kind) || kind == SyntaxKind::BadToken {
            return false;
        }
        let before = self.behind_kind();
        let after_value = before.is_number()
            || !(kind.is_number()
                || kind == SyntaxKind::At
                || before.is_block_form()
                || before.is_syntactic_unary()
                || matches!(
                    before,
                    SyntaxKind::Interpolate
                        | SyntaxKind::Decl
                        | SyntaxKind::ReturnExpr
                        | SyntaxKind::BreakExpr
                        | SyntaxKind::ContinueExpr
                        | SyntaxKind::GlobalDecl
                        | SyntaxKind::LocalDecl
                        | SyntaxKind::ConstDecl
                        | SyntaxKind::ImportStmt
                        | SyntaxKind::UsingStmt
                        | SyntaxKind::ExportStmt
                        | SyntaxKind::PublicStmt
                        | SyntaxKind::Error
                ));
        if !after_value || (kind.is_operator() && kind != SyntaxKind::Radical) {
            return false;
        }
        if before == SyntaxKind::String || kind.is_string_delim() {
            self.error_here("a string cannot be multiplied by what stands beside it; write `*`");
            return true;
        }
        !self.starts_form(kind)
    }

    fn is_unary(token: Token) -> bool {
        let dotted = token.flags.has(Flags::DOTTED);
        !token.flags.has(Flags::SUFFIXED)
            && match token.kind {
                SyntaxKind::Subtype | SyntaxKind::Supertype => !dotted,
                SyntaxKind::Plus
                | SyntaxKind::Minus
                | SyntaxKind::Bang
                | SyntaxKind::Tilde
                | SyntaxKind::Not
                | SyntaxKind::Radical
                | SyntaxKind::StarOp
                | SyntaxKind::PlusMinus => true,
                _ => false,
            }
    }

    /// An operand with the unary operators before it.
    fn unary(&mut self) {
        if self.enter().is_none() {
            return;
        }
        self.skip_newlines();
        let token = self.peek();
        let kind = token.kind;
        let dotted = token.flags.has(Flags::DOTTED);
        let operator = kind.is_operator()
            && !kind.is_word_operator()
            && !matches!(kind, SyntaxKind::Colon | SyntaxKind::Prime)
            && (dotted || !kind.is_syntactic_unary())
            && !kind.is_syntactic_operator();
        if operator {
            self.unary_operator(token);
        } else {
            self.factor();
        }
        self.leave();
    }

    fn unary_operator(&mut self, token: Token) {
        let next = self.peek2();
        if self.signed_number(token, next) {
            return;
        }
        let mark = self.mark();
        if self.is_closing_or_newline(next.kind) || next.kind == SyntaxKind::Eq {
            // The operator as a value.
            self.atom(true, false);
        } else if next.kind == SyntaxKind::LBrace
            || (!Self::is_unary(token) && next.kind == SyntaxKind::LParen)
        {
            self.factor();
        } else if next.kind == SyntaxKind::LParen {
            self.unary_before_paren(mark, token, next);
        } else {
            if !Self::is_unary(token) {
                self.error_here("this operator needs something on its left");
            }
            self.bump();
            self.unary();
            self.emit_prefix(mark, token);
        }
    }

    fn emit_prefix(&mut self, mark: Mark, token: Token) {
        let type_operator = matches!(token.kind, SyntaxKind::Subtype | SyntaxKind::Supertype)
            && !token.flags.has(Flags::DOTTED);
        if type_operator {
            self.emit(mark, SyntaxKind::PrefixOperator, Flags::NONE);
        } else {
            self.emit(mark, SyntaxKind::Call, Flags::PREFIX);
        }
    }

    /// `-2` is a number, but `-2^x` and `-2[1]` are calls of `-`.
    fn signed_number(&mut self, sign: Token, number: Token) -> bool {
        let plain = !sign.flags.has(Flags::DOTTED) && !sign.flags.has(Flags::SUFFIXED);
        let decimal = matches!(number.kind, SyntaxKind::Integer | SyntaxKind::Float | SyntaxKind::Float32);
        let positional = matches!(number.kind, SyntaxKind::BinInt | SyntaxKind::HexInt | SyntaxKind::OctInt);
        let glued = match sign.kind {
            SyntaxKind::Plus => decimal || positional,
            SyntaxKind::Minus => decimal,
            _ => false,
        };
        if !plain || !glued || number.flags.has(Flags::SPACE_BEFORE) {
            return false;
        }
        let mark = self.mark();
        let after = self.token(2);
        let on_line = self.mode.has(Mode::NEWLINES) || !after.flags.has(Flags::NEWLINE_BEFORE);
        if on_line && matches!(after.kind, SyntaxKind::Power | SyntaxKind::LBracket | SyntaxKind::LBrace) {
            self.bump();
            self.factor();
            self.emit(mark, SyntaxKind::Call, Flags::PREFIX);
        } else {
            let leaf = SyntaxNode {
                kind: number.kind,
                dim: 0,
                flags: sign.flags,
                start: sign.start,
                end: number.end,
                size: 1,
            };
            self.skip();
            self.skip();
            self.nodes.push(leaf);
            self.factor_tail(mark);
        }
        true
    }

    /// `+(a, b)` is a call of `+`, `+(a)^2` is `+` of a power.
    fn unary_before_paren(&mut self, mark: Mark, token: Token, paren: Token) {
        self.bump();
        let inner = self.mark();
        self.skip();
        let initial_semi = self.kind_past_newlines() == SyntaxKind::Semi;
        let list = self.bracketed(SyntaxKind::RParen, true);
        let is_call = list.commas
            || list.splat
            || (initial_semi && (list.items > 0 || list.semis == 1))
            || (list.semis == 0 && list.items == 0);
        if is_call {
            self.add_parameters(&list);
        }
        self.close(SyntaxKind::RParen, paren);
        if is_call {
            if paren.flags.has(Flags::SPACE_BEFORE) {
                let place = self.span(token.end, paren.start);
                let message = "there cannot be a blank between an operator and its argument list";
                self.report(crate::Diagnostic::error("syntax/space", message, place));
            }
            let type_operator = matches!(token.kind, SyntaxKind::Subtype | SyntaxKind::Supertype)
                && !token.flags.has(Flags::DOTTED);
            let kind = if type_operator { SyntaxKind::PrefixOperator } else { SyntaxKind::Call };
            self.emit(mark, kind, list.comma_flag());
            self.call_chain(mark, false);
            self.factor_tail(mark);
        } else {
            if list.semis > 0 {
                self.emit(inner, SyntaxKind::Block, Flags::PARENS);
            } else {
                self.emit(inner, SyntaxKind::Parens, Flags::NONE);
            }
            self.call_chain(inner, false);
            self.factor_tail(inner);
            self.emit_prefix(mark, token);
        }
    }

    /// A call, perhaps with `::`, `->` and `^` after it.
    fn factor(&mut self) {
        let mark = self.mark();
        self.call();
        self.factor_tail(mark);
    }

    fn factor_tail(&mut self, mark: Mark) {
        self.declaration_tail(mark);
        if self.kind() == SyntaxKind::Power {
            self.bump();
            self.power();
            self.emit(mark, SyntaxKind::Call, Flags::INFIX);
        }
    }

    /// The right side of `^`.
    fn power(&mut self) {
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        self.juxtapose();
        if self.kind() == SyntaxKind::Power {
            self.bump();
            self.power();
            self.emit(mark, SyntaxKind::Call, Flags::INFIX);
        }
        self.leave();
    }

    fn declaration_tail(&mut self, mark: Mark) {
        while self.kind() == SyntaxKind::ColonColon {
            self.skip();
            self.call_where();
            self.emit(mark, SyntaxKind::Decl, Flags::INFIX);
        }
        if self.kind() == SyntaxKind::Arrow {
            if !matches!(self.behind_kind(), SyntaxKind::Tuple | SyntaxKind::WhereExpr) {
                self.emit(mark, SyntaxKind::Tuple, Flags::NONE);
            }
            self.skip();
            self.eq_star();
            self.emit(mark, SyntaxKind::Lambda, Flags::NONE);
        }
    }
}
