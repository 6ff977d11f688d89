//! Checks of kiln against references from outside the project.
//!
//! [`julia_tests`] runs the test suite of a Julia checkout and counts, per file, the `@test...` sites that pass.

pub mod julia_tests;
