//! The tree: nodes in post-order in one array, and the tokens they were made from.
//!
//! A node's children directly precede it; `size` is the number of nodes of its subtree. Only meaningful parts are
//! nodes: brackets, commas, keywords and blanks are tokens without one. The tree keeps tokens and the trivia between
//! them; together they are the text ([`Parse::pieces`]).
//!
//! # Deliberately absent
//! Parents and typed accessors. Consumers read the array front to back, which needs no recursion.

use crate::{Diagnostic, FileId, Flags, LineStarts, Span, SyntaxKind};
use std::sync::Arc;

/// A token that is not trivia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of the token.
    pub kind: SyntaxKind,
    /// Flags: whether a blank precedes it, and whether it is a dotted or suffixed operator.
    pub flags: Flags,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxNode {
    /// The kind of the node. A leaf has the kind of its token.
    pub kind: SyntaxKind,
    /// The dimension of an `Ncat`, `TypedNcat` or `Nrow`.
    pub dim: u8,
    /// More about it.
    pub flags: Flags,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The number of nodes of the subtree, this one included.
    pub size: u32,
}

/// The result of parsing a text: always a tree, and its errors.
#[derive(Clone, Debug)]
pub struct Parse {
    /// The file of the text.
    pub file: FileId,
    /// The name line nodes carry, if there is one.
    pub name: Option<Arc<str>>,
    /// The text.
    pub text: Arc<str>,
    /// Where its lines start.
    pub lines: LineStarts,
    /// The number of the first line, for line nodes.
    pub first_line: u32,
    /// All tokens that are not trivia, in order. The last is `SyntaxKind::End`.
    pub tokens: Vec<Token>,
    /// Blanks and comments, in order.
    pub trivia: Vec<Token>,
    /// The tree, in post-order. The last node is the root: `SyntaxKind::Toplevel`.
    pub nodes: Vec<SyntaxNode>,
    /// The errors of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parse {
    /// Returns the same tree, whose line nodes carry `name`.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }
    /// Returns the same tree, whose line nodes count from `first_line`.
    pub fn starting_at(mut self, first_line: u32) -> Self {
        self.first_line = first_line;
        self
    }
    /// Whether anything was an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == crate::Severity::Error)
    }
    /// The text of a node.
    pub fn node_text(&self, node: &SyntaxNode) -> &str {
        self.text.get(node.start as usize..node.end as usize).unwrap_or("")
    }
    /// The place of a node.
    pub fn node_span(&self, node: &SyntaxNode) -> Span {
        Span::new(self.file, node.start, node.end)
    }
    /// The indices of a node's children, in order.
    pub fn children(&self, index: usize) -> Vec<usize> {
        let mut children = Vec::new();
        let first = index + 1 - self.nodes[index].size as usize;
        let mut next = index;
        while next > first {
            next -= 1;
            children.push(next);
            next = next + 1 - self.nodes[next].size as usize;
        }
        children.reverse();
        children
    }
    /// Every token, trivia included, in order: their texts joined are the whole text.
    pub fn pieces(&self) -> impl Iterator<Item = &Token> {
        let mut tokens = self.tokens.iter().peekable();
        let mut trivia = self.trivia.iter().peekable();
        std::iter::from_fn(move || match (tokens.peek(), trivia.peek()) {
            (Some(token), Some(blank)) if blank.start <= token.start => trivia.next(),
            (Some(_), _) => tokens.next(),
            (None, _) => trivia.next(),
        })
    }
}
