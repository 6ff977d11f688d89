//! Expressions about what programs mean rather than what they compute: which method is called, which element is taken, when
//! a variable begins, in which order arguments are evaluated.

use super::{Ty, Writer};

/// Definitions that these expressions use.
pub(super) const PRELUDE: &str = "
narrow_only(x::Int32) = Int64(x) + 1
wide_only(x::Int64) = x - 1
first_only(x::Int8) = Int64(x)
middle_only(x::UInt16) = Int64(x) + 2
last_only(x::Float32) = x > 0 ? 5 : 6
outer_only(x::Union{Int8,Float32}) = kind(x)
plus_one(x::Union{Nothing,Int64}) = x + 1
@noinline kept_apart(x::Union{Int32,Int64}) = wide_only(x)
ordinal(::Val{N}) where {N} = N
apply(f, x, y) = f(x, y)
@noinline apply_apart(f, x, y) = f(y, x)
struct Two
    a::Int64
    b::Int64
end
@noinline two(a, b) = Two(a, b)
tick(c) = (c.n += 1; 3 * c.n)
keyed(x, y = x - 1; a = x + 1, b = 2a) = x - 3y + 5a - 7b
";

impl Writer<'_> {
    /// An `Int64` made in one of these ways.
    pub(super) fn meaning(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            0 => self.member_without_method(depth),
            1 => self.element_of_any_type(depth),
            2 => self.function_as_value(depth),
            3 => self.nested_loops(),
            4 => self.equal_fields(depth),
            _ => self.keyword_call(),
        }
    }

    /// A call for which some members of a union have no method.
    fn member_without_method(&mut self, depth: usize) -> String {
        let (callee, union) = *self.rng.pick(&[
            ("narrow_only", Ty::Either),
            ("wide_only", Ty::Either),
            ("kept_apart", Ty::Either),
            ("first_only", Ty::OneOfThree),
            ("middle_only", Ty::OneOfThree),
            ("last_only", Ty::OneOfThree),
            ("outer_only", Ty::OneOfThree),
            ("plus_one", Ty::Maybe),
        ]);
        format!("{callee}({})", self.expr(union, depth))
    }

    /// Mostly one of `1:count`.
    fn index(&mut self, count: usize) -> String {
        let value = self.leaf(Ty::Int(64));
        if self.rng.one_in(3) { format!("({value} & 3)") } else { format!("mod1({value}, {count})") }
    }

    /// `t[i]` of a tuple whose elements have different types.
    fn element_of_any_type(&mut self, depth: usize) -> String {
        let parts = [Ty::Int(8), Ty::UInt(16), Ty::Float(32), Ty::Int(64)];
        match self.rng.below(3) {
            0 => {
                let shown: Vec<String> = parts[..3].iter().map(|it| self.expr(*it, depth)).collect();
                format!("kind(({})[{}])", shown.join(", "), self.index(3))
            }
            1 => format!("value(({}, nothing)[{}])", self.expr(Ty::Int(64), depth), self.index(2)),
            _ => {
                let [a, b] = [self.leaf(Ty::Int(8)), self.leaf(Ty::Int(64))];
                format!("Int64(({a}, {b}, {a})[{}])", self.index(3))
            }
        }
    }

    /// Functions and other values that their types alone tell, chosen when the program runs.
    fn function_as_value(&mut self, depth: usize) -> String {
        let [a, b] = [self.leaf(Ty::Int(64)), self.leaf(Ty::Int(64))];
        match self.rng.below(4) {
            0 => format!("((+, -, max)[{}])({a}, {b})", self.index(3)),
            1 => format!("apply((min, *)[{}], {a}, {b})", self.index(2)),
            2 => format!("({} ? (-) : (⊻))({a}, {b})", self.expr(Ty::Bool, depth)),
            _ => format!("ordinal((Val(7), Val(-2), Val(5))[{}])", self.index(3)),
        }
    }

    /// Fields of one type, which only their places tell.
    fn equal_fields(&mut self, depth: usize) -> String {
        let (a, b) = (self.expr(Ty::Int(64), depth), self.leaf(Ty::Int(64)));
        format!("(let t = two({a}, {b}); t.a - 3t.b end)")
    }

    /// A loop over two variables whose body assigns both: each turn begins with what the ranges say.
    fn nested_loops(&mut self) -> String {
        let start = self.leaf(Ty::Int(64));
        let (m, n) = (1 + self.rng.below(4), 1 + self.rng.below(4));
        let (change, other) = (*self.rng.pick(&["+=", "-=", "="]), *self.rng.pick(&["+=", "="]));
        let inner = *self.rng.pick(&["1", "i"]);
        format!(
            "(let s = {start}; for i in 1:{m}, j in {inner}:{n}; s += 2i - 3j; i {change} j + 5; j {other} i; s ⊻= i + j; end; s end)"
        )
    }

    /// Keywords between other arguments, each of which changes what the next one sees.
    fn keyword_call(&mut self) -> String {
        let start = self.leaf(Ty::Int(64));
        let args = *self.rng.pick(&[
            "tick(c), b = tick(c), tick(c), a = 2tick(c)",
            "tick(c); a = tick(c) - c.n",
            "a = tick(c), tick(c)",
            "tick(c), tick(c), b = c.n",
        ]);
        format!("(let c = Cell({start}); keyed({args}) + c.n end)")
    }
}
