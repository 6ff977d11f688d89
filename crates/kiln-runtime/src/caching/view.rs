//! One compiler's view of the code tables in one world.

use super::{Results, Stable};
use crate::tables::{
    CacheOwner, Code, CodeInstance, CodeResult, CodeTables, DispatchFailure, Edge, KnownArg, MethodTableView,
    TableId, ViewFlags, World, WorldRange,
};
use kiln_ir::{Effects, Instance, IrCode};
use kiln_types::{Const, Module, Symbol, Type, datatype};
use std::any::{Any, TypeId};
use std::convert::Infallible;
use std::sync::Arc;

/// The results of one owner in one world: code instances by method instance.
///
/// The owner is a value that identifies the compiler and everything else that must be equal for results to be shared:
/// a tuple makes as many shards as it has values. The overlay tables that the compiler sees are part of the owner, so
/// two compilers with different tables never share a result.
#[derive(Clone, Debug)]
pub struct CacheView<'a> {
    tables: &'a CodeTables,
    owner: CacheOwner,
    view: MethodTableView,
    world: World,
}

impl<'a> CacheView<'a> {
    /// The results of `owner` in the newest world, for a compiler that sees these overlay tables, the front one first, on
    /// the global table.
    pub fn new<O: Stable + ?Sized>(tables: &'a CodeTables, owner: &O, overlays: &[TableId]) -> Self {
        let view = MethodTableView::stacked(overlays);
        let owner = tables.methods.owner(&view, owner);
        Self::with_view(tables, owner, view, tables.world())
    }

    /// Returns the results of an owner whose hash is known and whose tables are those of `view`.
    pub fn with_view(tables: &'a CodeTables, owner: CacheOwner, view: MethodTableView, world: World) -> Self {
        Self { tables, owner, view, world }
    }

    /// Returns the same owner in another world.
    #[must_use]
    pub fn in_world(self, world: World) -> Self {
        Self { world, ..self }
    }

    /// The code tables.
    pub fn tables(&self) -> &'a CodeTables {
        self.tables
    }
    /// Returns the owner of the results.
    pub fn owner(&self) -> CacheOwner {
        self.owner
    }
    /// The world.
    pub fn world(&self) -> World {
        self.world
    }
    /// The method tables that are seen.
    pub fn method_tables(&self) -> &MethodTableView {
        &self.view
    }

    /// Returns the method instance for a call: the type of the function, then those of the arguments. The instance
    /// may be for wider types, where the language does not specialize a method on each.
    ///
    /// # Errors
    /// When no method applies, or several apply and none is the most specific.
    pub fn method_instance(&self, call: &[Type]) -> Result<Instance, DispatchFailure> {
        self.tables.dispatch_in(
            self.tables.calls.intern_view(&self.view, ViewFlags::default()),
            call,
            self.world,
        )
    }

    /// Returns the method instance for exactly these types, as for kernels.
    ///
    /// # Errors
    /// As [`CacheView::method_instance`].
    pub fn exact_instance(&self, call: &[Type]) -> Result<Instance, DispatchFailure> {
        let found = self.method_instance(call)?;
        let method = self.tables.instance_data(found).method;
        let sig = datatype::tuple(self.tables.types(), call);
        let matches = self.tables.find_matches_in(&self.view, sig, self.world, usize::MAX);
        let exact = matches.and_then(|it| it.matches.into_iter().find(|it| it.method == method));
        Ok(exact.map_or(found, |it| self.tables.instance(method, sig, &it.static_params)))
    }

    /// Returns the instance like `instance` with more knowledge about the arguments than their types: one entry per
    /// element of its signature, the function first. It has results of its own.
    pub fn known_instance(&self, instance: Instance, known: &[KnownArg]) -> Instance {
        let data = self.tables.instance_data(instance);
        self.tables.known_instance(data.method, data.spec_types, &data.static_params, known)
    }

    /// Returns the instance with some arguments constant: `None` for those that are not.
    pub fn constant_instance(&self, instance: Instance, constants: &[Option<Const>]) -> Instance {
        let known = constants.iter().map(|it| it.map_or(KnownArg::Type, KnownArg::Const));
        self.known_instance(instance, &known.collect::<Vec<_>>())
    }

    /// Returns the code instance stored for `instance` that holds in this world. Makes nothing.
    pub fn get(&self, instance: Instance) -> Option<Arc<CodeInstance>> {
        self.tables.code_instance(instance, self.owner, self.world)
    }

    /// Returns the code instance, calling `make` if there is none. `make` runs without a lock and may ask for others,
    /// such as its callees; if two threads make the same one, both get that of the first.
    pub fn get_or_insert_with(
        &self,
        instance: Instance,
        make: impl FnOnce() -> NewCode,
    ) -> Arc<CodeInstance> {
        match self.get_or_try_insert_with(instance, || Ok::<NewCode, Infallible>(make())) {
            Ok(made) => made,
            Err(never) => match never {},
        }
    }

    /// As [`Self::get_or_insert_with`], for a `make` that may fail.
    ///
    /// # Errors
    /// Those of `make`; nothing is stored then.
    pub fn get_or_try_insert_with<E>(
        &self,
        instance: Instance,
        make: impl FnOnce() -> Result<NewCode, E>,
    ) -> Result<Arc<CodeInstance>, E> {
        if let Some(found) = self.get(instance) {
            return Ok(found);
        }
        let code = make()?;
        let result = CodeResult {
            instance,
            owner: self.owner,
            view: self.view.clone(),
            worlds: WorldRange::since(self.world),
            return_type: code.return_type.unwrap_or(self.tables.types().core().any),
            return_const: code.return_const,
            effects: code.effects,
            exception_type: self.tables.types().core().any,
            code: code.code.map(Code::Made),
            edges: code.edges.into(),
        };
        Ok(self.tables.add_first_code_instance(result, code.kept, self.world))
    }

    /// Returns the back end's results for `instance`, if it has a code instance: the same object each time, until a
    /// dependency is redefined. Empty at first. Makes nothing.
    pub fn results<R: Results>(&self, instance: Instance) -> Option<Arc<R>> {
        self.results_for(instance, super::ConfigKey::default())
    }

    /// Returns the results for one of several configurations that share the code instance.
    pub fn results_for<R: Results>(&self, instance: Instance, key: super::ConfigKey) -> Option<Arc<R>> {
        let ci = self.get(instance)?;
        Some(ci.job_results.get(&ci, key, self.world))
    }

    /// Records the code instances that a result of `instance` depends on, including its own: the result is valid in
    /// each world in which all of them hold. A result without this list ends with the first redefinition of any
    /// dependency, even of one that turns out unchanged.
    pub fn set_dependencies<R: Results>(
        &self,
        instance: Instance,
        result: &Arc<R>,
        parts: &[Arc<CodeInstance>],
    ) {
        if let Some(ci) = self.get(instance) {
            ci.job_results.set_dependencies(result, parts);
        }
    }
}

/// A new code instance as its compiler describes it: mostly its dependencies.
#[derive(Clone, Debug)]
pub struct NewCode {
    edges: Vec<Edge>,
    return_type: Option<Type>,
    return_const: Option<Const>,
    effects: Effects,
    code: Option<Arc<IrCode>>,
    kept: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

impl Default for NewCode {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            return_type: None,
            return_const: None,
            effects: Effects::NONE,
            code: None,
            kept: Vec::new(),
        }
    }
}

impl NewCode {
    /// One that depends on its own method only.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a call of `callee`, and the dependencies of `callee`, if both have the same owner.
    pub fn calls(&mut self, callee: Instance) -> &mut Self {
        self.depends_on(Edge::Instance(callee))
    }
    /// Adds a dependency on the meaning of a name in a module.
    pub fn reads(&mut self, module: Module, name: Symbol) -> &mut Self {
        self.depends_on(Edge::Binding(module, name))
    }
    /// Adds a dependency on the absence of methods for this signature.
    pub fn misses(&mut self, sig: Type) -> &mut Self {
        self.depends_on(Edge::Lookup { sig, found: std::sync::Arc::default() })
    }
    /// Adds a dependency.
    pub fn depends_on(&mut self, edge: Edge) -> &mut Self {
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
        self
    }
    /// Sets the return type; `Any` unless set.
    pub fn returns(&mut self, ty: Type) -> &mut Self {
        self.return_type = Some(ty);
        self
    }
    /// Declares that it always returns this constant.
    pub fn always_returns(&mut self, constant: Const) -> &mut Self {
        self.return_const = Some(constant);
        self
    }
    /// Sets the effects of calling it; unknown unless set.
    pub fn has_effects(&mut self, effects: Effects) -> &mut Self {
        self.effects = effects;
        self
    }
    /// Its typed body, if its compiler has one in kiln's own IR.
    pub fn body(&mut self, code: Arc<IrCode>) -> &mut Self {
        self.code = Some(code);
        self
    }
    /// Stores the compiler's facts about its own body: its typed tree, its callees. [`CodeInstance::result`] returns
    /// them in this session. One per type.
    pub fn set_result<T: Any + Send + Sync>(&mut self, value: T) -> &mut Self {
        self.kept.push((TypeId::of::<T>(), Arc::new(value)));
        self
    }
}
