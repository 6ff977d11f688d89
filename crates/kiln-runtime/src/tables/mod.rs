//! Code tables: worlds, modules and bindings, methods, instances, the results stored on them, and the back edges that
//! end those results when a definition makes them stale.
//!
//! All methods take `&self`, and the tables are `Sync`. Tables only grow; an entry that ends is marked with its last
//! world. One lock orders definitions; readers of a fixed world never wait for it.
//!
//! # Deliberately absent
//! A second mechanism of invalidation: worlds are the revision counter, and back edges the only dependencies.

mod bindings;
mod define;
mod define_name;
mod dispatch;
mod edges;
mod frozen;
mod frozen_dispatch;
mod identity;
mod image;
mod index;
mod inference;
mod instance;
mod instances;
mod invalidations;
mod lookup;
mod method;
mod methods;
mod package_worlds;
mod ranking;
mod revalidate;
mod signature_index;
mod specialize;
#[cfg(test)]
mod tests;
mod view;
mod why;
mod withdraw;
mod world;

pub use bindings::{Binding, Bindings, GlobalCell, NameError, ResolvedBinding};
pub use dispatch::{ArgKey, Calls, DispatchEntry, EntryId};
pub use edges::Edges;
pub use identity::{is_library_unchanged, rename_for_session};
pub use inference::Inference;
pub use instance::{
    CacheOwner, Code, CodeInstance, CodeResult, DeferredCode, Edge, KnownArg, KnownField, MethodInstance,
};
pub use instances::{Instances, depends_on_program};
pub use invalidations::{Invalidation, InvalidationLog};
pub use method::{DispatchFailure, Matches, Method, MethodDef, MethodId, MethodMatch, TableId};
pub use methods::MethodTables;
pub use package_worlds::{PackageWorlds, generator_world};
pub use ranking::Ambiguous;
pub use revalidate::{revivable, same_body};
pub use view::{MethodTableView, ViewFlags, ViewId};
pub use why::{Definition, Why};
pub(crate) use withdraw::withdraw_kept;
pub use world::{World, WorldRange};

use kiln_ir::Instance;
use kiln_types::{Module, Type, Types};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use define::Affected;

/// The code tables of one session.
#[derive(Debug)]
pub struct CodeTables {
    types: Arc<Types>,
    world: AtomicU64,
    /// Held for writing while a definition is made, for reading while something is entered that definitions
    /// may end.
    definitions: RwLock<()>,
    /// Methods, and their look-up.
    pub methods: MethodTables,
    /// The world in which the library was complete, 0 before.
    sealed: AtomicU64,
    /// The world in which each package was complete.
    pub packages: PackageWorlds,
    /// Method instances, and their code.
    pub instances: Instances,
    /// Calls that have been resolved.
    pub calls: Calls,
    /// Modules, and the meaning of names in them.
    pub bindings: Bindings,
    /// The lock and the counts of inference.
    pub inference: Inference,
    /// The log of invalidations.
    pub invalidations: InvalidationLog,
}

/// The code of `instance` that a result which was made for `owner` in `world` used. A result of a later world may hold in that one,
/// too, and say something else: a call with too many targets is right everywhere.
pub fn code_instance_then(
    tables: &CodeTables,
    instance: Instance,
    owner: CacheOwner,
    world: World,
) -> Option<Arc<CodeInstance>> {
    tables.instances.code_then(instance, owner, world)
}

impl CodeTables {
    /// Empty tables: no method, no binding.
    pub fn new(types: Arc<Types>) -> Self {
        let tables = Self::empty(types);
        tables.methods.tables.push(RwLock::default());
        tables.methods.add_table(tables.types.symbol("runtime_intrinsics"), Module::CORE);
        tables
    }

    /// Tables without even the global method table: an image brings it.
    pub(crate) fn empty(types: Arc<Types>) -> Self {
        let (bindings, methods) = (Bindings::new(types.clone()), MethodTables::new(types.clone()));
        let calls = Calls::new(types.clone());
        Self {
            types,
            world: AtomicU64::new(World::FIRST.number()),
            definitions: RwLock::new(()),
            methods,
            sealed: AtomicU64::new(0),
            packages: PackageWorlds::default(),
            instances: Instances::default(),
            calls,
            bindings,
            inference: Inference::new(),
            invalidations: Default::default(),
        }
    }

    /// Returns the types of signatures.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The instance of `method` for exactly `spec_types`.
    pub fn instance(&self, method: MethodId, spec_types: Type, static_params: &[Type]) -> Instance {
        self.instances.intern(&self.methods, (method, spec_types, static_params), &[])
    }

    /// The instance of `method` for `spec_types` and arguments about which more is known than their types:
    /// `known_args` has one entry an element of `spec_types`, or none at all.
    pub fn known_instance(
        &self,
        method: MethodId,
        spec_types: Type,
        static_params: &[Type],
        known_args: &[KnownArg],
    ) -> Instance {
        self.instances.intern(&self.methods, (method, spec_types, static_params), known_args)
    }

    /// Returns an instance's data.
    pub fn instance_data(&self, instance: Instance) -> Arc<MethodInstance> {
        self.instances.data(instance)
    }

    /// The code kept for `instance` that `owner` may use in `world`.
    pub fn code_instance(
        &self,
        instance: Instance,
        owner: CacheOwner,
        world: World,
    ) -> Option<Arc<CodeInstance>> {
        self.instances.code(instance, owner, world)
    }

    /// The method of this id.
    pub fn method(&self, method: MethodId) -> Arc<Method> {
        self.methods.method(method)
    }

    /// The methods that calls with signature `sig` may reach in `world` on the host. `None` if there are more than `limit`.
    pub fn find_matches(&self, sig: Type, world: World, limit: usize) -> Option<Matches> {
        self.methods.find_matches(sig, world, limit)
    }

    /// As [`Self::find_matches`], under a view.
    pub fn find_matches_in(
        &self,
        view: &MethodTableView,
        sig: Type,
        world: World,
        limit: usize,
    ) -> Option<Matches> {
        self.methods.find_matches_in(view, sig, world, limit)
    }

    /// The newest world.
    pub fn world(&self) -> World {
        World::new(self.world.load(Ordering::Acquire))
    }
}

/// Returns the place of the number of the newest world, for compiled code, which reads it atomically.
pub fn newest_world_place(tables: &CodeTables) -> *const u64 {
    tables.world.as_ptr()
}
