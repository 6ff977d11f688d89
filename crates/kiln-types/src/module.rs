//! Modules: their names and parents. What they bind is the runtime's.

use crate::{Module, Symbol, Types};

/// A module.
pub(crate) struct ModuleEntry {
    name: Symbol,
    parent: Module,
}

/// Adds a module. A root (`Main`, `Core`, a package) has no `parent` given, and is its own.
pub fn new(types: &Types, name: Symbol, parent: Option<Module>) -> Module {
    Module::from_index(
        types
            .modules
            .push_with(|index| ModuleEntry { name, parent: parent.unwrap_or(Module::from_index(index)) }),
    )
}

/// The last component of the path of a module.
pub fn name(types: &Types, module: Module) -> Symbol {
    types.modules[module.index()].name
}

/// The module around a module; a root's is itself.
pub fn parent(types: &Types, module: Module) -> Module {
    types.modules[module.index()].parent
}

/// `Main.A.B`.
pub fn path(types: &Types, module: Module) -> String {
    let parent = parent(types, module);
    let name = types.name(name(types, module));
    if parent == module { name.to_owned() } else { format!("{}.{name}", path(types, parent)) }
}
