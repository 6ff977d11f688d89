//! The devices that this machine's drivers have, for those who ask.

use kiln_launch::DeviceError;

/// A device that a driver has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDevice {
    /// The vendor's name of the device.
    pub name: String,
    /// The interface that it is used through: `CUDA`, `OpenCL`.
    pub interface: &'static str,
    /// The target that it runs code of, or why it cannot be used.
    pub target: Result<String, DeviceError>,
}

/// Opens all of them to ask.
pub fn devices() -> Vec<FoundDevice> {
    let found = kiln_launch::installed().into_iter().map(|it| FoundDevice {
        name: it.name,
        interface: it.interface,
        target: it.device.map(|it| it.target().to_owned()),
    });
    found.collect()
}
