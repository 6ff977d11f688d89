//! The progress of kernels of third-party repositories: parsed, loaded, inferred to static code, compiled.
//!
//! A row names a kernel by repository, file and line, and has its argument types in a side file. The rows are a
//! sample drawn in advance: a failing row stays, with the reason.

mod loader;
mod rows;
mod search;
mod survey;

pub use rows::{ReportRow, read_rows};
pub use survey::{Accepted, Reached, RowOutcome, TargetOutcome, survey};
