//! Random kernels: every variable has a known type, so that whatever is generated infers to static code, and what a
//! launch leaves does not depend on the order of items.
//!
//! Items write to slots of their own and to cells, by atomics whose sum has no order. Between two barriers an item writes
//! its own element of shared memory, or reads those of others: barriers come in pairs, so that this holds for items that
//! wait at different ones, too.
#![expect(clippy::wildcard_enum_match_arm, reason = "random choices have a last one")]

use crate::program::{Node, Program};
use kiln_testing::random::Rng;

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Int(u32),
    UInt(u32),
    Float(u32),
    Bool,
    /// `Tuple{Int32, Float32}`.
    Pair,
    /// A struct of `Float32` and `Int64`.
    Rec,
    /// A named tuple of `Float64` and `Int32`.
    Named,
    /// `Union{Nothing, Float32}`.
    Maybe,
    /// `Union{Int32, Float64}`.
    Either,
    /// `NTuple{4, Int32}`.
    Quad,
}

impl Ty {
    pub(crate) fn name(self) -> String {
        match self {
            Ty::Int(bits) => format!("Int{bits}"),
            Ty::UInt(bits) => format!("UInt{bits}"),
            Ty::Float(bits) => format!("Float{bits}"),
            Ty::Bool => "Bool".into(),
            Ty::Pair => "Tuple{Int32, Float32}".into(),
            Ty::Rec => "Rec".into(),
            Ty::Named => "Named".into(),
            Ty::Maybe => "Union{Nothing, Float32}".into(),
            Ty::Either => "Union{Int32, Float64}".into(),
            Ty::Quad => "NTuple{4, Int32}".into(),
        }
    }
}

/// Types of variables, the frequent ones more than once.
const TYPES: [Ty; 20] = [
    Ty::Float(32),
    Ty::Float(32),
    Ty::Float(32),
    Ty::Float(64),
    Ty::Float(64),
    Ty::Int(32),
    Ty::Int(32),
    Ty::Int(32),
    Ty::Int(64),
    Ty::Int(64),
    Ty::Int(8),
    Ty::UInt(16),
    Ty::UInt(32),
    Ty::Int(16),
    Ty::Pair,
    Ty::Rec,
    Ty::Named,
    Ty::Maybe,
    Ty::Either,
    Ty::Quad,
];

/// An exception that items may throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Throw {
    Bounds,
    Domain,
    Error,
    Inexact,
    Divide,
}

const THROWS: [Throw; 5] = [Throw::Bounds, Throw::Domain, Throw::Error, Throw::Inexact, Throw::Divide];

impl Throw {
    fn name(self) -> &'static str {
        match self {
            Throw::Bounds => "BoundsError",
            Throw::Domain => "DomainError",
            Throw::Error => "ErrorException",
            Throw::Inexact => "InexactError",
            Throw::Divide => "DivideError",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Throw::Bounds => "xi[g + 5000]",
            Throw::Domain => "throw(DomainError(g))",
            Throw::Error => "error(\"an item fails\")",
            Throw::Inexact => "Int8(g + 1000)",
            Throw::Divide => "throw(DivideError())",
        }
    }
}

/// Where a kernel has barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barriers {
    None,
    /// All items that are left meet at the same one.
    Uniform,
    /// Items may wait at different ones.
    Apart,
}

/// A function that kernels call.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// A function under construction.
pub(crate) struct Generator {
    pub rng: Rng,
    pub is_kernel: bool,
    pub barriers: Barriers,
    /// Whether warps meet: then no item returns early or throws.
    pub is_warp: bool,
    /// Whether the kernel is written for KernelAbstractions: then it has no `return`.
    pub is_portable: bool,
    pub has_private: bool,
    pub throws: Vec<Throw>,
    pub callees: Vec<Callee>,
    /// Variables, which statements assign.
    pub vars: Vec<(String, Ty)>,
    /// Parameters and counters of loops.
    pub fixed: Vec<(String, Ty)>,
    /// Variables of type `Int32` that have the same value in all items of a group.
    pub uniform: Vec<String>,
    /// Whether all items of a group that are left come here together.
    pub is_together: bool,
    /// For each loop around: whether items may leave it one by one.
    pub loops: Vec<bool>,
    /// Turns of the loops around, at most.
    pub turns: usize,
    /// The layouts of the output arrays.
    pub layouts: [usize; 5],
    pub names: usize,
    pub result: Ty,
}

/// The arrays that functions are given.
const INPUTS: &str = "xf, xd, xi, xl, xh, xb";
/// Launches have no more items, so that they can index the inputs.
const ITEMS_MAX: usize = 1000;
const SIZES: [[usize; 3]; 18] = [
    [1, 1, 1],
    [3, 1, 1],
    [7, 1, 1],
    [8, 1, 1],
    [16, 1, 1],
    [32, 1, 1],
    [33, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [100, 1, 1],
    [256, 1, 1],
    [7, 3, 1],
    [16, 4, 1],
    [33, 2, 1],
    [1, 16, 1],
    [3, 5, 2],
    [4, 4, 4],
    [8, 2, 3],
];

pub(crate) fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let throws = match rng.below(6) {
        0 => vec![*rng.pick(&THROWS)],
        1 => vec![*rng.pick(&THROWS), *rng.pick(&THROWS)],
        _ => Vec::new(),
    };
    let barriers = *rng.pick(&[Barriers::None, Barriers::None, Barriers::Uniform, Barriers::Apart]);
    let items = *rng.pick(&SIZES);
    let mut groups = [1 + rng.below(4), 1, 1];
    if items[1] > 1 {
        groups[1] = 1 + rng.below(2);
        groups[2] = 1 + rng.below(2);
    }
    while groups.iter().chain(&items).product::<usize>() > ITEMS_MAX {
        groups = [groups[0].div_ceil(2), 1, 1];
    }
    let is_portable = barriers != Barriers::Apart && rng.one_in(4);
    let is_warp = barriers == Barriers::Uniform && !is_portable && rng.one_in(3);
    let mut made = Generator {
        is_kernel: false,
        barriers: Barriers::None,
        is_warp,
        is_portable,
        has_private: false,
        throws: throws.clone(),
        callees: Vec::new(),
        vars: Vec::new(),
        fixed: Vec::new(),
        uniform: Vec::new(),
        is_together: false,
        loops: Vec::new(),
        turns: 1,
        layouts: std::array::from_fn(|_| rng.below(3)),
        names: 0,
        result: Ty::Bool,
        rng,
    };
    let mut functions: Vec<Node> = (0..made.rng.below(3)).map(|it| made.callee(it)).collect();
    // A range need not be a multiple of its groups, unless barriers give items values of others.
    let range: [usize; 3] = std::array::from_fn(|it| {
        let all = groups[it] * items[it];
        if is_portable && barriers == Barriers::None { all - made.rng.below(items[it]) } else { all }
    });
    let size: usize = range.iter().product();
    let limit = if made.rng.one_in(3) && !is_portable { size - made.rng.below(size) } else { size };
    let scalars = format!(
        "({size}, {limit}, Int32({}), Float32({}))",
        made.rng.below(5),
        made.rng.pick(&["1.5", "0.25", "-2.0"])
    );
    functions.push(made.kernel(barriers, items != [items[0], 1, 1], limit < size));
    let throws = throws.into_iter().map(Throw::name).collect();
    let meets = barriers != Barriers::None;
    let range = is_portable.then_some(range);
    Program { seed, functions, groups, items, range, scalars, throws, meets }
}

impl Generator {
    /// The variables that an expression may have.
    pub(crate) fn readable(&self) -> impl Iterator<Item = &(String, Ty)> {
        self.vars.iter().chain(&self.fixed)
    }

    pub(crate) fn name(&mut self, first: &str) -> String {
        self.names += 1;
        format!("{first}{}", self.names)
    }

    fn callee(&mut self, number: usize) -> Node {
        let params: Vec<Ty> = (0..1 + self.rng.below(3)).map(|_| *self.rng.pick(&TYPES)).collect();
        let result = *self.rng.pick(&TYPES);
        (self.vars, self.uniform, self.loops) = (Vec::new(), Vec::new(), Vec::new());
        self.fixed = params.iter().enumerate().map(|(at, ty)| (format!("a{at}"), *ty)).collect();
        (self.result, self.turns) = (result, 5);
        let mut body = Vec::new();
        for _ in 0..self.rng.below(4) {
            self.statement(2, &mut body);
        }
        let value = self.expr(result, 2);
        body.push(Node::fixed(format!("return {value}")));
        let name = format!("f{number}");
        let shown: Vec<String> = self.fixed.iter().map(|it| it.0.clone()).collect();
        let mark = *self.rng.pick(&["@noinline ", "@noinline ", "@noinline ", "", "@inline "]);
        let head = format!("{mark}function {name}(g, {INPUTS}, {})", shown.join(", "));
        self.callees.push(Callee { name, params, result });
        Node::block(head, body)
    }

    fn kernel(&mut self, barriers: Barriers, is_boxed: bool, is_ragged: bool) -> Node {
        (self.vars, self.fixed, self.uniform, self.loops) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        (self.is_kernel, self.barriers, self.is_together, self.turns) = (true, barriers, true, 1);
        let mut body = self.indices(is_boxed);
        self.fixed = vec![("g".into(), Ty::Int(64)), ("l".into(), Ty::Int(64)), ("s2".into(), Ty::Float(32))];
        self.fixed.push(("s1".into(), Ty::Int(32)));
        self.memory(&mut body);
        if is_ragged && !self.is_warp {
            body.push(Node::block("if g > limit", vec![Node::line("return")]));
        }
        if barriers == Barriers::Uniform {
            body.push(Node::line("u0 = cnt[b] + s1"));
            self.uniform.push("u0".into());
        }
        for _ in 0..2 + self.rng.below(3) {
            self.first(&mut body);
        }
        let (statements, depth) =
            if self.rng.one_in(4) { (3 + self.rng.below(6), 3) } else { (2 + self.rng.below(4), 2) };
        for _ in 0..statements {
            self.statement(depth, &mut body);
        }
        self.stores(&mut body);
        if !self.throws.contains(&Throw::Bounds) && self.rng.one_in(2) {
            body = vec![Node { is_fixed: true, ..Node::block("@inbounds begin", body) }];
        }
        let mark = if self.is_portable { "@kernel " } else { "" };
        if !self.is_portable {
            body.push(Node::fixed("return"));
        }
        let args = "of, od, oi, ol, oh, ci, cl, xf, xd, xi, xl, xh, xb, idx, cnt, n, limit, s1, s2";
        Node::block(format!("{mark}function k!({args})"), body)
    }

    /// Memory of the group and of the item.
    fn memory(&mut self, body: &mut Vec<Node>) {
        if self.barriers != Barriers::None {
            for (name, ty) in [("sf", "Float32"), ("si", "Int32")] {
                let shared = match self.is_portable {
                    true => format!("{name} = @localmem {ty} (256,)"),
                    false => format!("{name} = CuStaticSharedArray({ty}, 256)"),
                };
                body.push(Node::fixed(shared));
                body.push(Node::fixed(format!("{name}[l] = {ty}(0)")));
            }
        }
        self.has_private = self.rng.one_in(4);
        if !self.has_private {
            return;
        }
        if self.is_portable {
            body.push(Node::fixed("p = @private Int32 (4,)"));
            body.extend((1..5).map(|it| Node::fixed(format!("p[{it}] = {it} - s1"))));
        } else {
            body.push(Node::fixed("p = MVector{4, Int32}(1, -2, s1, 4)"));
        }
    }

    /// The statement at which items meet.
    pub(crate) fn barrier(&self) -> &'static str {
        if self.is_portable { "@synchronize" } else { "sync_threads()" }
    }

    /// The numbers of an item: in its group, of its group, in the launch.
    fn indices(&mut self, is_boxed: bool) -> Vec<Node> {
        let lines: &[&str] = if self.is_portable {
            &[
                "l = @index(Local, Linear)",
                "b = @index(Group, Linear)",
                "g = @index(Global, Linear)",
                "m = prod(@groupsize())",
            ]
        } else if is_boxed {
            &[
                "lx, ly, lz = Int(threadIdx().x), Int(threadIdx().y), Int(threadIdx().z)",
                "mx, my, mz = Int(blockDim().x), Int(blockDim().y), Int(blockDim().z)",
                "m = mx * my * mz",
                "l = ((lz - 1) * my + ly - 1) * mx + lx",
                "b = Int(((blockIdx().z - 1) * gridDim().y + blockIdx().y - 1) * gridDim().x + blockIdx().x)",
                "g = (b - 1) * m + l",
            ]
        } else if self.rng.one_in(2) {
            &[
                "l = Int(threadIdx().x)",
                "m = Int(blockDim().x)",
                "b = Int(blockIdx().x)",
                "g = (b - 1) * m + l",
            ]
        } else {
            &[
                "l = Int(threadIdx().x)",
                "m = Int(blockDim().x)",
                "b = Int(blockIdx().x)",
                "g = Int((blockIdx().x % Int32 - Int32(1)) * blockDim().x % Int32 + threadIdx().x % Int32)",
            ]
        };
        lines.iter().map(|it| Node::fixed(*it)).collect()
    }

    /// Everything alive is stored, so that nothing computed is unused.
    fn stores(&mut self, body: &mut Vec<Node>) {
        for (name, ty) in self.vars.clone() {
            let (name, ty) = match ty {
                Ty::Pair if self.rng.one_in(2) => (format!("{name}[1]"), Ty::Int(32)),
                Ty::Pair => (format!("{name}[2]"), Ty::Float(32)),
                Ty::Rec if self.rng.one_in(2) => (format!("{name}.a"), Ty::Float(32)),
                Ty::Rec => (format!("{name}.b"), Ty::Int(64)),
                Ty::Named if self.rng.one_in(2) => (format!("{name}.p"), Ty::Float(64)),
                Ty::Named => (format!("{name}.q"), Ty::Int(32)),
                Ty::Maybe => (format!("present({name})"), Ty::Float(32)),
                Ty::Either => (format!("number({name})"), Ty::Float(64)),
                Ty::Quad => (format!("({name}[1] ⊻ {name}[slot(g)])"), Ty::Int(32)),
                Ty::Bool => (format!("Int32({name})"), Ty::Int(32)),
                plain => (name, plain),
            };
            if let Some(slot) = self.own_slot(ty, 0) {
                body.push(Node::line(format!("{slot} += {name}")));
            } else {
                body.push(Node::line(format!("xor!(ci, 8, {name} % Int32)")));
            }
        }
        if self.has_private {
            let slot = self.own_slot(Ty::Int(32), 0).unwrap_or_default();
            body.push(Node::line(format!("{slot} += p[1] - p[2] + p[3] ⊻ p[4]")));
        }
    }

    /// An element of an output array that belongs to this item.
    pub(crate) fn own_slot(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let (array, layout) = match ty {
            Ty::Float(32) => ("of", self.layouts[0]),
            Ty::Float(64) => ("od", self.layouts[1]),
            Ty::Int(32) => ("oi", self.layouts[2]),
            Ty::Int(64) => ("ol", self.layouts[3]),
            Ty::UInt(16) => ("oh", self.layouts[4]),
            _ => return None,
        };
        let number = if depth > 0 && self.rng.one_in(3) {
            format!("Int(mod({}, 3))", self.expr(Ty::Int(32), 1))
        } else {
            self.rng.below(3).to_string()
        };
        Some(match layout {
            0 => format!("{array}[g + {number} * n]"),
            1 => format!("{array}[3g - {number}]"),
            _ => format!("{array}[3n + 1 - (3g - {number})]"),
        })
    }

    /// A variable that differs between items from the start.
    fn first(&mut self, out: &mut Vec<Node>) {
        let ty = *self.rng.pick(&TYPES);
        let value = match ty {
            Ty::Int(_) | Ty::UInt(_) | Ty::Float(_) => self.load(ty, 0),
            _ => self.expr(ty, 2),
        };
        let name = self.name("v");
        out.push(Node::line(format!("{name} = {value}")));
        self.vars.push((name, ty));
    }

    pub(crate) fn declare(&mut self, out: &mut Vec<Node>) {
        let ty = *self.rng.pick(&TYPES);
        let value = self.expr(ty, 2);
        let name = self.name("v");
        out.push(Node::line(format!("{name} = {value}")));
        self.vars.push((name, ty));
    }

    /// The text of a failing statement, if the program may throw.
    pub(crate) fn throwing(&mut self) -> Option<&'static str> {
        if self.throws.is_empty() || self.is_warp {
            return None;
        }
        let throws = self.throws.clone();
        Some(self.rng.pick(&throws).text())
    }
}
