//! The log of invalidations: while it is on, it records the instances whose results a definition ends, each with its
//! distance from the change, followed by the dependency and the definition. The order is that of Julia's log.

use super::{Affected, CodeTables, Definition, Edge, MethodId, MethodTables, World};
use kiln_ir::Instance;
use kiln_types::{Module, Symbol, Type};
use parking_lot::Mutex;

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalidation {
    /// A result of this instance ended. `depth` is 0 if it depends on the absence of a method, 1 if it depends on the
    /// change directly, and one more for each call in between.
    Ended {
        /// The instance of the result.
        instance: Instance,
        /// The number of calls in between.
        depth: u32,
    },
    /// The results before this entry ended because calls of this instance may go elsewhere.
    Callee(Instance),
    /// The results before this entry ended because calls with this signature had found other methods.
    Signature(Type),
    /// The results before this entry ended because this name means something else after world `last`.
    Binding {
        /// The module that the name was asked in.
        module: Module,
        /// The name.
        name: Symbol,
        /// The last world with the old meaning.
        last: World,
    },
    /// All results since the definition before ended because this method was added or deleted.
    Method {
        /// The method.
        method: MethodId,
        /// Whether it was deleted.
        deleted: bool,
    },
}

/// The log, `None` while it is off.
#[derive(Debug, Default)]
pub struct InvalidationLog {
    entries: Mutex<Option<Vec<Invalidation>>>,
}

/// The cause that several results ended by a definition share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Not asked for: the log is off.
    Unlogged,
    Callee(Instance),
    Signature(Type),
    Binding(Module, Symbol),
}

impl Cause {
    /// Returns the distance of results that end for this cause.
    pub(super) fn depth(self) -> u32 {
        u32::from(!matches!(self, Cause::Signature(_)))
    }
}

impl InvalidationLog {
    /// Starts or continues the log.
    pub fn start(&self) {
        self.entries.lock().get_or_insert_default();
    }

    /// Stops the log and returns its entries.
    pub fn stop(&self) -> Vec<Invalidation> {
        self.entries.lock().take().unwrap_or_default()
    }

    /// Logs the results that ended for a cause.
    pub(super) fn ended(&self, mut ended: Vec<Invalidation>, cause: Cause, last: World) -> bool {
        if ended.is_empty() || cause == Cause::Unlogged {
            return false;
        }
        ended.push(match cause {
            Cause::Signature(sig) => Invalidation::Signature(sig),
            Cause::Binding(module, name) => Invalidation::Binding { module, name, last },
            Cause::Callee(instance) => Invalidation::Callee(instance),
            Cause::Unlogged => return false,
        });
        self.add(ended);
        true
    }

    /// Logs the definition that ended results.
    pub(super) fn defined(&self, methods: &MethodTables, definition: Definition, last: World) {
        if let Definition::Method(method) = definition {
            let deleted = methods.method(method).worlds().max <= last;
            self.add(vec![Invalidation::Method { method, deleted }]);
        }
    }

    fn is_on(&self) -> bool {
        self.entries.lock().is_some()
    }

    fn add(&self, new: Vec<Invalidation>) {
        if let Some(entries) = self.entries.lock().as_mut() {
            entries.extend(new);
        }
    }
}

/// The results that a definition ends directly, by their causes, if the log is on.
pub(super) fn by_cause(tables: &CodeTables, affected: Vec<Affected>) -> Vec<(Cause, Vec<Affected>)> {
    if !tables.invalidations.is_on() {
        return vec![(Cause::Unlogged, affected)];
    }
    let of_callee = |it: &Affected| matches!(cause(tables, it), Cause::Callee(_));
    let mut causes: Vec<(Cause, Vec<Affected>)> = Vec::new();
    for it in &affected {
        // A look-up whose targets are known is logged with these.
        let same = |other: &&Affected| std::sync::Arc::ptr_eq(&other.0, &it.0) && of_callee(other);
        if !of_callee(it) && affected.iter().any(|other| same(&other)) {
            continue;
        }
        let cause = cause(tables, it);
        match causes.iter_mut().find(|known| known.0 == cause) {
            Some(known) => known.1.push(it.clone()),
            None => causes.push((cause, vec![it.clone()])),
        }
    }
    causes
}

fn cause(tables: &CodeTables, (ci, edge): &Affected) -> Cause {
    match edge {
        None => Cause::Callee(tables.instances.plain(&tables.methods, ci.instance)),
        Some(
            Edge::Instance(callee)
            | Edge::Body(callee)
            | Edge::Invoke { instance: callee, .. }
            | Edge::Original { instance: callee, .. },
        ) => Cause::Callee(tables.instances.plain(&tables.methods, *callee)),
        Some(Edge::Lookup { sig, .. } | Edge::TooMany(sig)) => Cause::Signature(*sig),
        Some(Edge::Binding(module, name)) => Cause::Binding(*module, *name),
        Some(Edge::Constant { .. }) => Cause::Unlogged,
    }
}
