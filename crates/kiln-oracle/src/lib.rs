//! Checks of kiln against references from outside the project.
//!
//! [`boundary`] compares arithmetic at the ends of the number types with an exact model.
//! [`julia_tests`] runs the test suite of a Julia checkout and counts, per file, the `@test...` sites that pass.

pub mod boundary;
pub mod julia_tests;
