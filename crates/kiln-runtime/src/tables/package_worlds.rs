//! The world in which each package was complete, which its generators see.

use super::{CodeTables, World};
use kiln_bytes::{Read, Reader, Writer};
use kiln_types::freeze::TableSizes;
use kiln_types::{Module, module};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

/// The worlds of packages, by their root modules.
#[derive(Debug, Default)]
pub struct PackageWorlds(RwLock<FxHashMap<Module, World>>);

impl PackageWorlds {
    /// Writes them by module.
    pub(super) fn freeze(&self, out: &mut Writer) {
        let mut all: Vec<(Module, World)> = self.0.read().iter().map(|it| (*it.0, *it.1)).collect();
        all.sort_unstable_by_key(|it| it.0);
        out.list(&all, |out, (root, world)| {
            out.index(root.index());
            out.number(world.number());
        });
    }

    /// Restores them from an image.
    pub(super) fn thaw(&self, input: &mut Reader<'_>, counts: &TableSizes) -> Read<()> {
        let all = input.list(|it| Ok((counts.module(it)?, World::new(it.number()?))))?;
        self.0.write().extend(all);
        Ok(())
    }

    /// A package has all its definitions in this world.
    pub fn complete(&self, root: Module, world: World) {
        self.0.write().insert(root, world);
    }
}

/// The world that the generators of a module's methods see, where they were defined in `defined`: that one, or the world in which
/// their package, or the library, was complete, since Julia gives all methods of a package that it has compiled one world.
/// `None` while the library is being loaded.
pub fn generator_world(tables: &CodeTables, module: Module, defined: World) -> Option<World> {
    let types = tables.types();
    let mut root = module;
    while module::parent(types, root) != root {
        root = module::parent(types, root);
    }
    let complete = tables.packages.0.read().get(&root).copied();
    tables.sealed().map(|it| it.max(defined).max(complete.unwrap_or(defined)))
}
