//! The two things that are made of checked code: C, and postfix text for a machine with a stack, which links and runs it.

use crate::formula::{Kind, Number, Op};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Checked code: every name has been found, every constant folded. It names functions by their symbols, so it
/// means the same in every session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Code {
    Number(Number),
    Arg(usize),
    Op(Op, Box<[Code; 2]>),
    /// Condition, value if it is not 0, value if it is.
    If(Box<[Code; 3]>),
    /// The symbol of a function, and those of its arguments that are not constants of it.
    Call(String, Vec<Code>),
}

impl Code {
    /// Postfix: operands, then what is done with them, a word a line.
    pub(crate) fn listing(&self) -> String {
        let operands = |all: &[Self]| all.iter().map(Self::listing).collect::<String>();
        match self {
            Self::Number(it) => format!("{it}\n"),
            Self::Arg(at) => format!("arg {at}\n"),
            Self::Op(op, it) => format!("{}{}\n", operands(&it[..]), op.0),
            Self::If(it) => format!("{}if\n", operands(&it[..])),
            Self::Call(symbol, args) => format!("{}call {symbol} {}\n", operands(args), args.len()),
        }
    }

    /// An expression in C, where `/` is of floats.
    pub(crate) fn c(&self) -> String {
        match self {
            Self::Number(it) => it.to_string(),
            Self::Arg(at) => format!("x{at}"),
            Self::Op(Op("/"), it) => format!("((double){} / {})", it[0].c(), it[1].c()),
            Self::Op(op, it) => format!("({} {} {})", it[0].c(), op.0, it[1].c()),
            Self::If(it) => format!("({} ? {} : {})", it[0].c(), it[1].c(), it[2].c()),
            Self::Call(symbol, args) => {
                let args: Vec<String> = args.iter().map(Self::c).collect();
                format!("{symbol}({})", args.join(", "))
            }
        }
    }
}

/// A kind in C.
pub(crate) fn c_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "long",
        Kind::Float => "double",
    }
}

enum Word {
    Number(Number),
    Arg(usize),
    Op(Op),
    If,
    Call(usize, usize),
}

/// A program as a machine runs it: functions that call one another by position, the entry first. A handle: it goes with
/// the machine that loaded it.
pub(crate) struct Program(Vec<Vec<Word>>);

impl Program {
    /// Links listings, the entry's first, by their symbols. `None` if one is no listing or a symbol is missing.
    pub(crate) fn link(listings: &[(String, Arc<String>)]) -> Option<Self> {
        let at: BTreeMap<&str, usize> = listings.iter().enumerate().map(|(at, it)| (&*it.0, at)).collect();
        let word = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["arg", at] => at.parse().ok().map(Word::Arg),
                ["call", symbol, args] => Some(Word::Call(*at.get(symbol)?, args.parse().ok()?)),
                ["if"] => Some(Word::If),
                [it] => Op::named(it).map(Word::Op).or_else(|| Number::read(it).map(Word::Number)),
                _ => None,
            }
        };
        let functions = listings.iter().map(|it| it.1.lines().map(word).collect::<Option<_>>());
        functions.collect::<Option<_>>().map(Self)
    }

    pub(crate) fn run(&self, args: &[Number]) -> Number {
        self.call(0, args)
    }

    fn call(&self, function: usize, args: &[Number]) -> Number {
        let mut stack: Vec<Number> = Vec::new();
        for word in &self.0[function] {
            let value = match *word {
                Word::Number(it) => it,
                Word::Arg(at) => args[at],
                Word::Op(op) => {
                    let [a, b] = pop(&mut stack);
                    op.apply(a, b)
                }
                Word::If => {
                    let [condition, yes, no] = pop(&mut stack);
                    if condition.float() != 0.0 { yes } else { no }
                }
                Word::Call(callee, args) => {
                    let args = stack.split_off(stack.len() - args);
                    self.call(callee, &args)
                }
            };
            stack.push(value);
        }
        pop::<1>(&mut stack)[0]
    }
}

fn pop<const N: usize>(stack: &mut Vec<Number>) -> [Number; N] {
    let top = stack.split_off(stack.len() - N);
    top.try_into().unwrap_or_else(|_| unreachable!("as many as were asked for"))
}
