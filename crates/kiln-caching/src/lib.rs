//! Caching for compilers with a language of their own: code that is valid until a definition changes it, and results
//! in the store on disk.
//!
//! The first half is `kiln_runtime::caching`, re-exported here: methods, views, code instances and their results, in
//! one process. The second half is [`ResultStore`]: results that are [`Portable`] go to the store that processes
//! share, with its locks, checksums, eviction and explanations, and are found by the next process.
//!
//! ```
//! use kiln_caching::{CacheView, CodeTables, Config, Module, NewCode, ResultStore, Results, Stored, StoredFields, Types, datatype};
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! /// The results of a compiler: one text.
//! #[derive(Default)]
//! struct Compiled {
//!     text: Stored<String>,
//! }
//!
//! impl Results for Compiled {
//!     const NAME: &'static str = "texts";
//!     fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
//!         let Self { text } = self;
//!         to.add("text", text);
//!     }
//! }
//! # use kiln_caching::{ForeignIr, Portable, TableId};
//! # struct Body(String);
//! # impl Portable for Body {
//! #     fn to_bytes(&self) -> Vec<u8> { self.0.clone().into_bytes() }
//! #     fn from_bytes(bytes: &[u8]) -> Option<Self> { Some(Self(String::from_utf8(bytes.to_vec()).ok()?)) }
//! # }
//! # impl ForeignIr for Body { const LANGUAGE: &'static str = "texts"; }
//!
//! /// Compiles a function in a process of its own: the text, and whether it was found.
//! fn compile(store: &ResultStore, body: &str) -> (String, bool) {
//!     let tables = CodeTables::new(Arc::new(Types::new()));
//!     let function = tables.function(Module::MAIN, "f").unwrap();
//!     tables.add_foreign_method(TableId::GLOBAL, datatype::tuple(tables.types(), &[function]), Body(body.into()));
//!     let view = CacheView::new(&tables, "texts 1.0", &[]);
//!     let instance = view.method_instance(&[function]).unwrap();
//!     let code = view.get_or_insert_with(instance, NewCode::new);
//!
//!     let key = store.key("f()", body);
//!     let found = store.restore(&key, &code, view.world());
//!     let compiled = view.results::<Compiled>(instance).unwrap();
//!     let text = compiled.text.get_or_make(|| body.to_uppercase()).to_string();
//!     store.save(&key, &code, view.world(), Duration::from_millis(1));
//!     (text, found)
//! }
//!
//! # let folder = std::env::temp_dir().join(format!("kiln-caching-doc-{}", std::process::id()));
//! let store = ResultStore::open(Config::new(&folder), "texts 1.0")?;
//! assert_eq!(compile(&store, "one"), ("ONE".into(), false));
//! assert_eq!(compile(&store, "one"), ("ONE".into(), true));
//! assert_eq!(compile(&store, "two"), ("TWO".into(), false));
//!
//! // The store explains a miss by the entries that it has written.
//! assert!(store.store().flush(Duration::from_secs(10)));
//! let explanation = store.explain(&store.key("f()", "three"));
//! assert_eq!(explanation.closest().unwrap().changes[0].part, "inputs");
//! # drop(store);
//! # let _ = std::fs::remove_dir_all(folder);
//! # Ok::<(), kiln_caching::OpenError>(())
//! ```
//!
//! # Deliberately absent
//! Sessions, and kiln's own compiler.

mod result_store;

pub use kiln_cache::{Config, Explanation, GcLimits, Key, Miss, OpenError, Stats, Store, StoreMode};
pub use kiln_ir::Instance;
pub use kiln_runtime::Value;
pub use kiln_runtime::caching::*;
pub use kiln_runtime::tables::{
    Binding, CacheOwner, CodeInstance, CodeTables, DispatchFailure, Edge, KnownArg, KnownField, MethodId,
    MethodTableView, TableId, World, WorldRange,
};
pub use kiln_types::{Const, Module, Symbol, Type, Types, consts, datatype, display, subtype};
pub use result_store::ResultStore;
