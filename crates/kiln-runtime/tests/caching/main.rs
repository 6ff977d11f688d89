//! The caching interface, used by compilers that know nothing of kiln's front end: the code tables and nothing else.
//!
//! The cases are those of the suites of CompilerCaching.jl and GPUCompiler.jl; each says which it stands for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod artifacts;
mod foreign;
mod jobs;
mod program;
mod views;
