//! The state of one subtype query: the variables in scope, their bounds, and the choices made.

use super::choice::Choices;
use crate::{Type, TypeData, Types, consts, subtype, typevar, unionall};

/// Steps a question may take before it is given up.
const WORK: u32 = 400_000;
/// The maximum nesting of a query; far below the limit of a thread's stack.
const DEPTH: u32 = 300;

/// Where in a type the walk is, for the diagonal rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Position {
    /// At the top, or comparing bounds: occurrences do not count.
    Outside,
    /// Inside tuples only.
    Covariant,
    /// A parameter of another constructor.
    Invariant,
}

impl Position {
    /// The position of the elements of a tuple in this one.
    pub(crate) fn in_tuple(self) -> Self {
        self.max(Self::Covariant)
    }
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) var: Type,
    /// The lower bound of the value; `upper` is the other.
    pub(crate) lower: Type,
    pub(crate) upper: Type,
    /// Existential: bound on the right side.
    pub(crate) right: bool,
    /// Occurrences in invariant and covariant position, up to 2.
    pub(crate) invariant: u8,
    pub(crate) covariant: u8,
    /// Another variable forces this one to be concrete.
    pub(crate) concrete: bool,
    /// Invariant constructors around the `UnionAll`.
    pub(crate) depth: u32,
    /// Intersection: how an occurrence in covariant position constrains the variable.
    pub(crate) constraint: Constraint,
    /// Intersection: it is the length of a `Vararg`.
    pub(crate) is_length: bool,
    /// Intersection: variables to be bound outside this one because its bounds mention them.
    pub(crate) inner: Vec<Type>,
}

/// See [`Binding::constraint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    /// Nothing is recorded.
    None,
    /// The upper bound shrinks.
    Below,
    /// Neither expresses it; the result is an overestimate.
    Overlap,
}

pub(crate) struct Engine<'a> {
    pub(crate) types: &'a Types,
    pub(crate) env: Vec<Binding>,
    pub(crate) left: Choices,
    pub(crate) right: Choices,
    /// Invariant constructors around the current point.
    pub(crate) depth: u32,
    /// Values of the outer variables of the right side, if wanted, and which comes next.
    pub(crate) out: Vec<Option<Type>>,
    pub(crate) out_index: usize,
    /// Which of these values this choice on the left has found so far, and which of them some choice missed.
    pub(crate) out_found: Vec<bool>,
    pub(crate) out_missed: Vec<bool>,
    /// Free variables are black boxes (within intersection).
    pub(crate) ignore_free: bool,
    pub(crate) intersecting: bool,
    /// Within the bound of a variable that is being equated: covariant occurrences narrow their variables.
    pub(crate) in_bound: u32,
    /// The question was too hard: the answer is no answer.
    pub(crate) gave_up: bool,
    work: u32,
    nesting: u32,
}

/// The state that a failed attempt must put back.
pub(crate) struct Saved {
    env: Vec<Binding>,
    right_depth: usize,
    out_index: usize,
}

impl Saved {
    pub(crate) fn env(&self) -> &[Binding] {
        &self.env
    }

    pub(crate) fn env_mut(&mut self) -> &mut [Binding] {
        &mut self.env
    }

    /// Returns the position of the run on the path of choices on the right.
    pub(crate) fn right_depth(&self) -> usize {
        self.right_depth
    }
}

impl<'a> Engine<'a> {
    pub(crate) fn new(types: &'a Types, out: usize) -> Self {
        Self {
            types,
            env: Vec::new(),
            left: Choices::default(),
            right: Choices::default(),
            depth: 0,
            out: vec![None; out],
            out_found: vec![false; out],
            out_missed: vec![false; out],
            out_index: 0,
            ignore_free: false,
            intersecting: false,
            in_bound: 0,
            gave_up: false,
            work: WORK,
            nesting: 0,
        }
    }

    /// Starts a query inside another, at this depth.
    pub(crate) fn start_at(&mut self, nesting: u32) {
        self.nesting = nesting;
    }

    /// `subtype` of closed types, as part of this question.
    pub(crate) fn closed_subtype(&self, a: Type, b: Type) -> bool {
        subtype::holds_within(self.types, a, b, self.nesting)
    }

    /// Counts a step down; false when the question is to be given up.
    pub(crate) fn enter(&mut self) -> bool {
        self.nesting += 1;
        self.work = self.work.saturating_sub(1);
        if self.work == 0 || self.nesting > DEPTH {
            self.gave_up = true;
        }
        !self.gave_up
    }

    pub(crate) fn leave(&mut self) {
        self.nesting -= 1;
    }

    pub(crate) fn data(&self, ty: Type) -> &'a TypeData {
        self.types.data(ty)
    }

    pub(crate) fn is_var(&self, ty: Type) -> bool {
        matches!(self.data(ty), TypeData::Var { .. })
    }

    /// Whether it is a type rather than a value or a variable.
    pub(crate) fn is_type(&self, ty: Type) -> bool {
        !matches!(self.data(ty), TypeData::Var { .. } | TypeData::Value(_) | TypeData::Vararg { .. })
    }

    /// Whether it is a value in parameter position.
    pub(crate) fn is_value(&self, ty: Type) -> bool {
        matches!(self.data(ty), TypeData::Value(_))
    }

    pub(crate) fn int_value(&self, ty: Type) -> Option<i64> {
        let TypeData::Value(constant) = self.data(ty) else { return None };
        consts::as_int(self.types, *constant)
    }

    pub(crate) fn int(&self, value: i64) -> Type {
        consts::to_param(self.types, consts::int(self.types, value))
    }

    pub(crate) fn declared_bounds(&self, var: Type) -> (Type, Type) {
        if let TypeData::Var { lower, upper, .. } = self.data(var) { (*lower, *upper) } else { (var, var) }
    }

    pub(crate) fn lookup(&self, var: Type) -> Option<usize> {
        self.env.iter().rposition(|it| it.var == var)
    }

    /// The bounds known for a variable, its declared ones if it is free.
    pub(crate) fn bounds(&self, var: Type) -> (Type, Type) {
        match self.lookup(var) {
            Some(at) => (self.env[at].lower, self.env[at].upper),
            None => self.declared_bounds(var),
        }
    }

    /// Whether the quantifier of `x` is outside that of `y`.
    pub(crate) fn is_outside(&self, x: Type, y: Type) -> bool {
        match (self.lookup(x), self.lookup(y)) {
            (Some(x), Some(y)) => x < y,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }

    /// Whether it is an existential variable.
    pub(crate) fn is_existential(&self, ty: Type) -> bool {
        self.lookup(ty).is_some_and(|at| self.env[at].right)
    }

    /// Whether an existential variable occurs in it.
    pub(crate) fn has_existential(&self, ty: Type) -> bool {
        let occurs = |it: &Binding| it.right && (it.var == ty || typevar::occurs(self.types, it.var, ty));
        typevar::has_free_vars(self.types, ty) && self.env.iter().any(occurs) || self.is_existential(ty)
    }

    /// Whether the type is neither a variable nor contains a free one.
    pub(crate) fn is_closed(&self, ty: Type) -> bool {
        !typevar::has_free_vars(self.types, ty) && !self.is_var(ty)
    }

    /// Notes an occurrence of the variable at `at`.
    pub(crate) fn record(&mut self, at: Option<usize>, position: Position) {
        let depth = self.depth;
        let Some(binding) = at.map(|it| &mut self.env[it]) else { return };
        match position {
            Position::Outside => {}
            Position::Invariant if depth > binding.depth => {
                binding.invariant = (binding.invariant + 1).min(2)
            }
            Position::Invariant | Position::Covariant => binding.covariant = (binding.covariant + 1).min(2),
        }
    }

    pub(crate) fn save(&self) -> Saved {
        Saved { env: self.env.clone(), right_depth: self.right.depth(), out_index: self.out_index }
    }

    /// Everything as it was, except marks that only grow.
    pub(crate) fn restore(&mut self, saved: &Saved) {
        self.restore_bounds(saved);
        self.forget_out(saved.out_index);
    }

    /// Knowledge of variables as it was.
    pub(crate) fn restore_bounds(&mut self, saved: &Saved) {
        for (binding, old) in self.env.iter_mut().zip(&saved.env) {
            binding.lower = old.lower;
            binding.upper = old.upper;
            binding.inner.clone_from(&old.inner);
            binding.invariant = old.invariant;
            binding.covariant = old.covariant;
        }
    }

    /// Only the counts of occurrences as they were.
    pub(crate) fn restore_counts(&mut self, saved: &Saved) {
        for (binding, old) in self.env.iter_mut().zip(&saved.env) {
            binding.invariant = old.invariant;
            binding.covariant = old.covariant;
        }
        self.forget_out(saved.out_index);
    }

    fn forget_out(&mut self, from: usize) {
        for value in self.out.iter_mut().skip(from) {
            *value = None;
        }
    }

    /// Opens a `UnionAll` to be compared with `other`: its variable, under another name if something in sight
    /// uses it already, and the body.
    pub(crate) fn open(&self, var: Type, body: Type, other: Type) -> (Type, Type) {
        let types = self.types;
        let in_use = |it: Type| {
            typevar::occurs(types, it, other)
                || self.env.iter().any(|b| {
                    b.var == it
                        || typevar::occurs(types, it, b.lower)
                        || typevar::occurs(types, it, b.upper)
                        || b.inner.contains(&it)
                })
        };
        if !in_use(var) {
            return (var, body);
        }
        let &TypeData::Var { name, lower, upper, .. } = types.data(var) else { return (var, body) };
        let renamed = unionall::scratch_var(types, name, lower, upper, |it| {
            in_use(it) || typevar::occurs(types, it, body)
        });
        (renamed, unionall::substitute(types, body, var, renamed))
    }

    pub(crate) fn bind(&mut self, var: Type, right: bool) {
        let (lower, upper) = self.declared_bounds(var);
        self.env.push(Binding {
            var,
            lower,
            upper,
            right,
            invariant: 0,
            covariant: 0,
            concrete: false,
            depth: self.depth,
            constraint: Constraint::None,
            is_length: false,
            inner: Vec::new(),
        });
    }
}
