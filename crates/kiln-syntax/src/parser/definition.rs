//! Definitions: functions, macros, types, modules.

use super::{Mark, Mode, Parser};
use crate::tree::Token;
use crate::{Flags, Kind};

impl Parser<'_> {
    pub(super) fn function_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        self.skip_newlines();
        let is_function = word.kind == Kind::Function;
        let kind = if is_function { Kind::FunctionDef } else { Kind::MacroDef };
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
        if is_function && self.kind() == Kind::LParen {
            needs_call = self.paren_signature(mark);
        } else {
            self.definition_name(is_function);
        }
        if needs_call {
            self.call_chain(mark, false);
            let last = self.behind_kind();
            let is_name = matches!(last, Kind::Ident | Kind::VarName | Kind::Interpolate)
                || (self.nodes.len() as u32 == mark.node + 1 && last.is_operator());
            if is_name && self.kind_past_newlines() == Kind::EndKw {
                return false;
            }
            if !matches!(last, Kind::Call | Kind::MacroCall) {
                let what = if is_function { "function" } else { "macro" };
                self.fail_since(mark, format!("this is not the head of a {what}: `f(x)` is expected"));
            }
        }
        if is_function && self.kind() == Kind::ColonColon {
            self.skip();
            self.call();
            self.emit(mark, Kind::Decl, Flags::INFIX);
        }
        if self.kind() == Kind::Where {
            self.where_chain(mark);
        }
        true
    }

    fn definition_name(&mut self, is_function: bool) {
        let first = self.token(0).kind;
        if first.is_reserved_word() {
            let what = if is_function { "function" } else { "macro" };
            self.error_here(format!("a word of the language cannot name a {what}"));
            if first == Kind::EndKw {
                return self.missing(Kind::Error);
            }
        }
        self.unary_prefix(false);
    }

    /// A head that starts with `(`: arguments of an anonymous function, a callee, or the whole head in parentheses.
    /// Whether an argument list must follow.
    fn paren_signature(&mut self, mark: Mark) -> bool {
        let opener = self.token(0);
        self.skip();
        let empty = self.kind_past_newlines() == Kind::RParen;
        let list = self.bracketed(Kind::RParen, true);
        let was_call = self.was_call();
        let grouping = !list.commas && !list.splat && list.semis == 0 && list.items == 1;
        let after = self.token(1);
        let visible = grouping || !after.flags.has(Flags::NEWLINE_BEFORE);
        let needs_call = visible && matches!(after.kind, Kind::LParen | Kind::Dot);
        let anonymous = (!needs_call && !was_call) || list.commas;
        if anonymous {
            self.add_parameters(&list);
        }
        let ambiguous = grouping && matches!(self.behind_kind(), Kind::MacroCall | Kind::Interpolate);
        self.close(Kind::RParen, opener);
        if anonymous {
            self.emit(mark, Kind::Tuple, Flags::PARENS | list.comma_flag());
            if ambiguous {
                let message = "it is not clear whether this is the head of the function or its argument";
                self.error_since(mark, message);
                if let Some(diagnostic) = self.diagnostics.last_mut() {
                    diagnostic.help =
                        Some("add a `,` for an argument, or take the parentheses off".to_owned());
                }
            }
        } else if empty {
            self.emit(mark, Kind::Tuple, Flags::PARENS);
        } else {
            self.emit(mark, Kind::Parens, Flags::NONE);
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
        self.close(Kind::EndKw, word);
        self.emit(mark, Kind::AbstractDef, Flags::NONE);
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
        self.close(Kind::EndKw, word);
        self.emit(mark, Kind::PrimitiveDef, Flags::NONE);
    }

    fn skip_separators(&mut self) {
        self.skip_newlines();
        while self.kind_past_newlines() == Kind::Semi {
            self.skip();
        }
        self.skip_newlines();
    }

    pub(super) fn struct_form(&mut self, mark: Mark, word: Token) {
        let mutable = word.kind == Kind::Mutable;
        if mutable {
            self.skip();
        }
        self.skip();
        self.type_header();
        self.block_of(|parser| parser.documented(Self::struct_field));
        self.close(Kind::EndKw, word);
        self.emit(mark, Kind::StructDef, if mutable { Flags::MUTABLE } else { Flags::NONE });
    }

    fn struct_field(&mut self) {
        let mark = self.mark();
        let constant = self.kind() == Kind::Const;
        if constant {
            self.skip();
        }
        self.eq();
        if constant {
            self.emit(mark, Kind::ConstDecl, Flags::NONE);
        }
    }

    pub(super) fn module_form(&mut self, mark: Mark, word: Token) {
        self.skip();
        if self.kind_past_newlines().is_reserved_word() {
            self.error_here("a module's name is expected here");
            self.bump_as(Kind::Error);
        } else {
            self.unary_prefix(false);
        }
        self.block_of(Self::public_or_statement);
        self.close(Kind::EndKw, word);
        let bare = word.kind == Kind::Baremodule;
        self.emit(mark, Kind::ModuleDef, if bare { Flags::BARE } else { Flags::NONE });
    }
}
