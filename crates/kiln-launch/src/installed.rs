//! The devices that this machine's drivers have.

use crate::cuda::{CudaDevice, CudaOptions};
use crate::device::{Device, DeviceError};
use crate::opencl::{OpenClFound, OpenClOptions};
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
    let mut found = Vec::new();
    let interface = "CUDA";
    match CudaDevice::count() {
        Ok(count) => found.extend((0..count).map(|number| {
            let opened = CudaDevice::open(number, CudaOptions::default());
            let name = opened.as_ref().map_or_else(|_| format!("GPU {number}"), |it| it.name().to_owned());
            Installed { interface, name, device: opened.map(|it| -> Arc<dyn Device> { Arc::new(it) }) }
        })),
        Err(error) => {
            found.push(Installed { interface, name: "the driver".to_owned(), device: Err(error) });
        }
    }
    found.extend(OpenClFound::all().into_iter().map(|it| {
        let opened = it.open(OpenClOptions::default());
        let device = opened.map(|it| -> Arc<dyn Device> { Arc::new(it) });
        Installed { interface: "OpenCL", name: it.name(), device }
    }));
    found
}
