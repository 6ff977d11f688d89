//! The limits of a device, as its driver reports them.

use super::ffi::{Refused, call};
use crate::device::{DeviceLimits, HostMemoryAccess};
use opencl3::device::{
    CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
    Device as OpenCl,
};

/// The shared virtual memory that a device supports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharing {
    /// Memory of the driver's has one address on both sides.
    pub(super) has_buffers: bool,
    /// The host need not ask before it touches that.
    pub(super) has_fine_buffers: bool,
    /// All memory has.
    has_all: bool,
}

impl Sharing {
    /// `only_buffers`: whatever else it shares is not used.
    pub(super) fn query(device: &OpenCl, only_buffers: bool) -> Self {
        // A device before OpenCL 2.0 does not know the question.
        let has = device.svm_capabilities().unwrap_or(0);
        Self {
            has_buffers: has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0,
            has_fine_buffers: has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0,
            has_all: has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0 && !only_buffers,
        }
    }
}

/// Returns the compiler's target for a driver that accepts these versions: the newest that the compiler supports,
/// without the features that the device lacks.
pub(super) fn target(versions: &str, limits: &DeviceLimits) -> String {
    let known = (0..=6).rev().find(|minor| {
        let wanted = format!("SPIR-V_1.{minor}");
        versions.split_whitespace().any(|it| it == wanted)
    });
    let mut target = known.map_or("spirv64".to_owned(), |minor| format!("spirv64-v1.{minor}"));
    for (has, suffix) in [(limits.has_fp16, "-nofp16"), (limits.has_fp64, "-nofp64")] {
        if !has {
            target.push_str(suffix);
        }
    }
    if limits.has_clock {
        target.push_str("-clock");
    }
    target
}

/// Asks for all of [`DeviceLimits`].
pub(super) fn query(device: &OpenCl, sharing: &Sharing) -> Result<DeviceLimits, Refused> {
    let sizes = call("clGetDeviceInfo", device.max_work_item_sizes())?;
    let extensions = call("clGetDeviceInfo", device.extensions())?;
    let has = |extension: &str| extensions.split_whitespace().any(|it| it == extension);
    Ok(DeviceLimits {
        items_max: call("clGetDeviceInfo", device.max_work_group_size())? as u64,
        items_max_in: std::array::from_fn(|d| sizes.get(d).map_or(1, |it| *it as u64)),
        groups_max_in: [i32::MAX as u64; 3],
        shared_bytes_max: call("clGetDeviceInfo", device.local_mem_size())?,
        args_bytes_max: call("clGetDeviceInfo", device.max_parameter_size())? as u64,
        memory_bytes: call("clGetDeviceInfo", device.global_mem_size())?,
        subgroup_items: 0,
        compute_units: call("clGetDeviceInfo", device.max_compute_units())?,
        address_bits: call("clGetDeviceInfo", device.address_bits())?,
        has_fp64: has("cl_khr_fp64") || device.double_fp_config().is_ok_and(|it| it != 0),
        has_fp16: has("cl_khr_fp16"),
        has_clock: has("cl_khr_kernel_clock"),
        host_memory: match sharing {
            Sharing { has_all: true, .. } => HostMemoryAccess::All,
            Sharing { has_fine_buffers: true, .. } => HostMemoryAccess::Shared,
            Sharing { .. } => HostMemoryAccess::None,
        },
    })
}
