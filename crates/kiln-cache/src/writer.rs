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

use crate::key::{Key, KeyId};
use crate::level::{Level, rows_of};
use crate::maintain::{evict_to_cap, maintain, merge_at_exit};
use crate::queue::{Job, Next};
use crate::record::{Draft, Header, RecordKind, Seal, copy};
use crate::segment::{Name, SEGMENT_HEADER_BYTES, Segment, header_bytes, open, scan};
use crate::stats::{Miss, add};
use crate::store::{Entry, Inner, now_seconds};
use crate::table::{Index, Range, Row, build, id_of};
use crate::touch::{random, random_u64};
use rustc_hash::FxHashSet;
use rustix::fs::OFlags;
use std::cell::Cell;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// Records are gathered to about this many bytes before they are written.
const BATCH_BYTES: usize = 256 << 10;
/// The shortest interval between maintenance runs in pauses.
const MAINTAIN_EVERY: Duration = Duration::from_secs(5);
/// The time after which the end of a session starts no further eviction.
const EVICT_AT_EXIT: Duration = Duration::from_millis(20);
/// The number of newest segments to try for adoption.
const ADOPT_MAX: usize = 8;
/// A payload this short is stored under each of its keys.
const SHARED_BYTES_MIN: usize = 256;
/// The permission bit that a closed segment lacks.
pub(crate) const WRITABLE: u32 = 0o200;

/// The segment being written.
struct Live {
    segment: Arc<Segment>,
    file: File,
    seal: Seal,
    /// The position of the next record.
    end: u64,
    /// The end of the indexed part of the segment, and the rows of the rest.
    from: u64,
    rows: Vec<Row>,
    /// Nested keys whose lists are known to be in it.
    lists: FxHashSet<KeyId>,
}

/// Records gathered and not written yet.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    records: Vec<(u64, Header)>,
    keys: Vec<KeyId>,
    contents: FxHashSet<[u8; 32]>,
    lists: FxHashSet<KeyId>,
}

/// Appends to one segment after another.
pub(crate) struct Writer {
    pub(crate) inner: Arc<Inner>,
    live: Option<Live>,
    batch: Batch,
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
        for level in &inner.levels {
            level.view();
        }
        Writer { inner, live: None, batch: Batch::default(), evicting: false, has_filled: false }
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

    /// Bytes after which a segment is closed: a part of the cap, so that evicting one gives back little.
    pub(crate) fn segment_bytes_max(&self) -> u64 {
        let cap = self.inner.home().map_or(0, |it| it.root.bytes_max);
        (cap / 64).clamp(64 << 10, 1 << 30)
    }

    /// The name of the segment being written.
    pub(crate) fn live_name(&self) -> Option<Name> {
        self.live.as_ref().map(|it| it.segment.name)
    }

    fn write(&mut self, jobs: Vec<Job>) {
        for job in jobs {
            if self.inner.writes_off.load(Ordering::Relaxed) {
                add(&self.inner.counters.puts_dropped, 1);
                continue;
            }
            if self.is_wanted(&job) {
                self.stage(&job.key, &job.entry);
            } else {
                // What is already there serves from now on.
                self.inner.pending.write().remove(&job.key.id());
            }
        }
        self.commit();
    }

    /// Whether a put adds anything, given the mode and the stored entries.
    fn is_wanted(&self, job: &Job) -> bool {
        use crate::config::StoreMode;
        let (inner, id) = (&self.inner, job.key.id());
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
            && (self.batch.contents.contains(&content.0) || self.inner.by_content(&content).is_ok());
        if shared {
            add(&self.inner.counters.puts_shared, 1);
        }
        let (kind, payload) =
            if shared { (RecordKind::Alias, &[][..]) } else { (RecordKind::Entry, entry.payload.as_slice()) };
        let draft = Draft { kind, key, payload, content, cost: entry.cost, time: now_seconds() };
        self.append(&draft);
        self.batch.keys.push(key.id());
        self.batch.contents.insert(content.0);
        self.commit_if_full();
    }

    /// Gathers the lists of nested keys that this segment does not have yet.
    fn stage_lists(&mut self, key: &Key) {
        for nested in key.nested() {
            let id = nested.id();
            if self.batch.lists.contains(&id) || self.live_has_list(&id) {
                continue;
            }
            self.batch.lists.insert(id);
            self.stage_lists(nested);
            let content = crate::key::ContentHash::of(&[]);
            let (cost, time) = (Duration::ZERO, now_seconds());
            self.append(&Draft { kind: RecordKind::List, key: nested, payload: &[], content, cost, time });
        }
    }

    /// The segment being written has the list of this key.
    pub(crate) fn live_has_list(&mut self, id: &KeyId) -> bool {
        let (Some(live), Some(level)) = (&mut self.live, self.inner.home()) else { return false };
        let name = live.segment.name;
        let known = live.lists.contains(id)
            || level.find(&id_of(&id.0), Index::List).iter().any(|it| it.segment.name == name);
        if known {
            live.lists.insert(*id);
        }
        known
    }

    fn append(&mut self, draft: &Draft<'_>) {
        let Some(live) = &self.live else { return };
        let offset = live.end + self.batch.bytes.len() as u64;
        match self.inner.codec.write(draft, &live.seal, &mut self.batch.bytes) {
            Some(header) => self.batch.records.push((offset, header)),
            // Larger than the format allows.
            None => add(&self.inner.counters.puts_dropped, 1),
        }
    }

    /// Gathers a record of another segment, checked by the caller, as if written at `time`.
    pub(crate) fn stage_copy(&mut self, header: &Header, record: &[u8], time: u32) -> bool {
        let Some((seal, end)) = self.open_live().map(|it| (it.seal, it.end)) else { return false };
        let offset = end + self.batch.bytes.len() as u64;
        let start = self.batch.bytes.len();
        copy(header, record, time, &seal, &mut self.batch.bytes);
        match Header::read(&self.batch.bytes[start..], &seal) {
            Some(header) => self.batch.records.push((offset, header)),
            None => self.batch.bytes.truncate(start),
        }
        self.commit_if_full();
        true
    }

    fn commit_if_full(&mut self) {
        let end = self.live.as_ref().map_or(0, |it| it.end) + self.batch.bytes.len() as u64;
        let rotate = end >= self.segment_bytes_max();
        if rotate || self.batch.bytes.len() >= BATCH_BYTES {
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
        let batch = std::mem::take(&mut self.batch);
        let Some(live) = &mut self.live else { return batch.bytes.is_empty() };
        if batch.bytes.is_empty() {
            return true;
        }
        if let Err(error) = live.file.write_all_at(&batch.bytes, live.end) {
            // A part may be there: take it back, so that the next writer finds a clean end.
            let _ = live.file.set_len(live.end);
            self.inner.stop_writes(format!("writing {}: {error}", live.segment.path().display()));
            return false;
        }
        let end = live.end + batch.bytes.len() as u64;
        live.end = end;
        live.rows.extend(batch.records.iter().flat_map(|(offset, header)| rows(*offset, header)));
        let counters = &self.inner.counters;
        add(&counters.records_written, batch.records.len() as u64);
        add(&counters.bytes_written, batch.bytes.len() as u64);
        if let Some(level) = self.inner.home() {
            level.add_tail(&live.segment, &batch.records, end, end);
        }
        let mut pending = self.inner.pending.write();
        for key in &batch.keys {
            pending.remove(key);
        }
        true
    }

    /// Publishes the table of the segment being written, and lets it go. True if there was anything to list.
    fn release(&mut self, sealed: bool) -> bool {
        let Some(live) = self.live.take() else { return false };
        let Some(level) = self.inner.home() else { return false };
        if sealed && live.file.set_permissions(Permissions::from_mode(0o400)).is_err() {
            return false;
        }
        let written = live.end > live.from;
        if written {
            let range = Range { segment: live.segment.name, from: live.from, to: live.end, sealed };
            if let Err(error) = publish(level, &[range], live.rows) {
                // The next writer scans the segment instead.
                self.inner.counters.problem(format!("writing an index: {error}"));
            }
        }
        written
    }

    /// Returns the segment to write to: one that is not full and has no writer, or a new one.
    fn open_live(&mut self) -> Option<&Live> {
        if self.live.is_none() && !self.inner.writes_off.load(Ordering::Relaxed) {
            let level = self.inner.home()?;
            let live = match self.adopt(level) {
                Some(live) => Ok(live),
                None => create(level),
            };
            match live {
                Ok(live) => {
                    level.add_segment(&live.segment);
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

    fn adopt(&self, level: &Level) -> Option<Live> {
        use crate::config::StoreMode;
        // What replaces stored entries must be newer than they are, so it goes to a new segment.
        if level.root.network || self.inner.config.mode != StoreMode::ReadWrite {
            return None;
        }
        level.refresh(Duration::ZERO);
        let full = self.segment_bytes_max();
        let candidates = level.view().in_order();
        candidates.iter().rev().take(ADOPT_MAX).find_map(|segment| adopt_one(level, segment, full).ok())
    }
}

/// Rows of the record at `offset`, for a table of one range.
pub(crate) fn rows(offset: u64, header: &Header) -> impl Iterator<Item = Row> + use<> {
    let (class, stored_len) = (header.class.tag(), header.stored_len);
    let subject = header.subject;
    rows_of(header).map(move |(id, index)| Row { id, index, class, range: 0, offset, stored_len, subject })
}

/// Takes over a segment that has room and no writer; whatever speaks against it is an error.
fn adopt_one(level: &Level, segment: &Segment, full: u64) -> Result<Live, Miss> {
    if level.view().coverage(segment.name).sealed || segment.len()? >= full {
        return Err(Miss::Absent);
    }
    let opened = open(segment.path(), segment.name, level.root.owner, OFlags::RDWR)?;
    opened.file.try_lock().map_err(|_| Miss::Io)?;
    // Its last writer may have sealed it, and someone may have evicted it, before the lock was ours.
    let metadata = opened.file.metadata().map_err(|_| Miss::Io)?;
    let from = level.view().coverage(segment.name).end;
    if metadata.nlink() == 0 || metadata.mode() & WRITABLE == 0 || metadata.len() < from {
        return Err(Miss::Absent);
    }
    let mut found = Vec::new();
    let scanned = scan(&opened.file, &opened.seal, from, metadata.len(), &mut |at, it| found.push((at, it)))
        .map_err(|_| Miss::Io)?;
    opened.file.set_len(scanned.end).map_err(|_| Miss::Io)?;
    let table_rows = found.iter().flat_map(|(offset, header)| rows(*offset, header)).collect();
    let segment = Arc::new(Segment::new(segment.name, &level.root.segments(), level.root.owner));
    level.add_tail(&segment, &found, scanned.end, scanned.end);
    Ok(Live {
        segment,
        file: opened.file,
        seal: opened.seal,
        end: scanned.end,
        from,
        rows: table_rows,
        lists: FxHashSet::default(),
    })
}

/// Begins a segment. It gets its name when it is locked and has its header, so no one sees it without.
fn create(level: &Level) -> io::Result<Live> {
    level.refresh(Duration::ZERO);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let newest = level.view().in_order().last().map_or(0, |it| it.name.seq);
    let seq = (since.as_micros() as u64).max(newest.saturating_add(1));
    let salt = random();
    let name = Name::new(seq, &salt);
    let (dir, draft) = (level.root.segments(), level.root.segments().join(draft_name()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&draft)?;
    let made = (|| {
        if !level.root.network {
            file.try_lock().map_err(io::Error::from)?;
        }
        file.write_all_at(&header_bytes(seq, &salt, now_seconds()), 0)?;
        fs::rename(&draft, dir.join(name.file()))
    })();
    if let Err(error) = made {
        let _ = fs::remove_file(&draft);
        return Err(error);
    }
    let segment = Arc::new(Segment::new(name, &dir, level.root.owner));
    let start = SEGMENT_HEADER_BYTES;
    Ok(Live {
        segment,
        file,
        seal: Seal::from_salt(salt),
        end: start,
        from: start,
        rows: Vec::new(),
        lists: FxHashSet::default(),
    })
}

pub(crate) const DRAFT_PREFIX: &str = ".draft-";

/// The name of a file that is not finished.
pub(crate) fn draft_name() -> String {
    format!("{DRAFT_PREFIX}{:016x}", random_u64())
}

/// Writes the table of `ranges` and makes it visible.
pub(crate) fn publish(level: &Level, ranges: &[Range], rows: Vec<Row>) -> io::Result<String> {
    let (name, bytes) = build(ranges, rows);
    write_whole(&level.root.tables(), &name, &bytes)?;
    Ok(name)
}

/// Writes a file that appears under its name whole.
fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let draft = dir.join(draft_name());
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(bytes)?;
        fs::rename(&draft, dir.join(name))
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, StoreMode};
    use crate::key::{Class, KeyBuilder};
    use crate::level::file_names;
    use crate::store::Store;

    // A clock that was years ahead leaves a segment with a large number; what replaces its entries later is newer still.
    #[test]
    fn numbers_of_segments_grow_whatever_the_clock_says() {
        let dir = std::env::temp_dir().join(format!("kiln-cache-clock-{}", std::process::id()));
        let segments = dir.join("v1/seg");
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
