//! A compiled kernel, and what is needed to understand its failures.

use crate::device::entry::DeviceEntry;
use crate::launch_table::DeviceId;
use crate::tiers::Tier;
use kiln_compile::Program;
use kiln_launch::CpuKernel;
use kiln_runtime::tables::CodeInstance;
use kiln_types::{Symbol, Type};
use std::sync::Arc;

/// The launched code.
#[derive(Debug)]
pub(crate) enum KernelEntry {
    /// Code in this process.
    Cpu(CpuKernel),
    /// A program that another device loads.
    Device(Box<DeviceEntry>),
}

/// A kernel that can be launched.
#[derive(Debug)]
pub struct Kernel {
    /// The name of the function, or the one the launch gave.
    pub(crate) name: Symbol,
    pub(crate) entry: KernelEntry,
    /// The device that runs it.
    pub(crate) device: DeviceId,
    /// The units that it was linked of, and the meaning of its sites.
    pub program: Program,
    /// The types of the function and its arguments, which launches are checked against.
    pub(crate) signature: Type,
    /// Its items draw random numbers.
    pub(crate) is_random: bool,
    /// The better form that it may get.
    pub(crate) tier: Option<Tier>,
    /// The results it was made of, the entry's first.
    pub(crate) parts: Arc<[Arc<CodeInstance>]>,
}
