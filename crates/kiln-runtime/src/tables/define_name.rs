//! Definitions of names: each makes a new world and ends the results that saw another meaning.

use super::bindings::{Binding, GlobalCell, NameError, Partition, same};
use super::define::clip_with_callers;
use super::{CodeTables, Definition, Edge, World, WorldRange};
use crate::heap::Value;
use kiln_ir::{Declaration, SourceLoc};
use kiln_types::{Module, Symbol, Type, equality};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl CodeTables {
    /// Takes a note of where the program declared a name last. The library's are not noted.
    pub(crate) fn note_declared(&self, module: Module, name: Symbol, loc: SourceLoc) {
        if self.sealed().is_some() {
            self.bindings.note_declared(module, name, loc);
        }
    }

    /// `const name = value`. A constant may be defined again; a variable may not become one.
    pub fn define_const(&self, module: Module, name: Symbol, value: Value) -> Result<(), NameError> {
        let _definitions = self.definitions.write();
        let resolved = self.bindings.resolve_binding(module, name, self.world());
        match resolved.binding {
            Binding::Const(_) | Binding::Global(..) if resolved.module != module && !resolved.implicit => {
                return Err(NameError::Import);
            }
            Binding::Const(old) if resolved.module == module && old.same(value) => return Ok(()),
            Binding::Global(ref cell, _) if resolved.module == module && cell.is_set() => {
                return Err(NameError::Variable);
            }
            Binding::Undefined | Binding::Ambiguous(..) | Binding::Const(_) | Binding::Global(..) => {}
        }
        begin_partition(self, module, name, Partition::Const(value));
        Ok(())
    }

    /// `global name`, or `global name::T`: creates the variable if needed. A name that was only mentioned becomes a
    /// full variable with its first type or assignment.
    pub fn declare_global(
        &self,
        module: Module,
        name: Symbol,
        declared: Option<Type>,
        kind: Declaration,
    ) -> Result<(), NameError> {
        let resolved = self.bindings.resolve_binding(module, name, self.world());
        let own = resolved.module == module && resolved.name == name;
        let known = if let Binding::Global(cell, _) = &resolved.binding { Some(cell.clone()) } else { None };
        match resolved.binding {
            Binding::Global(cell, ty) if own => match declared {
                None if kind == Declaration::Weak || !self.bindings.is_only_declared(module, name) => {
                    return Ok(());
                }
                None => {}
                Some(_) if self.bindings.is_only_declared(module, name) && !cell.is_set() => {}
                Some(wanted) if equality::are_equal(&self.types, wanted, ty) => return Ok(()),
                // What is only mentioned may still be given a type.
                Some(_) if ty == self.types.core().any && !cell.is_set() => {}
                Some(_) => return Err(NameError::Retyped(ty)),
            },
            Binding::Const(_) if own => {
                return if declared.is_some() { Err(NameError::Constant) } else { Ok(()) };
            }
            Binding::Const(_) | Binding::Global(..) if !resolved.implicit => {
                return Err(NameError::Imported(resolved.module));
            }
            Binding::Undefined | Binding::Ambiguous(..) | Binding::Const(_) | Binding::Global(..) => {}
        }
        let _definitions = self.definitions.write();
        if let (Some(_), Some(cell)) = (declared, known.filter(|_| own)) {
            cell.declare_again();
        }
        let partition = match declared {
            Some(ty) => Partition::Global(ty),
            None if kind == Declaration::Weak => Partition::Declared,
            None => Partition::Global(self.types.core().any),
        };
        begin_partition(self, module, name, partition);
        Ok(())
    }

    /// Ends the meaning of `name` in `module`, in the next world; the exports of `using` become visible again.
    /// Returns whether it had a meaning.
    pub fn delete_binding(&self, module: Module, name: Symbol) -> bool {
        let _definitions = self.definitions.write();
        let last = self.world();
        let Some(data) = self.bindings.binding_if_any(module, name) else { return false };
        {
            let mut partitions = data.partitions.write();
            let Some((worlds, _)) = partitions.last_mut().filter(|it| it.0.max == World::MAX) else {
                return false;
            };
            worlds.max = last;
        }
        self.bindings.note_renamed(module, Some(name));
        self.bindings.note_rebound(last.next());
        clip_name(self, name, Definition::Binding(module, name), last);
        self.advance(last);
        true
    }

    /// Returns the variable that an assignment to `name` in `module` assigns, creating it if needed.
    pub fn assignable(
        &self,
        module: Module,
        name: Symbol,
        world: World,
    ) -> Result<(Arc<GlobalCell>, Type), NameError> {
        if let Some(data) = self.bindings.binding_if_any(module, name)
            && let Some((worlds, partition)) = data.partitions.read().last()
            && worlds.max == World::MAX
        {
            match partition {
                Partition::Global(ty) => return Ok((data.cell.clone(), *ty)),
                Partition::Declared => return Ok((data.cell.clone(), self.types.core().any)),
                Partition::Const(_) | Partition::Import { .. } => {}
            }
        }
        let resolved = self.bindings.resolve_binding(module, name, world.max(self.world()));
        match resolved.binding {
            Binding::Global(cell, ty) if resolved.module == module => Ok((cell, ty)),
            Binding::Const(_) if resolved.module == module => Err(NameError::Constant),
            Binding::Global(..) | Binding::Const(_) if !resolved.implicit => {
                Err(NameError::Imported(resolved.module))
            }
            Binding::Undefined | Binding::Ambiguous(..) | Binding::Const(_) | Binding::Global(..) => {
                self.declare_global(module, name, None, Declaration::Variable)?;
                Ok((self.bindings.binding_data(module, name).cell.clone(), self.types.core().any))
            }
        }
    }

    /// `import from: name as alias` (`explicit`), or `using from: name as alias`.
    pub fn import_name(
        &self,
        module: Module,
        alias: Symbol,
        from: Module,
        name: Symbol,
        explicit: bool,
    ) -> Result<(), NameError> {
        let _definitions = self.definitions.write();
        let world = self.world();
        let target = self.bindings.resolve_binding(from, name, world);
        if let Some(data) = self.bindings.binding_if_any(module, alias)
            && let Some((worlds, partition)) = data.partitions.read().last()
            && worlds.contains(world)
        {
            match partition {
                Partition::Import { module: m, name: n, explicit: e } => {
                    if (*m, *n) == (from, name) && (*e || !explicit) {
                        return Ok(());
                    }
                }
                Partition::Const(_) | Partition::Global(_) | Partition::Declared => {
                    let here = self.bindings.resolve_binding(module, alias, world);
                    return if same(&here, &target) { Ok(()) } else { Err(NameError::Defined) };
                }
            }
        }
        if from == module && name == alias {
            return Ok(());
        }
        begin_partition(self, module, alias, Partition::Import { module: from, name, explicit });
        Ok(())
    }

    /// `using used`: its exports become visible.
    pub fn add_using(&self, module: Module, used: Module) {
        let _definitions = self.definitions.write();
        let data = self.bindings.module(module);
        let last = self.world();
        if module == used || data.usings.read().iter().any(|&(it, _)| it == used) {
            return;
        }
        data.usings.write().push((used, last.next()));
        self.bindings.note_renamed(module, None);
        let names = self.instances.edges.read().names_in(module);
        for name in names {
            clip_name(self, name, Definition::Using(module, used), last);
        }
        self.advance(last);
    }

    /// `export name` (`exported`) or `public name`.
    pub fn mark_public(&self, module: Module, name: Symbol, exported: bool) {
        let _definitions = self.definitions.write();
        let data = self.bindings.binding_data(module, name);
        let last = self.world();
        self.bindings.note_renamed(module, Some(name));
        data.public.fetch_min(last.next().number(), Ordering::AcqRel);
        if exported && data.exported.fetch_min(last.next().number(), Ordering::AcqRel) == u64::MAX {
            clip_name(self, name, Definition::Binding(module, name), last);
        }
        self.advance(last);
    }
}

/// Ends the current partition of a name, begins the next, and ends the code that saw the old meaning.
fn begin_partition(tables: &CodeTables, module: Module, name: Symbol, partition: Partition) {
    let last = tables.world();
    let before = tables.bindings.resolve_binding(module, name, last);
    let data = tables.bindings.binding_data(module, name);
    tables.bindings.note_renamed(module, Some(name));
    {
        let mut partitions = data.partitions.write();
        if let Some((worlds, _)) = partitions.last_mut()
            && worlds.max == World::MAX
        {
            worlds.max = last;
        }
        partitions.push((WorldRange::since(last.next()), partition));
    }
    let after = tables.bindings.resolve_binding(module, name, last.next());
    if !matches!(before.binding, Binding::Undefined) && !same(&before, &after) {
        tables.bindings.note_rebound(last.next());
    }
    clip_name(tables, name, Definition::Binding(module, name), last);
    tables.advance(last);
}

/// Ends at `last` the code that saw another meaning of `name` than the next world has.
fn clip_name(tables: &CodeTables, name: Symbol, definition: Definition, last: World) {
    let askers = tables.instances.edges.read().of_name(name);
    let affected = askers
        .into_iter()
        .filter(|(module, ci)| {
            ci.worlds().contains(last) && !tables.bindings.same_binding(*module, name, last, last.next())
        })
        .map(|(module, ci)| (ci, Some(Edge::Binding(module, name))))
        .collect();
    clip_with_callers(tables, affected, definition, last);
}
