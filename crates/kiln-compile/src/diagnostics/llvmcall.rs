//! `llvmcall`: LLVM code that a kernel brings, and that cannot be made part of it.

use super::span;
use kiln_ir::SourceLoc;
use kiln_syntax::Diagnostic;

/// LLVM, or who calls it, says why.
pub fn refusal(loc: SourceLoc, message: &str) -> Diagnostic {
    Diagnostic::error("llvmcall", message.to_owned(), span(loc)).with_label("this is LLVM code").with_help(
        "the arguments of the text are `%0`, `%1`, ...: a `Bool` is an `i8`, a `Ptr` a `ptr`, \
             a `Core.LLVMPtr{T, AS}` a `ptr addrspace(AS)`, a tuple of one type an array",
    )
}
