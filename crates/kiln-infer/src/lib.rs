//! kiln-infer.
