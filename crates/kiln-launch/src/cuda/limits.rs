//! The limits of a device, as its driver reports them.

use super::ffi::{Context, Refused};
use crate::device::{DeviceLimits, HostMemoryAccess};
use cudarc::driver::sys::CUdevice_attribute as A;

/// Bytes of arguments that every device takes.
const ARGS_BYTES: u64 = 4 << 10;

/// Asks for all of [`DeviceLimits`]; and the device's architecture, `sm_90`.
pub(super) fn query(context: &Context) -> Result<(DeviceLimits, String), Refused> {
    let get = |what| context.attribute(what);
    let has = |what| context.attribute(what).map(|it| it != 0);
    let (major, minor) = (
        get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let host_memory = if has(A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? {
        HostMemoryAccess::All
    } else if has(A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)? {
        HostMemoryAccess::Shared
    } else {
        HostMemoryAccess::None
    };
    let limits = DeviceLimits {
        items_max: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        items_max_in: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        groups_max_in: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        shared_bytes_max: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        args_bytes_max: ARGS_BYTES,
        memory_bytes: context.memory_bytes()?,
        subgroup_items: get(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)? as u32,
        compute_units: get(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
        address_bits: 64,
        has_fp64: true,
        has_fp16: (major, minor) >= (5, 3),
        has_clock: true,
        host_memory,
    };
    Ok((limits, format!("sm_{major}{minor}")))
}
