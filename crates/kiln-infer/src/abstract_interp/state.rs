//! The state of inferring one body.

use super::blocks::Blocks;
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Lattice, join};
use kiln_ir::{CodeInfo, Effects, Instance, LoweredStmt};
use kiln_runtime::tables::{Edge, Method, World, WorldRange};
use kiln_types::{Module, Symbol, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Definitions at or above this number are merges at a block.
const MERGED: u32 = 1 << 31;

/// The contents of a slot at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarState {
    /// Its value; bottom if it is certainly undefined.
    pub(crate) ty: Lattice,
    /// It may be undefined.
    pub(crate) undef: bool,
    /// The definition that reaches: 0 for an argument, a statement's number from 1, or a merge.
    pub(crate) def: u32,
}

/// All slots at a point.
pub(crate) type VarTable = Vec<VarState>;

/// See the [module](self).
pub(crate) struct InferenceState {
    /// The instance being inferred.
    pub(crate) instance: Instance,
    /// The body.
    pub(crate) code: Arc<CodeInfo>,
    /// Its blocks.
    pub(crate) blocks: Blocks,
    /// Static parameters; none where the call does not determine one.
    pub(crate) static_params: Vec<Option<Type>>,
    /// Arguments by slot, the function first.
    pub(crate) args: Vec<Lattice>,
    /// Slots at the start of each block that can be reached.
    pub(crate) entry: Vec<Option<VarTable>>,
    /// The body has a `try`.
    pub(crate) has_handlers: bool,
    /// `try` blocks each block is in: statements of the `Enter`s.
    pub(crate) handlers: Vec<Vec<u32>>,
    /// Values of statements that were reached.
    pub(crate) values: Vec<Option<Lattice>>,
    /// The slot and definition a statement's value was read from.
    pub(crate) read_from: Vec<Option<(u32, u32)>>,
    /// Which ways branches go: bit 0 on, bit 1 to the target.
    pub(crate) taken: Vec<u8>,
    /// The globals read, and their types.
    pub(crate) globals: FxHashMap<(Module, Symbol), Lattice>,
    /// The resolutions of calls.
    pub(crate) resolved: Vec<Resolution>,
    /// Why a value is not of a concrete type.
    pub(crate) widened: Vec<Option<Widening>>,
    /// The type that it returns.
    pub(crate) ret: Lattice,
    /// Its other effects, but for those on the exceptions that it catches.
    pub(crate) effects: Effects,
    /// The type of what it may throw.
    pub(crate) exct: Type,
    /// The type of what each handler may catch, by the statement of its `Enter`.
    pub(crate) caught: FxHashMap<u32, Type>,
    /// Control may go back to a statement.
    pub(crate) loops: bool,
    /// Statements between `@inbounds` and its end; empty if there are none.
    pub(crate) inbounds: Vec<bool>,
    /// Worlds in which all this holds.
    pub(crate) worlds: WorldRange,
    /// The edges it depends on.
    pub(crate) edges: Vec<Edge>,
    seen: FxHashSet<Edge>,
    /// Blocks that use a statement's value, other than its own.
    pub(crate) users: Vec<Vec<u32>>,
}

impl InferenceState {
    /// A frame before its first statement.
    pub(crate) fn new(
        types: &Types,
        instance: Instance,
        method: &Method,
        code: Arc<CodeInfo>,
        static_params: Vec<Option<Type>>,
        args: Vec<Lattice>,
    ) -> Self {
        let blocks = Blocks::new(&code);
        let count = code.stmts.len();
        let users = users(&code, &blocks);
        let mut frame = Self {
            entry: vec![None; blocks.len()],
            has_handlers: code.stmts.iter().any(|it| matches!(it, LoweredStmt::Enter(_))),
            handlers: vec![Vec::new(); blocks.len()],
            values: vec![None; count],
            read_from: vec![None; count],
            taken: vec![0; count],
            globals: FxHashMap::default(),
            resolved: vec![Resolution::None; count],
            widened: vec![None; count],
            ret: Lattice::bottom(types),
            effects: Effects::TOTAL,
            exct: types.core().bottom,
            caught: FxHashMap::default(),
            loops: false,
            inbounds: inbounds(&code),
            // Calls name an instance in worlds that have its method alone.
            worlds: WorldRange { min: World::FIRST, max: method.worlds().max },
            edges: Vec::new(),
            seen: FxHashSet::default(),
            users,
            instance,
            code,
            blocks,
            static_params,
            args,
        };
        if let Some(first) = frame.entry.first_mut() {
            let undefined = VarState { ty: Lattice::bottom(types), undef: true, def: 0 };
            let mut state = vec![undefined; frame.code.slots.len()];
            for (slot, arg) in state.iter_mut().zip(&frame.args) {
                *slot = VarState { ty: arg.clone(), undef: false, def: 0 };
            }
            *first = Some(state);
        }
        frame
    }

    /// Notes a dependency.
    pub(crate) fn depend(&mut self, edge: Edge, worlds: WorldRange) {
        self.worlds = self.worlds.intersect(worlds);
        if self.seen.insert(edge.clone()) {
            self.edges.push(edge);
        }
    }

    /// Joins a state into the start of a block. Whether the block must be looked at again.
    pub(crate) fn flow(&mut self, types: &Types, block: u32, state: &VarTable) -> bool {
        let at = &mut self.entry[block as usize];
        let Some(old) = at else {
            *at = Some(state.clone());
            return true;
        };
        let mut changed = false;
        for (old, new) in old.iter_mut().zip(state) {
            if old == new {
                continue;
            }
            let merged = MERGED | block;
            let joined = VarState {
                ty: join(types, &old.ty, &new.ty),
                undef: old.undef || new.undef,
                def: if old.def == new.def { old.def } else { merged },
            };
            if joined != *old {
                changed = true;
                *old = joined;
            }
        }
        changed
    }
}

/// The statements that an `@inbounds` covers, or that all are because the caller's counts.
fn inbounds(code: &CodeInfo) -> Vec<bool> {
    let begins = |it: &LoweredStmt| matches!(it, LoweredStmt::InboundsBegin);
    if !code.stmts.iter().any(begins) {
        return Vec::new();
    }
    let mut depth = 0usize;
    let covered = code.stmts.iter().map(|it| {
        match it {
            LoweredStmt::InboundsBegin => depth += 1,
            LoweredStmt::InboundsEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    });
    covered.collect()
}

fn users(code: &CodeInfo, blocks: &Blocks) -> Vec<Vec<u32>> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); code.stmts.len()];
    for (pc, stmt) in code.stmts.iter().enumerate() {
        let block = blocks.block_of(pc);
        stmt.each_operand(|it| {
            if let kiln_ir::Lowered::Ssa(used) = it {
                let of = &mut users[used as usize];
                if blocks.block_of(used as usize) != block && !of.contains(&block) {
                    of.push(block);
                }
            }
        });
    }
    users
}
