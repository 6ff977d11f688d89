//! Execution: from a job to a kernel that can be launched, and launches on the processor and on devices.
//!
//! The state of a session's launches is a record of small values, [`Executor`]: configurations, jobs, devices, artifacts,
//! pending launches, notes. Execution is functions over an [`ExecEnv`], which is that record and the session's types and methods;
//! a value that needs nothing beside itself has methods. Compiling is `kiln_compile`'s, and running is `kiln_launch`'s.
//!
//! # Deliberately absent
//! LLVM; how code is interpreted; what people look at: `kiln_inspect`.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "execution singles out what it reports and treats the rest alike"
)]

mod ahead;
mod arguments;
mod artifact;
mod block;
mod c_number;
mod c_type;
mod checking;
mod children;
mod config;
mod current_place;
mod description;
mod device;
mod direct_call;
mod env;
mod failure;
mod function;
mod host_links;
#[expect(unsafe_code, reason = "compiled code calls these functions; see ARCHITECTURE.md")]
mod host_services;
mod host_statement;
mod hot_spots;
mod imitation;
mod jobs;
mod kernel;
mod late_binding;
mod launch;
mod launch_options;
mod launch_site;
mod launch_table;
mod library_code;
mod make_kernels;
mod notes;
mod pending;
mod pending_functions;
mod reports;
mod resolve;
mod seed;
mod statement_operand;
mod text_site;
mod thunk;
mod tiers;
#[expect(unsafe_code, reason = "runs compiled code and reads what it leaves; see ARCHITECTURE.md")]
mod trusted;
mod value_form;

pub use ahead::precompile_kernel;
pub use artifact::{Artifact, compile_for_device, compile_for_library};
pub use c_number::CNumber;
pub use c_type::CType;
pub use checking::{CheckReport, Checking};
pub use config::{Configs, KernelConfig, KernelOptions, dialect_tables, kernel_options, kernel_params};
pub use description::{DescribedFrame, DescribedReference, DescribedSite, Description, Parameter};
pub use device::chosen::{
    config_for, config_on, default_device, device_choice, device_facts, device_name, has_own_memory,
    open_device,
};
pub use device::coherence::DeviceCopies;
pub use device::draining::{do_with_stream, drain, drain_waited_for};
pub use device::found::{FoundDevice, devices};
pub use device::loadable::Loadables;
pub use device::opened::{DeviceChoice, Devices, OpenDevice, UnknownDevice};
pub use device::pending::PendingLaunches;
pub use device::reserving::reserve_on_device;
pub use device::streams::Streams;
pub use env::{ExecEnv, ExecOptions, Executor, Launches};
pub use failure::kernel_error;
pub use function::{CompiledFunction, compile_function, compile_hot, host_view, inferred, inlines};
pub use host_links::HostLinks;
pub use hot_spots::{note_hot, was_hot};
pub use jobs::{Jobs, KernelHandle, Uncompiled};
pub use kernel::Kernel;
pub use kiln_launch::{self, Grid, Together};
pub use launch::{launch_in_stream, launch_kernel};
pub use launch_options::LaunchOptions;
pub use launch_table::{ConfigId, DeviceId, KernelJob};
pub use make_kernels::compile_all;
pub use notes::{HotCode, Log, Missing, Notes, Watches};
pub use pending::PendingFunctions;
pub use pending_functions::{compile_hot_beside, finish_pending};
pub use resolve::{resolve, resolve_all};
