//! Kernels on devices: which device, their memory, streams and launches.

pub(crate) mod addresses;
pub(crate) mod chosen;
pub(crate) mod coherence;
pub(crate) mod draining;
pub(crate) mod entry;
pub(crate) mod found;
pub(crate) mod launching;
pub(crate) mod loadable;
pub(crate) mod made_entry;
pub(crate) mod opened;
pub(crate) mod pending;
pub(crate) mod reserving;
pub(crate) mod streams;
