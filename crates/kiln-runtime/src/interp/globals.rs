//! Reading and writing globals.

use crate::heap::Value;
use crate::runtime::Runtime;
use crate::tables::{Binding, GlobalCell, NameError, World};
use crate::throw;
use crate::throw::NameScope;
use crate::thrown::{Run, Thrown};
use kiln_types::{Module, Symbol, Type, module};
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
        self.global(Module::BASE, name).or_else(|| self.global(Module::CORE, name))
    }
}

/// The value of a global at a site.
#[inline]
pub(super) fn read_site(rt: &Runtime, site: &GlobalSite, world: World) -> Run {
    if let Some(found) = site.found.get()
        && found.since <= world
        && found.rebound.load(Ordering::Acquire) == rt.tables.bindings.rebound()
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
    read_site_slowly(rt, site, world)
}

#[cold]
fn read_site_slowly(rt: &Runtime, site: &GlobalSite, world: World) -> Run {
    let rebound = rt.tables.bindings.rebound();
    let resolved = rt.tables.bindings.resolve_binding(site.module, site.name, world);
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
    value_of_binding(rt, site.module, site.name, resolved.binding, world)
}

fn value_of_binding(rt: &Runtime, module: Module, name: Symbol, binding: Binding, world: World) -> Run {
    let found = match binding {
        Binding::Const(value) => Some(value),
        Binding::Global(cell, _) => cell.get(),
        Binding::Ambiguous(..) => None,
        Binding::Undefined => match rt.tables.bindings.later_binding(module, name, world) {
            Some(Binding::Const(value)) => Some(value),
            Some(Binding::Global(cell, _)) => cell.get(),
            Some(Binding::Undefined | Binding::Ambiguous(..)) | None => None,
        },
    };
    found.ok_or_else(|| throw::undef_var(rt, name, NameScope::Global(module)))
}

/// `setglobal!` of the global at a site, which was read before or is written as any other.
pub(super) fn write_site(rt: &Runtime, site: &GlobalSite, value: Value, world: World) -> Run<()> {
    if let Some(found) = site.found.get()
        && found.since <= world
        && found.rebound.load(Ordering::Acquire) == rt.tables.bindings.rebound()
        && let GlobalContents::Cell(cell) = &found.what
        && found.assigned.is_some_and(|ty| ty == rt.types.core().any || rt.heap.isa(value, ty))
    {
        cell.set(&rt.heap, value);
        return Ok(());
    }
    check_declared(rt, site.module, site.name)?;
    set(rt, site.module, site.name, value)?;
    // The next time it is known.
    let _ = read_site(rt, site, world);
    Ok(())
}

/// `getglobal(module, name)` in the running world.
pub fn get(rt: &Runtime, module: Module, name: Symbol) -> Run {
    let world = rt.current_world();
    let known = rt.global_sites.known.read().get(&(module, name)).cloned();
    if let Some(site) = known.filter(|it| it.is_current(rt.tables.bindings.rebound())) {
        return read_site(rt, &site, world);
    }
    let site = Arc::new(GlobalSite::new(module, name));
    let value = read_site(rt, &site, world)?;
    if site.found.get().is_some() {
        rt.global_sites.known.write().insert((module, name), site);
    }
    Ok(value)
}

/// `isdefinedglobal(module, name)` in the running world. A constant of a later world counts: code of an older one sees it.
pub fn is_defined(rt: &Runtime, module: Module, name: Symbol) -> bool {
    let world = rt.current_world();
    match rt.tables.bindings.binding(module, name, world).0 {
        Binding::Const(_) => true,
        Binding::Global(cell, _) => cell.is_set(),
        Binding::Undefined => {
            matches!(rt.tables.bindings.later_binding(module, name, world), Some(Binding::Const(_)))
        }
        Binding::Ambiguous(..) => false,
    }
}

/// `setglobal!(module, name, value)`.
pub fn set(rt: &Runtime, module: Module, name: Symbol, value: Value) -> Run<()> {
    let (cell, ty) = assignable(rt, module, name)?;
    let value = fit_global(rt, ty, value)?;
    cell.set(&rt.heap, value);
    Ok(())
}

/// As [`set`], for a value that already has the type of the variable.
pub(super) fn set_global_exactly(rt: &Runtime, module: Module, name: Symbol, value: Value) -> Run<()> {
    let (cell, ty) = assignable(rt, module, name)?;
    if !rt.heap.isa(value, ty) {
        let (owner, name) = (rt.types.name(module::name(&rt.types, module)), rt.types.name(name));
        let message = format!("cannot assign an incompatible value to the global {owner}.{name}.");
        return Err(rt.error(&message));
    }
    cell.set(&rt.heap, value);
    Ok(())
}

/// Whether a name in the running world belongs to the module itself and is not imported.
pub(super) fn is_own_binding(rt: &Runtime, module: Module, name: Symbol) -> bool {
    let resolved = rt.tables.bindings.resolve_binding(module, name, rt.current_world());
    resolved.module == module && !resolved.imported && !resolved.implicit
}

/// Throws if a module has no global of this name: only declarations make them.
pub(super) fn check_declared(rt: &Runtime, module: Module, name: Symbol) -> Run<()> {
    let world = rt.current_world().max(rt.tables.world());
    if !matches!(rt.tables.bindings.binding(module, name, world).0, Binding::Undefined) {
        return Ok(());
    }
    let (owner, name) = (rt.types.name(module::name(&rt.types, module)), rt.types.name(name));
    Err(rt.error(&format!(
        "Global {owner}.{name} does not exist and cannot be assigned. Declare it using `global {name}` inside `{owner}` first."
    )))
}

/// The variable that an assignment assigns.
pub(super) fn assignable(rt: &Runtime, module: Module, name: Symbol) -> Run<(Arc<GlobalCell>, Type)> {
    let world = rt.current_world();
    rt.tables.assignable(module, name, world).map_err(|it| name_error(rt, module, name, it))
}

fn fit_global(rt: &Runtime, ty: Type, value: Value) -> Run {
    if rt.heap.isa(value, ty) {
        return Ok(value);
    }
    match rt.base_global("convert") {
        Some(convert) => {
            let converted = rt.call(convert, &[rt.heap.type_value(ty), value])?;
            match rt.heap.isa(converted, ty) {
                true => Ok(converted),
                false => Err(throw::type_error(rt, "setglobal!", "", ty, converted)),
            }
        }
        None => Err(throw::type_error(rt, "setglobal!", "", ty, value)),
    }
}

/// The exception for a definition that is refused.
pub(crate) fn name_error(rt: &Runtime, module: Module, name: Symbol, error: NameError) -> Box<Thrown> {
    let types = &rt.types;
    let owner = types.name(module::name(types, module));
    let name = types.name(name);
    rt.error(&match error {
        NameError::Imported(from) => {
            let from = types.name(module::name(types, from));
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
