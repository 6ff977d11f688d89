//! Forms that start with a word.

use super::{Mark, Mode, Parser};
use crate::kind::level;
use crate::tree::Token;
use crate::{Flags, Kind};

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
            Kind::Begin | Kind::QuoteKw => {
                self.skip();
                self.block_items(Self::statement);
                self.close(Kind::EndKw, word);
                self.emit(mark, Kind::Block, Flags::NONE);
                if word.kind == Kind::QuoteKw {
                    self.emit(mark, Kind::QuoteExpr, Flags::NONE);
                }
            }
            Kind::While => {
                self.skip();
                self.condition();
                self.finish_block(mark, word, Kind::WhileExpr);
            }
            Kind::For => {
                self.skip();
                self.iterations();
                self.finish_block(mark, word, Kind::ForExpr);
            }
            Kind::If => self.if_form(false),
            Kind::Let => self.let_form(),
            Kind::Global | Kind::Local => self.scope_form(mark, word),
            Kind::Const => self.const_form(mark),
            Kind::Function | Kind::Macro => self.function_form(mark, word),
            Kind::Abstract => self.abstract_form(mark, word),
            Kind::Primitive => self.primitive_form(mark, word),
            Kind::Struct | Kind::Mutable => self.struct_form(mark, word),
            Kind::Try => self.try_form(mark, word),
            Kind::Return => self.return_form(mark),
            Kind::Break => self.jump_form(mark, Kind::BreakExpr),
            Kind::Continue => self.jump_form(mark, Kind::ContinueExpr),
            Kind::Module | Kind::Baremodule => self.module_form(mark, word),
            Kind::Export => self.export_form(mark, Kind::ExportStmt),
            Kind::Public => self.export_form(mark, Kind::PublicStmt),
            Kind::Import => self.import_form(mark, Kind::ImportStmt),
            Kind::Using => self.import_form(mark, Kind::UsingStmt),
            _ => {
                self.error_here("`do` goes after a call");
                self.bump_as(Kind::Error);
            }
        }
    }

    /// A body and `end`.
    pub(super) fn finish_block(&mut self, mark: Mark, word: Token, kind: Kind) {
        self.block();
        self.close(Kind::EndKw, word);
        self.emit(mark, kind, Flags::NONE);
    }

    fn if_form(&mut self, is_elseif: bool) {
        if self.enter().is_none() {
            return;
        }
        let mark = self.mark();
        let word = self.token(0);
        self.skip();
        if matches!(self.kind(), Kind::Newline | Kind::EndKw) {
            self.error_here("a condition is missing");
            self.missing(Kind::Error);
        } else {
            self.condition();
        }
        self.block();
        self.skip_newlines();
        match self.kind() {
            Kind::Elseif => self.if_form(true),
            Kind::Else => {
                let last = self.token(0);
                if self.token(1).kind == Kind::If && !self.token(1).flags.has(Flags::NEWLINE_BEFORE) {
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
            self.close(Kind::EndKw, word);
        }
        self.emit(mark, if is_elseif { Kind::ElseifExpr } else { Kind::IfExpr }, Flags::NONE);
        self.leave();
    }

    fn let_form(&mut self) {
        let mark = self.mark();
        let word = self.token(0);
        self.skip();
        let bindings = self.mark();
        if !matches!(self.kind(), Kind::Newline | Kind::Semi | Kind::EndKw) {
            self.comma_separated(Self::eq_star);
        }
        self.emit(bindings, Kind::Block, Flags::NONE);
        let line_ends = self.kind() == Kind::Newline;
        match self.kind() {
            Kind::Newline => self.skip_newlines(),
            Kind::Semi => self.skip(),
            Kind::EndKw => {}
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
        self.close(Kind::EndKw, word);
        self.emit(mark, Kind::LetExpr, Flags::NONE);
    }

    /// An empty body belongs to the line after the one its form starts on, if a line break came before it.
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
        let constant = self.kind() == Kind::Const;
        if constant {
            self.skip();
        }
        let assigned = self.variables();
        if constant {
            self.emit(inner, Kind::ConstDecl, Flags::NONE);
            if !assigned {
                self.error_since(mark, "a constant needs a value");
            }
        }
        let kind = if word.kind == Kind::Global { Kind::GlobalDecl } else { Kind::LocalDecl };
        self.emit(mark, kind, Flags::NONE);
    }

    fn const_form(&mut self, mark: Mark) {
        self.skip();
        let inner = self.mark();
        let scope = match self.kind() {
            Kind::Global => Some(Kind::GlobalDecl),
            Kind::Local => Some(Kind::LocalDecl),
            _ => None,
        };
        if scope.is_some() {
            self.skip();
        }
        let assigned = self.variables();
        if let Some(kind) = scope {
            self.emit(inner, kind, Flags::NONE);
        }
        self.emit(mark, Kind::ConstDecl, Flags::NONE);
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
                self.emit(mark, Kind::Tuple, Flags::NONE);
            }
            self.assignment_tail(mark, true);
        }
        operator.kind == Kind::Eq && !operator.flags.has(Flags::DOTTED)
    }

    fn return_form(&mut self, mark: Mark) {
        self.skip();
        let kind = self.kind();
        if !self.is_closing_or_newline(kind) {
            self.eq();
        }
        self.emit(mark, Kind::ReturnExpr, Flags::NONE);
    }

    fn jump_form(&mut self, mark: Mark, kind: Kind) {
        let word = self.token(0);
        self.skip();
        self.emit(mark, kind, Flags::NONE);
        let next = self.kind();
        let ends =
            matches!(next, Kind::Colon | Kind::RBracket | Kind::RBrace) || self.is_closing_or_newline(next);
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
        if self.kind() == Kind::Catch {
            caught = true;
            self.catch_clause();
        }
        self.skip_newlines();
        if self.kind() == Kind::Else {
            if !caught {
                self.error_here("`else` in a `try` goes after `catch`");
            }
            self.clause(Kind::ElseClause);
        }
        self.skip_newlines();
        if self.kind() == Kind::Finally {
            finished = true;
            self.clause(Kind::FinallyClause);
        }
        self.skip_newlines();
        if !caught && self.kind() == Kind::Catch {
            caught = true;
            self.catch_clause();
        }
        if !caught && !finished {
            let place = self.span(word.start, word.end);
            let message = "this `try` has neither `catch` nor `finally`";
            self.report(crate::Diagnostic::error("syntax/try", message, place));
        }
        self.skip_newlines();
        self.close(Kind::EndKw, word);
        self.emit(mark, Kind::TryExpr, Flags::NONE);
    }

    fn clause(&mut self, kind: Kind) {
        let mark = self.mark();
        self.skip();
        self.block();
        self.emit(mark, kind, Flags::NONE);
    }

    fn catch_clause(&mut self) {
        let mark = self.mark();
        self.skip();
        if self.is_closing_or_newline(self.kind()) {
            self.missing(Kind::NoCatchVar);
        } else {
            let variable = self.mark();
            self.eq_star();
            if !matches!(self.behind_kind(), Kind::Ident | Kind::VarName | Kind::Interpolate) {
                self.fail_since(variable, "a variable's name is expected after `catch`");
            }
        }
        self.block();
        self.emit(mark, Kind::CatchClause, Flags::NONE);
    }

    /// The `A <: B` of a type definition.
    pub(super) fn type_header(&mut self) {
        if self.kind_past_newlines().is_reserved_word() {
            self.error_here("a type's name is expected here");
            self.bump_as(Kind::Error);
        } else {
            self.binary(level::COMPARE);
        }
    }
}
