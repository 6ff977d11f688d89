//! Results of a session in memory, each made once.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The results of one kind by key. A result that several threads want is made by one of them; looking one up never waits.
///
/// ```
/// use kiln_results::Memo;
/// use std::sync::Arc;
/// let memo: Memo<&str, usize> = Memo::default();
/// let made = |it: &str| memo.get_or_make("pi", |_| true, |_| Ok::<_, ()>(Arc::new(it.len())));
/// assert_eq!(made("3.14").unwrap().as_ref(), &4);
/// assert_eq!(made("other").unwrap().as_ref(), &4, "it is not made again");
/// // A result that does not suffice is replaced by one that is made from it.
/// let more = |known: Option<&usize>| Ok::<_, ()>(Arc::new(known.map_or(0, |it| *it) + 5));
/// assert_eq!(memo.get_or_make("pi", |it| *it > 4, more).unwrap().as_ref(), &9);
/// assert_eq!(memo.get(&"pi").as_deref(), Some(&9));
/// ```
#[derive(Debug)]
pub struct Memo<K, V> {
    slots: Mutex<FxHashMap<K, Arc<Slot<V>>>>,
}

/// One result.
#[derive(Debug)]
struct Slot<V> {
    known: Mutex<Option<Arc<V>>>,
    /// Held while it is made.
    making: Mutex<()>,
}

impl<V> Slot<V> {
    fn known(&self) -> Option<Arc<V>> {
        self.known.lock().clone()
    }
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { slots: Mutex::default() }
    }
}

impl<K: Eq + Hash, V> Memo<K, V> {
    fn slot(&self, key: K) -> Arc<Slot<V>> {
        let new = || Arc::new(Slot { known: Mutex::new(None), making: Mutex::new(()) });
        self.slots.lock().entry(key).or_insert_with(new).clone()
    }

    /// Returns the result of a key, if it has been made.
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        self.slots.lock().get(key)?.known()
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
        make: impl FnOnce(Option<&V>) -> Result<Arc<V>, E>,
    ) -> Result<Arc<V>, E> {
        let slot = self.slot(key);
        if let Some(known) = slot.known().filter(|it| is_enough(it)) {
            return Ok(known);
        }
        let _alone = slot.making.lock();
        let known = slot.known();
        if let Some(known) = known.as_ref().filter(|it| is_enough(it)) {
            return Ok(known.clone());
        }
        let made = make(known.as_deref())?;
        *slot.known.lock() = Some(made.clone());
        Ok(made)
    }

    /// Remembers a result in place of one of that key.
    pub fn insert(&self, key: K, value: Arc<V>) {
        *self.slot(key).known.lock() = Some(value);
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
        assert_eq!(memo.get(&7), None);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = |known: Option<&u32>| {
                        assert_eq!(known, None);
                        Ok::<_, ()>(Arc::new(made.fetch_add(1, Ordering::Relaxed) + 40))
                    };
                    assert_eq!(memo.get_or_make(7, |_| true, make).as_deref(), Ok(&40));
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    /// While a result is made again, the one that is there is found without waiting.
    #[test]
    fn looking_up_waits_for_no_one() {
        let memo = Memo::<u32, u32>::default();
        memo.insert(7, Arc::new(1));
        let made = memo.get_or_make(
            7,
            |it| *it > 1,
            |known| {
                assert_eq!((known, memo.get(&7).as_deref()), (Some(&1), Some(&1)));
                Ok::<_, ()>(Arc::new(2))
            },
        );
        assert_eq!(made.as_deref(), Ok(&2));
    }
}
