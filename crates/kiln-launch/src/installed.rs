//! The devices that this machine's drivers have.

#[cfg(feature = "cuda")]
use crate::cuda::{CudaDevice, CudaOptions};
use crate::device::{Device, DeviceError};
use crate::device_runtime::DeviceRuntimePaths;
#[cfg(feature = "opencl")]
use crate::opencl::{OpenClDeviceInfo, OpenClOptions};
use std::sync::Arc;

/// A device that a driver has.
#[derive(Debug)]
pub struct Installed {
    /// The interface that it is used through: `CUDA`, `OpenCL`.
    pub interface: &'static str,
    /// The vendor's name of the device.
    pub name: String,
    /// The device, or why it cannot be used.
    pub device: Result<Arc<dyn Device>, DeviceError>,
}

/// Opens every device of every driver that is installed: CUDA's first, each interface's in its driver's order. A driver
/// that does not start is listed as a device that cannot be used.
pub fn installed() -> Vec<Installed> {
    let mut found = of_cuda();
    found.extend(of_opencl());
    found
}

#[cfg(feature = "cuda")]
fn of_cuda() -> Vec<Installed> {
    let interface = "CUDA";
    match CudaDevice::count() {
        Ok(count) => {
            let open = |number| {
                let device = open_cuda(number, &DeviceRuntimePaths::default());
                let name =
                    device.as_ref().map_or_else(|_| format!("GPU {number}"), |it| it.name().to_owned());
                Installed { interface, name, device }
            };
            (0..count).map(open).collect()
        }
        Err(error) => vec![Installed { interface, name: "the driver".to_owned(), device: Err(error) }],
    }
}

#[cfg(feature = "opencl")]
fn of_opencl() -> Vec<Installed> {
    let found = OpenClDeviceInfo::all().into_iter().map(|it| {
        let opened = it.open(OpenClOptions::default());
        let device = opened.map(|it| -> Arc<dyn Device> { Arc::new(it) });
        Installed { interface: "OpenCL", name: it.name(), device }
    });
    found.collect()
}

#[cfg(not(feature = "cuda"))]
fn of_cuda() -> Vec<Installed> {
    Vec::new()
}

#[cfg(not(feature = "opencl"))]
fn of_opencl() -> Vec<Installed> {
    Vec::new()
}

/// Whether there is a CUDA GPU.
pub fn has_cuda_device() -> bool {
    #[cfg(feature = "cuda")]
    let count = CudaDevice::count().unwrap_or(0);
    #[cfg(not(feature = "cuda"))]
    let count = 0;
    count > 0
}

/// Opens the CUDA GPU of this number. Kernels that launch kernels are linked with the library at `device_runtime`.
///
/// # Errors
/// Why it cannot be used.
#[cfg(feature = "cuda")]
pub fn open_cuda(number: usize, device_runtime: &DeviceRuntimePaths) -> Result<Arc<dyn Device>, DeviceError> {
    let options = CudaOptions { device_runtime: device_runtime.clone(), ..CudaOptions::default() };
    Ok(Arc::new(CudaDevice::open(number, options)?))
}

/// Opens the OpenCL device of this number, among those that take SPIR-V and share virtual memory.
///
/// # Errors
/// Why it cannot be used.
#[cfg(feature = "opencl")]
pub fn open_opencl(number: usize) -> Result<Arc<dyn Device>, DeviceError> {
    let found = OpenClDeviceInfo::all();
    let mut opened = found.iter().map(|it| it.open(OpenClOptions::default()));
    let Some(first) = opened.next() else {
        return Err(DeviceError::NoDevice("there is no device with an OpenCL driver".into()));
    };
    // If none can be used, why the first can not.
    let why = first.as_ref().err().cloned();
    let mut usable = std::iter::once(first).chain(opened).filter_map(Result::ok);
    let device = usable.nth(number).ok_or_else(|| match why {
        Some(why) => why,
        None => DeviceError::NoDevice(format!("there is no OpenCL device {number}")),
    })?;
    Ok(Arc::new(device))
}

/// Opens the CUDA GPU of this number.
///
/// # Errors
/// Always: the program was built without the feature `cuda`.
#[cfg(not(feature = "cuda"))]
pub fn open_cuda(_: usize, _: &DeviceRuntimePaths) -> Result<Arc<dyn Device>, DeviceError> {
    Err(DeviceError::NoDevice("this program was built without the feature `cuda`".into()))
}

/// Opens the OpenCL device of this number.
///
/// # Errors
/// Always: the program was built without the feature `opencl`.
#[cfg(not(feature = "opencl"))]
pub fn open_opencl(_: usize) -> Result<Arc<dyn Device>, DeviceError> {
    Err(DeviceError::NoDevice("this program was built without the feature `opencl`".into()))
}
