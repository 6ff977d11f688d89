//! Results that may leave the process: [`Portable`] artifacts, the places they are kept in, and results made of such places.

use parking_lot::ReentrantMutex;
use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// An artifact that means the same in another process: text, an object file, a serialized module.
///
/// Handles are not: nothing here is portable that is a bare number, an address or a function. An artifact that is made of
/// several parts has a format of its own.
pub trait Portable: Send + Sync + Sized + 'static {
    /// As bytes.
    fn to_bytes(&self) -> Vec<u8>;
    /// The inverse; `None` if they are not the bytes of one: they may come from anywhere.
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

/// A place for an artifact: empty until it is made, and written once.
///
/// Only what is [`Portable`] has a place; a handle has none:
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
    value: OnceLock<Made<T>>,
    /// Held by the thread that makes the artifact; set while it does.
    making: ReentrantMutex<Cell<bool>>,
}

struct Made<T> {
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

    /// The artifact, made now if there is none. Threads that ask at the same time wait for the one that makes it. If
    /// that fails the place stays empty, and the next one tries again.
    ///
    /// # Errors
    /// Those of `make`.
    ///
    /// # Panics
    /// When `make` asks for the same artifact.
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
        Ok(self.put(Made { artifact: Arc::new(make()?), leaves: true }))
    }

    /// The same for what cannot fail.
    ///
    /// # Panics
    /// When `make` asks for the same artifact.
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &Arc<T> {
        match self.get_or_try_make(|| Ok::<T, std::convert::Infallible>(make())) {
            Ok(made) => made,
            Err(never) => match never {},
        }
    }

    /// Keeps an artifact that turned out to hold what belongs to this process, an address in it for one: it is used like
    /// any other and does not leave the process. The first one stays.
    pub fn keep_here(&self, artifact: T) -> &Arc<T> {
        self.put(Made { artifact: Arc::new(artifact), leaves: false })
    }

    fn put(&self, made: Made<T>) -> &Arc<T> {
        &self.value.get_or_init(|| made).artifact
    }
}

/// Says that the artifact is no longer being made, however that ended.
struct Done<'a>(&'a Cell<bool>);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// A place without its type.
trait Place {
    fn bytes(&self) -> Option<Vec<u8>>;
    fn fill(&self, bytes: &[u8]) -> bool;
}

impl<T: Portable> Place for Stored<T> {
    fn bytes(&self) -> Option<Vec<u8>> {
        self.value.get().filter(|it| it.leaves).map(|it| it.artifact.to_bytes())
    }
    fn fill(&self, bytes: &[u8]) -> bool {
        let Some(artifact) = T::from_bytes(bytes) else { return false };
        self.put(Made { artifact: Arc::new(artifact), leaves: true });
        true
    }
}

/// The places of a result, by name.
#[derive(Default)]
pub struct Places<'a> {
    all: Vec<(&'static str, &'a dyn Place)>,
}

impl<'a> Places<'a> {
    /// Lists a place. Its name is the same in all versions that understand each other's artifacts.
    pub fn add<T: Portable>(&mut self, name: &'static str, place: &'a Stored<T>) -> &mut Self {
        self.all.push((name, place));
        self
    }

    /// Returns the contents of the places that are not empty and may leave the process.
    pub(crate) fn bytes(&self) -> Vec<(String, Vec<u8>)> {
        let filled = self.all.iter().filter_map(|(name, place)| Some(((*name).to_owned(), place.bytes()?)));
        filled.collect()
    }

    /// Fills the places that are named; what is not understood is left out, since it can be made again.
    pub(crate) fn fill(&self, all: &[(String, Vec<u8>)]) {
        for (name, bytes) in all {
            if let Some((_, place)) = self.all.iter().find(|it| it.0 == name) {
                place.fill(bytes);
            }
        }
    }
}

/// A back end's results for a job: [`Stored`] places, which may outlive the process, beside
/// [`Handles`](super::Handles) and whatever else belongs to this one.
///
/// It begins empty. A handle cannot be listed among what outlives the process:
///
/// ```compile_fail,E0308
/// use kiln_runtime::caching::{Handles, Places, Results, Stored};
///
/// #[derive(Default)]
/// struct Compiled {
///     text: Stored<String>,
///     modules: Handles<u32, u64>,
/// }
///
/// impl Results for Compiled {
///     const NAME: &'static str = "example";
///     fn places<'a>(&'a self, to: &mut Places<'a>) {
///         let Self { text, modules } = self;
///         to.add("text", text).add("modules", modules); // expected `&Stored<_>`, found `&Handles<u32, u64>`
///     }
/// }
/// ```
pub trait Results: Default + Send + Sync + 'static {
    /// The name in an image: one type a name.
    const NAME: &'static str;

    /// Lists the places that outlive the process. Take `self` apart, so that a field that is added has to say.
    fn places<'a>(&'a self, to: &mut Places<'a>);
}
