//! Each stage alone, on lowered code written by hand: no parser, no library, no execution.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod program;
mod stages;
mod units;
