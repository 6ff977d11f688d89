//! Lists in brackets, parentheses, generators.

use super::{Mark, Mode, Parser};
use crate::kind::level;
use crate::{Flags, SyntaxKind};

/// The list that [`Parser::bracketed`] parsed.
pub(super) struct List {
    pub(super) commas: bool,
    /// The first item ends in `...`.
    pub(super) splat: bool,
    pub(super) semis: usize,
    pub(super) items: usize,
    trailing_comma: bool,
    /// The start and end of the section behind each `;`.
    sections: Vec<(Mark, Mark)>,
}

impl List {
    pub(super) fn comma_flag(&self) -> Flags {
        if self.trailing_comma { Flags::TRAILING_COMMA } else { Flags::NONE }
    }
}

impl Parser<'_> {
    /// Items up to `closer`, which is not consumed.
    pub(super) fn bracketed(&mut self, closer: SyntaxKind, generator_is_last: bool) -> List {
        let outer = self.mode;
        self.mode =
            outer.with(Mode(Mode::RANGE_COLON.0 | Mode::WHERE.0 | Mode::NEWLINES.0)).without(Mode::SPACES);
        let mut list = List {
            commas: false,
            splat: false,
            semis: 0,
            items: 0,
            trailing_comma: false,
            sections: Vec::new(),
        };
        let mut section: Option<Mark> = None;
        loop {
            let kind = self.kind();
            if kind == SyntaxKind::Semi {
                if let Some(start) = section {
                    list.sections.push((start, self.mark()));
                }
                list.semis += 1;
                section = Some(self.mark());
                self.skip();
                continue;
            }
            if kind == closer {
                break;
            }
            if self.is_closing(kind) {
                list.trailing_comma = false;
                break;
            }
            if !self.bracketed_item(closer, generator_is_last, &mut list) {
                break;
            }
        }
        if let Some(start) = section {
            list.sections.push((start, self.mark()));
        }
        self.mode = outer;
        self.newline_done = true;
        list
    }

    /// One item and the comma after it. False if the list cannot go on.
    fn bracketed_item(&mut self, closer: SyntaxKind, generator_is_last: bool, list: &mut List) -> bool {
        let mark = self.mark();
        self.eq_star();
        list.trailing_comma = false;
        list.items += 1;
        if list.items == 1 {
            list.splat = self.behind_kind() == SyntaxKind::Splat;
        }
        if self.kind() == SyntaxKind::For {
            self.generator(mark);
            if generator_is_last {
                return false;
            }
        }
        match self.kind() {
            SyntaxKind::Comma => {
                list.commas = true;
                list.trailing_comma = true;
                self.skip();
                true
            }
            SyntaxKind::Semi => true,
            kind => kind == closer,
        }
    }

    /// Wraps the elements after each `;` in a `Parameters` node.
    pub(super) fn add_parameters(&mut self, list: &List) {
        for &(start, end) in list.sections.iter().rev() {
            let (nodes, cur) = (end.node as usize, end.token as usize);
            let node = self.node_since(start, SyntaxKind::Parameters, Flags::NONE, 0, nodes, cur);
            self.nodes.insert(nodes, node);
        }
    }

    /// `for x in xs if c for y in ys` after the item that starts at `mark`.
    pub(super) fn generator(&mut self, mark: Mark) {
        while self.kind() == SyntaxKind::For {
            if !self.space_before() {
                self.error_here("`for` needs a blank before it");
            }
            self.skip();
            let iterations = self.mark();
            self.iterations();
            if self.kind() == SyntaxKind::If {
                self.skip();
                self.condition();
                self.emit(iterations, SyntaxKind::Filter, Flags::NONE);
            }
        }
        self.emit(mark, SyntaxKind::Generator, Flags::NONE);
    }

    /// `i = a, j in b`.
    pub(super) fn iterations(&mut self) {
        let mark = self.mark();
        self.comma_separated(Self::iteration);
        self.emit(mark, SyntaxKind::Iteration, Flags::NONE);
    }

    fn iteration(&mut self) {
        let mark = self.mark();
        let starts_outer = self.kind() == SyntaxKind::Outer;
        let outer_mode = self.mode;
        // In `outer i` the blank must end the first expression.
        self.mode = outer_mode.with(Mode::SPACES).without(Mode::NEWLINES);
        self.binary(level::PIPE_LEFT);
        self.mode = outer_mode;
        let only_outer = starts_outer && self.nodes.len() as u32 == mark.node + 1;
        if only_outer && !self.iteration_word_here() {
            self.nodes.pop();
            self.binary(level::PIPE_LEFT);
            self.emit(mark, SyntaxKind::OuterVar, Flags::NONE);
        }
        if self.iteration_word_here() {
            self.skip();
            self.binary(level::PIPE_LEFT);
        } else {
            self.error_here("`in`, `=` or `∈` is expected here");
            loop {
                let kind = self.kind();
                if matches!(kind, SyntaxKind::Comma | SyntaxKind::Newline) || self.is_closing(kind) {
                    break;
                }
                self.skip();
            }
            self.missing(SyntaxKind::Error);
        }
        self.emit(mark, SyntaxKind::IterSpec, Flags::NONE);
    }

    fn iteration_word_here(&self) -> bool {
        let kind = if self.mode.has(Mode::GENERATOR) { self.kind_past_newlines() } else { self.kind() };
        matches!(kind, SyntaxKind::Eq | SyntaxKind::In | SyntaxKind::ElementOf)
            && !self.token(0).flags.has(Flags::DOTTED)
    }

    /// Parentheses without anything before them: grouping, tuple or block. The next token is `(`.
    pub(super) fn paren(&mut self, check_names: bool, after_prefix: bool) {
        let mark = self.mark();
        let opener = self.token(0);
        self.skip();
        let outer = self.mode;
        self.mode =
            outer.with(Mode(Mode::RANGE_COLON.0 | Mode::WHERE.0 | Mode::NEWLINES.0)).without(Mode::SPACES);
        let first = self.token(0);
        let (kind, flags) = if first.kind == SyntaxKind::RParen {
            (SyntaxKind::Tuple, Flags::PARENS)
        } else if first.kind.is_syntactic_operator() || self.colon_equals_here() {
            self.atom(check_names, false);
            (SyntaxKind::Parens, Flags::NONE)
        } else if !check_names
            && first.kind == SyntaxKind::ColonColon
            && self.token(1).kind == SyntaxKind::RParen
        {
            self.bump();
            (SyntaxKind::Parens, Flags::NONE)
        } else {
            self.paren_list(after_prefix)
        };
        self.mode = outer;
        self.newline_done = true;
        self.close(SyntaxKind::RParen, opener);
        self.emit(mark, kind, flags);
    }

    fn paren_list(&mut self, after_prefix: bool) -> (SyntaxKind, Flags) {
        let initial_semi = self.kind() == SyntaxKind::Semi;
        let list = self.bracketed(SyntaxKind::RParen, true);
        let before_arrow = self.token(1).kind == SyntaxKind::Arrow
            && self.behind_kind() != SyntaxKind::WhereExpr
            && !after_prefix;
        let is_tuple = list.commas
            || (list.splat && list.semis >= 1)
            || (initial_semi && (list.semis == 1 || list.items > 0))
            || before_arrow;
        if is_tuple {
            self.add_parameters(&list);
            (SyntaxKind::Tuple, Flags::PARENS | list.comma_flag())
        } else if list.semis > 0 {
            (SyntaxKind::Block, Flags::PARENS)
        } else {
            (SyntaxKind::Parens, Flags::NONE)
        }
    }
}
