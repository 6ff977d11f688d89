//! Outlining of reports: `kiln_report(f, args...)` in a kernel becomes `Report(site, operands)`, whose thunk on the host
//! calls `f(args...)`.
//!
//! Arguments that are plain bits become operands; constants, types, and values computed from both for the report
//! alone (a string, say) become part of the thunk. A report with any other argument is unchanged, and the kernel
//! check reports it.

use crate::Callees;
use crate::thunk::{Thunk, drop_unused};
use kiln_ir::{Intrinsic, IrCode, Op, Stmt};
use kiln_types::Types;

/// Returns `code` with its reports as `Report`.
pub fn outline_reports(mut code: IrCode, types: &Types, callees: &dyn Callees) -> IrCode {
    let is_report = |it: &Stmt| matches!(code.stmts[*it].op, Op::Intrinsic(Intrinsic::Report, _));
    let reports: Vec<Stmt> =
        code.blocks.values().flat_map(|it| &it.stmts).copied().filter(is_report).collect();
    if reports.is_empty() {
        return code;
    }
    for stmt in reports {
        let data = code.stmts[stmt].clone();
        let Op::Intrinsic(_, args) = &data.op else { continue };
        let mut thunk = Thunk::new(types, callees);
        if thunk.call(&code, args).is_some() {
            let (site, operands, outlined) = thunk.finish(&mut code, &data);
            code.stmts[stmt].op = Op::Report(site, operands);
            drop_unused(&mut code, &outlined);
        }
    }
    kiln_ir::compact(crate::eliminate_dead_stmts(code, types, callees))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Body, NoCallees, run};

    /// Bits are operands; constants, and tuples that are not plain bits, belong to the thunk.
    #[test]
    fn a_report_hands_over_bits_and_the_host_makes_the_rest() {
        let body = Body::new(
            "f(_0::Int64)::Nothing\n\
             bb0:\n  %0 = Intrinsics.add_int(_0, 1)::Int64\n  \
             %1 = Intrinsics.kiln_report(Int64, %0, 7)::Nothing\n  return nothing\n",
        );
        let text = run(body, |code, types| super::outline_reports(code, types, &NoCallees));
        assert!(text.contains("report site0(%0)") && text.contains("!0 = call(Int64, #0, 7)"), "{text}");
    }
}
