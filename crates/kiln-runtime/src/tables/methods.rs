//! The methods of a session, and the tables that look-ups find them in.

use super::frozen::FrozenMethods;
use super::index::TableIndex;
use super::view::TableName;
use super::{Method, MethodId, TableId};
use kiln_types::Types;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The methods of a session by table. Definitions are made by [`CodeTables`](super::CodeTables), since they end code.
#[derive(Debug)]
pub struct MethodTables {
    pub(super) types: Arc<Types>,
    /// The first methods, from the image.
    pub(super) frozen: FrozenMethods,
    /// The methods defined since.
    pub(super) defined: boxcar::Vec<Arc<Method>>,
    pub(super) tables: boxcar::Vec<RwLock<TableIndex>>,
    /// The names of the tables behind the global one, in order.
    pub(super) table_names: boxcar::Vec<TableName>,
    /// See [`MethodTables::has_consistent_overlays`].
    pub(super) has_consistent_overlays: AtomicBool,
    /// Whether a call that the library makes of its own values may have another method since the image.
    pub(super) changes_library: AtomicBool,
}

impl MethodTables {
    /// No table has been made, not even the global one.
    pub(super) fn new(types: Arc<Types>) -> Self {
        Self {
            types,
            frozen: FrozenMethods::default(),
            defined: boxcar::Vec::new(),
            tables: boxcar::Vec::new(),
            table_names: boxcar::Vec::new(),
            has_consistent_overlays: AtomicBool::new(false),
            changes_library: AtomicBool::new(false),
        }
    }

    /// The method of this id.
    pub fn method(&self, method: MethodId) -> Arc<Method> {
        match method.index().checked_sub(self.frozen.len()) {
            Some(own) => self.defined[own].clone(),
            None => self.frozen_method(method.index()).clone(),
        }
    }

    /// Returns the number of methods.
    pub(crate) fn count(&self) -> usize {
        self.frozen.len() + self.defined.count()
    }

    /// Returns the number of methods that came with the image.
    pub(crate) fn count_of_image(&self) -> usize {
        self.frozen.len()
    }

    /// The methods behind the first `count` ones, without those of the image, as far as they are complete.
    pub(crate) fn behind(&self, count: usize) -> impl Iterator<Item = &Arc<Method>> {
        let first = count.saturating_sub(self.frozen.len());
        (first..).map_while(|at| self.defined.get(at))
    }

    /// The methods of a table, in the order of definition, replaced ones included.
    pub fn methods_of_table(&self, table: TableId) -> Vec<MethodId> {
        self.tables.get(table.index()).map_or_else(Vec::new, |it| it.read().methods())
    }
}
