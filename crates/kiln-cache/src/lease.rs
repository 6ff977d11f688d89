//! Leases: the process that makes a result holds one until the result is written, so that others wait for the result instead of making
//! it, too.
//!
//! A lease is the lock of one of [`LEASES`] files, which the keys share. The system releases a lock when its process ends, however that
//! ends. Waiting has a limit: a process that was stopped delays others no longer than that, and what they make meanwhile is as good.
//! On a network file system no lock is trusted, and there are no leases.

use crate::entry::Entry;
use crate::key::Key;
use crate::root::Root;
use crate::store::{Put, Store, accept};
use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::time::{Duration, Instant};

/// The number of files.
const LEASES: usize = 256;
/// The first pause between two looks at a lease that another holds, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(4));

/// The right to make the result of a key. It goes with the result to the thread that writes it.
#[derive(Debug)]
pub struct Lease {
    /// Locked as long as it is open.
    _file: File,
}

impl Lease {
    /// Takes the lease of `key`, for which it waits at most for `most`. Lookups find all that others have written until then: the result may be
    /// there now. `None` if the lease is still held, or if the store has no leases: the result is to be made all the same.
    pub fn take(store: &Store, key: &Key, most: Duration) -> Option<Self> {
        let home = store.inner.home()?;
        let file = open(&home.root, usize::from(key.id().0[0]) % LEASES)?;
        let (started, mut pause) = (Instant::now(), PAUSES.0);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    home.refresh(Duration::ZERO);
                    return Some(Self { _file: file });
                }
                Err(TryLockError::WouldBlock) if started.elapsed() < most => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(PAUSES.1);
                }
                Err(_) => return None,
            }
        }
    }

    /// Stores the result as [`Store::put`] does, and gives the lease up when others can read it.
    pub fn put(self, store: &Store, key: Key, entry: Entry) {
        accept(store, (key, entry), Put::New, Some(self));
    }
}

/// Opens the file of a lease. `None` where locks are not trusted, and where the system refuses.
fn open(root: &Root, number: usize) -> Option<File> {
    if root.network {
        return None;
    }
    let dir = root.leases();
    let path = dir.join(format!("{number:02x}"));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
    match options.open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Another process may make it, too.
            let _ = DirBuilder::new().mode(0o700).create(&dir);
            options.open(&path).ok()
        }
        opened => opened.ok(),
    }
}
