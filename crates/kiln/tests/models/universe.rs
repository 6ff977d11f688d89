//! A small hierarchy of types and signatures over it, as the sets of their concrete types.
//!
//! Beside the concrete types that programs make values of there are some that are not defined yet, one below each abstract
//! type: with them, one type is a subtype of another exactly if its set is within the other's.

use kiln_testing::random::Rng;

/// A concrete type.
pub(crate) type Leaf = usize;

const STRUCTS: usize = 5;
const P_INT: Leaf = 5;
const P_FLOAT: Leaf = 6;
const INT: Leaf = 7;
const FLOAT: Leaf = 8;
/// Types that programs have values of.
pub(crate) const LEAVES: usize = 9;
const ABSTRACTS: usize = 4;
const FIRST_UNKNOWN: Leaf = LEAVES;
const UNKNOWN: Leaf = FIRST_UNKNOWN + ABSTRACTS;
const P_INTEGER: Leaf = UNKNOWN + 1;
const P_REAL: Leaf = UNKNOWN + 2;
const INTEGER: Leaf = UNKNOWN + 3;
const REAL: Leaf = UNKNOWN + 4;
const ALL: usize = UNKNOWN + 5;
/// Arguments of a call at most.
pub(crate) const ARGS_MAX: usize = 3;

type Set = u32;

/// A set by its members.
fn set(members: &[Leaf]) -> Set {
    members.iter().fold(0, |all, it| all | 1 << it)
}

/// The parameter of a `P{..}`.
fn parameter(leaf: Leaf) -> Option<Leaf> {
    match leaf {
        P_INT => Some(INT),
        P_FLOAT => Some(FLOAT),
        P_INTEGER => Some(INTEGER),
        P_REAL => Some(REAL),
        _ => None,
    }
}

/// Which abstract type the others are below; `None` is `Any`. `P` is the last.
pub(crate) struct Hierarchy {
    parents: Vec<Option<usize>>,
    struct_parents: Vec<Option<usize>>,
}

/// A type of an argument.
#[derive(Clone)]
pub(crate) struct Ty {
    pub(crate) text: String,
    set: Set,
}

impl Ty {
    pub(crate) fn has(&self, leaf: Leaf) -> bool {
        self.set >> leaf & 1 == 1
    }

    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.set & !other.set == 0
    }
}

impl Hierarchy {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let parent = |below: usize, rng: &mut Rng| {
            let at = rng.below(below + 1);
            (at < below).then_some(at)
        };
        let parents = (0..ABSTRACTS).map(|it| parent(it, rng)).collect();
        let struct_parents = (0..=STRUCTS).map(|_| parent(ABSTRACTS, rng)).collect();
        Self { parents, struct_parents }
    }

    pub(crate) fn text(&self) -> String {
        let above = |it: &Option<usize>| it.map_or_else(String::new, |it| format!(" <: A{it}"));
        let mut text = String::new();
        for (at, parent) in self.parents.iter().enumerate() {
            text.push_str(&format!("abstract type A{at}{} end\n", above(parent)));
        }
        for (at, parent) in self.struct_parents[..STRUCTS].iter().enumerate() {
            text.push_str(&format!("struct C{at}{}\n    x::Int\nend\n", above(parent)));
        }
        text + &format!("struct P{{T<:Real}}{}\n    x::T\nend\n", above(&self.struct_parents[STRUCTS]))
    }

    fn is_below(&self, mut parent: Option<usize>, at: usize) -> bool {
        while let Some(it) = parent {
            if it == at {
                return true;
            }
            parent = self.parents[it];
        }
        false
    }

    fn of_abstract(&self, at: usize) -> Set {
        let mut all = 0;
        for (leaf, parent) in self.struct_parents.iter().enumerate() {
            if self.is_below(*parent, at) {
                all |= if leaf == STRUCTS { set(&[P_INT, P_FLOAT, P_INTEGER, P_REAL]) } else { 1 << leaf };
            }
        }
        let below = (0..ABSTRACTS).filter(|it| self.is_below(Some(*it), at));
        below.fold(all, |all, it| all | 1 << (FIRST_UNKNOWN + it))
    }

    pub(crate) fn leaf(&self, leaf: Leaf) -> Ty {
        let text = match leaf {
            P_INT => "P{Int}".to_owned(),
            P_FLOAT => "P{Float64}".to_owned(),
            INT => "Int".to_owned(),
            FLOAT => "Float64".to_owned(),
            _ => format!("C{leaf}"),
        };
        Ty { text, set: 1 << leaf }
    }

    fn part(&self, rng: &mut Rng) -> Ty {
        let of = |text: &str, members: &[Leaf]| Ty { text: text.to_owned(), set: set(members) };
        match rng.below(12) {
            0..=3 => self.leaf(rng.below(LEAVES)),
            4..=7 => {
                let at = rng.below(ABSTRACTS);
                Ty { text: format!("A{at}"), set: self.of_abstract(at) }
            }
            8 => of("P", &[P_INT, P_FLOAT, P_INTEGER, P_REAL]),
            9 => of("P{<:Integer}", &[P_INT, P_INTEGER]),
            10 => of("Real", &[INT, FLOAT, INTEGER, REAL]),
            _ => of("Integer", &[INT, INTEGER]),
        }
    }

    pub(crate) fn ty(&self, rng: &mut Rng) -> Ty {
        match rng.below(8) {
            0 => Ty { text: "Any".to_owned(), set: (1 << ALL) - 1 },
            1 | 2 => {
                let (a, b) = (self.part(rng), self.part(rng));
                Ty { text: format!("Union{{{}, {}}}", a.text, b.text), set: a.set | b.set }
            }
            _ => self.part(rng),
        }
    }

    pub(crate) fn signature(&self, rng: &mut Rng, args: usize) -> Signature {
        let has_variable = rng.one_in(3);
        let arg = |rng: &mut Rng| match rng.below(4) {
            0 | 1 if has_variable => Arg::Variable,
            2 if has_variable => Arg::ParameterOfP,
            _ => Arg::Of(self.ty(rng)),
        };
        let rest = rng.one_in(5).then(|| self.ty(rng));
        let count = if rest.is_some() { rng.below(args.min(2) + 1) } else { args };
        let args: Vec<Arg> = (0..count).map(|_| arg(rng)).collect();
        let in_p = args.iter().any(|it| matches!(it, Arg::ParameterOfP));
        // A parameter of `P` is real whether its variable says so or not.
        let bound = match rng.below(3) {
            _ if in_p => Ty { text: "Real".to_owned(), set: set(&[INT, FLOAT, INTEGER, REAL]) },
            0 => Ty { text: "Any".to_owned(), set: (1 << ALL) - 1 },
            _ => self.part(rng),
        };
        Signature { args, rest, bound }
    }
}

enum Arg {
    Of(Ty),
    /// `T`.
    Variable,
    /// `P{T}`.
    ParameterOfP,
}

/// The types of a method's arguments, where `T` is within the bound.
pub(crate) struct Signature {
    args: Vec<Arg>,
    /// Of any number of further arguments.
    rest: Option<Ty>,
    bound: Ty,
}

impl Signature {
    fn has_variable(&self) -> bool {
        self.args.iter().any(|it| !matches!(it, Arg::Of(_)))
    }

    /// Without variables and further arguments.
    pub(crate) fn types(&self) -> Option<Vec<&Ty>> {
        if self.rest.is_some() {
            return None;
        }
        self.args.iter().map(|it| if let Arg::Of(ty) = it { Some(ty) } else { None }).collect()
    }

    fn parts(&self) -> Vec<String> {
        let part = |it: &Arg| match it {
            Arg::Of(ty) => ty.text.clone(),
            Arg::Variable => "T".to_owned(),
            Arg::ParameterOfP => "P{T}".to_owned(),
        };
        self.args.iter().map(part).collect()
    }

    /// As the arguments of a method.
    pub(crate) fn method_text(&self) -> String {
        let mut parts: Vec<String> = self.parts().iter().map(|it| format!("::{it}")).collect();
        parts.extend(self.rest.as_ref().map(|it| format!("::{}...", it.text)));
        format!("({}){}", parts.join(", "), self.clause())
    }

    /// As a type.
    pub(crate) fn type_text(&self) -> String {
        let mut parts = self.parts();
        parts.extend(self.rest.as_ref().map(|it| format!("Vararg{{{}}}", it.text)));
        format!("(Tuple{{{}}}{})", parts.join(", "), self.clause())
    }

    fn clause(&self) -> String {
        if self.has_variable() { format!(" where {{T<:{}}}", self.bound.text) } else { String::new() }
    }

    /// Whether it is that of calls with these types.
    pub(crate) fn has(&self, call: &[Leaf]) -> bool {
        let fits_rest = match &self.rest {
            None => call.len() == self.args.len(),
            Some(rest) => {
                call.len() >= self.args.len() && call[self.args.len()..].iter().all(|it| rest.has(*it))
            }
        };
        if !fits_rest {
            return false;
        }
        // A variable that stands for values in several places is one concrete type; a parameter says which.
        let mut is = None;
        for (arg, &leaf) in self.args.iter().zip(call) {
            let found = match arg {
                Arg::Of(ty) if ty.has(leaf) => continue,
                Arg::Of(_) => return false,
                Arg::Variable => Some(leaf),
                Arg::ParameterOfP => parameter(leaf),
            };
            let Some(found) = found else { return false };
            if !self.bound.has(found) || *is.get_or_insert(found) != found {
                return false;
            }
        }
        true
    }

    /// The calls it is that of, those with unknown types included: as bits.
    pub(crate) fn calls(&self) -> Vec<bool> {
        let mut all = Vec::new();
        for count in 0..=ARGS_MAX {
            for mut number in 0..ALL.pow(count as u32) {
                let mut call = [0; ARGS_MAX];
                for leaf in &mut call[..count] {
                    *leaf = number % ALL;
                    number /= ALL;
                }
                all.push(self.has(&call[..count]));
            }
        }
        all
    }
}

/// Whether every call of one set is in the other.
pub(crate) fn is_within(a: &[bool], b: &[bool]) -> bool {
    a.iter().zip(b).all(|(a, b)| *b || !*a)
}
