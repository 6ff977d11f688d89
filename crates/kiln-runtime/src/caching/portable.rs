//! Results that may leave the process: [`Portable`] artifacts, the fields that store them, and types made of such
//! fields.

use parking_lot::ReentrantMutex;
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// An artifact with the same meaning in every process: text, an object file, a serialized module.
///
/// Handles are not portable, nor are bare numbers, addresses and functions. An artifact of several parts has a format
/// of its own.
pub trait Portable: Send + Sync + Sized + 'static {
    /// Serializes the artifact.
    fn to_bytes(&self) -> Vec<u8>;
    /// The inverse; `None` if the bytes are invalid: they may come from an untrusted file.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl Portable for Vec<u8> {
    fn to_bytes(&self) -> Vec<u8> {
        self.clone()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(bytes.to_vec())
    }
}

impl Portable for String {
    fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_utf8(bytes.to_vec()).ok()
    }
}

/// A field for an artifact: empty until the artifact is made, and written once.
///
/// Only [`Portable`] types can be stored; a handle cannot:
///
/// ```compile_fail,E0277
/// use kiln_runtime::caching::Stored;
///
/// /// What a driver calls a loaded module.
/// struct Module(u64);
///
/// #[derive(Default)]
/// struct Compiled {
///     module: Stored<Module>, // the trait bound `Module: Portable` is not satisfied
/// }
/// ```
pub struct Stored<T: Portable> {
    value: OnceLock<ArtifactCell<T>>,
    /// Held by the thread that makes the artifact; set while it does.
    making: ReentrantMutex<Cell<bool>>,
}

struct ArtifactCell<T> {
    artifact: Arc<T>,
    leaves: bool,
}

impl<T: Portable> Default for Stored<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), making: ReentrantMutex::new(Cell::new(false)) }
    }
}

impl<T: Portable + fmt::Debug> fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stored").field(&self.get()).finish()
    }
}

impl<T: Portable> Stored<T> {
    /// The artifact, if it has been made.
    pub fn get(&self) -> Option<&Arc<T>> {
        self.value.get().map(|it| &it.artifact)
    }

    /// Returns the artifact, calling `make` on first use. Concurrent callers wait for the one that makes it. On an
    /// error the field stays empty, and the next caller tries again.
    ///
    /// # Errors
    /// Those of `make`.
    ///
    /// # Panics
    /// When `make` asks for the same artifact, recursively.
    pub fn get_or_try_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&Arc<T>, E> {
        if let Some(made) = self.value.get() {
            return Ok(&made.artifact);
        }
        let making = self.making.lock();
        if let Some(made) = self.value.get() {
            return Ok(&made.artifact);
        }
        assert!(!making.replace(true), "an artifact is made of itself");
        let _done = Done(&making);
        Ok(self.put(ArtifactCell { artifact: Arc::new(make()?), leaves: true }))
    }

    /// As [`Self::get_or_try_make`], for a `make` that cannot fail.
    ///
    /// # Panics
    /// When `make` asks for the same artifact, recursively.
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &Arc<T> {
        match self.get_or_try_make(|| Ok::<T, std::convert::Infallible>(make())) {
            Ok(made) => made,
            Err(never) => match never {},
        }
    }

    /// Stores an artifact that contains process-local data, an address for example: it is used like any other and
    /// does not leave the process. The first stored artifact wins.
    pub fn store_local(&self, artifact: T) -> &Arc<T> {
        self.put(ArtifactCell { artifact: Arc::new(artifact), leaves: false })
    }

    fn put(&self, made: ArtifactCell<T>) -> &Arc<T> {
        &self.value.get_or_init(|| made).artifact
    }
}

/// Marks the artifact as no longer in progress when dropped.
struct Done<'a>(&'a Cell<bool>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// A [`Stored`] field without its type.
trait StoredField {
    fn bytes(&self) -> Option<Vec<u8>>;
    fn fill(&self, bytes: &[u8]) -> bool;
}

impl<T: Portable> StoredField for Stored<T> {
    fn bytes(&self) -> Option<Vec<u8>> {
        self.value.get().filter(|it| it.leaves).map(|it| it.artifact.to_bytes())
    }
    fn fill(&self, bytes: &[u8]) -> bool {
        let Some(artifact) = T::from_bytes(bytes) else { return false };
        self.put(ArtifactCell { artifact: Arc::new(artifact), leaves: true });
        true
    }
}

/// The portable fields of a result, by name.
#[derive(Default)]
pub struct StoredFields<'a> {
    all: Vec<(&'static str, &'a dyn StoredField)>,
}

impl<'a> StoredFields<'a> {
    /// Adds a field. Its name is equal in all versions with compatible artifacts.
    pub fn add<T: Portable>(&mut self, name: &'static str, field: &'a Stored<T>) -> &mut Self {
        self.all.push((name, field));
        self
    }

    /// Returns the contents of the fields that are filled and may leave the process.
    pub(crate) fn bytes(&self) -> Vec<(String, Vec<u8>)> {
        let filled = self.all.iter().filter_map(|(name, field)| Some(((*name).to_owned(), field.bytes()?)));
        filled.collect()
    }

    /// Fills the named fields. Fields with unknown names or invalid bytes stay empty: their artifacts can be made
    /// again.
    pub(crate) fn fill(&self, all: &[(String, Vec<u8>)]) {
        for (name, bytes) in all {
            if let Some((_, field)) = self.all.iter().find(|it| it.0 == name) {
                field.fill(bytes);
            }
        }
    }
}

/// The results of a back end for a job: [`Stored`] fields, which may outlive the process, and
/// [`Handles`](super::Handles) and other data of this process.
///
/// A new one is empty. A handle cannot be listed among the portable fields:
///
/// ```compile_fail,E0308
/// use kiln_runtime::caching::{Handles, StoredFields, Results, Stored};
///
/// #[derive(Default)]
/// struct Compiled {
///     text: Stored<String>,
///     modules: Handles<u32, u64>,
/// }
///
/// impl Results for Compiled {
///     const NAME: &'static str = "example";
///     fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>) {
///         let Self { text, modules } = self;
///         to.add("text", text).add("modules", modules); // expected `&Stored<_>`, found `&Handles<u32, u64>`
///     }
/// }
/// ```
pub trait Results: Default + Send + Sync + 'static {
    /// The name in an image: one type a name.
    const NAME: &'static str;

    /// Lists the fields that outlive the process. Destructure `self`, so that a new field must be listed or left out explicitly.
    fn stored_fields<'a>(&'a self, to: &mut StoredFields<'a>);
}
