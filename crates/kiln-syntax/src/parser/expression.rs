//! Assignment, `,`, and the binary operators.

use super::{Mark, Mode, Parser};
use crate::kind::level;
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    /// An expression as a statement: `a, b = c` is one.
    pub(super) fn eq(&mut self) {
        self.assignment(true);
    }

    /// An expression where `,` separates: an argument.
    pub(super) fn eq_star(&mut self) {
        let token = self.peek();
        let simple = matches!(
            token.kind,
            SyntaxKind::Ident | SyntaxKind::Integer | SyntaxKind::Float | SyntaxKind::Bool
        );
        if simple
            && matches!(
                self.peek2().kind,
                SyntaxKind::Comma | SyntaxKind::RParen | SyntaxKind::RBrace | SyntaxKind::RBracket
            )
        {
            return self.bump();
        }
        self.assignment(false);
    }

    fn assignment(&mut self, commas: bool) {
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        self.assignment_operand(commas);
        self.assignment_tail(mark, commas);
        self.leave();
    }

    fn assignment_operand(&mut self, commas: bool) {
        if commas {
            self.comma_list(true);
        } else {
            self.binary(level::PAIR);
        }
    }

    /// Parses an assignment behind its left side.
    pub(super) fn assignment_tail(&mut self, mark: Mark, commas: bool) {
        let operator = self.peek();
        if !operator.kind.is_assignment() {
            return;
        }
        let tilde = operator.kind == SyntaxKind::Tilde;
        if tilde && self.separates_elements() {
            return;
        }
        let dotted = operator.flags.has(Flags::DOTTED);
        let short_function = operator.kind == SyntaxKind::Eq && !dotted && self.was_call();
        if short_function {
            self.skip();
        } else {
            self.bump();
        }
        self.skip_newlines();
        self.assignment(commas);
        let (kind, flags) = match (tilde, short_function) {
            (true, _) => (SyntaxKind::Call, Flags::INFIX),
            (_, true) => (SyntaxKind::ShortFunction, Flags::NONE),
            _ => (SyntaxKind::Operator, Flags::NONE),
        };
        self.emit(mark, kind, flags);
    }

    /// In a matrix: does a blank before the next operator, and none after it, start another element?
    fn separates_elements(&self) -> bool {
        let operator = self.peek();
        let both = !operator.flags.has(Flags::SUFFIXED)
            && match operator.kind {
                SyntaxKind::Plus | SyntaxKind::Minus | SyntaxKind::StarOp | SyntaxKind::PlusMinus => true,
                SyntaxKind::Dollar | SyntaxKind::Amp | SyntaxKind::Tilde => {
                    !operator.flags.has(Flags::DOTTED)
                }
                _ => false,
            };
        both && self.mode.has(Mode::SPACES)
            && operator.flags.has(Flags::SPACE_BEFORE)
            && !self.peek2().flags.has(Flags::SPACE_BEFORE)
    }

    /// Expressions between commas; more than one make a tuple. The number of commas.
    pub(super) fn comma_list(&mut self, make_tuple: bool) -> usize {
        let mark = self.mark();
        self.binary(level::PAIR);
        let mut commas = 0;
        while self.kind() == SyntaxKind::Comma {
            self.skip();
            commas += 1;
            if self.kind() == SyntaxKind::Eq && !self.peek().flags.has(Flags::DOTTED) {
                continue;
            }
            self.binary(level::PAIR);
        }
        if make_tuple && commas > 0 {
            self.emit(mark, SyntaxKind::Tuple, Flags::NONE);
        }
        commas
    }

    /// The condition of `if`, `while` and filters.
    pub(super) fn condition(&mut self) {
        self.binary(level::COND);
    }

    /// Operands joined by operators that bind at least as tightly as `min`.
    pub(super) fn binary(&mut self, min: u8) {
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        self.unary_subtype();
        // Operators of this level and looser may follow what has been read so far.
        let mut max = u8::MAX;
        loop {
            let operator = self.peek();
            let at = operator.kind.level();
            if at == 0 || at < min || at > max || !self.binary_step(mark, at) {
                break;
            }
            let repeats = matches!(
                at,
                level::PIPE_RIGHT
                    | level::INVALID
                    | level::PLUS
                    | level::TIMES
                    | level::RATIONAL
                    | level::SHIFT
            );
            max = if repeats { at } else { at - 1 };
        }
        self.leave();
    }

    /// Consumes an operator of level `at` and its right side. False if it is not an operator here.
    fn binary_step(&mut self, mark: Mark, at: u8) -> bool {
        let operator = self.peek();
        match at {
            level::COND => self.ternary(mark),
            level::COMPARE => self.comparison(mark),
            level::SPLAT => {
                self.skip();
                self.emit(mark, SyntaxKind::Splat, Flags::NONE);
            }
            level::RANGE if operator.kind == SyntaxKind::Colon => return self.range(mark),
            level::PLUS | level::TIMES => return self.chain(mark, at),
            level::PAIR | level::PIPE_LEFT => self.infix(mark, at),
            level::OR | level::AND => {
                self.bump();
                self.binary(at);
                self.emit(mark, SyntaxKind::Operator, Flags::NONE);
            }
            level::ARROW => {
                let syntactic = operator.kind == SyntaxKind::LongArrow
                    && !operator.flags.has(Flags::DOTTED)
                    && !operator.flags.has(Flags::SUFFIXED);
                self.bump();
                self.binary(at);
                let (kind, flags) = if syntactic {
                    (SyntaxKind::Operator, Flags::NONE)
                } else {
                    (SyntaxKind::Call, Flags::INFIX)
                };
                self.emit(mark, kind, flags);
            }
            _ => self.infix(mark, at + 1),
        }
        true
    }

    /// An operator between two operands, the right one of level `right`.
    fn infix(&mut self, mark: Mark, right: u8) {
        self.bump();
        self.binary(right);
        self.emit(mark, SyntaxKind::Call, Flags::INFIX);
    }

    /// `a + b + c` is one call, as are chains of `++` and `*`.
    fn chain(&mut self, mark: Mark, at: u8) -> bool {
        if self.separates_elements() {
            return false;
        }
        let first = self.peek();
        let plain = |flags: Flags| !flags.has(Flags::DOTTED) && !flags.has(Flags::SUFFIXED);
        let chains = matches!(first.kind, SyntaxKind::Plus | SyntaxKind::PlusPlus | SyntaxKind::Star)
            && plain(first.flags);
        self.bump();
        self.binary(at + 1);
        loop {
            let next = self.peek();
            if !chains || next.kind != first.kind || !plain(next.flags) || self.separates_elements() {
                break;
            }
            self.skip();
            self.binary(at + 1);
        }
        self.emit(mark, SyntaxKind::Call, Flags::INFIX);
        true
    }

    fn comparison(&mut self, mark: Mark) {
        let first = self.peek();
        let mut count = 0;
        while self.kind().level() == level::COMPARE {
            self.bump();
            self.binary(level::PIPE_LEFT);
            count += 1;
        }
        let syntactic = matches!(first.kind, SyntaxKind::Subtype | SyntaxKind::Supertype)
            && !first.flags.has(Flags::DOTTED);
        match (count, syntactic) {
            (1, true) => self.emit(mark, SyntaxKind::Operator, Flags::NONE),
            (1, false) => self.emit(mark, SyntaxKind::Call, Flags::INFIX),
            _ => self.emit(mark, SyntaxKind::Comparison, Flags::NONE),
        }
    }

    fn ternary(&mut self, mark: Mark) {
        let question = self.token(0);
        if !self.space_before() {
            self.error_here("`?` needs a blank before it");
        }
        self.skip();
        if !self.space_before() && self.token(0).kind != SyntaxKind::End {
            self.error_here("`?` needs a blank after it");
        }
        let inner = self.mode.without(Mode::RANGE_COLON);
        self.in_mode(inner, Self::eq_star);
        if !self.space_before() && self.kind_past_newlines() == SyntaxKind::Colon {
            self.error_here("the `:` of `a ? b : c` needs a blank before it");
        }
        if self.kind() == SyntaxKind::Newline && self.kind_past_newlines() == SyntaxKind::Colon {
            self.skip_newlines();
        }
        if self.kind() == SyntaxKind::Colon {
            self.skip();
            if !self.space_before() && self.token(0).kind != SyntaxKind::End {
                self.error_here("the `:` of `a ? b : c` needs a blank after it");
            }
        } else {
            let place = self.span(question.start, question.end);
            self.error_here("the `:` of `a ? b : c` is missing");
            if let Some(diagnostic) = self.diagnostics.last_mut() {
                diagnostic.secondary.push(crate::Label { span: place, text: "the `?` is here".to_owned() });
            }
        }
        let next = self.kind_past_newlines();
        if next.is_block_continuation() && !(next == SyntaxKind::EndKw && self.mode.has(Mode::END_VALUE)) {
            self.error_here("the last part of `a ? b : c` is missing");
            self.missing(SyntaxKind::Error);
        } else {
            self.eq_star();
        }
        self.emit(mark, SyntaxKind::Ternary, Flags::NONE);
    }

    /// `a:b`, `a:b:c`. False if `:` starts something else here.
    fn range(&mut self, mark: Mark) -> bool {
        if !self.mode.has(Mode::RANGE_COLON) {
            return false;
        }
        let mut colons = 0;
        let mut any = false;
        while self.kind() == SyntaxKind::Colon {
            let spaced = self.space_before() && !self.peek2().flags.has(Flags::SPACE_BEFORE);
            if self.mode.has(Mode::SPACES) && spaced {
                break;
            }
            let after = self.peek2();
            if matches!(after.kind, SyntaxKind::Less | SyntaxKind::Greater)
                && !after.flags.has(Flags::SPACE_BEFORE)
            {
                self.error_here("there is no such operator; `<:` and `>:` are");
                self.skip();
            }
            any = true;
            colons += 1;
            if colons == 1 {
                self.bump();
            } else {
                self.skip();
            }
            let next = self.kind();
            if self.is_closing_or_newline(next) {
                let what = if next == SyntaxKind::Newline {
                    "a line break after `:` ends the range"
                } else {
                    "a range needs an end"
                };
                self.error_here(what);
                self.missing(SyntaxKind::Error);
                self.emit(mark, SyntaxKind::Call, Flags::INFIX);
                return true;
            }
            self.binary(level::INVALID);
            if colons == 2 {
                self.emit(mark, SyntaxKind::Call, Flags::INFIX);
                colons = 0;
            }
        }
        if colons > 0 {
            self.emit(mark, SyntaxKind::Call, Flags::INFIX);
        }
        any
    }
}
