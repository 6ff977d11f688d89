//! Method instances, interned by method and signature; their code, and the back edges between it.

use super::edges::BackEdges;
use super::{CacheOwner, CodeInstance, CodeTables, KnownArg, MethodId, MethodInstance, MethodTables, World};
use kiln_ir::Instance;
use kiln_types::{Type, identity};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

type InstanceKey = (MethodId, Type, Box<[KnownArg]>);

/// Whether an instance depends on the program: its method is one of the program's, or the program's types are in its signature.
pub fn depends_on_program(tables: &CodeTables, instance: Instance) -> bool {
    let data = tables.instance_data(instance);
    !tables.methods.is_frozen(data.method) || identity::mentions_program(&tables.types, data.spec_types)
}

/// The method instances of a session, with all code of them.
#[derive(Debug, Default)]
pub struct Instances {
    all: boxcar::Vec<Arc<MethodInstance>>,
    ids: RwLock<FxHashMap<InstanceKey, Instance>>,
    pub(super) edges: RwLock<BackEdges>,
}

impl Instances {
    /// The instance of `method` for `spec_types` and arguments about which more is known than their types.
    pub(super) fn intern(
        &self,
        methods: &MethodTables,
        (method, spec_types, static_params): (MethodId, Type, &[Type]),
        known_args: &[KnownArg],
    ) -> Instance {
        let key: InstanceKey = (method, spec_types, known_args.into());
        if let Some(&instance) = self.ids.read().get(&key) {
            return instance;
        }
        let mut ids = self.ids.write();
        if let Some(&instance) = ids.get(&key) {
            return instance;
        }
        let instance = Instance::from_u32(self.all.count() as u32);
        self.all.push(Arc::new(MethodInstance {
            instance,
            method,
            spec_types,
            static_params: static_params.to_vec(),
            known_args: known_args.into(),
            code: Default::default(),
            generated: OnceLock::new(),
        }));
        methods.method(method).instances.write().push(instance);
        ids.insert(key, instance);
        instance
    }

    /// The instance of `method` for the types and arguments of another, if there is one.
    pub(super) fn like(&self, method: MethodId, other: &MethodInstance) -> Option<Instance> {
        self.ids.read().get(&(method, other.spec_types, other.known_args.clone())).copied()
    }

    /// The instance for the types alone.
    pub(crate) fn plain(&self, methods: &MethodTables, instance: Instance) -> Instance {
        let data = self.data(instance);
        if data.known_args.is_empty() {
            return instance;
        }
        self.intern(methods, (data.method, data.spec_types, &data.static_params), &[])
    }

    /// Returns an instance's data.
    pub fn data(&self, instance: Instance) -> Arc<MethodInstance> {
        self.all[instance.as_u32() as usize].clone()
    }

    /// Returns the number of instances; their ids are below it.
    pub fn count(&self) -> u32 {
        self.all.count() as u32
    }

    /// All results kept for `instance`, of every owner and every range of worlds, the oldest first.
    pub fn results(&self, instance: Instance) -> Vec<Arc<CodeInstance>> {
        self.data(instance).code.read().clone()
    }

    /// The code kept for `instance` that `owner` may use in `world`.
    pub fn code(&self, instance: Instance, owner: CacheOwner, world: World) -> Option<Arc<CodeInstance>> {
        let data = self.data(instance);
        let code = data.code.read();
        code.iter().rev().find(|it| it.owner == owner && it.holds_in(world)).cloned()
    }

    /// The code kept for `instance` that `owner` could use in `world` and that was made by then.
    pub(super) fn code_then(
        &self,
        instance: Instance,
        owner: CacheOwner,
        world: World,
    ) -> Option<Arc<CodeInstance>> {
        let data = self.data(instance);
        let code = data.code.read();
        let is_it = |it: &&Arc<CodeInstance>| it.owner == owner && it.made_in <= world && it.holds_in(world);
        code.iter().rev().find(is_it).cloned()
    }
}
