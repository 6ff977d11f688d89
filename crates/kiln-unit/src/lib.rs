//! kiln-unit.
