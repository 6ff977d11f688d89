//! How far kernels of other people's repositories get: parsed, loaded, inferred to static code, compiled.
//!
//! A row names a kernel by repository, file and line, and gives its argument types in a side file. The rows are a sample
//! drawn beforehand: a row that fails stays and says why.

mod loader;
mod rows;
mod search;
mod survey;

pub use rows::{ReportRow, read_rows};
pub use survey::{Accepted, Reached, RowOutcome, TargetOutcome, survey};
