//! Jobs and the order of their stages: from a function and argument types to a kernel that can be launched.
//!
//! [`Driver`] implements the runtime's [`KernelHost`](kiln_runtime::KernelHost). A job is inferred and optimized bottom
//! up, checked (a kernel with a dynamic call or an allocation is refused), handed to codegen as bytes, linked, and kept on
//! the `CodeInstance` it came from. Codegen, and with it LLVM, is a shared library opened on the first job.
//!
//! # Deliberately absent
//! LLVM; how code is interpreted; where output goes.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the driver singles out what it reports and treats the rest alike"
)]

mod arguments;
mod block;
mod bodies;
mod call_graph;
mod check;
mod children;
mod config;
mod current_place;
mod definite;
pub mod described;
pub mod device;
mod device_code;
mod diagnostics;
pub mod dialects;
mod erase_names;
mod explain;
mod failure;
mod fault;
mod foreign_jobs;
mod found_kernel;
mod function;
mod generate;
mod growth;
mod hot_spots;
mod image;
mod internal;
mod jobs;
mod kept;
mod kernel;
mod kernel_host;
mod keys;
mod late_calls;
mod launch;
mod launch_table;
mod linked;
mod mutant;
pub mod near;
mod options;
mod origin;
mod owned;
mod program;
mod reach;
mod reflect;
mod reports;
mod seed;
mod store;
mod survey;
mod thunk;
mod typed;
mod unit;
mod unit_queue;
mod unit_target;
mod why;

pub use config::{KernelConfig, KernelOptions};
pub use device::ahead::Missing;
pub use device::chosen::DeviceChoice;
pub use device::libraries::{DeviceLibrary, find_library};
pub use device_code::DeviceCodeFile;
pub use explain::Explained;
pub use function::{CompiledFunction, HotCode};
pub use image::{Holding, OpenImage, open_image, write_image};
pub use internal::replay as replay_codegen;
pub use jobs::{KernelHandle, Uncompiled};
pub use kept::Cause;
pub use kernel_host::{Driver, DriverOptions, Render};
pub use keys::UnitKeys;
pub use kiln_launch::{self, Grid};
pub use kiln_metrics::{Compilation, Counters, Tallies, Timings};
pub use launch_table::{ConfigId, DeviceId, KernelJob};
pub use linked::LinkedUnit;
pub use mutant::Mutant;
pub use reflect::{ReflectError, Stage};
pub use store::{StoreOptions, open_store};
pub use survey::Refused;
pub use why::Ended;
