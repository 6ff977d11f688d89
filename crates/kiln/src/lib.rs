//! kiln as a library: a [`Session`] runs Julia files, and compiles and launches their kernels.
//!
//! ```
//! use kiln::{DeviceSlice, LaunchSize, Session, SessionOptions};
//!
//! let session = Session::new(SessionOptions::new())?;
//! let module = session.load_text("saxpy.jl", "
//!     using CUDA
//!     function saxpy!(y, a, x)
//!         i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
//!         i <= length(y) && (y[i] += a * x[i])
//!         return
//!     end")?;
//! let saxpy = module.kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!")?;
//! let (mut y, x) = (session.array_from(&[1.0f32; 1000])?, session.array_from(&[2.0f32; 1000])?);
//! saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x))?;
//! assert_eq!(y.to_vec()?, [7.0; 1000]);
//! # Ok::<(), kiln::Error>(())
//! ```
//!
//! `docs/embedding.md` is a guide.
//!
//! # Features
//! `compiler` (default): sessions. Without it there are only the kernels of images, in [`prebuilt`]. `cuda`, `opencl`
//! (default): devices beside the processor.
//!
//! # Trust
//! Julia code is trusted like native code: `unsafe_store!`, and `@inbounds` with a wrong index, corrupt memory as in
//! Julia. A kernel must not store to an array that it takes as `&`.
//!
//! # Deliberately absent
//! Environment variables: a session depends on its options alone.
#![cfg_attr(
    feature = "compiler",
    expect(clippy::wildcard_enum_match_arm, reason = "kinds of errors of the standard library are not ours")
)]

#[cfg(feature = "compiler")]
pub mod ahead;
#[cfg(feature = "compiler")]
mod arguments;
#[cfg(feature = "compiler")]
mod arrays;
#[cfg(feature = "compiler")]
pub mod compile;
#[cfg(feature = "compiler")]
mod disk_files;
#[cfg(feature = "compiler")]
mod error;
#[cfg(feature = "compiler")]
mod findings;
#[cfg(feature = "compiler")]
mod frontend;
#[cfg(feature = "compiler")]
#[doc(hidden)]
pub mod fuzz;
#[cfg(feature = "compiler")]
mod host_files;
#[cfg(feature = "compiler")]
mod host_io;
#[cfg(feature = "compiler")]
mod host_processes;
#[cfg(feature = "compiler")]
mod host_streams;
#[cfg(feature = "compiler")]
pub mod image;
#[cfg(feature = "compiler")]
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "compiler")]
mod kept_expansions;
#[cfg(feature = "compiler")]
mod kept_lowering;
#[cfg(feature = "compiler")]
mod kept_packages;
#[cfg(feature = "compiler")]
mod kernels;
#[cfg(feature = "compiler")]
mod leading_packages;
#[cfg(feature = "compiler")]
mod library;
#[cfg(feature = "compiler")]
#[cfg(all(doctest, feature = "compiler"))]
mod misuses;
#[cfg(feature = "compiler")]
mod modules;
#[cfg(feature = "compiler")]
mod options;
#[cfg(feature = "compiler")]
mod packed;
#[cfg(feature = "compiler")]
#[cfg_attr(not(test), expect(dead_code, reason = "the build writes what sessions read"))]
mod preload;
#[cfg(feature = "compiler")]
mod reflect;
#[cfg(feature = "compiler")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "compiler")]
mod seen_inputs;
#[cfg(feature = "compiler")]
mod session;
#[cfg(feature = "compiler")]
mod signature;
#[cfg(feature = "compiler")]
mod snapshot;
#[cfg(feature = "compiler")]
mod uncaught;
#[cfg(feature = "compiler")]
mod values;

/// The store of compiled units: see `kiln_cache`.
#[cfg(feature = "compiler")]
pub mod cache {
    pub use kiln_cache::*;
    pub use kiln_results::{StoreOptions, open_store};

    /// Shared caches: see `kiln_remote`.
    pub mod remote {
        pub use kiln_remote::*;
    }
}

/// Environments of packages: see `kiln_packages`.
#[cfg(feature = "compiler")]
pub mod packages {
    pub use crate::disk_files::DiskFiles;
    pub use kiln_packages::*;

    /// Returns the packages that kiln brings.
    ///
    /// ```
    /// assert!(kiln::packages::library().uuids.contains_key("Test"));
    /// ```
    pub fn library() -> std::sync::Arc<LibraryPackages> {
        crate::library::Library::default().listed()
    }
}

/// Targets: see `kiln_targets`; and vendors' tools that finish or check code for them.
#[cfg(feature = "compiler")]
pub mod targets {
    pub use kiln_compile::device::tools::{ToolError, find as find_tool};
    pub use kiln_compile::device::{DeviceParams, EntryAbi, Form};
    pub use kiln_compile::libraries::find_library;
    pub use kiln_exec::{FoundDevice, devices};
    pub use kiln_targets::*;
    pub use kiln_unit::OperandPlace;

    /// Returns the targets that a code generator, a shared library, has beside those of [`FAMILIES`].
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn offered(codegen: &std::path::Path) -> Result<Vec<TargetFacts>, kiln_codegen_client::CodegenError> {
        kiln_codegen_client::Codegen::open(Some(codegen), false)?.targets()
    }
}

/// Repeats a request to the code generator, in this process; describes the outcome. Messages about panics have the call stack
/// if `traces_panics`.
///
/// # Errors
/// When the code generator cannot be opened, or the bytes are not a request of this version.
#[cfg(feature = "compiler")]
#[doc(hidden)]
pub fn replay_codegen(
    codegen: Option<&std::path::Path>,
    traces_panics: bool,
    request: &[u8],
) -> Result<String, Error> {
    kiln_compile::replay(codegen, traces_panics, request).map_err(|it| Error::program(it.to_string()))
}

/// Results of back ends and other compilers, and how long they are kept, in memory and on disk: see `kiln_caching`.
#[cfg(feature = "compiler")]
pub mod caching {
    pub use kiln_caching::*;
}

/// Compilers of deferred calls: see `kiln_runtime::deferred`; `examples/forward-mode` is one.
#[cfg(feature = "compiler")]
pub mod deferred {
    pub use kiln_ir as ir;
    pub use kiln_runtime::Runtime;
    pub use kiln_runtime::deferred::*;
    pub use kiln_types::{
        Const, ConstData, Module, Symbol, Type, TypeData, Types, consts, datatype, display, layout, typevar,
        union, unionall,
    };
}

/// The divergence analysis of kernels: see [`Session::divergence`].
#[cfg(feature = "compiler")]
pub mod divergence {
    pub use kiln_inspect::{LineFact, ShownLoop};
    pub use kiln_unit::{LaneOperation, ScalarReason, Spread};
}

/// The interface of a device that a session is given: see `kiln_launch`.
#[cfg(feature = "compiler")]
pub mod devices {
    pub use kiln_exec::kiln_launch::{
        Device, DeviceArtifact, DeviceError, DeviceKernel, DeviceLimits, Event, Format, HostMemoryAccess,
        LaunchOutcome, MemoryKind, Param, ParamKind, Seed, Stream,
    };
}

#[cfg(feature = "compiler")]
pub use {
    arguments::{KernelArg, KernelArgs},
    arrays::{DeviceArray, DeviceSlice},
    error::{Diagnostic, Error, ErrorKind, SourceLabel},
    findings::{CheckFinding, ItemOfGroup},
    kernels::Kernel,
    kiln_codegen_client::{Isolation, serve as serve_codegen},
    kiln_compile::Barriers,
    kiln_compile::Cause,
    kiln_exec::{
        ConfigId, DeviceChoice, DeviceId, Grid, KernelConfig, KernelHandle, KernelJob, KernelOptions,
        Together, Uncompiled,
    },
    kiln_inspect::{Ended, Explained, LinkedUnit, Stage as ReflectStage},
    kiln_ir::CheckBounds,
    kiln_metrics::{Compilation, ThreadTrace, Timings, TraceSpan},
    kiln_runtime::bug::Bug,
    kiln_runtime::heap::ProcessAllocator,
    kiln_targets::Backend,
    kiln_unit::{Checks, DeviceOptions, UnknownCheck},
    library::dialect_words,
    modules::Module,
    options::SessionOptions,
    reflect::ShownFor,
    session::{Session, read_program},
    values::Value,
};

/// Kernels that were compiled ahead of time, for programs that link no compiler.
///
/// A program that needs nothing else depends on kiln with `default-features = false`.
pub mod prebuilt {
    pub use kiln_prebuilt::*;
}
pub use kiln_prebuilt::{Element, LaunchSize};
