//! The loaded kernels of one artifact.

use crate::artifact::DeviceArtifact;
use crate::device::{Device, DeviceError, DeviceKernel};
use parking_lot::Mutex;
use std::sync::Arc;

/// One artifact's kernel on each device it was asked for on. Most artifacts have one; a list is all it takes.
#[derive(Debug, Default)]
pub struct LoadedKernels {
    loaded: Mutex<Vec<Handle>>,
}

#[derive(Debug)]
struct Handle {
    device: Arc<dyn Device>,
    kernel: Arc<dyn DeviceKernel>,
}

impl LoadedKernels {
    /// Returns the kernel of `artifact` on `device`, loading it on first use; other callers wait meanwhile.
    ///
    /// # Errors
    /// Those of loading. Nothing is stored then.
    pub fn get(
        &self,
        device: &Arc<dyn Device>,
        artifact: &DeviceArtifact,
    ) -> Result<Arc<dyn DeviceKernel>, DeviceError> {
        let mut loaded = self.loaded.lock();
        if let Some(found) = loaded.iter().find(|it| Arc::ptr_eq(&it.device, device)) {
            return Ok(Arc::clone(&found.kernel));
        }
        let kernel = device.load(artifact)?;
        loaded.push(Handle { device: Arc::clone(device), kernel: Arc::clone(&kernel) });
        Ok(kernel)
    }

    /// Returns the number of devices with a loaded kernel.
    pub fn len(&self) -> usize {
        self.loaded.lock().len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
