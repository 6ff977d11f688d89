//! Errors of linking parts and libraries.

use std::fmt;

/// The reasons to refuse linking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// LLVM does not read, or does not link, an input.
    Input {
        /// The step that failed.
        step: LinkStep,
        /// LLVM's messages.
        messages: Vec<String>,
    },
    /// LLVM's verifier refuses a part, in LLVM's words.
    InvalidPart(String),
    /// LLVM's verifier refuses a library, in LLVM's words.
    InvalidLibrary(String),
    /// A part is for another machine.
    Triple {
        /// The part's triple.
        part: String,
        /// The machine's triple.
        machine: String,
    },
    /// A symbol that stands for a number is not a function without parameters.
    NotNumber(String),
    /// A symbol that stands for a number has uses other than calls.
    NumberEscapes(String),
    /// The name of the entry is that of an undefined symbol.
    EntryNameTaken(String),
    /// A library withholds symbols that it defines.
    Withheld(Vec<String>),
    /// A part does not define a symbol that another one calls.
    NotDefined {
        /// The symbol in the calling part.
        symbol: String,
        /// The position of the part that should define it.
        part: u32,
        /// The symbol in that part.
        definition: String,
    },
    /// A function is called with another type than it has.
    CallType(String),
    /// Nothing defines a symbol that is used.
    Undefined(String),
    /// The first part has no entry.
    NoEntry,
    /// An object for a processor with several parts, or with libraries.
    SeveralParts,
}

/// Steps of linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStep {
    /// Reading a part.
    ReadPart,
    /// Preparing a library.
    PrepareLibrary,
    /// Reading a prepared library.
    ReadLibrary,
    /// Linking.
    Link,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { step, messages } => {
                f.write_str(match step {
                    LinkStep::ReadPart => "the bytes are no module",
                    LinkStep::PrepareLibrary => "a library is no module that LLVM reads",
                    LinkStep::ReadLibrary => "a library is no module",
                    LinkStep::Link => "LLVM does not link it",
                })?;
                if messages.is_empty() { Ok(()) } else { write!(f, ": {}", messages.join("; ")) }
            }
            Self::InvalidPart(message) => write!(f, "the module is malformed: {message}"),
            Self::InvalidLibrary(message) => write!(f, "a library is malformed: {message}"),
            Self::Triple { part, machine } => write!(f, "the module is for {part}, not for {machine}"),
            Self::NotNumber(symbol) => write!(f, "`{symbol}` stands for a number and is something else"),
            Self::NumberEscapes(symbol) => write!(f, "`{symbol}` stands for a number and is not only called"),
            Self::EntryNameTaken(entry) => {
                write!(f, "the entry cannot be called `{entry}`: code names something else so")
            }
            Self::Withheld(symbols) => {
                write!(f, "a library defines {} and does not give it", symbols.join(", "))
            }
            Self::NotDefined { symbol, part, definition } => {
                write!(f, "`{symbol}` is `{definition}` of part {part}, which does not define it")
            }
            Self::CallType(symbol) => write!(f, "`{symbol}` is called as if it had another type"),
            Self::Undefined(symbol) => write!(f, "nothing defines `{symbol}`, which is used"),
            Self::NoEntry => f.write_str("the first part has no entry"),
            Self::SeveralParts => f.write_str("a processor's object is made of one part and no libraries"),
        }
    }
}
