//! What expressions become.
