//! kiln-driver.
