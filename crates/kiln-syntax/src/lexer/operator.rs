//! Operators.

use super::Lexer;
use crate::chars::{is_operator_suffix, unicode_operator};
use crate::{Flags, SyntaxKind};

impl Lexer<'_> {
    /// Reads an operator, if one starts here. `flags` tells whether a dot was read before it.
    pub(super) fn operator(&mut self, flags: Flags) -> bool {
        let Some(kind) = self.operator_kind(flags) else { return false };
        let mut flags = flags;
        if takes_suffix(kind) {
            while let Some(c) = self.char_at(self.pos).filter(|&c| is_operator_suffix(c)) {
                self.pos += c.len_utf8();
                flags |= Flags::SUFFIXED;
            }
        }
        self.push(kind, flags);
        match kind {
            SyntaxKind::BadOperator => self.error_last("there is no such operator", None),
            SyntaxKind::StarStar => {
                self.error_last(
                    "`**` is not an operator",
                    Some("write `x^y` for a power and `x...` to splat"),
                );
            }
            _ => {}
        }
        true
    }

    fn error_last(&mut self, message: &str, help: Option<&str>) {
        self.error(message);
        if let (Some(help), Some(diagnostic)) = (help, self.out.diagnostics.last_mut()) {
            diagnostic.help = Some(help.to_owned());
        }
    }

    /// Advances over the longest operator here.
    fn operator_kind(&mut self, flags: Flags) -> Option<SyntaxKind> {
        let byte = *self.bytes.get(self.pos)?;
        if byte >= 0x80 {
            let c = self.char_at(self.pos)?;
            let kind = unicode_operator(c)?;
            self.pos += c.len_utf8();
            return Some(match c {
                '÷' | '⊻' | '−' => self.or_assign(kind),
                _ => kind,
            });
        }
        self.pos += 1;
        let kind = match byte {
            b'+' if self.accept(b'+') => SyntaxKind::PlusPlus,
            b'+' => self.or_assign(SyntaxKind::Plus),
            b'-' => self.after_minus(flags.has(Flags::DOTTED)),
            b'*' if self.accept(b'*') => SyntaxKind::StarStar,
            b'*' => self.or_assign(SyntaxKind::Star),
            b'/' if self.accept(b'/') => self.or_assign(SyntaxKind::Rational),
            b'/' | b'\\' | b'%' => self.or_assign(SyntaxKind::TimesOp),
            b'^' => self.or_assign(SyntaxKind::Power),
            b'&' if self.accept(b'&') => SyntaxKind::AndAnd,
            b'&' => self.or_assign(SyntaxKind::Amp),
            b'|' if self.accept(b'>') => SyntaxKind::PipeRight,
            b'|' if self.accept(b'|') => SyntaxKind::OrOr,
            b'|' => self.or_assign(SyntaxKind::PlusOp),
            b'$' => self.or_assign(SyntaxKind::Dollar),
            b'~' => SyntaxKind::Tilde,
            b'?' => SyntaxKind::Question,
            b'=' => self.after_equals(),
            b'!' if self.accept(b'=') => {
                self.accept(b'=');
                SyntaxKind::CompareOp
            }
            b'!' => SyntaxKind::Bang,
            b'<' => self.after_less(),
            b'>' => self.after_greater(),
            b':' if self.accept(b':') => SyntaxKind::ColonColon,
            b':' if self.accept(b'=') => SyntaxKind::Assign,
            b':' => SyntaxKind::Colon,
            _ => {
                self.pos -= 1;
                return None;
            }
        };
        Some(kind)
    }

    fn or_assign(&mut self, kind: SyntaxKind) -> SyntaxKind {
        if self.accept(b'=') { SyntaxKind::OpEq } else { kind }
    }

    fn after_minus(&mut self, dotted: bool) -> SyntaxKind {
        if self.accept(b'-') {
            if self.accept(b'>') { SyntaxKind::LongArrow } else { SyntaxKind::BadOperator }
        } else if !dotted && self.accept(b'>') {
            SyntaxKind::Arrow
        } else {
            self.or_assign(SyntaxKind::Minus)
        }
    }

    fn after_equals(&mut self) -> SyntaxKind {
        if self.accept(b'=') {
            self.accept(b'=');
            SyntaxKind::CompareOp
        } else if self.accept(b'>') {
            SyntaxKind::FatArrow
        } else {
            SyntaxKind::Eq
        }
    }

    fn after_less(&mut self) -> SyntaxKind {
        match (self.byte(0), self.byte(1)) {
            (b'<', _) => {
                self.pos += 1;
                self.or_assign(SyntaxKind::Shift)
            }
            (b'=', _) => self.take(1, SyntaxKind::CompareOp),
            (b':', _) => self.take(1, SyntaxKind::Subtype),
            (b'|', _) => self.take(1, SyntaxKind::PipeLeft),
            (b'-', b'-') => match self.byte(2) {
                b'-' => self.take(3, SyntaxKind::BadOperator),
                b'>' => self.take(3, SyntaxKind::ArrowOp),
                _ => self.take(2, SyntaxKind::ArrowOp),
            },
            _ => SyntaxKind::Less,
        }
    }

    fn after_greater(&mut self) -> SyntaxKind {
        match self.byte(0) {
            b'>' => {
                self.pos += 1;
                self.accept(b'>');
                self.or_assign(SyntaxKind::Shift)
            }
            b'=' => self.take(1, SyntaxKind::CompareOp),
            b':' => self.take(1, SyntaxKind::Supertype),
            _ => SyntaxKind::Greater,
        }
    }

    fn take(&mut self, bytes: usize, kind: SyntaxKind) -> SyntaxKind {
        self.pos += bytes;
        kind
    }

    /// Something that starts with a dot.
    pub(super) fn dot(&mut self) {
        let after_at = self.last == SyntaxKind::At;
        self.pos += 1;
        if self.byte(0) == b'.' {
            self.pos += 1;
            let kind = if self.accept(b'.') { SyntaxKind::Ellipsis } else { SyntaxKind::DotDot };
            if kind == SyntaxKind::DotDot && !after_at && self.dottable_here() {
                self.push(SyntaxKind::BadOperator, Flags::NONE);
                return self.error("there is no such operator");
            }
            self.push(if after_at { SyntaxKind::Ident } else { kind }, Flags::NONE);
        } else if self.byte(0).is_ascii_digit() {
            self.number(true);
        } else if after_at {
            self.push(SyntaxKind::Ident, Flags::NONE);
        } else if !(self.dottable_here() && self.operator(Flags::DOTTED)) {
            self.push(SyntaxKind::Dot, Flags::NONE);
        }
    }

    /// Whether an operator starts here that a dot may precede.
    pub(super) fn dottable_here(&self) -> bool {
        match self.byte(0) {
            b'+' | b'-' | b'*' | b'/' | b'\\' | b'%' | b'^' | b'&' | b'|' | b'~' | b'=' | b'!' | b'<'
            | b'>' => true,
            0x80.. => self.char_at(self.pos).is_some_and(|c| unicode_operator(c).is_some()),
            _ => false,
        }
    }
}

/// Whether `+₁`-like suffixes make another operator of this kind.
fn takes_suffix(kind: SyntaxKind) -> bool {
    !(kind.is_assignment()
        || matches!(
            kind,
            SyntaxKind::BadOperator
                | SyntaxKind::StarStar
                | SyntaxKind::Ellipsis
                | SyntaxKind::Question
                | SyntaxKind::Subtype
                | SyntaxKind::Supertype
                | SyntaxKind::AndAnd
                | SyntaxKind::OrOr
                | SyntaxKind::In
                | SyntaxKind::Isa
                | SyntaxKind::Colon
                | SyntaxKind::DotDot
                | SyntaxKind::Dollar
                | SyntaxKind::ColonColon
                | SyntaxKind::Where
                | SyntaxKind::Dot
                | SyntaxKind::Bang
                | SyntaxKind::Arrow
                | SyntaxKind::Not
                | SyntaxKind::Radical
        ))
}
