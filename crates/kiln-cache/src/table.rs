//! Tables: the sorted, immutable index of some ranges of segments.
//!
//! ```text
//!  0 magic "KILNIDX" and version u8     24 body check [16]  BLAKE3(bytes 64..)
//!  8 rows u32                           40 front check [8]  BLAKE3(ranges, fan-out)
//! 12 fan_bits u32                       48 check [16]       BLAKE3(bytes 0..48)
//! 16 ranges u32                         64 ranges, 40 bytes each: seq, tag, from, to, flags u64
//! 20 zeros                                 fan-out, (1 << fan_bits) + 1 x u32
//!                                          rows, 32 bytes each, sorted
//! row: id [16]  offset u32 (x 8)  stored_len u32  kind u8  class u8  segment u16 (which range)  subject u32
//! ```
//!
//! The fan-out holds the row at which the ids with equal first `fan_bits` start. A lookup reads one bucket, with
//! `pread` and never through a mapping: a truncated file is then a short read, not a signal.
//!
//! Rows are hints. A damaged row leads to a missing record or to another key's, and the record's own checks detect
//! that; no table can make a lookup return wrong bytes. So opening one checks its length and everything before the
//! rows, where damage would hide many; only [`verify`](crate::Store::verify) reads all of it.

use crate::segment::{Name, ReadAt};
use crate::stats::Miss;
use kiln_bytes::{Malformed, Read, Reader, Writer, hex};
use std::io;

const MAGIC: [u8; 8] = *b"KILNIDX\x01";
const HEADER_BYTES: usize = 64;
const RANGE_BYTES: usize = 40;
const ROW_BYTES: usize = 32;
const FAN_BITS_MAX: u32 = 20;
const ROWS_PER_BUCKET: usize = 16;
const SEALED: u64 = 1;

/// Most ranges of one table: rows name theirs in 16 bits.
pub(crate) const RANGES_MAX: usize = 1 << 16;
/// Tables of at most this many bytes are read whole when opened.
const WHOLE_BYTES_MAX: u64 = 256 << 10;

/// The first half of a [`KeyId`](crate::KeyId) or a [`ContentHash`](crate::ContentHash).
pub(crate) type Id = [u8; 16];

pub(crate) fn id_of(hash: &[u8; 32]) -> Id {
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    id
}

/// The index of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Index {
    /// By key: an entry or an alias.
    Key,
    /// By content: an entry.
    Content,
    /// By key: the list of a nested key.
    List,
}

impl Index {
    fn tag(self) -> u8 {
        match self {
            Index::Key => 1,
            Index::Content => 2,
            Index::List => 3,
        }
    }

    fn from_tag(tag: u8) -> Read<Index> {
        let known = [Index::Key, Index::Content, Index::List].into_iter().find(|it| it.tag() == tag);
        known.ok_or(Malformed("a row of an unknown index"))
    }
}

/// One row: where a record is. Ordered as in the file, except that the newest of equal ids comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: Id,
    pub(crate) index: Index,
    pub(crate) class: u8,
    /// The range of its table.
    pub(crate) range: u16,
    pub(crate) offset: u64,
    pub(crate) stored_len: u32,
    pub(crate) subject: u32,
}

impl Row {
    fn write(&self, out: &mut Writer) {
        out.raw(&self.id);
        out.u32((self.offset / 8) as u32);
        out.u32(self.stored_len);
        out.raw(&[self.index.tag(), self.class]);
        out.u16(self.range);
        out.u32(self.subject);
    }

    fn read(bytes: &[u8]) -> Read<Row> {
        let mut reader = Reader::new(bytes);
        Ok(Row {
            id: reader.array()?,
            offset: u64::from(reader.u32()?) * 8,
            stored_len: reader.u32()?,
            index: Index::from_tag(reader.u8()?)?,
            class: reader.u8()?,
            range: reader.u16()?,
            subject: reader.u32()?,
        })
    }
}

/// A part of a segment that a table indexes completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) segment: Name,
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Nothing will be appended behind `to`.
    pub(crate) sealed: bool,
}

/// The bytes of the table of `ranges` and `rows`, and the name of its file, which is that of its ranges: two processes
/// that merge the same tables write the same file.
pub(crate) fn build(ranges: &[Range], mut rows: Vec<Row>) -> (String, Vec<u8>) {
    sort(&mut rows, ranges);
    let fan_bits = fan_bits(rows.len());
    let mut body =
        Writer::with_capacity(rows.len() * ROW_BYTES + ranges.len() * RANGE_BYTES + (4 << fan_bits) + 4);
    for range in ranges {
        let flags = if range.sealed { SEALED } else { 0 };
        for number in [range.segment.seq, range.segment.tag, range.from, range.to, flags] {
            body.u64(number);
        }
    }
    let name = format!("{}.idx", hex(&blake3::hash(body.as_bytes()).as_bytes()[..16]));
    let mut starts = vec![0u32; (1 << fan_bits) + 1];
    for row in &rows {
        starts[bucket(&row.id, fan_bits) + 1] += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        body.u32(total);
    }
    for row in &rows {
        row.write(&mut body);
    }
    let body = body.finish();
    let front = blake3::hash(&body[..body.len() - rows.len() * ROW_BYTES]);
    let mut out = Writer::with_capacity(HEADER_BYTES + body.len());
    out.raw(&MAGIC);
    [rows.len() as u32, fan_bits, ranges.len() as u32, 0].iter().for_each(|it| out.u32(*it));
    out.raw(&blake3::hash(&body).as_bytes()[..16]);
    out.raw(&front.as_bytes()[..8]);
    let check = blake3::hash(out.as_bytes());
    out.raw(&check.as_bytes()[..16]);
    out.raw(&body);
    (name, out.finish())
}

/// Sorts rows as in a table and keeps the newest of those with the same id and index.
fn sort(rows: &mut Vec<Row>, ranges: &[Range]) {
    let age = |row: &Row| (ranges.get(usize::from(row.range)).map_or(0, |it| it.segment.seq), row.offset);
    // Stable, because what is merged comes in sorted runs.
    rows.sort_by(|a, b| (a.id, a.index).cmp(&(b.id, b.index)).then_with(|| age(b).cmp(&age(a))));
    rows.dedup_by(|a, b| (a.id, a.index) == (b.id, b.index));
}

fn fan_bits(rows: usize) -> u32 {
    rows.div_ceil(ROWS_PER_BUCKET).next_power_of_two().ilog2().min(FAN_BITS_MAX)
}

fn bucket(id: &Id, fan_bits: u32) -> usize {
    let first = u32::from_be_bytes([id[0], id[1], id[2], id[3]]);
    (u64::from(first) >> (32 - fan_bits)) as usize
}

/// An open table.
pub(crate) struct Table<S> {
    source: S,
    /// The whole file, when it is small.
    whole: Option<Vec<u8>>,
    fan: Vec<u8>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) rows: u32,
    fan_bits: u32,
    pub(crate) len: u64,
    body_check: [u8; 16],
}

impl<S: ReadAt> Table<S> {
    /// Opens the table in `source`, of `len` bytes.
    pub(crate) fn open(source: S, len: u64) -> Result<Table<S>, Miss> {
        let whole = if len <= WHOLE_BYTES_MAX { Some(read(&source, 0, len as usize)?) } else { None };
        let header = match &whole {
            Some(bytes) => bytes.get(..HEADER_BYTES).ok_or(Miss::Truncated)?.to_vec(),
            None => read(&source, 0, HEADER_BYTES)?,
        };
        if !header.starts_with(&MAGIC) {
            return Err(Miss::Foreign);
        }
        if blake3::hash(&header[..48]).as_bytes()[..16] != header[48..] {
            return Err(Miss::Corrupt);
        }
        let mut reader = Reader::new(&header[8..]);
        let mut number = || reader.u32();
        let (rows, fan_bits, range_count, _) = (number()?, number()?, number()? as usize, number()?);
        let body_check = reader.array()?;
        let front_check: [u8; 8] = reader.array()?;
        if fan_bits > FAN_BITS_MAX || range_count > RANGES_MAX {
            return Err(Miss::Corrupt);
        }
        let mut table =
            Table { source, whole, fan: Vec::new(), ranges: Vec::new(), rows, fan_bits, len, body_check };
        if table.rows_start(range_count) + u64::from(rows) * ROW_BYTES as u64 != len {
            return Err(Miss::Truncated);
        }
        let range_bytes = range_count * RANGE_BYTES;
        let mut front = table.read(HEADER_BYTES as u64, range_bytes + table.fan_bytes())?;
        if blake3::hash(&front).as_bytes()[..8] != front_check {
            return Err(Miss::Corrupt);
        }
        table.fan = front.split_off(range_bytes);
        table.ranges = front.chunks_exact(RANGE_BYTES).flat_map(read_range).collect();
        Ok(table)
    }

    fn fan_bytes(&self) -> usize {
        ((1 << self.fan_bits) + 1) * 4
    }

    fn rows_start(&self, ranges: usize) -> u64 {
        (HEADER_BYTES + ranges * RANGE_BYTES + self.fan_bytes()) as u64
    }

    fn read(&self, offset: u64, count: usize) -> Result<Vec<u8>, Miss> {
        match &self.whole {
            Some(bytes) => {
                let start = offset as usize;
                Ok(bytes.get(start..start + count).ok_or(Miss::Truncated)?.to_vec())
            }
            None => read(&self.source, offset, count),
        }
    }

    /// Calls `visit` with the rows of `id` in `index`.
    pub(crate) fn find(&self, id: &Id, index: Index, visit: &mut dyn FnMut(Row)) -> Result<(), Miss> {
        let mut reader = Reader::new(&self.fan[bucket(id, self.fan_bits) * 4..]);
        let (start, end) = (reader.u32()?, reader.u32()?);
        if start > end || end > self.rows {
            return Err(Miss::Corrupt);
        }
        let count = (end - start) as usize;
        if count == 0 {
            return Ok(());
        }
        let offset = self.rows_start(self.ranges.len()) + u64::from(start) * ROW_BYTES as u64;
        let mut search = |rows: &[u8]| {
            for bytes in rows.chunks_exact(ROW_BYTES).filter(|it| it.starts_with(id)) {
                if let Some(row) = Row::read(bytes).ok().filter(|it| it.index == index) {
                    visit(row);
                }
            }
        };
        if let Some(whole) = &self.whole {
            search(whole.get(offset as usize..offset as usize + count * ROW_BYTES).ok_or(Miss::Truncated)?);
            return Ok(());
        }
        // Rows of one id stand together and a bucket is short, so it is read at once and without an allocation.
        let mut buffer = [0; ROW_BYTES * ROWS_PER_BUCKET * 4];
        if count * ROW_BYTES <= buffer.len() {
            let bytes = &mut buffer[..count * ROW_BYTES];
            fill(&self.source, offset, bytes)?;
            search(bytes);
        } else {
            search(&self.read(offset, count * ROW_BYTES)?);
        }
        Ok(())
    }

    /// Calls `visit` with every row, reading the file once.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(Row)) -> Result<(), Miss> {
        const ROWS_AT_ONCE: u32 = 8192;
        let start = self.rows_start(self.ranges.len());
        let mut at = 0;
        while at < self.rows {
            let count = ROWS_AT_ONCE.min(self.rows - at);
            let bytes = self.read(start + u64::from(at) * ROW_BYTES as u64, count as usize * ROW_BYTES)?;
            bytes.chunks_exact(ROW_BYTES).flat_map(Row::read).for_each(&mut *visit);
            at += count;
        }
        Ok(())
    }

    /// Reads everything and compares it with the checksum.
    pub(crate) fn verify(&self) -> Result<(), Miss> {
        let mut hasher = blake3::Hasher::new();
        let mut at = HEADER_BYTES as u64;
        while at < self.len {
            let count = (self.len - at).min(1 << 20) as usize;
            hasher.update(&read(&self.source, at, count)?);
            at += count as u64;
        }
        if hasher.finalize().as_bytes()[..16] == self.body_check { Ok(()) } else { Err(Miss::Corrupt) }
    }
}

/// Returns `bytes` as a table with correct checksums and length, for fuzzing; `None` if they are too few.
pub(crate) fn rechecked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = bytes.to_vec();
    let header = out.get(..HEADER_BYTES)?;
    let fan_bits = u32::from(header[12]) % 6;
    let ranges = usize::from(header[16]) % 4;
    let front = ranges * RANGE_BYTES + ((1 << fan_bits) + 1) * 4;
    let rows = out.len().checked_sub(HEADER_BYTES + front)? / ROW_BYTES;
    out.truncate(HEADER_BYTES + front + rows * ROW_BYTES);
    let (header, body) = out.split_at_mut(HEADER_BYTES);
    header[..8].copy_from_slice(&MAGIC);
    for (at, number) in [(8, rows as u32), (12, fan_bits), (16, ranges as u32)] {
        header[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    header[24..40].copy_from_slice(&blake3::hash(body).as_bytes()[..16]);
    header[40..48].copy_from_slice(&blake3::hash(&body[..front]).as_bytes()[..8]);
    let check = blake3::hash(&header[..48]);
    header[48..].copy_from_slice(&check.as_bytes()[..16]);
    Some(out)
}

fn read<S: ReadAt>(source: &S, offset: u64, count: usize) -> Result<Vec<u8>, Miss> {
    let mut bytes = vec![0; count];
    fill(source, offset, &mut bytes)?;
    Ok(bytes)
}

fn fill<S: ReadAt>(source: &S, offset: u64, bytes: &mut [u8]) -> Result<(), Miss> {
    let done: io::Result<usize> = source.read_at_most(bytes, offset);
    match done {
        Ok(count) if count == bytes.len() => Ok(()),
        Ok(_) => Err(Miss::Truncated),
        Err(_) => Err(Miss::Io),
    }
}

fn read_range(bytes: &[u8]) -> Read<Range> {
    let mut reader = Reader::new(bytes);
    let segment = Name { seq: reader.u64()?, tag: reader.u64()? };
    Ok(Range { segment, from: reader.u64()?, to: reader.u64()?, sealed: reader.u64()? & SEALED != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl ReadAt for Vec<u8> {
        fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.as_slice().read_at_most(buffer, offset)
        }
    }

    fn open(bytes: &[u8]) -> Result<Table<Vec<u8>>, Miss> {
        Table::open(bytes.to_vec(), bytes.len() as u64)
    }

    fn row(number: u32, range: u16, offset: u64) -> Row {
        let id = id_of(blake3::hash(&number.to_le_bytes()).as_bytes());
        Row { id, index: Index::Key, class: 1, range, offset, stored_len: number, subject: number }
    }

    fn range(seq: u64) -> Range {
        Range { segment: Name { seq, tag: seq }, from: 64, to: 1 << 20, sealed: seq == 1 }
    }

    fn find(table: &Table<Vec<u8>>, wanted: &Row) -> Vec<Row> {
        let mut found = Vec::new();
        table.find(&wanted.id, wanted.index, &mut |it| found.push(it)).unwrap();
        found
    }

    #[test]
    fn what_is_listed_is_found_in_small_and_large_tables() {
        for count in [0, 1, 40, 20_000] {
            let rows: Vec<Row> = (0..count).map(|it| row(it, 0, u64::from(it) * 8)).collect();
            let (_, bytes) = build(&[range(1)], rows.clone());
            let table = open(&bytes).unwrap();
            table.verify().unwrap();
            assert_eq!((table.rows, table.ranges.as_slice()), (count, &[range(1)][..]));
            for row in rows.iter().step_by(7) {
                assert_eq!(find(&table, row), [*row]);
            }
            assert_eq!(find(&table, &row(count, 0, 0)), []);
            let mut all = 0;
            table.each(&mut |_| all += 1).unwrap();
            assert_eq!(all, count);
        }
    }

    #[test]
    fn the_newest_row_of_an_id_stays() {
        let rows = vec![row(5, 0, 800), row(5, 1, 80), row(5, 1, 160)];
        let (_, bytes) = build(&[range(1), range(2)], rows);
        assert_eq!(find(&open(&bytes).unwrap(), &row(5, 0, 0)), [row(5, 1, 160)]);
    }

    #[test]
    fn a_table_cut_short_is_refused() {
        let (_, bytes) = build(&[range(1)], (0..50).map(|it| row(it, 0, 0)).collect());
        for len in 0..bytes.len() {
            assert!(open(&bytes[..len]).is_err(), "{len} bytes");
        }
    }

    proptest! {
        // Any damage is refused or harmless: no panic, and at most fewer or other rows, which the records judge.
        #[test]
        fn any_damage_is_survived(at in 0usize..2000, bits in 1u8..=255, count in 1u32..60) {
            let rows: Vec<Row> = (0..count).map(|it| row(it, 0, u64::from(it) * 8)).collect();
            let (_, mut bytes) = build(&[range(1)], rows.clone());
            let at = at % bytes.len();
            bytes[at] ^= bits;
            if let Ok(table) = open(&bytes) {
                prop_assert!(at >= HEADER_BYTES, "the header has a checksum");
                prop_assert!(table.verify().is_err());
                for row in &rows {
                    let _ = table.find(&row.id, row.index, &mut |_| {});
                }
            }
        }
    }
}
