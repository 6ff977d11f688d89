//! kiln-runtime.
