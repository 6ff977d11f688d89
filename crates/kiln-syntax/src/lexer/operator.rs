//! Operators.

use super::Lexer;
use crate::chars::{is_operator_suffix, unicode_operator};
use crate::{Flags, Kind};

impl Lexer<'_> {
    /// Reads an operator, if one starts here. `flags` says whether a dot was read before it.
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
            Kind::BadOperator => self.error_last("there is no such operator", None),
            Kind::StarStar => {
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
    fn operator_kind(&mut self, flags: Flags) -> Option<Kind> {
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
            b'+' if self.accept(b'+') => Kind::PlusPlus,
            b'+' => self.or_assign(Kind::Plus),
            b'-' => self.after_minus(flags.has(Flags::DOTTED)),
            b'*' if self.accept(b'*') => Kind::StarStar,
            b'*' => self.or_assign(Kind::Star),
            b'/' if self.accept(b'/') => self.or_assign(Kind::Rational),
            b'/' | b'\\' | b'%' => self.or_assign(Kind::TimesOp),
            b'^' => self.or_assign(Kind::Power),
            b'&' if self.accept(b'&') => Kind::AndAnd,
            b'&' => self.or_assign(Kind::Amp),
            b'|' if self.accept(b'>') => Kind::PipeRight,
            b'|' if self.accept(b'|') => Kind::OrOr,
            b'|' => self.or_assign(Kind::PlusOp),
            b'$' => self.or_assign(Kind::Dollar),
            b'~' => Kind::Tilde,
            b'?' => Kind::Question,
            b'=' => self.after_equals(),
            b'!' if self.accept(b'=') => {
                self.accept(b'=');
                Kind::CompareOp
            }
            b'!' => Kind::Bang,
            b'<' => self.after_less(),
            b'>' => self.after_greater(),
            b':' if self.accept(b':') => Kind::ColonColon,
            b':' if self.accept(b'=') => Kind::Assign,
            b':' => Kind::Colon,
            _ => {
                self.pos -= 1;
                return None;
            }
        };
        Some(kind)
    }

    fn or_assign(&mut self, kind: Kind) -> Kind {
        if self.accept(b'=') { Kind::OpEq } else { kind }
    }

    fn after_minus(&mut self, dotted: bool) -> Kind {
        if self.accept(b'-') {
            if self.accept(b'>') { Kind::LongArrow } else { Kind::BadOperator }
        } else if !dotted && self.accept(b'>') {
            Kind::Arrow
        } else {
            self.or_assign(Kind::Minus)
        }
    }

    fn after_equals(&mut self) -> Kind {
        if self.accept(b'=') {
            self.accept(b'=');
            Kind::CompareOp
        } else if self.accept(b'>') {
            Kind::FatArrow
        } else {
            Kind::Eq
        }
    }

    fn after_less(&mut self) -> Kind {
        match (self.byte(0), self.byte(1)) {
            (b'<', _) => {
                self.pos += 1;
                self.or_assign(Kind::Shift)
            }
            (b'=', _) => self.take(1, Kind::CompareOp),
            (b':', _) => self.take(1, Kind::Subtype),
            (b'|', _) => self.take(1, Kind::PipeLeft),
            (b'-', b'-') => match self.byte(2) {
                b'-' => self.take(3, Kind::BadOperator),
                b'>' => self.take(3, Kind::ArrowOp),
                _ => self.take(2, Kind::ArrowOp),
            },
            _ => Kind::Less,
        }
    }

    fn after_greater(&mut self) -> Kind {
        match self.byte(0) {
            b'>' => {
                self.pos += 1;
                self.accept(b'>');
                self.or_assign(Kind::Shift)
            }
            b'=' => self.take(1, Kind::CompareOp),
            b':' => self.take(1, Kind::Supertype),
            _ => Kind::Greater,
        }
    }

    fn take(&mut self, bytes: usize, kind: Kind) -> Kind {
        self.pos += bytes;
        kind
    }

    /// Something that starts with a dot.
    pub(super) fn dot(&mut self) {
        let after_at = self.last == Kind::At;
        self.pos += 1;
        if self.byte(0) == b'.' {
            self.pos += 1;
            let kind = if self.accept(b'.') { Kind::Ellipsis } else { Kind::DotDot };
            if kind == Kind::DotDot && !after_at && self.dottable_here() {
                self.push(Kind::BadOperator, Flags::NONE);
                return self.error("there is no such operator");
            }
            self.push(if after_at { Kind::Ident } else { kind }, Flags::NONE);
        } else if self.byte(0).is_ascii_digit() {
            self.number(true);
        } else if after_at {
            self.push(Kind::Ident, Flags::NONE);
        } else if !(self.dottable_here() && self.operator(Flags::DOTTED)) {
            self.push(Kind::Dot, Flags::NONE);
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
fn takes_suffix(kind: Kind) -> bool {
    !(kind.is_assignment()
        || matches!(
            kind,
            Kind::BadOperator
                | Kind::StarStar
                | Kind::Ellipsis
                | Kind::Question
                | Kind::Subtype
                | Kind::Supertype
                | Kind::AndAnd
                | Kind::OrOr
                | Kind::In
                | Kind::Isa
                | Kind::Colon
                | Kind::DotDot
                | Kind::Dollar
                | Kind::ColonColon
                | Kind::Where
                | Kind::Dot
                | Kind::Bang
                | Kind::Arrow
                | Kind::Not
                | Kind::Radical
        ))
}
