//! Why a text is no body.

use std::fmt;

/// An error of [`parse`](crate::parse), with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// The error.
    pub kind: ParseErrorKind,
}

/// The kind of the error in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text has no lines.
    Empty,
    /// The line starts as one form and does not continue as it.
    Form(TextForm),
    /// A statement, a block or a site is out of order: this one comes next.
    NotNext(String),
    /// A type that the vocabulary lacks.
    UnknownType(String),
    /// A constant that the vocabulary lacks.
    UnknownConstant(String),
    /// A module that the vocabulary lacks.
    UnknownModule(String),
    /// The name of no operation.
    UnknownName(String),
    /// A text that is no operation at all.
    NotOperation(String),
    /// A text that should be a prefix and a number.
    NotNumbered {
        /// The text.
        text: String,
        /// The prefix.
        prefix: &'static str,
    },
    /// A text that should be in brackets.
    NotParenthesized(String),
}

/// The forms of lines and their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// `bb0:`.
    Block,
    /// `site0(...):`.
    Site,
    /// A statement in a block.
    Statement,
    /// `!n = ...`.
    Step,
    /// `splatnew(ty, args)`.
    SplatNew,
    /// `enter bb1, bb2`.
    Enter,
    /// `branch cond ? ...`.
    BranchCondition,
    /// `... ? bb1 : bb2`.
    BranchTargets,
    /// `throw_undef_if_not name, flag`.
    ThrowUndefIfNot,
    /// `bb0 => value`.
    Incoming,
    /// `...::type`.
    Typed,
    /// `name(`.
    OpeningBracket,
    /// `)`.
    ClosingBracket,
}

impl fmt::Display for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "a block's line ends with a colon",
            Self::Site => "a site's line ends with a colon",
            Self::Statement => "a statement before the first block",
            Self::Step => "a step is `!n = ...`",
            Self::SplatNew => "`splatnew` takes two operands",
            Self::Enter => "`enter` names two blocks",
            Self::BranchCondition => "`branch` has a condition",
            Self::BranchTargets => "`branch` names two blocks",
            Self::ThrowUndefIfNot => "`throw_undef_if_not` takes a name and a flag",
            Self::Incoming => "a phi's operand is `block => value`",
            Self::Typed => "a type is missing",
            Self::OpeningBracket => "an opening bracket is missing",
            Self::ClosingBracket => "a closing bracket is missing",
        })
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the text is empty"),
            Self::Form(form) => form.fmt(f),
            Self::NotNext(expected) => write!(f, "{expected} comes next"),
            Self::UnknownType(text) => write!(f, "`{text}` is no known type"),
            Self::UnknownConstant(text) => write!(f, "`{text}` is no known constant"),
            Self::UnknownModule(text) => write!(f, "`{text}` is no known module"),
            Self::UnknownName(text) => write!(f, "there is no `{text}`"),
            Self::NotOperation(text) => write!(f, "`{text}` is no operation"),
            Self::NotNumbered { text, prefix } => write!(f, "`{text}` should be `{prefix}` and a number"),
            Self::NotParenthesized(text) => write!(f, "`{text}` should be in brackets"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl std::error::Error for ParseError {}

impl From<TextForm> for ParseErrorKind {
    fn from(form: TextForm) -> Self {
        Self::Form(form)
    }
}
