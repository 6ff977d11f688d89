//! The operands that every lowered statement has.
//!
//! The matches are exhaustive on purpose: a new statement must be placed in each of them.

use crate::{Lowered, LoweredStmt};

impl LoweredStmt {
    /// Calls `visit` on each operand, in order.
    pub fn each_operand(&self, mut visit: impl FnMut(Lowered)) {
        match self {
            LoweredStmt::Value(it)
            | LoweredStmt::SetSlot(_, it)
            | LoweredStmt::IsDefined(it)
            | LoweredStmt::GotoIfNot(it, _)
            | LoweredStmt::Return(it)
            | LoweredStmt::PopException(it) => visit(*it),
            LoweredStmt::Call(args) | LoweredStmt::New(args) | LoweredStmt::Leave(args) => {
                args.iter().for_each(|it| visit(*it));
            }
            LoweredStmt::SplatNew(a, b) => [a, b].into_iter().for_each(|it| visit(*it)),
            LoweredStmt::Method { signature, table, .. } => {
                std::iter::once(signature).chain(table).for_each(|it| visit(*it));
            }
            LoweredStmt::DeclareGlobal { value, .. } => value.iter().for_each(|it| visit(*it)),
            LoweredStmt::NewVar(_)
            | LoweredStmt::Goto(_)
            | LoweredStmt::Enter(_)
            | LoweredStmt::TheException
            | LoweredStmt::BoundsCheck
            | LoweredStmt::InboundsBegin
            | LoweredStmt::InboundsEnd
            | LoweredStmt::LoopInfo(_)
            | LoweredStmt::CopyAst(_)
            | LoweredStmt::GenericFunction(..)
            | LoweredStmt::LatestWorld
            | LoweredStmt::TopLevel(_) => {}
        }
    }

    /// As [`Self::each_operand`], with mutable access.
    pub fn each_operand_mut(&mut self, mut visit: impl FnMut(&mut Lowered)) {
        match self {
            LoweredStmt::Value(it)
            | LoweredStmt::SetSlot(_, it)
            | LoweredStmt::IsDefined(it)
            | LoweredStmt::GotoIfNot(it, _)
            | LoweredStmt::Return(it)
            | LoweredStmt::PopException(it) => visit(it),
            LoweredStmt::Call(args) | LoweredStmt::New(args) | LoweredStmt::Leave(args) => {
                args.iter_mut().for_each(visit);
            }
            LoweredStmt::SplatNew(a, b) => [a, b].into_iter().for_each(visit),
            LoweredStmt::Method { signature, table, .. } => {
                std::iter::once(signature).chain(table).for_each(visit);
            }
            LoweredStmt::DeclareGlobal { value, .. } => value.iter_mut().for_each(visit),
            LoweredStmt::NewVar(_)
            | LoweredStmt::Goto(_)
            | LoweredStmt::Enter(_)
            | LoweredStmt::TheException
            | LoweredStmt::BoundsCheck
            | LoweredStmt::InboundsBegin
            | LoweredStmt::InboundsEnd
            | LoweredStmt::LoopInfo(_)
            | LoweredStmt::CopyAst(_)
            | LoweredStmt::GenericFunction(..)
            | LoweredStmt::LatestWorld
            | LoweredStmt::TopLevel(_) => {}
        }
    }
}
