//! kiln-opt.
