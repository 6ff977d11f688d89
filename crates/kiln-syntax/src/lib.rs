//! kiln-syntax.
