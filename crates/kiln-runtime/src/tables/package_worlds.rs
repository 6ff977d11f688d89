//! The world in which each package was complete, which its generators see.

use super::{CodeTables, World};
use kiln_types::{Module, module};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

/// The worlds of packages, by their root modules.
#[derive(Debug, Default)]
pub struct PackageWorlds(RwLock<FxHashMap<Module, World>>);

impl PackageWorlds {
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
