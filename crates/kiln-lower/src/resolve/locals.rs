//! `Expr(:locals)`, as `Base.@locals` makes it: the variables in scope that have a value, by name.

use super::{Binding, Resolver};
use crate::hir::{HirKind, HirNode};
use kiln_ir::SourceLoc;
use kiln_types::{Module, Symbol, consts};
use rustc_hash::FxHashSet;

impl Resolver<'_> {
    /// Returns the call that makes the dictionary. Its arguments are pairs of a name and a value, and `nothing` for variables
    /// without a value.
    pub(super) fn locals(&mut self, loc: SourceLoc) -> HirKind {
        let node = |kind| HirNode::new(kind, loc);
        let global = |this: &Self, module, name| node(HirKind::Global(module, this.types.symbol(name)));
        let mut call = vec![global(self, Module::BASE, "dict_of_locals")];
        for name in self.visible_locals() {
            let shown = node(HirKind::Const(consts::symbol(self.types, name)));
            let mut variable = || node(self.resolved(name, true));
            let (asked, read) = (variable(), variable());
            let pair = node(HirKind::Call(vec![global(self, Module::CORE, "tuple"), shown, read]));
            let nothing = node(HirKind::Const(consts::nothing(self.types)));
            let known = node(HirKind::IsDefined(Box::new(asked)));
            call.push(node(HirKind::If(Box::new(known), Box::new(pair), Box::new(nothing))));
        }
        HirKind::Call(call)
    }

    /// The names of the variables in scope, in alphabetic order; not those that macros and lowering make, which contain `#`.
    fn visible_locals(&self) -> Vec<Symbol> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        for scope in self.scopes.iter().rev() {
            #[expect(clippy::iter_over_hash_type, reason = "a scope has each name once, and they are sorted")]
            for (&name, binding) in &scope.names {
                // A declaration of an inner scope hides an outer variable.
                if seen.insert(name)
                    && matches!(binding, Binding::Var(_))
                    && !self.types.name(name).contains('#')
                {
                    found.push(name);
                }
            }
        }
        found.sort_by_key(|it| self.types.name(*it));
        found
    }
}
