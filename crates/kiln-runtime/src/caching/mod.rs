//! Caching for back ends, and for compilers with front ends of their own.
//!
//! The results of a compiler are stored on the [`CodeInstance`](crate::tables::CodeInstance) of a method instance,
//! for one *owner*, and are valid until one of their dependencies is redefined. A [`CacheView`] is the code of one
//! owner in one world. It needs the code tables only: no front end, no inference, no code generator.
//!
//! - A back end that compiles code inferred by kiln describes a [`CompilerJob`], and stores its results with the job:
//!   [`CodeTables::cached_results`](crate::tables::CodeTables::cached_results). The inputs of inference in a
//!   [`CompilerConfig`] decide which jobs share inference; the whole configuration decides which jobs share results.
//! - A compiler with its own IR stores it in methods ([`ForeignIr`]) and declares the dependencies of its code in
//!   [`NewCode`].
//! - [`Results`] hold [`Portable`] artifacts ([`Stored`]), which an image can take to another process, and
//!   [`Handles`] of devices, which it cannot: the Rust compiler rejects a handle in the place of an artifact.
//!
//! `examples/foreign-ir` is a compiler that uses most of this interface.
//!
//! # Example
//! A compiler whose functions are sums of numbers and of other functions. It produces a text for each, once.
//!
//! ```
//! use kiln_runtime::caching::{CacheView, ForeignIr, Handles, NewCode, StoredFields, Portable, Results, Stored};
//! use kiln_runtime::tables::{CodeTables, TableId};
//! use kiln_types::{Module, Types, datatype};
//! use std::cell::Cell;
//! use std::sync::Arc;
//!
//! /// The body of a function: the terms of a sum.
//! struct Sum(Vec<String>);
//!
//! impl Portable for Sum {
//!     fn to_bytes(&self) -> Vec<u8> {
//!         self.0.join(" ").into_bytes()
//!     }
//!     fn from_bytes(bytes: &[u8]) -> Option<Self> {
//!         Some(Self(std::str::from_utf8(bytes).ok()?.split(' ').map(str::to_owned).collect()))
//!     }
//! }
//!
//! impl ForeignIr for Sum {
//!     const LANGUAGE: &'static str = "sums";
//! }
//!
//! /// What the compiler keeps: a text, and what each device made of it.
//! #[derive(Default)]
//! struct Compiled {
//!     text: Stored<String>,
//!     loaded: Handles<&'static str, usize>,
//! }
//!
//! impl Results for Compiled {
//!     const NAME: &'static str = "sums";
//!     fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
//!         let Self { text, loaded: _ } = self;
//!         to.add("text", text);
//!     }
//! }
//!
//! struct Compiler { tables: CodeTables, compiles: Cell<u32> }
//!
//! impl Compiler {
//!     /// Defines, or defines again.
//!     fn define(&self, name: &str, terms: &[&str]) {
//!         let types = self.tables.types();
//!         let function = self.tables.function(Module::MAIN, name).expect("no other meaning");
//!         let body = Sum(terms.iter().map(|it| it.to_string()).collect());
//!         self.tables.add_foreign_method(TableId::GLOBAL, datatype::tuple(types, &[function]), body);
//!     }
//!
//!     /// The text of a function: that of the last time, unless it or what it calls was defined again.
//!     fn compile(&self, view: &CacheView<'_>, name: &str) -> Arc<String> {
//!         let main = Module::MAIN;
//!         let function = self.tables.function(main, name).expect("no other meaning");
//!         let instance = view.method_instance(&[function]).expect("it has been defined");
//!         let mut text = None;
//!         view.get_or_insert_with(instance, || {
//!             self.compiles.set(self.compiles.get() + 1);
//!             let method = self.tables.method(self.tables.instance_data(instance).method);
//!             let body = method.foreign::<Sum>().expect("all methods are sums");
//!             let mut code = NewCode::new();
//!             let terms = body.0.iter().map(|term| match term.parse::<i64>() {
//!                 Ok(number) => number.to_string(),
//!                 Err(_) => {
//!                     let callee = self.tables.function(main, term).expect("no other meaning");
//!                     code.calls(view.method_instance(&[callee]).expect("it has been defined"));
//!                     format!("({})", self.compile(view, term))
//!                 }
//!             });
//!             text = Some(terms.collect::<Vec<_>>().join(" + "));
//!             code
//!         });
//!         let compiled = view.results::<Compiled>(instance).expect("made above");
//!         compiled.text.get_or_make(|| text.expect("its code is new")).clone()
//!     }
//! }
//!
//! let it = Compiler { tables: CodeTables::new(Arc::new(Types::new())), compiles: Cell::new(0) };
//! it.define("one", &["1"]);
//! it.define("two", &["one", "one"]);
//! let now = || CacheView::new(&it.tables, "sums 1.0", &[]);
//! assert_eq!(*it.compile(&now(), "two"), "(1) + (1)");
//! assert_eq!(*it.compile(&now(), "two"), "(1) + (1)");
//! assert_eq!(it.compiles.get(), 2);
//!
//! it.define("three", &["two", "one"]); // of no interest to the others
//! assert_eq!(*it.compile(&now(), "two"), "(1) + (1)");
//! assert_eq!(it.compiles.get(), 2);
//!
//! it.define("one", &["0", "1"]); // ends `two` as well
//! assert_eq!(*it.compile(&now(), "two"), "(0 + 1) + (0 + 1)");
//! assert_eq!(it.compiles.get(), 4);
//! ```

mod config;
mod foreign;
mod handles;
mod portable;
mod results;
mod stable;
mod view;

pub use config::{CompilerConfig, CompilerJob, ConfigKey, ConfigOptions};
pub use foreign::ForeignIr;
pub(crate) use foreign::ForeignSource;
pub use handles::Handles;
pub use portable::{Portable, Results, Stored, StoredFields};
pub(crate) use results::JobResults;
pub use results::PortableResult;
pub use stable::{Stable, StableBytes, StableWriter};
pub use view::{CacheView, NewCode};
