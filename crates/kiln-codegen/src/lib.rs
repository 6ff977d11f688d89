//! The code generator: typed SSA to objects, through LLVM. A request goes in and a reply comes out, as values
//! ([`Generator::compile_unless`]) or as bytes ([`Generator::request_bytes`], and the C functions of the shared
//! library). In between, the caller sees the emitted bitcode and may answer that it has the result already.
//!
//! Units for devices are linked: [`Generator::link_device`] makes an artifact of several.
//!
//! # Invariants
//! * Emitted bitcode and replies are pure functions of the request, except for times: each request gets a fresh
//!   context, names are role and ordinal (`entry`, `f0`, `c1`), value names are discarded.
//! * A program that cannot be compiled is an [`EmitError`] with the statement, never a panic; it becomes text when
//!   the reply is written.
//! * State that outlives a request belongs to a [`Generator`]; `llvm/process.rs` lists what LLVM has once in a
//!   process.
//! * No clock, no environment: a [`Host`] supplies them.
//! * Only `llvm/` calls LLVM.
//!
//! # Deliberately absent
//! Worlds, methods, instances: codegen gets named bodies. Exceptions: nothing unwinds, see `fail.rs`.

#[cfg(feature = "air")]
pub mod air;
mod analysed;
mod analysis;
mod assertion;
mod backtrace;
mod builtin;
mod check_sites;
mod checked;
mod compile;
mod deferred;
mod device_entry;
mod device_link;
#[cfg(feature = "spirv")]
mod driver_bounds;
mod driver_forms;
mod error;
mod fail;
mod foreign;
mod function;
mod generator;
mod group_atomics;
mod host;
mod host_statements;
mod intrinsic;
mod item_loops;
mod item_state;
mod items;
mod kernel;
mod limits;
mod lines;
mod llvm;
mod lockstep;
mod loop_hints;
#[cfg(feature = "metal")]
mod metal;
mod never_returning;
mod object;
mod object_symbols;
mod op;
mod passes;
mod phi;
mod private;
mod private_flags;
mod probe;
mod range_checks;
mod regions;
mod report;
mod screen;
mod session_symbols;
mod shape;
mod shared_memory;
mod signatures;
mod sites;
mod source;
mod target;
mod unit;
mod value;
mod vector;
mod waiting;

#[cfg(feature = "air")]
pub use error::AirUnsupported;
pub use error::{
    EmitError, EmitErrorKind, ForeignError, GaveUp, InvalidBody, LinkError, LinkStep, NameRole, Operation,
    RuntimeResult, TargetLimit, TextError, TypeRole, Unsupported, VerifiedModule,
};
pub use generator::{Generator, Host, assemble, llvm_version};
pub use items::{DeviceItems, ItemQuery, Scope};
pub use llvm::{
    Architecture, AskFn, Convention, FileKind, Function, Machine, MachineSpec, Module, Order, Ty, Val,
    kiln_codegen_close, kiln_codegen_free, kiln_codegen_open, kiln_codegen_request,
};
pub use target::{Job, Target};
