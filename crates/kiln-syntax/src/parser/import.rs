//! `import`, `using`, `export`, `public`.

use super::{Mark, Parser};
use crate::tree::{SyntaxNode, Token};
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    pub(super) fn export_form(&mut self, mark: Mark, kind: SyntaxKind) {
        self.skip();
        self.comma_separated(Self::imported_name);
        self.emit(mark, kind, Flags::NONE);
    }

    pub(super) fn import_form(&mut self, mark: Mark, kind: SyntaxKind) {
        self.skip();
        let first = self.mark();
        let renamed = self.import_item(kind, false);
        let from = self.kind() == SyntaxKind::Colon && !self.space_before();
        let several = self.kind() == SyntaxKind::Comma;
        if from && renamed {
            self.fail_since(first, "a module before `:` cannot be renamed");
        }
        if from || several {
            self.skip();
            self.import_list(kind, from);
        }
        if self.kind() == SyntaxKind::Colon && (from || several) {
            self.error_here("names come from one module at a time; write another line");
            self.skip();
            self.import_list(kind, from);
        }
        if from {
            self.emit(first, SyntaxKind::ImportFrom, Flags::NONE);
        }
        self.emit(mark, kind, Flags::NONE);
    }

    fn import_list(&mut self, kind: SyntaxKind, from: bool) {
        self.import_item(kind, from);
        while self.kind() == SyntaxKind::Comma {
            self.skip();
            self.import_item(kind, from);
        }
    }

    /// `A.B` or `A.B as C`. Whether it was renamed.
    fn import_item(&mut self, kind: SyntaxKind, from: bool) -> bool {
        let mark = self.mark();
        self.import_path();
        if self.kind() != SyntaxKind::As {
            return false;
        }
        self.skip();
        self.imported_name();
        self.emit(mark, SyntaxKind::ImportAs, Flags::NONE);
        if kind == SyntaxKind::UsingStmt && !from {
            self.error_since(mark, "`using` can rename names, not modules: `using A: b as c`");
        }
        true
    }

    fn import_path(&mut self) {
        self.skip_newlines();
        let mark = self.mark();
        self.leading_dots();
        self.imported_name();
        loop {
            let token = self.peek();
            match token.kind {
                SyntaxKind::Dot => {
                    self.skip();
                    self.name_in_path(true);
                }
                // `A...` imports the operator `..`.
                SyntaxKind::Ellipsis => {
                    let leaf = SyntaxNode {
                        kind: SyntaxKind::DotDot,
                        dim: 0,
                        flags: token.flags,
                        start: token.start + 1,
                        end: token.end,
                        size: 1,
                    };
                    self.skip();
                    self.nodes.push(leaf);
                }
                // `A.==`: the dot is part of the operator's token.
                kind if kind.is_operator() && token.flags.has(Flags::DOTTED) => {
                    let flags = Flags(token.flags.0 & !Flags::DOTTED.0);
                    let leaf =
                        SyntaxNode { kind, dim: 0, flags, start: token.start + 1, end: token.end, size: 1 };
                    self.skip();
                    self.nodes.push(leaf);
                }
                _ => break,
            }
        }
        self.emit(mark, SyntaxKind::ImportPath, Flags::NONE);
    }

    /// The dots of `..A`, one leaf each.
    fn leading_dots(&mut self) {
        loop {
            let token = self.token(0);
            let dots = match token.kind {
                SyntaxKind::Dot => 1,
                SyntaxKind::DotDot => 2,
                SyntaxKind::Ellipsis => 3,
                kind if kind.is_operator() && token.flags.has(Flags::DOTTED) => {
                    self.dotted_operator(token);
                    return;
                }
                _ => return,
            };
            for dot in 0..dots {
                let start = token.start + dot;
                self.nodes.push(SyntaxNode {
                    kind: SyntaxKind::Dot,
                    dim: 0,
                    flags: token.flags,
                    start,
                    end: start + 1,
                    size: 1,
                });
            }
            self.skip();
        }
    }

    /// `.⋆` at the start of a path: a dot and a name. The name is left for [`Self::imported_name`].
    fn dotted_operator(&mut self, token: Token) {
        let (start, end) = (token.start, token.start + 1);
        self.nodes.push(SyntaxNode {
            kind: SyntaxKind::Dot,
            dim: 0,
            flags: Flags::NONE,
            start,
            end,
            size: 1,
        });
    }

    /// A name, an operator, `@m`, or an interpolation.
    fn imported_name(&mut self) {
        self.name_in_path(false);
    }

    /// Only after a dot may the name be quoted: `A.:+`.
    fn name_in_path(&mut self, may_be_quoted: bool) {
        self.skip_newlines();
        let mark = self.mark();
        let token = self.token(0);
        if token.kind == SyntaxKind::At {
            self.skip();
            self.macro_name();
            return self.emit(mark, SyntaxKind::MacroName, Flags::NONE);
        }
        if token.kind.is_operator() && token.flags.has(Flags::DOTTED) {
            let flags = Flags(token.flags.0 & !Flags::DOTTED.0);
            self.skip();
            return self.nodes.push(SyntaxNode {
                kind: token.kind,
                dim: 0,
                flags,
                start: token.start + 1,
                end: token.end,
                size: 1,
            });
        }
        let before = self.nodes.len();
        self.unary_prefix(false);
        let Some(last) = self.behind() else { return };
        let quoted = last.kind == SyntaxKind::QuoteExpr && may_be_quoted;
        let leaf =
            last.kind == SyntaxKind::Ident || last.kind == SyntaxKind::VarName || last.kind.is_operator();
        let fine = leaf || quoted || last.kind == SyntaxKind::Interpolate;
        if !fine && self.nodes.len() > before {
            self.error_since(mark, "a name is expected here");
        }
    }
}
