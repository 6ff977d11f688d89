//! Values that Rust code holds: roots of collections.
//!
//! A [`Rooted`] keeps its value, and everything reachable from it, alive until it is dropped. The next collection
//! frees everything that no root, binding or constant reaches.

use crate::heap::Value;
use parking_lot::Mutex;
use std::sync::Arc;

/// The values that Rust code holds in one session.
#[derive(Debug, Default)]
pub struct Roots {
    slots: Mutex<Slots>,
}

/// The roots by number.
#[derive(Debug, Default)]
struct Slots {
    values: Vec<Option<Value>>,
    free: Vec<usize>,
}

impl Roots {
    /// Keeps a value, which is live now.
    pub fn hold(self: &Arc<Self>, value: Value) -> Rooted {
        let slot = self.slots.lock().insert(value);
        Rooted { roots: self.clone(), slot, value }
    }

    /// All values that are held.
    pub(crate) fn values(&self) -> Vec<Value> {
        self.slots.lock().values.iter().copied().flatten().collect()
    }
}

impl Slots {
    fn insert(&mut self, value: Value) -> usize {
        if let Some(slot) = self.free.pop() {
            self.values[slot] = Some(value);
            return slot;
        }
        self.values.push(Some(value));
        self.values.len() - 1
    }
}

/// A value that is not freed as long as this lives.
#[derive(Debug)]
pub struct Rooted {
    roots: Arc<Roots>,
    slot: usize,
    value: Value,
}

impl Rooted {
    /// The value: to be used while this lives.
    #[inline]
    pub fn value(&self) -> Value {
        self.value
    }
}

impl Clone for Rooted {
    fn clone(&self) -> Self {
        self.roots.hold(self.value)
    }
}

impl Drop for Rooted {
    fn drop(&mut self) {
        let mut slots = self.roots.slots.lock();
        slots.values[self.slot] = None;
        slots.free.push(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use crate::heap::allocation;
    use crate::heap::arrays;
    use crate::heap::text;
    use crate::testing::session;

    /// A value is kept by each of its holders, and freed after the last.
    #[test]
    fn a_value_lives_as_long_as_a_holder() {
        let rt = session();
        let held = rt.roots.hold(arrays::any_vector(&rt.heap, &[text::string(&rt.heap, "kept")]));
        let other = held.clone();
        drop(held);
        rt.collect();
        let kept = arrays::get(&rt.heap, other.value(), 0).unwrap();
        assert_eq!(text::read(&rt.heap, kept).as_deref(), Some("kept"));
        let live = allocation::stats(&rt.heap).live_bytes;
        drop(other);
        rt.collect();
        assert!(allocation::stats(&rt.heap).live_bytes < live);
        assert!(rt.roots.values().is_empty());
    }
}
