//! The interpreter of lowered code.

/// A body in the form the interpreter runs.
#[derive(Debug)]
pub struct Decoded {}
