//! The identity of this session's code in another session: code of the image is identified by its number there, later
//! code by its names and its text.

use super::{Bindings, CodeTables, Method, MethodId, MethodTableView, MethodTables, TableId};
use kiln_types::{Module, Symbol, Type, TypeData, Types, datatype, identity, unionall};
use rustc_hash::FxHashSet;
use std::sync::atomic::Ordering;

/// Names of modules of the image that have come to mean something else since.
#[derive(Debug, Default)]
pub(super) struct Renamed {
    names: FxHashSet<Symbol>,
    /// A module of the image uses another one now.
    usings: bool,
    /// Whether the program did any of it: a session tells the arguments of the process by constants of Base.
    by_program: bool,
}

impl MethodTables {
    /// Whether a method came with the image: its number is that of the same method in every session of the image.
    pub fn is_frozen(&self, method: MethodId) -> bool {
        method.index() < self.frozen.len()
    }

    /// Returns the number of methods from the image.
    pub fn frozen_methods(&self) -> usize {
        self.frozen.len()
    }

    /// The overlay table of this name, the last one made. Never the runtime's own.
    pub fn table_of_name(&self, name: Symbol, module: Module) -> Option<TableId> {
        let named = self.table_names.iter().filter(|(_, it)| it.name == name && it.module == module);
        named.map(|(at, _)| TableId::from_index(at + 1)).filter(|it| *it != TableId::RUNTIME).last()
    }

    /// Whether no method added since the image applies to calls with signature `sig`: then every session of the image
    /// has the same look-up result.
    pub fn only_library(&self, view: &MethodTableView, sig: Type) -> bool {
        let mut tables = view.overlays().iter().chain(&[TableId::GLOBAL]);
        tables.all(|it| {
            self.tables.get(it.index()).is_none_or(|index| !index.read().has_own_candidate(&self.types, sig))
        })
    }
}

impl Bindings {
    /// Whether `name` in `module` has the same meaning in every session of the image. `false` if that is uncertain.
    pub fn is_library_name(&self, module: Module, name: Symbol) -> bool {
        self.is_library_module(module) && {
            let renamed = self.renamed.read();
            !renamed.usings && !renamed.names.contains(&name)
        }
    }

    /// `Main` came with the image, and is the program's.
    fn is_library_module(&self, module: Module) -> bool {
        module.index() < identity::frozen_counts(&self.types).modules && module != Module::MAIN
    }

    /// Takes a note of a change in a module of the image.
    pub(super) fn note_renamed(&self, module: Module, name: Option<Symbol>) {
        if self.is_library_module(module) {
            let mut renamed = self.renamed.write();
            renamed.by_program = true;
            match name {
                Some(name) => {
                    renamed.names.insert(name);
                }
                None => renamed.usings = true,
            }
        }
    }
}

/// Whether the library does with its own values as in every session of the image: no method that the program has added may
/// apply to them, and no name of the library means something else. `false` if that is uncertain.
pub fn is_library_unchanged(tables: &CodeTables) -> bool {
    !tables.methods.changes_library.load(Ordering::Acquire) && !tables.bindings.renamed.read().by_program
}

/// Gives names of the library meanings on behalf of the session, not of the program.
pub fn rename_for_session<T>(tables: &CodeTables, work: impl FnOnce() -> T) -> T {
    let before = tables.bindings.renamed.read().by_program;
    let result = work();
    tables.bindings.renamed.write().by_program = before;
    result
}

/// Takes a note of a method with this signature: it may apply to a call that the library makes of its own values, unless one
/// of its arguments has a type of the program.
pub(super) fn note_addition(methods: &MethodTables, sig: Type) {
    let params = datatype::params(&methods.types, unionall::unwrap(&methods.types, sig));
    if !params.iter().any(|it| is_own(&methods.types, *it)) {
        methods.changes_library.store(true, Ordering::Release);
    }
}

/// Whether only the program has values of a type: the definition, or a parameter, is the program's. `Union{}` as a parameter, which
/// is anyone's, is not looked at.
fn is_own(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Data { name, params } => {
            name.index() >= identity::frozen_counts(types).names || params.iter().any(|it| is_own(types, *it))
        }
        TypeData::Union(members) => members.iter().all(|it| is_own(types, *it)),
        TypeData::UnionAll { body, .. } => is_own(types, *body),
        TypeData::Var { upper, .. } => is_own(types, *upper),
        TypeData::Bottom | TypeData::Vararg { .. } | TypeData::Value(_) => false,
    }
}

impl Method {
    /// The hash of its body ([`CodeInfo::content_hash`](kiln_ir::CodeInfo::content_hash)); `None` if another session cannot
    /// have the same, as of code that another compiler reads.
    pub fn content_hash(&self, types: &Types) -> Option<u128> {
        *self.hash.get_or_init(|| {
            let hash = if self.foreign.is_none() { self.code.content_hash(types)? } else { return None };
            // Places are kept relative to the method's own.
            Some(hash ^ u128::from(self.code.loc.start().wrapping_sub(self.loc.start())))
        })
    }
}
