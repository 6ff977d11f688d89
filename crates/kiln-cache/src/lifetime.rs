//! Totals over all sessions of a root: one 64-byte record a session in `sessions.log`, appended when it ends, and one in
//! `upstream.log` if the session has used an upstream.
//!
//! A record is seven numbers of 64 bits and the first 8 bytes of their hash: `hits misses puts records_written bytes_hit
//! bytes_written cost_saved_us`, or `hits misses rejected offered bytes waited_us 0`. A torn or damaged record is skipped.

use crate::root::Root;
use crate::stats::Stats;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

const NUMBERS: usize = 7;
const RECORD_BYTES: usize = 8 * NUMBERS + 8;
const LOG_BYTES_MAX: usize = 256 << 10;

/// The totals of all sessions with a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// Lookups that returned an entry.
    pub hits: u64,
    /// Lookups that did not.
    pub misses: u64,
    /// Puts accepted.
    pub puts: u64,
    /// Records written.
    pub records_written: u64,
    /// Bytes of the payloads returned.
    pub bytes_hit: u64,
    /// Bytes appended to segments.
    pub bytes_written: u64,
    /// The cost of making the hits' entries, less the time spent in lookups.
    pub time_saved: Duration,
}

/// The totals of all sessions of a root with an [`Upstream`](crate::Upstream).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpstreamLifetime {
    /// Entries that it gave.
    pub hits: u64,
    /// Keys that it did not have.
    pub misses: u64,
    /// Entries that were not used.
    pub rejected: u64,
    /// Results that it was told to take.
    pub offered: u64,
    /// Bytes of the payloads it gave.
    pub bytes: u64,
    /// The time for which lookups waited.
    pub waited: Duration,
}

/// The numbers of one record.
type Numbers = [u64; NUMBERS];

fn encode(numbers: Numbers) -> Vec<u8> {
    let mut out = Writer::with_capacity(RECORD_BYTES);
    numbers.iter().for_each(|it| out.u64(*it));
    let check = blake3::hash(out.as_bytes());
    out.raw(&check.as_bytes()[..8]);
    out.finish()
}

fn decode(bytes: &[u8]) -> Read<Numbers> {
    let mut reader = Reader::new(bytes);
    let raw = reader.take(RECORD_BYTES - 8)?;
    if blake3::hash(raw).as_bytes()[..8] != *reader.rest() {
        return Err(Malformed("a damaged session"));
    }
    let mut reader = Reader::new(raw);
    let mut numbers = [0; NUMBERS];
    for number in &mut numbers {
        *number = reader.u64()?;
    }
    Ok(numbers)
}

fn sum(a: Numbers, b: Numbers) -> Numbers {
    std::array::from_fn(|at| a[at].saturating_add(b[at]))
}

const SESSIONS: &str = "sessions.log";
const UPSTREAM: &str = "upstream.log";

fn path(root: &Root, log: &str) -> PathBuf {
    root.dir.join(log)
}

/// Adds a session that did something. Sums up a long log; a session that ends at the same moment may be lost by that.
pub(crate) fn append(root: &Root, stats: &Stats) {
    let saved_us = stats.time_saved().as_micros() as u64;
    let (hits, misses) = (stats.hits_total(), stats.misses_total());
    let (records, read, written) = (stats.records_written, stats.bytes_hit, stats.bytes_written);
    append_to(root, SESSIONS, [hits, misses, stats.puts, records, read, written, saved_us]);
    if let Some(it) = &stats.upstream {
        let waited_us = it.waited.as_micros() as u64;
        append_to(root, UPSTREAM, [it.hits, it.misses, it.rejected, it.offered, it.bytes, waited_us, 0]);
    }
}

fn append_to(root: &Root, log: &str, session: Numbers) {
    if session[..4].iter().all(|it| *it == 0) {
        return;
    }
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path(root, log));
    let Ok(mut file) = opened else { return };
    if file.metadata().is_ok_and(|it| it.len() as usize > LOG_BYTES_MAX) {
        let total = encode(sum(read_log(root, log), session));
        let draft = root.dir.join(crate::files::draft_name());
        if fs::write(&draft, total).and_then(|()| fs::rename(&draft, path(root, log))).is_err() {
            let _ = fs::remove_file(draft);
        }
        return;
    }
    // Statistics only: what cannot be written is not counted.
    let _ = file.write_all(&encode(session));
}

fn read_log(root: &Root, log: &str) -> Numbers {
    let bytes = fs::read(path(root, log)).unwrap_or_default();
    bytes.chunks_exact(RECORD_BYTES).flat_map(decode).fold(Numbers::default(), sum)
}

/// The sum of all sessions.
pub(crate) fn read(root: &Root) -> Lifetime {
    let [hits, misses, puts, records_written, bytes_hit, bytes_written, saved_us] = read_log(root, SESSIONS);
    let time_saved = Duration::from_micros(saved_us);
    Lifetime { hits, misses, puts, records_written, bytes_hit, bytes_written, time_saved }
}

/// The sum of all sessions with an upstream.
pub(crate) fn read_upstream(root: &Root) -> UpstreamLifetime {
    let [hits, misses, rejected, offered, bytes, waited_us, _] = read_log(root, UPSTREAM);
    UpstreamLifetime { hits, misses, rejected, offered, bytes, waited: Duration::from_micros(waited_us) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_session_is_skipped() {
        let session = [3, 1, 0, 0, 0, 0, 9];
        let mut bytes = encode(session);
        assert_eq!(decode(&bytes), Ok(session));
        bytes[0] ^= 1;
        assert!(decode(&bytes).is_err());
    }
}
