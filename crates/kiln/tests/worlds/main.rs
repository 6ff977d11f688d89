//! Worlds and views: the results that a definition ends, those that survive it, and the effects of overlay tables.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod deferred;
mod edits;
mod gensyms;
mod kernel_source;
mod moving;
mod overlays;
mod program;
mod random_edits;
mod random_kernels;
mod random_late;
mod revalidation;
