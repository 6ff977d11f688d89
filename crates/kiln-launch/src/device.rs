//! The interface of every device but this process's own processor: memory, artifacts, launches.
//!
//! An address is a number of the device's own. `write`, `read`, `copy` and `fill` check that their memory lies in one
//! allocation of the device: a wrong address there is an error, never an access. A kernel's accesses are not checked,
//! as on the CPU.
//!
//! # Deliberately absent
//! Waiting of one stream for an event of another, graphs, images, and features of a single vendor.

use crate::artifact::{DeviceArtifact, Format};
use crate::grid::{Failure, Grid, Report, Seed};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An in-order queue of a device's; [`Stream::DEFAULT`] is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub(crate) u32);

impl Stream {
    /// The default stream, which every device has.
    pub const DEFAULT: Self = Self(0);
}

/// The sides that can reach memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// The device.
    Device,
    /// The device, and at the same address this process while the device is idle.
    Shared,
}

/// The part of this process's memory that a device can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostMemoryAccess {
    /// All of it, at the same addresses.
    All,
    /// Nothing but allocations of [`MemoryKind::Shared`].
    Shared,
    /// Nothing.
    None,
}

/// The limits of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Items of a group.
    pub items_max: u64,
    /// Items of a group in each dimension.
    pub items_max_in: [u64; 3],
    /// Groups in each dimension.
    pub groups_max_in: [u64; 3],
    /// Shared memory of a group, in bytes.
    pub shared_bytes_max: u64,
    /// Bytes of all arguments.
    pub args_bytes_max: u64,
    /// Bytes of the device's memory.
    pub memory_bytes: u64,
    /// Items of a subgroup (warp, wavefront); 0: it depends on the kernel.
    pub subgroup_items: u32,
    /// Multiprocessors, compute units.
    pub compute_units: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Whether it computes with 64-bit floats.
    pub has_fp64: bool,
    /// Whether it computes with 16-bit floats.
    pub has_fp16: bool,
    /// Whether kernels can read a clock.
    pub has_clock: bool,
    /// The reach of the device into this process's memory.
    pub host_memory: HostMemoryAccess,
}

#[cfg(any(feature = "cuda", feature = "opencl"))]
impl DeviceLimits {
    /// Whether a launch of `items_max` items a group at most may have this size, with that much static shared memory.
    ///
    /// # Errors
    /// Checks a launch against the limits.
    pub(crate) fn check(&self, grid: &Grid, items_max: u64, shared_bytes: u64) -> Result<(), DeviceError> {
        let too_large =
            |what, asked: u128, most: u64| Err(DeviceError::TooLarge { what, asked, most: u128::from(most) });
        for d in 0..3 {
            let (items, groups) = (grid.items[d] as u64, grid.groups[d] as u64);
            if items > self.items_max_in[d] {
                return too_large("items of a group in one dimension", items.into(), self.items_max_in[d]);
            }
            if groups > self.groups_max_in[d] {
                return too_large("groups in one dimension", groups.into(), self.groups_max_in[d]);
            }
        }
        // Each dimension is at most 2^31, so the product fits.
        let items = grid.items.iter().map(|it| *it as u128).product::<u128>();
        if items > u128::from(items_max.min(self.items_max)) {
            return too_large("items of a group", items, items_max.min(self.items_max));
        }
        let shared = u128::from(shared_bytes) + grid.dynamic_shared_bytes as u128;
        if shared > u128::from(self.shared_bytes_max) {
            return too_large("bytes of shared memory", shared, self.shared_bytes_max);
        }
        Ok(())
    }
}

/// A failed operation of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The driver refused a call.
    Driver {
        /// The device.
        device: String,
        /// The call, by the name the vendor gives it.
        call: &'static str,
        /// The driver's message.
        said: String,
    },
    /// The driver did not make a program of an artifact.
    Build {
        /// The device.
        device: String,
        /// The artifact's kernel.
        entry: String,
        /// The log of the driver's compiler.
        log: String,
    },
    /// The artifact's kernel is not in its code.
    NoKernel {
        /// The name.
        entry: String,
        /// The names that exist, where the driver lists them.
        found: String,
    },
    /// The artifact contradicts itself or its code, or the device does not take it.
    Malformed {
        /// The artifact's kernel.
        entry: String,
        /// The cause.
        why: String,
    },
    /// A launch is larger than the device or the kernel allows.
    TooLarge {
        /// The quantity that exceeds its limit.
        what: &'static str,
        /// The requested amount.
        asked: u128,
        /// The maximum.
        most: u128,
    },
    /// The block of arguments has another size than the kernel's.
    Arguments {
        /// Its size in bytes.
        bytes: usize,
        /// The kernel's.
        expected: usize,
    },
    /// No allocation of the device has all of these bytes.
    Address {
        /// The first.
        address: u64,
        /// The size in bytes.
        bytes: usize,
    },
    /// The device has no stream of this number.
    NoStream(u32),
    /// The device does not exist, or lacks a required feature.
    NoDevice(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Driver { device, call, said } => write!(f, "{call} on {device}: {said}"),
            Self::Build { device, entry, log } => {
                write!(f, "the driver of {device} does not take the code of `{entry}`: {}", log.trim())
            }
            Self::NoKernel { entry, found } if found.is_empty() => {
                write!(f, "the code has no kernel `{entry}`")
            }
            Self::NoKernel { entry, found } => write!(f, "the code has no kernel `{entry}`, but {found}"),
            Self::Malformed { entry, why } => write!(f, "the artifact of `{entry}` is malformed: {why}"),
            Self::TooLarge { what, asked, most } => {
                write!(f, "the launch has {asked} {what}; this device runs it with {most} at most")
            }
            Self::Arguments { bytes, expected } => {
                write!(f, "the arguments are {bytes} bytes, and the kernel takes {expected}")
            }
            Self::Address { address, bytes } => {
                write!(f, "no memory of the device has the {bytes} bytes from {address:#x} on")
            }
            Self::NoStream(number) => write!(f, "the device has no stream {number}"),
            Self::NoDevice(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for DeviceError {}

/// A device with a driver of its own.
pub trait Device: Send + Sync + fmt::Debug {
    /// Returns the vendor's name of the device.
    fn name(&self) -> &str;

    /// The name of the compiler's target that it runs code of: `sm_90`, `spirv64-v1.4`.
    fn target(&self) -> &str;

    /// Returns the limits of the device.
    fn limits(&self) -> &DeviceLimits;

    /// Whether it loads artifacts of this format.
    fn takes(&self, format: Format) -> bool;

    /// Makes an in-order queue beside those there are. It lives as long as the device.
    ///
    /// # Errors
    /// When the driver makes none.
    fn new_stream(&self) -> Result<Stream, DeviceError>;

    /// Gets memory, aligned to 128 bytes, with unknown contents.
    ///
    /// # Errors
    /// When there is not as much.
    fn alloc(&self, bytes: usize, kind: MemoryKind) -> Result<u64, DeviceError>;

    /// Frees the result of `alloc`, once all streams have drained.
    ///
    /// # Errors
    /// When it was not allocated.
    fn free(&self, address: u64) -> Result<(), DeviceError>;

    /// Copies to the device, after the earlier work of the stream, and waits for the copy.
    ///
    /// # Errors
    /// When the bytes are not in one allocation, or those of the driver.
    fn write(&self, stream: Stream, to: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device, after the earlier work of the stream, and waits for the copy.
    ///
    /// # Errors
    /// As for [`Device::write`].
    fn read(&self, stream: Stream, from: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Puts a copy between two places that do not overlap in the stream.
    ///
    /// # Errors
    /// As for [`Device::write`].
    fn copy(&self, stream: Stream, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// Puts the setting of `bytes` bytes to `value` in the stream.
    ///
    /// # Errors
    /// As for [`Device::write`].
    fn fill(&self, stream: Stream, to: u64, value: u8, bytes: usize) -> Result<(), DeviceError>;

    /// Loads an artifact as a kernel; the driver compiles it as far as needed.
    ///
    /// # Errors
    /// Fails with the driver's log if the artifact is invalid.
    fn load(&self, artifact: &DeviceArtifact) -> Result<Arc<dyn DeviceKernel>, DeviceError>;

    /// Waits for all streams.
    ///
    /// # Errors
    /// Fails if the work in them failed, as far as the driver reports it.
    fn synchronize(&self) -> Result<(), DeviceError>;
}

/// A kernel that a device has loaded. Keeps the device.
pub trait DeviceKernel: Send + Sync + fmt::Debug {
    /// Returns the maximum number of items of a group.
    fn items_max(&self) -> u64;

    /// Enqueues a launch in a stream. `args` is a block laid out as the artifact says, and is not read after this
    /// returns.
    ///
    /// # Errors
    /// When the launch is malformed or too large, or those of the driver.
    fn launch(&self, stream: Stream, grid: &Grid, args: &[u8]) -> Result<Box<dyn Event>, DeviceError> {
        self.launch_seeded(stream, grid, None, args)
    }

    /// As [`DeviceKernel::launch`], for items that draw random numbers.
    ///
    /// # Errors
    /// As for [`DeviceKernel::launch`].
    fn launch_seeded(
        &self,
        stream: Stream,
        grid: &Grid,
        seed: Option<Seed>,
        args: &[u8],
    ) -> Result<Box<dyn Event>, DeviceError>;
}

/// A launch that has been put in a stream. One that is never waited for is forgotten, and its failure with it.
pub trait Event: Send + Sync + fmt::Debug {
    /// Waits for the end of the launch; returns its outcome, also on later calls.
    ///
    /// # Errors
    /// Those of the driver.
    fn wait(&self) -> Result<LaunchOutcome, DeviceError>;

    /// Whether it is over; a driver that does not tell is waited for.
    fn is_over(&self) -> bool {
        let _ = self.wait();
        true
    }
}

/// The result of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchOutcome {
    /// The first item that failed; the others have run.
    pub failure: Option<Failure>,
    /// The reports of items, those of one item in their order.
    pub reports: Vec<Report>,
    /// The number of further reports that did not fit.
    pub reports_lost: u64,
    /// The device's time, if measuring was requested.
    pub took: Option<Duration>,
}

/// A launch without items.
#[cfg(any(feature = "cuda", feature = "opencl"))]
#[derive(Debug)]
pub(crate) struct Nothing;

#[cfg(any(feature = "cuda", feature = "opencl"))]
impl Event for Nothing {
    fn wait(&self) -> Result<LaunchOutcome, DeviceError> {
        Ok(LaunchOutcome::default())
    }
}

// A generic method or a `Self` by value would break every caller; fail here instead.
const _: Option<(&dyn Device, &dyn DeviceKernel, &dyn Event)> = None;
