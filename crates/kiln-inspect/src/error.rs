//! The error of inspection.

use kiln_codegen_client::CodegenError;
use kiln_compile::tools::ToolError;
use kiln_compile::{CompileError, Compiler, TargetError, TypedError};
use kiln_syntax::Diagnostic;
use std::fmt;

/// Why something cannot be shown.
#[derive(Debug)]
pub enum InspectError {
    /// It does not compile.
    Compile(CompileError),
    /// It has no typed code.
    Typed(TypedError),
    /// No method takes the arguments, or none is the most specific.
    NoMethod,
    /// The generator of a generated function threw.
    Generator,
    /// There is no such target.
    Target(TargetError),
    /// The code generator cannot be opened, or gives no reply.
    Codegen(CodegenError),
    /// No tool shows code of the target of this name.
    NoDisassembler(String),
    /// The disassembler is missing, or refuses the object.
    Disassembler(ToolError),
    /// Code for a processor is several modules, and one was asked for.
    SeveralModules,
    /// The target of this name runs items by itself: there are no loops over them.
    NoLoops(String),
    /// A configuration that kernels of this session do not have.
    ForeignConfig,
    /// There is no store to look into.
    NoStore,
}

impl InspectError {
    /// Diagnostics of the program in the world it was asked for in.
    pub(crate) fn of_program(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Compile(CompileError::in_this_world(diagnostics))
    }

    /// Returns the text for people: diagnostics with their source lines.
    pub fn render(&self, compiler: &Compiler) -> String {
        match self {
            Self::Compile(error) => compiler.render(&error.diagnostics),
            other => other.to_string(),
        }
    }
}

impl From<CompileError> for InspectError {
    fn from(error: CompileError) -> Self {
        Self::Compile(error)
    }
}

impl From<TypedError> for InspectError {
    fn from(error: TypedError) -> Self {
        Self::Typed(error)
    }
}

impl From<TargetError> for InspectError {
    fn from(error: TargetError) -> Self {
        Self::Target(error)
    }
}

impl From<CodegenError> for InspectError {
    fn from(error: CodegenError) -> Self {
        Self::Codegen(error)
    }
}

impl std::error::Error for InspectError {}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compile(error) => write!(f, "{error}"),
            Self::Typed(error) => write!(f, "{error}"),
            Self::NoMethod => f.write_str("no method takes these arguments"),
            Self::Generator => f.write_str("its generator threw"),
            Self::Target(error) => write!(f, "{error}"),
            Self::Codegen(error) => f.write_str(&error.with_help()),
            Self::NoDisassembler(target) => write!(f, "no disassembler shows code for {target}"),
            Self::Disassembler(ToolError::Missing(tool)) => {
                write!(f, "no disassembler found: {} is in {}", tool.name, tool.from)
            }
            Self::Disassembler(error) => write!(f, "cannot disassemble: {error}"),
            Self::SeveralModules => f.write_str(
                "a kernel for a processor is several modules: name the target of a device, or show `llvm`",
            ),
            Self::NoLoops(target) => write!(f, "{target} runs items by itself: there are no loops over them"),
            Self::ForeignConfig => f.write_str("its configuration is not of a kernel of this driver"),
            Self::NoStore => f.write_str("there is no cache"),
        }
    }
}
