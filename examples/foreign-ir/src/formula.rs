//! The language: formulas over whole numbers and floats, written as lists. What is read is also the IR of methods.
//!
//! ```text
//! (let gravity 10)
//! (fn (power x (Int n)) (if (== n 0) 1 (* x (power x (- n 1)))))
//! (on-gpu (half x) (* x 0.5))
//! ```

use kiln_caching::{ForeignIr, Portable};
use std::fmt;

/// A number; whole ones become floats where they meet one, and in a division.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

/// The knowledge of a number before there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Float,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Number(Number),
    Name(String),
    List(Vec<Expr>),
}

/// The body of a function, with its parameters; those without a kind take both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    pub(crate) params: Vec<(String, Option<Kind>)>,
    pub(crate) body: Expr,
}

/// An operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op(pub(crate) &'static str);

impl Op {
    pub(crate) fn named(name: &str) -> Option<Self> {
        ["+", "-", "*", "/", "<", "=="].into_iter().find(|it| *it == name).map(Self)
    }

    /// The kind of its value.
    pub(crate) fn kind(self, of: [Kind; 2]) -> Kind {
        let compares = matches!(self.0, "<" | "==");
        if compares || (self.0 != "/" && of == [Kind::Int; 2]) { Kind::Int } else { Kind::Float }
    }

    pub(crate) fn apply(self, a: Number, b: Number) -> Number {
        let (x, y) = (a.float(), b.float());
        match (self.0, a, b) {
            ("==", ..) => Number::Int((x == y).into()),
            ("<", ..) => Number::Int((x < y).into()),
            ("+", Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_add(b)),
            ("-", Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_sub(b)),
            ("*", Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_mul(b)),
            ("+", ..) => Number::Float(x + y),
            ("-", ..) => Number::Float(x - y),
            ("*", ..) => Number::Float(x * y),
            _ => Number::Float(x / y),
        }
    }
}

impl Number {
    pub(crate) fn read(text: &str) -> Option<Self> {
        text.parse().map(Self::Int).or_else(|_| text.parse().map(Self::Float)).ok()
    }
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Int(it) => it as f64,
            Self::Float(it) => it,
        }
    }
    pub(crate) fn kind(self) -> Kind {
        if matches!(self, Self::Int(_)) { Kind::Int } else { Kind::Float }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(it) => write!(f, "{it}"),
            Self::Float(it) => write!(f, "{it:?}"),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(it) => write!(f, "{it}"),
            Self::Name(it) => write!(f, "{it}"),
            Self::List(all) => {
                let all: Vec<String> = all.iter().map(Self::to_string).collect();
                write!(f, "({})", all.join(" "))
            }
        }
    }
}

/// Reads a text: the lists and words in it.
pub(crate) fn read(text: &str) -> Result<Vec<Expr>, String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Expr>> = vec![Vec::new()];
    for word in spaced.split_whitespace() {
        let done = match word {
            "(" => {
                open.push(Vec::new());
                continue;
            }
            ")" => Expr::List(open.pop().ok_or("a `)` too many")?),
            word => Number::read(word).map_or_else(|| Expr::Name(word.to_owned()), Expr::Number),
        };
        open.last_mut().ok_or("a `)` too many")?.push(done);
    }
    open.pop().filter(|_| open.is_empty()).ok_or_else(|| "a `)` is missing".into())
}

impl Formula {
    /// The formula of these parameters: `x`, `(Int x)` or `(Float x)` each.
    pub(crate) fn new(params: &[Expr], body: Expr) -> Result<Self, String> {
        let param = |it: &Expr| match it {
            Expr::Name(name) => Ok((name.clone(), None)),
            Expr::List(all) => match &all[..] {
                [Expr::Name(kind), Expr::Name(name)] if kind == "Int" => Ok((name.clone(), Some(Kind::Int))),
                [Expr::Name(kind), Expr::Name(name)] if kind == "Float" => {
                    Ok((name.clone(), Some(Kind::Float)))
                }
                _ => Err(format!("{it} is no parameter")),
            },
            Expr::Number(_) => Err(format!("{it} is no parameter")),
        };
        Ok(Self { params: params.iter().map(param).collect::<Result<_, _>>()?, body })
    }
}

/// As text: it names what it means, so it says the same in another process.
impl Portable for Formula {
    fn to_bytes(&self) -> Vec<u8> {
        let shown = |(name, kind): &(String, Option<Kind>)| match kind {
            Some(kind) => format!("({kind:?} {name})"),
            None => name.clone(),
        };
        let params: Vec<String> = self.params.iter().map(shown).collect();
        format!("({}) {}", params.join(" "), self.body).into_bytes()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match <[Expr; 2]>::try_from(read(std::str::from_utf8(bytes).ok()?).ok()?).ok()? {
            [Expr::List(params), body] => Self::new(&params, body).ok(),
            _ => None,
        }
    }
}

impl ForeignIr for Formula {
    const LANGUAGE: &'static str = "formula";
}
