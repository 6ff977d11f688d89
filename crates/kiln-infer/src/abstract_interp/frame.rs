//! The state of inferring one body.

use super::blocks::Blocks;
use super::resolution::Resolution;
use crate::explain::Widening;
use crate::lattice::{Lattice, join};
use kiln_ir::{CodeInfo, Effects, Instance};
use kiln_runtime::tables::{Edge, Method, WorldRange};
use kiln_types::{Module, Symbol, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Definitions at or above this number are merges at a block.
const MERGED: u32 = 1 << 31;

/// What a slot holds at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotState {
    /// Its value; bottom if it is certainly undefined.
    pub ty: Lattice,
    /// It may be undefined.
    pub undef: bool,
    /// The definition that reaches: 0 for an argument, a statement's number from 1, or a merge.
    pub def: u32,
}

/// All slots at a point.
pub type State = Vec<SlotState>;

/// See the [module](self).
pub struct Frame {
    /// What is inferred.
    pub instance: Instance,
    /// Its method.
    pub method: Arc<Method>,
    /// The body.
    pub code: Arc<CodeInfo>,
    /// Its blocks.
    pub blocks: Blocks,
    /// Static parameters.
    pub static_params: Vec<Type>,
    /// Arguments by slot, the function first.
    pub args: Vec<Lattice>,
    /// Slots at the start of each block that can be reached.
    pub entry: Vec<Option<State>>,
    /// `try` blocks each block is in: statements of the `Enter`s.
    pub handlers: Vec<Vec<u32>>,
    /// Values of statements that were reached.
    pub values: Vec<Option<Lattice>>,
    /// The slot and definition a statement's value was read from.
    pub read_from: Vec<Option<(u32, u32)>>,
    /// Which ways branches go: bit 0 on, bit 1 to the target.
    pub taken: Vec<u8>,
    /// What globals turned out to be.
    pub globals: FxHashMap<(Module, Symbol), Lattice>,
    /// What calls became.
    pub resolved: Vec<Resolution>,
    /// Why a value is not of a concrete type.
    pub widened: Vec<Option<Widening>>,
    /// What it returns.
    pub ret: Lattice,
    /// What else it may do.
    pub effects: Effects,
    /// Worlds in which all this holds.
    pub worlds: WorldRange,
    /// What it depends on.
    pub edges: Vec<Edge>,
    seen: FxHashSet<Edge>,
    /// Blocks that use a statement's value, other than its own.
    pub users: Vec<Vec<u32>>,
}

impl Frame {
    /// A frame before its first statement.
    pub fn new(
        types: &Types,
        instance: Instance,
        method: Arc<Method>,
        code: Arc<CodeInfo>,
        static_params: Vec<Type>,
        args: Vec<Lattice>,
    ) -> Self {
        let blocks = Blocks::new(&code);
        let count = code.stmts.len();
        let users = users(&code, &blocks);
        let mut frame = Self {
            entry: vec![None; blocks.len()],
            handlers: vec![Vec::new(); blocks.len()],
            values: vec![None; count],
            read_from: vec![None; count],
            taken: vec![0; count],
            globals: FxHashMap::default(),
            resolved: vec![Resolution::None; count],
            widened: vec![None; count],
            ret: Lattice::bottom(types),
            effects: Effects::TOTAL,
            worlds: method.worlds(),
            edges: Vec::new(),
            seen: FxHashSet::default(),
            users,
            instance,
            method,
            code,
            blocks,
            static_params,
            args,
        };
        if let Some(first) = frame.entry.first_mut() {
            let undefined = SlotState { ty: Lattice::bottom(types), undef: true, def: 0 };
            let mut state = vec![undefined; frame.code.slots.len()];
            for (slot, arg) in state.iter_mut().zip(&frame.args) {
                *slot = SlotState { ty: arg.clone(), undef: false, def: 0 };
            }
            *first = Some(state);
        }
        frame
    }

    /// Notes a dependency.
    pub fn depend(&mut self, edge: Edge, worlds: WorldRange) {
        self.worlds = self.worlds.intersect(worlds);
        if self.seen.insert(edge.clone()) {
            self.edges.push(edge);
        }
    }

    /// Joins a state into the start of a block. Whether the block must be looked at again.
    pub fn flow(&mut self, types: &Types, block: u32, state: &State) -> bool {
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
            let joined = SlotState {
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

fn users(code: &CodeInfo, blocks: &Blocks) -> Vec<Vec<u32>> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); code.stmts.len()];
    for (pc, stmt) in code.stmts.iter().enumerate() {
        let block = blocks.block_of(pc);
        super::operands::each_operand(stmt, |it| {
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
