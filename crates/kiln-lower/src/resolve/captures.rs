//! The variables that each function takes from outside.
//!
//! A function that refers to a variable with a declared type evaluates that type, so it takes the variables of the type
//! too: static parameters included, and the variables of their types in turn.

use super::{Resolver, VarKind};
use crate::gensym::{Purpose, placeholder, plain, without_number};
use crate::hir::{HirKind, HirNode, LambdaId, VarId};
use crate::resolve::Resolved;

/// The variables around it that a declared type refers to.
#[derive(Debug, Default)]
struct Mentioned {
    read: Vec<VarId>,
    assigned: Vec<VarId>,
    /// Variables of scopes inside the type.
    own: Vec<VarId>,
}

impl Mentioned {
    fn walk(&mut self, node: &HirNode, resolved: &Resolved) {
        match &node.kind {
            HirKind::Var(var) => self.read.push(*var),
            HirKind::Assign(target, _) => {
                if let HirKind::Var(var) = target.kind {
                    self.assigned.push(var);
                }
            }
            HirKind::Scope(scope) => self.own.extend(&scope.vars),
            HirKind::Closure(group, _) => {
                for method in &resolved.groups[group.0 as usize].methods {
                    self.read.extend(&resolved.lambdas[method.lambda.id.0 as usize].free);
                }
            }
            _ => {}
        }
        node.kind.children(&mut |child| self.walk(child, resolved));
    }
}

impl Resolver<'_> {
    /// Turns mentions into the variables each function takes from outside, and those into the fields of closures.
    pub(super) fn finish_captures(&mut self) {
        for (lambda, var) in std::mem::take(&mut self.mentions) {
            self.note_free(lambda, var);
        }
        for lambda in 0..self.out.lambdas.len() as u32 {
            self.note_declared_types(LambdaId(lambda));
        }
        for index in 0..self.out.groups.len() {
            let mut captures: Vec<VarId> = Vec::new();
            for method in &self.out.groups[index].methods {
                for &var in &self.out.lambdas[method.lambda.id.0 as usize].free {
                    if !captures.contains(&var) {
                        captures.push(var);
                    }
                }
            }
            let vars = &self.out.vars;
            captures.sort_by_key(|it| vars[it.0 as usize].kind != VarKind::StaticParam);
            self.out.groups[index].captures = captures;
        }
    }

    /// Notes the variables that the declared types of a function's free variables refer to.
    fn note_declared_types(&mut self, lambda: LambdaId) {
        let mut next = 0;
        // The list grows: functions around take what this one takes, so their own turn finds the same.
        while let Some(&var) = self.out.lambdas[lambda.0 as usize].free.get(next) {
            next += 1;
            let Some(ty) = &self.out.vars[var.0 as usize].ty else { continue };
            let mut mentioned = Mentioned::default();
            mentioned.walk(ty, &self.out);
            for it in mentioned.read {
                if !mentioned.own.contains(&it) {
                    self.note_free(lambda, it);
                }
            }
            for it in mentioned.assigned {
                self.var(it).assigned_inside |= !mentioned.own.contains(&it);
            }
        }
    }

    /// Whether a function reaches a variable of its own kind through an argument.
    fn alias(&self, lambda: LambdaId, var: VarId) -> bool {
        self.out.vars[var.0 as usize].assignments == 0
            && self.out.lambdas[lambda.0 as usize].aliases.iter().any(|it| it.0 == var)
    }

    fn note_free(&mut self, from: LambdaId, var: VarId) {
        let owner = self.out.vars[var.0 as usize].owner;
        let mut lambda = from;
        while lambda != owner && lambda != LambdaId(0) {
            if self.alias(lambda, var) {
                return;
            }
            let info = &mut self.out.lambdas[lambda.0 as usize];
            if !info.free.contains(&var) {
                info.free.push(var);
            }
            let (global, parent) = (info.global, info.parent);
            if global && self.out.vars[var.0 as usize].hidden.is_none() {
                let name = without_number(self.name_of(var));
                let symbol = placeholder(self.types, plain(name), Purpose::Hidden(var.0));
                self.var(var).hidden = Some(symbol);
            }
            lambda = parent;
        }
        self.var(var).captured = true;
    }
}
