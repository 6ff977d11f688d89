//! kiln-codegen.
