//! kiln-link.
