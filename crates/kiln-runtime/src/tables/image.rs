//! Code tables in an image: modules and bindings with their worlds, methods, overlay tables.
//!
//! What is made on demand is left out: instances, code instances, back edges, the dispatch cache.

use super::bindings::{BindingData, ModuleData, Partition};
use super::view::TableName;
use super::{CodeTables, GlobalCell, Method, MethodId, TableId, World, WorldRange};
use crate::heap::{ObjectReader, ObjectWriter};
use crate::image::{BodySource, FrozenBody, MethodBody, write_body};
use kiln_ir::SourceLoc;
use kiln_types::freeze::{Counts, ImageError, In, Out};
use kiln_types::{Module, Symbol};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The last world as 0, so that it takes one byte.
fn write_world(out: &mut Out, world: u64) {
    out.number(world.wrapping_add(1));
}

fn read_world(input: &mut In<'_>) -> Result<u64, ImageError> {
    Ok(input.number()?.wrapping_sub(1))
}

impl CodeTables {
    /// Writes the tables, and the bodies of methods one after the other to `bodies`.
    pub(crate) fn freeze(
        &self,
        out: &mut Out,
        bodies: &mut Out,
        objects: &mut ObjectWriter<'_>,
    ) -> Result<(), ImageError> {
        out.number(self.world.load(Ordering::Acquire));
        out.number(self.rebound.load(Ordering::Acquire));
        out.number(self.sealed.load(Ordering::Acquire));
        out.index(self.tables.count());
        for (_, table) in self.table_names.iter() {
            out.index(table.name.index());
            out.index(table.module.index());
        }
        out.index(self.methods.count());
        for (_, method) in self.methods.iter() {
            let before = bodies.len();
            write_body(bodies, &method.code);
            write_method(out, method, bodies.len() - before);
        }
        let modules = self.modules.read();
        let mut names: Vec<Module> = modules.keys().copied().collect();
        names.sort_unstable();
        out.index(names.len());
        for name in names {
            out.index(name.index());
            write_module(out, &modules[&name], objects)?;
        }
        Ok(())
    }

    /// Fills empty tables.
    pub(crate) fn thaw(
        &mut self,
        input: &mut In<'_>,
        bodies: &Arc<BodySource>,
        objects: &ObjectReader<'_>,
    ) -> Result<(), ImageError> {
        *self.world.get_mut() = input.number()?;
        *self.rebound.get_mut() = input.number()?;
        *self.sealed.get_mut() = input.number()?;
        let tables = input.count()?;
        if tables <= TableId::RUNTIME.index() {
            return Err(ImageError("an image without a method table"));
        }
        for _ in 1..tables {
            let (name, module) = (bodies.counts.symbol(input)?, bodies.counts.module(input)?);
            self.table_names.push(TableName { name, module });
        }
        let mut indices: Vec<super::index::TableIndex> = Vec::new();
        indices.resize_with(tables, Default::default);
        let count = input.count()?;
        self.methods.reserve(count);
        let mut start = 0usize;
        for number in 0..count {
            let method = self.read_method(input, bodies, &mut start, number, tables)?;
            indices[method.table.index()].insert(&self.types, method.id, method.sig);
            self.methods.push(Arc::new(method));
        }
        if start != bodies.bytes.get().len() {
            return Err(ImageError("bodies that no method has"));
        }
        self.tables = indices.into_iter().map(RwLock::new).collect();
        let modules =
            input.list(|it| Ok((bodies.counts.module(it)?, read_module(it, &bodies.counts, objects)?)))?;
        self.modules.get_mut().extend(modules.into_iter().map(|(name, data)| (name, Arc::new(data))));
        Ok(())
    }

    /// Decodes every body once, so that none can turn out to be damaged later.
    pub(crate) fn check_bodies(&self) -> Result<(), ImageError> {
        self.methods.iter().try_for_each(|(_, it)| it.code.check())
    }

    fn read_method(
        &self,
        input: &mut In<'_>,
        bodies: &Arc<BodySource>,
        start: &mut usize,
        number: usize,
        tables: usize,
    ) -> Result<Method, ImageError> {
        let counts = &bodies.counts;
        let table = TableId::from_index(input.index(tables)?);
        let (name, module, sig) = (counts.symbol(input)?, counts.module(input)?, counts.ty(input)?);
        let nargs = input.u32()?;
        let is_va = input.flag()?;
        let loc = SourceLoc::from_bits(input.word()?);
        let born = World::new(read_world(input)?);
        let replaced = read_world(input)?;
        let len = input.number()? as usize;
        let body = FrozenBody { source: bodies.clone(), start: *start, len };
        let end = start.checked_add(len).filter(|&it| it <= bodies.bytes.get().len());
        *start = end.ok_or(ImageError("a body lies outside the image"))?;
        Ok(Method {
            id: MethodId::from_index(number),
            table,
            name,
            module,
            sig,
            static_params: self.types.outer_vars(sig),
            nargs,
            is_va,
            code: MethodBody::frozen(body),
            loc,
            born,
            replaced: AtomicU64::new(replaced),
            instances: Default::default(),
            decoded: Default::default(),
            decoded_in_views: Default::default(),
        })
    }
}

fn write_method(out: &mut Out, method: &Method, body_bytes: usize) {
    out.index(method.table.index());
    out.index(method.name.index());
    out.index(method.module.index());
    out.index(method.sig.index());
    out.number(u64::from(method.nargs));
    out.flag(method.is_va);
    out.word(method.loc.to_bits());
    write_world(out, method.born.number());
    write_world(out, method.replaced.load(Ordering::Acquire));
    out.index(body_bytes);
}

fn write_module(
    out: &mut Out,
    module: &ModuleData,
    objects: &mut ObjectWriter<'_>,
) -> Result<(), ImageError> {
    let usings = module.usings.read();
    out.index(usings.len());
    for (used, since) in usings.iter() {
        out.index(used.index());
        write_world(out, since.number());
    }
    let bindings = module.bindings.read();
    let mut names: Vec<Symbol> = bindings.keys().copied().collect();
    names.sort_unstable();
    // A name that was only asked for means nothing.
    names.retain(|it| {
        let data = &bindings[it];
        let marked = [&data.exported, &data.public].iter().any(|it| it.load(Ordering::Acquire) != u64::MAX);
        marked || !data.partitions.read().is_empty()
    });
    out.index(names.len());
    for name in names {
        out.index(name.index());
        write_binding(out, &bindings[&name], objects)?;
    }
    Ok(())
}

fn write_binding(
    out: &mut Out,
    data: &BindingData,
    objects: &mut ObjectWriter<'_>,
) -> Result<(), ImageError> {
    write_world(out, data.exported.load(Ordering::Acquire));
    write_world(out, data.public.load(Ordering::Acquire));
    let value = data.cell.get();
    out.flag(value.is_some());
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
                out.byte(0);
                objects.value(out, *value)?;
            }
            Partition::Global(ty) => {
                out.byte(1);
                out.index(ty.index());
            }
            Partition::Import { module, name, explicit } => {
                out.byte(if *explicit { 3 } else { 2 });
                out.index(module.index());
                out.index(name.index());
            }
        }
    }
    Ok(())
}

fn read_module(
    input: &mut In<'_>,
    counts: &Counts,
    objects: &ObjectReader<'_>,
) -> Result<ModuleData, ImageError> {
    let usings = input.list(|it| Ok((counts.module(it)?, World::new(read_world(it)?))))?;
    let bindings = input.list(|it| Ok((counts.symbol(it)?, Arc::new(read_binding(it, counts, objects)?))))?;
    Ok(ModuleData { bindings: RwLock::new(bindings.into_iter().collect()), usings: RwLock::new(usings) })
}

fn read_binding(
    input: &mut In<'_>,
    counts: &Counts,
    objects: &ObjectReader<'_>,
) -> Result<BindingData, ImageError> {
    let exported = AtomicU64::new(read_world(input)?);
    let public = AtomicU64::new(read_world(input)?);
    let cell = GlobalCell::default();
    if input.flag()? {
        cell.set(objects.value(input)?);
    }
    let partitions = input.list(|it| {
        let worlds = WorldRange { min: World::new(read_world(it)?), max: World::new(read_world(it)?) };
        let partition = match it.byte()? {
            0 => Partition::Const(objects.value(it)?),
            1 => Partition::Global(counts.ty(it)?),
            tag @ (2 | 3) => {
                Partition::Import { module: counts.module(it)?, name: counts.symbol(it)?, explicit: tag == 3 }
            }
            _ => return Err(ImageError("an unknown kind of binding")),
        };
        Ok((worlds, partition))
    })?;
    Ok(BindingData { partitions: RwLock::new(partitions), cell: Arc::new(cell), exported, public })
}
