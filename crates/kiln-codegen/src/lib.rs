//! Typed SSA to objects, through LLVM: a request in, a reply out, as values ([`Generator::compile_unless`]) or as bytes
//! ([`Generator::request_bytes`], and the C functions of the shared library). Between the two, the caller is shown what was
//! emitted and may say that it is known.
//!
//! Units for devices are composed: [`Generator::compose`] makes an artifact of several.
//!
//! # Invariants
//! * What is emitted, and a reply, is a pure function of the request, but for times: each request gets a fresh context, names are role
//!   and ordinal (`entry`, `f0`, `c1`), value names are discarded.
//! * What cannot be compiled is an [`EmitError`] with the statement, never a panic; it becomes text when the reply is
//!   written.
//! * State that outlives a request belongs to a [`Generator`]; what LLVM has once a process is listed in `llvm/process.rs`.
//! * No clock, no environment: a [`Host`] supplies them.
//! * LLVM is called in `llvm/` only.
//!
//! # Deliberately absent
//! Worlds, methods, instances: codegen is given named bodies. Exceptions: nothing unwinds, see `fail.rs`.

mod analysis;
mod assertion;
mod backtrace;
mod builtin;
mod compile;
mod compose;
mod deferred;
mod device_entry;
mod error;
mod fail;
mod foreign;
mod function;
mod generator;
mod intrinsic;
mod item_loops;
mod item_state;
mod items;
mod kernel;
mod limits;
mod lines;
mod llvm;
mod loop_hints;
mod object;
mod object_symbols;
mod op;
mod passes;
mod phi;
mod range_checks;
mod report;
mod shape;
mod source;
mod target;
mod unit;
mod value;

pub use error::{
    EmitError, EmitErrorKind, ForeignError, GaveUp, InvalidBody, LinkError, LinkStep, NameRole, Operation,
    RuntimeResult, TargetLimit, TextError, TypeRole, Unsupported, VerifiedModule,
};
pub use generator::{Generator, Host, assemble, llvm_version};
pub use items::{DeviceItems, Question, Scope};
pub use llvm::{
    Architecture, AskFn, Convention, FileKind, Function, Machine, MachineSpec, Module, Order, Ty, Val,
    kiln_codegen_close, kiln_codegen_free, kiln_codegen_open, kiln_codegen_request,
};
pub use target::{Job, Target};
