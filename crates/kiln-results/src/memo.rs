//! Results of a session in memory, each made once.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The results of one kind by key. A result that several threads want is made by one of them.
///
/// ```
/// use kiln_results::Memo;
/// let memo: Memo<&str, usize> = Memo::default();
/// let made = |it: &str| memo.get_or_make("pi", |_| true, |_| Ok::<_, ()>(it.len()));
/// assert_eq!(made("3.14").unwrap().as_ref(), &4);
/// assert_eq!(made("other").unwrap().as_ref(), &4, "it is not made again");
/// // A result that lacks what is asked for now is made again, with what is there of it, and takes its place.
/// let more = memo.get_or_make("pi", |it| *it > 4, |known| Ok::<_, ()>(known.map_or(0, |it| *it) + 5));
/// assert_eq!(more.unwrap().as_ref(), &9);
/// ```
#[derive(Debug)]
pub struct Memo<K, V> {
    slots: Mutex<FxHashMap<K, Arc<Slot<V>>>>,
}

/// One result: locked while it is made.
#[derive(Debug)]
struct Slot<V>(Mutex<Option<Arc<V>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { slots: Mutex::default() }
    }
}

impl<K: Eq + Hash, V> Memo<K, V> {
    fn slot(&self, key: K) -> Arc<Slot<V>> {
        self.slots.lock().entry(key).or_insert_with(|| Arc::new(Slot(Mutex::new(None)))).clone()
    }

    /// Returns the result of a key, calling `make` unless it exists and `is_enough` accepts it. `make` receives the
    /// rejected result. Threads that ask for the same key wait meanwhile; `make` must not ask for that key.
    ///
    /// # Errors
    /// Those of `make`. An earlier result stays then.
    pub fn get_or_make<E>(
        &self,
        key: K,
        is_enough: impl Fn(&V) -> bool,
        make: impl FnOnce(Option<&V>) -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let slot = self.slot(key);
        let mut known = slot.0.lock();
        if let Some(found) = known.as_ref().filter(|it| is_enough(it)) {
            return Ok(found.clone());
        }
        let made = Arc::new(make(known.as_deref())?);
        *known = Some(made.clone());
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Threads that want one result at the same time get one object, made once; an error leaves nothing behind.
    #[test]
    fn one_thread_makes_it() {
        let (memo, made) = (Memo::<u32, u32>::default(), AtomicU32::new(0));
        assert_eq!(memo.get_or_make(7, |_| true, |_| Err(())), Err(()));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = |known: Option<&u32>| {
                        assert_eq!(known, None);
                        Ok::<_, ()>(made.fetch_add(1, Ordering::Relaxed) + 40)
                    };
                    assert_eq!(memo.get_or_make(7, |_| true, make).as_deref(), Ok(&40));
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }
}
