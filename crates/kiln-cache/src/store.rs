//! The store as a compiler uses it: lookups on any thread, puts through one writer thread.

use crate::config::{Config, StoreMode};
use crate::contents::{Contents, StoreHit};
use crate::entry::Entry;
use crate::key::{Key, KeyId};
use crate::lease::Lease;
use crate::level::Level;
use crate::lifetime;
use crate::queue::{Job, Queue};
use crate::record::{Codec, Header, now_seconds};
use crate::root::{OpenError, Root};
use crate::stats::{Counters, Miss, Stats, add};
use crate::touch::Touches;
use crate::writer::Writer;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A store of results on disk, shared by any number of processes. See the [crate documentation](crate).
///
/// Dropping it writes pending puts, for at most [`Config::exit_wait`].
pub struct Store {
    pub(crate) inner: Arc<Inner>,
    writer: Mutex<Option<JoinHandle<()>>>,
    closed: AtomicBool,
}

/// The state that lookups, the writer thread and the operations of [`inspect`](crate::inspect) share.
pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) contents: Contents,
    /// Whether the first level may be written.
    pub(crate) writable: bool,
    pub(crate) writes_off: AtomicBool,
    pub(crate) counters: Counters,
    pub(crate) queue: Queue,
    /// Accepted and not written yet.
    pub(crate) pending: RwLock<FxHashMap<KeyId, Arc<Entry>>>,
    pub(crate) touches: Touches,
}

impl Store {
    /// Opens the store of `config`. Reads no segment and no index: the first lookup finds the contents.
    pub fn open(config: Config) -> Result<Store, OpenError> {
        let (mut levels, counters) = (Vec::new(), Counters::default());
        let root = Root::open(&config)?;
        let writable = root.as_ref().is_some_and(|it| it.writable) && config.mode.writes();
        levels.extend(root.map(Level::new));
        if config.mode != StoreMode::Off {
            for path in &config.overlays {
                match Root::overlay(path) {
                    Ok(root) => levels.extend(root.map(Level::new)),
                    // The other levels are as good without it.
                    Err(why) => counters.problem(why.to_string()),
                }
            }
        }
        let (codec, refresh_every) = (Codec::new(config.compression), config.refresh_every);
        let inner = Inner {
            contents: Contents { levels, codec, refresh_every },
            writable,
            writes_off: AtomicBool::new(false),
            counters,
            queue: Queue::default(),
            pending: RwLock::default(),
            touches: Touches::default(),
            config,
        };
        if inner.config.mode.writes() && !writable {
            inner.counters.problem(format!("{} cannot be written", inner.config.root.display()));
        }
        Ok(Store { inner: Arc::new(inner), writer: Mutex::new(None), closed: AtomicBool::new(false) })
    }

    /// Returns the entry under `key`, checked; `None`, with a reason counted, if there is no usable one. Takes no lock that
    /// another process can hold.
    pub fn get(&self, key: &Key) -> Option<Entry> {
        self.look_up(key).ok()
    }

    /// As [`get`](Store::get), with the reason of a miss.
    ///
    /// # Errors
    /// The reason of the miss.
    pub fn look_up(&self, key: &Key) -> Result<Entry, Miss> {
        let started = Instant::now();
        let found = self.found(key);
        let counters = &self.inner.counters;
        match &found {
            Ok(entry) => counters.hit(key.class(), entry.payload.len(), entry.cost, started.elapsed()),
            Err(reason) => counters.miss(key.class(), *reason, started.elapsed()),
        }
        found
    }

    /// Returns the entry under `key`, from the directories or from the upstream.
    fn found(&self, key: &Key) -> Result<Entry, Miss> {
        let entry = self.peek(key).or_else(|why| from_upstream(self, key).ok_or(why))?;
        if let Some(upstream) = &self.inner.config.upstream {
            upstream.used(key.id());
        }
        Ok(entry)
    }

    /// As [`get`](Store::get), for a second key of a result whose first key missed: a second miss is not counted.
    pub fn get_by_other_key(&self, key: &Key) -> Option<Entry> {
        let started = Instant::now();
        let entry = self.found(key).ok()?;
        self.inner.counters.hit(key.class(), entry.payload.len(), entry.cost, started.elapsed());
        Some(entry)
    }

    /// Returns the entry under `key` in the directories, or the reason of the miss. Counts neither as a hit nor as a miss.
    ///
    /// # Errors
    /// The reason of the miss.
    pub fn peek(&self, key: &Key) -> Result<Entry, Miss> {
        if self.inner.config.mode.looks_up() { self.inner.lookup(&key.id()) } else { Err(Miss::Mode) }
    }

    /// Whether new results are compared with the stored ones ([`StoreMode::Verify`]).
    pub fn verifies(&self) -> bool {
        self.inner.config.mode == StoreMode::Verify
    }

    /// Returns the entry under `key` for a comparison with a new result: in the mode that verifies, and only there.
    pub fn to_verify(&self, key: &Key) -> Option<Entry> {
        self.verifies().then(|| self.inner.lookup(&key.id()).ok()).flatten()
    }

    /// Queues `entry` for `key`; another thread writes it. The entry is dropped, and counted, when the queue is full
    /// or writing has failed. If its payload is already stored, only the key is added.
    pub fn put(&self, key: Key, entry: Entry) {
        accept(self, (key, entry), Put::New, None);
    }

    /// Stores `entry` as [`put`](Store::put) does, also over a different one: for keys that do not list all
    /// dependencies of a result, so that the result may change.
    pub fn replace(&self, key: Key, entry: Entry) {
        accept(self, (key, entry), Put::Replacement, None);
    }

    /// Waits until all puts so far are written, at most for `timeout`. Returns whether they are: then only power loss
    /// can lose them.
    pub fn flush(&self, timeout: Duration) -> bool {
        self.inner.queue.wait_empty(timeout) && !self.inner.writes_off.load(Ordering::Relaxed)
    }

    /// Returns the counts of this store since it was opened.
    pub fn stats(&self) -> Stats {
        let mut stats = self.inner.counters.snapshot();
        stats.upstream = self.inner.config.upstream.as_ref().map(|it| it.stats());
        stats.problems.extend(stats.upstream.iter().filter_map(|it| it.problem.clone()));
        stats
    }

    /// Closes the store: writes pending puts, for at most the configured time, and adds the session's counts to the
    /// totals. Lookups still work; later puts are dropped.
    pub fn close(&self) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(writer) = self.writer.lock().take() {
            // What is not written in time is lost, and will be made again; the thread ends with the process.
            if self.inner.queue.close(self.inner.config.exit_wait) {
                let _ = writer.join();
            }
        }
        self.inner.flush_touches();
        if let Some(upstream) = &self.inner.config.upstream {
            upstream.close();
        }
        if let Some(level) = self.inner.home() {
            lifetime::append(&level.root, &self.stats());
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

/// The origin of an entry that is put, and what becomes of one that is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    /// Made here; it stays out if there is one.
    New,
    /// Made here; it replaces another.
    Replacement,
    /// A copy of an entry of the upstream.
    Copy,
}

/// Asks the upstream for a key that is not in the directories, and keeps a copy of its entry.
fn from_upstream(store: &Store, key: &Key) -> Option<Entry> {
    let config = &store.inner.config;
    let upstream = config.upstream.as_ref().filter(|_| config.mode.looks_up())?;
    let entry = upstream.fetch(key)?;
    if store.inner.writable {
        accept(store, (key.clone(), entry.clone()), Put::Copy, None);
    }
    Some(entry)
}

/// Queues an entry, and starts the thread that writes it if there is none.
pub(crate) fn accept(store: &Store, (key, entry): (Key, Entry), put: Put, lease: Option<Lease>) {
    let replaces = put == Put::Replacement;
    let inner = &store.inner;
    let counters = &inner.counters;
    if !inner.writable || inner.writes_off.load(Ordering::Relaxed) {
        return add(&counters.puts_dropped, 1);
    }
    let (id, bytes) = (key.id(), entry.payload.len() + 512);
    let entry = Arc::new(entry);
    if inner.pending.write().insert(id, entry.clone()).is_some() && !replaces {
        return add(&counters.puts_present, 1);
    }
    if !inner.queue.push(Job { key, entry, replaces, lease }, bytes, inner.config.queue_bytes_max) {
        inner.pending.write().remove(&id);
        return add(&counters.puts_dropped, 1);
    }
    add(&counters.puts, 1);
    if let Some(upstream) = inner.config.upstream.as_ref().filter(|_| put != Put::Copy) {
        upstream.made(id);
    }
    start_writer(&store.writer, inner);
}

fn start_writer(writer: &Mutex<Option<JoinHandle<()>>>, inner: &Arc<Inner>) {
    let mut writer = writer.lock();
    if writer.is_some() {
        return;
    }
    let for_thread = inner.clone();
    let spawned = std::thread::Builder::new()
        .name("kiln-cache".to_owned())
        .spawn(move || Writer::new(for_thread).run());
    match spawned {
        Ok(handle) => *writer = Some(handle),
        Err(error) => inner.stop_writes(format!("no thread to write with: {error}")),
    }
}

impl Inner {
    /// The root that may be written.
    pub(crate) fn home(&self) -> Option<&Level> {
        if self.writable { self.contents.levels.first() } else { None }
    }

    /// Returns the entry of `key`, or the reason of the miss.
    pub(crate) fn lookup(&self, key: &KeyId) -> Result<Entry, Miss> {
        if let Some(entry) = self.pending.read().get(key) {
            return Ok(Entry::clone(entry));
        }
        self.contents.with_refresh(|| self.find(key))
    }

    /// The entry of `key` as it is on disk; notes that it was used.
    pub(crate) fn find(&self, key: &KeyId) -> Result<Entry, Miss> {
        let StoreHit { level, header, payload } = self.contents.find(key)?;
        if level == 0 && self.writable {
            self.touch(&header);
        }
        Ok(Entry { payload, content: header.content, cost: header.cost })
    }

    fn touch(&self, header: &Header) {
        let now = now_seconds();
        if u64::from(now.saturating_sub(header.time)) < self.config.touch_after.as_secs() {
            return;
        }
        let full = self.touches.add(header.kind, &header.key, &header.content, now);
        if full {
            self.flush_touches();
        }
    }

    fn flush_touches(&self) {
        if let Some(level) = self.home() {
            self.touches.flush(&level.root.touches());
        }
    }

    /// Turns writing off for the rest of the session, and warns once with the reason.
    pub(crate) fn stop_writes(&self, why: String) {
        self.writes_off.store(true, Ordering::Relaxed);
        add(&self.counters.write_errors, 1);
        self.counters.problem(why);
        let dropped = self.queue.discard();
        add(&self.counters.puts_dropped, dropped);
        self.pending.write().clear();
    }
}
