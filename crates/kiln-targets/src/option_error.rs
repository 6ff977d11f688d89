//! Why a target does not take the value of an option.

use std::fmt;

/// A value of an option that a target does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// A version of PTX, in tenths, that LLVM does not make.
    UnknownPtx {
        /// The target's name.
        target: String,
        /// The version.
        version: u32,
        /// The versions that the target can have.
        taken: Vec<u32>,
    },
    /// A version of PTX, in tenths, that is earlier than the target.
    EarlyPtx {
        /// The target's name.
        target: String,
        /// The version.
        version: u32,
        /// The versions that the target can have.
        taken: Vec<u32>,
    },
    /// A version of code objects that LLVM does not make.
    UnknownCodeObject(u32),
    /// A SPIR-V extension that LLVM does not know, with its sign.
    UnknownExtension(String),
    /// A SPIR-V extension without `+` or `-`.
    UnsignedExtension(String),
    /// More items than a group can have.
    TooManyItems {
        /// The target's name.
        target: String,
        /// The items of a group.
        items: u32,
        /// The items of a group, at most.
        most: u32,
    },
    /// An exact group size beyond the largest one.
    ItemBounds {
        /// The exact size.
        exactly: [u32; 3],
        /// The largest size.
        at_most: [u32; 3],
    },
    /// More registers than an item can have.
    TooManyRegisters {
        /// The target's name.
        target: String,
        /// The registers.
        count: u32,
        /// The registers of an item, at most.
        most: u32,
    },
}

/// A version in tenths, as users write it.
fn version_text(version: u32) -> String {
    format!("{}.{}", version / 10, version % 10)
}

/// Lists the versions of PTX that a target can have.
fn write_taken(f: &mut fmt::Formatter<'_>, target: &str, taken: &[u32]) -> fmt::Result {
    let taken: Vec<String> = taken.iter().copied().map(version_text).collect();
    write!(f, "; for {target} it can be {}", taken.join(", "))
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPtx { target, version, taken } => {
                write!(f, "LLVM makes no PTX {}", version_text(*version))?;
                write_taken(f, target, taken)
            }
            Self::EarlyPtx { target, version, taken } => {
                write!(f, "{target} needs a later PTX than {}", version_text(*version))?;
                write_taken(f, target, taken)
            }
            Self::UnknownCodeObject(version) => {
                write!(f, "there is no version {version} of code objects that LLVM makes: 4, 5 or 6")
            }
            Self::UnknownExtension(item) => write!(f, "LLVM knows no extension `{item}` of SPIR-V"),
            Self::UnsignedExtension(item) => write!(
                f,
                "`{item}` is no extension of SPIR-V with a `+` or a `-`: +SPV_KHR_expect_assume, say"
            ),
            Self::TooManyItems { target, items, most } => {
                write!(f, "{items} threads a block: {target} has at most {most}")
            }
            Self::ItemBounds { exactly, at_most } => {
                write!(f, "--minthreads {exactly:?} is more than --maxthreads {at_most:?}")
            }
            Self::TooManyRegisters { target, count, most } => {
                write!(f, "{count} registers: a thread of {target} has at most {most}")
            }
        }
    }
}

impl std::error::Error for OptionError {}
