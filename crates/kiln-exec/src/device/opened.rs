//! The devices of a session: what it asks for, and those it has opened.

use crate::launch_table::DeviceId;
use kiln_launch::{
    CpuDevice, Device, DeviceError, DeviceRuntimePaths, Residency, Stream, open_cuda, open_opencl,
};
use kiln_targets::TargetFacts;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// The device that a session's kernels are to run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first CUDA GPU if there is one, else this machine's processor.
    #[default]
    Auto,
    /// This machine's processor.
    Cpu,
    /// The CUDA GPU of this number.
    Cuda(usize),
    /// The OpenCL device of this number, among those that take SPIR-V and share virtual memory.
    OpenCl(usize),
}

/// A text that names no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDevice(String);

impl std::error::Error for UnknownDevice {}

impl fmt::Display for UnknownDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no device: auto, cpu, cuda, opencl, or with a number: cuda:1", self.0)
    }
}

impl FromStr for DeviceChoice {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let (kind, number) = text.split_once(':').map_or((text, None), |it| (it.0, Some(it.1)));
        let wrong = || UnknownDevice(text.to_owned());
        let at = number.map_or(Ok(0), str::parse).map_err(|_| wrong())?;
        match (kind, number) {
            ("auto", None) => Ok(Self::Auto),
            ("cpu", None) => Ok(Self::Cpu),
            ("cuda", _) => Ok(Self::Cuda(at)),
            ("opencl", _) => Ok(Self::OpenCl(at)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
            Self::OpenCl(number) => write!(f, "opencl:{number}"),
        }
    }
}

/// A device that this session has opened.
#[derive(Debug)]
pub struct OpenDevice {
    /// `None`: the session's owner gave it.
    choice: Option<DeviceChoice>,
    pub(crate) device: Arc<dyn Device>,
    /// The facts about its target.
    pub(crate) facts: TargetFacts,
    pub(crate) residency: Arc<Residency>,
    /// Its streams for the program's, by their numbers.
    pub(crate) streams: Mutex<FxHashMap<u32, Stream>>,
}

impl OpenDevice {
    fn new(
        choice: Option<DeviceChoice>,
        device: Arc<dyn Device>,
        must_mirror: bool,
    ) -> Result<Self, DeviceError> {
        let target = device.target();
        let facts = kiln_targets::lookup(target).ok_or_else(|| {
            let name = device.name();
            DeviceError::NoDevice(format!("{name} runs code for `{target}`, which kiln does not make"))
        })?;
        let residency = Arc::new(Residency::new(device.clone(), must_mirror));
        Ok(Self { choice, device, facts, residency, streams: Mutex::default() })
    }
}

/// Opens what is asked for; `None`: this machine's processor.
fn open(
    choice: DeviceChoice,
    device_runtime: &DeviceRuntimePaths,
) -> Result<Option<Arc<dyn Device>>, DeviceError> {
    match choice {
        DeviceChoice::Cpu | DeviceChoice::Auto => Ok(None),
        DeviceChoice::Cuda(number) => open_cuda(number, device_runtime).map(Some),
        DeviceChoice::OpenCl(number) => open_opencl(number).map(Some),
    }
}

/// The devices that a session has opened.
#[derive(Debug)]
pub struct Devices {
    /// Memory is copied to devices and back, even to those that reach it where it is.
    must_mirror: bool,
    /// Where NVIDIA's device runtime library is looked for.
    device_runtime: DeviceRuntimePaths,
    /// This machine's processor.
    cpu: OnceLock<CpuDevice>,
    /// The others, by number.
    opened: boxcar::Vec<OpenDevice>,
    /// The device of launches that name none.
    default: OnceLock<DeviceId>,
    opening: Mutex<()>,
}

impl Devices {
    /// No device has been opened yet.
    pub(crate) fn new(must_mirror: bool, device_runtime: DeviceRuntimePaths) -> Self {
        let (cpu, default) = (OnceLock::new(), OnceLock::new());
        Self {
            must_mirror,
            device_runtime,
            cpu,
            opened: boxcar::Vec::new(),
            default,
            opening: Mutex::default(),
        }
    }

    /// Returns the device of a choice that names one, opened if it is asked for the first time.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(crate) fn open(&self, choice: DeviceChoice) -> Result<DeviceId, DeviceError> {
        let _alone = self.opening.lock();
        if let Some(known) = self.opened.iter().find(|it| it.1.choice == Some(choice)) {
            return Ok(DeviceId::of_index(known.0));
        }
        match open(choice, &self.device_runtime)? {
            None => Ok(DeviceId::CPU),
            Some(device) => {
                let opened = OpenDevice::new(Some(choice), device, self.must_mirror)?;
                Ok(DeviceId::of_index(self.opened.push(opened)))
            }
        }
    }

    /// Adds a device that kiln has no driver for.
    ///
    /// # Errors
    /// When kiln makes no code for its target.
    pub fn add(&self, device: Arc<dyn Device>) -> Result<DeviceId, DeviceError> {
        let opened = OpenDevice::new(None, device, self.must_mirror)?;
        Ok(DeviceId::of_index(self.opened.push(opened)))
    }

    /// Returns a device other than this machine's processor.
    #[inline]
    pub(crate) fn get(&self, device: DeviceId) -> Option<&OpenDevice> {
        self.opened.get(device.index()?)
    }

    /// Returns the device of launches that name none, chosen at the first call.
    #[inline]
    pub(crate) fn default_or(&self, choose: impl FnOnce() -> DeviceId) -> DeviceId {
        *self.default.get_or_init(choose)
    }

    /// Returns this machine's processor, with so many threads if it is asked for the first time; 0: one a core.
    ///
    /// # Errors
    /// When the system does not say how many cores there are.
    pub(crate) fn cpu(&self, threads: usize) -> Result<&CpuDevice, DeviceError> {
        if let Some(device) = self.cpu.get() {
            return Ok(device);
        }
        let device = CpuDevice::new(threads).map_err(|it| DeviceError::NoDevice(it.to_string()))?;
        Ok(self.cpu.get_or_init(|| device))
    }

    /// Returns how many bytes were copied to devices so far, and from them.
    pub fn copied_bytes(&self) -> [u64; 2] {
        let each = self.opened.iter().map(|it| it.1.residency.copied_bytes());
        each.fold([0, 0], |sum, it| [sum[0] + it[0], sum[1] + it[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shown choices are read again, and names of no device are refused.
    #[test]
    fn choices_are_read_as_they_are_shown() {
        for text in ["auto", "cpu", "cuda:0", "cuda:3", "opencl:0", "opencl:12"] {
            assert_eq!(text.parse::<DeviceChoice>().unwrap().to_string(), text);
        }
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(0)));
        assert_eq!("opencl".parse(), Ok(DeviceChoice::OpenCl(0)));
        for text in ["", "gpu", "cpu:0", "cuda:", "cuda:x", "opencl:-1"] {
            assert!(text.parse::<DeviceChoice>().is_err(), "{text}");
        }
    }
}
