//! Methods and bindings of an image that were not read yet.

use super::Method;
use super::bindings::{BindingData, Partition};
use super::image::read_binding;
use crate::heap::{Heap, Value};
use crate::image::BodySource;
use kiln_types::Symbol;
use kiln_types::freeze::{FrozenTable, ImageError, TableSizes, Thawed, accepted};
use std::sync::Arc;

/// The methods of the image.
#[derive(Debug, Default)]
pub(super) struct FrozenMethods {
    pub(super) methods: FrozenTable,
    pub(super) thawed: Thawed<Arc<Method>>,
    pub(super) bodies: Arc<BodySource>,
    /// The number of method tables in the image.
    pub(super) tables: usize,
}

impl FrozenMethods {
    pub(super) fn new(methods: FrozenTable, bodies: Arc<BodySource>, tables: usize) -> Self {
        Self { thawed: Thawed::new(methods.len()), methods, bodies, tables }
    }
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.thawed.len()
    }
}

/// The tables that reading a binding takes.
#[derive(Debug)]
pub(super) struct BindingSource {
    pub(super) counts: TableSizes,
    pub(super) heap: Arc<Heap>,
}

/// The bindings of a module in the image.
#[derive(Debug, Default)]
pub(super) struct FrozenBindings {
    table: FrozenTable,
    source: Option<Arc<BindingSource>>,
}

/// Returns the hash by which a binding is looked up.
pub(super) fn binding_hash(name: Symbol) -> u64 {
    (name.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl FrozenBindings {
    pub(super) fn new(table: FrozenTable, source: Arc<BindingSource>) -> Self {
        Self { table, source: Some(source) }
    }

    fn read(&self, at: usize) -> Result<(Symbol, BindingData), ImageError> {
        let source = self.source.as_ref().ok_or(ImageError("bindings of no image"))?;
        let mut entry = self.table.entry(at)?;
        let read = (source.counts.symbol(&mut entry)?, read_binding(&mut entry, source)?);
        entry.finish()?;
        Ok(read)
    }

    fn name(&self, at: usize) -> Result<Symbol, ImageError> {
        let source = self.source.as_ref().ok_or(ImageError("bindings of no image"))?;
        Ok(source.counts.symbol(&mut self.table.entry(at)?)?)
    }

    /// Returns the image's binding of `name`.
    pub(super) fn find(&self, name: Symbol) -> Option<BindingData> {
        let mut candidates = self.table.candidates(binding_hash(name));
        let at = candidates.find(|&it| accepted(self.name(it)) == name)?;
        Some(accepted(self.read(at)).1)
    }

    /// The names that the image binds.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        (0..self.table.len()).map(|it| accepted(self.name(it)))
    }

    /// Reads everything, and has the values checked.
    pub(super) fn check(&self, value: impl Fn(Value) -> Result<(), ImageError>) -> Result<(), ImageError> {
        let mut hashes = Vec::new();
        for at in 0..self.table.len() {
            let (name, data) = self.read(at)?;
            hashes.push((binding_hash(name), at as u32));
            data.cell.get().map_or(Ok(()), &value)?;
            for (_, partition) in data.partitions.read().iter() {
                if let Partition::Const(it) = partition {
                    value(*it)?;
                }
            }
        }
        self.table.check_index(&hashes)
    }
}
