//! `kiln build`: libraries of kernels and functions for programs without kiln, and `libkiln_rt`, which runs them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "build/project.rs"]
mod project;

#[path = "build/bundles.rs"]
mod bundles;
#[path = "build/cargo.rs"]
mod cargo;
#[path = "build/files.rs"]
mod files;
#[path = "build/libraries.rs"]
mod libraries;
#[path = "build/refusals.rs"]
mod refusals;
#[path = "build/running.rs"]
mod running;
