//! One root as readers see it: its tables, its segments, and the tails of segments that no table covers yet.
//!
//! A lookup searches the tails, which are in memory, and then each table. Other processes' writes appear when a miss
//! [`refresh`](Level::refresh)es the level: new files are listed if a directory has changed, and grown segments are
//! scanned from the end of the last scan. Opening a store scans nothing.

use crate::record::{Header, RecordKind};
use crate::root::Root;
use crate::segment::{Name, SEGMENT_HEADER_BYTES, Segment, scan};
use crate::stats::Miss;
use crate::table::{Id, Index, Range, Row, Table, id_of};
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use rustix::fs::OFlags;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The location of a record.
#[derive(Clone)]
pub(crate) struct RecordLocation {
    pub(crate) segment: Arc<Segment>,
    pub(crate) offset: u64,
    pub(crate) stored_len: u32,
    pub(crate) class: u8,
    pub(crate) subject: u32,
}

/// A table and the segments its rows name by number.
#[derive(Clone)]
pub(crate) struct TableFile {
    pub(crate) name: String,
    pub(crate) table: Arc<Table<File>>,
    segments: Vec<Arc<Segment>>,
}

impl TableFile {
    /// Where the record of `row` is; `None` for a damaged row.
    pub(crate) fn place(&self, row: &Row) -> Option<RecordLocation> {
        let segment = self.segments.get(usize::from(row.range))?.clone();
        Some(RecordLocation {
            segment,
            offset: row.offset,
            stored_len: row.stored_len,
            class: row.class,
            subject: row.subject,
        })
    }
}

/// The contents of the directories when they were last listed.
#[derive(Clone, Default)]
pub(crate) struct View {
    pub(crate) tables: Vec<TableFile>,
    pub(crate) segments: FxHashMap<Name, Arc<Segment>>,
    coverage: FxHashMap<Name, Coverage>,
}

/// The indexed part of a segment, from its start and without a gap.
#[derive(Clone, Copy)]
pub(crate) struct Coverage {
    pub(crate) end: u64,
    pub(crate) sealed: bool,
}

impl View {
    pub(crate) fn coverage(&self, name: Name) -> Coverage {
        let none = Coverage { end: SEGMENT_HEADER_BYTES, sealed: false };
        self.coverage.get(&name).copied().unwrap_or(none)
    }

    /// Segments in the order they were begun.
    pub(crate) fn in_order(&self) -> Vec<Arc<Segment>> {
        let mut all: Vec<Arc<Segment>> = self.segments.values().cloned().collect();
        all.sort_by_key(|it| it.name);
        all
    }
}

/// Rows of records that no table lists yet.
#[derive(Default)]
struct Tails {
    rows: FxHashMap<(Id, Index), RecordLocation>,
    /// Up to where each segment was scanned, and how long it was then.
    scanned: FxHashMap<Name, (u64, u64)>,
}

#[derive(Default)]
struct Listed {
    at: Option<Instant>,
    changed: Option<[(i64, i64); 2]>,
}

/// One root.
pub(crate) struct Level {
    pub(crate) root: Root,
    view: RwLock<Arc<View>>,
    tails: RwLock<Tails>,
    listed: Mutex<Listed>,
    /// How often this process has looked for other processes' writes.
    pub(crate) looks: AtomicU64,
}

/// The rows of the record at `offset`: in which indices it is, and under which ids.
pub(crate) fn rows_of(header: &Header) -> impl Iterator<Item = (Id, Index)> + use<> {
    let key = id_of(&header.key.0);
    let content = id_of(&header.content.0);
    let rows = match header.kind {
        RecordKind::Entry => [Some((key, Index::Key)), Some((content, Index::Content))],
        RecordKind::Alias => [Some((key, Index::Key)), None],
        RecordKind::List => [Some((key, Index::List)), None],
    };
    rows.into_iter().flatten()
}

/// A directory that has just changed may change again without its time telling.
const SETTLING: Duration = Duration::from_millis(100);
const LISTINGS_MAX: usize = 4;
/// The number of newest segments that are checked for growth.
const GROWING_MAX: usize = 128;

impl Level {
    pub(crate) fn new(root: Root) -> Level {
        Level {
            root,
            view: RwLock::default(),
            tails: RwLock::default(),
            listed: Mutex::default(),
            looks: AtomicU64::new(0),
        }
    }

    /// Bytes after which a segment is closed: a part of the cap, so that evicting one gives back little.
    pub(crate) fn segment_bytes_max(&self) -> u64 {
        (self.root.bytes_max / 64).clamp(64 << 10, 1 << 30)
    }

    /// Returns the last listing; lists the directories the first time.
    pub(crate) fn view(&self) -> Arc<View> {
        if self.listed.lock().at.is_none() {
            self.refresh(Duration::ZERO);
        }
        self.view.read().clone()
    }

    /// Places of the records of `id` in `index`, the newest first.
    pub(crate) fn find(&self, id: &Id, index: Index) -> Vec<RecordLocation> {
        let mut places = Vec::new();
        places.extend(self.tails.read().rows.get(&(*id, index)).cloned());
        let view = self.view.read().clone();
        for file in &view.tables {
            // A table that cannot be read hides its rows; the entries are made again.
            let _ = file.table.find(id, index, &mut |row| places.extend(file.place(&row)));
        }
        if places.len() > 1 {
            places.sort_by_key(|it| std::cmp::Reverse((it.segment.name, it.offset)));
        }
        places
    }

    /// Looks for other processes' writes, unless the last look was less than `every` ago.
    pub(crate) fn refresh(&self, every: Duration) {
        let mut listed = self.listed.lock();
        if listed.at.is_some_and(|it| it.elapsed() < every) {
            return;
        }
        let changed = [self.changed(&self.root.segments()), self.changed(&self.root.tables())];
        if let [Some(segments), Some(tables)] = changed {
            if listed.changed != Some([segments, tables]) {
                self.list();
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                let settled = |it: (i64, i64)| {
                    let at = Duration::new(it.0.max(0) as u64, it.1.clamp(0, 999_999_999) as u32);
                    now.checked_sub(at).is_some_and(|age| age > SETTLING)
                };
                listed.changed = (settled(segments) && settled(tables)).then_some([segments, tables]);
            }
            self.scan_tails();
        }
        listed.at = Some(Instant::now());
        self.looks.fetch_add(1, Ordering::Release);
    }

    fn changed(&self, dir: &Path) -> Option<(i64, i64)> {
        let metadata = fs::metadata(dir).ok()?;
        Some((metadata.mtime(), metadata.mtime_nsec()))
    }

    /// Lists the directories again, keeping open files.
    fn list(&self) {
        let before = self.view.read().clone();
        let mut view = View::default();
        for _ in 0..LISTINGS_MAX {
            // What cannot be listed now is as it was.
            let Some((next, complete)) = self.list_once(&before) else { return };
            view = next;
            if complete {
                break;
            }
        }
        // Lookups search the tails first: a row leaves them when the tables that list it are there.
        let view = Arc::new(view);
        *self.view.write() = view.clone();
        let mut tails = self.tails.write();
        tails.rows.retain(|_, place| {
            let known = view.segments.contains_key(&place.segment.name);
            known && place.offset >= view.coverage(place.segment.name).end
        });
        tails.scanned.retain(|name, _| view.segments.contains_key(name));
    }

    /// One listing, and whether every table it saw was still there to be opened: a merge replaces tables by one, which
    /// a listing under way may miss together with them.
    fn list_once(&self, before: &View) -> Option<(View, bool)> {
        let mut view = View::default();
        let mut complete = true;
        let mut tables = Vec::new();
        for name in list_dir(&self.root.tables())?.into_iter().filter(|it| it.ends_with(".idx")) {
            match before.tables.iter().find(|it| it.name == name) {
                Some(known) => tables.push((name, known.table.clone())),
                None => match self.open_table(&name) {
                    Ok(table) => tables.push((name, Arc::new(table))),
                    Err(Miss::Evicted) => complete = false,
                    // Damaged: what it covers is scanned instead.
                    Err(_) => {}
                },
            }
        }
        for name in list_dir(&self.root.segments())?.iter().filter_map(|it| Name::parse(it)) {
            let segment = before.segments.get(&name).cloned();
            let segment = segment
                .filter(|it| !it.is_gone())
                .unwrap_or_else(|| Arc::new(Segment::new(name, &self.root.segments(), self.root.owner)));
            view.segments.insert(name, segment);
        }
        let mut ranges: Vec<Range> = tables.iter().flat_map(|it| it.1.ranges.iter().copied()).collect();
        ranges.sort();
        for range in ranges {
            let none = Coverage { end: SEGMENT_HEADER_BYTES, sealed: false };
            let covered = view.coverage.entry(range.segment).or_insert(none);
            if range.from <= covered.end {
                covered.end = covered.end.max(range.to);
                covered.sealed |= range.sealed;
            }
        }
        for (name, table) in tables {
            let segments = table.ranges.iter().map(|it| {
                let gone = || Arc::new(Segment::gone(it.segment));
                view.segments.get(&it.segment).cloned().unwrap_or_else(gone)
            });
            let segments = segments.collect();
            view.tables.push(TableFile { name, table, segments });
        }
        Some((view, complete))
    }

    /// Opens a table, which must be a plain file of the owner of the root.
    pub(crate) fn open_table(&self, name: &str) -> Result<Table<File>, Miss> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::open(self.root.tables().join(name), flags, rustix::fs::Mode::empty());
        let file = match opened {
            Ok(descriptor) => File::from(descriptor),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::STALE) => return Err(Miss::Evicted),
            Err(_) => return Err(Miss::Io),
        };
        let metadata = file.metadata().map_err(|_| Miss::Io)?;
        if !metadata.is_file() || metadata.uid() != self.root.owner {
            return Err(Miss::Foreign);
        }
        Table::open(file, metadata.len())
    }

    /// Scans the parts of segments after the indexed part and earlier scans.
    fn scan_tails(&self) {
        let view = self.view.read().clone();
        // Only the newest may grow; looking at each costs a descriptor.
        let open = view.in_order().into_iter().rev().filter(|it| !view.coverage(it.name).sealed);
        for segment in open.take(GROWING_MAX) {
            let covered = view.coverage(segment.name);
            let before = self.tails.read().scanned.get(&segment.name).copied();
            let (end, seen_len) = before.unwrap_or((covered.end, covered.end));
            let (end, seen_len) = (end.max(covered.end), seen_len.max(covered.end));
            let (Ok(opened), Ok(len)) = (segment.open(), segment.len()) else { continue };
            if len <= seen_len {
                continue;
            }
            let mut found = Vec::new();
            let Ok(scanned) = scan(&opened.file, &opened.seal, end, len, &mut |at, it| found.push((at, it)))
            else {
                continue;
            };
            self.add_tail(&segment, &found, scanned.end, len);
        }
    }

    /// Adds records that no table lists; `end` is where the next one of the segment will be.
    pub(crate) fn add_tail(&self, segment: &Arc<Segment>, records: &[(u64, Header)], end: u64, len: u64) {
        let mut tails = self.tails.write();
        for (offset, header) in records {
            for row in rows_of(header) {
                let place = RecordLocation {
                    segment: segment.clone(),
                    offset: *offset,
                    stored_len: header.stored_len,
                    class: header.class.tag(),
                    subject: header.subject,
                };
                tails.rows.insert(row, place);
            }
        }
        tails.scanned.insert(segment.name, (end, len));
    }

    /// Makes a segment of this process known without listing.
    pub(crate) fn add_segment(&self, segment: &Arc<Segment>) {
        // A listing under way may have missed it.
        let _listed = self.listed.lock();
        let mut view = self.view.write();
        let mut next = View::clone(&view);
        next.segments.insert(segment.name, segment.clone());
        *view = Arc::new(next);
    }

    /// Calls `visit` with the place of every record in `index`, in no order; a record may come more than once.
    pub(crate) fn each(&self, index: Index, visit: &mut dyn FnMut(Id, RecordLocation)) {
        // Before the tables: a listing moves rows from the tails to tables.
        let tails: Vec<(Id, RecordLocation)> = {
            let tails = self.tails.read();
            tails.rows.iter().filter(|it| it.0.1 == index).map(|it| (it.0.0, it.1.clone())).collect()
        };
        let view = self.view();
        for file in &view.tables {
            let _ = file.table.each(&mut |row| {
                if row.index == index
                    && let Some(place) = file.place(&row)
                {
                    visit(row.id, place);
                }
            });
        }
        for (id, place) in tails {
            visit(id, place);
        }
    }
}

/// Names of the files in `dir`, sorted; none if it cannot be read.
pub(crate) fn file_names(dir: &Path) -> Vec<String> {
    list_dir(dir).unwrap_or_default()
}

fn list_dir(dir: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).ok()? {
        names.extend(entry.ok()?.file_name().into_string().ok());
    }
    names.sort();
    Some(names)
}
