//! Whether a text is wrong only in that it ends too early: `Expr(:incomplete, ...)` of `Meta.parse`.

use crate::{Diagnostic, Parse, Severity, SyntaxKind};

impl Parse {
    /// If more text could mend the first error, the kind of thing that is missing: `string`, `cmd`, `char`, `comment`,
    /// `block` or `other`, as `Base.incomplete_tag` names them.
    pub fn incomplete(&self) -> Option<&'static str> {
        let error = self.diagnostics.iter().find(|it| it.severity == Severity::Error)?;
        let end = self.text.trim_end().len() as u32;
        match error.code {
            "syntax/unclosed-comment" => return Some("comment"),
            "syntax/unclosed-name" => return Some("string"),
            "syntax/unclosed-char" => return (error.primary.span.end >= end).then_some("char"),
            "syntax/unclosed-string" => {
                let quote = self.text.as_bytes().get(error.primary.span.start as usize);
                return Some(if quote == Some(&b'`') { "cmd" } else { "string" });
            }
            _ => {}
        }
        if error.primary.span.start >= end {
            return Some("other");
        }
        (error.code == "syntax/unclosed").then(|| self.unclosed(error, end)).flatten()
    }

    /// The missing end of a bracket or form that the end of the text cuts off.
    fn unclosed(&self, error: &Diagnostic, end: u32) -> Option<&'static str> {
        if !error.secondary.iter().any(|it| it.span.start >= end) {
            return None;
        }
        let at = self.tokens.iter().position(|it| it.start == error.primary.span.start)?;
        // `mutable struct` is one keyword of two words.
        let words = usize::from(self.tokens[at + 1].kind == SyntaxKind::Struct) + 1;
        Some(match self.tokens[at].kind {
            SyntaxKind::Begin | SyntaxKind::Let | SyntaxKind::QuoteKw | SyntaxKind::Try => "block",
            kind if kind.is_keyword() && self.tokens[at + words].kind != SyntaxKind::End => "block",
            _ => "other",
        })
    }
}
