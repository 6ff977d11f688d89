//! Devices: they run linked kernels and artifacts. This crate knows no compiler and no LLVM.
//!
//! [`CpuDevice`], this machine's processor, is always available and runs linked code in this process. A device with a
//! driver of its own is a [`Device`]: it loads a [`DeviceArtifact`] as a [`DeviceKernel`]. NVIDIA GPUs need the
//! feature `cuda`, and devices with an OpenCL driver `opencl`.

#[cfg(any(feature = "cuda", feature = "opencl"))]
mod allocations;
mod artifact;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod device_runtime;
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
pub use cpu::{
    Checker, CpuDevice, CpuFunction, CpuKernel, Finding, FindingKind, HostArray, MemorySpace, Party,
};
#[cfg(feature = "cuda")]
pub use cuda::{CudaDevice, CudaOptions};
pub use device::{
    Device, DeviceError, DeviceKernel, DeviceLimits, Event, HostMemoryAccess, LaunchOutcome, MemoryKind,
    Stream,
};
pub use device_runtime::DeviceRuntimePaths;
pub use grid::{Failure, Grid, Report, SHARED_BYTES_MAX, Seed, Together};
pub use handles::LoadedKernels;
pub use installed::{Installed, has_cuda_device, installed, open_cuda, open_opencl};
#[cfg(feature = "opencl")]
pub use opencl::{OpenClDevice, OpenClDeviceInfo, OpenClOptions};
pub use residency::{Access, HostMemory, HostRange, Residency};
