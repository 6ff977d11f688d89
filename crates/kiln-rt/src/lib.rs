//! `libkiln_rt`: the runtime of code that was built ahead of time (`kiln build`), for programs in C and in any language that
//! calls C. `include/kiln_rt.h` declares its functions.
//!
//! A library of kernels has a descriptor for each (`kiln_unit::KernelDescriptor`). This crate runs a launch of it on this
//! machine's processor: groups on a pool of threads, shared memory, the frames or fibers of items that meet at barriers, and
//! the record of the first failure, as text.
//!
//! # Deliberately absent
//! A compiler, LLVM, Julia's objects, and the environment: nothing is read but the arguments.
#![expect(unsafe_code, reason = "the interface of C is addresses; see ARCHITECTURE.md")]

mod bundle;
mod failure;
mod launch;

pub use bundle::{
    BundleArtifact, OpenBundle, STATUS_FILE, STATUS_MISSING, kiln_bundle_artifact, kiln_bundle_close,
    kiln_bundle_kernel, kiln_bundle_open,
};
pub use failure::FailureReport;
pub use kiln_unit::KernelDescriptor;
pub use launch::{
    CLaunchSize, STATUS_ARGUMENTS, STATUS_FAILED, STATUS_OK, STATUS_SYSTEM, STATUS_VERSION, kiln_rt_call,
    kiln_rt_launch, kiln_rt_set_seed, kiln_rt_set_threads,
};
