//! kiln-targets.
