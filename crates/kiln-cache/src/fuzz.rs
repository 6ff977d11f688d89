//! Entry points of the fuzz targets: every reader of a file format on arbitrary bytes, as they are, and with
//! corrected checksums, so that the code behind the checksums is reached, too. Nothing may panic, and two reads must
//! agree.

use crate::config::Compression;
use crate::key::Key;
use crate::record::{Codec, HEADER_BYTES, Seal, reseal};
use crate::segment::{SEGMENT_HEADER_BYTES, read_header, scan};
use crate::table::{Index, Table, rechecked};

/// A segment: its header, a scan of its records, their bodies and keys.
pub fn segment(bytes: &[u8]) {
    if let Ok((_, seal)) = read_header(bytes) {
        read_records(bytes, &seal);
    }
    let seal = Seal::from_salt([7; 16]);
    let mut made = vec![0; SEGMENT_HEADER_BYTES as usize];
    made.extend_from_slice(bytes);
    read_records(&made, &seal);
    if bytes.len() > HEADER_BYTES {
        let record = reseal(bytes, &seal);
        made.truncate(SEGMENT_HEADER_BYTES as usize);
        made.extend_from_slice(&record);
        made.extend_from_slice(&record);
        read_records(&made, &seal);
    }
}

fn read_records(bytes: &[u8], seal: &Seal) {
    let codec = Codec::new(Compression::None);
    let mut records = Vec::new();
    let len = bytes.len() as u64;
    let scanned = scan(bytes, seal, SEGMENT_HEADER_BYTES, len, &mut |at, it| records.push((at, it)));
    let end = scanned.map_or(0, |it| it.end);
    for (at, header) in records {
        assert!(at % 8 == 0 && at + header.record_len() <= end);
        let record = bytes[at as usize..(at as usize + HEADER_BYTES + header.stored_len as usize)].to_vec();
        // A body that claims to be large is not made here: memory is the limit of the machine, not a bug.
        if header.raw_len > 1 << 24 {
            continue;
        }
        if let Ok(body) = codec.body(&header, record) {
            assert_eq!(body.payload.len() as u32, header.payload_len());
            key(&body.list);
        }
    }
}

/// An image: its header, note and rows, and every entry.
pub fn image(bytes: &[u8]) {
    crate::image::fuzz(bytes);
}

/// The list of a key.
pub fn key(bytes: &[u8]) {
    if let Ok(key) = Key::decode(bytes) {
        assert_eq!(key.encode(), bytes);
        key.parts();
    }
}

/// A table: its header, its ranges, looking up, going through.
pub fn table(bytes: &[u8]) {
    read_table(bytes);
    if let Some(right) = rechecked(bytes) {
        read_table(&right);
    }
}

fn read_table(bytes: &[u8]) {
    let Ok(table) = Table::open(bytes, bytes.len() as u64) else { return };
    let mut count = 0;
    let _ = table.each(&mut |row| {
        count += 1;
        for index in [Index::Key, Index::Content, Index::List] {
            let _ = table.find(&row.id, index, &mut |found| assert_eq!(found.id, row.id));
        }
    });
    assert!(count <= table.rows);
    let _ = table.verify();
}

/// Bytes of one edit.
const EDIT_BYTES: usize = 6;

/// Changes bytes by `edits`, six bytes per change: the kind, the position (relative to the length), and the value.
/// Changes affect bits, bytes, four-byte numbers and lengths, so that readers go wrong in the middle.
pub fn damage(bytes: &mut Vec<u8>, edits: &[u8]) {
    for edit in edits.chunks_exact(EDIT_BYTES) {
        let [how, high, low, a, b, c] = [edit[0], edit[1], edit[2], edit[3], edit[4], edit[5]];
        if bytes.is_empty() {
            return;
        }
        let at = (usize::from(u16::from_be_bytes([high, low])) * bytes.len()) >> 16;
        let from = (usize::from(u16::from_be_bytes([a, b])) * bytes.len()) >> 16;
        match how % 8 {
            0 => bytes[at] ^= 1 << (a % 8),
            1 => bytes[at] = a,
            2 => bytes[at] = bytes[at].wrapping_add(a),
            3 => {
                let number =
                    [0, 1, 0x7f, 0x80, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX][usize::from(a % 8)];
                number.to_le_bytes().iter().zip(&mut bytes[at..]).for_each(|(it, place)| *place = *it);
            }
            4 => bytes.truncate(at),
            5 => bytes.insert(at, a),
            6 => drop(bytes.remove(at)),
            _ => {
                let len = usize::from(c).min(bytes.len() - at).min(bytes.len() - from);
                bytes.copy_within(from..from + len, at);
            }
        }
    }
}
