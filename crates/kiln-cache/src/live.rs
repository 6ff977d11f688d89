//! The segment being written, and the records that are gathered for it.

use crate::config::StoreMode;
use crate::files::{draft_name, write_whole};
use crate::key::{ContentHash, KeyId};
use crate::level::{Level, rows_of};
use crate::record::{Codec, Draft, Header, Seal, copy, now_seconds};
use crate::segment::{Name, SEGMENT_HEADER_BYTES, Segment, header_bytes, open, scan};
use crate::stats::Miss;
use crate::table::{Index, Range, Row, build, id_of};
use crate::touch::random;
use rustc_hash::FxHashSet;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The number of newest segments to try for adoption.
const ADOPT_MAX: usize = 8;
/// The permission bit that a closed segment lacks.
pub(crate) const WRITABLE: u32 = 0o200;

/// The segment being written.
pub(crate) struct Live {
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
pub(crate) struct Batch {
    bytes: Vec<u8>,
    records: Vec<(u64, Header)>,
    contents: FxHashSet<[u8; 32]>,
    lists: FxHashSet<KeyId>,
}

impl Batch {
    /// Returns the number of bytes gathered.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the records gathered, with their positions in the segment.
    pub(crate) fn records(&self) -> &[(u64, Header)] {
        &self.records
    }

    /// Whether a payload of this content is among the records.
    pub(crate) fn has_content(&self, content: &ContentHash) -> bool {
        self.contents.contains(&content.0)
    }

    /// Notes that a payload of this content is among the records.
    pub(crate) fn note_content(&mut self, content: ContentHash) {
        self.contents.insert(content.0);
    }

    /// Whether the list of a key is among the records.
    pub(crate) fn has_list(&self, id: &KeyId) -> bool {
        self.lists.contains(id)
    }

    /// Notes that the list of a key is among the records.
    pub(crate) fn note_list(&mut self, id: KeyId) {
        self.lists.insert(id);
    }

    /// Adds a record; false if it is larger than the format allows.
    pub(crate) fn append(&mut self, codec: &Codec, live: &Live, draft: &Draft<'_>) -> bool {
        let offset = live.end + self.bytes();
        let header = codec.write(draft, &live.seal, &mut self.bytes);
        let is_written = header.is_some();
        self.records.extend(header.map(|it| (offset, it)));
        is_written
    }

    /// Adds a record of another segment, checked by the caller, as if written at `time`.
    pub(crate) fn append_copy(&mut self, live: &Live, (header, record): (&Header, &[u8]), time: u32) {
        let (offset, start) = (live.end + self.bytes(), self.bytes.len());
        copy(header, record, time, &live.seal, &mut self.bytes);
        match Header::read(&self.bytes[start..], &live.seal) {
            Some(header) => self.records.push((offset, header)),
            None => self.bytes.truncate(start),
        }
    }
}

impl Live {
    /// Returns a segment to write to: one that is not full and has no writer, or a new one.
    ///
    /// # Errors
    /// When a new one cannot be made.
    pub(crate) fn open(level: &Level, mode: StoreMode) -> io::Result<Live> {
        adopt(level, mode).map_or_else(|| create(level), Ok)
    }

    /// Returns the segment.
    pub(crate) fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// Returns the position of the next record.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Whether it has the list of this key.
    pub(crate) fn has_list(&mut self, level: &Level, id: &KeyId) -> bool {
        let name = self.segment.name;
        let known = self.lists.contains(id)
            || level.find(&id_of(&id.0), Index::List).iter().any(|it| it.segment.name == name);
        if known {
            self.lists.insert(*id);
        }
        known
    }

    /// Writes the records of a batch.
    ///
    /// # Errors
    /// When they cannot be written; then none is.
    pub(crate) fn write(&mut self, batch: &Batch) -> io::Result<()> {
        if let Err(error) = self.file.write_all_at(&batch.bytes, self.end) {
            // A part may be there: take it back, so that the next writer finds a clean end.
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += batch.bytes();
        self.rows.extend(batch.records.iter().flat_map(|(offset, header)| rows(*offset, header)));
        Ok(())
    }

    /// Publishes the table of its new records, and lets it go. True if there was anything to list.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub(crate) fn release(self, level: &Level, sealed: bool) -> io::Result<bool> {
        if sealed && self.file.set_permissions(Permissions::from_mode(0o400)).is_err() {
            return Ok(false);
        }
        let written = self.end > self.from;
        if written {
            let range = Range { segment: self.segment.name, from: self.from, to: self.end, sealed };
            publish(level, &[range], self.rows)?;
        }
        Ok(written)
    }
}

fn adopt(level: &Level, mode: StoreMode) -> Option<Live> {
    // What replaces stored entries must be newer than they are, so it goes to a new segment.
    if level.root.network || mode != StoreMode::ReadWrite {
        return None;
    }
    level.refresh(Duration::ZERO);
    let full = level.segment_bytes_max();
    let candidates = level.view().in_order();
    candidates.iter().rev().take(ADOPT_MAX).find_map(|segment| adopt_one(level, segment, full).ok())
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

/// Rows of the record at `offset`, for a table of one range.
pub(crate) fn rows(offset: u64, header: &Header) -> impl Iterator<Item = Row> + use<> {
    let (class, stored_len) = (header.class.tag(), header.stored_len);
    let subject = header.subject;
    rows_of(header).map(move |(id, index)| Row { id, index, class, range: 0, offset, stored_len, subject })
}

/// Writes the table of `ranges` and makes it visible.
pub(crate) fn publish(level: &Level, ranges: &[Range], rows: Vec<Row>) -> io::Result<String> {
    let (name, bytes) = build(ranges, rows);
    write_whole(&level.root.tables(), &name, &bytes)?;
    Ok(name)
}
