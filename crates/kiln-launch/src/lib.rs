//! Devices: a linked kernel or an artifact in, its effects out. Knows no compiler and no LLVM.
//!
//! The device that is always there is this machine's CPU, [`CpuDevice`], which runs linked code in this process. What has
//! a driver of its own is a [`Device`]: it is given a [`DeviceArtifact`], and makes a [`DeviceKernel`] of it. NVIDIA GPUs
//! need the feature `cuda`, and devices with an OpenCL driver `opencl`.

#[cfg(any(feature = "cuda", feature = "opencl"))]
mod allocations;
mod artifact;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod grid;
mod handles;
mod installed;
#[cfg(feature = "opencl")]
mod opencl;
#[cfg(any(feature = "cuda", feature = "opencl"))]
mod records;
mod residency;
mod spirv;

pub use artifact::{DeviceArtifact, Format, Param, ParamKind};
pub use cpu::{CpuDevice, CpuFunction, CpuKernel};
#[cfg(feature = "cuda")]
pub use cuda::{CudaDevice, CudaOptions};
pub use device::{
    Device, DeviceError, DeviceKernel, Event, Finished, HostMemoryAccess, Limits, MemoryKind, Stream,
};
pub use grid::{Failure, Grid, Report, Seed};
pub use handles::Handles;
pub use installed::{Installed, has_cuda_device, installed, open_cuda, open_opencl};
#[cfg(feature = "opencl")]
pub use opencl::{OpenClDevice, OpenClFound, OpenClOptions};
pub use residency::{Access, HostMemory, HostRange, Residency};
