//! What a session knows of typed code of other sessions.

use super::library::LibraryIndex;
use super::names::NameIndex;
use kiln_cache::{Key, KeyId};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// The access of a session to typed code of other sessions.
#[derive(Default)]
pub struct TypedCache {
    pub(super) environment: OnceLock<Option<Key>>,
    pub(super) names: Arc<NameIndex>,
    pub(super) library: LibraryIndex,
    /// The results under keys that did not hold: kept on beside new ones.
    pub(super) others: Mutex<FxHashMap<KeyId, Vec<u8>>>,
}
