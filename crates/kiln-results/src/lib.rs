//! The places in which a session finds existing results: its own memory, the images it opened, the store on disk.
//!
//! [`TieredStore`] combines the images and the store: lookups go to the nearest first, are counted, collected for an
//! image under construction, and compared if requested. [`Memo`] adds a session's memory in front: when several
//! threads request a result, one makes it and the others wait.
//!
//! # Deliberately absent
//! The meaning of results and keys: callers decode entries and reject those that do not fit.

mod memo;
mod store;

pub use memo::Memo;
pub use store::{StoreOptions, TieredStore, open_store};
