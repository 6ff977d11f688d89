//! What a session has defined since the image, by name.

use kiln_ir::wire::OwnNames;
use kiln_runtime::Runtime;
use kiln_runtime::tables::Binding;
use kiln_types::{Module, Symbol, TypeName};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

#[derive(Default)]
struct Index {
    /// How many definitions have been looked at.
    seen: usize,
    by_name: FxHashMap<(Module, Symbol), Vec<TypeName>>,
}

/// The definitions of a session, looked at as they are made.
#[derive(Default)]
pub(super) struct NameIndex(Mutex<Index>);

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

impl OwnNames for Names<'_> {
    fn module(&self, parent: Option<Module>, name: Symbol) -> Option<Module> {
        let tables = &self.rt.tables;
        // Packages are bound where they are used, most often in `Main`.
        let scope = parent.unwrap_or(self.rt.types.main_module());
        let Binding::Const(value) = tables.resolve_binding(scope, name, tables.world()).binding else {
            return None;
        };
        let module = value.as_module(self.rt.types.core())?;
        let is_root = self.rt.types.module_parent(module) == module;
        (self.rt.types.module_name(module) == name && is_root == parent.is_none()).then_some(module)
    }

    fn definition(&self, module: Module, name: Symbol, hash: u128) -> Option<TypeName> {
        let types = &self.rt.types;
        let mut index = self.index.0.lock();
        let Index { seen, by_name } = &mut *index;
        for it in types.own_definitions(*seen) {
            let def = &types.type_name(it).def;
            by_name.entry((def.module, def.name)).or_default().push(it);
            *seen += 1;
        }
        let known = by_name.get(&(module, name))?;
        known.iter().rev().copied().find(|it| types.definition_hash(*it) == hash)
    }
}
