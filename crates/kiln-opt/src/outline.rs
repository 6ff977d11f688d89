//! Outlining of throws: `throw(BoundsError(a, i))` in a kernel becomes `Fail(site, operands)`.
//!
//! For every block that ends in `Unreachable`, the statement that throws (a `throw`, or a call that never returns)
//! and its inputs that are not plain bits become the site's thunk, which the host runs when an item has failed; the
//! plain bits that they read become the site's operands. So no string, exception object or dynamic call on an error
//! path reaches the device. A site whose thunk cannot be expressed (it reads a value that is neither bits, nor
//! constant, nor made on the error path) is unchanged, and the kernel check reports it.

use crate::Callees;
use crate::thunk::{Thunk, drop_unused};
use kiln_ir::{Block, Cfg, Intrinsic, IrCode, Op, StmtData};
use kiln_types::Types;

/// Returns `code` with its throwing ends as `Fail`.
pub fn outline_throws(mut code: IrCode, types: &Types, callees: &dyn Callees) -> IrCode {
    let cfg = Cfg::new(&code);
    for &block in &cfg.reverse_postorder {
        if let Some(cause) = cause(&code, types, block) {
            outline(&mut code, types, callees, block, cause);
        }
    }
    let code = kiln_ir::compact(crate::eliminate_dead_stmts(code, types, callees));
    crate::verified("outline_throws", code, types)
}

/// Position in the block of the statement that throws.
fn cause(code: &IrCode, types: &Types, block: Block) -> Option<usize> {
    let stmts = &code.blocks[block].stmts;
    let bottom = types.core().bottom;
    if !matches!(code.terminator(block), Op::Unreachable) {
        return None;
    }
    stmts.iter().position(|it| {
        let data = &code.stmts[*it];
        let may = matches!(
            data.op,
            Op::Builtin(..) | Op::Invoke(..) | Op::Call(_) | Op::Host(..) | Op::Intrinsic(..)
        );
        // Foreign code that does not return stays where it is: the host could not run it.
        let foreign = matches!(data.op, Op::Intrinsic(Intrinsic::Llvmcall, _));
        may && data.ty == bottom && !foreign
    })
}

fn outline(code: &mut IrCode, types: &Types, callees: &dyn Callees, block: Block, at: usize) {
    let stmt = code.blocks[block].stmts[at];
    let mut thunk = Thunk::new(types, callees);
    if thunk.step(code, stmt).is_none() {
        return;
    }
    let data = code.stmts[stmt].clone();
    let (site, operands, outlined) = thunk.finish(code, &data);
    let fail = code.stmts.push(StmtData { op: Op::Fail(site, operands), ..data });
    code.blocks[block].stmts.truncate(at);
    code.blocks[block].stmts.push(fail);
    drop_unused(code, &outlined);
}

#[cfg(test)]
mod tests;
