//! Values of a vectorized item loop, and how they are kept from one block to another.
//!
//! Linearized control does not keep dominance: a block may run although the block that defines a value it names was
//! skipped, with no active lane that needs it. Such values, and phis, are in slots of the function's frame, of which
//! LLVM makes SSA again.

use super::compare;
use super::divergence::{Divergence, Shape};
use super::graph::Graph;
use crate::llvm::{Block, Function, Module, Ty, TypeKind, Val};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// The value of all lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide {
    /// The same in all lanes.
    Scalar(Val),
    /// The value of lane 0, and the difference to the next lane.
    Linear(Val, i64),
    /// A vector, or an aggregate of vectors.
    Lanes(Val),
}

/// The values of the loop.
pub(super) struct Values<'m> {
    pub(super) module: &'m Module,
    pub(super) function: Function,
    /// The number of lanes.
    pub(super) lanes: u32,
    /// The block before the vector loop.
    start: Block,
    /// The values of instructions that each iteration of their region runs.
    lasting: FxHashMap<Val, Wide>,
    /// The values that are known in the current block.
    local: FxHashMap<Val, Wide>,
    /// The vectors that are known in the current block.
    vectors: FxHashMap<Val, Val>,
    /// The vectors of values outside the loop, made before it.
    splats: FxHashMap<Val, Val>,
    /// The slots of values that other blocks read.
    slots: FxHashMap<Val, Val>,
    /// The memory that each item has for itself: for all lanes, with the bytes of one.
    privates: FxHashMap<Val, (Val, i64)>,
    /// The values that calls of placeholders stand for: see [`variant`](super::variant).
    pub(super) arguments: FxHashMap<String, Val>,
    /// The result of all lanes.
    pub(super) result: Option<Val>,
}

impl<'m> Values<'m> {
    pub(super) fn new(module: &'m Module, function: Function, lanes: u32, start: Block) -> Self {
        Self {
            module,
            function,
            lanes,
            start,
            lasting: FxHashMap::default(),
            local: FxHashMap::default(),
            vectors: FxHashMap::default(),
            splats: FxHashMap::default(),
            slots: FxHashMap::default(),
            privates: FxHashMap::default(),
            arguments: FxHashMap::default(),
            result: None,
        }
    }

    /// Makes memory for all lanes of an allocation.
    pub(super) fn add_private(&mut self, alloca: Val, bytes: u64) {
        let whole = self.module.array(self.module.int(8), bytes * u64::from(self.lanes));
        let align = self.module.alignment(alloca);
        let memory = self.module.alloca_in(self.function, whole, align);
        self.privates.insert(alloca, (memory, bytes as i64));
    }

    /// Returns a slot of the function's frame.
    pub(super) fn slot(&self, ty: Ty) -> Val {
        self.module.alloca_in(self.function, ty, 64)
    }

    /// Begins another block.
    pub(super) fn begin_block(&mut self) {
        self.local.clear();
        self.vectors.clear();
    }

    /// Returns the argument that a call stands for.
    pub(super) fn argument(&self, call: Val) -> Option<Val> {
        if self.arguments.is_empty() {
            return None;
        }
        self.arguments.get(&self.module.called_name(call)?).copied()
    }

    /// Returns what is known in the current block, to go on from here twice.
    pub(super) fn saved(&self) -> (FxHashMap<Val, Wide>, FxHashMap<Val, Val>) {
        (self.local.clone(), self.vectors.clone())
    }

    /// Goes back to what was known.
    pub(super) fn restore(&mut self, saved: (FxHashMap<Val, Wide>, FxHashMap<Val, Val>)) {
        (self.local, self.vectors) = saved;
    }

    /// Sets the value of an instruction in the current block.
    pub(super) fn define(&mut self, divergence: &Divergence, it: Val, value: Wide, lasts: bool) {
        if let Some(slot) = self.slots.get(&it) {
            let kept = match (divergence.shape(it), value) {
                (Shape::Varying, _) => self.vector_of(value),
                (_, Wide::Scalar(it) | Wide::Linear(it, _) | Wide::Lanes(it)) => it,
            };
            self.module.store(kept, *slot, 64);
        }
        if lasts {
            self.lasting.insert(it, value);
        } else {
            self.local.insert(it, value);
        }
    }

    /// Makes slots for the values that are read in blocks where their definition may have been skipped.
    pub(super) fn add_slots(&mut self, graph: &Graph, divergence: &Divergence) {
        let mut crossing: FxHashSet<Val> = FxHashSet::default();
        for node in &graph.nodes {
            for &it in &node.instructions {
                let uses: Vec<(Block, Val)> = match self.module.opcode(it) {
                    Some(Op::LLVMPHI) => self.module.incoming(it),
                    _ => {
                        let read = compare::read_beside(self.module, divergence, it);
                        let all = self.module.operands(it).into_iter().chain(read);
                        all.map(|value| (node.block, value)).collect()
                    }
                };
                for (user, value) in uses {
                    let Some(of) = self.module.opcode(value).map(|_| self.module.block_of(value)) else {
                        continue;
                    };
                    if let Some(number) = graph.number(of)
                        && of != user
                        && !divergence.is_always_run(graph, number)
                    {
                        crossing.insert(value);
                    }
                }
            }
        }
        for node in &graph.nodes {
            for it in node.instructions.iter().filter(|it| crossing.contains(it)) {
                let slot = self.slot(self.kept_type(divergence, *it));
                self.slots.insert(*it, slot);
            }
        }
    }

    /// Returns the type in which a value is kept.
    pub(super) fn kept_type(&self, divergence: &Divergence, it: Val) -> Ty {
        let ty = self.module.type_of(it);
        if divergence.shape(it) == Shape::Varying { self.wide_type(ty) } else { ty }
    }

    /// Returns what a kept value means.
    pub(super) fn meaning(&self, divergence: &Divergence, it: Val, kept: Val) -> Wide {
        match divergence.shape(it) {
            Shape::Uniform => Wide::Scalar(kept),
            Shape::Linear(stride) => Wide::Linear(kept, stride),
            Shape::Varying => Wide::Lanes(kept),
        }
    }

    /// Returns the value of all lanes.
    pub(super) fn get(&mut self, divergence: &Divergence, value: Val) -> Wide {
        if let Some((memory, bytes)) = self.privates.get(&value) {
            return Wide::Linear(*memory, *bytes);
        }
        if let Some(known) = self.local.get(&value).or_else(|| self.lasting.get(&value)) {
            return *known;
        }
        let Some(slot) = self.slots.get(&value).copied() else { return Wide::Scalar(value) };
        let kept = self.module.load(self.kept_type(divergence, value), slot, 64);
        let found = self.meaning(divergence, value, kept);
        self.local.insert(value, found);
        found
    }

    /// Returns the value of lane 0, of a value that is uniform or linear.
    pub(super) fn base(&mut self, divergence: &Divergence, value: Val) -> Val {
        match self.get(divergence, value) {
            Wide::Scalar(it) | Wide::Linear(it, _) | Wide::Lanes(it) => it,
        }
    }

    /// Returns the vector of a value.
    pub(super) fn lanes(&mut self, divergence: &Divergence, value: Val) -> Val {
        let wide = self.get(divergence, value);
        if let Wide::Lanes(it) = wide {
            return it;
        }
        if let Some(known) = self.vectors.get(&value).or_else(|| self.splats.get(&value)) {
            return *known;
        }
        let is_outside = matches!(wide, Wide::Scalar(it) if it == value);
        if is_outside {
            let back = self.module.here();
            self.module.at_end(self.start);
            let made = self.vector_of(wide);
            self.module.at_end(back);
            self.splats.insert(value, made);
            return made;
        }
        let made = self.vector_of(wide);
        self.vectors.insert(value, made);
        made
    }

    /// Makes the vector of a value.
    fn vector_of(&self, value: Wide) -> Val {
        match value {
            Wide::Lanes(it) => it,
            Wide::Scalar(it) => self.spread(it),
            Wide::Linear(base, stride) => self.steps(base, stride),
        }
    }

    /// Returns a value in each lane; of an aggregate, each part.
    fn spread(&self, value: Val) -> Val {
        let ty = self.module.type_of(value);
        if !self.is_aggregate(ty) {
            return self.module.splat(value, self.lanes);
        }
        let mut made = self.module.poison(self.wide_type(ty));
        for index in 0..self.module.element_types(ty).len() as u32 {
            let part = self.spread(self.module.extract(value, index));
            made = self.module.insert(made, part, index);
        }
        made
    }

    /// Returns `base`, `base + stride`, ...
    fn steps(&self, base: Val, stride: i64) -> Val {
        let module = self.module;
        let ty = module.type_of(base);
        if module.type_kind(ty) == TypeKind::Pointer {
            return module.gep_all(module.int(8), base, &[self.multiples(module.int(64), stride)]);
        }
        module.add(module.splat(base, self.lanes), self.multiples(ty, stride))
    }

    /// Returns the constants `0`, `stride`, ...
    pub(super) fn multiples(&self, ty: Ty, stride: i64) -> Val {
        let at = |lane: u32| self.module.const_int(ty, (i128::from(stride) * i128::from(lane)) as u128);
        self.module.const_vector(&(0..self.lanes).map(at).collect::<Vec<_>>())
    }

    /// Returns the value of one lane.
    pub(super) fn one(&self, value: Wide, lane: Val) -> Val {
        let module = self.module;
        match value {
            Wide::Scalar(it) => it,
            Wide::Linear(base, stride) => {
                let ty = module.type_of(base);
                if module.type_kind(ty) == TypeKind::Pointer {
                    let wide = module.resize(lane, module.int(64));
                    return module.gep_bytes(base, module.mul(wide, module.const_i64(stride)));
                }
                let factor = module.const_int(ty, i128::from(stride) as u128);
                module.add(base, module.mul(module.resize(lane, ty), factor))
            }
            Wide::Lanes(it) => self.part(it, lane),
        }
    }

    /// Returns one lane of a vector; of an aggregate of vectors, of each part.
    fn part(&self, value: Val, lane: Val) -> Val {
        let module = self.module;
        let ty = module.type_of(value);
        if !self.is_aggregate(ty) {
            return module.lane(value, lane);
        }
        let parts: Vec<Val> = (0..module.element_types(ty).len() as u32)
            .map(|it| self.part(module.extract(value, it), lane))
            .collect();
        let types: Vec<Ty> = parts.iter().map(|it| module.type_of(*it)).collect();
        let whole = match module.type_kind(ty) {
            TypeKind::Array => module.array(types[0], types.len() as u64),
            _ => module.structure(&types),
        };
        let first = module.poison(whole);
        (0..).zip(parts).fold(first, |made, (index, part)| module.insert(made, part, index))
    }

    /// Returns a vector with one other lane; of an aggregate, each part.
    pub(super) fn with(&self, value: Val, new: Val, lane: Val) -> Val {
        let module = self.module;
        if !self.is_aggregate(module.type_of(new)) {
            return module.with_lane(value, new, lane);
        }
        let count = module.element_types(module.type_of(new)).len() as u32;
        (0..count).fold(value, |made, index| {
            let part = self.with(module.extract(made, index), module.extract(new, index), lane);
            module.insert(made, part, index)
        })
    }

    /// Returns one of two values, lane by lane.
    pub(super) fn blend(&self, mask: Val, then: Val, other: Val) -> Val {
        let module = self.module;
        if !self.is_aggregate(module.type_of(then)) {
            return module.select(mask, then, other);
        }
        let count = module.element_types(module.type_of(then)).len() as u32;
        (0..count).fold(other, |made, index| {
            let part = self.blend(mask, module.extract(then, index), module.extract(other, index));
            module.insert(made, part, index)
        })
    }

    /// Returns the type of a value in all lanes.
    pub(super) fn wide_type(&self, ty: Ty) -> Ty {
        wide_type(self.module, ty, self.lanes)
    }

    /// Returns a vector, or an aggregate of vectors, with fewer lanes or with more, which are those of `fill`.
    pub(super) fn with_lanes(&self, value: Val, from: u32, to: u32, fill: Option<Val>) -> Val {
        let module = self.module;
        let ty = module.type_of(value);
        if from == to {
            return value;
        }
        if !self.is_aggregate(ty) {
            let fill = fill.unwrap_or_else(|| module.poison(ty));
            let order: Vec<u32> = (0..to).map(|it| it.min(from)).collect();
            return module.shuffle_of(value, fill, &order);
        }
        let parts: Vec<Val> = (0..module.element_types(ty).len() as u32)
            .map(|it| self.with_lanes(module.extract(value, it), from, to, fill))
            .collect();
        let types: Vec<Ty> = parts.iter().map(|it| module.type_of(*it)).collect();
        let whole = match (module.type_kind(ty), types.first()) {
            (TypeKind::Array, Some(first)) => module.array(*first, types.len() as u64),
            _ => module.structure(&types),
        };
        let first = module.poison(whole);
        (0..).zip(parts).fold(first, |made, (index, part)| module.insert(made, part, index))
    }

    /// Whether a type is a struct or an array.
    fn is_aggregate(&self, ty: Ty) -> bool {
        matches!(self.module.type_kind(ty), TypeKind::Struct | TypeKind::Array)
    }
}

/// Returns the type of a value in so many lanes: a vector, or an aggregate of vectors.
pub(super) fn wide_type(module: &Module, ty: Ty, lanes: u32) -> Ty {
    let wide = |it: &Ty| wide_type(module, *it, lanes);
    match module.type_kind(ty) {
        TypeKind::Struct => module.structure(&module.element_types(ty).iter().map(wide).collect::<Vec<_>>()),
        TypeKind::Array => {
            let parts = module.element_types(ty);
            module.array(parts.first().map_or(module.int(8), wide), parts.len() as u64)
        }
        _ => module.vector(ty, lanes),
    }
}
