//! kiln-lower.
