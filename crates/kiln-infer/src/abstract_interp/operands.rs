//! Operands of lowered statements.

use kiln_ir::{Lowered, LoweredStmt};

/// Calls `visit` on each operand, in order.
pub(crate) fn each_operand(stmt: &LoweredStmt, mut visit: impl FnMut(Lowered)) {
    match stmt {
        LoweredStmt::Value(it)
        | LoweredStmt::SetSlot(_, it)
        | LoweredStmt::IsDefined(it)
        | LoweredStmt::GotoIfNot(it, _)
        | LoweredStmt::Return(it)
        | LoweredStmt::PopException(it) => visit(*it),
        LoweredStmt::Call(args) | LoweredStmt::New(args) | LoweredStmt::Leave(args) => {
            args.iter().for_each(|it| visit(*it));
        }
        LoweredStmt::SplatNew(a, b) => {
            visit(*a);
            visit(*b);
        }
        LoweredStmt::Method { signature, table, .. } => {
            visit(*signature);
            table.iter().for_each(|it| visit(*it));
        }
        LoweredStmt::DeclareGlobal { value, .. } => value.iter().for_each(|it| visit(*it)),
        _ => {}
    }
}
