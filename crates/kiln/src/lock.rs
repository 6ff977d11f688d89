//! The lock of a session: Julia code runs alone, kernels compile and run concurrently.
//!
//! A definition changes compiled code, and a collection frees unreachable objects; both happen only in Julia code
//! called from Rust, which takes the lock exclusively. Compiling and launching share it. A warm resolve takes no
//! lock.

use parking_lot::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct JuliaLock {
    gate: RwLock<()>,
    /// The thread that holds it whole; 0 for none.
    owner: AtomicU64,
}

thread_local! {
    /// Its address names a running thread.
    static HERE: u8 = const { 0 };
}

/// The number of this thread: no other that runs has it, and it is not 0.
fn this_thread() -> u64 {
    HERE.with(|it| std::ptr::from_ref(it).addr() as u64)
}

impl JuliaLock {
    /// Runs `work` while no other thread holds the lock. A thread that has it may take it again.
    pub(crate) fn exclusive<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.is_mine() {
            return work();
        }
        let _gate = self.gate.write();
        let _owner = Owner::enter(&self.owner);
        work()
    }

    /// Runs `work` while no other thread holds the lock whole.
    pub(crate) fn shared<T>(&self, work: impl FnOnce() -> T) -> T {
        if self.is_mine() {
            return work();
        }
        let _gate = self.gate.read_recursive();
        work()
    }

    fn is_mine(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == this_thread()
    }
}

/// The time that a thread holds the lock whole.
struct Owner<'a>(&'a AtomicU64);

impl<'a> Owner<'a> {
    fn enter(owner: &'a AtomicU64) -> Self {
        owner.store(this_thread(), Ordering::Relaxed);
        Self(owner)
    }
}

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// The holder takes it again in either way; others see it free afterwards, also after a panic.
    #[test]
    fn a_thread_may_take_it_again() {
        let lock = JuliaLock::default();
        assert_eq!(lock.exclusive(|| lock.shared(|| lock.exclusive(|| 3))), 3);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lock.exclusive(|| panic!("a bug"));
        }));
        assert!(panicked.is_err());
        std::thread::scope(|scope| _ = scope.spawn(|| lock.exclusive(|| ())));
    }

    /// One thread at a time is inside whole, and none beside it.
    #[test]
    fn it_excludes_other_threads() {
        let (lock, inside) = (JuliaLock::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (lock, inside) = (&lock, &inside);
                scope.spawn(move || {
                    for _ in 0..1000 {
                        if thread < 2 {
                            lock.exclusive(|| {
                                assert_eq!(inside.swap(100, Ordering::SeqCst), 0);
                                inside.store(0, Ordering::SeqCst);
                            });
                        } else {
                            lock.shared(|| {
                                assert!(inside.fetch_add(1, Ordering::SeqCst) < 100);
                                inside.fetch_sub(1, Ordering::SeqCst);
                            });
                        }
                    }
                });
            }
        });
    }
}
