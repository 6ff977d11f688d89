//! A log of used entries, for eviction: 16-byte records, `id [12] | time u32`, one log a session.
//!
//! A hit writes nothing; a session notes each entry once and appends its notes in one write when it ends. A torn or
//! damaged note is a note about nothing.

use crate::key::{ContentHash, KeyId};
use crate::level::file_names;
use crate::record::RecordKind;
use kiln_bytes::{Read, Reader, Writer};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const NOTE_BYTES: usize = 16;
const NOTES_AT_ONCE: usize = 4096;
const LOG_BYTES_MAX: u64 = 64 << 20;

/// Enough of a hash to tell entries apart; a mistake keeps one entry longer.
pub(crate) type Mark = [u8; 12];

pub(crate) fn mark(hash: &[u8; 32]) -> Mark {
    let mut mark = [0; 12];
    mark.copy_from_slice(&hash[..12]);
    mark
}

/// The notes of one session.
#[derive(Default)]
pub(crate) struct Touches {
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    seen: FxHashSet<Mark>,
    waiting: Writer,
    log: Option<String>,
}

impl Touches {
    /// Notes a use, once a session; true when it is time to flush.
    pub(crate) fn add(&self, kind: RecordKind, key: &KeyId, content: &ContentHash, now: u32) -> bool {
        let mut noted = self.noted.lock();
        if noted.seen.insert(mark(&key.0)) {
            note(&mut noted.waiting, &mark(&key.0), now);
            if kind == RecordKind::Alias {
                note(&mut noted.waiting, &mark(&content.0), now);
            }
        }
        noted.waiting.len() >= NOTES_AT_ONCE * NOTE_BYTES
    }

    /// Appends the recorded uses to this session's log in `dir`.
    pub(crate) fn flush(&self, dir: &Path) {
        let mut noted = self.noted.lock();
        if noted.waiting.is_empty() {
            return;
        }
        let name = noted.log.get_or_insert_with(|| format!("{:016x}.log", random_u64())).clone();
        let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(dir.join(name));
        if let Ok(mut log) = opened {
            // Lost notes cost a second chance, no more.
            let _ = log.write_all(noted.waiting.as_bytes());
        }
        noted.waiting = Writer::new();
    }
}

fn note(out: &mut Writer, mark: &Mark, time: u32) {
    out.raw(mark);
    out.u32(time);
}

fn read_note(bytes: &[u8]) -> Read<(Mark, u32)> {
    let mut reader = Reader::new(bytes);
    Ok((reader.array()?, reader.u32()?))
}

/// When each entry was last used, from all logs in `dir`.
pub(crate) fn read_all(dir: &Path) -> FxHashMap<Mark, u32> {
    let mut last = FxHashMap::default();
    for name in file_names(dir) {
        let path = dir.join(name);
        let small = fs::symlink_metadata(&path).is_ok_and(|it| it.is_file() && it.len() <= LOG_BYTES_MAX);
        let Ok(bytes) = (if small { fs::read(&path) } else { continue }) else { continue };
        for (mark, time) in bytes.chunks_exact(NOTE_BYTES).flat_map(read_note) {
            last.entry(mark).and_modify(|it: &mut u32| *it = time.max(*it)).or_insert(time);
        }
    }
    last
}

const LOGS_MAX: usize = 32;

/// Writes many logs as one, without notes from before `since`. Notes appended to a log meanwhile are lost.
pub(crate) fn compact(dir: &Path, since: u32) {
    let names = file_names(dir);
    if names.len() <= LOGS_MAX {
        return;
    }
    let mut notes: Vec<(Mark, u32)> = read_all(dir).into_iter().filter(|it| it.1 >= since).collect();
    notes.sort_unstable();
    let mut bytes = Writer::with_capacity(notes.len() * NOTE_BYTES);
    notes.iter().for_each(|(mark, time)| note(&mut bytes, mark, *time));
    let name = format!("{:016x}.log", random_u64());
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join(&name));
    let written = opened.and_then(|mut it| it.write_all(bytes.as_bytes()));
    if written.is_err() {
        let _ = fs::remove_file(dir.join(name));
        return;
    }
    for name in names {
        let _ = fs::remove_file(dir.join(name));
    }
}

/// Random bytes from the system; from the time and the process where it has none to give.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if filled != Ok(N) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?} {}", std::time::SystemTime::now(), std::process::id()).as_bytes());
        hasher.finalize_xof().fill(&mut bytes);
    }
    bytes
}

pub(crate) fn random_u64() -> u64 {
    u64::from_le_bytes(random())
}
