//! Counts, times and spans of a session: compilations, cache hits and launches, stage by stage.
//!
//! All threads of a session share [`Counters`]. Work that several compilations share counts for each of them, so that
//! a [`Compilation`] has its own cost.
//!
//! # Deliberately absent
//! Output: the command prints the counts.

mod counts;
mod tally;
mod trace;

pub use counts::{Compilation, Counts, Timings, add_min, count, missed};
pub use tally::{Counters, Tallies, Tally};
pub use trace::{ThreadTrace, Trace, TraceSpan, nanos};
