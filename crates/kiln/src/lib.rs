//! kiln as a library: a [`Session`] runs Julia files and compiles the kernels they launch.
//!
//! ```no_run
//! use kiln::{Session, SessionOptions};
//! let session = Session::new(SessionOptions::default())?;
//! session.run_text("example", "println(1 + 2)")?;
//! # Ok::<(), kiln::Failure>(())
//! ```
#![expect(clippy::wildcard_enum_match_arm, reason = "kinds of errors of the standard library are not ours")]

pub mod compile;
mod failure;
mod frontend;
pub mod fuzz;
mod host_files;
mod host_io;
pub mod image;
mod kernels;
mod library;
#[cfg_attr(not(test), expect(dead_code, reason = "the build writes what sessions read"))]
mod preload;
mod reflect;
pub mod report;
mod session;
mod snapshot;
mod uncaught;

/// The store of compiled units: see `kiln_cache`.
pub mod cache {
    pub use kiln_cache::*;
    pub use kiln_results::{StoreOptions, open_store};
}

/// Targets: see `kiln_targets`; and tools of vendors that finish or check what is made for them.
pub mod targets {
    pub use kiln_compile::device::tools::{ToolError, find as find_tool};
    pub use kiln_compile::device::{DeviceParams, EntryAbi, Form};
    pub use kiln_compile::libraries::find_library;
    pub use kiln_driver::device::found::{FoundDevice, devices};
    pub use kiln_targets::*;
    pub use kiln_unit::OperandPlace;

    /// Returns the targets that the code generator named by `KILN_CODEGEN` has beside those of [`FAMILIES`].
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn offered() -> Result<Vec<TargetFacts>, kiln_codegen_client::CodegenError> {
        let Some(path) = crate::session::codegen_path() else { return Ok(Vec::new()) };
        kiln_codegen_client::Codegen::open(Some(&path))?.targets()
    }
}

/// Gives the bytes of a request to the code generator again, in this process; what came of it, in words.
///
/// # Errors
/// When it cannot be opened, or the bytes are no request of this version.
pub fn replay_codegen(request: &[u8]) -> Result<String, String> {
    kiln_compile::replay(session::codegen_path().as_deref(), request)
}

/// Results of back ends and other compilers, and how long they are kept: see `kiln_runtime::caching`.
pub mod caching {
    pub use kiln_ir::Instance;
    pub use kiln_runtime::Value;
    pub use kiln_runtime::caching::*;
    pub use kiln_runtime::tables::{
        Binding, CacheOwner, CodeInstance, CodeTables, DispatchFailure, Edge, KnownArg, KnownField, MethodId,
        MethodTableView, TableId, World, WorldRange,
    };
    pub use kiln_types::{Const, Module, Symbol, Type, Types};
}

/// Compilers of deferred calls: see `kiln_runtime::deferred`; `examples/forward-mode` is one.
pub mod deferred {
    pub use kiln_ir as ir;
    pub use kiln_runtime::Runtime;
    pub use kiln_runtime::deferred::*;
    pub use kiln_types::{Const, ConstData, Symbol, Type, TypeData, Types};
}

/// The interface of a device that a session is given: see `kiln_launch`.
pub mod devices {
    pub use kiln_driver::kiln_launch::{
        Device, DeviceArtifact, DeviceError, DeviceKernel, Event, Finished, Format, HostMemoryAccess, Limits,
        MemoryKind, Param, ParamKind, Seed, Stream,
    };
}

pub use failure::{Failure, FailureKind};
pub use kiln_codegen_client::{Isolation, serve as serve_codegen};
pub use kiln_compile::{Cause, Mutant};
pub use kiln_driver::Stage as ReflectStage;
pub use kiln_driver::{
    ConfigId, DeviceChoice, DeviceId, Ended, Explained, Grid, KernelConfig, KernelHandle, KernelJob,
    KernelOptions, LinkedUnit, Uncompiled,
};
pub use kiln_ir::CheckBounds;
pub use kiln_metrics::{Compilation, Span, ThreadTrace, Timings};
pub use kiln_runtime::Value;
pub use kiln_runtime::bug::Bug;
pub use kiln_runtime::heap::ProcessAllocator;
pub use kiln_targets::Backend;
pub use kiln_unit::DeviceOptions;
pub use library::dialect_words;
pub use reflect::ShownFor;
pub use session::{BaseSource, Session, SessionOptions};
