//! Worlds and views: what a definition ends, what outlives it, and what overlay tables change.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod deferred;
mod edits;
mod kernel_source;
mod made_up_names;
mod moving;
mod overlays;
mod program;
mod random_edits;
mod random_kernels;
mod revalidation;
