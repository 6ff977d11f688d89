//! The operations of `kiln cache` on a whole store, returned as data; the command prints them.

use crate::contents::Contents;
use crate::entry::Entry;
use crate::key::{Change, Class, ContentHash, Key, KeyId, KeyValue, NESTING_MAX, diff};
use crate::level::{Level, RecordLocation};
use crate::lifetime::{self, Lifetime, UpstreamLifetime};
use crate::maintain::{
    Keep, Merge, bytes_total, evict, evict_to, gather_small, index_orphans, merge_tables, segments,
};
use crate::record::{Codec, HEADER_BYTES, RecordKind, now_seconds};
use crate::segment::{SEGMENT_HEADER_BYTES, Segment, scan};
use crate::stats::Miss;
use crate::store::{Inner, Store};
use crate::table::{Id, Index, id_of};
use crate::touch;
use crate::writer::Writer;
use kiln_bytes::hex;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Why an operation was not done.
#[derive(Debug)]
pub enum OperationError {
    /// The store was opened in a mode that does not write, or its directory cannot be written.
    ReadOnly,
    /// A file is invalid.
    Unusable {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: Miss,
    },
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperationError::ReadOnly => write!(f, "the store cannot be written"),
            OperationError::Unusable { path, reason } => {
                write!(f, "{} is no bundle: {}", path.display(), reason.name())
            }
            OperationError::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for OperationError {}

/// The amount of stored data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The directory of this version of the format.
    pub dir: PathBuf,
    /// Segments, and their bytes.
    pub segments: u64,
    /// Bytes of segments.
    pub segment_bytes: u64,
    /// Tables, and their bytes.
    pub tables: u64,
    /// Bytes of tables.
    pub table_bytes: u64,
    /// Most bytes of both together.
    pub bytes_max: u64,
    /// Keys, by class in the order of [`Class::ALL`].
    pub keys: [u64; 3],
    /// Bytes of their records, by class.
    pub key_bytes: [u64; 3],
    /// Different payloads.
    pub contents: u64,
    /// The file system is one of a network: nothing is shared between writers.
    pub network: bool,
}

/// One stored key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The key, with its subject and its parts.
    pub key: Key,
    /// The hash of the stored payload.
    pub content: ContentHash,
    /// Bytes of the payload; 0 if another key has it.
    pub payload_bytes: u64,
    /// Bytes of the record in its segment.
    pub stored_bytes: u64,
    /// The payload is stored under another key.
    pub shared: bool,
    /// The time it took to make.
    pub cost: Duration,
    /// When it was written.
    pub written: SystemTime,
}

/// A stored key of the same subject, and how the key asked about differs from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The entry.
    pub listed: Listed,
    /// The parts that changed since.
    pub changes: Vec<Change>,
}

/// Why a key hits or misses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Why it misses; `None` if it hits.
    pub miss: Option<Miss>,
    /// The entries for the same class and subject under other keys, the newest first.
    pub alternatives: Vec<Alternative>,
}

impl Explanation {
    /// The stored key with the fewest differences; of several, the newest.
    pub fn closest(&self) -> Option<&Alternative> {
        self.alternatives.iter().min_by_key(|it| it.changes.len())
    }
}

/// Something wrong in a store. It costs a miss, never a wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub path: PathBuf,
    /// Where in it, in bytes.
    pub offset: u64,
    /// The defect.
    pub reason: Miss,
}

/// The result of [`verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Segments read.
    pub segments: u64,
    /// Records that are right.
    pub records: u64,
    /// Tables read.
    pub tables: u64,
    /// Bytes behind the last record of segments: being written, or left by a killed writer.
    pub unfinished_bytes: u64,
    /// The defects.
    pub faults: Vec<Fault>,
}

/// The sizes that [`gc`] may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcLimits {
    /// Most bytes; `None` is the store's own limit.
    pub bytes_max: Option<u64>,
    /// Evict segments last written longer ago than this, except entries used since.
    pub age_max: Option<Duration>,
}

/// The result of [`gc`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    /// Bytes before.
    pub bytes_before: u64,
    /// Bytes after.
    pub bytes_after: u64,
    /// Segments removed.
    pub segments_evicted: u64,
    /// Records written again because they had been used.
    pub records_kept: u64,
}

/// Returns the content hash of the payload under `key`, from the first index alone, without reading the payload.
/// Counts neither as a hit nor as a miss.
pub fn content_of(store: &Store, key: &Key) -> Option<ContentHash> {
    let Inner { config, contents, .. } = &*store.inner;
    let id = key.id();
    config
        .mode
        .looks_up()
        .then(|| contents.with_refresh(|| contents.content_of(&id).ok_or(())))
        .and_then(Result::ok)
}

/// Returns the payload of this content, under whatever key it was stored: the second index.
pub fn payload_of(store: &Store, content: &ContentHash) -> Option<Vec<u8>> {
    let Inner { config, contents, .. } = &*store.inner;
    config
        .mode
        .looks_up()
        .then(|| contents.with_refresh(|| contents.by_content(content)))
        .and_then(Result::ok)
}

/// Returns the amount of data in the root, from its indexes alone.
pub fn usage(store: &Store) -> Usage {
    let Some(level) = store.inner.contents.levels.first() else { return Usage::default() };
    level.refresh(Duration::ZERO);
    let view = level.view();
    let mut usage = Usage {
        dir: level.root.dir.clone(),
        segments: view.segments.len() as u64,
        segment_bytes: view.in_order().iter().filter_map(|it| it.len().ok()).sum(),
        tables: view.tables.len() as u64,
        table_bytes: view.tables.iter().map(|it| it.table.len).sum(),
        bytes_max: level.root.bytes_max,
        network: level.root.network,
        ..Usage::default()
    };
    for (_, place) in newest(level, Index::Key) {
        if let Ok(class) = Class::from_tag(place.class) {
            usage.keys[class as usize] += 1;
            usage.key_bytes[class as usize] += crate::record::record_len(place.stored_len);
        }
    }
    usage.contents = newest(level, Index::Content).len() as u64;
    usage
}

/// Returns the totals of all sessions of the root with an upstream.
pub fn upstream_lifetime(store: &Store) -> UpstreamLifetime {
    let level = store.inner.contents.levels.first();
    level.map_or(UpstreamLifetime::default(), |it| lifetime::read_upstream(&it.root))
}

/// Returns the totals of all sessions with the root.
pub fn lifetime(store: &Store) -> Lifetime {
    store.inner.contents.levels.first().map_or(Lifetime::default(), |it| lifetime::read(&it.root))
}

/// Every stored key that can be read, in the order of their identities.
pub fn list(store: &Store) -> Vec<Listed> {
    let contents = &store.inner.contents;
    let mut listed = Vec::new();
    for level in &contents.levels {
        level.refresh(Duration::ZERO);
        listed.extend(newest(level, Index::Key).iter().filter_map(|it| listed_at(contents, &it.1).ok()));
    }
    listed.sort_by_key(|it| it.key.id());
    listed.dedup_by_key(|it| it.key.id());
    listed
}

/// Returns the stored keys whose ids start with these hexadecimal digits.
pub fn show(store: &Store, prefix: &str) -> Vec<Listed> {
    let contents = &store.inner.contents;
    let mut listed = Vec::new();
    let short = &prefix[..prefix.len().min(32)];
    for level in &contents.levels {
        level.refresh(Duration::ZERO);
        let places = newest(level, Index::Key);
        let chosen = places.iter().filter(|it| hex(&it.0).starts_with(short));
        listed.extend(chosen.filter_map(|it| listed_at(contents, &it.1).ok()));
    }
    listed.retain(|it| it.key.id().to_string().starts_with(prefix));
    listed.sort_by_key(|it| it.key.id());
    listed.dedup_by_key(|it| it.key.id());
    listed
}

/// The list of a key that others name in a nested part.
pub fn nested(store: &Store, id: KeyId) -> Option<Key> {
    store.inner.contents.levels.iter().for_each(|it| drop(it.view()));
    store.inner.contents.list(id)
}

/// Returns the stored entry of an identity with its key, whose nested lists are complete as far as they are stored.
pub fn entry_of(store: &Store, id: KeyId) -> Option<(Key, Entry)> {
    let Inner { contents, .. } = &*store.inner;
    let find = || {
        let places = contents.levels.iter().flat_map(|it| it.find(&id_of(&id.0), Index::Key));
        places.filter_map(|it| listed_at(contents, &it).ok()).find(|it| it.key.id() == id).ok_or(())
    };
    let key = contents.with_refresh(find).ok()?.key;
    let entry = store.inner.lookup(&id).ok()?;
    Some((complete(contents, &key, NESTING_MAX), entry))
}

/// The key with its nested lists, to some depth.
fn complete(contents: &Contents, key: &Key, depth: usize) -> Key {
    let nested = key.parts().into_iter().filter_map(|part| match part.value {
        KeyValue::Nested(id) if depth > 0 => Some(complete(contents, &contents.list(id)?, depth - 1)),
        KeyValue::Nested(_)
        | KeyValue::Text(_)
        | KeyValue::Bytes(_)
        | KeyValue::Number(_)
        | KeyValue::Digest(..) => None,
    });
    key.with_nested(&nested.collect::<Vec<_>>())
}

/// Returns whether `key` hits, and if not, the stored keys of its subject with the parts that differ.
pub fn explain(store: &Store, key: &Key) -> Explanation {
    let inner = &store.inner;
    let mut places = Vec::new();
    for level in &inner.contents.levels {
        level.refresh(Duration::ZERO);
        let all = newest(level, Index::Key).into_iter();
        places.extend(
            all.map(|it| it.1).filter(|it| it.subject == key.subject_tag() && it.class == key.class().tag()),
        );
    }
    places.sort_by_key(|it| Reverse((it.segment.name, it.offset)));
    let resolve = |id| find_nested(key, id).or_else(|| inner.contents.list(id));
    let mut alternatives = Vec::new();
    for listed in places.iter().filter_map(|it| listed_at(&inner.contents, it).ok()) {
        if listed.key.subject() == key.subject() && listed.key.id() != key.id() {
            let changes = diff(&listed.key, key, &resolve);
            alternatives.push(Alternative { listed, changes });
        }
    }
    Explanation { miss: inner.find(&key.id()).err(), alternatives }
}

/// Reads everything: every record's seal, checksum, content hash and key, every table and where its rows lead.
pub fn verify(store: &Store) -> VerifyReport {
    let mut report = VerifyReport::default();
    for level in &store.inner.contents.levels {
        let mut places = FxHashSet::default();
        for segment in segments(level) {
            report.segments += 1;
            verify_segment(&store.inner.contents.codec, &segment, &mut places, &mut report);
        }
        verify_tables(level, &places, &mut report);
    }
    report
}

/// Merges all indexes, indexes segments of dead writers, and evicts down to `limits`.
pub fn gc(store: &Store, limits: &GcLimits) -> Result<GcReport, OperationError> {
    let inner = &store.inner;
    let level = inner.home().ok_or(OperationError::ReadOnly)?;
    let before = inner.counters.snapshot();
    let bytes_before = bytes_total(level);
    let mut writer = Writer::new(inner.clone());
    index_orphans(&writer, &|| false);
    gather_small(&mut writer, 1, &|| false);
    if let Some(age) = limits.age_max {
        evict_older(&mut writer, level, age);
    }
    evict_to(&mut writer, limits.bytes_max.unwrap_or(level.root.bytes_max), &|| false);
    writer.finish();
    level.refresh(Duration::ZERO);
    merge_tables(&writer, Merge::All);
    let after = inner.counters.snapshot();
    Ok(GcReport {
        bytes_before,
        bytes_after: bytes_total(level),
        segments_evicted: after.segments_evicted - before.segments_evicted,
        records_kept: after.records_kept - before.records_kept,
    })
}

/// Removes all entries of the root, including concurrent writes of other processes.
pub fn clear(store: &Store) -> Result<(), OperationError> {
    let level = store.inner.home().ok_or(OperationError::ReadOnly)?;
    for dir in [level.root.tables(), level.root.segments(), level.root.touches()] {
        for name in crate::level::file_names(&dir) {
            let path = dir.join(name);
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(OperationError::Io { path, error }),
            }
        }
    }
    level.refresh(Duration::ZERO);
    Ok(())
}

/// The newest place of every id in an index, sorted by id; without those in segments that are gone.
pub(crate) fn newest(level: &Level, index: Index) -> Vec<(Id, RecordLocation)> {
    let mut places = Vec::new();
    level.each(index, &mut |id, place| {
        if !place.segment.is_gone() {
            places.push((id, place));
        }
    });
    places.sort_by_key(|it| (it.0, Reverse((it.1.segment.name, it.1.offset))));
    places.dedup_by_key(|it| it.0);
    places
}

fn find_nested(key: &Key, id: KeyId) -> Option<Key> {
    key.nested().iter().find_map(|it| if it.id() == id { Some(it.clone()) } else { find_nested(it, id) })
}

fn evict_older(writer: &mut Writer, level: &Level, age: Duration) {
    let used_since = now_seconds().saturating_sub(u32::try_from(age.as_secs()).unwrap_or(u32::MAX));
    let mut used = touch::read_all(&level.root.touches());
    used.retain(|_, at| *at >= used_since);
    for segment in segments(level) {
        let modified = fs::symlink_metadata(segment.path()).and_then(|it| it.modified());
        let found = modified.ok().and_then(|it| SystemTime::now().duration_since(it).ok());
        if found.is_some_and(|it| it > age) {
            evict(writer, &segment, Keep::Used(&used));
        }
    }
    level.refresh(Duration::ZERO);
}

fn verify_tables(level: &Level, places: &FxHashSet<(PathBuf, u64)>, report: &mut VerifyReport) {
    for file in &level.view().tables {
        report.tables += 1;
        let path = level.root.tables().join(&file.name);
        let mut fault = |offset, reason| report.faults.push(Fault { path: path.clone(), offset, reason });
        if let Err(reason) = file.table.verify() {
            fault(0, reason);
            continue;
        }
        let read = file.table.each(&mut |row| {
            let place = file.place(&row).filter(|it| !it.segment.is_gone());
            if place.is_some_and(|it| !places.contains(&(it.segment.path().to_owned(), it.offset))) {
                fault(row.offset, Miss::Corrupt);
            }
        });
        if let Err(reason) = read {
            fault(0, reason);
        }
    }
}

fn listed_at(contents: &Contents, place: &RecordLocation) -> Result<Listed, Miss> {
    let (header, record) = place.segment.read(place.offset, place.stored_len)?;
    let body = contents.codec.body(&header, record)?;
    let key = Key::decode(&body.list).ok().filter(|it| it.id() == header.key).ok_or(Miss::Corrupt)?;
    Ok(Listed {
        key,
        content: header.content,
        payload_bytes: body.payload.len() as u64,
        stored_bytes: header.record_len(),
        shared: header.kind == RecordKind::Alias,
        cost: header.cost,
        written: SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(header.time)),
    })
}

fn verify_segment(
    codec: &Codec,
    segment: &Segment,
    places: &mut FxHashSet<(PathBuf, u64)>,
    report: &mut VerifyReport,
) {
    let path = segment.path().to_owned();
    let opened = segment.open().and_then(|opened| Ok((opened, segment.len()?)));
    let (opened, len) = match opened {
        Ok(it) => it,
        Err(Miss::Evicted) => return,
        Err(reason) => return report.faults.push(Fault { path, offset: 0, reason }),
    };
    let mut records = Vec::new();
    let scanned = scan(&opened.file, &opened.seal, SEGMENT_HEADER_BYTES, len, &mut |at, it| {
        records.push((at, it));
    });
    let Ok(scanned) = scanned else {
        return report.faults.push(Fault { path, offset: 0, reason: Miss::Io });
    };
    report.unfinished_bytes += len.saturating_sub(scanned.end);
    if scanned.damaged_bytes > 0 {
        report.faults.push(Fault { path: path.clone(), offset: HEADER_BYTES as u64, reason: Miss::Corrupt });
    }
    for (offset, header) in records {
        places.insert((path.clone(), offset));
        let body =
            segment.read(offset, header.stored_len).and_then(|(header, record)| codec.body(&header, record));
        let right = body.is_ok_and(|body| {
            let key = Key::decode(&body.list).is_ok_and(|it| it.id() == header.key);
            key && (header.kind != RecordKind::Entry || ContentHash::of(&body.payload) == header.content)
        });
        if right {
            report.records += 1;
        } else {
            report.faults.push(Fault { path: path.clone(), offset, reason: Miss::Corrupt });
        }
    }
}
