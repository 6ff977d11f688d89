//! Handles: an artifact as loaded by each device of this process.

use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A list of devices with the handle of one artifact on each. It is searched linearly: most artifacts have one
/// device.
///
/// It belongs to the process: it is never serialized, and a result from an image starts without handles.
pub struct Handles<D, H> {
    all: RwLock<Vec<Arc<Slot<D, H>>>>,
}

struct Slot<D, H> {
    device: D,
    handle: OnceLock<Arc<H>>,
    /// Held by the thread that links.
    linking: Mutex<()>,
}

impl<D, H> Default for Handles<D, H> {
    fn default() -> Self {
        Self { all: RwLock::default() }
    }
}

impl<D, H> fmt::Debug for Handles<D, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handles({})", self.all.read().len())
    }
}

impl<D: PartialEq + Clone, H> Handles<D, H> {
    /// Returns the handle of `device`, if there is one.
    pub fn get(&self, device: &D) -> Option<Arc<H>> {
        let all = self.all.read();
        all.iter().find(|it| it.device == *device)?.handle.get().cloned()
    }

    /// Returns the handle of `device` for `artifact`, calling `link(device, artifact)` on first use. Threads that ask
    /// for the same device wait for each other; threads that ask for different devices do not.
    ///
    /// # Errors
    /// Those of `link`; the next call tries again.
    pub fn get_or_link<A: ?Sized, E>(
        &self,
        device: &D,
        artifact: &A,
        link: impl FnOnce(&D, &A) -> Result<H, E>,
    ) -> Result<Arc<H>, E> {
        if let Some(handle) = self.get(device) {
            return Ok(handle);
        }
        let slot = self.slot(device);
        let _linking = slot.linking.lock();
        if let Some(handle) = slot.handle.get() {
            return Ok(handle.clone());
        }
        let handle = Arc::new(link(&slot.device, artifact)?);
        Ok(slot.handle.get_or_init(|| handle).clone())
    }

    fn slot(&self, device: &D) -> Arc<Slot<D, H>> {
        let mut all = self.all.write();
        if let Some(found) = all.iter().find(|it| it.device == *device) {
            return found.clone();
        }
        let slot = Slot { device: device.clone(), handle: OnceLock::new(), linking: Mutex::new(()) };
        all.push(Arc::new(slot));
        all[all.len() - 1].clone()
    }

    /// Removes the handle of `device`, after a reset or when the device is gone.
    pub fn forget(&self, device: &D) {
        self.all.write().retain(|it| it.device != *device);
    }

    /// Returns the number of devices with a handle.
    pub fn len(&self) -> usize {
        self.all.read().iter().filter(|it| it.handle.get().is_some()).count()
    }

    /// Whether no device has a handle.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
