//! Evaluation order: every operand, call, read and assignment of an expression logs itself, and the model says the log.

use crate::judge::{Form, Judged, LOG};
use kiln_testing::random::Rng;

/// An argument of a call.
enum Arg {
    Plain(Exp),
    Splat(Exp, Exp),
    Key(usize, Exp),
}

/// An operand of a broadcast call.
enum Operand {
    Scalar(Exp),
    Pair(Exp, Exp),
    Nested(Vec<Operand>),
}

/// Numbers that name operands are logged when these are evaluated.
enum Exp {
    Mark(i64),
    /// A call of a function, or of what an expression with this number returns; keywords behind `;` come last.
    Call(Option<i64>, Vec<Arg>, Vec<(usize, Exp)>),
    And(Box<Exp>, Box<Exp>),
    Or(Box<Exp>, Box<Exp>),
    Ternary(Box<Exp>, Box<Exp>, Box<Exp>),
    Chain(Box<Exp>, Box<Exp>, Box<Exp>),
    Get(i64, Box<Exp>),
    Set(i64, Box<Exp>, Box<Exp>),
    SetLast(i64, Box<Exp>),
    Update(i64, Box<Exp>, Box<Exp>),
    Property(i64, Box<Exp>),
    UpdateProperty(i64, Box<Exp>),
    /// Two indexed targets, two values.
    Destructure(Box<[(i64, Exp); 2]>, Box<[Exp; 2]>),
    /// The sum of a broadcast call.
    Dotted(Vec<Operand>),
}

const KEYS: [&str; 3] = ["x", "y", "z"];
const KEY_WEIGHTS: [i64; 3] = [11, 13, 17];
const MODULUS: i64 = 97;
const LAST_INDEX: i64 = 9;
const DEPTH_MAX: usize = 3;
const LOG_MAX: usize = 400;

/// The objects of programs log their calls to `o`, whose first number is its length.
const PRELUDE: &str = "
m(x) = mod(x, 97)
v(o, k) = (put(o, k); k)
total(i) = 0
total(i, x, rest...) = i * x + total(i + 1, rest...)
struct F{O}
    o::O
end
function (f::F)(args...; x = 1, y = 2, z = 3)
    r = m(total(1, args...) + 11x + 13y + 17z)
    put(f.o, 3000 + r)
    r
end
fn(o, k) = (put(o, k); F(o))
struct Store{O}
    o::O
end
ar(o, k) = (put(o, k); Store(o))
Base.getindex(a::Store, i) = (put(getfield(a, :o), 5000 + m(i)); m(i + 3))
Base.setindex!(a::Store, x, i) = (put(getfield(a, :o), 6000 + m(x + 2i)); a)
Base.lastindex(a::Store) = (put(getfield(a, :o), 8000); 9)
Base.getproperty(a::Store, name::Symbol) = (put(getfield(a, :o), 7500); 4)
Base.setproperty!(a::Store, name::Symbol, x) = (put(getfield(a, :o), 7000 + m(x)); x)
";

struct Writer<'a> {
    rng: &'a mut Rng,
    marks: i64,
}

impl Writer<'_> {
    fn mark(&mut self) -> i64 {
        self.marks += 1;
        self.marks
    }

    fn boxed(&mut self, depth: usize) -> Box<Exp> {
        Box::new(self.exp(depth))
    }

    fn exp(&mut self, depth: usize) -> Exp {
        let mark = self.mark();
        let Some(depth) = depth.checked_sub(1) else { return Exp::Mark(mark) };
        match self.rng.below(17) {
            0 => Exp::Mark(mark),
            1..=4 => self.call(depth, mark),
            5 => Exp::And(self.boxed(depth), self.boxed(depth)),
            6 => Exp::Or(self.boxed(depth), self.boxed(depth)),
            7 => Exp::Ternary(self.boxed(depth), self.boxed(depth), self.boxed(depth)),
            8 | 9 => Exp::Chain(self.boxed(depth), self.boxed(depth), self.boxed(depth)),
            10 => Exp::Get(mark, self.boxed(depth)),
            11 => Exp::Set(mark, self.boxed(depth), self.boxed(depth)),
            12 => Exp::SetLast(mark, self.boxed(depth)),
            13 => Exp::Update(mark, self.boxed(depth), self.boxed(depth)),
            14 if self.rng.one_in(2) => Exp::UpdateProperty(mark, self.boxed(depth)),
            14 => Exp::Property(mark, self.boxed(depth)),
            15 => {
                let targets = [(mark, self.exp(depth)), (self.mark(), self.exp(depth))];
                Exp::Destructure(Box::new(targets), Box::new([self.exp(depth), self.exp(depth)]))
            }
            _ => Exp::Dotted(self.operands(depth)),
        }
    }

    fn call(&mut self, depth: usize, mark: i64) -> Exp {
        let callee = self.rng.one_in(3).then_some(mark);
        let mut free = vec![0, 1, 2];
        let mut args = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            args.push(match self.rng.below(5) {
                0 => Arg::Splat(self.exp(depth), self.exp(depth)),
                1 | 2 if !free.is_empty() => {
                    let key = free.remove(self.rng.below(free.len()));
                    Arg::Key(key, self.exp(depth))
                }
                _ => Arg::Plain(self.exp(depth)),
            });
        }
        let mut behind = Vec::new();
        while !free.is_empty() && self.rng.one_in(3) {
            let key = free.remove(self.rng.below(free.len()));
            behind.push((key, self.exp(depth)));
        }
        Exp::Call(callee, args, behind)
    }

    fn operands(&mut self, depth: usize) -> Vec<Operand> {
        let count = 1 + self.rng.below(2);
        (0..count)
            .map(|_| match self.rng.below(4) {
                0 => Operand::Scalar(self.exp(depth)),
                1 if depth > 0 => Operand::Nested(self.operands(depth - 1)),
                _ => Operand::Pair(self.exp(depth), self.exp(depth)),
            })
            .collect()
    }
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn text(exp: &Exp) -> String {
    match exp {
        Exp::Mark(k) => format!("v(o, {k})"),
        Exp::Call(callee, args, behind) => {
            let callee = callee.map_or_else(|| "f".to_owned(), |k| format!("fn(o, {k})"));
            let args = list(args.iter().map(|it| match it {
                Arg::Plain(it) => text(it),
                Arg::Splat(a, b) => format!("({}, {})...", text(a), text(b)),
                Arg::Key(key, it) => format!("{} = {}", KEYS[*key], text(it)),
            }));
            let behind = list(behind.iter().map(|it| format!("{} = {}", KEYS[it.0], text(&it.1))));
            if behind.is_empty() {
                format!("{callee}({args})")
            } else {
                format!("{callee}({args}; {behind})")
            }
        }
        Exp::And(a, b) => format!("Int(isodd({}) && isodd({}))", text(a), text(b)),
        Exp::Or(a, b) => format!("Int(isodd({}) || isodd({}))", text(a), text(b)),
        Exp::Ternary(c, a, b) => format!("(isodd({}) ? {} : {})", text(c), text(a), text(b)),
        Exp::Chain(a, b, c) => format!("Int({} < {} <= {})", text(a), text(b), text(c)),
        Exp::Get(k, index) => format!("ar(o, {k})[{}]", text(index)),
        Exp::Set(k, index, value) => format!("m((ar(o, {k})[{}] = {};))", text(index), text(value)),
        Exp::SetLast(k, value) => format!("m((ar(o, {k})[end] = {};))", text(value)),
        Exp::Update(k, index, value) => {
            format!("m((ar(o, {k})[{}] += {};))", text(index), text(value))
        }
        Exp::Property(k, value) => format!("m((ar(o, {k}).p = {};))", text(value)),
        Exp::UpdateProperty(k, value) => format!("m((ar(o, {k}).p += {};))", text(value)),
        Exp::Destructure(targets, values) => {
            let targets = list(targets.iter().map(|it| format!("ar(o, {})[{}]", it.0, text(&it.1))));
            format!("sum((({targets}) = ({});))", list(values.iter().map(text)))
        }
        Exp::Dotted(operands) => format!("m(sum(f.({})))", list(operands.iter().map(operand_text))),
    }
}

fn operand_text(operand: &Operand) -> String {
    match operand {
        Operand::Scalar(it) => text(it),
        Operand::Pair(a, b) => format!("({}, {})", text(a), text(b)),
        Operand::Nested(inner) => format!("f.({})", list(inner.iter().map(operand_text))),
    }
}

/// An operand whose parts are evaluated.
enum Evaluated {
    Scalar(i64),
    Pair([i64; 2]),
    Nested(Vec<Evaluated>),
}

impl Evaluated {
    fn is_pair(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::Pair(_) => true,
            Self::Nested(inner) => inner.iter().any(Self::is_pair),
        }
    }
}

/// The rule.
#[derive(Default)]
struct Evaluator {
    log: Vec<i64>,
}

impl Evaluator {
    fn apply(&mut self, args: &[i64], keys: [i64; 3]) -> i64 {
        let positional: i64 = args.iter().zip(1..).map(|(it, n)| it * n).sum();
        let keywords: i64 = keys.iter().zip(KEY_WEIGHTS).map(|(it, weight)| it * weight).sum();
        let result = (positional + keywords).rem_euclid(MODULUS);
        self.log.push(3000 + result);
        result
    }

    fn set(&mut self, value: i64, index: i64) {
        self.log.push(6000 + (value + 2 * index).rem_euclid(MODULUS));
    }

    fn get(&mut self, index: i64) -> i64 {
        self.log.push(5000 + index.rem_euclid(MODULUS));
        (index + 3).rem_euclid(MODULUS)
    }

    fn mark(&mut self, k: i64) -> i64 {
        self.log.push(k);
        k
    }

    fn is_odd(&mut self, exp: &Exp) -> bool {
        self.value(exp) % 2 != 0
    }

    fn value(&mut self, exp: &Exp) -> i64 {
        match exp {
            Exp::Mark(k) => self.mark(*k),
            Exp::Call(callee, args, behind) => self.call(*callee, args, behind),
            Exp::And(a, b) => i64::from(self.is_odd(a) && self.is_odd(b)),
            Exp::Or(a, b) => i64::from(self.is_odd(a) || self.is_odd(b)),
            Exp::Ternary(c, a, b) => {
                if self.is_odd(c) {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            Exp::Chain(a, b, c) => {
                let (a, b) = (self.value(a), self.value(b));
                i64::from(a < b && b <= self.value(c))
            }
            Exp::Get(k, index) => {
                self.mark(*k);
                let index = self.value(index);
                self.get(index)
            }
            Exp::Set(..)
            | Exp::SetLast(..)
            | Exp::Update(..)
            | Exp::Property(..)
            | Exp::UpdateProperty(..)
            | Exp::Destructure(..) => self.assignment(exp),
            Exp::Dotted(operands) => {
                let operands: Vec<_> = operands.iter().map(|it| self.operand(it)).collect();
                let count = if operands.iter().any(Evaluated::is_pair) { 2 } else { 1 };
                let sum: i64 = (0..count).map(|at| self.element(&operands, at)).sum();
                sum.rem_euclid(MODULUS)
            }
        }
    }

    fn assignment(&mut self, exp: &Exp) -> i64 {
        let value = match exp {
            // The value comes first, unless the index asks the array for its end: then the array does.
            Exp::Set(k, index, value) => {
                let value = self.value(value);
                self.mark(*k);
                let index = self.value(index);
                self.set(value, index);
                value
            }
            Exp::SetLast(k, value) => {
                self.mark(*k);
                let value = self.value(value);
                self.log.push(8000);
                self.set(value, LAST_INDEX);
                value
            }
            Exp::Update(k, index, value) => {
                self.mark(*k);
                let index = self.value(index);
                let value = self.get(index) + self.value(value);
                self.set(value, index);
                value
            }
            Exp::Property(k, value) => {
                self.mark(*k);
                let value = self.value(value);
                self.log.push(7000 + value.rem_euclid(MODULUS));
                value
            }
            Exp::UpdateProperty(k, value) => {
                self.mark(*k);
                self.log.push(7500);
                let value = 4 + self.value(value);
                self.log.push(7000 + value.rem_euclid(MODULUS));
                value
            }
            Exp::Destructure(targets, values) => {
                let values: Vec<i64> = values.iter().map(|it| self.value(it)).collect();
                for ((k, index), value) in targets.iter().zip(&values) {
                    self.mark(*k);
                    let index = self.value(index);
                    self.set(*value, index);
                }
                return values.iter().sum();
            }
            Exp::Mark(_)
            | Exp::Call(..)
            | Exp::And(..)
            | Exp::Or(..)
            | Exp::Ternary(..)
            | Exp::Chain(..)
            | Exp::Get(..)
            | Exp::Dotted(_) => unreachable!("it assigns nothing"),
        };
        value.rem_euclid(MODULUS)
    }

    fn call(&mut self, callee: Option<i64>, args: &[Arg], behind: &[(usize, Exp)]) -> i64 {
        if let Some(k) = callee {
            self.mark(k);
        }
        let (mut positional, mut keys) = (Vec::new(), [1, 2, 3]);
        for arg in args {
            match arg {
                Arg::Plain(it) => positional.push(self.value(it)),
                Arg::Splat(a, b) => positional.extend([self.value(a), self.value(b)]),
                Arg::Key(key, it) => keys[*key] = self.value(it),
            }
        }
        for (key, it) in behind {
            keys[*key] = self.value(it);
        }
        self.apply(&positional, keys)
    }

    fn operand(&mut self, operand: &Operand) -> Evaluated {
        match operand {
            Operand::Scalar(it) => Evaluated::Scalar(self.value(it)),
            Operand::Pair(a, b) => Evaluated::Pair([self.value(a), self.value(b)]),
            Operand::Nested(inner) => Evaluated::Nested(inner.iter().map(|it| self.operand(it)).collect()),
        }
    }

    /// Dotted calls within a dotted call are made element by element.
    fn element(&mut self, operands: &[Evaluated], at: usize) -> i64 {
        let mut args = Vec::new();
        for operand in operands {
            args.push(match operand {
                Evaluated::Scalar(it) => *it,
                Evaluated::Pair(both) => both[at],
                Evaluated::Nested(inner) => self.element(inner, at),
            });
        }
        self.apply(&args, [1, 2, 3])
    }
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    loop {
        let mut writer = Writer { rng: &mut rng, marks: 0 };
        let exps: Vec<Exp> = (0..3).map(|_| writer.exp(DEPTH_MAX)).collect();
        let mut evaluator = Evaluator::default();
        for exp in &exps {
            let value = evaluator.value(exp);
            evaluator.log.push(9000 + value);
        }
        if evaluator.log.len() > LOG_MAX {
            continue;
        }
        let lines: Vec<String> = exps.iter().map(|it| format!("    put(o, 9000 + {})\n", text(it))).collect();
        let size = LOG_MAX + 1;
        let text = format!(
            "{LOG}{PRELUDE}function entry(o)\n    f = F(o)\n{}    nothing\nend\n\
             host() = (o = zeros(Int, {size}); entry(o); shown(o))\n\
             k(o) = (entry(o); return)\n\
             device() = (d = CUDA.zeros(Int, {size}); @cuda k(d); shown(Array(d)))\n",
            lines.concat()
        );
        let expected: Vec<String> = evaluator.log.iter().map(i64::to_string).collect();
        return Judged { text, form: Form::Kernel, expected: expected.join(" ") };
    }
}
