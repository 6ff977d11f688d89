//! The types that a foreign call declares are evaluated once, where the method around it is defined.
//!
//! The check moves out of the body: to the definition of the method, or to the start of a thunk. There static parameters
//! stand for their type variables, and no local variable has a value yet.

use super::{Binding, Resolver, VarKind};
use crate::hir::{HirKind, HirNode, LambdaId};
use kiln_types::consts;

/// The names that a part of a check mentions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mentions {
    Globals,
    /// Nothing that can be evaluated at a definition: a static parameter itself, code with variables of its own.
    Unknown,
    Locals,
}

impl Resolver<'_> {
    /// Records a check: its first two parts are the checking function and the kind of call, the others are types.
    pub(super) fn definition_check(&mut self, mut parts: Vec<HirNode>, loc: kiln_ir::SourceLoc) {
        for part in parts.iter_mut().skip(2) {
            let found = self.declared_type(part);
            if matches!(part.kind, HirKind::Var(_)) || found == Mentions::Unknown {
                part.kind = HirKind::Const(consts::of_type(self.types, self.types.core().any));
            } else if found == Mentions::Locals {
                part.kind = HirKind::Const(consts::nothing(self.types));
            }
        }
        self.checks.push((self.lambda, HirNode::new(HirKind::Call(parts), loc)));
    }

    /// Resolves the names of a type; none of them makes a closure capture anything.
    fn declared_type(&mut self, node: &mut HirNode) -> Mentions {
        match &mut node.kind {
            HirKind::Const(_) | HirKind::Global(..) => Mentions::Globals,
            HirKind::Name(name) => {
                let name = *name;
                let found = match self.lookup(name) {
                    Binding::Global(..) => Mentions::Globals,
                    Binding::Var(var) => {
                        let info = &self.out.vars[var.0 as usize];
                        match info.kind {
                            VarKind::StaticParam if info.owner == self.lambda => Mentions::Globals,
                            VarKind::StaticParam => Mentions::Unknown,
                            VarKind::Arg | VarKind::Local => Mentions::Locals,
                        }
                    }
                };
                node.kind = self.resolved(name, false);
                found
            }
            HirKind::Call(nodes) => {
                let found: Vec<Mentions> = nodes.iter_mut().map(|it| self.declared_type(it)).collect();
                let has = |it: Mentions| found.contains(&it);
                match () {
                    () if has(Mentions::Unknown) => Mentions::Unknown,
                    () if has(Mentions::Locals) => Mentions::Locals,
                    () => Mentions::Globals,
                }
            }
            _ => Mentions::Unknown,
        }
    }

    /// The checks that belong to a body.
    pub(super) fn checks_of(&mut self, lambda: LambdaId) -> Vec<HirNode> {
        let (own, others) = std::mem::take(&mut self.checks).into_iter().partition(|it| it.0 == lambda);
        self.checks = others;
        let own: Vec<(LambdaId, HirNode)> = own;
        own.into_iter().map(|it| it.1).collect()
    }
}
