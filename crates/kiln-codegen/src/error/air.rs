//! Parts of modules that the bitcode of LLVM 14 does not have, or that kiln does not write there.

use std::fmt;

/// A part of a module that is not written as LLVM 14's bitcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AirUnsupported {
    /// A type, in LLVM's language.
    Type(String),
    /// A constant, in LLVM's language.
    Constant(String),
    /// An instruction, in LLVM's language.
    Instruction(String),
    /// A function that is not known there, or whose addresses have no known types.
    Function(String),
    /// A linkage, a convention, a section or other properties of a symbol, by its name.
    Symbol(String),
    /// An attribute of a symbol or a call that changes what it does, by LLVM's number.
    Attribute {
        /// The name of the function.
        function: String,
        /// LLVM's number of the attribute.
        number: u32,
    },
    /// An element of a list of metadata, by the list's name.
    Metadata(String),
    /// Aliases of symbols, or assembly.
    AliasOrAssembly,
    /// The module that was made is not well-formed: a bug, or a limit of the format.
    IllFormed(kiln_air::ModuleError),
}

impl fmt::Display for AirUnsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(it) => write!(f, "AIR has no type `{it}`"),
            Self::Constant(it) => write!(f, "AIR has no constant `{it}` here"),
            Self::Instruction(it) => write!(f, "AIR has no instruction `{it}`"),
            Self::Function(it) => write!(f, "AIR has no function `{it}` that kiln can call"),
            Self::Symbol(it) => write!(f, "AIR has no symbol with the properties of `{it}`"),
            Self::Attribute { function, number } => {
                write!(
                    f,
                    "AIR has no attribute with LLVM's number {number}, which `{function}` has or is called with"
                )
            }
            Self::Metadata(it) => write!(f, "AIR has no metadata of this form: `{it}`"),
            Self::AliasOrAssembly => f.write_str("AIR has no aliases and no assembly"),
            Self::IllFormed(it) => write!(f, "the module is not well-formed: {it}"),
        }
    }
}

impl From<AirUnsupported> for super::EmitError {
    fn from(error: AirUnsupported) -> Self {
        super::EmitErrorKind::Air(error).into()
    }
}
