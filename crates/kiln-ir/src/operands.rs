//! The operands and successors that every operation has, and whether it ends a block.
//!
//! The matches are exhaustive on purpose: a new operation must be placed in each of them.

use crate::{Block, Builtin, Instance, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{ConstData, Module, Symbol, Type, Types};

impl Op {
    /// Calls `visit` on each operand, in order. A phi's are its incoming values.
    pub fn each_operand(&self, mut visit: impl FnMut(Value)) {
        match self {
            Op::Phi(incoming) => incoming.iter().for_each(|&(_, value)| visit(value)),
            Op::Intrinsic(_, args)
            | Op::Builtin(_, args)
            | Op::Host(_, args)
            | Op::Invoke(_, args)
            | Op::Lookup(_, args)
            | Op::Call(args)
            | Op::New(args)
            | Op::NewDynamic(args)
            | Op::Leave(args)
            | Op::PhiC(args)
            | Op::Fail(_, args)
            | Op::Report(_, args) => args.iter().for_each(|&value| visit(value)),
            Op::SplatNew(a, b) => {
                visit(*a);
                visit(*b);
            }
            Op::Pi(value)
            | Op::Upsilon(value)
            | Op::ThrowUndefIfNot(_, value)
            | Op::PopException(value)
            | Op::Branch { cond: value, .. }
            | Op::Return(value) => visit(*value),
            Op::Global(..)
            | Op::BoundsCheck
            | Op::IsDefinedGlobal(..)
            | Op::Enter { .. }
            | Op::TheException
            | Op::CopyAst(_)
            | Op::LoopInfo(_)
            | Op::Nop
            | Op::Goto(_)
            | Op::Unreachable => {}
        }
    }

    /// Calls `visit` on each operand, in order, so that it may be replaced.
    pub fn each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        match self {
            Op::Phi(incoming) => incoming.iter_mut().for_each(|(_, value)| visit(value)),
            Op::Intrinsic(_, args)
            | Op::Builtin(_, args)
            | Op::Host(_, args)
            | Op::Invoke(_, args)
            | Op::Lookup(_, args)
            | Op::Call(args)
            | Op::New(args)
            | Op::NewDynamic(args)
            | Op::Leave(args)
            | Op::PhiC(args)
            | Op::Fail(_, args)
            | Op::Report(_, args) => args.iter_mut().for_each(visit),
            Op::SplatNew(a, b) => {
                visit(a);
                visit(b);
            }
            Op::Pi(value)
            | Op::Upsilon(value)
            | Op::ThrowUndefIfNot(_, value)
            | Op::PopException(value)
            | Op::Branch { cond: value, .. }
            | Op::Return(value) => visit(value),
            Op::Global(..)
            | Op::BoundsCheck
            | Op::IsDefinedGlobal(..)
            | Op::Enter { .. }
            | Op::TheException
            | Op::CopyAst(_)
            | Op::LoopInfo(_)
            | Op::Nop
            | Op::Goto(_)
            | Op::Unreachable => {}
        }
    }

    /// Returns the instance that must be compiled for this operation: its callee, or the subject of its look-up.
    pub fn callee(&self) -> Option<Instance> {
        if let Op::Invoke(instance, _) | Op::Lookup(instance, _) = self { Some(*instance) } else { None }
    }

    /// As [`Self::callee`], with mutable access.
    pub fn callee_mut(&mut self) -> Option<&mut Instance> {
        if let Op::Invoke(instance, _) | Op::Lookup(instance, _) = self { Some(instance) } else { None }
    }

    /// The operands, collected.
    pub fn operands(&self) -> Vec<Value> {
        let mut all = Vec::new();
        self.each_operand(|value| all.push(value));
        all
    }

    /// Returns the successor blocks; empty for operations that do not end a block. `then` comes before `other`, the
    /// body of a `try` before its handler.
    pub fn successors(&self) -> impl Iterator<Item = Block> + use<> {
        let (first, second) = if let Op::Goto(target) = self {
            (Some(*target), None)
        } else if let Op::Branch { then, other, .. } = self {
            (Some(*then), (then != other).then_some(*other))
        } else if let Op::Enter { body, handler } = self {
            (Some(*body), Some(*handler))
        } else {
            (None, None)
        };
        first.into_iter().chain(second)
    }

    /// Calls `visit` on each block the operation names, phis included.
    pub fn each_block_mut(&mut self, mut visit: impl FnMut(&mut Block)) {
        if let Op::Goto(target) = self {
            visit(target);
        } else if let Op::Branch { then, other, .. } = self {
            visit(then);
            visit(other);
        } else if let Op::Enter { body, handler } = self {
            visit(body);
            visit(handler);
        } else if let Op::Phi(incoming) = self {
            incoming.iter_mut().for_each(|(block, _)| visit(block));
        }
    }

    /// Whether this ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Op::Goto(_)
                | Op::Branch { .. }
                | Op::Return(_)
                | Op::Fail(..)
                | Op::Unreachable
                | Op::Enter { .. }
        )
    }
}

impl Op {
    /// The global of known name that `setglobal!` assigns, and the value; `None` for other operations.
    pub fn assigned_global(&self, types: &Types) -> Option<(Module, Symbol, Value)> {
        let Op::Builtin(Builtin::Setglobal, args) = self else { return None };
        let &[Value::Const(module), Value::Const(name), value] = args.as_slice() else { return None };
        match (types.const_data(module), types.const_data(name)) {
            (ConstData::Module(module), ConstData::Symbol(name)) => Some((*module, *name, value)),
            _ => None,
        }
    }
}

impl IrCode {
    /// The terminator of a block.
    ///
    /// # Panics
    /// If the block is empty, which `verify` rejects.
    pub fn terminator(&self, block: Block) -> &Op {
        let last = self.blocks[block].stmts.last().expect("every block ends in a terminator");
        &self.stmts[*last].op
    }

    /// Whether a call in this block whose result has this type is on the way to a throw: host code has the host run it, as its
    /// callee is rarely worth compiling.
    pub fn leads_to_throw(&self, block: Block, result: Type) -> bool {
        result == Types::BOTTOM || matches!(self.terminator(block), Op::Unreachable)
    }

    /// Adds a statement without placing it in a block.
    pub fn push(&mut self, data: StmtData) -> Stmt {
        self.stmts.push(data)
    }

    /// Adds a statement at the end of a block.
    pub fn append(&mut self, block: Block, data: StmtData) -> Stmt {
        let stmt = self.stmts.push(data);
        self.blocks[block].stmts.push(stmt);
        stmt
    }
}
