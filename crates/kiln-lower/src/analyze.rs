//! Decides which captured variables need a `Core.Box`, and which may be read before they are assigned.
//!
//! A closure may hold a variable's value itself if the value is final when the closure is made: assigned by the
//! declaring function, on every path to the closure, not after the closure, and not in a loop that the variable
//! outlives. One walk in evaluation order decides this, with the sets of variables assigned and captured so far.

use crate::hir::{HirKind, HirNode, LambdaId, MethodDef, TryData, VarId};
use crate::resolve::{Resolved, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The state of the variables at one point of a body.
#[derive(Clone, Default)]
struct State {
    assigned: FxHashSet<VarId>,
    /// Control does not get here.
    dead: bool,
}

impl State {
    fn merge(self, other: State) -> State {
        match (self.dead, other.dead) {
            (true, _) => other,
            (_, true) => self,
            _ => {
                let assigned = self.assigned.intersection(&other.assigned).copied().collect();
                State { assigned, dead: false }
            }
        }
    }
}

struct Walk<'a> {
    resolved: &'a mut Resolved,
    lambda: LambdaId,
    state: State,
    loops: u32,
    /// The number of loops around the declaration of each variable.
    declared: FxHashMap<VarId, u32>,
    /// Captured so far.
    captured: FxHashSet<VarId>,
    /// Assigned behind a closure that holds it or more often than it looks, or seen by a closure too early.
    unstable: FxHashSet<VarId>,
    /// The variables whose declared types are being visited.
    types_around: Vec<VarId>,
}

/// Fills `boxed` and `maybe_undefined` of every variable.
pub(crate) fn analyze(resolved: &mut Resolved, thunk: &HirNode) {
    let mut unstable = FxHashSet::default();
    walk_body(resolved, LambdaId(0), thunk, &mut unstable);
    let mut methods = Vec::new();
    for group in &mut resolved.groups {
        methods.push(std::mem::take(&mut group.methods));
    }
    for method in methods.iter().flatten() {
        walk_method(resolved, method, &mut unstable);
    }
    for (group, methods) in resolved.groups.iter_mut().zip(methods) {
        group.methods = methods;
    }
    walk_global_methods(resolved, thunk, &mut unstable);
    for (index, var) in resolved.vars.iter_mut().enumerate() {
        // The variable of a local function is captured by the function itself.
        let once = match var.kind {
            VarKind::Arg => var.group.is_none(),
            VarKind::Local => var.group.is_none() || var.assignments == 0,
            VarKind::StaticParam => true,
        };
        let settled = once && !var.assigned_inside && !unstable.contains(&VarId(index as u32));
        var.boxed = var.kind != VarKind::StaticParam && var.captured && !settled;
    }
}

fn walk_global_methods(resolved: &mut Resolved, node: &HirNode, unstable: &mut FxHashSet<VarId>) {
    if let HirKind::Function(def) = &node.kind {
        for method in &def.methods {
            walk_method(resolved, method, unstable);
        }
    }
    node.kind.children(&mut |child| walk_global_methods(resolved, child, unstable));
}

fn walk_method(resolved: &mut Resolved, method: &MethodDef, unstable: &mut FxHashSet<VarId>) {
    walk_body(resolved, method.lambda.id, &method.lambda.body, unstable);
    walk_global_methods(resolved, &method.lambda.body, unstable);
}

fn walk_body(resolved: &mut Resolved, lambda: LambdaId, body: &HirNode, unstable: &mut FxHashSet<VarId>) {
    // Jumps by `@goto` can go anywhere: as if all of the body were a loop around its variables.
    let loops = u32::from(resolved.lambdas[lambda.0 as usize].has_labels);
    let mut walk = Walk {
        resolved,
        lambda,
        state: State::default(),
        loops,
        declared: FxHashMap::default(),
        captured: FxHashSet::default(),
        unstable: std::mem::take(unstable),
        types_around: Vec::new(),
    };
    walk.node(body);
    *unstable = walk.unstable;
}

impl Walk<'_> {
    fn is_own(&self, var: VarId) -> bool {
        self.resolved.vars[var.0 as usize].owner == self.lambda
    }

    fn has_labels(&self) -> bool {
        self.resolved.lambdas[self.lambda.0 as usize].has_labels
    }

    fn node(&mut self, node: &HirNode) {
        match &node.kind {
            HirKind::Var(var) => self.read(*var),
            HirKind::Assign(target, value) => {
                self.node(value);
                if let HirKind::Var(var) = target.kind {
                    self.assign(var);
                }
            }
            HirKind::Closure(group, _) => {
                for var in self.resolved.groups[group.0 as usize].captures.clone() {
                    self.capture(var);
                }
            }
            HirKind::Scope(scope) => {
                let depth = if self.has_labels() { 0 } else { self.loops };
                for &var in &scope.vars {
                    self.declared.insert(var, depth);
                    self.state.assigned.remove(&var);
                }
                self.node(&scope.body);
            }
            HirKind::If(cond, then, other) => {
                self.node(cond);
                let before = self.state.clone();
                self.node(then);
                let after_then = std::mem::replace(&mut self.state, before);
                self.node(other);
                let after_other = std::mem::take(&mut self.state);
                self.state = after_then.merge(after_other);
            }
            HirKind::And(parts) | HirKind::Or(parts) => {
                let Some((first, rest)) = parts.split_first() else { return };
                self.node(first);
                let after = self.state.clone();
                rest.iter().for_each(|it| self.node(it));
                self.state = after;
            }
            HirKind::While(cond, body) => {
                self.loops += 1;
                self.node(cond);
                let after = self.state.clone();
                self.node(body);
                self.state = after;
                self.loops -= 1;
            }
            HirKind::BreakBlock(_, body) => {
                let before = self.state.clone();
                self.node(body);
                let after = std::mem::take(&mut self.state);
                self.state = if contains_break(body) { before } else { after };
            }
            HirKind::TryCatch(data) => self.try_catch(data),
            HirKind::Return(value) => {
                self.node(value);
                self.state.dead = true;
            }
            HirKind::Break(_) => self.state.dead = true,
            HirKind::Label(_) | HirKind::Goto(_) => self.state = State::default(),
            HirKind::Function(def) => {
                for method in &def.methods {
                    method.types.iter().for_each(|it| self.node(it));
                    for var in self.resolved.lambdas[method.lambda.id.0 as usize].free.clone() {
                        self.capture(var);
                    }
                }
            }
            HirKind::IsDefined(target) => self.node(target),
            HirKind::TypeOfFunction(_) => {}
            other => other.children(&mut |child| self.node(child)),
        }
    }

    fn try_catch(&mut self, data: &TryData) {
        let before = self.state.clone();
        self.node(&data.body);
        self.state = before.clone();
        for part in data.catch.iter().chain(&data.or_else).chain(&data.finally) {
            self.node(part);
            self.state = before.clone();
        }
    }

    fn read(&mut self, var: VarId) {
        if self.is_own(var) && !self.state.dead && !self.is_assigned(var) {
            self.resolved.vars[var.0 as usize].maybe_undefined = true;
        }
        // Reading a box asserts the type.
        if self.resolved.vars[var.0 as usize].captured {
            self.declared_type(var);
        }
    }

    /// The declared type of a variable is evaluated here.
    fn declared_type(&mut self, var: VarId) {
        if self.types_around.contains(&var) {
            return;
        }
        let Some(ty) = self.resolved.vars[var.0 as usize].ty.take() else { return };
        self.types_around.push(var);
        self.node(&ty);
        self.types_around.pop();
        self.resolved.vars[var.0 as usize].ty = Some(ty);
    }

    fn is_assigned(&self, var: VarId) -> bool {
        self.resolved.vars[var.0 as usize].kind != VarKind::Local || self.state.assigned.contains(&var)
    }

    fn assign(&mut self, var: VarId) {
        self.declared_type(var);
        if !self.is_own(var) {
            return;
        }
        let declared = self.declared.get(&var).copied().unwrap_or(0);
        if self.loops > declared || self.captured.contains(&var) {
            self.unstable.insert(var);
        }
        self.state.assigned.insert(var);
    }

    fn capture(&mut self, var: VarId) {
        if self.is_own(var) && !self.is_assigned(var) {
            self.unstable.insert(var);
        }
        self.captured.insert(var);
    }
}

fn contains_break(node: &HirNode) -> bool {
    if matches!(node.kind, HirKind::Break(_)) {
        return true;
    }
    let mut found = false;
    node.kind.children(&mut |child| found = found || contains_break(child));
    found
}
