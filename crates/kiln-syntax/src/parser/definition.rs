//! Definitions: functions, macros, types, modules.

use super::{Mark, Mode, Parser};
use crate::tree::Token;
use crate::{Flags, SyntaxKind};

impl Parser<'_> {
    pub(super) fn function_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        self.skip_newlines();
        let is_function = word.kind == SyntaxKind::Function;
        let kind = if is_function { SyntaxKind::FunctionDef } else { SyntaxKind::MacroDef };
        if self.signature(is_function) {
            self.finish_block(mark, word, kind);
        } else {
            self.skip_newlines();
            self.skip();
            self.emit(mark, kind, Flags::NONE);
        }
    }

    /// The head of a definition. False for `function f end`, which has no body.
    fn signature(&mut self, is_function: bool) -> bool {
        let mark = self.mark();
        let mut needs_call = true;
        if is_function && self.kind() == SyntaxKind::LParen {
            needs_call = self.paren_signature(mark);
        } else {
            self.definition_name(is_function);
        }
        if needs_call {
            self.call_chain(mark, false);
            let last = self.behind_kind();
            let is_name = matches!(last, SyntaxKind::Ident | SyntaxKind::VarName | SyntaxKind::Interpolate)
                || (self.nodes.len() as u32 == mark.node + 1 && last.is_operator());
            if is_name && self.kind_past_newlines() == SyntaxKind::EndKw {
                return false;
            }
            if !matches!(last, SyntaxKind::Call | SyntaxKind::MacroCall) {
                let what = if is_function { "function" } else { "macro" };
                self.fail_since(mark, format!("this is not the head of a {what}: `f(x)` is expected"));
            }
        }
        if is_function && self.kind() == SyntaxKind::ColonColon {
            self.skip();
            self.call();
            self.emit(mark, SyntaxKind::Decl, Flags::INFIX);
        }
        if self.kind() == SyntaxKind::Where {
            self.where_chain(mark);
        }
        true
    }

    fn definition_name(&mut self, is_function: bool) {
        let first = self.token(0).kind;
        if first.is_reserved_word() {
            let what = if is_function { "function" } else { "macro" };
            self.error_here(format!("a word of the language cannot name a {what}"));
            if first == SyntaxKind::EndKw {
                return self.missing(SyntaxKind::Error);
            }
        }
        self.unary_prefix(false);
    }

    /// A head that starts with `(`: arguments of an anonymous function, a callee, or the whole head in parentheses.
    /// Whether an argument list must follow.
    fn paren_signature(&mut self, mark: Mark) -> bool {
        let opener = self.token(0);
        self.skip();
        let empty = self.kind_past_newlines() == SyntaxKind::RParen;
        let list = self.bracketed(SyntaxKind::RParen, true);
        let was_call = self.was_call();
        let grouping = !list.commas && !list.splat && list.semis == 0 && list.items == 1;
        let after = self.token(1);
        let visible = grouping || !after.flags.has(Flags::NEWLINE_BEFORE);
        let needs_call = visible && matches!(after.kind, SyntaxKind::LParen | SyntaxKind::Dot);
        let anonymous = (!needs_call && !was_call) || list.commas;
        if anonymous {
            self.add_parameters(&list);
        }
        let ambiguous =
            grouping && matches!(self.behind_kind(), SyntaxKind::MacroCall | SyntaxKind::Interpolate);
        self.close(SyntaxKind::RParen, opener);
        if anonymous {
            self.emit(mark, SyntaxKind::Tuple, Flags::PARENS | list.comma_flag());
            if ambiguous {
                let message = "it is not clear whether this is the head of the function or its argument";
                self.error_since(mark, message);
                if let Some(diagnostic) = self.diagnostics.last_mut() {
                    diagnostic.help =
                        Some("add a `,` for an argument, or take the parentheses off".to_owned());
                }
            }
        } else if empty {
            self.emit(mark, SyntaxKind::Tuple, Flags::PARENS);
        } else {
            self.emit(mark, SyntaxKind::Parens, Flags::NONE);
        }
        if needs_call {
            self.skip_newlines();
        }
        needs_call
    }

    pub(super) fn abstract_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        self.skip();
        self.type_header();
        self.skip_separators();
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, SyntaxKind::AbstractDef, Flags::NONE);
    }

    pub(super) fn primitive_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        self.skip();
        let inner = self.mode.with(Mode::SPACES);
        self.in_mode(inner, |parser| {
            parser.type_header();
            parser.condition();
        });
        self.skip_separators();
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, SyntaxKind::PrimitiveDef, Flags::NONE);
    }

    fn skip_separators(&mut self) {
        self.skip_newlines();
        while self.kind_past_newlines() == SyntaxKind::Semi {
            self.skip();
        }
        self.skip_newlines();
    }

    pub(super) fn struct_form(&mut self, mark: Mark, word: Token) {
        let mutable = word.kind == SyntaxKind::Mutable;
        if mutable {
            self.skip();
        }
        self.skip();
        self.type_header();
        self.block_of(|parser| parser.documented(Self::struct_field));
        self.close(SyntaxKind::EndKw, word);
        self.emit(mark, SyntaxKind::StructDef, if mutable { Flags::MUTABLE } else { Flags::NONE });
    }

    fn struct_field(&mut self) {
        let mark = self.mark();
        let constant = self.kind() == SyntaxKind::Const;
        if constant {
            self.skip();
        }
        self.eq();
        if constant {
            self.emit(mark, SyntaxKind::ConstDecl, Flags::NONE);
        }
    }

    pub(super) fn module_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        if self.kind_past_newlines().is_reserved_word() {
            self.error_here("a module's name is expected here");
            self.bump_as(SyntaxKind::Error);
        } else {
            self.unary_prefix(false);
        }
        self.block_of(Self::public_or_statement);
        self.close(SyntaxKind::EndKw, word);
        let bare = word.kind == SyntaxKind::Baremodule;
        self.emit(mark, SyntaxKind::ModuleDef, if bare { Flags::BARE } else { Flags::NONE });
    }
}
