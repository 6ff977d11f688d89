//! Tokens to tree: recursive descent, with precedence climbing for binary operators.
//!
//! Nodes are appended in post-order: a rule takes a [`Mark`], parses its parts, and then [`Parser::emit`]s the node
//! for everything since the mark. The [`Mode`] is the context that brackets and keywords give to the rules inside
//! them.
//!
//! # Invariants
//! Every loop consumes a token or ends. Nested rules count the depth; past [`DEPTH_MAX`] the rest of the text is one
//! error, so no text can overflow the stack.

mod array;
mod atom;
mod block;
mod bracket;
mod call;
mod definition;
mod expression;
mod import;
mod unary;

use crate::tree::{Parse, SyntaxNode, Token};
use crate::{Diagnostic, FileId, Flags, LineStarts, Span, SyntaxKind, lexer};
use std::sync::Arc;

/// The maximum nesting of expressions.
const DEPTH_MAX: u32 = 600;
/// The maximum number of diagnostics of one text; more would be noise.
const DIAGNOSTICS_MAX: usize = 100;

/// Parses a whole file.
pub fn parse(text: &str, file: FileId) -> Parse {
    if u32::try_from(text.len()).is_err() {
        let mut parse = parse("", file);
        let message = "a source file cannot be larger than 4 GiB";
        parse.diagnostics.push(Diagnostic::error("syntax/size", message, Span::new(file, 0, 0)));
        return parse;
    }
    let lexed = lexer::lex(text, file);
    let mut parser = Parser::new(text, file, &lexed.tokens);
    parser.diagnostics = lexed.diagnostics;
    parser.toplevel();
    let Parser { nodes, mut diagnostics, .. } = parser;
    blame_strings(&mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    let lines = LineStarts::new(text);
    let text: Arc<str> = text.into();
    Parse {
        file,
        name: None,
        text,
        lines,
        first_line: 1,
        tokens: lexed.tokens,
        trivia: lexed.trivia,
        nodes,
        diagnostics,
    }
}

/// Parses the statement that starts at byte `offset`, as `Meta.parse(text, offset)` does, and returns the offset
/// after it: past the blanks and the line break that follow. At the end of the text the tree is empty.
pub fn parse_one(text: &str, offset: usize) -> (Parse, usize) {
    parse_part(text, offset, |parser| {
        parser.statements(false);
        if parser.cur == 0 {
            parser.skip();
        }
    })
}

/// As [`parse_one`], for the smallest expression at `offset`; the returned offset is right after it.
pub fn parse_atom(text: &str, offset: usize) -> (Parse, usize) {
    let (parse, _) = parse_part(text, offset, |parser| parser.atom(true, false));
    let next = parse.nodes.last().filter(|it| it.size > 1).map_or(text.len(), |it| it.end as usize);
    (parse, next)
}

fn parse_part(text: &str, offset: usize, rule: impl FnOnce(&mut Parser<'_>)) -> (Parse, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset += 1;
    }
    // Blanks keep the places of what follows and mean nothing; lines count from `offset`.
    let padded: String = " ".repeat(offset) + &text[offset..];
    let lexed = lexer::lex(&padded, FileId::NONE);
    let mut parser = Parser::new(&padded, FileId::NONE, &lexed.tokens);
    let mark = parser.mark();
    parser.skip_newlines();
    if parser.kind() != SyntaxKind::End {
        rule(&mut parser);
    }
    parser.emit(mark, SyntaxKind::Toplevel, Flags::NONE);
    let next = match lexed.tokens.get(parser.cur) {
        Some(token) if token.kind != SyntaxKind::End => {
            after_blanks(&padded, &lexed.trivia, parser.stopped_at())
        }
        _ => text.len(),
    };
    let Parser { nodes, mut diagnostics, .. } = parser;
    let lexical =
        lexed.diagnostics.into_iter().filter(|problem| (problem.primary.span.start as usize) < next);
    diagnostics.extend(lexical);
    blame_strings(&mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    let lines = LineStarts::new(&padded);
    let parse = Parse {
        file: FileId::NONE,
        name: None,
        text: padded.into(),
        lines,
        first_line: 1,
        tokens: lexed.tokens,
        trivia: lexed.trivia,
        nodes,
        diagnostics,
    };
    (parse, next)
}

/// An unterminated string swallows the ends of surrounding brackets and forms: only the string is reported.
fn blame_strings(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.iter().any(|it| it.code == "syntax/unclosed-string") {
        diagnostics.retain(|it| it.code != "syntax/unclosed");
    }
}

/// The offset behind the blanks and comments at `at`, and behind one line break with the blanks that follow it.
fn after_blanks(text: &str, trivia: &[Token], at: usize) -> usize {
    let blanks = |at: usize| {
        text.as_bytes()[at..].iter().take_while(|it| matches!(it, b' ' | b'\t' | b'\r')).count() + at
    };
    let mut at = blanks(at);
    while text.as_bytes().get(at) == Some(&b'#')
        && let Ok(comment) = trivia.binary_search_by_key(&at, |it| it.start as usize)
    {
        at = blanks(trivia[comment].end as usize);
    }
    if text.as_bytes().get(at) == Some(&b'\n') { blanks(at + 1) } else { at }
}

/// A place in the tree and in the tokens, where a node may start.
#[derive(Clone, Copy)]
struct Mark {
    node: u32,
    token: u32,
}

/// The meaning of the brackets and words around an expression: a set of the constants.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mode(u8);

impl Mode {
    /// `:` makes a range; off between `?` and `:`.
    const RANGE_COLON: Mode = Mode(1);
    /// Blanks separate: `[a -b]`.
    const SPACES: Mode = Mode(2);
    /// `for` makes a generator rather than a loop.
    const GENERATOR: Mode = Mode(4);
    /// `end` and `begin` are values: inside `a[...]`.
    const END_VALUE: Mode = Mode(8);
    /// Line breaks are blanks.
    const NEWLINES: Mode = Mode(16);
    /// `where` binds tightly.
    const WHERE: Mode = Mode(32);
    /// At statement level.
    const STATEMENT: Mode = Mode(1 | 32);

    fn has(self, other: Mode) -> bool {
        self.0 & other.0 != 0
    }
    fn with(self, other: Mode) -> Mode {
        Mode(self.0 | other.0)
    }
    fn without(self, other: Mode) -> Mode {
        Mode(self.0 & !other.0)
    }
}

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: &'t [Token],
    /// The next token.
    cur: usize,
    /// Whether the line break before the next token has been consumed.
    newline_done: bool,
    mode: Mode,
    depth: u32,
    /// Nesting was too deep: missing tokens after it are not reported.
    gave_up: bool,
    /// The first form whose `end`, by its indentation, belongs to another.
    suspect: Option<(Token, Token)>,
    nodes: Vec<SyntaxNode>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, file: FileId, tokens: &'t [Token]) -> Self {
        Self {
            text,
            file,
            tokens,
            cur: 0,
            newline_done: false,
            mode: Mode::STATEMENT,
            depth: 0,
            gave_up: false,
            suspect: None,
            nodes: Vec::with_capacity(tokens.len() * 3 / 2),
            diagnostics: Vec::new(),
        }
    }

    // Looking at tokens.

    fn token(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.cur + ahead).min(last)]
    }

    /// The next token as the mode sees it: of kind `Newline` if a significant line break comes first.
    fn peek(&self) -> Token {
        let mut token = self.token(0);
        if self.newline_pending() {
            token.kind = SyntaxKind::Newline;
        }
        token
    }

    fn newline_pending(&self) -> bool {
        !self.newline_done
            && !self.mode.has(Mode::NEWLINES)
            && self.tokens[self.cur].flags.has(Flags::NEWLINE_BEFORE)
    }

    /// The kind of the next token as the mode sees it.
    fn kind(&self) -> SyntaxKind {
        if self.newline_pending() { SyntaxKind::Newline } else { self.tokens[self.cur].kind }
    }

    /// The kind of the next token, line breaks skipped.
    fn kind_past_newlines(&self) -> SyntaxKind {
        self.tokens[self.cur].kind
    }

    /// The token after [`Self::peek`]'s.
    fn peek2(&self) -> Token {
        if self.newline_pending() {
            let mut token = self.token(0);
            if token.flags.has(Flags::BLANK_LINE_BEFORE) {
                token.kind = SyntaxKind::Newline;
            }
            return token;
        }
        let mut token = self.token(1);
        if !self.mode.has(Mode::NEWLINES) && token.flags.has(Flags::NEWLINE_BEFORE) {
            token.kind = SyntaxKind::Newline;
        }
        token
    }

    fn space_before(&self) -> bool {
        self.tokens[self.cur].flags.has(Flags::SPACE_BEFORE)
    }

    fn is_closing(&self, kind: SyntaxKind) -> bool {
        matches!(
            kind,
            SyntaxKind::Else
                | SyntaxKind::Elseif
                | SyntaxKind::Catch
                | SyntaxKind::Finally
                | SyntaxKind::Comma
                | SyntaxKind::RParen
                | SyntaxKind::RBracket
                | SyntaxKind::RBrace
                | SyntaxKind::Semi
                | SyntaxKind::End
        ) || (kind == SyntaxKind::EndKw && !self.mode.has(Mode::END_VALUE))
    }

    fn is_closing_or_newline(&self, kind: SyntaxKind) -> bool {
        kind == SyntaxKind::Newline || self.is_closing(kind)
    }

    fn starts_form(&self, kind: SyntaxKind) -> bool {
        kind.is_initial_word() && !(kind == SyntaxKind::Begin && self.mode.has(Mode::END_VALUE))
    }

    // Consuming tokens.

    fn mark(&self) -> Mark {
        Mark { node: self.nodes.len() as u32, token: self.cur as u32 }
    }

    /// Consumes a token that is no node.
    fn skip(&mut self) {
        if self.cur + 1 < self.tokens.len() {
            self.cur += 1;
            self.newline_done = false;
        }
    }

    fn skip_newlines(&mut self) {
        self.newline_done = true;
    }

    /// Consumes a token as a leaf.
    fn bump(&mut self) {
        self.bump_as(self.tokens[self.cur].kind);
    }

    fn bump_as(&mut self, kind: SyntaxKind) {
        let Token { flags, start, end, .. } = self.tokens[self.cur];
        self.nodes.push(SyntaxNode { kind, dim: 0, flags, start, end, size: 1 });
        self.skip();
    }

    /// Adds a leaf without text at the end of the consumed text.
    fn missing(&mut self, kind: SyntaxKind) {
        let at = self.last_end();
        self.nodes.push(SyntaxNode { kind, dim: 0, flags: Flags::NONE, start: at, end: at, size: 1 });
    }

    fn last_end(&self) -> u32 {
        match self.cur.checked_sub(1) {
            Some(last) => self.tokens[last].end,
            None => 0,
        }
    }

    /// Adds the node that holds everything since `mark`.
    fn emit(&mut self, mark: Mark, kind: SyntaxKind, flags: Flags) {
        self.emit_dim(mark, kind, flags, 0);
    }

    fn emit_dim(&mut self, mark: Mark, kind: SyntaxKind, flags: Flags, dim: u8) {
        let node = self.node_since(mark, kind, flags, dim, self.nodes.len(), self.cur);
        self.nodes.push(node);
    }

    fn node_since(
        &self,
        mark: Mark,
        kind: SyntaxKind,
        flags: Flags,
        dim: u8,
        nodes: usize,
        cur: usize,
    ) -> SyntaxNode {
        let token = mark.token as usize;
        let end = cur.checked_sub(1).map_or(0, |last| self.tokens[last].end);
        let start = if cur > token { self.tokens[token].start } else { end };
        SyntaxNode { kind, dim, flags, start, end, size: (nodes as u32 - mark.node) + 1 }
    }

    // Looking back.

    /// The node added last, seen through parentheses.
    fn behind(&self) -> Option<&SyntaxNode> {
        self.nodes.iter().rev().find(|node| node.kind != SyntaxKind::Parens)
    }

    fn behind_kind(&self) -> SyntaxKind {
        self.behind().map_or(SyntaxKind::End, |node| node.kind)
    }

    /// The first child of node `index`.
    fn first_child(&self, index: usize) -> Option<usize> {
        let first = index + 1 - self.nodes[index].size as usize;
        let mut child = index.checked_sub(1)?;
        if child < first {
            return None;
        }
        loop {
            let start = child + 1 - self.nodes[child].size as usize;
            if start <= first {
                return Some(child);
            }
            child = start - 1;
        }
    }

    /// Whether the node added last is a call once `where`, `::` and parentheses are taken off.
    fn was_call(&self) -> bool {
        let Some(mut at) = self.nodes.len().checked_sub(1) else { return false };
        loop {
            match self.nodes[at].kind {
                SyntaxKind::Call if !self.nodes[at].flags.has(Flags::INFIX) || self.nodes[at].size > 1 => {
                    return true;
                }
                SyntaxKind::WhereExpr | SyntaxKind::Parens => {}
                SyntaxKind::Decl if self.nodes[at].flags.has(Flags::INFIX) => {}
                _ => return false,
            }
            match self.first_child(at) {
                Some(child) => at = child,
                None => return false,
            }
        }
    }

    // Problems.

    fn span(&self, from: u32, to: u32) -> Span {
        Span::new(self.file, from, to)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // What follows from an error at the same place says nothing new.
        let start = diagnostic.primary.span.start;
        let repeated =
            self.diagnostics.iter().rev().take(4).any(|earlier| earlier.primary.span.start == start);
        if !repeated && !self.gave_up && self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        }
    }

    /// An error at the next token.
    fn error_here(&mut self, message: impl Into<String>) {
        let Token { start, end, .. } = self.token(0);
        self.report(Diagnostic::error("syntax/unexpected", message, self.span(start, end)));
    }

    /// An error about everything since `mark`.
    fn error_since(&mut self, mark: Mark, message: impl Into<String>) {
        let end = self.last_end();
        let start = self.tokens[mark.token as usize].start.min(end);
        self.report(Diagnostic::error("syntax/invalid", message, self.span(start, end)));
    }

    /// Turns everything since `mark` into an error node.
    fn fail_since(&mut self, mark: Mark, message: impl Into<String>) {
        self.error_since(mark, message);
        self.emit(mark, SyntaxKind::Error, Flags::NONE);
    }

    fn no_space_here(&mut self) {
        if self.space_before() {
            let (start, end) = (self.last_end(), self.token(0).start);
            let message = "there cannot be a blank here";
            self.report(Diagnostic::error("syntax/space", message, self.span(start, end)));
        }
    }

    /// Counts one level of nesting. `None` if there are too many; the rest of the text is then consumed.
    fn enter(&mut self) -> Option<()> {
        if self.depth >= DEPTH_MAX {
            self.error_here("this is nested too deeply");
            self.gave_up = true;
            self.cur = self.tokens.len() - 1;
            self.newline_done = true;
            self.missing(SyntaxKind::Error);
            return None;
        }
        self.depth += 1;
        Some(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Runs `rule` in another mode.
    fn in_mode<R>(&mut self, mode: Mode, rule: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.mode, mode);
        let result = rule(self);
        self.mode = outer;
        result
    }

    /// Consumes `closer`, the partner of `opener`; skips and reports any other token.
    fn close(&mut self, closer: SyntaxKind, opener: Token) {
        let found = self.token(0);
        if self.kind() == closer {
            if self.suspect.is_none() && closer == SyntaxKind::EndKw && self.is_outdented(found, opener) {
                self.suspect = Some((opener, found));
            }
            return self.skip();
        }
        let opener_span = self.span(opener.start, opener.end);
        let word = self.text.get(opener.start as usize..opener.end as usize).unwrap_or("");
        if found.kind == SyntaxKind::End {
            if let Some((inner, end)) = self.suspect.take()
                && closer == SyntaxKind::EndKw
            {
                return self.blame(inner, end);
            }
            let message = format!("this `{word}` is never closed");
            let place = self.span(found.start, found.end);
            let text = format!("{} is missing", closer.spelling());
            let diagnostic = Diagnostic::error("syntax/unclosed", message, opener_span);
            return self.report(diagnostic.with_secondary(place, text));
        }
        let message = match closer {
            SyntaxKind::EndKw => format!("{} is missing", closer.spelling()),
            _ => format!("{} or `,` is missing", closer.spelling()),
        };
        let diagnostic = Diagnostic::error("syntax/unclosed", message, self.span(found.start, found.end))
            .with_secondary(opener_span, format!("to close this `{word}`"));
        self.report(diagnostic);
        loop {
            let kind = self.kind_past_newlines();
            if self.is_closing(kind) && !matches!(kind, SyntaxKind::Comma | SyntaxKind::Semi) {
                break;
            }
            self.skip();
        }
        self.skip_newlines();
        if self.kind_past_newlines() == closer {
            self.skip();
        }
    }

    /// Whether `end` begins a line that is indented less than the line of `opener`: it was meant for another form.
    fn is_outdented(&self, end: Token, opener: Token) -> bool {
        let indent = |at: u32| {
            let before = &self.text.as_bytes()[..at as usize];
            let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let blanks = before[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (blanks, line + blanks == before.len())
        };
        let (end_indent, starts_line) = indent(end.start);
        starts_line && end.flags.has(Flags::NEWLINE_BEFORE) && end_indent < indent(opener.start).0
    }

    /// Reports a missing `end`, and finds its form by the indentation.
    fn blame(&mut self, opener: Token, end: Token) {
        let word = self.text.get(opener.start as usize..opener.end as usize).unwrap_or("");
        let message = format!("this `{word}` is never closed");
        let (place, other) = (self.span(opener.start, opener.end), self.span(end.start, end.end));
        let text = "this `end` closes it, but is indented like the end of something around it";
        self.report(Diagnostic::error("syntax/unclosed", message, place).with_secondary(other, text));
    }

    // Statements.

    fn toplevel(&mut self) {
        let mark = self.mark();
        loop {
            self.skip_newlines();
            if self.kind() == SyntaxKind::End {
                break;
            }
            self.statements(true);
        }
        self.emit(mark, SyntaxKind::Toplevel, Flags::NONE);
    }

    /// Statements between `;` on one line of a file.
    fn statements(&mut self, whole_file: bool) {
        let mark = self.mark();
        let several = self.separated(
            Self::public_or_statement,
            |kind| kind == SyntaxKind::Semi,
            |kind| kind == SyntaxKind::Newline,
        );
        let junk = self.mark();
        while whole_file && !matches!(self.kind(), SyntaxKind::End | SyntaxKind::Newline) {
            self.skip();
        }
        if junk.token as usize != self.cur {
            self.error_since(junk, "the statement before has already ended here");
        }
        if several {
            self.emit(mark, SyntaxKind::Toplevel, Flags::SEMICOLONS);
        }
    }

    /// Where [`parse_one`] stopped.
    fn stopped_at(&self) -> usize {
        self.last_end() as usize
    }

    /// Items between separators. Whether there was a separator, or nothing at all.
    fn separated(
        &mut self,
        item: fn(&mut Self),
        separates: fn(SyntaxKind) -> bool,
        ends: fn(SyntaxKind) -> bool,
    ) -> bool {
        self.skip_newlines();
        if ends(self.kind()) {
            return true;
        }
        if !separates(self.kind()) {
            item(self);
        }
        let mut separators = 0;
        while separates(self.kind()) {
            if self.kind() == SyntaxKind::Newline {
                self.skip_newlines();
            } else {
                self.skip();
            }
            separators += 1;
            let kind = self.kind();
            if kind == SyntaxKind::End || ends(kind) {
                break;
            }
            if !separates(kind) {
                item(self);
            }
        }
        separators != 0
    }

    fn public_or_statement(&mut self) {
        if self.kind() == SyntaxKind::Public
            && !matches!(self.peek2().kind, SyntaxKind::LParen | SyntaxKind::Eq | SyntaxKind::LBracket)
        {
            let starts_list = matches!(
                self.peek2().kind,
                SyntaxKind::Ident
                    | SyntaxKind::VarName
                    | SyntaxKind::At
                    | SyntaxKind::Newline
                    | SyntaxKind::Dollar
            ) || self.peek2().kind.is_contextual_keyword()
                || (self.peek2().kind.is_operator()
                    && self.peek2().flags.has(Flags::SPACE_BEFORE)
                    && !self.token(2).flags.has(Flags::SPACE_BEFORE));
            if starts_list {
                return self.resword();
            }
        }
        self.statement();
    }

    /// A statement, perhaps with a docstring before it.
    fn statement(&mut self) {
        self.documented(Self::eq);
    }

    fn documented(&mut self, item: fn(&mut Self)) {
        let mark = self.mark();
        item(self);
        if self.behind_kind() != SyntaxKind::String || self.nodes.len() as u32 <= mark.node {
            return;
        }
        match self.kind() {
            SyntaxKind::Newline => {
                let next = self.peek2().kind;
                if next == SyntaxKind::Newline || self.is_closing(next) {
                    return;
                }
                self.skip_newlines();
            }
            kind if self.is_closing(kind) => return,
            _ => {}
        }
        item(self);
        self.emit(mark, SyntaxKind::Doc, Flags::NONE);
    }

    fn block(&mut self) {
        self.block_of(Self::eq);
    }

    fn block_of(&mut self, item: fn(&mut Self)) {
        let mark = self.mark();
        self.block_items(item);
        self.emit(mark, SyntaxKind::Block, Flags::NONE);
    }

    fn block_items(&mut self, item: fn(&mut Self)) {
        self.separated(
            item,
            |kind| matches!(kind, SyntaxKind::Newline | SyntaxKind::Semi),
            SyntaxKind::is_block_continuation,
        );
    }
}
