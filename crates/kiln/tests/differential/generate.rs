//! Random well-typed Julia programs: every variable has a known type, so that whatever is generated infers to static
//! code, and any difference between interpreter and compiler is a bug.
#![expect(clippy::wildcard_enum_match_arm, reason = "random choices have a last one")]

mod semantics;

use kiln_testing::random::Rng;
use std::fmt::Write as _;

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Int(u32),
    UInt(u32),
    Float(u32),
    Bool,
    /// `Tuple{Int64, Float64}`.
    Tuple,
    /// `Box2`, a struct of `Int32` and `Float32`.
    Struct,
    /// `Union{Nothing, Int64}`.
    Maybe,
    /// `Union{Int32, Int64}`: arithmetic and comparisons of it are split.
    Either,
    /// `Union{Int8, UInt16, Float32}`.
    OneOfThree,
}

const INTS: &[Ty] = &[Ty::Int(8), Ty::Int(16), Ty::Int(32), Ty::Int(64), Ty::Int(128)];
const UINTS: &[Ty] = &[Ty::UInt(8), Ty::UInt(16), Ty::UInt(32), Ty::UInt(64), Ty::UInt(128)];
const NUMBERS: &[Ty] = &[
    Ty::Int(8),
    Ty::Int(16),
    Ty::Int(32),
    Ty::Int(64),
    Ty::Int(64),
    Ty::Int(128),
    Ty::UInt(8),
    Ty::UInt(16),
    Ty::UInt(32),
    Ty::UInt(64),
    Ty::UInt(128),
    Ty::Float(32),
    Ty::Float(64),
    Ty::Float(64),
];

impl Ty {
    pub(crate) fn name(self) -> String {
        match self {
            Ty::Int(bits) => format!("Int{bits}"),
            Ty::UInt(bits) => format!("UInt{bits}"),
            Ty::Float(bits) => format!("Float{bits}"),
            Ty::Bool => "Bool".into(),
            Ty::Tuple => "Tuple{Int64, Float64}".into(),
            Ty::Struct => "Box2".into(),
            Ty::Maybe => "Union{Nothing, Int64}".into(),
            Ty::Either => "Union{Int32, Int64}".into(),
            Ty::OneOfThree => "Union{Int8, UInt16, Float32}".into(),
        }
    }
    fn is_integer(self) -> bool {
        matches!(self, Ty::Int(_) | Ty::UInt(_))
    }
}

/// Definitions that every program may use: a struct, and a function with a method a kind of number.
const BASICS: &str = "
struct Box2
    a::Int32
    b::Float32
end
mutable struct Cell{T}
    n::T
end
struct OutOfFuel <: Exception end
@noinline out_of_fuel() = throw(OutOfFuel())
function bump(c, x)
    k = 0
    fuel = 100
    while c.n < x && k < 5
        fuel <= 0 && out_of_fuel()
        fuel -= 1
        c.n += max(one(x), x >> 1)
        k += 1
    end
    c.n
end
pick(x::Signed) = x + one(x)
pick(x::Unsigned) = x - one(x)
pick(x::AbstractFloat) = x * x
pick(x::Bool) = !x
@noinline called(x::Int64, y::Int64) = x > y ? x - y : y - x
maybe(x::Int64) = x > 0 ? x : nothing
value(::Nothing) = -1
value(x::Int64) = x
either(x::Int64) = x % Int8 > 0 ? x : x % Int32
three(x::Int64) = x < -9 ? x % Int8 : x > 9 ? Float32(x) : x % UInt16
kind(x::Signed) = Int64(x) + 1
kind(x::Unsigned) = Int64(x) * 2
kind(x::AbstractFloat) = x > 100 ? 3 : 4
both(::Int32, y::Int32) = Int64(y)
both(x::Int64, ::Int32) = x
both(x, y::Int64) = y - x
";

/// All of them.
pub(crate) fn prelude() -> String {
    format!("{BASICS}{}", semantics::PRELUDE)
}

/// A program: functions, the last of which is the entry, and the types of its arguments.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) entry: String,
    pub(crate) args: Vec<Ty>,
}

/// Turns that the loops of one program may take, all together. No program needs half of them; one that a wrong compiler
/// keeps in a loop ends by throwing `OutOfFuel`, which no interpreted one does. It is counted down, by `sub_int`.
const FUEL: usize = 10_000;

struct Writer<'a> {
    rng: &'a mut Rng,
    out: String,
    vars: Vec<(String, Ty)>,
    fresh: usize,
    indent: usize,
}

/// The program of this seed.
pub(crate) fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let entry = format!("entry_{seed}");
    let args: Vec<Ty> = (0..1 + rng.below(3)).map(|_| *rng.pick(NUMBERS)).collect();
    let mut writer = Writer { rng: &mut rng, out: String::new(), vars: Vec::new(), fresh: 0, indent: 1 };
    let mut header = Vec::new();
    for (n, ty) in args.iter().enumerate() {
        header.push(format!("a{n}::{}", ty.name()));
        writer.vars.push((format!("a{n}"), *ty));
    }
    writer.line(&format!("fuel = {FUEL}"));
    let count = 2 + writer.rng.below(6);
    for _ in 0..count {
        writer.statement(2);
    }
    let result = writer.result();
    let text = format!("function {entry}({})\n{}    return {result}\nend\n", header.join(", "), writer.out);
    Program { text, entry, args }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.indent));
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn any_type(&mut self) -> Ty {
        match self.rng.below(10) {
            0 => Ty::Tuple,
            1 => Ty::Struct,
            2 => Ty::Maybe,
            3 => Ty::Bool,
            4 => Ty::Either,
            5 => Ty::OneOfThree,
            _ => *self.rng.pick(NUMBERS),
        }
    }

    fn declare(&mut self, depth: usize) {
        let ty = self.any_type();
        let value = self.expr(ty, depth);
        let name = self.name();
        self.line(&format!("{name} = {value}"));
        self.vars.push((name, ty));
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0..=3 => self.declare(2),
            4 | 5 => self.assign(),
            6 => self.branch(depth),
            7 => self.counted_loop(depth),
            _ => self.while_loop(depth),
        }
    }

    /// Assigns a variable of its own type, so that it stays well typed.
    fn assign(&mut self) {
        let local: Vec<(String, Ty)> = self.vars.iter().filter(|it| it.0.starts_with('v')).cloned().collect();
        if local.is_empty() {
            return self.declare(2);
        }
        let (name, ty) = self.rng.pick(&local).clone();
        let value = self.expr(ty, 2);
        self.line(&format!("{name} = {value}"));
    }

    fn block(&mut self, depth: usize) {
        let outer = self.vars.len();
        self.indent += 1;
        for _ in 0..1 + self.rng.below(2) {
            self.statement(depth - 1);
        }
        self.indent -= 1;
        // What was declared inside may not be set outside.
        self.vars.truncate(outer);
    }

    /// A turn of a loop.
    fn burn(&mut self) {
        self.indent += 1;
        self.line("fuel <= 0 && out_of_fuel()");
        self.line("fuel -= 1");
        self.indent -= 1;
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.expr(Ty::Bool, 2);
        self.line(&format!("if {condition}"));
        self.block(depth);
        if self.rng.one_in(2) {
            self.line("else");
            self.block(depth);
        }
        self.line("end");
    }

    fn counted_loop(&mut self, depth: usize) {
        let name = self.name();
        let header = match self.rng.below(3) {
            0 => format!("for {name} in 1:{}", 1 + self.rng.below(5)),
            1 => format!("for {name} in {}:-2:1", 1 + self.rng.below(7)),
            _ => format!("for {name} in (1, 5, -3)"),
        };
        self.line(&header);
        self.vars.push((name.replace('v', "i"), Ty::Int(64)));
        let bound = self.vars.pop().map(|it| it.0).unwrap_or_default();
        self.out = self.out.replace(&format!("for {name} in"), &format!("for {bound} in"));
        self.vars.push((bound, Ty::Int(64)));
        self.burn();
        self.block(depth);
        self.vars.pop();
        self.line("end");
    }

    fn while_loop(&mut self, depth: usize) {
        let counter = self.name().replace('v', "n");
        self.line(&format!("{counter} = 0"));
        let limit = 1 + self.rng.below(4);
        self.line(&format!("while {counter} < {limit}"));
        self.burn();
        self.indent += 1;
        self.line(&format!("{counter} += 1"));
        if self.rng.one_in(3) {
            let condition = self.expr(Ty::Bool, 1);
            let leave = if self.rng.one_in(2) { "break" } else { "continue" };
            self.line(&format!("{condition} && {leave}"));
        }
        self.indent -= 1;
        self.block(depth);
        self.line("end");
    }

    fn variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<String> = self.vars.iter().filter(|it| it.1 == ty).map(|it| it.0.clone()).collect();
        (!fitting.is_empty()).then(|| self.rng.pick(&fitting).clone())
    }

    fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Int(bits) => {
                let special = ["0", "1", "-1", "2", "7", "-13", "100"];
                match self.rng.below(9) {
                    0 => format!("typemin(Int{bits})"),
                    1 => format!("typemax(Int{bits})"),
                    _ => format!("Int{bits}({})", self.rng.pick(&special)),
                }
            }
            Ty::UInt(bits) => match self.rng.below(6) {
                0 => format!("typemax(UInt{bits})"),
                _ => format!("UInt{bits}({})", self.rng.pick(&["0", "1", "2", "5", "63", "200"])),
            },
            Ty::Float(bits) => {
                let special = [
                    "0.0", "-0.0", "1.0", "-1.5", "0.1", "1.0e10", "-3.25e-3", "Inf", "-Inf", "NaN", "255.9",
                ];
                format!("Float{bits}({})", self.rng.pick(&special))
            }
            Ty::Bool => (*self.rng.pick(&["true", "false"])).to_owned(),
            Ty::Tuple => format!("({}, {})", self.literal(Ty::Int(64)), self.literal(Ty::Float(64))),
            Ty::Struct => format!("Box2({}, {})", self.literal(Ty::Int(32)), self.literal(Ty::Float(32))),
            Ty::Maybe => format!("maybe({})", self.literal(Ty::Int(64))),
            Ty::Either => format!("either({})", self.literal(Ty::Int(64))),
            Ty::OneOfThree => format!("three({})", self.literal(Ty::Int(64))),
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        match self.variable(ty) {
            Some(name) if !self.rng.one_in(4) => name,
            Some(_) | None => self.literal(ty),
        }
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        match ty {
            Ty::Int(_) | Ty::UInt(_) => self.integer(ty, depth - 1),
            Ty::Float(_) => self.float(ty, depth - 1),
            Ty::Bool => self.boolean(depth - 1),
            Ty::Tuple => match self.rng.below(3) {
                0 => self.leaf(ty),
                _ => format!(
                    "({}, {})",
                    self.expr(Ty::Int(64), depth - 1),
                    self.expr(Ty::Float(64), depth - 1)
                ),
            },
            Ty::Struct => match self.rng.below(3) {
                0 => self.leaf(ty),
                _ => format!(
                    "Box2({}, {})",
                    self.expr(Ty::Int(32), depth - 1),
                    self.expr(Ty::Float(32), depth - 1)
                ),
            },
            Ty::Maybe => match self.rng.below(3) {
                0 => self.leaf(ty),
                _ => format!("maybe({})", self.expr(Ty::Int(64), depth - 1)),
            },
            Ty::Either => match self.rng.below(4) {
                0 => self.leaf(ty),
                1 => {
                    let op = *self.rng.pick(&["+", "-", "*", "&", "max"]);
                    format!("({op})({}, {})", self.expr(ty, depth - 1), self.expr(ty, depth - 1))
                }
                _ => format!("either({})", self.expr(Ty::Int(64), depth - 1)),
            },
            Ty::OneOfThree => match self.rng.below(3) {
                0 => self.leaf(ty),
                _ => format!("three({})", self.expr(Ty::Int(64), depth - 1)),
            },
        }
    }

    /// Integers made through variables that are assigned.
    fn integer_of_variables(&mut self, kind: usize, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match kind {
            16 => {
                let (a, b) = (self.leaf(ty), self.leaf(ty));
                let condition = self.expr(Ty::Bool, depth);
                format!("(let r = Ref({a}); {condition} && (r[] += {b}); r[] end)")
            }
            17 => format!("(let c = Cell({}); bump(c, {}) + c.n end)", self.leaf(ty), self.leaf(ty)),
            // A variable that a closure captures and assigns, so that it is boxed. Outside its type is told: what is found
            // out after inference goes only so far.
            22 => {
                let (a, b) = (self.leaf(ty), self.leaf(ty));
                let condition = self.expr(Ty::Bool, depth);
                format!("(let c = {a}, f = t -> (c += t); {condition} && f({b}); f({a}); c end)::{name}")
            }
            23 => {
                let (a, b) = (self.leaf(ty), self.expr(ty, depth));
                format!(
                    "(let c = {a}, f = t -> (c = max(c, t)); for x in ({a}, {b}, {a}); f(x); c -= x; end; c end)::{name}"
                )
            }
            _ => {
                let (a, b) = (self.leaf(ty), self.expr(ty, depth));
                format!("(let t = ({a}, {b}, {a}), s = {a}; for x in t; s ⊻= x; end; s end)")
            }
        }
    }

    fn integer(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(if ty == Ty::Int(64) { 28 } else { 24 }) {
            24.. => self.meaning(depth),
            0 | 1 => self.leaf(ty),
            2..=5 => {
                let op = *self.rng.pick(&["+", "-", "*", "&", "|", "⊻"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            6 => {
                let op = *self.rng.pick(&["÷", "%", "div", "mod", "fld", "cld", "min", "max"]);
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                if op.chars().all(char::is_alphabetic) {
                    format!("{op}({a}, {b})")
                } else {
                    format!("({a} {op} {b})")
                }
            }
            7 => {
                let op = *self.rng.pick(&["<<", ">>", ">>>"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(Ty::Int(64), depth))
            }
            8 => format!("{}({})", self.rng.pick(&["-", "~", "abs", "pick", "bswap"]), self.expr(ty, depth)),
            9 => {
                // A conversion that may throw InexactError.
                let from = *self.rng.pick(NUMBERS);
                format!("{name}({})", self.expr(from, depth))
            }
            10 => {
                let from = if self.rng.one_in(2) { *self.rng.pick(INTS) } else { *self.rng.pick(UINTS) };
                format!("({} % {name})", self.expr(from, depth))
            }
            11 => format!(
                "({} ? {} : {})",
                self.expr(Ty::Bool, depth),
                self.expr(ty, depth),
                self.expr(ty, depth)
            ),
            12 if ty == Ty::Int(64) => format!("({})[1]", self.expr(Ty::Tuple, depth)),
            13 if ty == Ty::Int(64) => format!("value({})", self.expr(Ty::Maybe, depth)),
            14 if ty == Ty::Int(64) => {
                format!("called({}, {})", self.expr(Ty::Int(64), depth), self.expr(Ty::Int(64), depth))
            }
            12 if ty == Ty::Int(32) => format!("({}).a", self.expr(Ty::Struct, depth)),
            15 if ty == Ty::Int(64) => {
                let captured = self.leaf(Ty::Int(64));
                // A variable of its own: one that is assigned twice would be boxed, and its type lost.
                let (a, b) = (self.leaf(Ty::Int(64)), self.leaf(Ty::Int(64)));
                format!("(let c = {captured}; sum(map(t -> t + c, ({a}, {b}))) end)")
            }
            within @ (16..=18 | 22 | 23) => self.integer_of_variables(within, ty, depth),
            19 if ty == Ty::Int(64) => {
                let union = if self.rng.one_in(2) { Ty::Either } else { Ty::OneOfThree };
                format!("kind({})", self.expr(union, depth))
            }
            20 if ty == Ty::Int(64) => {
                format!("both({}, {})", self.expr(Ty::Either, depth), self.expr(Ty::Either, depth))
            }
            21 => format!("({} % {name})", self.expr(Ty::Either, depth)),
            _ => format!(
                "{name}({}({}))",
                self.rng.pick(&["count_ones", "leading_zeros", "trailing_zeros"]),
                self.expr(ty, depth)
            ),
        }
    }

    fn float(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(12) {
            0 | 1 => self.leaf(ty),
            2..=5 => {
                let op = *self.rng.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            6 => format!(
                "{}({})",
                self.rng.pick(&["-", "abs", "floor", "ceil", "trunc", "round", "pick"]),
                self.expr(ty, depth)
            ),
            7 => format!(
                "{}({}, {})",
                self.rng.pick(&["min", "max", "copysign", "rem"]),
                self.expr(ty, depth),
                self.expr(ty, depth)
            ),
            8 => {
                let from = *self.rng.pick(NUMBERS);
                format!("{name}({})", self.expr(from, depth))
            }
            9 => format!(
                "muladd({}, {}, {})",
                self.expr(ty, depth),
                self.expr(ty, depth),
                self.expr(ty, depth)
            ),
            10 if ty == Ty::Float(64) => format!("({})[2]", self.expr(Ty::Tuple, depth)),
            10 => format!("({}).b", self.expr(Ty::Struct, depth)),
            _ => format!("sqrt(abs({}))", self.expr(ty, depth)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.rng.below(10) {
            0 => self.leaf(Ty::Bool),
            8 => {
                let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">=", "==="]);
                format!("({} {op} {})", self.expr(Ty::Either, depth), self.expr(Ty::Either, depth))
            }
            9 => {
                let member = *self.rng.pick(&["Int8", "UInt16", "Float32", "Integer"]);
                format!("({} isa {member})", self.expr(Ty::OneOfThree, depth))
            }
            1 => format!("({} && {})", self.expr(Ty::Bool, depth), self.expr(Ty::Bool, depth)),
            2 => format!("({} || {})", self.expr(Ty::Bool, depth), self.expr(Ty::Bool, depth)),
            3 => format!("!({})", self.expr(Ty::Bool, depth)),
            4 => format!("({} === nothing)", self.expr(Ty::Maybe, depth)),
            5 => {
                let ty = *self.rng.pick(NUMBERS);
                let test = if ty.is_integer() { "iseven" } else { "isnan" };
                format!("{test}({})", self.expr(ty, depth))
            }
            _ => {
                // Also between different types.
                let (a, b) = (*self.rng.pick(NUMBERS), *self.rng.pick(NUMBERS));
                let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">=", "==="]);
                format!("({} {op} {})", self.expr(a, depth), self.expr(b, depth))
            }
        }
    }

    /// A tuple of everything alive, so that nothing computed is unused.
    fn result(&mut self) -> String {
        let maybe: Vec<(String, Ty)> = self.vars.clone();
        let shown = maybe.into_iter().take(8).map(|(name, ty)| match ty {
            Ty::Maybe => format!("value({name})"),
            Ty::Either | Ty::OneOfThree => format!("kind({name})"),
            _ => name,
        });
        let shown: Vec<String> = shown.collect();
        format!("({},)", shown.join(", "))
    }
}
