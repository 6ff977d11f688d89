//! kiln-lower.

pub mod expr;
