//! Counts, times and spans of a session: what it compiled, found and launched, stage by stage.
//!
//! [`Counters`] is shared by all threads of a session. Work that several compilations share is added to each of them, so
//! that a [`Compilation`] knows its own cost.
//!
//! # Deliberately absent
//! Output: the command prints what is counted here.

mod counts;
mod tally;
mod trace;

pub use counts::{Compilation, Counts, Timings, add_min, count, missed};
pub use tally::{Counters, Tallies};
pub use trace::{Span, ThreadTrace, Trace, nanos};
