//! Aggressive dead code elimination: statements are dead until something with an effect needs them.
//!
//! Removes every statement that has no effect and that no live statement uses, phi cycles included. Leaves control flow
//! alone.

use crate::Callees;
use crate::effect::is_removable;
use cranelift_entity::EntitySet;
use kiln_ir::{IrCode, Op, Stmt, Value};
use kiln_types::Types;

/// Returns `code` without its dead statements. Statement numbers do not change.
pub fn eliminate_dead_stmts(mut code: IrCode, types: &Types, callees: &dyn Callees) -> IrCode {
    let mut live: EntitySet<Stmt> = EntitySet::with_capacity(code.stmts.len());
    let mut work = Vec::new();
    for body in code.blocks.values() {
        for &stmt in &body.stmts {
            let data = &code.stmts[stmt];
            if (data.op.is_terminator() || !is_removable(&code, types, callees, data)) && live.insert(stmt) {
                work.push(stmt);
            }
        }
    }
    while let Some(stmt) = work.pop() {
        code.stmts[stmt].op.each_operand(|value| {
            if let Value::Stmt(used) = value
                && live.insert(used)
            {
                work.push(used);
            }
        });
    }
    for body in code.blocks.values_mut() {
        body.stmts.retain(|it| live.contains(*it) && !matches!(code.stmts[*it].op, Op::Nop));
    }
    code
}

#[cfg(test)]
mod tests {
    use crate::testing::{Body, NoCallees, run};
    use kiln_ir::{Op, Stmt, Value};
    use kiln_types::consts;

    /// A cycle of phis that feeds only itself is dead; a division that may throw is not.
    #[test]
    fn only_effects_and_their_operands_live() {
        let body = Body::new(
            "f(_0::Int64, _1::Bool)::Nothing\n\
             bb0:\n  goto bb1\n\
             bb1:\n  %1 = φ (bb0 => 0, bb1 => %2)::Int64\n  %2 = Intrinsics.add_int(%1, 1)::Int64\n  \
             %3 = Intrinsics.checked_sdiv_int(1, _0)::Int64\n  branch _1 ? bb1 : bb2\n\
             bb2:\n  return nothing\n",
        );
        let text = run(body, |code, types| super::eliminate_dead_stmts(code, types, &NoCallees));
        assert!(!text.contains("add_int") && text.contains("checked_sdiv_int"), "{text}");
    }
    /// Foreign code that only computes is dead when nothing uses its value; whatever else is called may do anything.
    #[test]
    fn foreign_calls_live_unless_they_only_compute() {
        let mut body = Body::new(
            "f(_0::Int64)::Nothing\nbb0:\n  %0 = Intrinsics.llvmcall(:a, Int64, nothing, _0)::Int64\n  \
             %1 = Intrinsics.llvmcall(:b, Int64, nothing, _0)::Int64\n  \
             %2 = Intrinsics.foreigncall(:c, nothing, Int64, nothing, _0)::Int64\n  return nothing\n",
        );
        for (stmt, name) in [(0, "llvm.ctpop.i64"), (1, "llvm.nvvm.barrier0")] {
            let named = Value::Const(consts::symbol(&body.types, body.types.symbol(name)));
            let Op::Intrinsic(_, args) = &mut body.code.stmts[Stmt::from_u32(stmt)].op else {
                unreachable!()
            };
            args[0] = named;
        }
        let text = run(body, |code, types| super::eliminate_dead_stmts(code, types, &NoCallees));
        assert!(
            !text.contains("ctpop") && text.contains("barrier0") && text.contains("foreigncall"),
            "{text}"
        );
    }
}
