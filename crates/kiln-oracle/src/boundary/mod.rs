//! The boundary matrix: every method of arithmetic, comparison, conversion, division and rounding, of every pair of number
//! types, at the ends of their ranges, against an exact model.
//!
//! [`program`] writes a Julia program per pair of types that stores the bits and types of its results; [`model`]
//! computes the expected ones from integers of any size; [`numbers`] holds the types, their boundary values and exact
//! rounding. [`compound`] covers rational and complex numbers.

pub mod compound;
pub mod model;
mod model_complex;
mod model_float;
mod model_int;
pub mod model_one;
mod model_rational;
pub mod numbers;
pub mod program;
