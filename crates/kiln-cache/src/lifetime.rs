//! Totals over all sessions of a root: one 64-byte record a session in `sessions.log`, appended when it ends.
//!
//! `hits misses puts records_written u64 | bytes_hit bytes_written cost_saved_us u64 | check [8]`. A torn or damaged
//! record is skipped.

use crate::root::Root;
use crate::stats::Stats;
use kiln_bytes::{Malformed, Read, Reader, Writer};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

const RECORD_BYTES: usize = 64;
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

impl Lifetime {
    fn from_stats(stats: &Stats) -> Lifetime {
        Lifetime {
            hits: stats.hits_total(),
            misses: stats.misses_total(),
            puts: stats.puts,
            records_written: stats.records_written,
            bytes_hit: stats.bytes_hit,
            bytes_written: stats.bytes_written,
            time_saved: stats.time_saved(),
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(RECORD_BYTES);
        let saved_us = self.time_saved.as_micros() as u64;
        let numbers = [
            self.hits,
            self.misses,
            self.puts,
            self.records_written,
            self.bytes_hit,
            self.bytes_written,
            saved_us,
        ];
        numbers.iter().for_each(|it| out.u64(*it));
        let check = blake3::hash(out.as_bytes());
        out.raw(&check.as_bytes()[..8]);
        out.finish()
    }

    fn decode(bytes: &[u8]) -> Read<Lifetime> {
        let mut reader = Reader::new(bytes);
        let numbers = reader.take(RECORD_BYTES - 8)?;
        if blake3::hash(numbers).as_bytes()[..8] != *reader.rest() {
            return Err(Malformed("a damaged session"));
        }
        let mut reader = Reader::new(numbers);
        Ok(Lifetime {
            hits: reader.u64()?,
            misses: reader.u64()?,
            puts: reader.u64()?,
            records_written: reader.u64()?,
            bytes_hit: reader.u64()?,
            bytes_written: reader.u64()?,
            time_saved: Duration::from_micros(reader.u64()?),
        })
    }

    fn plus(self, other: Lifetime) -> Lifetime {
        Lifetime {
            hits: self.hits.saturating_add(other.hits),
            misses: self.misses.saturating_add(other.misses),
            puts: self.puts.saturating_add(other.puts),
            records_written: self.records_written.saturating_add(other.records_written),
            bytes_hit: self.bytes_hit.saturating_add(other.bytes_hit),
            bytes_written: self.bytes_written.saturating_add(other.bytes_written),
            time_saved: self.time_saved.saturating_add(other.time_saved),
        }
    }
}

fn path(root: &Root) -> PathBuf {
    root.dir.join("sessions.log")
}

/// Adds a session that did something. Sums up a long log; a session that ends at the same moment may be lost by that.
pub(crate) fn append(root: &Root, stats: &Stats) {
    let session = Lifetime::from_stats(stats);
    if session.hits + session.misses + session.puts == 0 {
        return;
    }
    let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path(root));
    let Ok(mut log) = opened else { return };
    if log.metadata().is_ok_and(|it| it.len() as usize > LOG_BYTES_MAX) {
        let total = read(root).plus(session);
        let draft = root.dir.join(crate::files::draft_name());
        if fs::write(&draft, total.encode()).and_then(|()| fs::rename(&draft, path(root))).is_err() {
            let _ = fs::remove_file(draft);
        }
        return;
    }
    // Statistics only: what cannot be written is not counted.
    let _ = log.write_all(&session.encode());
}

/// The sum of all sessions.
pub(crate) fn read(root: &Root) -> Lifetime {
    let bytes = fs::read(path(root)).unwrap_or_default();
    let records = bytes.chunks_exact(RECORD_BYTES).flat_map(Lifetime::decode);
    records.fold(Lifetime::default(), Lifetime::plus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_session_is_skipped() {
        let session =
            Lifetime { hits: 3, misses: 1, time_saved: Duration::from_micros(9), ..Lifetime::default() };
        let mut bytes = session.encode();
        assert_eq!(Lifetime::decode(&bytes), Ok(session));
        bytes[0] ^= 1;
        assert!(Lifetime::decode(&bytes).is_err());
    }
}
