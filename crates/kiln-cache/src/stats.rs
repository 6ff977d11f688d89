//! Counters of one session, and why lookups miss.

use crate::key::Class;
use crate::upstream::UpstreamStats;
use kiln_bytes::Malformed;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Why a lookup found nothing it could use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Miss {
    /// Nothing was stored under the key.
    Absent,
    /// The mode forbids hits: off, verify or recache.
    Mode,
    /// The entry that an index row names, or the content that an entry names, has been evicted.
    Evicted,
    /// Fewer bytes are there than were written.
    Truncated,
    /// A checksum does not hold.
    Corrupt,
    /// A file belongs to another user, or is not of this store or of this format.
    Foreign,
    /// The system refused to open or read.
    Io,
}

impl Miss {
    /// Every reason, in the order [`Stats::misses`] counts them.
    pub const ALL: [Miss; 7] =
        [Miss::Absent, Miss::Mode, Miss::Evicted, Miss::Truncated, Miss::Corrupt, Miss::Foreign, Miss::Io];

    /// The reason in one word.
    pub fn name(self) -> &'static str {
        match self {
            Miss::Absent => "absent",
            Miss::Mode => "mode",
            Miss::Evicted => "evicted",
            Miss::Truncated => "truncated",
            Miss::Corrupt => "corrupt",
            Miss::Foreign => "foreign",
            Miss::Io => "io",
        }
    }
}

impl From<Malformed> for Miss {
    fn from(_: Malformed) -> Miss {
        Miss::Corrupt
    }
}

/// The counts of one session with a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Lookups that returned an entry, by class in the order of [`Class::ALL`].
    pub hits: [u64; 3],
    /// Lookups that did not, by class.
    pub misses_by_class: [u64; 3],
    /// Lookups that did not, by reason in the order of [`Miss::ALL`].
    pub misses: [u64; 7],
    /// Bytes of the payloads returned.
    pub bytes_hit: u64,
    /// The cost of making the entries that were returned.
    pub cost_saved: Duration,
    /// Time spent in lookups.
    pub lookup_time: Duration,
    /// Puts accepted.
    pub puts: u64,
    /// Puts whose key was already stored.
    pub puts_present: u64,
    /// Puts whose payload was already stored under another key; only the key was added.
    pub puts_shared: u64,
    /// Puts dropped: queue full, writes off, or a mode that does not write.
    pub puts_dropped: u64,
    /// Records written, and the bytes they took in segments.
    pub records_written: u64,
    /// Bytes appended to segments.
    pub bytes_written: u64,
    /// Failed writes.
    pub write_errors: u64,
    /// Puts equal to the stored entry, in mode verify.
    pub verified: u64,
    /// Puts that differ from the stored entry, in mode verify.
    pub mismatches: u64,
    /// Segments evicted, and records of them that were kept by writing them again.
    pub segments_evicted: u64,
    /// Records written again because they had been used.
    pub records_kept: u64,
    /// Indexes merged into one.
    pub tables_merged: u64,
    /// The counts of the upstream, if the store has one.
    pub upstream: Option<UpstreamStats>,
    /// The store's problems, each once; for one line of warning, not for control.
    pub problems: Vec<String>,
}

impl Stats {
    /// Hits of all classes.
    pub fn hits_total(&self) -> u64 {
        self.hits.iter().sum()
    }

    /// Misses of all classes.
    pub fn misses_total(&self) -> u64 {
        self.misses_by_class.iter().sum()
    }

    /// Misses for `reason`.
    pub fn missed(&self, reason: Miss) -> u64 {
        self.misses[reason as usize]
    }

    /// Returns the time saved: the cost of making the hits, less the time of all lookups.
    pub fn time_saved(&self) -> Duration {
        self.cost_saved.saturating_sub(self.lookup_time)
    }
}

/// The counters behind [`Stats`]; one set a store.
#[derive(Default)]
pub(crate) struct Counters {
    hits: [AtomicU64; 3],
    misses_by_class: [AtomicU64; 3],
    misses: [AtomicU64; 7],
    bytes_hit: AtomicU64,
    cost_saved_us: AtomicU64,
    lookup_ns: AtomicU64,
    pub(crate) puts: AtomicU64,
    pub(crate) puts_present: AtomicU64,
    pub(crate) puts_shared: AtomicU64,
    pub(crate) puts_dropped: AtomicU64,
    pub(crate) records_written: AtomicU64,
    pub(crate) bytes_written: AtomicU64,
    pub(crate) write_errors: AtomicU64,
    pub(crate) verified: AtomicU64,
    pub(crate) mismatches: AtomicU64,
    pub(crate) segments_evicted: AtomicU64,
    pub(crate) records_kept: AtomicU64,
    pub(crate) tables_merged: AtomicU64,
    problems: Mutex<Vec<String>>,
}

/// Adds to a counter. Counters order nothing, so relaxed.
pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

fn load(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

const PROBLEMS_MAX: usize = 16;

impl Counters {
    pub(crate) fn hit(&self, class: Class, bytes: usize, cost: Duration, took: Duration) {
        add(&self.hits[class as usize], 1);
        add(&self.bytes_hit, bytes as u64);
        add(&self.cost_saved_us, cost.as_micros() as u64);
        add(&self.lookup_ns, took.as_nanos() as u64);
    }

    pub(crate) fn miss(&self, class: Class, reason: Miss, took: Duration) {
        add(&self.misses_by_class[class as usize], 1);
        add(&self.misses[reason as usize], 1);
        add(&self.lookup_ns, took.as_nanos() as u64);
    }

    /// Remembers a problem, once.
    pub(crate) fn problem(&self, text: String) {
        let mut problems = self.problems.lock();
        if problems.len() < PROBLEMS_MAX && !problems.contains(&text) {
            problems.push(text);
        }
    }

    pub(crate) fn snapshot(&self) -> Stats {
        Stats {
            hits: self.hits.each_ref().map(load),
            misses_by_class: self.misses_by_class.each_ref().map(load),
            misses: self.misses.each_ref().map(load),
            bytes_hit: load(&self.bytes_hit),
            cost_saved: Duration::from_micros(load(&self.cost_saved_us)),
            lookup_time: Duration::from_nanos(load(&self.lookup_ns)),
            puts: load(&self.puts),
            puts_present: load(&self.puts_present),
            puts_shared: load(&self.puts_shared),
            puts_dropped: load(&self.puts_dropped),
            records_written: load(&self.records_written),
            bytes_written: load(&self.bytes_written),
            write_errors: load(&self.write_errors),
            verified: load(&self.verified),
            mismatches: load(&self.mismatches),
            segments_evicted: load(&self.segments_evicted),
            records_kept: load(&self.records_kept),
            tables_merged: load(&self.tables_merged),
            upstream: None,
            problems: self.problems.lock().clone(),
        }
    }
}
