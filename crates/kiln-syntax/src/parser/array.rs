//! `[...]` and `{...}`: lists, matrices, comprehensions.

use super::{Mark, Mode, Parser};
use crate::tree::Token;
use crate::{Flags, SyntaxKind};

/// The elements between the brackets.
pub(super) struct Array {
    pub(super) kind: SyntaxKind,
    pub(super) flags: Flags,
    pub(super) dim: u8,
}

/// Whether the elements of an array are written row by row or column by column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Unknown,
    Rows,
    Columns,
}

/// The separator of two elements: the dimension it joins, and how tightly. A blank binds tightest (0), then `;` (-1),
/// then `;;` (-2).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Separator {
    dim: u8,
    power: i32,
}

/// No separator: the array ends.
const STOP: Separator = Separator { dim: 0, power: i32::MIN };

impl Parser<'_> {
    /// `{...}` as an atom or after `where`; the next token is `{`.
    pub(super) fn braces(&mut self) {
        let mark = self.mark();
        let opener = self.token(0);
        self.skip();
        let array = self.array(SyntaxKind::RBrace, opener, self.mode.has(Mode::END_VALUE));
        match array.kind {
            SyntaxKind::Hcat => self.emit(mark, SyntaxKind::Row, Flags::NONE),
            SyntaxKind::Ncat => self.emit_dim(mark, SyntaxKind::Nrow, Flags::NONE, array.dim),
            _ => {}
        }
        let list = matches!(array.kind, SyntaxKind::Vect | SyntaxKind::Comprehension);
        let kind = if list { SyntaxKind::Braces } else { SyntaxKind::BracesCat };
        self.emit(mark, kind, if list { array.flags } else { Flags::NONE });
    }

    /// The inside of brackets up to and with `closer`. The caller emits the node.
    pub(super) fn array(&mut self, closer: SyntaxKind, opener: Token, end_is_value: bool) -> Array {
        let on = Mode(Mode::RANGE_COLON.0 | Mode::SPACES.0 | Mode::WHERE.0 | Mode::GENERATOR.0);
        let inner = self.mode.with(on).without(Mode::NEWLINES);
        self.in_mode(inner, |parser| parser.array_inside(closer, opener, end_is_value))
    }

    fn array_inside(&mut self, closer: SyntaxKind, opener: Token, end_is_value: bool) -> Array {
        let mark = self.mark();
        let first = self.kind_past_newlines();
        if first == closer {
            return self.list(closer, opener, false);
        }
        if first == SyntaxKind::Semi {
            self.skip_newlines();
            let separator = self.separator(&mut Order::Unknown.clone());
            self.skip_newlines();
            self.close(closer, opener);
            return Array { kind: SyntaxKind::Ncat, flags: Flags::NONE, dim: separator.dim };
        }
        self.skip_newlines();
        self.eq_star();
        let next = self.kind_past_newlines();
        if next == SyntaxKind::Comma || (self.is_closing(next) && next != SyntaxKind::Semi) {
            if next == SyntaxKind::Comma {
                self.skip();
            }
            return self.list(closer, opener, next == SyntaxKind::Comma);
        }
        if next == SyntaxKind::For {
            let inner = self.mode.with(Mode::NEWLINES).without(Mode(Mode::SPACES.0 | Mode::END_VALUE.0));
            self.in_mode(inner, |parser| {
                parser.generator(mark);
                parser.close(closer, opener);
            });
            return Array { kind: SyntaxKind::Comprehension, flags: Flags::NONE, dim: 0 };
        }
        let inner =
            if end_is_value { self.mode.with(Mode::END_VALUE) } else { self.mode.without(Mode::END_VALUE) };
        self.in_mode(inner, |parser| parser.matrix(mark, closer, opener))
    }

    /// Parses the rest of `[a, b; c]` after its first element.
    fn list(&mut self, closer: SyntaxKind, opener: Token, after_comma: bool) -> Array {
        let list = self.bracketed(closer, true);
        self.add_parameters(&list);
        self.close(closer, opener);
        let mut flags = list.comma_flag();
        if list.items == 0 && after_comma {
            flags |= Flags::TRAILING_COMMA;
        }
        Array { kind: SyntaxKind::Vect, flags, dim: 0 }
    }

    /// Parses the rest of an array with blanks, line breaks or `;` between its elements, after the first one.
    fn matrix(&mut self, mark: Mark, closer: SyntaxKind, opener: Token) -> Array {
        let mut order = Order::Unknown;
        let mut separator = self.separator(&mut order);
        if separator == STOP {
            self.close(closer, opener);
            return Array { kind: SyntaxKind::Hcat, flags: Flags::NONE, dim: 0 };
        }
        loop {
            let next = self.elements(separator.power, &mut order);
            if next == STOP {
                break;
            }
            self.emit_row(mark, separator);
            separator = next;
        }
        self.skip_newlines();
        self.close(closer, opener);
        let kind = match separator.power {
            0 => SyntaxKind::Hcat,
            -1 => SyntaxKind::Vcat,
            _ => SyntaxKind::Ncat,
        };
        Array { kind, flags: Flags::NONE, dim: separator.dim }
    }

    fn emit_row(&mut self, mark: Mark, separator: Separator) {
        if separator.power == 0 {
            self.emit(mark, SyntaxKind::Row, Flags::NONE);
        } else {
            self.emit_dim(mark, SyntaxKind::Nrow, Flags::NONE, separator.dim);
        }
    }

    /// Elements joined as tightly as `power` or tighter. Gives the looser separator that follows.
    fn elements(&mut self, power: i32, order: &mut Order) -> Separator {
        if self.enter().is_none() {
            return STOP;
        }
        let mut separator = Separator { dim: 0, power };
        let mut mark = self.mark();
        while separator.power >= power {
            if self.is_closing(self.kind()) {
                separator = STOP;
                break;
            }
            if separator.power == power {
                mark = self.mark();
                let before = self.cur;
                self.eq_star();
                separator = if self.cur == before { STOP } else { self.separator(order) };
            } else {
                let next = self.elements(separator.power, order);
                self.emit_row(mark, separator);
                separator = next;
            }
        }
        self.leave();
        separator
    }

    /// Consumes the separator of two elements.
    fn separator(&mut self, order: &mut Order) -> Separator {
        let token = self.peek();
        if self.kind_past_newlines() == SyntaxKind::Semi {
            return self.semicolons(order);
        }
        match token.kind {
            SyntaxKind::Newline => {
                self.skip_newlines();
                if self.kind() == SyntaxKind::RBracket { STOP } else { Separator { dim: 1, power: -1 } }
            }
            SyntaxKind::Comma => {
                self.error_here("`,` cannot stand between elements that blanks or `;` separate");
                self.skip();
                Separator { dim: 1, power: -1 }
            }
            kind if token.flags.has(Flags::SPACE_BEFORE) && !self.is_closing(kind) => {
                if *order == Order::Columns {
                    self.error_here("blanks and `;;` cannot both separate elements of one array");
                } else {
                    *order = Order::Rows;
                }
                Separator { dim: 2, power: 0 }
            }
            _ => STOP,
        }
    }

    fn semicolons(&mut self, order: &mut Order) -> Separator {
        self.skip_newlines();
        let first = self.token(0);
        let mut count: u8 = 0;
        while self.kind() == SyntaxKind::Semi {
            if count > 0 {
                self.no_space_here();
            }
            self.skip();
            count = count.saturating_add(1);
        }
        let line_ends = self.kind() == SyntaxKind::Newline;
        self.skip_newlines();
        if count == 2 {
            if *order != Order::Rows {
                *order = Order::Columns;
            } else if line_ends {
                return Separator { dim: 2, power: 0 };
            } else {
                let place = self.span(first.start, self.last_end());
                let message = "blanks and `;;` cannot both separate elements of one array";
                self.report(crate::Diagnostic::error("syntax/array", message, place));
            }
        }
        Separator { dim: count, power: -i32::from(count) }
    }
}
