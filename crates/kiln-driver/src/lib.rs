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
mod children;
mod config;
mod current_place;
pub mod device;
mod device_code;
mod explain;
mod failure;
mod foreign_jobs;
mod function;
mod hot_spots;
mod image;
mod jobs;
mod kernel;
mod kernel_host;
mod launch;
mod launch_table;
mod linked;
mod options;
mod reflect;
mod reports;
mod seed;
mod survey;
mod thunk;
#[expect(unsafe_code, reason = "runs compiled code and reads what it leaves; see ARCHITECTURE.md")]
mod trusted;
mod why;

pub use config::{KernelConfig, KernelOptions};
pub use device::ahead::Missing;
pub use device::chosen::DeviceChoice;
pub use device_code::DeviceCodeFile;
pub use explain::Explained;
pub use function::{CompiledFunction, HotCode};
pub use image::{Holding, OpenImage, open_image, write_image};
pub use jobs::{KernelHandle, Uncompiled};
pub use kernel_host::{Driver, DriverOptions};
pub use kiln_launch::{self, Grid};
pub use launch_table::{ConfigId, DeviceId, KernelJob};
pub use linked::LinkedUnit;
pub use reflect::{ReflectError, Stage};
pub use survey::Refused;
pub use why::Ended;
