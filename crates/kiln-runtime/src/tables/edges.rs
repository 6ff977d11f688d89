//! The dependencies of code, and back edges: from a dependency to the code.
//!
//! Results of other sessions share most dependencies on the library. Equal lists are one shared list, which is filed
//! once.

use super::signature_index::SignatureIndex;
use super::{CodeInstance, CodeTables, Edge};
use kiln_ir::Instance;
use kiln_types::{Module, Symbol, Type, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The dependencies of a result.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    own: Vec<Edge>,
    shared: Option<Arc<[Edge]>>,
    /// They include those of all callees, and name no callee: those of a result that another session kept.
    is_flat: bool,
}

impl Edges {
    /// The edges of a result that another session kept, those of all its callees included, beside a list that other such
    /// results of the same view of the tables have too: of look-ups and names only.
    pub fn flat(own: Vec<Edge>, shared: Arc<[Edge]>) -> Self {
        let is_plain = |it: &Edge| matches!(it, Edge::Lookup { .. } | Edge::TooMany(_) | Edge::Binding(..));
        debug_assert!(shared.iter().all(is_plain), "an edge of one result among those of many");
        Self { own, shared: (!shared.is_empty()).then_some(shared), is_flat: true }
    }

    /// Whether they include those of all callees, and name no callee.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.shared.is_none()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.own.iter().chain(self.shared.iter().flat_map(|it| it.iter()))
    }
}

impl From<Vec<Edge>> for Edges {
    fn from(own: Vec<Edge>) -> Self {
        Self { own, shared: None, is_flat: false }
    }
}

/// The holder of an edge.
#[derive(Clone, Debug)]
enum Holder {
    Code(Arc<CodeInstance>),
    /// All that have the list of this number.
    List(usize),
}

/// A list of edges and the code that has it, which saw one view of the tables.
#[derive(Debug)]
struct List {
    edges: Arc<[Edge]>,
    holders: Vec<Arc<CodeInstance>>,
}

/// Back edges: from a dependency to the code that depends on it.
#[derive(Debug, Default)]
pub(super) struct BackEdges {
    /// Code that calls an instance.
    callers: FxHashMap<Instance, Vec<Arc<CodeInstance>>>,
    /// Code that looked methods up, with the position of the edge.
    lookups: SignatureIndex<Vec<(Holder, usize)>>,
    /// Code that depends on the meaning of a name: by name, with the module of the look-up.
    bindings: FxHashMap<Symbol, Vec<(Module, Holder)>>,
    lists: Vec<List>,
    /// The numbers of lists, by where they are.
    list_numbers: FxHashMap<usize, Vec<usize>>,
}

impl BackEdges {
    /// Files the edges of `ci`.
    pub(super) fn add(&mut self, tables: &CodeTables, ci: &Arc<CodeInstance>) {
        for (at, edge) in ci.edges.own.iter().enumerate() {
            if let Edge::Instance(callee)
            | Edge::Body(callee)
            | Edge::Invoke { instance: callee, .. }
            | Edge::Original { instance: callee, .. } = edge
            {
                self.add_caller(*callee, ci);
            }
            self.file(tables, edge, Holder::Code(ci.clone()), at);
        }
        let Some(edges) = &ci.edges.shared else { return };
        let numbers = self.list_numbers.entry(edges.as_ptr().addr()).or_default();
        let known = numbers.iter().find(|it| self.lists[**it].holders[0].view == ci.view);
        if let Some(known) = known {
            self.lists[*known].holders.push(ci.clone());
            return;
        }
        let number = self.lists.len();
        numbers.push(number);
        self.lists.push(List { edges: edges.clone(), holders: vec![ci.clone()] });
        for (at, edge) in edges.iter().enumerate() {
            self.file(tables, edge, Holder::List(number), at);
        }
    }

    fn file(&mut self, tables: &CodeTables, edge: &Edge, holder: Holder, at: usize) {
        if let Edge::Binding(module, name) = edge {
            self.bindings.entry(*name).or_default().push((*module, holder));
        } else if let Some(sig) = looked_up(tables, edge) {
            self.lookups.group(&tables.types, sig).push((holder, at));
        }
    }

    /// Records that `ci` depends on the effects of calling `callee`.
    pub(super) fn add_caller(&mut self, callee: Instance, ci: &Arc<CodeInstance>) {
        let callers = self.callers.entry(callee).or_default();
        if !callers.iter().rev().take(4).any(|it| Arc::ptr_eq(it, ci)) {
            callers.push(ci.clone());
        }
    }

    /// Code that calls an instance.
    pub(super) fn callers(&self, callee: Instance) -> &[Arc<CodeInstance>] {
        self.callers.get(&callee).map_or(&[], Vec::as_slice)
    }

    /// Returns the holders of look-ups that a method with signature `sig` may meet, each with the edge.
    pub(super) fn lookups_meeting(
        &self,
        types: &Types,
        sig: Type,
    ) -> impl Iterator<Item = (&[Arc<CodeInstance>], &Edge)> {
        self.lookups.meeting(types, sig).into_iter().flatten().filter_map(|(holder, at)| match holder {
            Holder::Code(ci) => Some((std::slice::from_ref(ci), ci.edges.own.get(*at)?)),
            Holder::List(number) => {
                let list = &self.lists[*number];
                Some((&*list.holders, list.edges.get(*at)?))
            }
        })
    }

    fn holders<'a>(&'a self, holder: &'a Holder) -> &'a [Arc<CodeInstance>] {
        match holder {
            Holder::Code(ci) => std::slice::from_ref(ci),
            Holder::List(number) => &self.lists[*number].holders,
        }
    }

    /// Code that asked for `name`, and in which module.
    pub(super) fn of_name(&self, name: Symbol) -> Vec<(Module, Arc<CodeInstance>)> {
        let askers = self.bindings.get(&name).into_iter().flatten();
        askers
            .flat_map(|(module, holder)| self.holders(holder).iter().map(|it| (*module, it.clone())))
            .collect()
    }

    /// The names anything has asked for in `module`, in order.
    pub(super) fn names_in(&self, module: Module) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self
            .bindings
            .iter()
            .filter(|(_, askers)| askers.iter().any(|(it, _)| *it == module))
            .map(|(&name, _)| name)
            .collect();
        names.sort_unstable();
        names
    }
}

/// Returns the signature whose methods an edge depends on.
pub(super) fn looked_up(tables: &CodeTables, edge: &Edge) -> Option<Type> {
    match edge {
        Edge::Lookup { sig, .. }
        | Edge::TooMany(sig)
        | Edge::Invoke { sig, .. }
        | Edge::Original { sig, .. } => Some(*sig),
        Edge::Instance(instance) => Some(tables.instance_data(*instance).spec_types),
        // The instance that was evaluated has an edge of its own.
        Edge::Binding(..) | Edge::Body(_) | Edge::Constant { .. } => None,
    }
}
