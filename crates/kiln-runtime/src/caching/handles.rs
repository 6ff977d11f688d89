//! Handles: what devices of this process made of an artifact.

use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A list of devices and what each made of the same artifact. There is mostly one; it is found by looking through.
///
/// It belongs to the process: it is never written anywhere, and a result that comes from an image begins without.
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

    /// Returns the handle of `device` for `artifact`, made by `link(device, artifact)` if there is none yet. Threads that ask
    /// for one device wait for each other; those that ask for different ones do not.
    ///
    /// # Errors
    /// Those of `link`; the next one tries again.
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

    /// Forgets what `device` made: it was reset, or is gone.
    pub fn forget(&self, device: &D) {
        self.all.write().retain(|it| it.device != *device);
    }

    /// How many devices have made something.
    pub fn len(&self) -> usize {
        self.all.read().iter().filter(|it| it.handle.get().is_some()).count()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
