//! Devices: a linked kernel in, its effects out. Knows no compiler and no LLVM.
//!
//! The device that is always there is this machine's CPU, [`CpuDevice`].

mod cpu;

pub use cpu::{CpuDevice, CpuFunction, CpuKernel, Failure, Grid, Report};
