//! The definitions of a session since the image, by name.

use super::facts::{self, Meaning};
use super::objects::Objects;
use kiln_ir::wire::OwnNames;
use kiln_runtime::Runtime;
use kiln_runtime::heap::frozen;
use kiln_runtime::tables::{Binding, MethodId, MethodTableView, World, WorldRange};
use kiln_types::{Module, ObjectHandle, Symbol, Type, TypeName, identity, module};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Default)]
struct Index {
    /// How many definitions have been looked at.
    seen: usize,
    by_name: FxHashMap<(Module, Symbol), Vec<TypeName>>,
}

/// The definitions of a session, looked at as they are made, and look-ups made in one world: results that are taken over
/// one after the other ask for the same.
#[derive(Default)]
pub(super) struct NameIndex(Mutex<Index>, Mutex<Lookups>);

/// The result of a look-up, and the worlds it holds in; `None`: more methods than were asked for.
pub(super) type Found = Option<Arc<(Arc<[MethodId]>, WorldRange)>>;

#[derive(Default)]
struct Lookups {
    world: Option<World>,
    made: FxHashMap<(MethodTableView, Type, usize), Found>,
    meanings: FxHashMap<(Module, Symbol), (Meaning, WorldRange)>,
}

impl Lookups {
    /// Those of a world: of another one they are forgotten.
    fn of(&mut self, world: World) -> &mut Self {
        if self.world != Some(world) {
            *self = Self { world: Some(world), ..Self::default() };
        }
        self
    }
}

/// The index with the session it is of.
pub(super) struct Names<'a> {
    rt: &'a Runtime,
    index: &'a NameIndex,
}

impl NameIndex {
    pub(super) fn of<'a>(&'a self, rt: &'a Runtime) -> Names<'a> {
        Names { rt, index: self }
    }
}

impl Names<'_> {
    /// Looks up a signature in the newest world, if that gives no more than `limit` methods.
    pub(super) fn find(&self, view: &MethodTableView, sig: Type, limit: usize) -> Found {
        let world = self.rt.tables.world();
        let key = (view.clone(), sig, limit);
        if let Some(known) = self.index.1.lock().of(world).made.get(&key) {
            return known.clone();
        }
        let found = self.rt.tables.find_matches_in(view, sig, world, limit);
        let found = found.map(|it| Arc::new((it.matches.iter().map(|it| it.method).collect(), it.worlds)));
        let mut lookups = self.index.1.lock();
        if lookups.world == Some(world) {
            lookups.made.insert(key, found.clone());
        }
        found
    }

    /// The meaning of a name in the newest world; `None` if that cannot be told.
    pub(super) fn meaning(
        &self,
        objects: &mut Objects,
        name: (Module, Symbol),
    ) -> Option<(Meaning, WorldRange)> {
        let world = self.rt.tables.world();
        if let Some(known) = self.index.1.lock().of(world).meanings.get(&name) {
            return Some(*known);
        }
        let found = facts::meaning(self.rt, objects, name)?;
        // What can be seen of an object may change without a new world.
        let is_of_world = !matches!(found.0, Meaning::Object(..)) && self.rt.tables.world() == world;
        let mut lookups = self.index.1.lock();
        if is_of_world && lookups.world == Some(world) {
            lookups.meanings.insert(name, found);
        }
        Some(found)
    }
}

impl OwnNames for Names<'_> {
    fn object(&self, number: u32, ty: Type) -> Option<ObjectHandle> {
        frozen::image_object(&self.rt.heap, number, ty)
    }

    fn module(&self, parent: Option<Module>, name: Symbol) -> Option<Module> {
        let tables = &self.rt.tables;
        // Packages are bound where they are used, most often in `Main`.
        let scope = parent.unwrap_or(Module::MAIN);
        let Binding::Const(value) = tables.bindings.resolve_binding(scope, name, tables.world()).binding
        else {
            return None;
        };
        let module = value.as_module(self.rt.types.core())?;
        let is_root = module::parent(&self.rt.types, module) == module;
        (module::name(&self.rt.types, module) == name && is_root == parent.is_none()).then_some(module)
    }

    fn definition(&self, module: Module, name: Symbol, hash: u128) -> Option<TypeName> {
        let types = &self.rt.types;
        let mut index = self.index.0.lock();
        let Index { seen, by_name } = &mut *index;
        for it in identity::own_definitions(types, *seen) {
            let def = &types.type_name(it).def;
            by_name.entry((def.module, def.name)).or_default().push(it);
            *seen += 1;
        }
        let known = by_name.get(&(module, name))?;
        known.iter().rev().copied().find(|it| identity::hash_of_definition(types, *it) == hash)
    }
}
