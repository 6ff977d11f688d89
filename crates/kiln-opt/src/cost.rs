//! The cost to a caller of inlining a body, in units of about one machine instruction.

use kiln_ir::{Builtin, Intrinsic, IrCode, Op};
use kiln_types::{Types, datatype};

/// The cost of a call that is not inlined.
const CALL_COST: u32 = 20;
/// A dynamic call, or anything that allocates.
const DYNAMIC_COST: u32 = 100;

/// The cost of a body; saturating. Blocks that end by throwing are counted as one call: they are outlined later.
pub fn inline_cost(code: &IrCode, types: &Types) -> u32 {
    let mut total = 0u32;
    for body in code.blocks.values() {
        let throws =
            body.stmts.last().is_some_and(|it| matches!(code.stmts[*it].op, Op::Unreachable | Op::Fail(..)));
        if throws {
            total = total.saturating_add(1);
            continue;
        }
        for stmt in &body.stmts {
            total = total.saturating_add(op_cost(code, types, &code.stmts[*stmt].op));
        }
    }
    total
}

fn op_cost(code: &IrCode, types: &Types, op: &Op) -> u32 {
    match op {
        Op::Intrinsic(intrinsic, _) => intrinsic_cost(*intrinsic),
        Op::Builtin(builtin, args) => builtin_cost(code, types, *builtin, args),
        Op::Invoke(..) | Op::Report(..) => CALL_COST,
        Op::Call(_) | Op::Host(..) | Op::NewDynamic(_) | Op::SplatNew(..) | Op::Enter { .. } => DYNAMIC_COST,
        Op::CopyAst(_) => DYNAMIC_COST,
        Op::Global(..) | Op::ThrowUndefIfNot(..) | Op::Lookup(..) | Op::New(_) | Op::Branch { .. } => 1,
        Op::Phi(_)
        | Op::Pi(_)
        | Op::BoundsCheck
        | Op::IsDefinedGlobal(..)
        | Op::Leave(_)
        | Op::TheException
        | Op::Upsilon(_)
        | Op::PhiC(_)
        | Op::PopException(_)
        | Op::LoopInfo(_)
        | Op::Nop
        | Op::Goto(_)
        | Op::Return(_)
        | Op::Fail(..)
        | Op::Unreachable => 0,
    }
}

fn intrinsic_cost(intrinsic: Intrinsic) -> u32 {
    match intrinsic {
        Intrinsic::SdivInt | Intrinsic::UdivInt | Intrinsic::SremInt | Intrinsic::UremInt => 20,
        Intrinsic::DivFloat | Intrinsic::DivFloatFast | Intrinsic::SqrtLlvm | Intrinsic::SqrtLlvmFast => 10,
        Intrinsic::Bitcast
        | Intrinsic::InKernel
        | Intrinsic::DebugLevel
        | Intrinsic::Lanes
        | Intrinsic::HaveFma
        | Intrinsic::StaticAssertion => 0,
        Intrinsic::Barrier | Intrinsic::WarpBarrier | Intrinsic::Report => 5,
        Intrinsic::Llvmcall => 10, // text is mostly short, and made to be inlined
        Intrinsic::Foreigncall => CALL_COST,
        _ => 1, // arithmetic, loads, stores
    }
}

fn builtin_cost(code: &IrCode, types: &Types, builtin: Builtin, args: &[kiln_ir::Value]) -> u32 {
    match builtin {
        Builtin::Tuple | Builtin::Is | Builtin::Typeof | Builtin::Isa | Builtin::Ifelse => 1,
        Builtin::Getfield => {
            let object = args.first().map(|it| crate::value::type_of(code, types, *it));
            if object.is_some_and(|it| datatype::is_concrete(types, it)) { 1 } else { 10 }
        }
        Builtin::Setfield | Builtin::Memoryrefget | Builtin::Memoryrefset | Builtin::Memoryrefnew => 4,
        Builtin::Typeassert | Builtin::MemoryrefIsassigned | Builtin::Memoryrefoffset => 2,
        Builtin::ApplyIterate | Builtin::ApplyType | Builtin::Invoke | Builtin::Invokelatest => DYNAMIC_COST,
        Builtin::Memorynew | Builtin::DeferredCall => CALL_COST,
        _ => 10, // the rest are calls into the runtime
    }
}
