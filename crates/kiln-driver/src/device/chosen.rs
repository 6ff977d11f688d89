//! Which device kernels run on: what a session asks for, and the devices it has opened.

use crate::kernel_host::Driver;
use crate::launch_table::{ConfigId, DeviceId};
use kiln_launch::{Device, DeviceError, Residency, Stream, open_cuda, open_opencl};
use kiln_runtime::{KernelDevice, Runtime};
use kiln_targets::{Items, TargetFacts};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

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

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, number) = text.split_once(':').map_or((text, None), |it| (it.0, Some(it.1)));
        let wrong = || format!("`{text}` is no device: auto, cpu, cuda, opencl, or with a number: cuda:1");
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
pub(crate) struct OpenDevice {
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
    fn new(choice: Option<DeviceChoice>, device: Arc<dyn Device>, must_mirror: bool) -> Result<Self, String> {
        let target = device.target();
        let facts = kiln_targets::lookup(target)
            .ok_or_else(|| format!("{} runs code for `{target}`, which kiln does not make", device.name()))?;
        let residency = Arc::new(Residency::new(device.clone(), must_mirror));
        Ok(Self { choice, device, facts, residency, streams: Mutex::default() })
    }
}

/// Opens what is asked for; `None`: this machine's processor.
fn open(choice: DeviceChoice) -> Result<Option<Arc<dyn Device>>, DeviceError> {
    match choice {
        DeviceChoice::Cpu | DeviceChoice::Auto => Ok(None),
        DeviceChoice::Cuda(number) => open_cuda(number).map(Some),
        DeviceChoice::OpenCl(number) => open_opencl(number).map(Some),
    }
}

impl Driver {
    /// The device of a choice, opened if it is asked for the first time.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open_device(&self, choice: DeviceChoice) -> Result<DeviceId, String> {
        if choice == DeviceChoice::Auto {
            return Ok(self.default_device());
        }
        let _alone = self.configuring.lock();
        if let Some(known) = self.devices.iter().find(|it| it.1.choice == Some(choice)) {
            return Ok(DeviceId::of_index(known.0));
        }
        match open(choice).map_err(|it| it.to_string())? {
            None => Ok(DeviceId::CPU),
            Some(device) => {
                let opened = OpenDevice::new(Some(choice), device, self.copies_arrays())?;
                Ok(DeviceId::of_index(self.devices.push(opened)))
            }
        }
    }

    /// Adds a device that kiln has no driver for.
    ///
    /// # Errors
    /// When kiln makes no code for its target.
    pub fn add_device(&self, device: Arc<dyn Device>) -> Result<DeviceId, String> {
        let opened = OpenDevice::new(None, device, self.copies_arrays())?;
        Ok(DeviceId::of_index(self.devices.push(opened)))
    }

    /// Returns the default device as programs may ask about it.
    pub(crate) fn device_facts(&self) -> Result<KernelDevice, String> {
        let Some(open) = self.opened_device(self.default_device()) else {
            return Ok(KernelDevice {
                name: "CPU".into(),
                target: self.facts().name.clone(),
                items_max: 1024,
                compute_units: self.device()?.workers(),
                shared_bytes: 48 << 10,
                memory_bytes: 0,
                subgroup_items: 32,
            });
        };
        let limits = open.device.limits();
        Ok(KernelDevice {
            name: open.device.name().to_owned(),
            target: open.device.target().to_owned(),
            items_max: limits.items_max,
            compute_units: limits.compute_units.into(),
            shared_bytes: limits.shared_bytes_max,
            memory_bytes: limits.memory_bytes,
            subgroup_items: limits.subgroup_items.into(),
        })
    }

    /// The device that kernels run on of which nothing else is said.
    #[inline]
    pub fn default_device(&self) -> DeviceId {
        *self.default_device.get_or_init(|| self.choose_device())
    }

    fn choose_device(&self) -> DeviceId {
        let choice = match self.device_choice() {
            DeviceChoice::Auto if kiln_launch::has_cuda_device() => DeviceChoice::Cuda(0),
            DeviceChoice::Auto => return DeviceId::CPU,
            choice @ (DeviceChoice::Cpu | DeviceChoice::Cuda(_) | DeviceChoice::OpenCl(_)) => choice,
        };
        self.open_device(choice).unwrap_or_else(|why| {
            self.compiler.warn(&format!("kernels run on this machine's processor: {why}"));
            DeviceId::CPU
        })
    }

    /// Returns a device's name, and the target it runs code of.
    pub fn device_name(&self, device: DeviceId) -> (String, String) {
        match self.opened_device(device) {
            Some(it) => (it.device.name().to_owned(), it.facts.name.clone()),
            None => ("this machine's processor".to_owned(), self.facts().name.clone()),
        }
    }

    /// A device other than this machine's processor.
    pub(crate) fn opened_device(&self, device: DeviceId) -> Option<&OpenDevice> {
        self.devices.get(device.index()?)
    }

    /// How what is configured so is compiled for the device it runs on, and that device: the one that is asked for, unless
    /// the configuration names a target of processors. Allocates nothing for a configuration that has been seen.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn config_on(
        &self,
        rt: &Runtime,
        config: ConfigId,
        device: DeviceId,
    ) -> Result<(ConfigId, DeviceId), String> {
        let Some(open) = self.opened_device(device) else { return Ok((config, DeviceId::CPU)) };
        if self.config(config).options.target.is_some() {
            let is_cpu = self.config_view(rt, config).unit.facts.items == Items::Loops;
            return Ok((config, if is_cpu { DeviceId::CPU } else { device }));
        }
        let known = &self.configs[config.0 as usize].on_devices;
        if let Some((_, (_, found))) = known.iter().find(|it| it.1.0 == device) {
            return Ok((*found, device));
        }
        let made = self.config_unless_told(rt, config, &self.target_on(open))?;
        known.push((device, made));
        Ok((made, device))
    }

    /// Returns the target to compile for on a device: its own, or, if an image has no code for that, the image's target that fits
    /// best.
    fn target_on(&self, open: &OpenDevice) -> TargetFacts {
        let imaged = self.compiler.images.devices.read().clone();
        let ranked = imaged.iter().filter_map(|it| Some((kiln_targets::fit(it, &open.facts)?, it)));
        let best = ranked.max_by_key(|it| it.0).map(|it| it.1.clone());
        best.unwrap_or_else(|| open.facts.clone())
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
