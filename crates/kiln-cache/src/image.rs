//! Images: results chosen when a program was built, in one file that sessions read and never change.
//!
//! ```text
//!  0 magic "KILNIMAG"          16 length of the file u64     32 salt [16]
//!  8 version u32               24 rows u32
//! 12 length of the note u32    28 zeros
//! 48 note, rows, check [16]: BLAKE3 of all before
//!    records as in segments, sealed for the salt
//! row = id [32], offset u64, stored length u32, zeros u32; sorted by id
//! ```
//!
//! Opening reads up to the check: an image that is cut short, of another version, or damaged there is refused as a whole.
//! A record is checked when it is read; a damaged one is not there, and counted. Equal entries make equal files.

use crate::config::Compression;
use crate::entry::Entry;
use crate::key::{Key, KeyId};
use crate::record::{Codec, Draft, HEADER_BYTES, Header, RecordKind, Seal, record_len};
use crate::segment::ReadAt;
use kiln_bytes::{Read, Reader, Writer};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MAGIC: [u8; 8] = *b"KILNIMAG";
const VERSION: u32 = 3;
const HEADER: usize = 48;
const ROW: usize = 48;
const CHECK: usize = 16;
/// Rows and notes above this are no image's.
const INDEX_BYTES_MAX: u64 = 1 << 30;

/// Why a file is not used as an image.
#[derive(Debug)]
pub enum ImageRefusal {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is not an image.
    Foreign,
    /// The file has another version of the format.
    Version(u32),
    /// The length of the file differs from the recorded one.
    Truncated,
    /// Its checksum does not hold.
    Damaged,
}

impl std::fmt::Display for ImageRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImageRefusal::Io(error) => write!(f, "it cannot be read: {error}"),
            ImageRefusal::Foreign => f.write_str("it is no image"),
            ImageRefusal::Version(it) => write!(f, "its format has version {it}, not {VERSION}"),
            ImageRefusal::Truncated => f.write_str("it has been cut short"),
            ImageRefusal::Damaged => f.write_str("it is damaged"),
        }
    }
}

impl std::error::Error for ImageRefusal {}

/// An open image.
pub struct ImageFile {
    path: PathBuf,
    source: Box<dyn ReadAt + Send + Sync>,
    seal: Seal,
    codec: Codec,
    note: Vec<u8>,
    rows: Vec<u8>,
    /// Of the file.
    bytes: u64,
    damaged: AtomicU64,
}

/// The head of the file, behind its magic number.
struct Head {
    version: u32,
    note: u32,
    len: u64,
    rows: u32,
    salt: [u8; 16],
}

impl Head {
    fn read(bytes: &[u8]) -> Read<Head> {
        let mut reader = Reader::new(bytes);
        let (version, note, len, rows) = (reader.u32()?, reader.u32()?, reader.u64()?, reader.u32()?);
        reader.take(4)?;
        let salt = reader.array()?;
        reader.finish()?;
        Ok(Head { version, note, len, rows, salt })
    }

    /// The number of bytes before the check.
    fn checked(&self) -> u64 {
        HEADER as u64 + u64::from(self.note) + u64::from(self.rows) * ROW as u64
    }
}

/// Where an entry is.
struct Row {
    id: KeyId,
    offset: u64,
    stored: u32,
}

impl Row {
    fn read(bytes: &[u8]) -> Read<Row> {
        let mut reader = Reader::new(bytes);
        Ok(Row { id: KeyId(reader.array()?), offset: reader.u64()?, stored: reader.u32()? })
    }
}

impl ImageFile {
    /// Opens the image at `path`.
    ///
    /// # Errors
    /// Why the file is refused.
    pub fn open(path: &Path) -> Result<ImageFile, ImageRefusal> {
        let file = File::open(path).map_err(ImageRefusal::Io)?;
        let len = file.metadata().map_err(ImageRefusal::Io)?.len();
        ImageFile::read_from(path, Box::new(file), len)
    }

    pub(crate) fn read_from(
        path: &Path,
        source: Box<dyn ReadAt + Send + Sync>,
        len: u64,
    ) -> Result<ImageFile, ImageRefusal> {
        let read = |count: u64| {
            let mut bytes = vec![0; count as usize];
            let done = source.read_at_most(&mut bytes, 0).map_err(ImageRefusal::Io)?;
            bytes.truncate(done);
            Ok(bytes)
        };
        let header = read(HEADER as u64)?;
        if header.get(..8) != Some(&MAGIC) {
            return Err(ImageRefusal::Foreign);
        }
        let found = Head::read(&header[8..]).map_err(|_| ImageRefusal::Truncated)?;
        if found.version != VERSION {
            return Err(ImageRefusal::Version(found.version));
        }
        let checked = found.checked();
        if found.len != len || checked + CHECK as u64 > len {
            return Err(ImageRefusal::Truncated);
        }
        if checked > INDEX_BYTES_MAX {
            return Err(ImageRefusal::Damaged);
        }
        let mut head = read(checked + CHECK as u64)?;
        let check = head.split_off(checked as usize);
        if check_of(&head) != check[..] {
            return Err(ImageRefusal::Damaged);
        }
        let rows = head.split_off(HEADER + found.note as usize);
        let note = head.split_off(HEADER);
        Ok(ImageFile {
            path: path.to_owned(),
            source,
            seal: Seal::from_salt(found.salt),
            codec: Codec::new(Compression::None),
            note,
            rows,
            bytes: len,
            damaged: AtomicU64::new(0),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the builder's note.
    pub fn note(&self) -> &[u8] {
        &self.note
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.rows.len() / ROW
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of requested entries that were damaged.
    pub fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }

    /// The entry of `key`, checked.
    pub fn get(&self, key: &Key) -> Option<Entry> {
        let row = self.find(&key.id())?;
        let entry = self.read(&row);
        if entry.is_none() {
            self.damaged.fetch_add(1, Ordering::Relaxed);
        }
        entry.map(|it| it.1)
    }

    /// Every entry that is not damaged, with its key, by id.
    pub fn entries(&self) -> impl Iterator<Item = (Key, Entry)> + '_ {
        self.rows().filter_map(|it| self.read(&it))
    }

    /// Reads everything: returns the ids of damaged entries, and the number of bytes that belong to no entry. Opening
    /// the image has checked everything before the entries.
    pub fn verify(&self) -> (Vec<KeyId>, u64) {
        let mut damaged = Vec::new();
        let mut covered = (HEADER + self.note.len() + self.rows.len() + CHECK) as u64;
        for row in self.rows() {
            if self.read(&row).is_none() || !self.is_padded(&row) {
                damaged.push(row.id);
            }
            covered += record_len(row.stored);
        }
        (damaged, self.bytes.saturating_sub(covered))
    }

    /// Whether a record is followed by zeros up to the next one.
    fn is_padded(&self, row: &Row) -> bool {
        let Row { offset, stored, .. } = *row;
        let bare = HEADER_BYTES as u64 + u64::from(stored);
        let mut padding = vec![0; (record_len(stored) - bare) as usize];
        let end = offset.checked_add(bare);
        let read = end.and_then(|it| self.source.read_at_most(&mut padding, it).ok());
        read == Some(padding.len()) && padding.iter().all(|it| *it == 0)
    }

    fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.chunks_exact(ROW).flat_map(Row::read)
    }

    fn find(&self, id: &KeyId) -> Option<Row> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            let row = Row::read(&self.rows[middle * ROW..]).ok()?;
            match row.id.cmp(id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(row),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn read(&self, row: &Row) -> Option<(Key, Entry)> {
        let Row { id, offset, stored } = *row;
        let len = HEADER_BYTES.checked_add(stored as usize).filter(|it| *it as u64 <= INDEX_BYTES_MAX)?;
        let mut record = vec![0; len];
        let done = self.source.read_at_most(&mut record, offset).ok()?;
        let header = Header::read(&record, &self.seal)?;
        if done != len || header.key != id || header.stored_len != stored || header.kind != RecordKind::Entry
        {
            return None;
        }
        let body = self.codec.body(&header, record).ok()?;
        let key = Key::decode(&body.list).ok()?;
        let entry = Entry { payload: body.payload, content: header.content, cost: header.cost };
        Some((key, entry))
    }
}

fn check_of(bytes: &[u8]) -> [u8; CHECK] {
    let mut check = [0; CHECK];
    check.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECK]);
    check
}

/// Writes an image of `entries` to `path`, which appears whole. `note` comes back as [`ImageFile::note`].
///
/// # Errors
/// When it cannot be written.
pub fn write_image(path: &Path, note: &[u8], entries: &[(Key, Entry)]) -> io::Result<u64> {
    let bytes = image_bytes(note, entries);
    let mut draft = path.as_os_str().to_owned();
    draft.push(".part");
    let draft = Path::new(&draft);
    let written = std::fs::write(draft, &bytes).and_then(|()| std::fs::rename(draft, path));
    if written.is_err() {
        let _ = std::fs::remove_file(draft);
    }
    written.map(|()| bytes.len() as u64)
}

pub(crate) fn image_bytes(note: &[u8], entries: &[(Key, Entry)]) -> Vec<u8> {
    let mut sorted: Vec<&(Key, Entry)> = entries.iter().collect();
    sorted.sort_by_key(|it| it.0.id());
    sorted.dedup_by_key(|it| it.0.id());
    let mut salt = [0; 16];
    salt.copy_from_slice(&blake3::hash(note).as_bytes()[..16]);
    let (seal, codec) = (Seal::from_salt(salt), Codec::new(Compression::Zstd(3)));
    let start = HEADER + note.len() + sorted.len() * ROW + CHECK;
    let (mut rows, mut records) = (Writer::new(), Vec::new());
    for (key, entry) in sorted {
        let offset = (start + records.len()) as u64;
        let Entry { payload, content, cost: _ } = entry;
        let (kind, content) = (RecordKind::Entry, *content);
        let draft = Draft { kind, key, payload, content, cost: Duration::ZERO, time: 0 };
        // Too large for the format: it is made again where it is wanted.
        let Some(header) = codec.write(&draft, &seal, &mut records) else { continue };
        rows.raw(&key.id().0);
        rows.u64(offset);
        rows.u32(header.stored_len);
        rows.u32(0);
    }
    let mut out = Writer::with_capacity(start + records.len());
    let len = HEADER + note.len() + rows.len() + CHECK + records.len();
    out.raw(&MAGIC);
    out.u32(VERSION);
    out.u32(note.len() as u32);
    out.u64(len as u64);
    out.u32((rows.len() / ROW) as u32);
    out.u32(0);
    out.raw(&salt);
    out.raw(note);
    out.raw(rows.as_bytes());
    out.raw(&check_of(out.as_bytes()));
    out.raw(&records);
    out.finish()
}

impl std::fmt::Debug for ImageFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image")
            .field("path", &self.path)
            .field("entries", &self.len())
            .finish_non_exhaustive()
    }
}

/// Reads any bytes as an image, as they are and with the checksum made right; the fuzz target calls it.
pub(crate) fn fuzz(bytes: &[u8]) {
    let open = |bytes: Vec<u8>| {
        let len = bytes.len() as u64;
        if let Ok(image) = ImageFile::read_from(Path::new("fuzzed"), Box::new(Bytes(bytes)), len) {
            assert!(image.entries().count() <= image.len());
        }
    };
    open(bytes.to_vec());
    if bytes.len() >= HEADER {
        let mut right = bytes.to_vec();
        right[..8].copy_from_slice(&MAGIC);
        right[8..12].copy_from_slice(&VERSION.to_le_bytes());
        let len = right.len() as u64;
        right[16..24].copy_from_slice(&len.to_le_bytes());
        let head = Head::read(&right[8..HEADER]).map_or(u64::MAX, |it| it.checked());
        if head.saturating_add(CHECK as u64) <= len {
            let check = check_of(&right[..head as usize]);
            right[head as usize..head as usize + CHECK].copy_from_slice(&check);
        }
        open(right);
    }
}

/// Bytes in memory.
struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.as_slice().read_at_most(buffer, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{Class, KeyBuilder};

    fn key(name: &str) -> Key {
        let mut key = KeyBuilder::new(Class::Codegen, name);
        key.text("name", name);
        key.finish()
    }

    fn entries() -> Vec<(Key, Entry)> {
        let entry = |byte: u8| Entry::new(vec![byte; 700], Duration::ZERO);
        vec![(key("b"), entry(1)), (key("a"), entry(2)), (key("c"), Entry::new(Vec::new(), Duration::ZERO))]
    }

    fn open(bytes: Vec<u8>) -> Result<ImageFile, ImageRefusal> {
        let len = bytes.len() as u64;
        ImageFile::read_from(Path::new("test"), Box::new(Bytes(bytes)), len)
    }

    /// MISSION C9: an image returns the entries put into it, and does not depend on their order.
    #[test]
    fn an_image_has_what_was_put_into_it() {
        let bytes = image_bytes(b"note", &entries());
        let mut other = entries();
        other.reverse();
        assert_eq!(image_bytes(b"note", &other), bytes);
        let image = open(bytes).unwrap();
        assert_eq!((image.note(), image.len()), (&b"note"[..], 3));
        for (key, entry) in entries() {
            assert_eq!(image.get(&key), Some(entry));
        }
        assert_eq!(image.get(&key("d")), None);
        assert_eq!(image.damaged(), 0);
    }

    /// MISSION C9: an image that is not whole is refused, with the reason.
    #[test]
    fn a_cut_or_foreign_image_is_refused() {
        let bytes = image_bytes(b"note", &entries());
        for len in 0..bytes.len() {
            let refused = open(bytes[..len].to_vec());
            assert!(
                matches!(
                    refused,
                    Err(ImageRefusal::Foreign | ImageRefusal::Truncated | ImageRefusal::Version(_))
                ),
                "{len}"
            );
        }
        assert_eq!(open(bytes.clone()).unwrap().verify(), (Vec::new(), 0));
        let mut newer = bytes.clone();
        newer[8] += 1;
        assert!(matches!(open(newer), Err(ImageRefusal::Version(it)) if it == VERSION + 1));
        assert!(matches!(
            open(b"#!/bin/sh and so on and so forth and so on and so on".to_vec()),
            Err(ImageRefusal::Foreign)
        ));
    }

    /// MISSION C9: no flipped bit gives another entry: the image is refused, or the entry is not there.
    #[test]
    fn a_flipped_bit_never_changes_an_entry() {
        let bytes = image_bytes(b"note", &entries());
        let (mut refused, mut missing) = (0, 0);
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            let Ok(image) = open(flipped) else {
                refused += 1;
                continue;
            };
            let damaged = image.verify().0;
            assert!(!damaged.is_empty(), "byte {at} is found out");
            for (key, entry) in entries() {
                match image.get(&key) {
                    Some(found) => assert_eq!(found, entry, "byte {at}"),
                    None => missing += 1,
                }
                assert!(image.get(&key).is_some() || damaged.contains(&key.id()), "byte {at}");
            }
        }
        assert!(refused > 100 && missing > 100, "{refused} {missing}");
    }
}
