//! Where a session finds results before it makes them: its own memory, the images it opened, the store on disk.
//!
//! [`ResultStore`] is the images and the store as one place: looked up nearest first, counted, collected for an image that is
//! being built, compared where that is asked for. [`Memo`] puts a session's memory in front: what several threads want is made
//! by one of them, and the others wait for it.
//!
//! # Deliberately absent
//! What results are, and what their keys list: callers decode entries and refuse those that do not fit.

mod memo;
mod store;

pub use memo::Memo;
pub use store::{ResultStore, StoreOptions, Warn, open_store};
