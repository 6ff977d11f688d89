//! Faults of modules and of bitcode.

use std::fmt;

/// The place of a fault in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModulePlace {
    /// A type, by its number.
    Type(u32),
    /// A constant, by its number.
    Constant(u32),
    /// A list of attributes, by its number.
    Attributes(u32),
    /// A global variable, by its name.
    Global(String),
    /// A function, by its name.
    Function(String),
    /// An instruction, by the name of its function and its index there.
    Instruction(String, u32),
    /// A node of metadata, by its number.
    Metadata(u32),
}

/// A fault of a module, which LLVM 14 would refuse or misread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleFault {
    /// A type, a constant, a node or a list that is mentioned is not there, or not before its use.
    NotBefore,
    /// A part has a type that it must not have.
    Type,
    /// The type of a result is not that of the operation.
    Result,
    /// An integer has no bits, more than 64, or more than its type.
    Bits,
    /// The operation does not have one of these flags.
    Flags,
    /// An alignment is not a power of two, or too large.
    Alignment,
    /// A branch leads to a block that is not there, or to the first.
    Target,
    /// A block does not end with its only terminator.
    Terminator,
    /// A phi stands behind another instruction.
    Phi,
    /// Two symbols have one name, or one has none.
    Name,
    /// A list has another length than its type demands.
    Length,
    /// An attribute has a number, or lacks one, or stands twice.
    Attribute,
}

/// A fault of a module with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleError {
    /// The place.
    pub place: ModulePlace,
    /// The fault.
    pub fault: ModuleFault,
}

impl fmt::Display for ModulePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(it) => write!(f, "type {it}"),
            Self::Constant(it) => write!(f, "constant {it}"),
            Self::Attributes(it) => write!(f, "list of attributes {it}"),
            Self::Global(it) => write!(f, "@{it}"),
            Self::Function(it) => write!(f, "function @{it}"),
            Self::Instruction(name, it) => write!(f, "instruction {it} of @{name}"),
            Self::Metadata(it) => write!(f, "metadata node {it}"),
        }
    }
}

impl fmt::Display for ModuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBefore => "it mentions something that is not before it",
            Self::Type => "a part has a wrong type",
            Self::Result => "the result has a wrong type",
            Self::Bits => "an integer has a wrong number of bits",
            Self::Flags => "it does not have such flags",
            Self::Alignment => "the alignment is no power of two, or too large",
            Self::Target => "a branch leads nowhere, or to the first block",
            Self::Terminator => "a block does not end with its only terminator",
            Self::Phi => "a phi is not at the start of its block",
            Self::Name => "the name is empty or taken",
            Self::Length => "a list has a wrong length",
            Self::Attribute => "an attribute is not one",
        })
    }
}

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for ModuleError {}

/// A fault of bitcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitcodeFault {
    /// The bytes end too early, or are no whole number of words.
    Short,
    /// The first four bytes are not those of bitcode.
    Magic,
    /// A block is longer or shorter than it says, or too deep in others.
    Block,
    /// An abbreviation is not defined, or not a possible one.
    Abbreviation,
    /// A number has more bits than fit.
    Number,
    /// A block does not stand here, or is not known.
    UnexpectedBlock(u32),
    /// A record does not stand here, or is not known: the numbers of its block and itself.
    UnexpectedRecord(u32, u64),
    /// The contents of a record are not those of its kind: the numbers of its block and itself.
    Record(u32, u64),
    /// A text is not UTF-8.
    NotUtf8,
    /// The module is not well-formed.
    Module(ModuleError),
    /// The bytes have the right contents, but are not those that the writer makes of them.
    NotCanonical,
}

/// A fault of bitcode, with the offset in bits of the record, block or byte that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcodeError {
    /// The offset in bits.
    pub at: u64,
    /// The fault.
    pub fault: BitcodeFault,
}

impl BitcodeFault {
    /// Returns the fault at an offset in bits.
    pub(crate) fn at(self, at: u64) -> BitcodeError {
        BitcodeError { at, fault: self }
    }
}

impl fmt::Display for BitcodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("the bytes end too early"),
            Self::Magic => f.write_str("this is not raw bitcode"),
            Self::Block => f.write_str("a block has a wrong length, or is too deep in others"),
            Self::Abbreviation => f.write_str("an abbreviation is not a possible one"),
            Self::Number => f.write_str("a number has too many bits"),
            Self::UnexpectedBlock(it) => write!(f, "block {it} is not supported here"),
            Self::UnexpectedRecord(block, it) => {
                write!(f, "record {it} of block {block} is not supported here")
            }
            Self::Record(block, it) => write!(f, "record {it} of block {block} is malformed"),
            Self::NotUtf8 => f.write_str("a text is not UTF-8"),
            Self::Module(it) => write!(f, "the module is not well-formed: {it}"),
            Self::NotCanonical => f.write_str("another form of the same contents is the usual one"),
        }
    }
}

impl fmt::Display for BitcodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at bit {}: {}", self.at, self.fault)
    }
}

impl std::error::Error for BitcodeError {}
