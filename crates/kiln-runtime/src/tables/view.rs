//! A job's view of the method tables: a stack of them, merged by specificity, and the identity under which its results
//! are kept.

use super::{CacheOwner, Calls, CodeTables, MethodTables, TableId, World};
use crate::caching::{Stable, StableWriter};
use kiln_types::{Module, Symbol, module};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The tables a job sees, the front one first. The global table is always the last and is not listed.
///
/// All of them are merged by specificity; at equal or ambiguous signatures the table in front wins.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MethodTableView {
    overlays: Arc<[TableId]>,
    /// See [`MethodTableView::originals`].
    has_originals: bool,
    /// The global table is not seen.
    is_alone: bool,
}

impl MethodTableView {
    /// The global table alone: the view of host code.
    pub fn global() -> Self {
        Self::default()
    }
    /// Returns a device's view: these overlays, the front one first, on the runtime's own table, on the global table.
    ///
    /// The runtime's own table cannot be listed, since it cannot be named:
    ///
    /// ```compile_fail
    /// use kiln_runtime::tables::{MethodTableView, TableId};
    /// let _ = MethodTableView::stacked(&[TableId::RUNTIME]);
    /// ```
    pub fn stacked(overlays: &[TableId]) -> Self {
        let mut all: Vec<TableId> = Vec::with_capacity(overlays.len() + 1);
        for &table in overlays.iter().chain(&[TableId::RUNTIME]) {
            if table != TableId::GLOBAL && !all.contains(&table) {
                all.push(table);
            }
        }
        Self { overlays: all.into(), ..Self::default() }
    }
    /// This table and no other.
    pub(crate) fn alone(table: TableId) -> Self {
        Self { overlays: [table].into(), is_alone: true, ..Self::default() }
    }
    /// The same view without methods defined by `@consistent_overlay`: calls go to the methods they replace, which
    /// behave the same and run on the host.
    #[must_use]
    pub fn originals(&self) -> Self {
        Self { has_originals: true, ..self.clone() }
    }
    /// Whether it is such a view.
    pub(super) fn has_originals(&self) -> bool {
        self.has_originals
    }
    /// The overlays, the front one first.
    pub fn overlays(&self) -> &[TableId] {
        &self.overlays
    }
    /// Position of `table` in the stack, the front one 0; `None` if the view does not contain it.
    pub fn rank(&self, table: TableId) -> Option<usize> {
        if table == TableId::GLOBAL {
            return (!self.is_alone).then_some(self.overlays.len());
        }
        self.overlays.iter().position(|&it| it == table)
    }
}

/// An interned view, as the interpreter and its caches know it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ViewId(u32);

impl ViewId {
    /// The global table alone, not in a kernel.
    pub const HOST: ViewId = ViewId(0);

    /// The id of this number, which [`ViewId::number`] gave.
    pub(crate) const fn from_number(number: u32) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }
    /// Whether code that runs under it is a kernel's.
    pub const fn in_kernel(self) -> bool {
        self.0 & 1 != 0
    }
    /// See [`ViewFlags::other_fma`].
    pub(crate) const fn other_fma(self) -> bool {
        self.0 & 2 != 0
    }
    pub(super) fn index(self) -> usize {
        (self.0 >> 2) as usize
    }
}

/// The facts that the interpreter needs of the code it evaluates, its tables aside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ViewFlags {
    /// The view is a kernel's.
    pub in_kernel: bool,
    /// Its processor has fused multiply-add where that of host code has none, or the other way round.
    pub other_fma: bool,
}

/// The name of an overlay table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TableName {
    pub(super) name: Symbol,
    pub(super) module: Module,
}

impl CodeTables {
    /// From now on the runtime's own table takes no methods, and generators see no helpers newer than themselves.
    pub fn seal(&self) {
        self.sealed.store(self.world().number(), Ordering::Release);
    }

    /// The world in which the library was complete; `None` while it is being loaded.
    pub fn sealed(&self) -> Option<World> {
        match self.sealed.load(Ordering::Acquire) {
            0 => None,
            world => Some(World::new(world)),
        }
    }
}

impl MethodTables {
    /// Makes an overlay table. It starts out empty and is seen only by views that list it.
    pub fn add_table(&self, name: Symbol, module: Module) -> TableId {
        self.table_names.push(TableName { name, module });
        TableId::from_index(self.tables.push(Default::default()))
    }

    /// The overlay tables that can be named.
    pub(crate) fn overlay_tables(&self) -> impl Iterator<Item = TableId> {
        (TableId::RUNTIME.index() + 1..self.tables.count()).map(TableId::from_index)
    }

    /// The name of an overlay table and the module it was made in; `None` for the global table.
    pub fn table_name(&self, table: TableId) -> Option<(Symbol, Module)> {
        let named = self.table_names.get(table.index().checked_sub(1)?)?;
        Some((named.name, named.module))
    }

    /// All of them.
    pub(crate) fn all_tables(&self) -> impl Iterator<Item = TableId> + '_ {
        self.tables.iter().map(|(at, _)| TableId::from_index(at))
    }

    /// Whether there is such a table.
    pub(crate) fn has_table(&self, table: TableId) -> bool {
        self.tables.get(table.index()).is_some()
    }

    /// Whether any method was ever defined by `@consistent_overlay`.
    pub fn has_consistent_overlays(&self) -> bool {
        self.has_consistent_overlays.load(Ordering::Acquire)
    }

    /// Returns the owner of a view's results, if `rest` is all else that tells them apart: parameters of inference, the name
    /// of a compiler. Equal in every process in which the tables have equal names.
    pub fn owner<S: Stable + ?Sized>(&self, view: &MethodTableView, rest: &S) -> CacheOwner {
        let mut writer = StableWriter::default();
        writer.value(rest).list(view.overlays().len());
        for &table in view.overlays() {
            let Some(named) = self.table_name(table) else { continue };
            let earlier = self.table_names.iter().take(table.index() - 1);
            let same = earlier.filter(|(_, it)| (it.name, it.module) == named).count();
            writer.value(&same).text(self.types.name(named.0)).text(&module::path(&self.types, named.1));
        }
        CacheOwner::from_hash(writer.hash("kiln owner"))
    }
}

impl Calls {
    /// The number of a view for the interpreter.
    pub fn intern_view(&self, view: &MethodTableView, flags: ViewFlags) -> ViewId {
        if view.overlays().is_empty() && flags == ViewFlags::default() {
            return ViewId::HOST;
        }
        let position = |views: &[MethodTableView]| views.iter().position(|it| it == view);
        let known = position(&self.views.read());
        let at = known.unwrap_or_else(|| {
            let mut views = self.views.write();
            position(&views).unwrap_or_else(|| {
                views.push(view.clone());
                views.len() - 1
            })
        });
        // Number 0 is the host's, so the first is 1.
        let ViewFlags { in_kernel, other_fma } = flags;
        ViewId((at as u32 + 1) << 2 | u32::from(other_fma) << 1 | u32::from(in_kernel))
    }

    /// The view of this number.
    pub fn view(&self, id: ViewId) -> MethodTableView {
        match id.index().checked_sub(1) {
            None => MethodTableView::global(),
            Some(at) => self.views.read().get(at).cloned().unwrap_or_default(),
        }
    }
}
