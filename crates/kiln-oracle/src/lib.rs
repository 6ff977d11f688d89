//! Checks of kiln against references from outside the project.
//!
//! [`accuracy`] measures the mathematical functions against a reference of 160 bits.
//! [`boundary`] compares arithmetic at the ends of the number types with an exact model.
//! [`error`] is the error of checks that cannot run.
//! [`julia_tests`] runs the test suite of a Julia checkout and counts, per file, the `@test...` sites that pass.

pub mod accuracy;
pub mod boundary;
pub mod error;
pub mod julia_tests;
