//! Lockstep: the items of a warp run a kernel access by access, as on GPUs that have one program counter for a warp.
//!
//! Programs of that time leave out barriers between the steps of a warp: a value that one item stores in a statement, another loads in
//! the next. Here the items of a warp meet at their place between accesses that may be of the same memory: before a store that
//! follows an access, and before a load that follows a store. Items at different places meet apart, those at the earliest place
//! first, so that branches and loops that items leave one by one end together.
//!
//! # Deliberately absent
//! Meetings at accesses of private memory, which no other item sees.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that is not named accesses nothing that others see"
)]

use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, Cfg, Intrinsic, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{ConstData, Types};

/// The accesses that a warp may have made since it met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Since {
    loaded: bool,
    stored: bool,
}

impl Since {
    const ANYTHING: Since = Since { loaded: true, stored: true };

    fn or(self, other: Since) -> Since {
        Since { loaded: self.loaded || other.loaded, stored: self.stored || other.stored }
    }
}

/// The effect of a statement on memory that other items see.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    None,
    Load,
    Store,
    /// A call of a function that stores and loads.
    Call,
    /// A barrier.
    Meeting,
}

/// Returns a body in which the items of a warp meet between accesses. `is_entry`: it begins a kernel.
pub(crate) fn with_meetings(mut code: IrCode, types: &Types, is_entry: bool) -> IrCode {
    let cfg = Cfg::new(&code);
    let start = if is_entry { Since::default() } else { Since::ANYTHING };
    let mut before: SecondaryMap<Block, Since> = SecondaryMap::new();
    if let Some(first) = cfg.reverse_postorder.first() {
        before[*first] = start;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &cfg.reverse_postorder {
            let mut since = before[block];
            code.blocks[block].stmts.iter().for_each(|it| {
                pass(&code, *it, &mut since);
            });
            for to in code.terminator(block).successors() {
                let joined = before[to].or(since);
                changed |= joined != before[to];
                before[to] = joined;
            }
        }
    }
    let anyone = types.constant(ConstData::Bits { ty: types.core().uint64, bytes: [0; 8].into() });
    for &block in &cfg.reverse_postorder {
        let mut since = before[block];
        let mut stmts = Vec::new();
        for stmt in std::mem::take(&mut code.blocks[block].stmts) {
            if pass(&code, stmt, &mut since) {
                let StmtData { loc, inlined, .. } = code.stmts[stmt];
                let op = Op::Intrinsic(Intrinsic::WarpBarrier, vec![Value::Const(anyone)]);
                let meeting = StmtData { op, ty: types.core().uint64, loc, inlined, inbounds: false };
                stmts.push(code.stmts.push(meeting));
            }
            stmts.push(stmt);
        }
        code.blocks[block].stmts = stmts;
    }
    code
}

/// Passes a statement; returns whether the warp meets before it.
fn pass(code: &IrCode, stmt: Stmt, since: &mut Since) -> bool {
    let meets = match access(code, stmt) {
        Access::None => return false,
        Access::Meeting => {
            *since = Since::default();
            return false;
        }
        Access::Call => {
            *since = Since::ANYTHING;
            return false;
        }
        Access::Load => since.stored,
        Access::Store => since.loaded || since.stored,
    };
    if meets {
        *since = Since::default();
    }
    let stores = access(code, stmt) == Access::Store;
    *since = since.or(Since { loaded: !stores, stored: stores });
    meets
}

fn access(code: &IrCode, stmt: Stmt) -> Access {
    use Intrinsic as I;
    match &code.stmts[stmt].op {
        Op::Intrinsic(I::Pointerref, args) if !is_private(code, args[0]) => Access::Load,
        Op::Intrinsic(I::Pointerset, args) if !is_private(code, args[0]) => Access::Store,
        Op::Intrinsic(
            I::AtomicPointerref
            | I::AtomicPointerset
            | I::AtomicPointerswap
            | I::AtomicPointermodify
            | I::AtomicPointerreplace,
            _,
        ) => Access::Store,
        Op::Intrinsic(I::Barrier | I::WarpBarrier, _) => Access::Meeting,
        Op::Intrinsic(I::Llvmcall | I::Foreigncall, _) | Op::Invoke(..) | Op::Call(_) => Access::Call,
        _ => Access::None,
    }
}

/// Whether an address is of private memory of its item.
fn is_private(code: &IrCode, address: Value) -> bool {
    let Value::Stmt(stmt) = address else { return false };
    match &code.stmts[stmt].op {
        Op::Intrinsic(Intrinsic::PrivateMemory, _) => true,
        Op::Intrinsic(Intrinsic::AddPtr | Intrinsic::SubPtr, args) => is_private(code, args[0]),
        Op::Intrinsic(Intrinsic::Bitcast, args) => args.last().is_some_and(|it| is_private(code, *it)),
        Op::Pi(value) => is_private(code, *value),
        _ => false,
    }
}
