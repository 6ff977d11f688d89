//! Statements of host code that inference says never return.
//!
//! Only `unreachable` follows such a statement. If inference is wrong and it returns, the processor would go on with the code that comes
//! next in memory and with undefined values. So the block ends in a failure that names the statement. It is cold code: where
//! inference is right, it never runs.
//!
//! Kernels have no such check: their throws are outlined into sites, and their other calls return a site.

use kiln_ir::{Block, IrCode, Op, Stmt};
use kiln_types::Types;

/// Returns the statement after which a block ends in `unreachable`, as its type says that it never returns.
pub(crate) fn never_returning(code: &IrCode, block: Block) -> Option<Stmt> {
    let [.., stmt, end] = code.blocks[block].stmts[..] else { return None };
    let never_returns = code.stmts[stmt].ty == Types::BOTTOM && !code.stmts[stmt].op.is_terminator();
    (never_returns && matches!(code.stmts[end].op, Op::Unreachable)).then_some(stmt)
}

/// Returns all such statements of a body.
pub(crate) fn all_never_returning(code: &IrCode) -> impl Iterator<Item = Stmt> {
    code.blocks.keys().filter_map(|it| never_returning(code, it))
}
