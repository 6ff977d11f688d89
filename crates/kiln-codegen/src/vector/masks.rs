//! Control flow of all lanes: regions are linearized under masks.
//!
//! A node that is not partial runs for the lanes of its region, and its uniform branches stay branches. After a
//! divergent branch, the nodes up to where its ways meet are run one after the other, in topological order, each under
//! the mask of the lanes that came to it; nodes that access memory, call or divide are skipped if there are none. A
//! divergent loop runs until no lane is left; lanes that leave it add themselves to the mask of the block they go to.
//!
//! Each edge adds its lanes to the mask of its target, and stores the values of the target's phis.

use super::compare::LinearTest;
use super::divergence::{Divergence, Shape, is_hint, is_lanewise};
use super::graph::{END, Graph, OUT};
use super::values::{Values, Wide};
use super::widen::{BlockCode, is_division};
use crate::llvm::{Block, Module, Val};
use kiln_unit::Mistake;
use llvm_sys::{LLVMIntPredicate as Int, LLVMOpcode as Op};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The active lanes; `None` if all are.
pub(super) type Mask = Option<Val>;

/// The nodes that wait to be run.
type Pending = BTreeSet<usize>;

/// A region that is being emitted.
struct Activation {
    region: usize,
    /// The lanes of the region.
    mask: Mask,
    /// The blocks in which nodes begin.
    entries: BTreeMap<usize, Block>,
    pending: FxHashMap<usize, Pending>,
    /// What waits in the region around it.
    outer: Pending,
}

/// The emitter of an item loop's body for all lanes.
pub(super) struct Emission<'a, 'm> {
    pub(super) module: &'m Module,
    pub(super) graph: &'a Graph,
    pub(super) divergence: &'a Divergence,
    pub(super) values: Values<'m>,
    /// The slots of the masks of partial nodes, and of the lanes that begin the next iteration of a loop, by header.
    masks: FxHashMap<(usize, usize), Val>,
    /// The slots of the lanes in divergent loops.
    live: FxHashMap<usize, Val>,
    /// The slots of conditions of partial nodes that are cheap to test: if one is false, no lane comes to the node.
    hints: FxHashMap<(usize, usize), Val>,
    /// The slots of phis.
    phis: FxHashMap<Val, Val>,
    active: Vec<Activation>,
    /// The block whose values lose their masks, by mistake: the first in which ways meet.
    unmasked: Option<usize>,
}

impl<'a, 'm> Emission<'a, 'm> {
    pub(super) fn new(graph: &'a Graph, divergence: &'a Divergence, values: Values<'m>) -> Self {
        let module = values.module;
        let mut this = Self {
            module,
            graph,
            divergence,
            values,
            masks: FxHashMap::default(),
            live: FxHashMap::default(),
            hints: FxHashMap::default(),
            phis: FxHashMap::default(),
            active: Vec::new(),
            unmasked: None,
        };
        let lanes = module.vector(module.int(1), this.values.lanes);
        for (region, it) in graph.regions.iter().enumerate() {
            let nodes = it.nodes.iter().filter(|node| divergence.is_partial(region, **node));
            for &node in nodes {
                let slot = this.values.slot(lanes);
                this.masks.insert((region, node), slot);
                if has_hint(module, graph, divergence, (region, node)) {
                    let slot = this.values.slot(module.int(1));
                    this.hints.insert((region, node), slot);
                }
            }
            if divergence.is_divergent(region) {
                let (next, live) = (this.values.slot(lanes), this.values.slot(lanes));
                this.masks.insert((region, END), next);
                this.live.insert(region, live);
            }
        }
        for (number, node) in graph.nodes.iter().enumerate() {
            if number == graph.regions[0].header {
                continue;
            }
            for &it in node.instructions.iter().take_while(|it| module.opcode(**it) == Some(Op::LLVMPHI)) {
                let slot = this.values.slot(this.values.kept_type(divergence, it));
                this.phis.insert(it, slot);
            }
        }
        this.values.add_slots(graph, divergence);
        this
    }

    /// Emits the body for the lanes of a mask; continues where the next vector of items begins.
    pub(super) fn body(&mut self, mask: Mask) {
        let end = self.region(0, mask, Pending::new());
        self.module.at_end(end);
        self.values.begin_block();
    }

    /// Emits a region; returns the block that ends an iteration of the item loop, or in which all lanes have left a
    /// divergent loop.
    fn region(&mut self, region: usize, mask: Mask, outer: Pending) -> Block {
        let module = self.module;
        let top = if region == 0 { module.here() } else { module.block(self.values.function) };
        if region > 0 {
            module.br(top);
            module.at_end(top);
        }
        let mask = match self.live.get(&region) {
            Some(live) => Some(module.load(self.lanes_type(), *live, 64)),
            None => mask,
        };
        self.clear(region);
        let entries = BTreeMap::new();
        self.active.push(Activation { region, mask, entries, pending: FxHashMap::default(), outer });
        for node in self.graph.regions[region].nodes.clone() {
            if node != self.graph.regions[region].header {
                let Some(entry) = self.active.last().and_then(|it| it.entries.get(&node)).copied() else {
                    continue;
                };
                module.at_end(entry);
            }
            self.values.begin_block();
            match self.graph.inner(region, node).filter(|_| node != self.graph.regions[region].header) {
                Some(inner) => self.inner_loop(region, node, inner),
                None => self.block(region, node),
            }
        }
        let done = self.active.pop();
        let end = done
            .and_then(|it| it.entries.get(&END).copied())
            .unwrap_or_else(|| module.block(self.values.function));
        self.end_of(region, top, end)
    }

    /// Emits what follows an iteration.
    fn end_of(&self, region: usize, top: Block, end: Block) -> Block {
        let module = self.module;
        if region == 0 {
            return end;
        }
        module.at_end(end);
        let Some(&live) = self.live.get(&region) else {
            module.br(top);
            return end;
        };
        let next = module.load(self.lanes_type(), self.masks[&(region, END)], 64);
        module.store(next, live, 64);
        let out = module.block(self.values.function);
        module.cond_br(self.any(next), top, out);
        out
    }

    /// Begins an iteration: no lane has come to a partial node yet.
    fn clear(&self, region: usize) {
        let module = self.module;
        let none = module.zero(self.lanes_type());
        for (_, slot) in self.masks.iter().filter(|it| it.0.0 == region) {
            module.store(none, *slot, 64);
        }
        for (_, slot) in self.hints.iter().filter(|it| it.0.0 == region) {
            module.store(module.const_int(module.int(1), 0), *slot, 64);
        }
        for &node in &self.graph.regions[region].nodes {
            if self.graph.inner(region, node).is_some() || !self.divergence.is_join(node) {
                continue;
            }
            for it in self.phis_of(node) {
                let poison = module.poison(self.values.kept_type(self.divergence, it));
                module.store(poison, self.phis[&it], 64);
            }
        }
    }

    /// Returns the phis of a block that have slots.
    fn phis_of(&self, node: usize) -> Vec<Val> {
        let all = self.graph.nodes[node].instructions.iter().copied();
        all.take_while(|it| self.phis.contains_key(it)).collect()
    }

    fn lanes_type(&self) -> crate::llvm::Ty {
        self.module.vector(self.module.int(1), self.values.lanes)
    }

    /// Whether a lane is active.
    fn any(&self, mask: Val) -> Val {
        let bits = self.module.int(self.values.lanes);
        let bits = self.module.cast(Op::LLVMBitCast, mask, bits);
        self.module.icmp(Int::LLVMIntNE, bits, self.module.zero(self.module.type_of(bits)))
    }

    /// Returns the mask of all lanes.
    fn all(&self) -> Val {
        self.module.splat(self.module.const_int(self.module.int(1), 1), self.values.lanes)
    }

    /// Returns the lanes of a mask for which a condition holds.
    fn and(&self, mask: Mask, condition: Val) -> Val {
        mask.map_or(condition, |it| self.module.select(it, condition, self.module.zero(self.lanes_type())))
    }

    /// Returns the lanes of a node, and what waits for lanes that did not come to it.
    fn arrive(&self, region: usize, node: usize) -> (Mask, Pending) {
        let Some(it) = self.active.last() else { return (None, Pending::new()) };
        match self.masks.get(&(region, node)) {
            None => (it.mask, Pending::new()),
            Some(slot) => {
                let mask = self.module.load(self.lanes_type(), *slot, 64);
                (Some(mask), it.pending.get(&node).cloned().unwrap_or_default())
            }
        }
    }

    /// Skips a node if no lane has come to it.
    fn guard(&mut self, (region, node): (usize, usize), mask: Mask, pending: &Pending) {
        let may_vanish = self.divergence.is_divergent(region);
        let Some(mask) = mask.filter(|_| may_vanish || !pending.is_empty()) else { return };
        let mut targets = pending.clone();
        if may_vanish {
            targets.insert(END);
        }
        let level = self.active.len() - 1;
        let skip = self.entry(level, targets);
        if let Some(slot) = self.hints.get(&(region, node)) {
            let test = self.module.block(self.values.function);
            let hint = self.module.load(self.module.int(1), *slot, 64);
            self.module.cond_br(hint, test, skip);
            self.module.at_end(test);
        }
        let run = self.module.block(self.values.function);
        self.module.cond_br(self.any(mask), run, skip);
        self.module.at_end(run);
    }

    fn inner_loop(&mut self, region: usize, node: usize, inner: usize) {
        let (mask, pending) = self.arrive(region, node);
        if self.masks.contains_key(&(region, node)) {
            self.guard((region, node), mask, &pending);
        }
        let Some(live) = self.live.get(&inner).copied() else {
            self.region(inner, mask, pending);
            return;
        };
        self.module.store(mask.unwrap_or_else(|| self.all()), live, 64);
        let out = self.region(inner, mask, pending.clone());
        self.module.at_end(out);
        let mut targets = pending;
        for (_, to) in self.graph.edges(region, node) {
            targets.insert(if to == OUT { END } else { to });
        }
        let level = self.active.len() - 1;
        self.go(level, targets);
    }

    fn block(&mut self, region: usize, node: usize) {
        let (mask, pending) = self.arrive(region, node);
        if self.masks.contains_key(&(region, node)) && self.has_effects(node) {
            self.guard((region, node), mask, &pending);
        }
        let (graph, divergence) = (self.graph, self.divergence);
        let lasts = divergence.is_always_run(graph, node);
        for it in self.phis_of(node) {
            let kept = self.module.load(self.values.kept_type(divergence, it), self.phis[&it], 64);
            let value = self.values.meaning(divergence, it, kept);
            self.values.define(divergence, it, value, lasts);
        }
        let instructions = &graph.nodes[node].instructions;
        let mut code = BlockCode { values: &mut self.values, divergence, mask, lasts };
        for &it in &instructions[..instructions.len() - 1] {
            if code.values.module.opcode(it) != Some(Op::LLVMPHI) {
                code.instruction(it);
            }
        }
        self.leave_block(region, node, mask, pending);
    }

    /// Whether a block must not run without an active lane, or had better not.
    fn has_effects(&self, node: usize) -> bool {
        let module = self.module;
        self.graph.nodes[node].instructions.iter().any(|it| match module.opcode(*it) {
            Some(Op::LLVMCall) => !is_hint(module, *it) && !is_lanewise(module, *it),
            Some(opcode) => {
                is_division(opcode)
                    || matches!(opcode, Op::LLVMLoad | Op::LLVMStore | Op::LLVMAtomicRMW)
                    || matches!(opcode, Op::LLVMAtomicCmpXchg | Op::LLVMFence)
            }
            None => false,
        })
    }

    /// Emits the terminator of a block.
    fn leave_block(&mut self, region: usize, node: usize, mask: Mask, pending: Pending) {
        let module = self.module;
        let graph = self.graph;
        let end = graph.nodes[node].instructions[graph.nodes[node].instructions.len() - 1];
        module.locate_as(end);
        let successors = &graph.nodes[node].successors;
        if region == 0 && node == graph.regions[0].latch {
            let level = self.active.len() - 1;
            return self.go(level, Pending::from_iter([END]));
        }
        let (then, other) = match successors[..] {
            [then, other] if then != other => (then, other),
            _ => {
                let to = successors.first().copied().flatten();
                self.edges(node, &[(to, mask)]);
                return self.follow(region, node, to, pending);
            }
        };
        let condition = module.operands(end)[0];
        let is_partial = self.masks.contains_key(&(region, node));
        if !is_partial && self.divergence.shape(condition) == Shape::Uniform {
            let test = self.values.base(self.divergence, condition);
            let ways = [module.block(self.values.function), module.block(self.values.function)];
            module.cond_br(test, ways[0], ways[1]);
            let saved = self.values.saved();
            for (way, to) in ways.into_iter().zip([then, other]) {
                module.at_end(way);
                self.values.restore(saved.clone());
                self.edges(node, &[(to, mask)]);
                self.follow(region, node, to, pending.clone());
            }
            return;
        }
        let test = self.values.lanes(self.divergence, condition);
        self.give_hints(node, condition, &[then, other]);
        let masks = [self.and(mask, test), self.and(mask, module.negated(test))];
        self.edges(node, &[(then, Some(masks[0])), (other, Some(masks[1]))]);
        let mut targets = pending;
        for to in [then, other] {
            let to = graph.target(region, node, to);
            targets.insert(if to == OUT { END } else { to });
        }
        let level = self.active.len() - 1;
        self.go(level, targets);
    }

    /// Stores whether a lane may come to the targets of a branch, where that is cheap to say.
    fn give_hints(&mut self, node: usize, condition: Val, targets: &[Option<usize>; 2]) {
        for (to, holds) in targets.iter().zip([true, false]) {
            let Some(to) = *to else { continue };
            let region = self.graph.nodes[to].region;
            let region = if self.graph.regions[region].header == to {
                self.graph.regions[region].parent.unwrap_or(0)
            } else {
                region
            };
            let Some(slot) = self.hints.get(&(region, to)).copied() else { continue };
            if self.graph.predecessors(to) == [node]
                && let Some(may) = self.may_hold(condition, holds)
            {
                self.module.store(may, slot, 64);
            }
        }
    }

    /// Returns whether a comparison of a linear with a uniform value may be as wanted in some lane.
    fn may_hold(&mut self, condition: Val, wanted: bool) -> Option<Val> {
        let test = LinearTest::new(self.module, self.divergence, condition, wanted)?;
        Some(test.may_hold(&mut self.values, self.divergence))
    }

    /// Goes on where all lanes of a block go.
    fn follow(&mut self, region: usize, node: usize, to: Option<usize>, mut pending: Pending) {
        let level = self.active.len() - 1;
        match self.graph.target(region, node, to) {
            OUT if self.divergence.is_divergent(region) => {
                pending.insert(END);
                self.go(level, pending);
            }
            OUT => self.leave(level, to),
            target => {
                pending.insert(target);
                self.go(level, pending);
            }
        }
    }

    /// Leaves a loop with all its lanes.
    fn leave(&mut self, level: usize, to: Option<usize>) {
        let Some(above) = level.checked_sub(1) else { return self.module.unreachable() };
        let around = self.active[above].region;
        let mut targets = self.active[level].outer.clone();
        match to.map_or(OUT, |it| self.graph.node_of(around, it)) {
            OUT if !self.divergence.is_divergent(around) => return self.leave(above, to),
            OUT => targets.insert(END),
            target => targets.insert(target),
        };
        self.go(above, targets);
    }

    /// Branches to the first of some nodes of a region; the others wait.
    fn go(&mut self, level: usize, targets: Pending) {
        let to = self.entry(level, targets);
        self.module.br(to);
    }

    /// Returns the block in which the first of some nodes begins; the others wait for it.
    fn entry(&mut self, level: usize, mut targets: Pending) -> Block {
        let first = targets.pop_first().unwrap_or(END);
        let (module, function) = (self.module, self.values.function);
        let active = &mut self.active[level];
        active.pending.entry(first).or_default().extend(targets);
        *active.entries.entry(first).or_insert_with(|| module.block(function))
    }

    /// Adds lanes to the masks of the targets of edges, and stores the values of their phis. All values are read before
    /// one is stored.
    fn edges(&mut self, from: usize, edges: &[(Option<usize>, Mask)]) {
        let mut stores = Vec::new();
        for &(to, mask) in edges {
            let Some(to) = to else { continue };
            let masked = self.divergence.is_join(to) || self.leaves_divergent(from, to);
            for phi in self.phis_of(to) {
                let block = self.graph.nodes[from].block;
                let Some((_, value)) = self.module.incoming(phi).into_iter().find(|it| it.0 == block) else {
                    continue;
                };
                let slot = self.phis[&phi];
                let mut new = match self.divergence.shape(phi) {
                    Shape::Varying => self.values.lanes(self.divergence, value),
                    _ => self.values.base(self.divergence, value),
                };
                if let (Some(mask), true, Shape::Varying) = (mask, masked, self.divergence.shape(phi))
                    && !self.loses_mask(to)
                {
                    let old = self.module.load(self.module.type_of(new), slot, 64);
                    new = self.values.blend(mask, new, old);
                }
                stores.push((new, slot));
            }
            if let Some(slot) = self.mask_slot(from, to) {
                let old = self.module.load(self.lanes_type(), slot, 64);
                let new = mask.map_or_else(|| self.all(), |it| self.module.or(old, it));
                stores.push((new, slot));
            }
        }
        for (value, slot) in stores {
            self.module.store(value, slot, 64);
        }
    }

    /// Whether a block is the one whose values lose their masks, by mistake.
    fn loses_mask(&mut self, block: usize) -> bool {
        let may = self.graph.nodes[block].region == 0 && self.module.mistake.get() == Some(Mistake::LostMask);
        may && *self.unmasked.get_or_insert(block) == block
    }

    /// Whether an edge leaves a divergent loop.
    fn leaves_divergent(&self, from: usize, to: usize) -> bool {
        let mut at = self.graph.nodes[from].region;
        loop {
            let region = &self.graph.regions[at];
            if (region.header..region.end).contains(&to) {
                return false;
            }
            if self.divergence.is_divergent(at) {
                return true;
            }
            let Some(parent) = region.parent else { return false };
            at = parent;
        }
    }

    /// Returns the slot of the mask of an edge's target, if it has one.
    fn mask_slot(&self, from: usize, to: usize) -> Option<Val> {
        let region = self.graph.nodes[to].region;
        let it = &self.graph.regions[region];
        if to != it.header {
            return self.masks.get(&(region, to)).copied();
        }
        if from == it.latch {
            return self.masks.get(&(region, END)).copied();
        }
        self.masks.get(&(it.parent?, to)).copied()
    }

    /// Sets the value of a phi of the item loop's header.
    pub(super) fn set(&mut self, phi: Val, value: Wide) {
        self.values.define(self.divergence, phi, value, true);
    }

    /// Returns the value of an instruction at the end of an iteration.
    pub(super) fn value(&mut self, it: Val) -> Wide {
        self.values.get(self.divergence, it)
    }
}

/// Whether the only branch that leads to a node compares a linear with a uniform value.
fn has_hint(module: &Module, graph: &Graph, divergence: &Divergence, (region, node): (usize, usize)) -> bool {
    let [from] = graph.predecessors(node)[..] else { return false };
    let [then, other] = graph.nodes[from].successors[..] else { return false };
    let end = graph.nodes[from].instructions.last();
    let condition = end.and_then(|it| module.operands(*it).first().copied());
    then != other
        && graph.nodes[from].region == region
        && condition.is_some_and(|it| LinearTest::new(module, divergence, it, then == Some(node)).is_some())
}
