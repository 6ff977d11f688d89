//! Forms that start with a word.

use super::{Mark, Mode, Parser};
use crate::kind::level;
use crate::tree::Token;
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    /// A form; the next token is the word that starts it.
    pub(super) fn resword(&mut self) {
        if self.enter().is_none() {
            return;
        }
        self.in_mode(Mode::STATEMENT, |parser| {
            parser.skip_newlines();
            parser.form();
        });
        self.leave();
    }

    fn form(&mut self) {
        let mark = self.mark();
        let word = self.token(0);
        match word.kind {
            SyntaxKind::Begin | SyntaxKind::QuoteKw => {
                self.skip();
                self.block_items(Self::statement);
                self.close(SyntaxKind::EndKw, word);
                self.emit(mark, SyntaxKind::Block, Flags::NONE);
                if word.kind == SyntaxKind::QuoteKw {
                    self.emit(mark, SyntaxKind::QuoteExpr, Flags::NONE);
                }
            }
            SyntaxKind::While => {
                self.skip();
                self.condition();
                self.finish_block(mark, word, SyntaxKind::WhileExpr);
            }
            SyntaxKind::For => {
                self.skip();
                self.iterations();
                self.finish_block(mark, word, SyntaxKind::ForExpr);
            }
            SyntaxKind::If => self.if_form(false),
            SyntaxKind::Let => self.let_form(),
            SyntaxKind::Global | SyntaxKind::Local => self.scope_form(mark, word),
            SyntaxKind::Const => self.const_form(mark),
            SyntaxKind::Function | SyntaxKind::Macro => self.function_form(mark, word),
            SyntaxKind::Abstract => self.abstract_form(mark, word),
            SyntaxKind::Primitive => self.primitive_form(mark, word),
            SyntaxKind::Struct | SyntaxKind::Mutable => self.struct_form(mark, word),
            SyntaxKind::Try => self.try_form(mark, word),
            SyntaxKind::Return => self.return_form(mark),
            SyntaxKind::Break => self.jump_form(mark, SyntaxKind::BreakExpr),
            SyntaxKind::Continue => self.jump_form(mark, SyntaxKind::ContinueExpr),
            SyntaxKind::Module | SyntaxKind::Baremodule => self.module_form(mark, word),
            SyntaxKind::Export => self.export_form(mark, SyntaxKind::ExportStmt),
            SyntaxKind::Public => self.export_form(mark, SyntaxKind::PublicStmt),
            SyntaxKind::Import => self.import_form(mark, SyntaxKind::ImportStmt),
            SyntaxKind::Using => self.import_form(mark, SyntaxKind::UsingStmt),
            _ => {
                self.error_here("`do` goes after a call");
                self.bump_as(SyntaxKind::Error);
            }
        }
    }

    /// A body and `end`.
    pub(super) fn finish_block(&mut self, mark: Mark, word: Token, kind: SyntaxKind) {
        self.block();
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, kind, Flags::NONE);
    }

    fn if_form(&mut self, is_elseif: bool) {
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        let word = self.token(0);
        self.skip();
        if matches!(self.kind(), SyntaxKind::Newline | SyntaxKind::EndKw) {
            self.error_here("a condition is missing");
            self.missing(SyntaxKind::Error);
        } else {
            self.condition();
        }
        self.block();
        self.skip_newlines();
        match self.kind() {
            SyntaxKind::Elseif => self.if_form(true),
            SyntaxKind::Else => {
                let last = self.token(0);
                if self.token(1).kind == SyntaxKind::If && !self.token(1).flags.has(Flags::NEWLINE_BEFORE) {
                    let place = self.span(last.start, self.token(1).end);
                    let problem =
                        crate::Diagnostic::error("syntax/else-if", "`else if` is written `elseif`", place);
                    self.report(problem.with_help("an `if` inside the `else` goes on a line of its own"));
                    self.skip();
                    self.if_form(true);
                } else {
                    self.skip();
                    self.block();
                }
            }
            _ => {}
        }
        if !is_elseif {
            self.skip_newlines();
            self.close(SyntaxKind::EndKw, word);
        }
        self.emit(mark, if is_elseif { SyntaxKind::ElseifExpr } else { SyntaxKind::IfExpr }, Flags::NONE);
        self.leave();
    }

    fn let_form(&mut self) {
        let mark = self.mark();
        let word = self.token(0);
        self.skip();
        let bindings = self.mark();
        if !matches!(self.kind(), SyntaxKind::Newline | SyntaxKind::Semi | SyntaxKind::EndKw) {
            self.comma_separated(Self::eq_star);
        }
        self.emit(bindings, SyntaxKind::Block, Flags::NONE);
        let line_ends = self.kind() == SyntaxKind::Newline;
        match self.kind() {
            SyntaxKind::Newline => self.skip_newlines(),
            SyntaxKind::Semi => self.skip(),
            SyntaxKind::EndKw => {}
            _ => {
                self.error_here("a `;` or a line break ends the variables of `let`");
                while !self.is_closing_or_newline(self.kind()) {
                    self.skip();
                }
            }
        }
        self.block();
        if line_ends {
            self.empty_block_on_next_line();
        }
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, SyntaxKind::LetExpr, Flags::NONE);
    }

    /// Places an empty body on the line after the one its form starts on, if a line break precedes it.
    pub(super) fn empty_block_on_next_line(&mut self) {
        let end = self.last_end() as usize;
        let line_break = self.text.as_bytes()[end..].iter().position(|&byte| byte == b'\n');
        if let (Some(node), Some(at)) = (self.nodes.last_mut(), line_break)
            && node.size == 1
        {
            node.start = (end + at + 1) as u32;
            node.end = node.start;
        }
    }

    /// `global`, `local`, perhaps with `const`.
    fn scope_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        let inner = self.mark();
        let constant = self.kind() == SyntaxKind::Const;
        if constant {
            self.skip();
        }
        let assigned = self.variables();
        if constant {
            self.emit(inner, SyntaxKind::ConstDecl, Flags::NONE);
            if !assigned {
                self.error_since(mark, "a constant needs a value");
            }
        }
        let kind =
            if word.kind == SyntaxKind::Global { SyntaxKind::GlobalDecl } else { SyntaxKind::LocalDecl };
        self.emit(mark, kind, Flags::NONE);
    }

    fn const_form(&mut self, mark: Mark) {
        self.skip();
        let inner = self.mark();
        let scope = match self.kind() {
            SyntaxKind::Global => Some(SyntaxKind::GlobalDecl),
            SyntaxKind::Local => Some(SyntaxKind::LocalDecl),
            _ => None,
        };
        if scope.is_some() {
            self.skip();
        }
        let assigned = self.variables();
        if let Some(kind) = scope {
            self.emit(inner, kind, Flags::NONE);
        }
        self.emit(mark, SyntaxKind::ConstDecl, Flags::NONE);
        if !assigned {
            self.error_since(mark, "a constant needs a value");
        }
    }

    /// Variables of a declaration, perhaps assigned. Whether by a plain `=`.
    fn variables(&mut self) -> bool {
        let mark = self.mark();
        let commas = self.comma_list(false);
        let operator = self.peek();
        if operator.kind.is_assignment() {
            if commas > 0 {
                self.emit(mark, SyntaxKind::Tuple, Flags::NONE);
            }
            self.assignment_tail(mark, true);
        }
        operator.kind == SyntaxKind::Eq && !operator.flags.has(Flags::DOTTED)
    }

    fn return_form(&mut self, mark: Mark) {
        self.skip();
        let kind = self.kind();
        if !self.is_closing_or_newline(kind) {
            self.eq();
        }
        self.emit(mark, SyntaxKind::ReturnExpr, Flags::NONE);
    }

    fn jump_form(&mut self, mark: Mark, kind: SyntaxKind) {
        let word = self.token(0);
        self.skip();
        self.emit(mark, kind, Flags::NONE);
        let next = self.kind();
        let ends = matches!(next, SyntaxKind::Colon | SyntaxKind::RBracket | SyntaxKind::RBrace)
            || self.is_closing_or_newline(next);
        if !ends {
            let word = self.text.get(word.start as usize..word.end as usize).unwrap_or("");
            let message = format!("nothing can follow `{word}`");
            self.error_here(message);
            while !self.is_closing_or_newline(self.kind()) {
                self.skip();
            }
        }
    }

    fn try_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        self.block();
        self.skip_newlines();
        let mut caught = false;
        let mut finished = false;
        if self.kind() == SyntaxKind::Catch {
            caught = true;
            self.catch_clause();
        }
        self.skip_newlines();
        if self.kind() == SyntaxKind::Else {
            if !caught {
                self.error_here("`else` in a `try` goes after `catch`");
            }
            self.clause(SyntaxKind::ElseClause);
        }
        self.skip_newlines();
        if self.kind() == SyntaxKind::Finally {
            finished = true;
            self.clause(SyntaxKind::FinallyClause);
        }
        self.skip_newlines();
        if !caught && self.kind() == SyntaxKind::Catch {
            caught = true;
            self.catch_clause();
        }
        if !caught && !finished {
            let place = self.span(word.start, word.end);
            let message = "this `try` has neither `catch` nor `finally`";
            self.report(crate::Diagnostic::error("syntax/try", message, place));
        }
        self.skip_newlines();
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, SyntaxKind::TryExpr, Flags::NONE);
    }

    fn clause(&mut self, kind: SyntaxKind) {
        let mark = self.mark();
        self.skip();
        self.block();
        self.emit(mark, kind, Flags::NONE);
    }

    fn catch_clause(&mut self) {
        let mark = self.mark();
        self.skip();
        if self.is_closing_or_newline(self.kind()) {
            self.missing(SyntaxKind::NoCatchVar);
        } else {
            let variable = self.mark();
            self.eq_star();
            if !matches!(
                self.behind_kind(),
                SyntaxKind::Ident | SyntaxKind::VarName | SyntaxKind::Interpolate
            ) {
                self.fail_since(variable, "a variable's name is expected after `catch`");
            }
        }
        self.block();
        self.emit(mark, SyntaxKind::CatchClause, Flags::NONE);
    }

    /// The `A <: B` of a type definition.
    pub(super) fn type_header(&mut self) {
        if self.kind_past_newlines().is_reserved_word() {
            self.error_here("a type's name is expected here");
            self.bump_as(SyntaxKind::Error);
        } else {
            self.binary(level::COMPARE);
        }
    }
}
