//! Macro expansion.

use crate::LowerError;
use kiln_ir::{Ast, ExprId, SourceLoc};
use kiln_types::{Module, Types};

/// Calls macros: implemented over the interpreter by crate `kiln`.
pub trait MacroHost {
    /// Calls the macro bound to `name` (an expression naming it: a symbol, a `GlobalRef`, a dotted path) in
    /// `module`. Gives an expression in `ast`, and the module the macro was defined in.
    fn call_macro(
        &mut self,
        ast: &mut Ast,
        module: Module,
        name: ExprId,
        args: &[ExprId],
        loc: SourceLoc,
    ) -> Result<(ExprId, Module), LowerError>;
}

/// Expands every macro call in `e` and resolves hygiene.
pub fn expand(
    types: &Types,
    ast: &mut Ast,
    module: Module,
    e: ExprId,
    host: &mut dyn MacroHost,
) -> Result<ExprId, LowerError> {
    let _ = (types, ast, module, host);
    Ok(e)
}
