//! One record of a segment: a sealed header and a body with a checksum.
//!
//! ```text
//!   0 magic "KILR"        16 key_len u32       64 content [32]
//!   4 kind u8             20 subject u32       96 check [16]  XXH3(body), seeded by XXH3(bytes 0..96)
//!   5 codec u8            24 cost_us u32      112 seal [8]    BLAKE3 keyed by the segment(bytes 0..112)
//!   6 class u8            28 time u32 (s)     120 body: stored_len bytes, then zeros to a multiple of 8
//!   7 version u8          32 key [32]
//!   8 stored_len u32
//!  12 raw_len u32
//! ```
//!
//! The decompressed body is the payload followed by the key's list of `key_len` bytes. The seal proves that the
//! header is valid and belongs to this segment, without reading the body: a scan steps from seal to seal, and bytes
//! of a payload that look like a record are not mistaken for one. The checksum is verified at every use of a body: it finds
//! damage, and no more, since the program that could forge a body could forge any checksum of it too.
//!
//! A store compresses small bodies, of which a session reads thousands, by LZ4: they are decoded in half the time. Longer
//! ones, and those of images, are compressed by zstd.

use crate::config::Compression;
use crate::key::{Class, ContentHash, Key, KeyId};
use crate::stats::Miss;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use parking_lot::Mutex;
use std::time::{Duration, SystemTime};
use twox_hash::{XxHash3_64, XxHash3_128};

pub(crate) const HEADER_BYTES: usize = 120;
pub(crate) const VERSION: u8 = 2;
const MAGIC: [u8; 4] = *b"KILR";
const CHECKED_BYTES: usize = 96;
const SEALED_BYTES: usize = 112;

/// Largest body of a record, in bytes, as stored and decompressed.
pub(crate) const BODY_BYTES_MAX: usize = 1 << 30;
const COMPRESS_BYTES_MIN: usize = 512;
/// The longest body that is compressed by LZ4 where [`Compression::BySize`] is asked for.
const LZ4_BYTES_MAX: usize = 64 << 10;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RecordKind {
    /// A key with its list and its payload.
    Entry,
    /// A key with its list; the payload is in the entry of the same content.
    Alias,
    /// The list of a key that others name in a nested part.
    List,
}

impl RecordKind {
    fn tag(self) -> u8 {
        match self {
            RecordKind::Entry => 1,
            RecordKind::Alias => 2,
            RecordKind::List => 3,
        }
    }

    fn from_tag(tag: u8) -> Read<RecordKind> {
        let all = [RecordKind::Entry, RecordKind::Alias, RecordKind::List];
        all.into_iter().find(|it| it.tag() == tag).ok_or(Malformed("a record of an unknown kind"))
    }
}

const CODEC_RAW: u8 = 0;
const CODEC_ZSTD: u8 = 1;
const CODEC_LZ4: u8 = 2;

/// The key of a segment's seals: derived from its salt, so that a record is valid in one segment only.
#[derive(Clone, Copy)]
pub(crate) struct Seal([u8; 32]);

impl Seal {
    pub(crate) fn from_salt(salt: [u8; 16]) -> Seal {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"kiln-cache seal 1\0").update(&salt);
        Seal(*hasher.finalize().as_bytes())
    }

    fn stamp(&self, bytes: &[u8]) -> [u8; 8] {
        let hash = blake3::keyed_hash(&self.0, bytes);
        let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
        [a, b, c, d, e, f, g, h]
    }
}

/// A header that has been checked against its seal.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) kind: RecordKind,
    codec: u8,
    pub(crate) class: Class,
    pub(crate) stored_len: u32,
    pub(crate) raw_len: u32,
    pub(crate) key_len: u32,
    pub(crate) subject: u32,
    pub(crate) cost: Duration,
    /// When it was written, in seconds of the Unix epoch.
    pub(crate) time: u32,
    pub(crate) key: KeyId,
    pub(crate) content: ContentHash,
    check: [u8; 16],
}

impl Header {
    /// Reads a header; `None` unless its seal is this segment's and its numbers make sense.
    pub(crate) fn read(bytes: &[u8], seal: &Seal) -> Option<Header> {
        let bytes = bytes.get(..HEADER_BYTES)?;
        if !bytes.starts_with(&MAGIC) || seal.stamp(&bytes[..SEALED_BYTES]) != bytes[SEALED_BYTES..] {
            return None;
        }
        Header::parse(&bytes[MAGIC.len()..]).ok()
    }

    fn parse(bytes: &[u8]) -> Read<Header> {
        let mut reader = Reader::new(bytes);
        let kind = RecordKind::from_tag(reader.u8()?)?;
        let codec = reader.u8()?;
        let class = Class::from_tag(reader.u8()?)?;
        if reader.u8()? != VERSION || codec > CODEC_LZ4 {
            return Err(Malformed("a record of another version"));
        }
        let (stored_len, raw_len, key_len) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let subject = reader.u32()?;
        let cost = Duration::from_micros(u64::from(reader.u32()?));
        let time = reader.u32()?;
        let (key, content) = (KeyId(reader.array()?), ContentHash(reader.array()?));
        let check = reader.array()?;
        let bounded = stored_len as usize <= BODY_BYTES_MAX && raw_len as usize <= BODY_BYTES_MAX;
        if !bounded || key_len > raw_len {
            return Err(Malformed("a record of an impossible length"));
        }
        Ok(Header {
            kind,
            codec,
            class,
            stored_len,
            raw_len,
            key_len,
            subject,
            cost,
            time,
            key,
            content,
            check,
        })
    }

    /// Bytes of the payload.
    pub(crate) fn payload_len(&self) -> u32 {
        self.raw_len - self.key_len
    }

    /// Bytes of the whole record in its segment.
    pub(crate) fn record_len(&self) -> u64 {
        record_len(self.stored_len)
    }
}

/// Returns the length of a record whose body is `stored_len` bytes long: a multiple of 8.
pub(crate) fn record_len(stored_len: u32) -> u64 {
    (HEADER_BYTES as u64 + u64::from(stored_len)).next_multiple_of(8)
}

/// A record to be written.
pub(crate) struct Draft<'a> {
    pub(crate) kind: RecordKind,
    pub(crate) key: &'a Key,
    /// The payload; empty for records without one.
    pub(crate) payload: &'a [u8],
    pub(crate) content: ContentHash,
    pub(crate) cost: Duration,
    pub(crate) time: u32,
}

/// A body decompressed: the payload, and the list of the key.
pub(crate) struct Body {
    pub(crate) payload: Vec<u8>,
    pub(crate) list: Vec<u8>,
}

/// Compresses and decompresses bodies; keeps the contexts of zstd between uses, for they are large.
pub(crate) struct Codec {
    compression: Compression,
    compressors: Mutex<Vec<zstd::bulk::Compressor<'static>>>,
    decompressors: Mutex<Vec<zstd::bulk::Decompressor<'static>>>,
}

impl Codec {
    pub(crate) fn new(compression: Compression) -> Codec {
        Codec { compression, compressors: Mutex::default(), decompressors: Mutex::default() }
    }

    /// Appends the record of `draft`, sealed for one segment; `None` if it is too large for the format.
    pub(crate) fn write(&self, draft: &Draft<'_>, seal: &Seal, out: &mut Vec<u8>) -> Option<Header> {
        let list = draft.key.encode();
        let raw_len = draft.payload.len() + list.len();
        if raw_len > BODY_BYTES_MAX {
            return None;
        }
        let raw = [draft.payload, &list].concat();
        let packed = self.compress(&raw);
        let (codec, stored) = match &packed {
            Some((codec, packed)) => (*codec, packed.as_slice()),
            None => (CODEC_RAW, raw.as_slice()),
        };
        let header = Header {
            kind: draft.kind,
            codec,
            class: draft.key.class(),
            stored_len: stored.len() as u32,
            raw_len: raw_len as u32,
            key_len: list.len() as u32,
            subject: draft.key.subject_tag(),
            cost: draft.cost,
            time: draft.time,
            key: draft.key.id(),
            content: draft.content,
            check: [0; 16],
        };
        append(&header, stored, seal, out);
        Some(header)
    }

    /// The codec and its output; `None` if that is hardly shorter than `raw`.
    fn compress(&self, raw: &[u8]) -> Option<(u8, Vec<u8>)> {
        if raw.len() < COMPRESS_BYTES_MIN {
            return None;
        }
        let (codec, packed) = match self.compression {
            Compression::None => return None,
            Compression::BySize { .. } if raw.len() <= LZ4_BYTES_MAX => {
                (CODEC_LZ4, lz4_flex::block::compress(raw))
            }
            Compression::Zstd(level) | Compression::BySize { zstd_level: level } => {
                (CODEC_ZSTD, self.compress_by_zstd(raw, level)?)
            }
        };
        (packed.len() < raw.len() - raw.len() / 16).then_some((codec, packed))
    }

    fn compress_by_zstd(&self, raw: &[u8], level: i32) -> Option<Vec<u8>> {
        let spare = self.compressors.lock().pop();
        let mut compressor = match spare {
            Some(it) => it,
            None => zstd::bulk::Compressor::new(level).ok()?,
        };
        let packed = compressor.compress(raw).ok();
        self.compressors.lock().push(compressor);
        packed
    }

    /// Returns the body of `record` (header and stored bytes) with `header`. Checks everything.
    pub(crate) fn body(&self, header: &Header, record: Vec<u8>) -> Result<Body, Miss> {
        check(header, &record)?;
        let stored_end = HEADER_BYTES + header.stored_len as usize;
        let (stored, raw_len) = (&record[HEADER_BYTES..stored_end], header.raw_len as usize);
        let mut raw = match header.codec {
            CODEC_ZSTD => self.decompress_by_zstd(stored, raw_len)?,
            CODEC_LZ4 => lz4_flex::block::decompress(stored, raw_len).map_err(|_| Miss::Corrupt)?,
            _ => stored.to_vec(),
        };
        if raw.len() != raw_len {
            return Err(Miss::Corrupt);
        }
        let list = raw.split_off(header.payload_len() as usize);
        Ok(Body { payload: raw, list })
    }

    fn decompress_by_zstd(&self, stored: &[u8], raw_len: usize) -> Result<Vec<u8>, Miss> {
        let spare = self.decompressors.lock().pop();
        let mut decompressor = match spare {
            Some(it) => it,
            None => zstd::bulk::Decompressor::new().map_err(|_| Miss::Io)?,
        };
        let raw = decompressor.decompress(stored, raw_len).map_err(|_| Miss::Corrupt);
        self.decompressors.lock().push(decompressor);
        raw
    }
}

/// Checks the body of `record` against its header.
pub(crate) fn check(header: &Header, record: &[u8]) -> Result<(), Miss> {
    let body = record.get(HEADER_BYTES..HEADER_BYTES + header.stored_len as usize).ok_or(Miss::Truncated)?;
    if check_of(&record[..CHECKED_BYTES], body) == header.check { Ok(()) } else { Err(Miss::Corrupt) }
}

/// Appends a checked record again, for another segment and at another time.
pub(crate) fn copy(header: &Header, record: &[u8], time: u32, seal: &Seal, out: &mut Vec<u8>) {
    let again = Header { time, ..header.clone() };
    append(&again, &record[HEADER_BYTES..HEADER_BYTES + header.stored_len as usize], seal, out);
}

fn append(header: &Header, stored: &[u8], seal: &Seal, out: &mut Vec<u8>) {
    let mut head = Writer::with_capacity(HEADER_BYTES);
    head.raw(&MAGIC);
    head.raw(&[header.kind.tag(), header.codec, header.class.tag(), VERSION]);
    let cost_us = u32::try_from(header.cost.as_micros()).unwrap_or(u32::MAX);
    for number in [header.stored_len, header.raw_len, header.key_len, header.subject, cost_us, header.time] {
        head.u32(number);
    }
    head.raw(&header.key.0);
    head.raw(&header.content.0);
    head.raw(&check_of(head.as_bytes(), stored));
    head.raw(&seal.stamp(head.as_bytes()));
    let start = out.len();
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(stored);
    out.resize(start + header.record_len() as usize, 0);
}

/// Turns `bytes` into a record with a correct seal and checksum, whose body is everything after the header, for
/// fuzzing.
pub(crate) fn reseal(bytes: &[u8], seal: &Seal) -> Vec<u8> {
    let (header, body) = bytes.split_at(HEADER_BYTES);
    let mut out = header[..CHECKED_BYTES].to_vec();
    out[..4].copy_from_slice(&MAGIC);
    out[7] = VERSION;
    out[8..12].copy_from_slice(&(body.len() as u32).to_le_bytes());
    let check = check_of(&out, body);
    out.extend_from_slice(&check);
    let stamp = seal.stamp(&out);
    out.extend_from_slice(&stamp);
    out.extend_from_slice(body);
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

fn check_of(header: &[u8], body: &[u8]) -> [u8; 16] {
    XxHash3_128::oneshot_with_seed(XxHash3_64::oneshot(header), body).to_le_bytes()
}

/// Returns the time in seconds of the Unix epoch; no order depends on it.
pub(crate) fn now_seconds() -> u32 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;

    const COMPRESSIONS: [Compression; 3] =
        [Compression::None, Compression::Zstd(1), Compression::BySize { zstd_level: 1 }];

    fn record(payload: &[u8], compression: Compression) -> (Vec<u8>, Key, Seal) {
        let mut key = KeyBuilder::new(Class::Tool, "a kernel");
        key.text("assembler", "1");
        let (key, seal) = (key.finish(), Seal::from_salt([9; 16]));
        let draft = Draft {
            kind: RecordKind::Entry,
            key: &key,
            payload,
            content: ContentHash::of(payload),
            cost: Duration::from_micros(1234),
            time: 99,
        };
        let mut out = Vec::new();
        Codec::new(compression).write(&draft, &seal, &mut out).unwrap();
        (out, key, seal)
    }

    #[test]
    fn a_record_reads_back_compressed_or_not() {
        for compression in COMPRESSIONS {
            for payload in [vec![], vec![1; 10], vec![7; 5000], vec![7; 100_000], (0..=255).collect()] {
                let (bytes, key, seal) = record(&payload, compression);
                assert_eq!(bytes.len() % 8, 0);
                let header = Header::read(&bytes, &seal).unwrap();
                assert_eq!((header.key, header.time, header.cost.as_micros()), (key.id(), 99, 1234));
                assert_eq!(header.record_len(), bytes.len() as u64);
                let body = Codec::new(Compression::None).body(&header, bytes).unwrap();
                assert_eq!(body.payload, payload);
                assert_eq!(body.list, key.encode());
            }
        }
    }

    #[test]
    fn a_record_belongs_to_one_segment() {
        let (bytes, _, _) = record(&[1; 40], Compression::None);
        assert!(Header::read(&bytes, &Seal::from_salt([8; 16])).is_none());
    }

    // MISSION N9: no single damaged byte gives other bytes back.
    #[test]
    fn every_damaged_byte_is_noticed() {
        let payload: Vec<u8> = (0..700u32).map(|it| (it / 3) as u8).collect();
        for compression in COMPRESSIONS {
            let (bytes, _, seal) = record(&payload, compression);
            let padding =
                bytes.len() - (HEADER_BYTES + Header::read(&bytes, &seal).unwrap().stored_len as usize);
            for at in 0..bytes.len() - padding {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x10;
                let read = Header::read(&damaged, &seal)
                    .and_then(|header| Codec::new(compression).body(&header, damaged).ok());
                assert!(read.is_none(), "byte {at}");
            }
            for len in 0..bytes.len() - padding {
                let cut = bytes[..len].to_vec();
                let read = Header::read(&cut, &seal)
                    .and_then(|header| Codec::new(compression).body(&header, cut).ok());
                assert!(read.is_none(), "{len} bytes");
            }
        }
    }
}
