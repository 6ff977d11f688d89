//! Expressions of a type, of the variables, arguments and arrays in scope.
#![expect(clippy::wildcard_enum_match_arm, reason = "random choices have a last one")]

use crate::generate::{Callee, Generator, Throw, Ty};

const INTEGERS: [Ty; 8] = [
    Ty::Int(8),
    Ty::Int(16),
    Ty::Int(32),
    Ty::Int(64),
    Ty::UInt(8),
    Ty::UInt(16),
    Ty::UInt(32),
    Ty::UInt(64),
];

impl Generator {
    pub(crate) fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        if self.rng.one_in(14)
            && let Some(call) = self.call(ty, depth - 1)
        {
            return call;
        }
        let depth = depth - 1;
        match ty {
            Ty::Int(_) | Ty::UInt(_) => self.integer(ty, depth),
            Ty::Float(_) => self.float(ty, depth),
            Ty::Bool => self.boolean(depth),
            _ => self.aggregate(ty, depth),
        }
    }

    /// A variable, or what else takes no computation.
    pub(crate) fn leaf(&mut self, ty: Ty) -> String {
        let fitting: Vec<String> = self.readable().filter(|it| it.1 == ty).map(|it| it.0.clone()).collect();
        if !fitting.is_empty() && !self.rng.one_in(5) {
            return self.rng.pick(&fitting).clone();
        }
        match ty {
            Ty::Int(64) if self.rng.one_in(3) => "g".into(),
            Ty::Int(_) | Ty::UInt(_) | Ty::Float(_) if self.rng.one_in(2) => self.load(ty, 0),
            _ => self.literal(ty),
        }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let name = ty.name();
        match ty {
            Ty::Int(_) => match self.rng.below(12) {
                0 => format!("typemin({name})"),
                1 => format!("typemax({name})"),
                _ => format!("{name}({})", self.rng.pick(&["0", "1", "-1", "2", "7", "-13", "100"])),
            },
            Ty::UInt(_) => match self.rng.below(8) {
                0 => format!("typemax({name})"),
                _ => format!("{name}({})", self.rng.pick(&["0", "1", "2", "5", "63", "200"])),
            },
            Ty::Float(_) => {
                let special =
                    ["0.0", "-0.0", "1.0", "-1.5", "0.1", "0.75", "3.0", "1.0e10", "-3.25e-3", "Inf", "NaN"];
                format!("{name}({})", self.rng.pick(&special))
            }
            Ty::Bool => format!("(g % {} == {})", 2 + self.rng.below(5), self.rng.below(2)),
            _ => self.aggregate(ty, 0),
        }
    }

    /// An index of the inputs, which is within bounds.
    pub(crate) fn index(&mut self, depth: usize) -> String {
        match self.rng.below(if self.is_kernel { 11 } else { 6 }) {
            0 => "g".into(),
            1 => (*self.rng.pick(&["g", "(g % Int32)", "Int32(g)"])).into(),
            2 => format!("g + {}", 1 + self.rng.below(9)),
            3 | 4 => {
                let ty = *self.rng.pick(&INTEGERS);
                format!("Int(mod({}, 1009)) + 1", self.expr(ty, depth.min(1)))
            }
            5 => format!("{}", 1 + self.rng.below(1009)),
            6 => "n + 1 - g".into(),
            7 => "b".into(),
            8 => "l".into(),
            _ => format!("idx[{}]", self.rng.pick(&["g", "l", "n + 1 - g", "g + 5"])),
        }
    }

    pub(crate) fn load(&mut self, ty: Ty, depth: usize) -> String {
        let (array, element) = match ty {
            Ty::Float(32) => ("xf", Ty::Float(32)),
            Ty::Float(_) => ("xd", Ty::Float(64)),
            Ty::Int(8) => ("xb", Ty::Int(8)),
            Ty::UInt(16) | Ty::UInt(8) => ("xh", Ty::UInt(16)),
            Ty::Int(64) | Ty::UInt(64) => ("xl", Ty::Int(64)),
            _ => ("xi", Ty::Int(32)),
        };
        let index = self.index(depth);
        let mut load = match self.rng.below(3) {
            0 => format!("(@inbounds {array}[{index}])"),
            _ => format!("{array}[{index}]"),
        };
        if self.is_kernel && self.rng.one_in(8) {
            load = self.own_slot(element, depth).unwrap_or(load);
        }
        if element == ty { load } else { format!("({load} % {})", ty.name()) }
    }

    fn call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let fitting: Vec<Callee> = self.callees.iter().filter(|it| it.result == ty).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.rng.pick(&fitting).clone();
        let args: Vec<String> = callee.params.iter().map(|it| self.expr(*it, depth.min(1))).collect();
        Some(format!("{}(g, xf, xd, xi, xl, xh, xb, {})", callee.name, args.join(", ")))
    }

    fn integer(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(22) {
            0 | 1 => self.leaf(ty),
            2..=5 => {
                let op = *self.rng.pick(&["+", "-", "*", "&", "|", "⊻"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            6 | 7 => {
                let op = *self.rng.pick(&["quot", "remainder", "modulo", "min", "max"]);
                format!("{op}({}, {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            8 => {
                // A variable is tested and divided by: nothing divides where the test fails.
                let (a, d) = (self.leaf(ty), self.leaf(ty));
                let op = *self.rng.pick(&["÷", "%"]);
                format!("(({d}) > 0 ? ({a}) {op} ({d}) : ({a}))")
            }
            9 => {
                let op = *self.rng.pick(&["<<", ">>", ">>>"]);
                let by = self.expr(Ty::Int(64), depth.min(1));
                let by = if self.rng.one_in(2) { format!("({by} & 7)") } else { by };
                format!("({} {op} {by})", self.expr(ty, depth))
            }
            10 => format!("{}({})", self.rng.pick(&["-", "~", "abs", "bswap"]), self.expr(ty, depth)),
            11 | 12 => {
                let from = *self.rng.pick(&INTEGERS);
                format!("({} % {name})", self.expr(from, depth))
            }
            13 => {
                let from = *self.rng.pick(&[Ty::Float(32), Ty::Float(64)]);
                format!("toint({name}, {})", self.expr(from, depth))
            }
            14 => self.choice(ty, depth),
            15 => format!(
                "clamp({}, {name}(1), {name}({}))",
                self.expr(ty, depth),
                self.rng.pick(&["3", "20", "100"])
            ),
            16 if ty == Ty::Int(64) => format!("({}).b", self.expr(Ty::Rec, depth)),
            16 | 17 if ty == Ty::Int(32) => match self.rng.below(4) {
                0 => format!("({})[1]", self.expr(Ty::Pair, depth)),
                1 => format!("({}).q", self.expr(Ty::Named, depth)),
                2 if self.has_private => format!("p[slot({})]", self.expr(Ty::Int(64), depth)),
                _ => format!(
                    "({})[slot({})]",
                    self.expr(Ty::Quad, depth),
                    self.expr(Ty::Int(32), depth.min(1))
                ),
            },
            18 => {
                let of = self.expr(Ty::Maybe, depth);
                format!("({of} === nothing ? {name}(1) : {name}(2))")
            }
            19 => self.load(ty, depth),
            20 => self.may_throw(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            _ => format!(
                "({}({}) % {name})",
                self.rng.pick(&["count_ones", "leading_zeros", "trailing_zeros"]),
                self.expr(ty, depth)
            ),
        }
    }

    fn choice(&mut self, ty: Ty, depth: usize) -> String {
        let (condition, a, b) = (self.expr(Ty::Bool, depth), self.expr(ty, depth), self.expr(ty, depth));
        if self.rng.one_in(3) {
            format!("ifelse({condition}, {a}, {b})")
        } else {
            format!("({condition} ? {a} : {b})")
        }
    }

    fn float(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(22) {
            0 | 1 => self.leaf(ty),
            2..=6 => {
                let op = *self.rng.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            7 => {
                let op = *self.rng.pick(&["-", "abs", "floor", "ceil", "trunc", "round", "poly", "abs2"]);
                format!("{op}({})", self.expr(ty, depth))
            }
            8 => {
                let op = *self.rng.pick(&["min", "max", "copysign", "min", "max", "rem"]);
                format!("{op}({}, {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            9 => {
                let from = *self.rng.pick(&INTEGERS);
                format!("{name}({})", self.expr(from, depth))
            }
            10 => {
                let from = if ty == Ty::Float(32) { Ty::Float(64) } else { Ty::Float(32) };
                format!("{name}({})", self.expr(from, depth))
            }
            11 => {
                let op = *self.rng.pick(&["muladd", "fma", "clamp"]);
                let (a, b, c) = (self.expr(ty, depth), self.leaf(ty), self.leaf(ty));
                format!("{op}({a}, {b}, {c})")
            }
            12 | 13 => self.choice(ty, depth),
            14 | 15 => self.math(ty, depth),
            16 if ty == Ty::Float(32) => match self.rng.below(3) {
                0 => format!("({})[2]", self.expr(Ty::Pair, depth)),
                1 => format!("present({})", self.expr(Ty::Maybe, depth)),
                _ => format!("({}).a", self.expr(Ty::Rec, depth)),
            },
            16 => match self.rng.below(2) {
                0 => format!("({}).p", self.expr(Ty::Named, depth)),
                _ => format!("number({})", self.expr(Ty::Either, depth)),
            },
            17 => self.may_throw(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            18 => format!("({})^{}", self.expr(ty, depth), 2 + self.rng.below(2)),
            _ => self.load(ty, depth),
        }
    }

    fn math(&mut self, ty: Ty, depth: usize) -> String {
        let (x, name) = (self.expr(ty, depth), ty.name());
        match self.rng.below(8) {
            0 | 1 => format!("sqrt(abs({x}))"),
            2 => format!("exp(-abs({x}))"),
            3 => format!("log(abs({x}) + {name}(1))"),
            4 => format!("{}({x} / {name}(8))", self.rng.pick(&["exp", "tanh", "atan", "exp2"])),
            // The sine of an infinity is an error.
            5 => format!("{}(clamp({x}, {name}(-20), {name}(20)))", self.rng.pick(&["sin", "cos"])),
            6 => format!("abs({x})^{}", self.leaf(ty)),
            _ => format!("hypot({x}, {})", self.leaf(ty)),
        }
    }

    /// An expression that throws in few items, if the program may.
    fn may_throw(&mut self, ty: Ty, depth: usize) -> Option<String> {
        if self.throws.is_empty() || self.is_warp {
            return None;
        }
        let throw = *self.rng.pick(&self.throws.clone());
        let name = ty.name();
        let rare = self.rare();
        Some(match (throw, ty) {
            (Throw::Bounds, Ty::Float(32)) => format!("xf[{rare} ? 5000 : {}]", self.index(depth)),
            (Throw::Bounds, Ty::Int(32)) => format!("xi[{rare} ? 0 : {}]", self.index(depth)),
            (Throw::Domain, Ty::Float(_)) => {
                let op = *self.rng.pick(&["sqrt", "log"]);
                format!("{op}({rare} ? {name}(-1) : abs({}) + {name}(1))", self.expr(ty, depth))
            }
            (Throw::Inexact, Ty::Int(_) | Ty::UInt(_)) => {
                format!("{name}({rare} ? 1.0e30 : 3.0)")
            }
            (Throw::Divide, Ty::Int(_) | Ty::UInt(_)) => {
                format!("(({}) ÷ ({rare} ? {name}(0) : {name}(3)))", self.expr(ty, depth))
            }
            _ => return None,
        })
    }

    /// A condition that holds in few items.
    pub(crate) fn rare(&mut self) -> String {
        let (modulus, rest) = (11 + self.rng.below(60), self.rng.below(11));
        match self.rng.below(3) {
            0 => format!("(g % {modulus} == {rest} && {})", self.expr(Ty::Bool, 1)),
            _ => format!("(g % {modulus} == {rest})"),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.rng.below(12) {
            0 => self.leaf(Ty::Bool),
            1 => format!("({} && {})", self.expr(Ty::Bool, depth), self.expr(Ty::Bool, depth)),
            2 => format!("({} || {})", self.expr(Ty::Bool, depth), self.expr(Ty::Bool, depth)),
            3 => format!("!({})", self.expr(Ty::Bool, depth)),
            4 => format!("({} === nothing)", self.expr(Ty::Maybe, depth)),
            5 => format!("({} isa Int32)", self.expr(Ty::Either, depth)),
            6 => {
                let ty = *self.rng.pick(&[Ty::Float(32), Ty::Float(64)]);
                format!("{}({})", self.rng.pick(&["isnan", "isfinite", "signbit"]), self.expr(ty, depth))
            }
            7 => format!("iseven({})", self.expr(Ty::Int(32), depth)),
            _ => {
                let ty = *self.rng.pick(&[
                    Ty::Float(32),
                    Ty::Float(64),
                    Ty::Int(32),
                    Ty::Int(64),
                    Ty::Int(8),
                    Ty::UInt(32),
                    Ty::UInt(16),
                ]);
                let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn aggregate(&mut self, ty: Ty, depth: usize) -> String {
        if depth > 0 && self.rng.one_in(3) {
            return self.choice(ty, depth - 1);
        }
        if depth > 0 && self.rng.one_in(2) {
            return self.leaf(ty);
        }
        let (i32, f32) = (Ty::Int(32), Ty::Float(32));
        match ty {
            Ty::Pair => format!("({}, {})", self.expr(i32, depth), self.expr(f32, depth)),
            Ty::Rec => format!("Rec({}, {})", self.expr(f32, depth), self.expr(Ty::Int(64), depth)),
            Ty::Named => format!("(p = {}, q = {})", self.expr(Ty::Float(64), depth), self.expr(i32, depth)),
            Ty::Maybe => match self.rng.below(4) {
                0 => "nothing".into(),
                1 => self.expr(f32, depth),
                _ => format!("maybe({})", self.expr(f32, depth)),
            },
            Ty::Either => match self.rng.below(4) {
                0 => self.expr(i32, depth),
                1 => self.expr(Ty::Float(64), depth),
                _ => format!("either({})", self.expr(i32, depth)),
            },
            _ if depth > 0 && self.rng.one_in(2) => format!(
                "Base.setindex({}, {}, slot({}))",
                self.leaf(ty),
                self.expr(i32, depth - 1),
                self.expr(i32, depth - 1)
            ),
            _ => {
                let parts: Vec<String> = (0..4).map(|_| self.expr(i32, depth.min(1))).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}
