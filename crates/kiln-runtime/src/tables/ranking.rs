//! The order of the methods that apply to one signature, after Julia's `sort_mlmatches`: each comes after those that are
//! more specific than it where both apply. The relation is no order (it is not transitive), so the walk finds its cycles,
//! which are ambiguities, as strongly connected components.

use super::lookup::Applicable;
use super::{Method, MethodTables};
use kiln_types::{FrontMutant, Module, Type, intersect, module, mutant, specificity};
use std::cell::RefCell;

/// The relation of one applicable method to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    /// No call reaches both.
    Apart,
    /// It is called where both apply.
    Beats,
    Loses,
    /// Both apply somewhere, and neither is the more specific.
    Ties,
}

/// The treatment of calls that several methods tie for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ambiguous {
    /// Methods are listed that tie with others wherever they apply.
    Listed,
    /// They are left out: no call dispatches to them.
    LeftOut,
}

/// The methods that calls may reach, in order.
pub(super) struct Ranked {
    /// Positions among the applicable ones.
    pub(super) order: Vec<usize>,
    pub(super) ambiguous: bool,
}

/// The walk's knowledge of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visit {
    New,
    /// On the path, at this depth.
    Open(usize),
    Done,
}

/// Whether the methods that cover the whole signature are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Covering {
    Undecided,
    /// The first group of them is still to be listed.
    First,
    Decided,
}

struct Walk<'a> {
    tables: &'a MethodTables,
    applicable: &'a [Applicable],
    /// Covers the signature, or loses to one that does wherever it applies.
    covers: Vec<bool>,
    exactly: Vec<bool>,
    relations: RefCell<Vec<Option<Relation>>>,
    visits: Vec<Visit>,
    stack: Vec<usize>,
    order: Vec<usize>,
    mode: Ambiguous,
    ambiguous: bool,
    covering: Covering,
}

impl MethodTables {
    /// Orders the applicable methods and leaves out those that no call reaches.
    pub(super) fn rank(&self, applicable: &[Applicable], mode: Ambiguous) -> Ranked {
        let count = applicable.len();
        if count <= 1 {
            return Ranked { order: (0..count).collect(), ambiguous: false };
        }
        let exactly: Vec<bool> = applicable.iter().map(|it| it.found.fully_covers).collect();
        let mut walk = Walk {
            tables: self,
            applicable,
            covers: exactly.clone(),
            exactly,
            relations: RefCell::new(vec![None; count * count]),
            visits: vec![Visit::New; count],
            stack: Vec::new(),
            order: Vec::new(),
            mode,
            ambiguous: false,
            covering: Covering::Undecided,
        };
        walk.run()
    }

    /// Whether a module of the program defines it.
    fn is_program(&self, it: &Applicable) -> bool {
        let main = Module::MAIN;
        it.method.module == main || module::parent(&self.types, it.method.module) == main
    }

    fn method_beats(&self, a: &Applicable, b: &Applicable) -> bool {
        if mutant::is_set(&self.types, FrontMutant::FirstApplicable)
            && self.is_program(a)
            && self.is_program(b)
        {
            return a.method.id < b.method.id;
        }
        let more_specific = |a: &Method, b: &Method| specificity::is_more_specific(&self.types, a.sig, b.sig);
        if more_specific(&a.method, &b.method) {
            // Signatures that are equal apart from the names of variables are more specific both ways in some
            // formulations: the table in front decides then.
            return a.rank <= b.rank || !more_specific(&b.method, &a.method);
        }
        a.rank < b.rank && !more_specific(&b.method, &a.method)
    }
}

impl Walk<'_> {
    fn sig(&self, at: usize) -> Type {
        self.applicable[at].method.sig
    }

    fn relation(&self, a: usize, b: usize) -> Relation {
        let count = self.applicable.len();
        if let Some(known) = self.relations.borrow()[a * count + b] {
            return known;
        }
        let (x, y) = (&self.applicable[a], &self.applicable[b]);
        // Two that cover the signature meet in it.
        let meet = || {
            self.exactly[a]
                || self.exactly[b]
                || !intersect::are_disjoint(&self.tables.types, x.method.sig, y.method.sig)
        };
        let found = if self.tables.method_beats(x, y) {
            if meet() { Relation::Beats } else { Relation::Apart }
        } else if self.tables.method_beats(y, x) {
            if meet() { Relation::Loses } else { Relation::Apart }
        } else if meet() {
            Relation::Ties
        } else {
            Relation::Apart
        };
        let back = match found {
            Relation::Beats => Relation::Loses,
            Relation::Loses => Relation::Beats,
            Relation::Apart | Relation::Ties => found,
        };
        let mut relations = self.relations.borrow_mut();
        relations[a * count + b] = Some(found);
        relations[b * count + a] = Some(back);
        found
    }

    /// Whether `a` is the more specific, perhaps only by way of others between them.
    fn beats_somehow(&self, a: usize, b: usize, seen: &mut Vec<usize>) -> bool {
        match self.relation(a, b) {
            Relation::Beats => return true,
            Relation::Ties => return false,
            Relation::Apart | Relation::Loses => {}
        }
        if a == b || seen.contains(&b) {
            return false;
        }
        seen.push(b);
        (0..self.applicable.len()).any(|between| {
            between != b
                && self.relation(between, b) == Relation::Beats
                && (between == a || self.beats_somehow(a, between, seen))
        })
    }

    fn run(&mut self) -> Ranked {
        let count = self.applicable.len();
        let best = self.best_covering();
        let any_covers = self.exactly.contains(&true);
        let mut ties = false;
        if let Some(best) = best {
            for at in 0..count {
                if !self.exactly[at] {
                    self.covers[at] = self.beats_somehow(best, at, &mut Vec::new());
                    ties |= !self.covers[at] && self.relation(best, at) == Relation::Ties;
                }
            }
        }
        if any_covers && self.covers.iter().all(|&it| it) {
            match (best, self.mode) {
                (Some(best), _) => return Ranked { order: vec![best], ambiguous: false },
                (None, Ambiguous::LeftOut) => return Ranked { order: Vec::new(), ambiguous: true },
                (None, Ambiguous::Listed) => {}
            }
        }
        self.covering = match best {
            _ if ties => Covering::First,
            Some(_) => Covering::Decided,
            None if any_covers && self.mode == Ambiguous::LeftOut => Covering::First,
            None => Covering::Undecided,
        };
        for at in 0..count {
            if !(self.covers[at] && self.covering != Covering::Undecided) {
                self.visit(at);
            }
        }
        self.order.extend(best);
        Ranked { order: std::mem::take(&mut self.order), ambiguous: self.ambiguous }
    }

    /// Of the methods that cover the signature, returns the one that beats all others.
    fn best_covering(&self) -> Option<usize> {
        let covering = || (0..self.applicable.len()).filter(|&it| self.exactly[it]);
        let last_to_win = covering()
            .reduce(|best, it| if self.relation(it, best) == Relation::Beats { it } else { best })?;
        if covering().all(|it| it == last_to_win || self.relation(last_to_win, it) == Relation::Beats) {
            return Some(last_to_win);
        }
        covering().find(|&at| covering().all(|it| it == at || self.beats_somehow(at, it, &mut Vec::new())))
    }

    /// Lists `at` behind the methods that beat it. Returns the depth of the cycle that it is part of, if that began before
    /// it.
    fn visit(&mut self, at: usize) -> Option<usize> {
        match self.visits[at] {
            Visit::New => {}
            Visit::Open(depth) => return Some(depth),
            Visit::Done => return None,
        }
        self.stack.push(at);
        let depth = self.stack.len();
        self.visits[at] = Visit::Open(depth);
        let mut cycle = depth;
        for front in 0..self.applicable.len() {
            let settled = match self.visits[front] {
                Visit::New => false,
                Visit::Open(other) => other >= cycle,
                Visit::Done => true,
            };
            if front == at || settled || self.relation(front, at) != Relation::Beats {
                continue;
            }
            if let Some(other) = self.visit(front) {
                cycle = cycle.min(other);
            }
        }
        if self.is_left_out(at) {
            self.visits[at] = Visit::Done;
            if self.stack.len() == depth {
                self.stack.pop();
                return None;
            }
        }
        if cycle != depth {
            return Some(cycle);
        }
        self.list_cycle(depth - 1);
        None
    }

    /// Whether no call dispatches to a method, because all methods that beat it are listed, or are in a cycle with
    /// it.
    fn is_left_out(&mut self, at: usize) -> bool {
        if self.covers[at] && self.covering != Covering::Undecided {
            return self.covering == Covering::Decided;
        }
        let spec = self.applicable[at].found.spec_types;
        self.is_shadowed(at, spec, &mut Vec::new()) || self.only_ties(at, spec)
    }

    /// Whether one that beats it, perhaps by way of others, applies wherever `at` does.
    fn is_shadowed(&self, at: usize, spec: Type, seen: &mut Vec<usize>) -> bool {
        if seen.contains(&at) {
            return false;
        }
        seen.push(at);
        (0..self.applicable.len()).any(|front| {
            front != at
                && self.visits[front] == Visit::Done
                && self.relation(front, at) == Relation::Beats
                && (self.tables.types.subtype(spec, self.sig(front)) || self.is_shadowed(front, spec, seen))
        })
    }

    /// Notes ties; whether one of the methods that tie with it applies wherever it does.
    fn only_ties(&mut self, at: usize, spec: Type) -> bool {
        for other in 0..self.applicable.len() {
            if other == at || self.relation(other, at) != Relation::Ties {
                continue;
            }
            self.ambiguous = true;
            if self.mode == Ambiguous::LeftOut && self.tables.types.subtype(spec, self.sig(other)) {
                return true;
            }
        }
        false
    }

    /// The methods on the stack from `from` on beat each other in a circle: all are listed.
    fn list_cycle(&mut self, from: usize) {
        let cycle = self.stack.split_off(from);
        let open = cycle.iter().filter(|&&it| self.visits[it] != Visit::Done).count();
        if cycle.len() > 1 && open > 1 {
            self.ambiguous = true;
        }
        for &at in &cycle {
            let decided = self.covers[at] && self.covering != Covering::Undecided;
            if self.visits[at] != Visit::Done && !decided {
                self.order.push(at);
            }
            self.visits[at] = Visit::Done;
        }
        if self.covering == Covering::First && cycle.iter().any(|&it| self.exactly[it]) {
            self.covering = Covering::Decided;
        }
    }
}
