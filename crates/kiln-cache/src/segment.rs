//! Segments: append-only files of records, each written by one process at a time.
//!
//! ```text
//!  0 magic "KILNSEG" and version u8      32 created u32 (s), then zeros
//!  8 salt [16]                           48 check [16]  BLAKE3(bytes 0..48)
//! 24 seq u64                             64 records
//! ```
//!
//! A file is named `<seq>-<first 8 bytes of the salt>.seg` in hexadecimal, as its header repeats, so a renamed file
//! is rejected. Sequence numbers grow: a new segment exceeds all visible ones, independently of the clock.

use crate::record::{HEADER_BYTES, Header, Seal, record_len};
use crate::stats::Miss;
use kiln_bytes::{Reader, Writer, hex};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(crate) const SEGMENT_HEADER_BYTES: u64 = 64;
const MAGIC: [u8; 8] = *b"KILNSEG\x01";
const EXTENSION: &str = ".seg";

/// Bytes that can be read at any offset: a file, or a slice in tests and fuzzing.
pub(crate) trait ReadAt {
    /// Reads at `offset` until `buffer` is full or there is no more; returns how much it read.
    fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for File {
    fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            match self.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

impl ReadAt for [u8] {
    fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let count = buffer.len().min(self.len() - start);
        buffer[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }
}

impl ReadAt for &[u8] {
    fn read_at_most(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        <[u8] as ReadAt>::read_at_most(self, buffer, offset)
    }
}

/// The name of a segment: its place in the order of segments, and the start of its salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    pub(crate) seq: u64,
    pub(crate) tag: u64,
}

impl Name {
    pub(crate) fn new(seq: u64, salt: &[u8; 16]) -> Name {
        let [a, b, c, d, e, f, g, h, ..] = *salt;
        Name { seq, tag: u64::from_be_bytes([a, b, c, d, e, f, g, h]) }
    }

    pub(crate) fn parse(file: &str) -> Option<Name> {
        let (seq, tag) = file.strip_suffix(EXTENSION)?.split_once('-')?;
        let number = |text: &str| {
            let plain = text.len() == 16 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
            if plain { u64::from_str_radix(text, 16).ok() } else { None }
        };
        Some(Name { seq: number(seq)?, tag: number(tag)? })
    }

    pub(crate) fn file(&self) -> String {
        format!("{}-{}{EXTENSION}", hex(&self.seq.to_be_bytes()), hex(&self.tag.to_be_bytes()))
    }
}

/// The first bytes of a segment.
pub(crate) fn header_bytes(seq: u64, salt: &[u8; 16], created: u32) -> Vec<u8> {
    let mut out = Writer::with_capacity(SEGMENT_HEADER_BYTES as usize);
    out.raw(&MAGIC);
    out.raw(salt);
    out.u64(seq);
    out.u32(created);
    out.raw(&[0; 12]);
    let check = blake3::hash(out.as_bytes());
    out.raw(&check.as_bytes()[..16]);
    out.finish()
}

/// Reads the header of a segment: its name and its seal.
pub(crate) fn read_header(bytes: &[u8]) -> Result<(Name, Seal), Miss> {
    let bytes = bytes.get(..SEGMENT_HEADER_BYTES as usize).ok_or(Miss::Truncated)?;
    if !bytes.starts_with(&MAGIC) {
        return Err(Miss::Foreign);
    }
    if blake3::hash(&bytes[..48]).as_bytes()[..16] != bytes[48..] {
        return Err(Miss::Corrupt);
    }
    let mut reader = Reader::new(&bytes[8..]);
    let salt: [u8; 16] = reader.array()?;
    let seq = reader.u64()?;
    Ok((Name::new(seq, &salt), Seal::from_salt(salt)))
}

/// A segment as readers see it: opened when first read, then kept open, so that eviction does not disturb them.
pub(crate) struct Segment {
    pub(crate) name: Name,
    path: PathBuf,
    owner: u32,
    opened: OnceLock<Result<Opened, Miss>>,
}

pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) seal: Seal,
}

impl Segment {
    /// A reference to the segment `name` in `dir`, all of whose files belong to the user `owner`.
    pub(crate) fn new(name: Name, dir: &Path, owner: u32) -> Segment {
        Segment { name, path: dir.join(name.file()), owner, opened: OnceLock::new() }
    }

    /// A segment that an index names and that is there no more.
    pub(crate) fn gone(name: Name) -> Segment {
        Segment { name, path: PathBuf::new(), owner: 0, opened: OnceLock::from(Err(Miss::Evicted)) }
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.opened.get(), Some(Err(Miss::Evicted)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the open file. Errors of a segment are remembered, except exhaustion of file descriptors.
    pub(crate) fn open(&self) -> Result<&Opened, Miss> {
        if self.opened.get().is_none() {
            let opened = open(&self.path, self.name, self.owner, OFlags::RDONLY);
            if let Err(Miss::Io) = opened {
                return Err(Miss::Io);
            }
            let _ = self.opened.set(opened);
        }
        match self.opened.get() {
            Some(Ok(opened)) => Ok(opened),
            Some(Err(reason)) => Err(*reason),
            None => Err(Miss::Io),
        }
    }

    /// Bytes in the file now.
    pub(crate) fn len(&self) -> Result<u64, Miss> {
        Ok(self.open()?.file.metadata().map_err(|_| Miss::Io)?.len())
    }

    /// The header of the record at `offset` and all its bytes; the body is not checked yet.
    pub(crate) fn read(&self, offset: u64, stored_len: u32) -> Result<(Header, Vec<u8>), Miss> {
        let opened = self.open()?;
        let mut record = vec![0; HEADER_BYTES + stored_len as usize];
        let count = opened.file.read_at_most(&mut record, offset).map_err(|_| Miss::Io)?;
        if count < record.len() {
            return Err(Miss::Truncated);
        }
        let header = Header::read(&record, &opened.seal).ok_or(Miss::Corrupt)?;
        if header.stored_len == stored_len { Ok((header, record)) } else { Err(Miss::Corrupt) }
    }
}

/// Opens a segment, which must be a plain file of `owner` with the header that its name implies.
pub(crate) fn open(path: &Path, name: Name, owner: u32, access: OFlags) -> Result<Opened, Miss> {
    let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, rustix::fs::Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        // A file that was there a moment ago: evicted, or gone from under a network mount.
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::STALE) => return Err(Miss::Evicted),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::ACCESS | rustix::io::Errno::NXIO) => {
            return Err(Miss::Foreign);
        }
        Err(_) => return Err(Miss::Io),
    };
    let metadata = file.metadata().map_err(|_| Miss::Io)?;
    if !metadata.is_file() || metadata.uid() != owner {
        return Err(Miss::Foreign);
    }
    let mut header = [0; SEGMENT_HEADER_BYTES as usize];
    let count = file.read_at_most(&mut header, 0).map_err(|_| Miss::Io)?;
    let (found, seal) = read_header(&header[..count])?;
    if found == name { Ok(Opened { file, seal }) } else { Err(Miss::Foreign) }
}

/// The position of a scan.
pub(crate) struct Scanned {
    /// Just past the last valid record, or where the scan began.
    pub(crate) end: u64,
    /// Regions that hold no valid record although one follows, in bytes.
    pub(crate) damaged_bytes: u64,
}

const WINDOW_BYTES: usize = 256 << 10;

/// Calls `visit` with the offset and header of every record of `source` in `[from, len)`. Reads headers only; after a
/// damaged one it looks for the next seal that holds, so that damage costs the records it touched and no other.
pub(crate) fn scan<S: ReadAt + ?Sized>(
    source: &S,
    seal: &Seal,
    from: u64,
    len: u64,
    visit: &mut dyn FnMut(u64, Header),
) -> io::Result<Scanned> {
    let mut window = Window { source, start: 0, bytes: Vec::new(), len };
    let mut scanned = Scanned { end: from, damaged_bytes: 0 };
    let mut at = from;
    while at + HEADER_BYTES as u64 <= len {
        let header = Header::read(window.at(at, HEADER_BYTES)?, seal);
        match header.filter(|it| at + HEADER_BYTES as u64 + u64::from(it.stored_len) <= len) {
            Some(header) => {
                scanned.damaged_bytes += at - scanned.end;
                let next = at + record_len(header.stored_len);
                visit(at, header);
                at = next;
                scanned.end = next;
            }
            None => at += 8,
        }
    }
    Ok(scanned)
}

struct Window<'a, S: ?Sized> {
    source: &'a S,
    start: u64,
    bytes: Vec<u8>,
    len: u64,
}

impl<S: ReadAt + ?Sized> Window<'_, S> {
    /// `count` bytes at `offset`, or fewer at the end.
    fn at(&mut self, offset: u64, count: usize) -> io::Result<&[u8]> {
        let end = offset + count as u64;
        if offset < self.start || end > self.start + self.bytes.len() as u64 {
            let wanted = (self.len - offset).min(WINDOW_BYTES as u64) as usize;
            self.bytes.resize(wanted, 0);
            self.start = offset;
            let read = self.source.read_at_most(&mut self.bytes, offset)?;
            self.bytes.truncate(read);
        }
        let skip = (offset - self.start) as usize;
        Ok(&self.bytes[skip..self.bytes.len().min(skip + count)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Compression;
    use crate::key::{Class, ContentHash, KeyBuilder};
    use crate::record::{Codec, Draft, RecordKind};
    use std::time::Duration;

    fn segment(payloads: &[&[u8]]) -> (Vec<u8>, Seal, Vec<u64>) {
        let salt = [5; 16];
        let seal = Seal::from_salt(salt);
        let mut out = header_bytes(1, &salt, 0);
        let mut starts = Vec::new();
        for (nth, payload) in payloads.iter().enumerate() {
            let mut key = KeyBuilder::new(Class::Tool, "");
            key.number("nth", nth as u64);
            starts.push(out.len() as u64);
            let draft = Draft {
                kind: RecordKind::Entry,
                key: &key.finish(),
                payload,
                content: ContentHash::of(payload),
                cost: Duration::ZERO,
                time: 0,
            };
            Codec::new(Compression::None).write(&draft, &seal, &mut out).unwrap();
        }
        (out, seal, starts)
    }

    fn scan_all(bytes: &[u8], seal: &Seal) -> (Vec<u64>, Scanned) {
        let mut found = Vec::new();
        let scanned =
            scan(bytes, seal, SEGMENT_HEADER_BYTES, bytes.len() as u64, &mut |at, _| found.push(at)).unwrap();
        (found, scanned)
    }

    #[test]
    fn a_name_is_in_its_header() {
        let name = Name::new(77, &[0xab; 16]);
        assert_eq!(Name::parse(&name.file()), Some(name));
        assert_eq!(Name::parse("000000000000004D-abababababababab.seg"), None, "one spelling a name");
        assert_eq!(read_header(&header_bytes(77, &[0xab; 16], 3)).unwrap().0, name);
        assert_eq!(read_header(&[0; 64]).err(), Some(Miss::Foreign));
        assert_eq!(read_header(b"KILNSEG\x01").err(), Some(Miss::Truncated));
    }

    #[test]
    fn a_scan_steps_over_large_payloads_and_stops_at_the_torn_tail() {
        let large = vec![3; WINDOW_BYTES * 2 + 5];
        let (bytes, seal, starts) = segment(&[b"one", &large, b"three"]);
        let (found, scanned) = scan_all(&bytes, &seal);
        assert_eq!(found, starts);
        assert_eq!((scanned.end, scanned.damaged_bytes), (bytes.len() as u64, 0));
        let torn = &bytes[..bytes.len() - 8];
        let (found, scanned) = scan_all(torn, &seal);
        assert_eq!(found, starts[..2]);
        assert_eq!(scanned.end, starts[2]);
    }

    // MISSION N9: damage costs the record it touched.
    #[test]
    fn a_scan_resumes_after_a_damaged_header() {
        let (mut bytes, seal, starts) = segment(&[b"one", b"two", b"three"]);
        bytes[starts[1] as usize + 9] ^= 1;
        let (found, scanned) = scan_all(&bytes, &seal);
        assert_eq!(found, [starts[0], starts[2]]);
        assert_eq!(scanned.damaged_bytes, starts[2] - starts[1]);
    }

    #[test]
    fn a_payload_that_looks_like_records_is_a_payload() {
        let (inner, _, _) = segment(&[b"inside"]);
        let (mut bytes, _, starts) = segment(&[&inner, b"after"]);
        let salt = [6; 16];
        // The same bytes in a segment of another salt hold no record at all.
        bytes[..64].copy_from_slice(&header_bytes(1, &salt, 0));
        assert_eq!(scan_all(&bytes, &Seal::from_salt(salt)).0, [0; 0]);
        let _ = starts;
    }
}
