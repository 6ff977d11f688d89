//! Calls of `llvmcall` that cannot be compiled.

use super::GaveUp;
use std::fmt;

/// The reasons to refuse a `llvmcall`. Types are named as Julia shows them, or as LLVM writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignError {
    /// The call has too few arguments.
    TooFewArguments,
    /// The code is not constant.
    DynamicCode,
    /// The code is not a text, a pair of texts or a name.
    NotCode,
    /// The argument types are not a tuple type.
    NotTuple(String),
    /// The call has other arguments than it declares.
    ArgumentCount {
        /// The arguments that it declares.
        declared: usize,
        /// The arguments that it has.
        given: usize,
    },
    /// A text that cannot be the name of a function.
    FunctionName(String),
    /// The code is not UTF-8.
    NotUtf8,
    /// LLVM, or the rules for foreign code, refuse the text.
    Text(TextError),
    /// The function is gone after linking.
    NotLinked(String),
    /// The function is variadic.
    Variadic,
    /// The function has other parameters than the call has arguments.
    ParameterCount {
        /// The parameters.
        takes: usize,
        /// The arguments.
        given: usize,
    },
    /// A parameter of a type that the argument cannot become.
    Parameter {
        /// The argument's number, from 1.
        number: usize,
        /// The parameter's type.
        takes: String,
        /// The argument's type.
        given: String,
    },
    /// A result of a type that cannot become the declared one.
    Result {
        /// The function's result.
        returns: String,
        /// The declared type.
        declared: String,
    },
    /// A value that holds objects.
    HoldsObjects(String),
    /// A value that is not plain data.
    NotPlain(String),
}

/// The reasons to refuse the text of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// LLVM's parser, verifier or linker refuses it, in LLVM's words.
    Llvm(String),
    /// LLVM made a fatal error.
    GaveUp(GaveUp),
    /// The name of its function has a NUL character.
    NulInName,
    /// The text does not define its function.
    NoFunction(String),
    /// The text has aliases, or assembly outside of functions.
    AliasOrAssembly,
    /// A variable is thread-local.
    ThreadLocal(String),
    /// A variable with a reserved meaning for LLVM.
    Reserved(String),
    /// A function has a garbage collector.
    GarbageCollector(String),
    /// LLVM has no intrinsic of this name.
    UnknownIntrinsic(String),
    /// An intrinsic of another target.
    OtherTarget(String),
    /// A declared name is reserved by the compiler.
    OwnName(String),
}

impl fmt::Display for ForeignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewArguments => f.write_str("`llvmcall` has too few arguments"),
            Self::DynamicCode => f.write_str("the code that `llvmcall` is to call is only known at run time"),
            Self::NotCode => f.write_str(
                "the code that `llvmcall` is to call is neither a text, a pair of texts nor a name",
            ),
            Self::NotTuple(ty) => write!(f, "`llvmcall` takes a tuple type of arguments, not {ty}"),
            Self::ArgumentCount { declared, given } => {
                write!(f, "`llvmcall` declares {declared} arguments and is given {given}")
            }
            Self::FunctionName(name) => write!(f, "`{}` is no name of a function", name.escape_debug()),
            Self::NotUtf8 => f.write_str("the text of this `llvmcall` is not UTF-8"),
            Self::Text(error) => write!(f, "LLVM does not take the code of this `llvmcall`: {error}"),
            Self::NotLinked(name) => write!(f, "`{name}` is not there once it is linked"),
            Self::Variadic => f.write_str("the text's function takes any number of arguments"),
            Self::ParameterCount { takes, given } => {
                write!(f, "the text's function takes {takes} arguments, `llvmcall` gives it {given}")
            }
            Self::Parameter { number, takes, given } => {
                write!(f, "argument {number} of the text's function is {takes}, which a {given} cannot be")
            }
            Self::Result { returns, declared } => {
                write!(f, "the text's function returns {returns}, which is no {declared}")
            }
            Self::HoldsObjects(ty) => write!(f, "a {ty} holds objects, which no LLVM code takes"),
            Self::NotPlain(ty) => write!(f, "a {ty} is no plain data, which no LLVM code takes"),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Llvm(message) => f.write_str(message),
            Self::GaveUp(error) => error.fmt(f),
            Self::NulInName => f.write_str("the name of its function has a NUL character"),
            Self::NoFunction(name) => write!(f, "the text defines no function `{name}`"),
            Self::AliasOrAssembly => f.write_str("it has aliases, or assembly outside of functions"),
            Self::ThreadLocal(name) => write!(f, "its variable `{name}` is one a thread"),
            Self::Reserved(name) => write!(f, "it defines `{name}`"),
            Self::GarbageCollector(name) => write!(f, "its function `{name}` has a garbage collector"),
            Self::UnknownIntrinsic(name) => write!(f, "LLVM has no intrinsic `{name}`"),
            Self::OtherTarget(name) => write!(f, "`{name}` is an intrinsic of another target"),
            Self::OwnName(name) => write!(f, "the name `{name}` is the compiler's own"),
        }
    }
}

impl From<GaveUp> for TextError {
    fn from(error: GaveUp) -> Self {
        Self::GaveUp(error)
    }
}
