//! The inference state of one body, as Julia's `InferenceState`.

use super::blocks::Blocks;
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Lattice, join};
use kiln_ir::{CodeInfo, Effects, Instance, LoweredStmt};
use kiln_runtime::tables::{Edge, Method, World, WorldRange};
use kiln_types::{Module, Symbol, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Definitions at or above this number are merges at the start of a block.
const MERGED: u32 = 1 << 31;

/// A slot at one point of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarState {
    /// Its lattice element; bottom if it is certainly undefined.
    pub(crate) ty: Lattice,
    /// The slot may be undefined.
    pub(crate) undef: bool,
    /// The reaching definition: 0 for an argument, a statement's number plus 1, or a merge.
    pub(crate) def: u32,
}

/// All slots at one point.
pub(crate) type VarTable = Vec<VarState>;

/// See the [module](self).
pub(crate) struct InferenceState {
    /// The instance being inferred.
    pub(crate) instance: Instance,
    /// The body.
    pub(crate) code: Arc<CodeInfo>,
    /// Its blocks.
    pub(crate) blocks: Blocks,
    /// The static parameters; `None` for one that the call does not determine.
    pub(crate) static_params: Vec<Option<Type>>,
    /// The arguments by slot, the function first.
    pub(crate) args: Vec<Lattice>,
    /// The slots at the start of each reachable block.
    pub(crate) entry: Vec<Option<VarTable>>,
    /// The body has a `try`.
    pub(crate) has_handlers: bool,
    /// The `try` blocks around each block, as statements of their `Enter`s.
    pub(crate) handlers: Vec<Vec<u32>>,
    /// The lattice elements of the statements that are reachable.
    pub(crate) values: Vec<Option<Lattice>>,
    /// The slot and the definition that a statement's value was read from.
    pub(crate) read_from: Vec<Option<(u32, u32)>>,
    /// The edges that branches take: bit 0 falls through, bit 1 jumps.
    pub(crate) taken: Vec<u8>,
    /// The globals that are read, with their lattice elements.
    pub(crate) globals: FxHashMap<(Module, Symbol), Lattice>,
    /// The resolution of each call.
    pub(crate) resolved: Vec<Resolution>,
    /// The cause of each value that is not of a concrete type.
    pub(crate) widened: Vec<Option<Widening>>,
    /// The type of the returned value.
    pub(crate) ret: Lattice,
    /// The effects, except those on exceptions that the body catches.
    pub(crate) effects: Effects,
    /// The type of the exceptions.
    pub(crate) exct: Type,
    /// The body has a backward jump.
    pub(crate) loops: bool,
    /// Whether each statement is in an `@inbounds` region; empty if there is none.
    pub(crate) inbounds: Vec<bool>,
    /// The worlds in which the state holds.
    pub(crate) worlds: WorldRange,
    /// The dependencies.
    pub(crate) edges: Vec<Edge>,
    seen: FxHashSet<Edge>,
    /// The blocks that use a statement's value, except its own.
    pub(crate) users: Vec<Vec<u32>>,
}

impl InferenceState {
    /// The state before the first statement.
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
            loops: false,
            inbounds: inbounds(&code),
            // An instance is called only in worlds that have its method.
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

    /// Adds a dependency, and restricts the worlds.
    pub(crate) fn depend(&mut self, edge: Edge, worlds: WorldRange) {
        self.worlds = self.worlds.intersect(worlds);
        if self.seen.insert(edge.clone()) {
            self.edges.push(edge);
        }
    }

    /// Joins slots into the start of a block. Returns whether the block must be visited again.
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

/// Returns for each statement whether an `@inbounds` covers it.
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
