//! Divergence analysis: which values of an item loop are the same for all items, and which code only some items run.
//!
//! The items are the lanes of vectors. A value is uniform, linear (a base plus a constant times the lane, such as an
//! index or an address), or varying. A branch on a value that is not uniform is divergent. Nodes of a region between
//! such a branch and the node where all its ways meet are partial: only some of the region's lanes may be active
//! there. A branch in a partial node counts as divergent, whatever its condition. A loop is divergent if lanes may
//! leave it in different iterations; a value is uniform in such a loop if active lanes agree, and varying after it.
//!
//! The analysis starts with all values unknown, and repeats until nothing changes: shapes only go up.

use super::graph::{END, Graph, OUT};
use super::item_loop::ItemFrame;
use super::range::Ranges;
use crate::llvm::{Access, Module, TypeKind, Val};
use llvm_sys::LLVMOpcode as Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// How a value differs between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// It is the same in all active lanes.
    Uniform,
    /// It grows by this from one lane to the next, modulo the width of its type.
    Linear(i64),
    /// It is unknown.
    Varying,
}

impl Shape {
    fn join(self, other: Self) -> Self {
        if self == other { self } else { Shape::Varying }
    }
}

/// The result of the analysis.
#[derive(Debug)]
pub(super) struct Divergence {
    shapes: FxHashMap<Val, Shape>,
    /// The nodes, by region, that not all lanes of the region run.
    partial: FxHashSet<(usize, usize)>,
    /// The loops that lanes leave in different iterations.
    divergent: Vec<bool>,
    /// The blocks where lanes meet that came by different edges.
    joins: FxHashSet<usize>,
    /// For each region, the next node that all ways from a node pass.
    after: Vec<FxHashMap<usize, usize>>,
    ranges: RefCell<Ranges>,
    /// Whether lane 0 of the loop is active.
    has_first: bool,
}

impl Divergence {
    /// Analyses an item loop. `privates` is the memory that each item has for itself, with its bytes; `has_first`: lane 0 is
    /// always active.
    pub(super) fn new(
        module: &Module,
        graph: &Graph,
        frame: &ItemFrame,
        privates: &[(Val, u64)],
        has_first: bool,
    ) -> Self {
        let mut ranges = Ranges::default();
        let counter = frame.inductions[0].phi;
        // Launches have less than 2^31 items in each dimension.
        ranges.set(counter, (0, i64::from(i32::MAX) - 1));
        let mut this = Self {
            shapes: privates.iter().map(|it| (it.0, Shape::Linear(it.1 as i64))).collect(),
            partial: FxHashSet::default(),
            divergent: vec![false; graph.regions.len()],
            joins: FxHashSet::default(),
            after: (0..graph.regions.len()).map(|it| meeting_points(graph, it)).collect(),
            ranges: RefCell::new(ranges),
            has_first,
        };
        for it in &frame.inductions {
            this.shapes.insert(it.phi, Shape::Linear(it.step));
        }
        for it in &frame.reductions {
            this.shapes.insert(it.phi, Shape::Varying);
        }
        loop {
            let changed = this.values(module, graph);
            if !this.control(module, graph) && !changed {
                return this;
            }
        }
    }

    /// Returns how a value differs between lanes.
    pub(super) fn shape(&self, value: Val) -> Shape {
        self.shapes.get(&value).copied().unwrap_or(Shape::Uniform)
    }

    /// Whether only some of the lanes of a region may be active in a node.
    pub(super) fn is_partial(&self, region: usize, node: usize) -> bool {
        self.partial.contains(&(region, node))
    }

    /// Whether lanes may leave a loop in different iterations.
    pub(super) fn is_divergent(&self, region: usize) -> bool {
        self.divergent[region]
    }

    /// Whether the lanes of a block may have come by different edges.
    pub(super) fn is_join(&self, block: usize) -> bool {
        self.joins.contains(&block)
    }

    /// Whether each iteration of a block's region runs it, before everything that comes later in the order.
    pub(super) fn is_always_run(&self, graph: &Graph, block: usize) -> bool {
        let region = graph.nodes[block].region;
        let mut at = graph.regions[region].header;
        while at < block {
            at = self.after[region].get(&at).copied().unwrap_or(OUT);
        }
        at == block && !self.is_partial(region, block)
    }

    /// Whether a value is computed without wrapping, and that of a lane beyond the last active one would be.
    pub(super) fn is_far_from_wrapping(&self, module: &Module, value: Val, unsigned: bool) -> bool {
        self.ranges.borrow_mut().is_far_from_wrapping(module, value, unsigned)
    }

    /// Returns the least and the greatest value for any item, signed, if it is computed without wrapping.
    pub(super) fn range(&self, module: &Module, value: Val) -> Option<(i128, i128)> {
        self.ranges.borrow_mut().of(module, value, 0)
    }

    /// Updates the shapes of all values; returns whether one changed.
    fn values(&mut self, module: &Module, graph: &Graph) -> bool {
        let mut changed = false;
        for (number, node) in graph.nodes.iter().enumerate() {
            for &it in &node.instructions {
                let Some(new) = self.transfer(module, graph, number, it) else { continue };
                let old = self.shapes.get(&it).copied();
                let joined = old.map_or(new, |old| old.join(new));
                if old != Some(joined) {
                    self.shapes.insert(it, joined);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Returns the shape of a value of the loop if it is known, or of a value outside.
    fn known(&self, module: &Module, graph: &Graph, value: Val) -> Option<Shape> {
        match self.shapes.get(&value) {
            Some(shape) => Some(*shape),
            None => {
                let inside = module.opcode(value).is_some() && graph.number(module.block_of(value)).is_some();
                (!inside).then_some(Shape::Uniform)
            }
        }
    }

    /// Returns the shape of an instruction's result; `None` while its operands are unknown.
    fn transfer(&self, module: &Module, graph: &Graph, block: usize, it: Val) -> Option<Shape> {
        let opcode = module.opcode(it)?;
        if opcode == Op::LLVMPHI {
            return self.phi(module, graph, block, it);
        }
        let operands = module.operands(it);
        let shapes: Option<Vec<Shape>> =
            operands.iter().map(|value| self.known(module, graph, *value)).collect();
        let shapes = shapes?;
        let is_uniform = shapes.iter().all(|it| *it == Shape::Uniform);
        Some(match opcode {
            Op::LLVMLoad if module.access(it) == Access::Plain && is_uniform => Shape::Uniform,
            Op::LLVMCall if is_uniform && is_lanewise(module, it) => Shape::Uniform,
            Op::LLVMLoad
            | Op::LLVMCall
            | Op::LLVMStore
            | Op::LLVMAtomicRMW
            | Op::LLVMAtomicCmpXchg
            | Op::LLVMFence
            | Op::LLVMAlloca => Shape::Varying,
            _ if is_uniform => Shape::Uniform,
            _ => self.linear(module, graph, block, it, &shapes).map_or(Shape::Varying, Shape::Linear),
        })
    }

    fn phi(&self, module: &Module, graph: &Graph, block: usize, phi: Val) -> Option<Shape> {
        if block == graph.regions[0].header {
            return None; // set at the start
        }
        let region = graph.nodes[block].region;
        let mut shape: Option<Shape> = None;
        for (from, value) in module.incoming(phi) {
            let from = graph.number(from)?;
            let mut left = graph.nodes[from].region;
            while left != region && !(graph.regions[left].header..graph.regions[left].end).contains(&block) {
                if self.divergent[left] {
                    return Some(Shape::Varying);
                }
                left = graph.regions[left].parent?;
            }
            if let Some(of) = self.known(module, graph, value) {
                shape = Some(shape.map_or(of, |it| it.join(of)));
            }
        }
        if self.joins.contains(&block) { Some(Shape::Varying) } else { shape }
    }

    /// Returns the stride of the result of an operation with an operand that is not uniform.
    fn linear(&self, module: &Module, graph: &Graph, block: usize, it: Val, shapes: &[Shape]) -> Option<i64> {
        let stride = |at: usize| match shapes.get(at)? {
            Shape::Uniform => Some(0),
            Shape::Linear(stride) => Some(*stride),
            Shape::Varying => None,
        };
        let operands = module.operands(it);
        let opcode = module.opcode(it)?;
        let narrow = |ty| matches!(module.type_kind(ty), TypeKind::Int(2..=64) | TypeKind::Pointer);
        if !narrow(module.type_of(it)) {
            return None;
        }
        match opcode {
            Op::LLVMAdd => stride(0)?.checked_add(stride(1)?),
            Op::LLVMSub => stride(0)?.checked_sub(stride(1)?),
            Op::LLVMOr if module.is_disjoint(it) => stride(0)?.checked_add(stride(1)?),
            Op::LLVMMul => stride(0)?.checked_mul(module.int_constant(operands[1])?),
            Op::LLVMShl => {
                let by = module.int_constant(operands[1]).filter(|it| (0..32).contains(it))?;
                stride(0)?.checked_mul(1 << by)
            }
            Op::LLVMFreeze | Op::LLVMTrunc => stride(0),
            Op::LLVMPtrToInt | Op::LLVMIntToPtr => {
                let wide = |ty| matches!(module.type_kind(ty), TypeKind::Int(64) | TypeKind::Pointer);
                (wide(module.type_of(it)) && wide(module.type_of(operands[0]))).then(|| stride(0)).flatten()
            }
            Op::LLVMSExt => self.extended(module, graph, block, operands[0], false).then(|| stride(0))?,
            Op::LLVMZExt => self.extended(module, graph, block, operands[0], true).then(|| stride(0))?,
            Op::LLVMSelect if shapes[0] == Shape::Uniform => {
                (stride(1)? == stride(2)?).then(|| stride(1)).flatten()
            }
            Op::LLVMGetElementPtr => self.address(module, graph, block, it, shapes),
            _ => None,
        }
    }

    /// Whether the extension of a linear value is linear.
    fn extended(&self, module: &Module, graph: &Graph, block: usize, value: Val, unsigned: bool) -> bool {
        if !matches!(module.type_kind(module.type_of(value)), TypeKind::Int(2..=64)) {
            return false;
        }
        let mut ranges = self.ranges.borrow_mut();
        if unsigned {
            return ranges.is_natural(module, value);
        }
        // Where lane 0 is active, it does not wrap.
        let first_is_active = || {
            let mut region = graph.nodes[block].region;
            let mut node = block;
            loop {
                if self.is_partial(region, node) || self.divergent[region] {
                    return false;
                }
                match graph.regions[region].parent {
                    Some(parent) => (node, region) = (graph.regions[region].header, parent),
                    None => return self.has_first,
                }
            }
        };
        ranges.is_exact(module, value) || (module.has_no_signed_wrap(value) && first_is_active())
    }

    fn address(
        &self,
        module: &Module,
        graph: &Graph,
        block: usize,
        gep: Val,
        shapes: &[Shape],
    ) -> Option<i64> {
        let operands = module.operands(gep);
        let mut total = match shapes[0] {
            Shape::Uniform => 0,
            Shape::Linear(stride) => stride,
            Shape::Varying => return None,
        };
        let mut ty = module.indexed_type(gep);
        for (at, index) in operands.iter().enumerate().skip(1) {
            if at > 1 {
                ty = match module.type_kind(ty) {
                    TypeKind::Array => *module.element_types(ty).first()?,
                    TypeKind::Struct => {
                        let field = module.int_constant(*index)?;
                        *module.element_types(ty).get(field as usize)?
                    }
                    _ => return None,
                };
            }
            match shapes[at] {
                Shape::Uniform => {}
                Shape::Varying => return None,
                Shape::Linear(stride) => {
                    let is_wide = module.int_bits(module.type_of(*index)) == 64;
                    if !is_wide && !self.extended(module, graph, block, *index, false) {
                        return None;
                    }
                    let bytes = i64::try_from(module.bytes_of(ty)).ok()?;
                    total = total.checked_add(stride.checked_mul(bytes)?)?;
                }
            }
        }
        Some(total)
    }

    /// Updates partial nodes, joins and divergent loops; returns whether something changed.
    fn control(&mut self, module: &Module, graph: &Graph) -> bool {
        let mut changed = false;
        // Inner loops come later.
        for region in (0..graph.regions.len()).rev() {
            for &node in &graph.regions[region].nodes {
                if self.splits(module, graph, region, node) {
                    changed |= self.influence(graph, region, node);
                }
            }
            if region > 0 && !self.divergent[region] && self.leaves_apart(module, graph, region) {
                self.divergent[region] = true;
                changed = true;
            }
        }
        changed
    }

    /// Whether lanes of a node may go on to different nodes.
    fn splits(&self, module: &Module, graph: &Graph, region: usize, node: usize) -> bool {
        if region == 0 && node == graph.regions[0].latch {
            return false;
        }
        let mut targets = graph.edges(region, node).into_iter().map(|it| it.1);
        let first = targets.next();
        if targets.all(|it| Some(it) == first) {
            return false;
        }
        match graph.inner(region, node) {
            Some(inner) => self.divergent[inner] || self.is_partial(region, node),
            None => self.branches_apart(module, graph, node) || self.is_partial(region, node),
        }
    }

    /// Whether the condition of a block's branch differs between lanes.
    fn branches_apart(&self, module: &Module, graph: &Graph, block: usize) -> bool {
        let end = graph.nodes[block].instructions.last().copied();
        let condition = end.and_then(|it| module.operands(it).first().copied());
        condition.is_some_and(|it| self.shape(it) != Shape::Uniform)
    }

    /// Marks the nodes between a divergent branch and the node where its ways meet.
    fn influence(&mut self, graph: &Graph, region: usize, node: usize) -> bool {
        let meet = self.after[region].get(&node).copied().unwrap_or(OUT);
        let mut seen = FxHashSet::default();
        let mut waiting: Vec<usize> = graph.edges(region, node).into_iter().map(|it| it.1).collect();
        let mut changed = false;
        while let Some(at) = waiting.pop() {
            if at == OUT || !seen.insert(at) {
                continue;
            }
            if at != END && graph.inner(region, at).is_none() && graph.predecessors(at).len() > 1 {
                changed |= self.joins.insert(at);
            }
            if at != meet {
                changed |= self.partial.insert((region, at));
                if at != END {
                    waiting.extend(graph.edges(region, at).into_iter().map(|it| it.1));
                }
            }
        }
        changed
    }

    /// Whether lanes may leave a loop while others stay.
    fn leaves_apart(&self, module: &Module, graph: &Graph, region: usize) -> bool {
        let it = &graph.regions[region];
        (it.header..it.end).any(|from| {
            let leaves = |to: &Option<usize>| graph.target(region, from, *to) == OUT;
            let node = graph.node_of(region, from);
            graph.nodes[from].successors.iter().any(leaves)
                && (self.is_partial(region, node)
                    || self.branches_apart(module, graph, from)
                    || self.inside_divergent(graph, region, from))
        })
    }

    /// Whether a block of a region is in an inner loop that is divergent, or partial in one.
    fn inside_divergent(&self, graph: &Graph, region: usize, block: usize) -> bool {
        let mut at = graph.nodes[block].region;
        let mut node = block;
        while at != region {
            if self.divergent[at] || self.is_partial(at, node) {
                return true;
            }
            node = graph.regions[at].header;
            let Some(parent) = graph.regions[at].parent else { return true };
            at = parent;
        }
        false
    }
}

/// Returns, for each node of a region, the next node that all ways from it pass.
fn meeting_points(graph: &Graph, region: usize) -> FxHashMap<usize, usize> {
    let mut after = FxHashMap::from_iter([(END, OUT)]);
    for &node in graph.regions[region].nodes.iter().rev() {
        let targets = graph.edges(region, node).into_iter().map(|it| it.1);
        let meet = targets.reduce(|mut a, mut b| {
            while a != b {
                let earlier = if a < b { &mut a } else { &mut b };
                *earlier = after.get(earlier).copied().unwrap_or(OUT);
            }
            a
        });
        after.insert(node, meet.unwrap_or(OUT));
    }
    after
}

/// Whether a call is of an intrinsic that computes each lane by itself and has no effect.
pub(super) fn is_lanewise(module: &Module, call: Val) -> bool {
    module.called_name(call).is_some_and(|name| lanewise(&name).is_some())
}

/// Returns the name of an intrinsic without its types, and the number of its arguments that stay scalar, the last ones,
/// if it computes each lane by itself.
pub(super) fn lanewise(name: &str) -> Option<(String, usize)> {
    const PLAIN: &[&str] = &[
        "sqrt",
        "fabs",
        "fma",
        "fmuladd",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "copysign",
        "minnum",
        "maxnum",
        "minimum",
        "maximum",
        "minimumnum",
        "maximumnum",
        "umin",
        "umax",
        "smin",
        "smax",
        "ctpop",
        "bswap",
        "bitreverse",
        "fshl",
        "fshr",
        "canonicalize",
    ];
    const DOTTED: &[&str] = &[
        "uadd.sat",
        "usub.sat",
        "sadd.sat",
        "ssub.sat",
        "sadd.with.overflow",
        "uadd.with.overflow",
        "ssub.with.overflow",
        "usub.with.overflow",
        "smul.with.overflow",
        "umul.with.overflow",
    ];
    const WITH_FLAG: &[&str] = &["abs", "ctlz", "cttz", "is.fpclass"];
    let rest = name.strip_prefix("llvm.")?;
    let is = |it: &&&str| rest.strip_prefix(**it).is_some_and(|it| it.starts_with('.'));
    let found = |list: &[&str], scalars| list.iter().find(is).map(|it| (format!("llvm.{it}"), scalars));
    found(DOTTED, 0).or_else(|| found(WITH_FLAG, 1)).or_else(|| found(PLAIN, 0))
}

/// Whether a call says something to LLVM only, and vectors go without it.
pub(super) fn is_hint(module: &Module, call: Val) -> bool {
    const HINTS: [&str; 6] = [
        "llvm.lifetime",
        "llvm.assume",
        "llvm.dbg",
        "llvm.experimental.noalias",
        "llvm.donothing",
        "llvm.invariant",
    ];
    module.called_name(call).is_some_and(|name| HINTS.iter().any(|it| name.starts_with(it)))
}
