//! Code tables without a session around them, and the IR of a compiler that has almost none.

use kiln_runtime::caching::{CacheView, ForeignIr, Portable, Results, Stored, StoredFields};
use kiln_runtime::tables::{CodeTables, MethodId, TableId};
use kiln_types::{Module, Type, Types, datatype};
use std::cell::Cell;
use std::sync::Arc;

/// A body: what it is made of is a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) String);

impl Portable for Text {
    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        String::from_bytes(bytes).map(Self)
    }
}

impl ForeignIr for Text {
    const LANGUAGE: &'static str = "text";
}

/// The compiler's result for a body.
#[derive(Default)]
pub(crate) struct Compiled {
    pub(crate) text: Stored<String>,
}

impl Results for Compiled {
    const NAME: &'static str = "compiled";
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
        let Self { text } = self;
        to.add("text", text);
    }
}

/// Definitions of one session, in `Main`.
pub(crate) struct Program {
    pub(crate) tables: CodeTables,
    /// How often something was compiled.
    pub(crate) compiles: Cell<u32>,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self { tables: CodeTables::new(Arc::new(Types::new())), compiles: Cell::new(0) }
    }

    pub(crate) fn types(&self) -> &Types {
        self.tables.types()
    }

    pub(crate) fn int(&self) -> Type {
        self.types().core().int64
    }

    pub(crate) fn float(&self) -> Type {
        self.types().core().float64
    }

    pub(crate) fn function(&self, name: &str) -> Type {
        self.tables.function(Module::MAIN, name).unwrap()
    }

    pub(crate) fn table(&self, name: &str) -> TableId {
        self.tables.methods.add_table(self.types().symbol(name), Module::MAIN)
    }

    /// The types of a call: the function's, then those of the arguments.
    pub(crate) fn call(&self, name: &str, args: &[Type]) -> Vec<Type> {
        let mut call = vec![self.function(name)];
        call.extend_from_slice(args);
        call
    }

    /// Defines `name(args...)` in `table`.
    pub(crate) fn define_in(&self, table: TableId, name: &str, args: &[Type], body: &str) -> MethodId {
        let sig = datatype::tuple(self.types(), &self.call(name, args));
        self.tables.add_foreign_method(table, sig, Text(body.into()))
    }

    pub(crate) fn define(&self, name: &str, args: &[Type], body: &str) -> MethodId {
        self.define_in(TableId::GLOBAL, name, args, body)
    }

    /// Returns the current view of `owner`.
    pub(crate) fn view(&self, owner: &str) -> CacheView<'_> {
        CacheView::new(&self.tables, owner, &[])
    }

    /// Returns the result of the compiler of `view` for a call: its body in capitals.
    pub(crate) fn compiled(&self, view: &CacheView<'_>, name: &str, args: &[Type]) -> Arc<Compiled> {
        let instance = view.method_instance(&self.call(name, args)).unwrap();
        view.get_or_insert_with(instance, kiln_runtime::caching::NewCode::new);
        let compiled = view.results::<Compiled>(instance).unwrap();
        compiled.text.get_or_make(|| {
            self.compiles.set(self.compiles.get() + 1);
            let method = self.tables.method(self.tables.instance_data(instance).method);
            method.foreign::<Text>().unwrap().0.to_uppercase()
        });
        compiled
    }
}
