//! What an operation reads, where control goes from it, and whether it ends a block: exhaustive matches, so that
//! a new operation breaks every place that must learn of it.

use crate::{Block, Op, Value};

impl Op {
    /// Calls `f` with every operand, in order.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        match self {
            Op::Phi(edges) => edges.iter().for_each(|it| f(it.1)),
            Op::Intrinsic(_, args)
            | Op::Builtin(_, args)
            | Op::Host(_, args)
            | Op::Invoke(_, args)
            | Op::Call(args)
            | Op::New(args)
            | Op::NewDynamic(args)
            | Op::Leave(args)
            | Op::Fail(_, args) => args.iter().for_each(|it| f(*it)),
            Op::Pi(a)
            | Op::ThrowUndefIfNot(_, a)
            | Op::PopException(a)
            | Op::Return(a)
            | Op::Branch { cond: a, .. } => f(*a),
            Op::SplatNew(a, b) => {
                f(*a);
                f(*b);
            }
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

    /// Calls `f` with every operand, in order, to change it.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Op::Phi(edges) => edges.iter_mut().for_each(|it| f(&mut it.1)),
            Op::Intrinsic(_, args)
            | Op::Builtin(_, args)
            | Op::Host(_, args)
            | Op::Invoke(_, args)
            | Op::Call(args)
            | Op::New(args)
            | Op::NewDynamic(args)
            | Op::Leave(args)
            | Op::Fail(_, args) => args.iter_mut().for_each(f),
            Op::Pi(a)
            | Op::ThrowUndefIfNot(_, a)
            | Op::PopException(a)
            | Op::Return(a)
            | Op::Branch { cond: a, .. } => f(a),
            Op::SplatNew(a, b) => {
                f(a);
                f(b);
            }
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

    /// The blocks control may pass to; empty for what is no terminator and for what ends the body.
    pub fn successors(&self) -> [Option<Block>; 2] {
        match self {
            Op::Goto(block) => [Some(*block), None],
            Op::Branch { then, other, .. } => [Some(*then), Some(*other)],
            Op::Enter { body, handler } => [Some(*body), Some(*handler)],
            Op::Phi(_)
            | Op::Pi(_)
            | Op::Intrinsic(..)
            | Op::Builtin(..)
            | Op::Host(..)
            | Op::Invoke(..)
            | Op::Call(_)
            | Op::New(_)
            | Op::NewDynamic(_)
            | Op::SplatNew(..)
            | Op::Global(..)
            | Op::BoundsCheck
            | Op::IsDefinedGlobal(..)
            | Op::ThrowUndefIfNot(..)
            | Op::Leave(_)
            | Op::TheException
            | Op::PopException(_)
            | Op::CopyAst(_)
            | Op::LoopInfo(_)
            | Op::Nop
            | Op::Return(_)
            | Op::Fail(..)
            | Op::Unreachable => [None, None],
        }
    }

    /// Calls `f` with every block named, phi edges included, to change it.
    pub fn for_each_block_mut(&mut self, mut f: impl FnMut(&mut Block)) {
        match self {
            Op::Phi(edges) => edges.iter_mut().for_each(|it| f(&mut it.0)),
            Op::Goto(block) => f(block),
            Op::Branch { then, other, .. } => {
                f(then);
                f(other);
            }
            Op::Enter { body, handler } => {
                f(body);
                f(handler);
            }
            Op::Pi(_)
            | Op::Intrinsic(..)
            | Op::Builtin(..)
            | Op::Host(..)
            | Op::Invoke(..)
            | Op::Call(_)
            | Op::New(_)
            | Op::NewDynamic(_)
            | Op::SplatNew(..)
            | Op::Global(..)
            | Op::BoundsCheck
            | Op::IsDefinedGlobal(..)
            | Op::ThrowUndefIfNot(..)
            | Op::Leave(_)
            | Op::TheException
            | Op::PopException(_)
            | Op::CopyAst(_)
            | Op::LoopInfo(_)
            | Op::Nop
            | Op::Return(_)
            | Op::Fail(..)
            | Op::Unreachable => {}
        }
    }

    /// Whether the operation ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Return(_) | Op::Fail(..) | Op::Unreachable) || self.successors()[0].is_some()
    }
}
