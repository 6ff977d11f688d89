//! Inlining of static calls.
//!
//! A call is replaced by its callee's body if the callee is small (see [`inline_cost`]; larger if it has barriers) or
//! declares `@inline`, does not declare `@noinline`, contains no `try`, and the call can return. Callees are optimized
//! before, so one level is enough: the calls left in them were left on purpose. Calls that construct the exception of a
//! throwing block stay: `outline_throws` needs them whole.
//!
//! The pass decides a callee's `BoundsCheck` by Julia's rule: false if the call is in an `@inbounds` region,
//! undecided if this body is `@propagate_inbounds`, else true. The callee's own marks do not matter: an inlined body
//! is one level away. The modes of `--check-bounds` other than `auto` have decided every check before (see
//! [`check_bounds`](crate::check_bounds)).

use crate::value::type_of;
use crate::{Callee, Callees, OptParams, inline_cost};
use cranelift_entity::SecondaryMap;
use kiln_ir::{Block, BlockData, InlinedAt, Instance, Intrinsic, IrCode, Op, Stmt, StmtData, Value};
use kiln_types::{FrontMutant, Type, Types, consts, datatype, layout, mutant};
use rustc_hash::FxHashSet;

/// The maximum number of statements of a body; beyond it, calls are not inlined.
const STMTS_MAX: usize = 20_000;

/// The factor on the cost limit for a callee that takes a `Core.Box`: its uses of the contents are dynamic until it
/// is inlined.
const BOX_FACTOR: u32 = 10;

/// The factor on the cost limit for a callee with a barrier: code is split at barriers only where it is one body.
const BARRIER_FACTOR: u32 = 20;

/// Returns `code` with the calls worth it replaced by their bodies.
pub fn inline(mut code: IrCode, types: &Types, callees: &dyn Callees, params: &OptParams) -> IrCode {
    // Blocks made on the way hold either a callee's statements, not to be looked at again, or the rest of a block
    // that was split, which is put on the list.
    let mut todo: Vec<Block> = code.blocks.keys().collect();
    todo.reverse();
    while let Some(block) = todo.pop() {
        let kept = thrown(&code, types, block);
        let mut at = 0;
        while at < code.blocks[block].stmts.len() {
            let call = code.blocks[block].stmts[at];
            let wanted =
                if kept.contains(&call) { None } else { candidate(&code, types, callees, params, call) };
            let Some((instance, callee)) = wanted else {
                at += 1;
                continue;
            };
            let site = Site { block, at, call, instance };
            if callee.code.blocks.len() == 1 {
                at = splice(&mut code, types, params, &site, &callee);
            } else {
                todo.push(expand(&mut code, types, params, &site, &callee));
                break;
            }
        }
    }
    // A callee that turned out not to return cut off what came after its call.
    crate::edges::prune(&mut code, types);
    code
}

/// A call that will be replaced.
struct Site {
    block: Block,
    at: usize,
    call: Stmt,
    instance: Instance,
}

/// Collects the statements of a throwing block that make the exception: the one that never returns, and its objects,
/// which become the thunk of its site.
fn thrown(code: &IrCode, types: &Types, block: Block) -> FxHashSet<Stmt> {
    let mut kept = FxHashSet::default();
    if !matches!(code.terminator(block), Op::Unreachable) {
        return kept;
    }
    let bottom = types.core().bottom;
    let mut work: Vec<Stmt> =
        code.blocks[block].stmts.iter().copied().filter(|it| code.stmts[*it].ty == bottom).collect();
    while let Some(stmt) = work.pop() {
        if !kept.insert(stmt) {
            continue;
        }
        code.stmts[stmt].op.each_operand(|it| {
            if let Value::Stmt(used) = it
                && !layout::is_bits(types, code.stmts[used].ty)
            {
                work.push(used);
            }
        });
    }
    kept
}

fn candidate(
    code: &IrCode,
    types: &Types,
    callees: &dyn Callees,
    params: &OptParams,
    call: Stmt,
) -> Option<(Instance, Callee)> {
    let data = &code.stmts[call];
    let Op::Invoke(instance, args) = &data.op else { return None };
    if data.ty == types.core().bottom || code.stmts.len() > STMTS_MAX {
        return None;
    }
    let callee = callees.body(*instance)?;
    let holds_box = || args.iter().any(|it| holds_box(types, type_of(code, types, *it)));
    let wanted = match inlining_class(&callee.code, callee.inlining, types, params) {
        InliningClass::Never => false,
        InliningClass::GivenBox => holds_box(),
        InliningClass::Always => true,
    };
    (wanted && callee.code.args.len() == args.len()).then_some((*instance, callee))
}

/// The class of a body: the calls of it that are inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InliningClass {
    /// None.
    Never,
    /// Those that pass a `Core.Box`.
    GivenBox,
    /// All.
    Always,
}

/// Returns the calls of a body that are inlined, as far as the body decides.
pub fn inlining_class(
    code: &IrCode,
    inlining: kiln_ir::Inlining,
    types: &Types,
    params: &OptParams,
) -> InliningClass {
    if code.stmts.values().any(|it| matches!(it.op, Op::Enter { .. })) {
        return InliningClass::Never;
    }
    match inlining {
        kiln_ir::Inlining::Never => InliningClass::Never,
        kiln_ir::Inlining::Always => InliningClass::Always,
        kiln_ir::Inlining::Default => match inline_cost(code, types) {
            cost if cost <= params.inline_cost_max => InliningClass::Always,
            cost if cost <= BARRIER_FACTOR * params.inline_cost_max && has_barrier(code) => {
                InliningClass::Always
            }
            cost if cost <= BOX_FACTOR * params.inline_cost_max => InliningClass::GivenBox,
            _ => InliningClass::Never,
        },
    }
}

fn has_barrier(code: &IrCode) -> bool {
    code.stmts
        .values()
        .any(|it| matches!(it.op, Op::Intrinsic(Intrinsic::Barrier | Intrinsic::WarpBarrier, _)))
}

/// A box, or a closure that captured one: once its body is here the box may turn out to be a variable like any other.
fn holds_box(types: &Types, ty: Type) -> bool {
    let box_ = types.core().box_;
    ty == box_
        || datatype::is_concrete(types, ty)
            && !datatype::is_tuple(types, ty)
            && datatype::field_types(types, ty).contains(&box_)
}

/// The mapping from names of a callee's body to names of the caller.
struct Renaming {
    stmts: SecondaryMap<Stmt, Option<Stmt>>,
    blocks: SecondaryMap<Block, Option<Block>>,
    args: Vec<Value>,
    inlined_base: u32,
    inbounds: bool,
    check: Option<bool>,
}

impl Renaming {
    fn new(code: &mut IrCode, types: &Types, params: &OptParams, site: &Site, callee: &Callee) -> Self {
        let call = code.stmts[site.call].clone();
        let Op::Invoke(_, args) = call.op else { unreachable!("a site is an Invoke") };
        let check = match (call.inbounds, params.propagate_inbounds) {
            _ if mutant::is_set(types, FrontMutant::InboundsNever) => Some(true),
            _ if mutant::is_set(types, FrontMutant::InboundsAlways) => Some(false),
            (true, _) => Some(false),
            (false, true) => None,
            (false, false) => Some(true),
        };
        debug_assert!(!code.inlined_at.is_empty(), "entry 0 is the body itself");
        let inlined_base = code.inlined_at.len() as u32;
        code.inlined_at.push(InlinedAt {
            callee: site.instance,
            name: callee.code.name,
            call: call.loc,
            parent: call.inlined,
        });
        for entry in callee.code.inlined_at.iter().skip(1) {
            code.inlined_at.push(InlinedAt { parent: entry.parent + inlined_base, ..entry.clone() });
        }
        Self {
            stmts: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            args,
            inlined_base,
            inbounds: call.inbounds && callee.propagate_inbounds,
            check,
        }
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Stmt(stmt) => Value::Stmt(self.stmts[stmt].expect("every statement was numbered first")),
            Value::Arg(n) => self.args[n as usize],
            Value::Const(_) => value,
        }
    }

    /// The statement, as it reads in the caller.
    fn translate(&self, types: &Types, data: &StmtData) -> StmtData {
        let mut data = data.clone();
        data.op.each_operand_mut(|it| *it = self.value(*it));
        data.op.each_block_mut(|it| *it = self.blocks[*it].expect("every block was numbered first"));
        data.inlined += self.inlined_base;
        data.inbounds |= self.inbounds;
        if let (Op::BoundsCheck, Some(check)) = (&data.op, self.check) {
            data.op = Op::Pi(Value::Const(consts::bool(types, check)));
        }
        data
    }
}

/// Inlines a body of one block between the statements around the call. Returns where to go on.
fn splice(code: &mut IrCode, types: &Types, params: &OptParams, site: &Site, callee: &Callee) -> usize {
    let mut renaming = Renaming::new(code, types, params, site, callee);
    let body = &callee.code.blocks[Block::from_u32(0)].stmts;
    let mut placed = Vec::with_capacity(body.len());
    let mut returned = None;
    for &stmt in body {
        let data = &callee.code.stmts[stmt];
        if let Op::Return(value) = data.op {
            returned = Some(renaming.value(value));
            break;
        }
        let data = renaming.translate(types, data);
        if data.op.is_terminator() {
            break; // the callee never returns although its type says it may
        }
        let new = code.stmts.push(data);
        renaming.stmts[stmt] = Some(new);
        placed.push(new);
    }
    let stmts = &mut code.blocks[site.block].stmts;
    let count = placed.len();
    stmts.splice(site.at..site.at, placed);
    if let Some(value) = returned {
        code.stmts[site.call].op = Op::Pi(value);
    } else {
        stmts.truncate(site.at + count);
        let data = &code.stmts[site.call];
        let end = StmtData { op: Op::Unreachable, ty: types.core().bottom, ..data.clone() };
        let end = code.stmts.push(end);
        code.blocks[site.block].stmts.push(end);
        return usize::MAX;
    }
    site.at + count + 1
}

/// Inlines a body of several blocks: splits the block at the call. Returns the block with the statements after the
/// call.
fn expand(code: &mut IrCode, types: &Types, params: &OptParams, site: &Site, callee: &Callee) -> Block {
    let mut renaming = Renaming::new(code, types, params, site, callee);
    let rest = code.blocks[site.block].stmts.split_off(site.at + 1);
    code.blocks[site.block].stmts.pop(); // the call itself becomes the first statement of what follows
    let mut after = vec![site.call];
    after.extend(rest);
    let continuation = code.blocks.push(BlockData { stmts: after });
    crate::edges::rename(code, site.block, continuation);
    number(code, callee, &mut renaming);
    let returns = copy_blocks(code, types, callee, &renaming, continuation);
    let entry = renaming.blocks[Block::from_u32(0)].expect("numbered");
    let template = code.stmts[site.call].clone();
    let jump = StmtData { op: Op::Goto(entry), ty: types.core().bottom, ..template };
    code.append(site.block, jump);
    code.stmts[site.call].op = match returns.as_slice() {
        [(_, value)] => Op::Pi(*value),
        _ => Op::Phi(returns),
    };
    continuation
}

/// Gives every statement and block of the callee a number in the caller.
fn number(code: &mut IrCode, callee: &Callee, renaming: &mut Renaming) {
    for (block, body) in callee.code.blocks.iter() {
        renaming.blocks[block] = Some(code.blocks.push(BlockData::default()));
        for &stmt in &body.stmts {
            let placeholder = StmtData { op: Op::Nop, ..callee.code.stmts[stmt].clone() };
            renaming.stmts[stmt] = Some(code.stmts.push(placeholder));
        }
    }
}

/// Copies the callee's statements; returns go to `continuation`, and are listed with their blocks.
fn copy_blocks(
    code: &mut IrCode,
    types: &Types,
    callee: &Callee,
    renaming: &Renaming,
    continuation: Block,
) -> Vec<(Block, Value)> {
    let mut returns = Vec::new();
    for (block, body) in callee.code.blocks.iter() {
        let target = renaming.blocks[block].expect("numbered");
        for &stmt in &body.stmts {
            let new = renaming.stmts[stmt].expect("numbered");
            let mut data = renaming.translate(types, &callee.code.stmts[stmt]);
            if let Op::Return(value) = data.op {
                returns.push((target, value));
                data.op = Op::Goto(continuation);
            }
            code.stmts[new] = data;
            code.blocks[target].stmts.push(new);
        }
    }
    returns
}

#[cfg(test)]
mod tests;
