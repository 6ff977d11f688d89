//! The writer thread of a store: appends records to a segment of its own and publishes tables of them.
//!
//! # Invariants
//! * A segment has one writer at a time: the holder of its `flock`. The system releases the lock when the process
//!   ends.
//! * Bytes before the end of the last valid record never change. The next writer that adopts the segment truncates
//!   the remains of a dead one.
//! * A put is acknowledged when `pwrite` has returned, so a killed process loses nothing acknowledged.
//! * A complete segment is made read-only before its table is published.
//! * On a network file system no lock is trusted: nothing is adopted, every writer has its own segment.

use crate::config::StoreMode;
use crate::entry::Entry;
use crate::key::{Key, KeyId};
use crate::level::Level;
use crate::live::{Batch, Live};
use crate::maintain::{evict_to_cap, maintain, merge_at_exit};
use crate::queue::{Job, Next};
use crate::record::{Draft, Header, RecordKind, now_seconds};
use crate::segment::Name;
use crate::stats::add;
use crate::store::Inner;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Records are gathered to about this many bytes before they are written.
const BATCH_BYTES: u64 = 256 << 10;
/// The shortest interval between maintenance runs in pauses.
const MAINTAIN_EVERY: Duration = Duration::from_secs(5);
/// The time after which the end of a session starts no further eviction.
const EVICT_AT_EXIT: Duration = Duration::from_millis(20);
/// A payload this short is stored under each of its keys.
const SHARED_BYTES_MIN: usize = 256;

/// Appends to one segment after another.
pub(crate) struct Writer {
    pub(crate) inner: Arc<Inner>,
    live: Option<Live>,
    batch: Batch,
    /// The keys of the puts in the batch.
    staged: Vec<KeyId>,
    pub(crate) evicting: bool,
    /// A segment was filled.
    has_filled: bool,
}

/// Tells all waiting threads that the writer has ended, whatever ended it.
struct Stopped(Arc<Inner>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.queue.stopped();
    }
}

impl Writer {
    pub(crate) fn new(inner: Arc<Inner>) -> Writer {
        for level in &inner.contents.levels {
            level.view();
        }
        Writer {
            inner,
            live: None,
            batch: Batch::default(),
            staged: Vec::new(),
            evicting: false,
            has_filled: false,
        }
    }

    /// Writes queued entries until the store is dropped.
    pub(crate) fn run(mut self) {
        let _stopped = Stopped(self.inner.clone());
        let mut maintained: Option<Instant> = None;
        loop {
            let due = maintained.is_none_or(|it| it.elapsed() > MAINTAIN_EVERY);
            match self.inner.queue.next(due) {
                Next::Write(jobs) => self.write(jobs),
                Next::Idle => {
                    let inner = self.inner.clone();
                    maintain(&mut self, &|| inner.queue.is_urgent());
                    maintained = Some(Instant::now());
                }
                Next::Stop => break,
            }
        }
        self.finish();
    }

    /// Publishes the written entries and releases the segment. Processes that are too short-lived to pause enforce
    /// the cap here: one segment is evicted for the one that was filled, and more if that is quick.
    pub(crate) fn finish(&mut self) {
        self.commit();
        if self.live.is_some() || self.has_filled {
            let (started, is_first) = (Instant::now(), Cell::new(true));
            evict_to_cap(self, &|| !is_first.replace(false) && started.elapsed() > EVICT_AT_EXIT);
            self.commit();
        }
        if self.release(false) {
            merge_at_exit(self);
        }
    }

    /// The name of the segment being written.
    pub(crate) fn live_name(&self) -> Option<Name> {
        self.live.as_ref().map(|it| it.segment().name)
    }

    fn write(&mut self, jobs: Vec<Job>) {
        let mut leases = Vec::new();
        for mut job in jobs {
            leases.extend(job.lease.take());
            if self.inner.writes_off.load(Ordering::Relaxed) {
                add(&self.inner.counters.puts_dropped, 1);
                continue;
            }
            if is_wanted(&self.inner, &job) {
                self.stage(&job.key, &job.entry);
            } else {
                // What is already there serves from now on.
                self.inner.pending.write().remove(&job.key.id());
            }
        }
        self.commit();
        // Others can read what was made under them.
        drop(leases);
    }

    /// Gathers the records of one put.
    fn stage(&mut self, key: &Key, entry: &Entry) {
        if self.open_live().is_none() {
            add(&self.inner.counters.puts_dropped, 1);
            self.inner.pending.write().remove(&key.id());
            return;
        }
        self.stage_lists(key);
        let content = entry.content;
        // What is listed may be damaged: it is read before a key is made to depend on it.
        let shared = entry.payload.len() >= SHARED_BYTES_MIN
            && (self.batch.has_content(&content) || self.inner.contents.by_content(&content).is_ok());
        if shared {
            add(&self.inner.counters.puts_shared, 1);
        }
        let (kind, payload) =
            if shared { (RecordKind::Alias, &[][..]) } else { (RecordKind::Entry, entry.payload.as_slice()) };
        let draft = Draft { kind, key, payload, content, cost: entry.cost, time: now_seconds() };
        self.append(&draft);
        self.staged.push(key.id());
        self.batch.note_content(content);
        self.commit_if_full();
    }

    /// Gathers the lists of nested keys that this segment does not have yet.
    fn stage_lists(&mut self, key: &Key) {
        for nested in key.nested() {
            let id = nested.id();
            if self.batch.has_list(&id) || self.live_has_list(&id) {
                continue;
            }
            self.batch.note_list(id);
            self.stage_lists(nested);
            let content = crate::key::ContentHash::of(&[]);
            let (cost, time) = (Duration::ZERO, now_seconds());
            self.append(&Draft { kind: RecordKind::List, key: nested, payload: &[], content, cost, time });
        }
    }

    /// The segment being written has the list of this key.
    pub(crate) fn live_has_list(&mut self, id: &KeyId) -> bool {
        let (Some(live), Some(level)) = (&mut self.live, self.inner.home()) else { return false };
        live.has_list(level, id)
    }

    fn append(&mut self, draft: &Draft<'_>) {
        let Some(live) = &self.live else { return };
        if !self.batch.append(&self.inner.contents.codec, live, draft) {
            // Larger than the format allows.
            add(&self.inner.counters.puts_dropped, 1);
        }
    }

    /// Gathers a record of another segment, checked by the caller, as if written at `time`.
    pub(crate) fn stage_copy(&mut self, header: &Header, record: &[u8], time: u32) -> bool {
        if self.open_live().is_none() {
            return false;
        }
        if let Some(live) = &self.live {
            self.batch.append_copy(live, (header, record), time);
        }
        self.commit_if_full();
        true
    }

    fn commit_if_full(&mut self) {
        let end = self.live.as_ref().map_or(0, Live::end) + self.batch.bytes();
        let rotate = end >= self.inner.home().map_or(0, Level::segment_bytes_max);
        if rotate || self.batch.bytes() >= BATCH_BYTES {
            self.commit();
        }
        if rotate {
            self.release(true);
            self.has_filled = true;
            // Writing does not outrun eviction: what a full segment adds, another gives back before the next begins.
            let closing = self.inner.clone();
            evict_to_cap(self, &|| closing.queue.is_closing());
        }
    }

    /// Writes the collected entries. Returns whether everything is written.
    pub(crate) fn commit(&mut self) -> bool {
        let (batch, staged) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.staged));
        let Some(live) = &mut self.live else { return batch.bytes() == 0 };
        if batch.bytes() == 0 {
            return true;
        }
        if let Err(error) = live.write(&batch) {
            self.inner.stop_writes(format!("writing {}: {error}", live.segment().path().display()));
            return false;
        }
        let counters = &self.inner.counters;
        add(&counters.records_written, batch.records().len() as u64);
        add(&counters.bytes_written, batch.bytes());
        if let Some(level) = self.inner.home() {
            level.add_tail(live.segment(), batch.records(), live.end(), live.end());
        }
        let mut pending = self.inner.pending.write();
        for key in &staged {
            pending.remove(key);
        }
        true
    }

    /// Publishes the table of the segment being written, and lets it go. True if there was anything to list.
    fn release(&mut self, sealed: bool) -> bool {
        let (Some(live), Some(level)) = (self.live.take(), self.inner.home()) else { return false };
        let published = live.release(level, sealed);
        // The next writer scans a segment without a table.
        published.unwrap_or_else(|error| {
            self.inner.counters.problem(format!("writing an index: {error}"));
            true
        })
    }

    /// Returns the segment to write to: one that is not full and has no writer, or a new one.
    fn open_live(&mut self) -> Option<&Live> {
        if self.live.is_none() && !self.inner.writes_off.load(Ordering::Relaxed) {
            let level = self.inner.home()?;
            match Live::open(level, self.inner.config.mode) {
                Ok(live) => {
                    level.add_segment(live.segment());
                    self.live = Some(live);
                }
                Err(error) => {
                    let dir = level.root.segments();
                    self.inner.stop_writes(format!("making a segment in {}: {error}", dir.display()));
                }
            }
        }
        self.live.as_ref()
    }
}

/// Whether a put adds anything, given the mode and the stored entries.
fn is_wanted(inner: &Inner, job: &Job) -> bool {
    let id = job.key.id();
    match inner.config.mode {
        StoreMode::Recache => true,
        StoreMode::Verify if !job.replaces => match inner.find(&id) {
            Ok(stored) if stored.payload == job.entry.payload => {
                add(&inner.counters.verified, 1);
                false
            }
            Ok(_) => {
                add(&inner.counters.mismatches, 1);
                let subject = job.key.subject();
                inner.counters.problem(format!("{subject}: made again, it differs from what was stored"));
                true
            }
            Err(_) => true,
        },
        StoreMode::Off | StoreMode::ReadOnly => false,
        StoreMode::ReadWrite | StoreMode::Verify => {
            // Read, not only listed: it may be damaged, or an alias of content that is gone.
            let found = inner.find(&id);
            let present = found.is_ok_and(|it| !job.replaces || it.content == job.entry.content);
            if present {
                add(&inner.counters.puts_present, 1);
            }
            !present
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::key::{Class, KeyBuilder};
    use crate::level::file_names;
    use crate::segment::header_bytes;
    use crate::store::Store;
    use std::fs;

    // A clock that was years ahead leaves a segment with a large number; what replaces its entries later is newer still.
    #[test]
    fn numbers_of_segments_grow_whatever_the_clock_says() {
        let dir = std::env::temp_dir().join(format!("kiln-cache-clock-{}", std::process::id()));
        let segments = dir.join("v2/seg");
        let open = |mode| Store::open(Config::new(&dir).mode(mode)).unwrap();
        let key = KeyBuilder::new(Class::Tool, "").finish();
        open(StoreMode::ReadWrite).put(key.clone(), Entry::new(vec![1], Duration::ZERO));
        let (salt, future) = ([3; 16], u64::MAX / 2);
        let name = Name::new(future, &salt).file();
        fs::write(segments.join(&name), header_bytes(future, &salt, u32::MAX)).unwrap();
        let adopting = open(StoreMode::ReadWrite);
        adopting.put(KeyBuilder::new(Class::Codegen, "").finish(), Entry::new(vec![2], Duration::ZERO));
        drop(adopting);
        open(StoreMode::Recache).put(key.clone(), Entry::new(vec![3], Duration::ZERO));
        let newest = file_names(&segments).iter().filter_map(|it| Name::parse(it)).max().unwrap();
        assert!(newest.seq > future);
        assert_eq!(open(StoreMode::ReadOnly).get(&key).unwrap().payload, [3]);
        fs::remove_dir_all(dir).unwrap();
    }
}
