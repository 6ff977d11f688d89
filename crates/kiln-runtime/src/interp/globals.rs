//! Reading and writing globals.

use crate::heap::Value;
use crate::runtime::Runtime;
use crate::tables::{Binding, GlobalCell, NameError, World};
use crate::throw::NameScope;
use crate::thrown::{Run, Thrown};
use kiln_types::{Module, Symbol, Type};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A global that a body mentions, with its resolution.
#[derive(Debug)]
pub(super) struct GlobalSite {
    pub(super) module: Module,
    pub(super) name: Symbol,
    found: OnceLock<ResolvedGlobal>,
}

#[derive(Debug)]
struct ResolvedGlobal {
    since: World,
    /// `CodeTables::rebound` when it was found, or found to be so still.
    rebound: AtomicU64,
    what: GlobalContents,
    /// The type of the variable, if it is the module's own, so that it can be assigned.
    assigned: Option<Type>,
}

#[derive(Debug)]
enum GlobalContents {
    Const(Value),
    Cell(Arc<GlobalCell>),
}

impl GlobalContents {
    fn is(&self, other: &GlobalContents) -> bool {
        match (self, other) {
            (GlobalContents::Const(a), GlobalContents::Const(b)) => (a.ty(), a.bits()) == (b.ty(), b.bits()),
            (GlobalContents::Cell(a), GlobalContents::Cell(b)) => Arc::ptr_eq(a, b),
            (GlobalContents::Const(_), GlobalContents::Cell(_))
            | (GlobalContents::Cell(_), GlobalContents::Const(_)) => false,
        }
    }
}

/// Globals that `getglobal` has read, as in `Module.name`, with their resolutions. Each process starts without any.
#[derive(Debug, Default)]
pub(crate) struct GlobalSites {
    known: RwLock<FxHashMap<(Module, Symbol), Arc<GlobalSite>>>,
}

impl GlobalSite {
    /// Whether the resolution is current.
    fn is_current(&self, rebound: u64) -> bool {
        self.found.get().is_some_and(|it| it.rebound.load(Ordering::Acquire) == rebound)
    }
    pub(super) fn new(module: Module, name: Symbol) -> Self {
        Self { module, name, found: OnceLock::new() }
    }
}

impl Runtime {
    /// The value of a global at a site.
    #[inline]
    pub(super) fn read_site(&self, site: &GlobalSite, world: World) -> Run {
        if let Some(found) = site.found.get()
            && found.since <= world
            && found.rebound.load(Ordering::Acquire) == self.tables.bindings.rebound()
        {
            match &found.what {
                GlobalContents::Const(value) => return Ok(*value),
                GlobalContents::Cell(cell) => {
                    if let Some(value) = cell.get() {
                        return Ok(value);
                    }
                }
            }
        }
        self.read_site_slowly(site, world)
    }

    #[cold]
    fn read_site_slowly(&self, site: &GlobalSite, world: World) -> Run {
        let rebound = self.tables.bindings.rebound();
        let resolved = self.tables.bindings.resolve_binding(site.module, site.name, world);
        let what = match &resolved.binding {
            Binding::Const(value) => Some(GlobalContents::Const(*value)),
            Binding::Global(cell, _) => Some(GlobalContents::Cell(cell.clone())),
            Binding::Undefined | Binding::Ambiguous(..) => None,
        };
        if let Some(what) = what
            && resolved.worlds.max == World::MAX
        {
            let is_own = resolved.module == site.module && resolved.name == site.name && !resolved.imported;
            let declared = if let Binding::Global(_, ty) = resolved.binding { Some(ty) } else { None };
            let assigned = declared.filter(|_| is_own);
            let since = resolved.worlds.min;
            let found = ResolvedGlobal { since, rebound: AtomicU64::new(rebound), what, assigned };
            // A site that is rebound itself stays on this slow path; where another name was, what was found is good again.
            if let Err(found) = site.found.set(found)
                && let Some(before) = site.found.get()
                && found.since <= before.since
                && found.what.is(&before.what)
                && found.assigned == before.assigned
            {
                before.rebound.store(rebound, Ordering::Release);
            }
        }
        self.value_of_binding(site.module, site.name, resolved.binding, world)
    }

    fn value_of_binding(&self, module: Module, name: Symbol, binding: Binding, world: World) -> Run {
        let found = match binding {
            Binding::Const(value) => Some(value),
            Binding::Global(cell, _) => cell.get(),
            Binding::Ambiguous(..) => None,
            Binding::Undefined => match self.tables.bindings.later_binding(module, name, world) {
                Some(Binding::Const(value)) => Some(value),
                Some(Binding::Global(cell, _)) => cell.get(),
                Some(Binding::Undefined | Binding::Ambiguous(..)) | None => None,
            },
        };
        found.ok_or_else(|| self.undef_var(name, NameScope::Global(module)))
    }

    /// `setglobal!` of the global at a site, which was read before or is written as any other.
    pub(super) fn write_site(&self, site: &GlobalSite, value: Value, world: World) -> Run<()> {
        if let Some(found) = site.found.get()
            && found.since <= world
            && found.rebound.load(Ordering::Acquire) == self.tables.bindings.rebound()
            && let GlobalContents::Cell(cell) = &found.what
            && found.assigned.is_some_and(|ty| ty == self.types.core().any || self.heap.isa(value, ty))
        {
            cell.set(&self.heap, value);
            return Ok(());
        }
        self.check_declared(site.module, site.name)?;
        self.set_global(site.module, site.name, value)?;
        // The next time it is known.
        let _ = self.read_site(site, world);
        Ok(())
    }

    /// `getglobal(module, name)` in the running world.
    pub fn get_global(&self, module: Module, name: Symbol) -> Run {
        let world = self.current_world();
        let known = self.global_sites.known.read().get(&(module, name)).cloned();
        if let Some(site) = known.filter(|it| it.is_current(self.tables.bindings.rebound())) {
            return self.read_site(&site, world);
        }
        let site = Arc::new(GlobalSite::new(module, name));
        let value = self.read_site(&site, world)?;
        if site.found.get().is_some() {
            self.global_sites.known.write().insert((module, name), site);
        }
        Ok(value)
    }

    /// The value of a global in the newest world, if it has one.
    pub fn global(&self, module: Module, name: Symbol) -> Option<Value> {
        match self.tables.bindings.binding(module, name, self.tables.world()).0 {
            Binding::Const(value) => Some(value),
            Binding::Global(cell, _) => cell.get(),
            Binding::Undefined | Binding::Ambiguous(..) => None,
        }
    }

    /// The value of `Base.name`, or of `Core.name` if `Base` has none.
    pub fn base_global(&self, name: &str) -> Option<Value> {
        let name = self.types.symbol(name);
        self.global(self.types.base_module(), name).or_else(|| self.global(self.types.core_module(), name))
    }

    /// `isdefinedglobal(module, name)` in the running world. A constant of a later world counts: code of an older one sees it.
    pub fn is_defined_global(&self, module: Module, name: Symbol) -> bool {
        let world = self.current_world();
        match self.tables.bindings.binding(module, name, world).0 {
            Binding::Const(_) => true,
            Binding::Global(cell, _) => cell.is_set(),
            Binding::Undefined => {
                matches!(self.tables.bindings.later_binding(module, name, world), Some(Binding::Const(_)))
            }
            Binding::Ambiguous(..) => false,
        }
    }

    /// `setglobal!(module, name, value)`.
    pub fn set_global(&self, module: Module, name: Symbol, value: Value) -> Run<()> {
        let (cell, ty) = self.assignable(module, name)?;
        let value = self.fit_global(ty, value)?;
        cell.set(&self.heap, value);
        Ok(())
    }

    /// As [`Self::set_global`], for a value that already has the type of the variable.
    pub(super) fn set_global_exactly(&self, module: Module, name: Symbol, value: Value) -> Run<()> {
        let (cell, ty) = self.assignable(module, name)?;
        if !self.heap.isa(value, ty) {
            let (owner, name) = (self.types.name(self.types.module_name(module)), self.types.name(name));
            let message = format!("cannot assign an incompatible value to the global {owner}.{name}.");
            return Err(self.error(&message));
        }
        cell.set(&self.heap, value);
        Ok(())
    }

    /// Whether a name in the running world belongs to the module itself and is not imported.
    pub(super) fn is_own_binding(&self, module: Module, name: Symbol) -> bool {
        let resolved = self.tables.bindings.resolve_binding(module, name, self.current_world());
        resolved.module == module && !resolved.imported && !resolved.implicit
    }

    /// Throws if a module has no global of this name: only declarations make them.
    pub(super) fn check_declared(&self, module: Module, name: Symbol) -> Run<()> {
        let world = self.current_world().max(self.tables.world());
        if !matches!(self.tables.bindings.binding(module, name, world).0, Binding::Undefined) {
            return Ok(());
        }
        let (owner, name) = (self.types.name(self.types.module_name(module)), self.types.name(name));
        Err(self.error(&format!(
            "Global {owner}.{name} does not exist and cannot be assigned. Declare it using `global {name}` inside `{owner}` first."
        )))
    }

    /// The variable that an assignment assigns.
    pub(super) fn assignable(&self, module: Module, name: Symbol) -> Run<(Arc<GlobalCell>, Type)> {
        let world = self.current_world();
        self.tables.assignable(module, name, world).map_err(|it| self.name_error(module, name, it))
    }

    fn fit_global(&self, ty: Type, value: Value) -> Run {
        if self.heap.isa(value, ty) {
            return Ok(value);
        }
        match self.base_global("convert") {
            Some(convert) => {
                let converted = self.call(convert, &[self.heap.type_value(ty), value])?;
                match self.heap.isa(converted, ty) {
                    true => Ok(converted),
                    false => Err(self.type_error("setglobal!", "", ty, converted)),
                }
            }
            None => Err(self.type_error("setglobal!", "", ty, value)),
        }
    }

    /// The exception for a definition that is refused.
    pub(crate) fn name_error(&self, module: Module, name: Symbol, error: NameError) -> Box<Thrown> {
        let types = &self.types;
        let owner = types.name(types.module_name(module));
        let name = types.name(name);
        self.error(&match error {
            NameError::Imported(from) => {
                let from = types.name(types.module_name(from));
                format!("cannot assign a value to imported variable {from}.{name} from module {owner}")
            }
            NameError::Import => {
                format!("cannot declare {owner}.{name} constant; it was already declared as an import")
            }
            NameError::Constant => format!("invalid assignment to constant {owner}.{name}. This redefinition may be permitted using the `const` keyword."),
            NameError::Variable => {
                format!("cannot declare {owner}.{name} constant; it was already declared global")
            }
            NameError::Retyped(_) => {
                format!("cannot set type for global {owner}.{name}. It already has a value or is already set to a different type.")
            }
            NameError::Defined => {
                format!("importing {name} into {owner} conflicts with an existing global")
            }
        })
    }
}
