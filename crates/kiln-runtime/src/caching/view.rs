//! One compiler's view of the code tables in one world.

use super::{Results, Stable};
use crate::tables::{
    CacheOwner, Code, CodeInstance, CodeResult, CodeTables, DispatchFailure, Edge, KnownArg, MethodTableView,
    TableId, ViewFlags, World, WorldRange,
};
use kiln_ir::{Effects, Instance, IrCode};
use kiln_types::{Const, Module, Symbol, Type};
use std::any::{Any, TypeId};
use std::convert::Infallible;
use std::sync::Arc;

/// The results of one owner, as they are in one world: code instances by method instance.
///
/// The owner is a value that says which compiler it is, and whatever else must be equal for results to be shared: a tuple
/// of such values makes as many shards. The overlay tables that the compiler sees are part of it, so two compilers that
/// see different tables never share a result.
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
        let owner = tables.owner(&view, owner);
        Self::of(tables, owner, view, tables.world())
    }

    /// The results of an owner that has been hashed, whose tables are those of `view`.
    pub fn of(tables: &'a CodeTables, owner: CacheOwner, view: MethodTableView, world: World) -> Self {
        Self { tables, owner, view, world }
    }

    /// The same owner in another world.
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

    /// The method instance that a call goes to: the type of the function, then those of the arguments. It may be for wider
    /// types, where the language says that a method is not specialized for each.
    ///
    /// # Errors
    /// When no method takes the arguments, or several do and none is the most specific.
    pub fn method_instance(&self, call: &[Type]) -> Result<Instance, DispatchFailure> {
        self.tables.dispatch_in(self.tables.intern_view(&self.view, ViewFlags::default()), call, self.world)
    }

    /// The same for exactly these types: what a kernel is compiled for.
    ///
    /// # Errors
    /// As [`CacheView::method_instance`].
    pub fn exact_instance(&self, call: &[Type]) -> Result<Instance, DispatchFailure> {
        let found = self.method_instance(call)?;
        let method = self.tables.instance_data(found).method;
        let sig = self.tables.types().tuple(call);
        let matches = self.tables.find_matches_in(&self.view, sig, self.world, usize::MAX);
        let exact = matches.and_then(|it| it.matches.into_iter().find(|it| it.method == method));
        Ok(exact.map_or(found, |it| self.tables.instance(method, sig, &it.static_params)))
    }

    /// The instance like `instance` for arguments of which more is known than their types: one entry an element of its
    /// signature, the function first. Its results are its own.
    pub fn known_instance(&self, instance: Instance, known: &[KnownArg]) -> Instance {
        let data = self.tables.instance_data(instance);
        self.tables.known_instance(data.method, data.spec_types, &data.static_params, known)
    }

    /// The same with some of the arguments constant: `None` for those that are not.
    pub fn constant_instance(&self, instance: Instance, constants: &[Option<Const>]) -> Instance {
        let known = constants.iter().map(|it| it.map_or(KnownArg::Type, KnownArg::Const));
        self.known_instance(instance, &known.collect::<Vec<_>>())
    }

    /// The code instance kept for `instance`, if there is one that holds in this world. Nothing is made.
    pub fn get(&self, instance: Instance) -> Option<Arc<CodeInstance>> {
        self.tables.code_instance(instance, self.owner, self.world)
    }

    /// The same, made by `make` if there is none. `make` runs without a lock and may ask for others, those it calls for
    /// one; if two threads make the same one, both get that of the first.
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

    /// The same for what may fail.
    ///
    /// # Errors
    /// Those of `make`; nothing is kept then.
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

    /// Returns the back end's results for `instance`, if there is a code instance for it: the same object each time, as long as
    /// nothing it depends on is defined again. Empty at first. Nothing is made.
    pub fn results<R: Results>(&self, instance: Instance) -> Option<Arc<R>> {
        self.results_for(instance, super::ConfigKey::default())
    }

    /// The same for one of several configurations that share the code instance.
    pub fn results_for<R: Results>(&self, instance: Instance, key: super::ConfigKey) -> Option<Arc<R>> {
        let ci = self.get(instance)?;
        Some(ci.job_results.get(&ci, key, self.world))
    }

    /// Says of which code instances a result of `instance` was made, its own among them: it is good in each world in which
    /// all of them hold. A result of which nothing is said ends with the first definition that any of them depends on, also
    /// if that turns out to have changed nothing.
    pub fn set_parts<R: Results>(&self, instance: Instance, result: &Arc<R>, parts: &[Arc<CodeInstance>]) {
        if let Some(ci) = self.get(instance) {
            ci.job_results.made_of(result, parts);
        }
    }
}

/// A new code instance as its compiler describes it: mostly, what it depends on.
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
    /// It calls `callee`, and depends on what `callee` depends on, as long as their owner is the same.
    pub fn calls(&mut self, callee: Instance) -> &mut Self {
        self.depends_on(Edge::Instance(callee))
    }
    /// It depends on what a name in a module means.
    pub fn reads(&mut self, module: Module, name: Symbol) -> &mut Self {
        self.depends_on(Edge::Binding(module, name))
    }
    /// It depends on there being no method for calls with this signature.
    pub fn misses(&mut self, sig: Type) -> &mut Self {
        self.depends_on(Edge::Lookup { sig, found: std::sync::Arc::default() })
    }
    /// It depends on something.
    pub fn depends_on(&mut self, edge: Edge) -> &mut Self {
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
        self
    }
    /// The type of what it returns; `Any` unless said.
    pub fn returns(&mut self, ty: Type) -> &mut Self {
        self.return_type = Some(ty);
        self
    }
    /// It always returns this.
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
    /// Keeps the compiler's facts about its own body: its typed tree, its callees. [`CodeInstance::result`] returns them
    /// in this session. One of each type.
    pub fn keep<T: Any + Send + Sync>(&mut self, value: T) -> &mut Self {
        self.kept.push((TypeId::of::<T>(), Arc::new(value)));
        self
    }
}
