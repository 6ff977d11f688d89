//! Code tables in an image: modules and bindings with their worlds, methods, overlay tables.
//!
//! Data that is made on demand is left out: instances, code instances, back edges. Resolved calls are kept: finding
//! their methods again would take most of the time of a short program.

use super::bindings::{BindingData, ModuleData, Partition};
use super::frozen::{BindingSource, FrozenBindings, FrozenMethods, binding_hash};
use super::frozen_dispatch::FrozenDispatch;
use super::index::TableIndex;
use super::view::TableName;
use super::{CodeTables, GlobalCell, Method, MethodId, MethodTables, TableId, World, WorldRange};
use crate::caching::ForeignSource;
use crate::heap::{Heap, ObjectWriter, frozen};
use crate::image::{Around, BodySource, FrozenBody, MethodBody, read_place, write_body, write_place};
use kiln_bytes::{Read, Reader, Writer};
use kiln_types::freeze::{FrozenTable, ImageBytes, ImageError, TableWriter, accepted};
use kiln_types::{Module, Symbol};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The last world as 0, so that it takes one byte.
fn write_world(out: &mut Writer, world: u64) {
    out.number(world.wrapping_add(1));
}

fn read_world(input: &mut Reader<'_>) -> Read<u64> {
    Ok(input.number()?.wrapping_sub(1))
}

impl CodeTables {
    /// Writes the tables, and the table of their methods' bodies to `bodies`.
    pub(crate) fn freeze(
        &self,
        out: &mut Writer,
        bodies: &mut Writer,
        objects: &mut ObjectWriter<'_>,
    ) -> Result<(), ImageError> {
        out.number(self.world.load(Ordering::Acquire));
        out.number(self.bindings.rebound());
        out.number(self.sealed.load(Ordering::Acquire));
        out.number(self.methods.has_consistent_overlays().into());
        let (mut methods, mut codes) = (TableWriter::read_often(), TableWriter::new());
        let mut signatures = vec![Vec::new(); self.methods.tables.count()];
        for method in (0..self.methods.count()).map(|it| self.method(MethodId::from_index(it))) {
            let around = Around { name: method.name, module: method.module, loc: method.loc };
            write_body(codes.entry(None), &method.code, around);
            write_method(methods.entry(None), &method);
            if let Some(table) = signatures.get_mut(method.table.index()) {
                table.push((method.id, method.sig));
            }
        }
        methods.finish(out);
        codes.finish(bodies);
        out.index(signatures.len());
        signatures.into_iter().for_each(|it| TableIndex::freeze(out, &self.types, it.into_iter()));
        for (_, table) in self.methods.table_names.iter() {
            out.index(table.name.index());
            out.index(table.module.index());
        }
        self.calls.freeze(out, &self.instances);
        let modules = self.bindings.modules.read();
        let mut names: Vec<Module> = modules.keys().copied().collect();
        names.sort_unstable();
        out.index(names.len());
        for name in names {
            out.index(name.index());
            write_module(out, &modules[&name], objects)?;
        }
        self.packages.freeze(out);
        Ok(())
    }

    /// Fills empty tables from all of `bytes`. Methods and bindings are read on demand.
    pub(crate) fn thaw(
        &mut self,
        bytes: &ImageBytes,
        bodies: Arc<BodySource>,
        heap: Arc<Heap>,
    ) -> Result<(), ImageError> {
        let mut input = Reader::new(bytes.get());
        *self.world.get_mut() = input.number()?;
        *self.bindings.rebound.get_mut() = input.number()?;
        *self.sealed.get_mut() = input.number()?;
        *self.methods.has_consistent_overlays.get_mut() = input.number()? != 0;
        let methods = FrozenTable::read(bytes, &mut input)?;
        let tables = input.list(|it| TableIndex::thaw(bytes, it))?;
        if methods.len() != bodies.bodies.len() {
            return Err(ImageError("bodies of other methods"));
        }
        if tables.len() <= TableId::RUNTIME.index() {
            return Err(ImageError("an image without a method table"));
        }
        for _ in 1..tables.len() {
            let (name, module) = (bodies.counts.symbol(&mut input)?, bodies.counts.module(&mut input)?);
            self.methods.table_names.push(TableName { name, module });
        }
        self.calls.frozen = FrozenDispatch::read(bytes, &mut input, bodies.clone())?;
        let source = Arc::new(BindingSource { counts: bodies.counts, heap });
        let modules = input.list(|it| Ok((bodies.counts.module(it)?, read_module(bytes, it, &source)?)))?;
        self.packages.thaw(&mut input, &bodies.counts)?;
        input.finish()?;
        self.bindings
            .modules
            .get_mut()
            .extend(modules.into_iter().map(|(name, data)| (name, Arc::new(data))));
        self.methods.frozen = FrozenMethods::new(methods, bodies, tables.len());
        self.methods.tables = tables.into_iter().map(RwLock::new).collect();
        Ok(())
    }

    /// Reads every method, body and binding, so that none can turn out to be damaged later.
    pub(crate) fn check(&self, heap: &Heap) -> Result<(), ImageError> {
        let mut signatures = vec![Vec::new(); self.methods.tables.count()];
        for at in 0..self.methods.frozen.len() {
            let method = self.methods.read_method(at)?;
            method.code.check()?;
            if let Some(table) = signatures.get_mut(method.table.index()) {
                table.push((method.id, method.sig));
            }
        }
        for (at, signatures) in signatures.into_iter().enumerate() {
            self.methods.tables[at].read().check(&self.types, signatures.into_iter())?;
        }
        self.calls.check(self.methods.frozen.len())?;
        let modules = self.bindings.modules.read();
        let mut names: Vec<Module> = modules.keys().copied().collect();
        names.sort_unstable();
        names.iter().try_for_each(|it| modules[it].frozen.check(|value| frozen::check_value(heap, value)))
    }
}

impl MethodTables {
    /// Method `at` of the image.
    pub(super) fn frozen_method(&self, at: usize) -> &Arc<Method> {
        let frozen = &self.frozen;
        frozen
            .thawed
            .get(at)
            .unwrap_or_else(|| frozen.thawed.insert(at, Arc::new(accepted(self.read_method(at)))))
    }

    fn read_method(&self, at: usize) -> Result<Method, ImageError> {
        let input = &mut self.frozen.methods.entry(at)?;
        let bodies = &self.frozen.bodies;
        let counts = &bodies.counts;
        // Detached methods are in no table.
        let table = TableId::from_index(input.number_u32()? as usize);
        if table != TableId::DETACHED && table.index() >= self.frozen.tables {
            return Err(ImageError("a method of no table"));
        }
        let (name, module, sig) = (counts.symbol(input)?, counts.module(input)?, counts.ty(input)?);
        let facts = input.number()?;
        let (is_va, is_foreign) = (facts & VARARG != 0, facts & FOREIGN != 0);
        let nargs = u32::try_from(facts / ALL_FACTS).map_err(|_| ImageError("a number is too large"))?;
        let loc = read_place(input)?;
        let born = World::new(read_world(input)?);
        let replaced = read_world(input)?;
        let foreign = if is_foreign { Some(Arc::new(ForeignSource::thaw(input)?)) } else { None };
        input.finish()?;
        let around = Around { name, module, loc };
        let body = FrozenBody { source: bodies.clone(), number: at, around };
        Ok(Method {
            id: MethodId::from_index(at),
            table,
            name,
            module,
            sig,
            nargs,
            is_va,
            code: MethodBody::frozen(body),
            loc,
            born,
            replaced: AtomicU64::new(replaced),
            disabled: AtomicBool::new(false),
            // Of interest to instances, of which an image has none.
            predecessor: None,
            successor: OnceLock::new(),
            instances: Default::default(),
            hash: Default::default(),
            foreign,
            decoded: Default::default(),
            decoded_in_views: Default::default(),
        })
    }
}

/// The method takes any number of arguments.
const VARARG: u64 = 1;
/// Its body is in the IR of another front end.
const FOREIGN: u64 = 2;
/// The number of its arguments is as many times this.
const ALL_FACTS: u64 = 4;

fn write_method(out: &mut Writer, method: &Method) {
    out.index(method.table.index());
    out.index(method.name.index());
    out.index(method.module.index());
    out.index(method.sig.index());
    let facts = [(VARARG, method.is_va), (FOREIGN, method.foreign.is_some())];
    let facts: u64 = facts.iter().filter(|it| it.1).map(|it| it.0).sum();
    out.number(u64::from(method.nargs) * ALL_FACTS + facts);
    write_place(out, method.loc);
    write_world(out, method.born.number());
    write_world(out, method.replaced.load(Ordering::Acquire));
    if let Some(foreign) = &method.foreign {
        foreign.freeze(out);
    }
}

fn write_module(
    out: &mut Writer,
    module: &ModuleData,
    objects: &mut ObjectWriter<'_>,
) -> Result<(), ImageError> {
    let usings = module.usings.read();
    out.index(usings.len());
    for (used, since) in usings.iter() {
        out.index(used.index());
        write_world(out, since.number());
    }
    module.thaw_bindings();
    let bindings = module.bindings.read();
    let mut names: Vec<Symbol> = bindings.keys().copied().collect();
    names.sort_unstable();
    // A name that was only asked for means nothing.
    names.retain(|it| {
        let data = &bindings[it];
        let marked = [&data.exported, &data.public].iter().any(|it| it.load(Ordering::Acquire) != u64::MAX);
        marked || !data.partitions.read().is_empty()
    });
    let mut table = TableWriter::new();
    for name in names {
        let entry = table.entry(Some(binding_hash(name)));
        entry.index(name.index());
        write_binding(entry, &bindings[&name], objects)?;
    }
    table.finish(out);
    Ok(())
}

fn write_binding(
    out: &mut Writer,
    data: &BindingData,
    objects: &mut ObjectWriter<'_>,
) -> Result<(), ImageError> {
    write_world(out, data.exported.load(Ordering::Acquire));
    write_world(out, data.public.load(Ordering::Acquire));
    let value = data.cell.get();
    out.bool(value.is_some());
    if let Some(value) = value {
        objects.value(out, value)?;
    }
    let partitions = data.partitions.read();
    out.index(partitions.len());
    for (worlds, partition) in partitions.iter() {
        write_world(out, worlds.min.number());
        write_world(out, worlds.max.number());
        match partition {
            Partition::Const(value) => {
                out.u8(0);
                objects.value(out, *value)?;
            }
            Partition::Global(ty) => {
                out.u8(1);
                out.index(ty.index());
            }
            Partition::Declared => out.u8(4),
            Partition::Import { module, name, explicit } => {
                out.u8(if *explicit { 3 } else { 2 });
                out.index(module.index());
                out.index(name.index());
            }
        }
    }
    Ok(())
}

fn read_module(bytes: &ImageBytes, input: &mut Reader<'_>, source: &Arc<BindingSource>) -> Read<ModuleData> {
    let usings = input.list(|it| Ok((source.counts.module(it)?, World::new(read_world(it)?))))?;
    let frozen = FrozenBindings::new(FrozenTable::read(bytes, input)?, source.clone());
    Ok(ModuleData { frozen, bindings: RwLock::default(), usings: RwLock::new(usings) })
}

/// The inverse of `write_binding`.
pub(super) fn read_binding(
    input: &mut Reader<'_>,
    source: &BindingSource,
) -> Result<BindingData, ImageError> {
    let BindingSource { counts, heap } = source;
    let exported = AtomicU64::new(read_world(input)?);
    let public = AtomicU64::new(read_world(input)?);
    let cell = GlobalCell::default();
    if input.bool()? {
        cell.set(heap, frozen::thaw_value(heap, input)?);
    }
    let partitions = input.list_of(|it| {
        let worlds = WorldRange { min: World::new(read_world(it)?), max: World::new(read_world(it)?) };
        let partition = match it.u8()? {
            0 => Partition::Const(frozen::thaw_value(heap, it)?),
            1 => Partition::Global(counts.ty(it)?),
            tag @ (2 | 3) => {
                Partition::Import { module: counts.module(it)?, name: counts.symbol(it)?, explicit: tag == 3 }
            }
            4 => Partition::Declared,
            _ => return Err(ImageError("an unknown kind of binding")),
        };
        Ok((worlds, partition))
    })?;
    Ok(BindingData { partitions: RwLock::new(partitions), cell: Arc::new(cell), exported, public })
}
