//! Maintenance keeps a root small and fast: merging tables, evicting segments, removing files of dead writers.
//!
//! The idle writer thread of any process does it, as does `gc`. A kill may interrupt every step at any point, and two
//! processes may do the same step: files appear atomically, under names that identify their content, and removing a
//! file twice is harmless. The maintenance lock only saves work; it is tried, never waited for, and ignored when a
//! stopped holder has let tables accumulate.
//!
//! Eviction removes whole segments, the oldest first. Records used since they were written are written again (their
//! second chance); the rest is lost with the file. Beyond 5/4 of the cap there is no second chance.

use crate::files::DRAFT_PREFIX;
use crate::key::{Key, KeyId, KeyValue};
use crate::level::{Level, RecordLocation, View, file_names};
use crate::live::{WRITABLE, publish, rows};
use crate::record::{Header, RecordKind, check, now_seconds};
use crate::segment::{Segment, scan};
use crate::stats::{Miss, add};
use crate::store::Inner;
use crate::table::{Index, RANGES_MAX, Range, Row, id_of};
use crate::touch::{self, Mark, mark};
use crate::writer::Writer;
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Tables a lookup may have to ask before they are merged, and before that happens without the lock.
const TABLES_MAX: usize = 8;
const TABLES_MAX_UNLOCKED: usize = 24;
/// Small segments that may lie about before they are gathered.
const SMALL_MAX: usize = 32;
/// A draft this old has lost its writer.
const DRAFT_AGE: Duration = Duration::from_secs(3600);
const DROPPED_AGE: Duration = Duration::from_secs(3600);

/// Runs the pending steps, until `stop` reports more urgent work.
pub(crate) fn maintain(writer: &mut Writer, stop: &dyn Fn() -> bool) {
    let inner = writer.inner.clone();
    let Some(level) = inner.home() else { return };
    level.refresh(Duration::ZERO);
    let lock = lock(level);
    let tables = level.view().tables.len();
    if tables > TABLES_MAX && (lock.is_some() || tables > TABLES_MAX_UNLOCKED) && !stop() {
        merge_tables(writer, Merge::Due { rows_max: u64::MAX });
    }
    if !stop() {
        evict_to_cap(writer, stop);
    }
    if lock.is_some() && !stop() {
        clear_drafts(level);
        clear_damaged_tables(level);
        index_orphans(writer, stop);
        gather_small(writer, SMALL_MAX, stop);
        touch::compact(&level.root.touches(), oldest_second(level));
    }
}

fn lock(level: &Level) -> Option<File> {
    let path = level.root.dir.join("maintenance.lock");
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// When the oldest segment was begun: earlier notes of use tell nothing. Numbers of segments are microseconds.
fn oldest_second(level: &Level) -> u32 {
    let oldest = level.view().in_order().first().map_or(0, |it| it.name.seq);
    u32::try_from(oldest / 1_000_000).unwrap_or(0)
}

/// A process that ends merges small tables only, for a few milliseconds.
const ROWS_MAX_AT_EXIT: u64 = 64 << 10;

/// Keeps tables few when every process is too short-lived to do it in passing.
pub(crate) fn merge_at_exit(writer: &Writer) {
    let Some(level) = writer.inner.home() else { return };
    if level.view().tables.len() >= TABLES_MAX && lock(level).is_some() {
        merge_tables(writer, Merge::Due { rows_max: ROWS_MAX_AT_EXIT });
    }
}

/// The tables to merge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merge {
    /// All.
    All,
    /// The small ones, of at most so many rows together.
    Due {
        /// Most rows to write.
        rows_max: u64,
    },
}

/// Merges tables into one; drops rows and ranges of segments that are gone.
pub(crate) fn merge_tables(writer: &Writer, what: Merge) {
    let Some(level) = writer.inner.home() else { return };
    let view = level.view();
    let mut order: Vec<usize> = (0..view.tables.len()).collect();
    order.sort_by_key(|it| view.tables[*it].table.rows);
    let chosen = match what {
        Merge::All => order.len(),
        Merge::Due { rows_max } => smallest(&order, &view, rows_max),
    };
    let chosen = &order[..chosen];
    if chosen.is_empty() {
        return;
    }
    let (ranges, numbers) = merged_ranges(&view, chosen);
    if ranges.len() > RANGES_MAX {
        return;
    }
    let mut merged: Vec<Row> = Vec::new();
    for nth in chosen {
        let file = &view.tables[*nth];
        let read = file.table.each(&mut |row| {
            let range = file.table.ranges.get(usize::from(row.range));
            if let Some(number) = range.and_then(|it| numbers.get(&it.segment)) {
                merged.push(Row { range: *number, ..row });
            }
        });
        if read.is_err() {
            return;
        }
    }
    let kept = if ranges.is_empty() { Ok(String::new()) } else { publish(level, &ranges, merged) };
    let Ok(kept) = kept else { return };
    for nth in chosen {
        let name = &view.tables[*nth].name;
        if *name != kept {
            let _ = fs::remove_file(level.root.tables().join(name));
        }
    }
    add(&writer.inner.counters.tables_merged, chosen.len() as u64);
    level.refresh(Duration::ZERO);
}

/// Returns the number of tables to merge: enough to have few, and then each that is not much larger than the previous
/// ones together, so that a row is rewritten a logarithmic number of times.
fn smallest(order: &[usize], view: &View, rows_max: u64) -> usize {
    let rows = |nth: usize| u64::from(view.tables[order[nth]].table.rows);
    let mut count = order.len().saturating_sub(TABLES_MAX / 2).max(2).min(order.len());
    let mut sum: u64 = (0..count).map(rows).sum();
    while count < order.len() && rows(count) <= 2 * sum {
        sum += rows(count);
        count += 1;
    }
    while count > 0 && sum > rows_max {
        count -= 1;
        sum -= rows(count);
    }
    // One table alone is merged already.
    if count > 1 { count } else { 0 }
}

/// The ranges of some tables, those of one segment joined where they touch, without segments that are gone; and the
/// number of the first range of each segment.
fn merged_ranges(view: &View, chosen: &[usize]) -> (Vec<Range>, FxHashMap<crate::segment::Name, u16>) {
    let mut all: Vec<Range> =
        chosen.iter().flat_map(|it| view.tables[*it].table.ranges.iter().copied()).collect();
    all.retain(|it| view.segments.contains_key(&it.segment));
    all.sort();
    let mut ranges: Vec<Range> = Vec::new();
    for range in all {
        match ranges.last_mut() {
            Some(last) if last.segment == range.segment && range.from <= last.to => {
                last.to = last.to.max(range.to);
                last.sealed |= range.sealed;
            }
            _ => ranges.push(range),
        }
    }
    let mut numbers = FxHashMap::default();
    for (number, range) in ranges.iter().enumerate().take(RANGES_MAX) {
        numbers.entry(range.segment).or_insert(number as u16);
    }
    (ranges, numbers)
}

/// Bytes of all segments and tables.
pub(crate) fn bytes_total(level: &Level) -> u64 {
    let bytes = |dir: &std::path::Path| -> u64 {
        let sizes = file_names(dir).into_iter().filter_map(|it| fs::symlink_metadata(dir.join(it)).ok());
        sizes.map(|it| it.len()).sum()
    };
    bytes(&level.root.segments()) + bytes(&level.root.tables())
}

/// Evicts the oldest segments while the root is larger than its cap.
pub(crate) fn evict_to_cap(writer: &mut Writer, stop: &dyn Fn() -> bool) {
    let Some(level) = writer.inner.home() else { return };
    let cap = level.root.bytes_max;
    // What eviction writes again may fill a segment, which asks for eviction.
    if std::mem::replace(&mut writer.evicting, true) {
        return;
    }
    evict_to(writer, cap, stop);
    writer.evicting = false;
}

/// As [`evict_to_cap`], for another cap.
pub(crate) fn evict_to(writer: &mut Writer, cap: u64, stop: &dyn Fn() -> bool) {
    let inner = writer.inner.clone();
    let Some(level) = inner.home() else { return };
    let mut total = bytes_total(level);
    if total <= cap {
        return;
    }
    level.refresh(Duration::ZERO);
    let used = touch::read_all(&level.root.touches());
    let mut evicted = false;
    for segment in level.view().in_order() {
        if total <= cap || stop() {
            break;
        }
        let second_chance = total <= cap.saturating_add(cap / 4);
        if evict(writer, &segment, if second_chance { Keep::Used(&used) } else { Keep::Nothing }) {
            evicted = true;
            total = bytes_total(level);
        }
    }
    if evicted {
        writer.commit();
        level.refresh(Duration::ZERO);
    }
}

/// The entries of a segment that are rewritten before its eviction.
#[derive(Clone, Copy)]
pub(crate) enum Keep<'a> {
    Nothing,
    /// The entries used since they were written.
    Used(&'a FxHashMap<Mark, u32>),
    /// Everything that nothing newer has replaced.
    Current,
}

impl Keep<'_> {
    fn wants(&self, header: &Header) -> bool {
        match self {
            Keep::Nothing => false,
            Keep::Used(used) => [mark(&header.key.0), mark(&header.content.0)]
                .iter()
                .any(|it| used.get(it).is_some_and(|at| *at >= header.time)),
            Keep::Current => true,
        }
    }
}

/// Gathers small segments into larger ones when there are more than `count_max`: writers that start new ones for good
/// reasons (on network file systems, when replacing entries) leave many.
pub(crate) fn gather_small(writer: &mut Writer, count_max: usize, stop: &dyn Fn() -> bool) {
    let inner = writer.inner.clone();
    let Some(level) = inner.home() else { return };
    let small_bytes = level.segment_bytes_max() / 4;
    let mut small = level.view().in_order();
    small.retain(|it| it.len().is_ok_and(|len| len < small_bytes) && is_abandoned(level, it));
    if small.len() <= count_max {
        return;
    }
    for segment in small {
        if stop() {
            break;
        }
        evict(writer, &segment, Keep::Current);
    }
    level.refresh(Duration::ZERO);
}

/// Removes one segment unless it is being written, after rewriting the entries to keep. Returns whether it is gone.
pub(crate) fn evict(writer: &mut Writer, segment: &Segment, keep: Keep<'_>) -> bool {
    let inner = writer.inner.clone();
    let Some(level) = inner.home() else { return false };
    if segment.is_gone() || writer.live_name() == Some(segment.name) {
        return false;
    }
    // A lock of its own: the reader's descriptor stays free of it. A damaged file has no writer and needs no lock.
    let locked = crate::segment::open(segment.path(), segment.name, level.root.owner, OFlags::RDONLY);
    if let Ok(opened) = &locked
        && !level.root.network
        && opened.file.try_lock().is_err()
    {
        return false;
    }
    if !matches!(keep, Keep::Nothing) && locked.is_ok() && !write_again(writer, segment, keep) {
        return false;
    }
    if fs::remove_file(segment.path()).is_err() {
        return false;
    }
    add(&inner.counters.segments_evicted, 1);
    true
}

/// Writes again the records of a segment that are to be kept, and the lists their keys name. False if that was not
/// possible.
fn write_again(writer: &mut Writer, segment: &Segment, keep: Keep<'_>) -> bool {
    let Ok(opened) = segment.open() else { return true };
    let Ok(len) = segment.len() else { return true };
    let inner = writer.inner.clone();
    let mut kept: Vec<(u64, Header)> = Vec::new();
    let mut lists: Vec<(u64, Header)> = Vec::new();
    let scanned =
        scan(&opened.file, &opened.seal, crate::segment::SEGMENT_HEADER_BYTES, len, &mut |at, header| {
            if header.kind == RecordKind::List {
                lists.push((at, header));
            } else if keep.wants(&header) && is_current(&inner, segment, at, &header) {
                kept.push((at, header));
            }
        });
    if scanned.is_err() {
        return true;
    }
    let mut named = FxHashSet::default();
    for (offset, header) in &kept {
        let Ok((header, record)) = segment.read(*offset, header.stored_len) else { continue };
        if check(&header, &record).is_err() {
            continue;
        }
        // A second chance is one: it takes another use to get the next. Moving a record is no use of it.
        let time = if matches!(keep, Keep::Current) { header.time } else { now_seconds() };
        if !writer.stage_copy(&header, &record, time) {
            return false;
        }
        add(&inner.counters.records_kept, 1);
        let list = inner.contents.codec.body(&header, record).ok().and_then(|it| Key::decode(&it.list).ok());
        named.extend(list.iter().flat_map(nested_ids));
    }
    // Lists come before what names them, so nested ones are seen from the last to the first.
    for (offset, header) in lists.iter().rev() {
        if !named.contains(&header.key) || writer.live_has_list(&header.key) {
            continue;
        }
        let Ok((header, record)) = segment.read(*offset, header.stored_len) else { continue };
        if check(&header, &record).is_ok() && !writer.stage_copy(&header, &record, header.time) {
            return false;
        }
        let list = inner.contents.codec.body(&header, record).ok().and_then(|it| Key::decode(&it.list).ok());
        let deeper: Vec<KeyId> = list.iter().flat_map(nested_ids).collect();
        named.extend(deeper);
    }
    writer.commit()
}

/// Whether no newer record has replaced it, or one has that is equal and relies on this one for the payload.
fn is_current(inner: &Inner, segment: &Segment, offset: u64, header: &Header) -> bool {
    let Some(level) = inner.home() else { return false };
    let newest = |id, index| level.find(&id, index).into_iter().next();
    let is_this = |it: &RecordLocation| it.segment.name == segment.name && it.offset == offset;
    let Some(by_key) = newest(id_of(&header.key.0), Index::Key) else { return true };
    if is_this(&by_key) {
        return true;
    }
    let has_payload = header.kind == RecordKind::Entry
        && newest(id_of(&header.content.0), Index::Content).is_some_and(|it| is_this(&it));
    let same = by_key.segment.read(by_key.offset, by_key.stored_len);
    has_payload && same.is_ok_and(|it| it.0.key == header.key && it.0.content == header.content)
}

fn nested_ids(key: &Key) -> Vec<KeyId> {
    let parts = key.parts().into_iter();
    parts.filter_map(|it| if let KeyValue::Nested(id) = it.value { Some(id) } else { None }).collect()
}

/// Publishes tables for segments whose writers ended without publishing.
pub(crate) fn index_orphans(writer: &Writer, stop: &dyn Fn() -> bool) {
    let Some(level) = writer.inner.home() else { return };
    let view = level.view();
    for segment in view.in_order() {
        let covered = view.coverage(segment.name);
        if covered.sealed || writer.live_name() == Some(segment.name) || stop() {
            continue;
        }
        let (Ok(opened), Ok(len)) = (segment.open(), segment.len()) else { continue };
        if len <= covered.end || !is_abandoned(level, &segment) {
            continue;
        }
        let mut found = Vec::new();
        let Ok(scanned) =
            scan(&opened.file, &opened.seal, covered.end, len, &mut |at, it| found.extend(rows(at, &it)))
        else {
            continue;
        };
        if scanned.end > covered.end {
            // Complete records never change, so their table is right while others append.
            let sealed = opened.file.metadata().is_ok_and(|it| it.mode() & WRITABLE == 0);
            let range = Range { segment: segment.name, from: covered.end, to: scanned.end, sealed };
            let _ = publish(level, &[range], found);
        }
    }
    level.refresh(Duration::ZERO);
}

/// Its lock is free; where locks are not trusted, it has not been written for long.
fn is_abandoned(level: &Level, segment: &Segment) -> bool {
    let opened = crate::segment::open(segment.path(), segment.name, level.root.owner, OFlags::RDONLY);
    let Ok(opened) = opened else { return false };
    if !level.root.network {
        return opened.file.try_lock().is_ok();
    }
    let modified = opened.file.metadata().and_then(|it| it.modified());
    modified.ok().and_then(|it| SystemTime::now().duration_since(it).ok()).is_some_and(|it| it > DROPPED_AGE)
}

/// Removes unfinished files of dead writers.
fn clear_drafts(level: &Level) {
    for dir in [level.root.segments(), level.root.tables()] {
        for name in file_names(&dir).into_iter().filter(|it| it.starts_with(DRAFT_PREFIX)) {
            let path = dir.join(name);
            let modified = fs::symlink_metadata(&path).and_then(|it| it.modified());
            let age = modified.ok().and_then(|it| SystemTime::now().duration_since(it).ok());
            if age.is_some_and(|it| it > DRAFT_AGE) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Removes unusable tables; their segments are indexed again. Tables appear atomically, so a damaged one was damaged
/// later, except on file systems that show files of another machine in part.
fn clear_damaged_tables(level: &Level) {
    if level.root.network {
        return;
    }
    let view = level.view();
    let known: FxHashSet<&str> = view.tables.iter().map(|it| it.name.as_str()).collect();
    for name in file_names(&level.root.tables()) {
        let unknown = name.ends_with(".idx") && !known.contains(name.as_str());
        if unknown && matches!(level.open_table(&name), Err(Miss::Corrupt | Miss::Truncated | Miss::Foreign))
        {
            let _ = fs::remove_file(level.root.tables().join(name));
        }
    }
}

/// The segments of a level, for operations that go through all of them.
pub(crate) fn segments(level: &Level) -> Vec<Arc<Segment>> {
    level.refresh(Duration::ZERO);
    level.view().in_order()
}
