//! Modules and the meaning of names in them, per world.
//!
//! A binding is a list of partitions, each with its range of worlds: a constant, a global variable with a declared
//! type, or an import of another module's binding. A name without a partition is looked up among the exports of the
//! modules in `using`. The value of a variable belongs to no world.

use super::frozen::FrozenBindings;
use super::identity::Renamed;
use super::{World, WorldRange};
use crate::heap::{Heap, ObjectCell, Value};
use kiln_ir::SourceLoc;
use kiln_types::{Module, Symbol, Type, TypeName, Types, datatype};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the value of a global variable is.
#[derive(Debug)]
#[repr(C)]
pub struct GlobalCell {
    object: ObjectCell,
    /// Not 0 if compiled code may assign it, which knows that the value is of the declared type. Read atomically by it.
    is_direct: AtomicU64,
}

impl Default for GlobalCell {
    fn default() -> Self {
        Self { object: ObjectCell::new(), is_direct: AtomicU64::new(1) }
    }
}

impl GlobalCell {
    /// The cell of no variable: compiled code leaves it to the host.
    pub const fn none() -> Self {
        Self { object: ObjectCell::new(), is_direct: AtomicU64::new(0) }
    }
    /// From now on assignments of compiled code are left to the host: its type changes, and code of an older world may run on.
    pub(crate) fn declare_again(&self) {
        self.is_direct.store(0, Ordering::Release);
    }
    /// Whether something has been assigned.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.object.is_set()
    }
    /// The value; `None` while nothing has been assigned.
    #[inline]
    pub(crate) fn get(&self) -> Option<Value> {
        self.object.get()
    }
    /// Assigns. The caller has converted the value to the declared type.
    pub(crate) fn set(&self, heap: &Heap, value: Value) {
        self.object.set(heap, value);
    }
    /// Its address, for compiled code, which has it for as long as the session lives.
    pub fn address(&self) -> u64 {
        self.object.address()
    }
}

/// The meaning of a name in a world.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Nothing.
    Undefined,
    /// Two modules that are `using`-ed export different things under this name.
    Ambiguous(Module, Module),
    /// A constant.
    Const(Value),
    /// A variable and its declared type (`Any` unless declared).
    Global(Arc<GlobalCell>, Type),
}

/// The meaning of a name, and where that is defined.
#[derive(Clone, Debug)]
pub struct ResolvedBinding {
    /// The module that owns the binding.
    pub module: Module,
    /// Its name there.
    pub name: Symbol,
    /// The meaning.
    pub binding: Binding,
    /// Came here through `import M: x`, so that methods may be added under the unqualified name.
    pub imported: bool,
    /// Came here through `using`.
    pub implicit: bool,
    /// Several modules that are `using`-ed export constants of this name, all with the same value.
    pub shared: bool,
    /// The worlds in which the answer is the same, as far as is known.
    pub worlds: WorldRange,
}

/// Why a definition of a name is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameError {
    /// A constant cannot take the place of an import.
    Import,
    /// The name is imported from this module.
    Imported(Module),
    /// A constant can not become a variable.
    Constant,
    /// A global variable can not become a constant.
    Variable,
    /// A variable has a declared type already, another one.
    Retyped(Type),
    /// An import of a name that is defined here.
    Defined,
}

#[derive(Clone, Debug)]
pub(super) enum Partition {
    Const(Value),
    Global(Type),
    /// A variable that is only mentioned, of type `Any`.
    Declared,
    Import {
        module: Module,
        name: Symbol,
        explicit: bool,
    },
}

/// One name of one module.
#[derive(Debug)]
pub(super) struct BindingData {
    pub(super) partitions: RwLock<Vec<(WorldRange, Partition)>>,
    pub(super) cell: Arc<GlobalCell>,
    /// The first world in which it is exported; [`World::MAX`] if never.
    pub(super) exported: AtomicU64,
    /// As `exported`, for `public`.
    pub(super) public: AtomicU64,
}

impl Default for BindingData {
    fn default() -> Self {
        Self {
            partitions: RwLock::default(),
            cell: Arc::default(),
            exported: AtomicU64::new(u64::MAX),
            public: AtomicU64::new(u64::MAX),
        }
    }
}

/// One module.
#[derive(Debug, Default)]
pub(super) struct ModuleData {
    /// The bindings of the image that have not been read yet.
    pub(super) frozen: FrozenBindings,
    pub(super) bindings: RwLock<FxHashMap<Symbol, Arc<BindingData>>>,
    /// Modules whose exports are visible, with the world of the `using`.
    pub(super) usings: RwLock<Vec<(Module, World)>>,
}

impl ModuleData {
    fn binding_if_any(&self, name: Symbol) -> Option<Arc<BindingData>> {
        if let Some(found) = self.bindings.read().get(&name) {
            return Some(found.clone());
        }
        let thawed = self.frozen.find(name)?;
        Some(self.bindings.write().entry(name).or_insert_with(|| Arc::new(thawed)).clone())
    }

    /// Reads everything that the image binds.
    pub(super) fn thaw_bindings(&self) {
        for name in self.frozen.names() {
            self.binding_if_any(name);
        }
    }
}

/// The names in resolution, each on behalf of the previous one: a cycle of imports ends where it closes.
struct Path<'a> {
    here: (Module, Symbol),
    from: Option<&'a Path<'a>>,
}

impl Path<'_> {
    fn contains(&self, name: (Module, Symbol)) -> bool {
        std::iter::successors(Some(self), |it| it.from).any(|it| it.here == name)
    }
}

/// The modules of a session, and the meaning of names in them. Definitions are made by [`CodeTables`](super::CodeTables), since they
/// end code.
#[derive(Debug)]
pub struct Bindings {
    pub(super) types: Arc<Types>,
    pub(super) modules: RwLock<FxHashMap<Module, Arc<ModuleData>>>,
    /// The last world in which a name that meant something came to mean something else.
    pub(super) rebound: AtomicU64,
    /// The changes in the modules of the image.
    pub(super) renamed: RwLock<Renamed>,
    /// Where the program declares names.
    declared: RwLock<FxHashMap<(Module, Symbol), SourceLoc>>,
}

impl Bindings {
    /// No module has a name yet.
    pub(super) fn new(types: Arc<Types>) -> Self {
        Self {
            types,
            modules: RwLock::default(),
            rebound: AtomicU64::new(0),
            renamed: RwLock::default(),
            declared: RwLock::default(),
        }
    }

    /// Notes that a name which had a meaning has another one from `world` on.
    pub(super) fn note_rebound(&self, world: World) {
        self.rebound.store(world.number(), Ordering::Release);
    }

    /// Notes where the program declared a name last.
    pub(super) fn note_declared(&self, module: Module, name: Symbol, loc: SourceLoc) {
        self.declared.write().insert((module, name), loc);
    }

    /// Where the program declared a constant or a variable last, if it did by a statement.
    pub fn declared_at(&self, module: Module, name: Symbol) -> Option<SourceLoc> {
        self.declared.read().get(&(module, name)).copied()
    }

    pub(super) fn module(&self, module: Module) -> Arc<ModuleData> {
        if let Some(found) = self.modules.read().get(&module) {
            return found.clone();
        }
        self.modules.write().entry(module).or_default().clone()
    }

    pub(super) fn binding_data(&self, module: Module, name: Symbol) -> Arc<BindingData> {
        let data = self.module(module);
        if let Some(found) = data.binding_if_any(name) {
            return found;
        }
        data.bindings.write().entry(name).or_default().clone()
    }

    pub(super) fn binding_if_any(&self, module: Module, name: Symbol) -> Option<Arc<BindingData>> {
        self.modules.read().get(&module)?.binding_if_any(name)
    }

    /// Returns the meaning of `name` in `module` and `world`, with the worlds in which it holds.
    pub fn binding(&self, module: Module, name: Symbol, world: World) -> (Binding, WorldRange) {
        let resolved = self.resolve_binding(module, name, world);
        (resolved.binding, resolved.worlds)
    }

    /// Returns the meaning of `name` in `module`, with the location of its definition.
    pub fn resolve_binding(&self, module: Module, name: Symbol, world: World) -> ResolvedBinding {
        self.resolve_within(module, name, world, None)
    }

    fn resolve_within(
        &self,
        module: Module,
        name: Symbol,
        world: World,
        path: Option<&Path<'_>>,
    ) -> ResolvedBinding {
        let mut resolved = ResolvedBinding {
            module,
            name,
            binding: Binding::Undefined,
            imported: false,
            implicit: false,
            shared: false,
            worlds: WorldRange::ALL,
        };
        if path.is_some_and(|it| it.contains((module, name))) {
            return resolved;
        }
        let path = Path { here: (module, name), from: path };
        if let Some(data) = self.binding_if_any(module, name)
            && self.own_partition(&data, world, &path, &mut resolved)
        {
            return resolved;
        }
        self.through_usings(module, name, world, &path, &mut resolved);
        if matches!(resolved.binding, Binding::Undefined)
            && let Some(ty) = self.function_type(module, name, world)
        {
            resolved.binding = Binding::Const(ty);
        }
        resolved
    }

    /// The type of the function `f` of this module, if `name` is `#f`: Julia binds it so.
    fn function_type(&self, module: Module, name: Symbol, world: World) -> Option<Value> {
        let function = self.types.name(name).strip_prefix('#')?;
        // Julia's modules have no functions of their own for these two.
        if matches!(function, "eval" | "include") {
            return None;
        }
        let data = self.binding_if_any(module, self.types.symbol(function))?;
        let partitions = data.partitions.read();
        let (_, partition) = partitions.iter().find(|(worlds, _)| worlds.contains(world))?;
        let Partition::Const(value) = partition else { return None };
        let ty = value.ty();
        let is_of_function = datatype::name_of(&self.types, ty).is_some_and(|it| {
            let data = self.types.type_name(it);
            data.is_of_function() && data.def.module == module && self.types.name(data.def.name) == function
        });
        is_of_function.then(|| Value::inline(self.types.core().data_type, ty.index() as u64))
    }

    /// Resolves through the module's own partition. Whether there is one in this world.
    fn own_partition(
        &self,
        data: &BindingData,
        world: World,
        path: &Path<'_>,
        resolved: &mut ResolvedBinding,
    ) -> bool {
        for (worlds, partition) in data.partitions.read().iter() {
            if !worlds.contains(world) {
                resolved.worlds = resolved.worlds.without(*worlds, world);
                continue;
            }
            resolved.worlds = *worlds;
            match partition {
                Partition::Const(value) => resolved.binding = Binding::Const(*value),
                Partition::Global(ty) => resolved.binding = Binding::Global(data.cell.clone(), *ty),
                Partition::Declared => {
                    resolved.binding = Binding::Global(data.cell.clone(), self.types.core().any);
                }
                Partition::Import { module, name, explicit } => {
                    let inner = self.resolve_within(*module, *name, world, Some(path));
                    let worlds = resolved.worlds.intersect(inner.worlds);
                    *resolved = ResolvedBinding { worlds, imported: *explicit, implicit: false, ..inner };
                }
            }
            return true;
        }
        false
    }

    fn through_usings(
        &self,
        module: Module,
        name: Symbol,
        world: World,
        path: &Path<'_>,
        resolved: &mut ResolvedBinding,
    ) {
        let Some(data) = self.modules.read().get(&module).cloned() else { return };
        for &(used, since) in data.usings.read().iter() {
            if since > world {
                resolved.worlds =
                    resolved.worlds.intersect(WorldRange { min: World::FIRST, max: since.previous() });
                continue;
            }
            let Some(exported) = self.binding_if_any(used, name) else { continue };
            let exported = World::new(exported.exported.load(Ordering::Acquire));
            if exported > world {
                if exported < World::MAX {
                    let before = WorldRange { min: World::FIRST, max: exported.previous() };
                    resolved.worlds = resolved.worlds.intersect(before);
                }
                continue;
            }
            let since = since.max(exported);
            let inner = self.resolve_within(used, name, world, Some(path));
            let worlds = resolved.worlds.intersect(inner.worlds).intersect(WorldRange::since(since));
            resolved.worlds = worlds;
            match &resolved.binding {
                Binding::Undefined => {
                    *resolved = ResolvedBinding { worlds, imported: false, implicit: true, ..inner }
                }
                Binding::Ambiguous(..) => {}
                Binding::Const(_) | Binding::Global(..) => {
                    if matches!(inner.binding, Binding::Undefined) {
                        continue;
                    }
                    if same(resolved, &inner) {
                        resolved.shared |= (resolved.module, resolved.name) != (inner.module, inner.name);
                    } else {
                        resolved.binding = Binding::Ambiguous(resolved.module, inner.module);
                    }
                }
            }
        }
    }

    /// Whether `name` means the same in both worlds.
    pub fn same_binding(&self, module: Module, name: Symbol, a: World, b: World) -> bool {
        same(&self.resolve_binding(module, name, a), &self.resolve_binding(module, name, b))
    }

    /// Returns the first meaning of `name` after `world`, if it has none in it: Julia 1.12 lets code of an older
    /// world see it, with a warning.
    pub fn later_binding(&self, module: Module, name: Symbol, world: World) -> Option<Binding> {
        let data = self.binding_if_any(module, name)?;
        let partitions = data.partitions.read();
        let (worlds, _) = partitions.iter().find(|(worlds, _)| worlds.min > world)?;
        let at = worlds.min;
        drop(partitions);
        Some(self.resolve_binding(module, name, at).binding)
    }

    /// The first and the last world in which the name of a type meant it, if it no longer does.
    pub fn type_name_ended(&self, name: TypeName) -> Option<(u64, u64)> {
        let def = &self.types.type_name(name).def;
        let data = self.binding_if_any(def.module, def.name)?;
        let partitions = data.partitions.read();
        let core = self.types.core();
        let is_it = |partition: &Partition| match partition {
            Partition::Const(value) => {
                value.as_type(core).and_then(|it| datatype::name_of(&self.types, it)) == Some(name)
            }
            Partition::Global(_) | Partition::Declared | Partition::Import { .. } => false,
        };
        let (worlds, _) = partitions.iter().rev().find(|it| is_it(&it.1))?;
        (worlds.max != World::MAX).then(|| (worlds.min.number(), worlds.max.number()))
    }

    /// A number that changes whenever a name that had a meaning gets another one; caches of resolved names compare
    /// it.
    pub fn rebound(&self) -> u64 {
        self.rebound.load(Ordering::Acquire)
    }

    /// Whether the variable `name` of `module` is one that is only mentioned.
    pub fn is_only_declared(&self, module: Module, name: Symbol) -> bool {
        let data = self.binding_if_any(module, name);
        data.is_some_and(|it| {
            matches!(it.partitions.read().last(), Some((worlds, Partition::Declared)) if worlds.max == World::MAX)
        })
    }

    /// Returns the modules whose exports `module` sees.
    pub fn usings(&self, module: Module) -> Vec<Module> {
        self.module(module).usings.read().iter().map(|&(it, _)| it).collect()
    }

    /// Whether a name is exported, and whether it is public, in the newest world.
    pub fn visibility(&self, module: Module, name: Symbol) -> (bool, bool) {
        self.binding_if_any(module, name).map_or((false, false), |it| {
            (it.exported.load(Ordering::Acquire) != u64::MAX, it.public.load(Ordering::Acquire) != u64::MAX)
        })
    }

    /// The names that have a meaning of their own in `module`, in the order of their symbols.
    pub fn names(&self, module: Module) -> Vec<Symbol> {
        self.names_where(module, |it| !it.partitions.read().is_empty())
    }

    /// The names that code of `module` gave a meaning or asked for one, in no order. Unlike [`names`](Self::names) it reads no
    /// binding of an image.
    pub fn mentioned_names(&self, module: Module) -> Vec<Symbol> {
        let data = self.module(module);
        let bindings = data.bindings.read();
        let unread = data.frozen.names().filter(|it| !bindings.contains_key(it));
        bindings.keys().copied().chain(unread).collect()
    }

    /// Whether `name` has a meaning of its own in `module`.
    pub fn has_meaning(&self, module: Module, name: Symbol) -> bool {
        self.binding_if_any(module, name).is_some_and(|it| !it.partitions.read().is_empty())
    }

    /// The names `#f` of the types of the functions `f` that `module` defines.
    pub fn function_type_names(&self, module: Module, world: World) -> Vec<Symbol> {
        let own = self.names(module).into_iter();
        let named = own.map(|it| self.types.symbol(&format!("#{}", self.types.name(it))));
        named.filter(|&it| self.function_type(module, it, world).is_some()).collect()
    }

    /// The names that `module` declares public, whether they mean something or not.
    pub fn public_names(&self, module: Module) -> Vec<Symbol> {
        self.names_where(module, |it| it.public.load(Ordering::Acquire) != u64::MAX)
    }

    fn names_where(&self, module: Module, included: impl Fn(&BindingData) -> bool) -> Vec<Symbol> {
        let data = self.module(module);
        data.thaw_bindings();
        let bindings = data.bindings.read();
        let mut names: Vec<Symbol> =
            bindings.iter().filter(|(_, it)| included(it)).map(|(&name, _)| name).collect();
        names.sort_unstable();
        names
    }

    /// The values of all constants, by module and name.
    pub(crate) fn constants(&self) -> Vec<Value> {
        let mut modules: Vec<Module> = self.modules.read().keys().copied().collect();
        modules.sort_unstable();
        let names = modules.into_iter().flat_map(|it| self.names(it).into_iter().map(move |name| (it, name)));
        let data = names.filter_map(|(module, name)| self.binding_if_any(module, name));
        let mut constants = Vec::new();
        for binding in data {
            for (_, partition) in binding.partitions.read().iter() {
                if let Partition::Const(value) = partition {
                    constants.push(*value);
                }
            }
        }
        constants
    }

    /// The values of constants and variables: roots of a collection. Unread bindings of an image are left out.
    pub(crate) fn roots(&self) -> (Vec<Value>, Vec<u64>) {
        let (mut roots, mut objects) = (Vec::new(), Vec::new());
        #[expect(clippy::iter_over_hash_type, reason = "marking is the same in any order")]
        for module in self.modules.read().values() {
            for binding in module.bindings.read().values() {
                objects.extend(binding.cell.object.word());
                for (_, partition) in binding.partitions.read().iter() {
                    if let Partition::Const(value) = partition {
                        roots.push(*value);
                    }
                }
            }
        }
        (roots, objects)
    }
}

/// Whether two resolutions mean the same.
pub(super) fn same(a: &ResolvedBinding, b: &ResolvedBinding) -> bool {
    match (&a.binding, &b.binding) {
        (Binding::Undefined, Binding::Undefined) => true,
        (Binding::Ambiguous(..), Binding::Ambiguous(..)) => true,
        (Binding::Const(a), Binding::Const(b)) => a.same(*b),
        (Binding::Global(a, s), Binding::Global(b, t)) => Arc::ptr_eq(a, b) && s == t,
        (Binding::Undefined | Binding::Ambiguous(..) | Binding::Const(_) | Binding::Global(..), _) => false,
    }
}
