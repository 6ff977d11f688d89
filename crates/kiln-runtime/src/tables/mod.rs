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
mod instance;
mod invalidations;
mod lookup;
mod method;
mod methods;
mod ranking;
mod revalidate;
mod specialize;
#[cfg(test)]
mod tests;
mod view;
mod why;
mod world;

pub use bindings::{Binding, Bindings, GlobalCell, NameError, ResolvedBinding};
pub use dispatch::{ArgKey, DispatchEntry, EntryId};
pub use edges::Edges;
pub use instance::{
    CacheOwner, Code, CodeInstance, CodeResult, DeferredCode, Edge, KnownArg, KnownField, MethodInstance,
};
pub use invalidations::Invalidation;
pub use method::{DispatchFailure, Matches, Method, MethodDef, MethodId, MethodMatch, TableId};
pub use methods::MethodTables;
pub use ranking::Ambiguous;
pub use revalidate::same_body;
pub use view::{MethodTableView, ViewFlags, ViewId};
pub use why::{Definition, Why};
pub use world::{World, WorldRange};

use kiln_ir::Instance;
use kiln_types::{Type, Types};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard, RwLock};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use define::Affected;

type InstanceKey = (MethodId, Type, Box<[KnownArg]>);

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
    /// Views other than the host's that the interpreter has been used with.
    views: RwLock<Vec<MethodTableView>>,
    /// The world in which the library was complete, 0 before.
    sealed: AtomicU64,
    instances: boxcar::Vec<Arc<MethodInstance>>,
    instance_ids: RwLock<FxHashMap<InstanceKey, Instance>>,
    /// Calls that were resolved before the image was made.
    frozen_dispatch: frozen_dispatch::FrozenDispatch,
    dispatch: dispatch::DispatchCache,
    edges: RwLock<edges::BackEdges>,
    /// Modules, and the meaning of names in them.
    pub bindings: Bindings,
    /// Held by the thread that infers.
    inferring: ReentrantMutex<()>,
    /// The number of inferred bodies.
    inferences: AtomicU64,
    /// The number of results that were revived after they had ended.
    revived: AtomicU64,
    invalidations: invalidations::InvalidationLog,
}

impl CodeTables {
    /// Empty tables: no method, no binding.
    pub fn new(types: Arc<Types>) -> Self {
        let tables = Self::empty(types);
        tables.methods.tables.push(RwLock::default());
        tables.methods.add_table(tables.types.symbol("runtime_intrinsics"), tables.types.core_module());
        tables
    }

    /// Tables without even the global method table: an image brings it.
    pub(crate) fn empty(types: Arc<Types>) -> Self {
        let (bindings, methods) = (Bindings::new(types.clone()), MethodTables::new(types.clone()));
        Self {
            types,
            world: AtomicU64::new(World::FIRST.number()),
            definitions: RwLock::new(()),
            methods,
            views: RwLock::default(),
            sealed: AtomicU64::new(0),
            instances: boxcar::Vec::new(),
            instance_ids: RwLock::default(),
            frozen_dispatch: Default::default(),
            dispatch: dispatch::DispatchCache::default(),
            edges: RwLock::default(),
            bindings,
            inferring: ReentrantMutex::new(()),
            inferences: AtomicU64::new(0),
            revived: AtomicU64::new(0),
            invalidations: Default::default(),
        }
    }

    /// Returns the types of signatures.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Returns the number of bodies inferred in this session.
    pub fn inferences(&self) -> u64 {
        self.inferences.load(Ordering::Relaxed)
    }

    /// Locks inference: one thread infers at a time, so that two threads that request the same result get one; within
    /// it, a thread may infer recursively. Looking up results needs no lock.
    pub fn inferring(&self) -> ReentrantMutexGuard<'_, ()> {
        self.inferring.lock()
    }

    /// Inference has inferred one more.
    pub fn count_inference(&self) {
        self.inferences.fetch_add(1, Ordering::Relaxed);
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
