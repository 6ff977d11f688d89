//! Images and the store on disk as one place to look results up in.

use kiln_cache::{
    Config, Entry, Explanation, ImageFile, Key, Lease, Miss, OpenError, Stats, Store, StoreMode, inspect,
};
use kiln_metrics::{Counters, missed};
use kiln_remote::{RemoteClient, RemoteOptions};
use parking_lot::{Mutex, RwLock};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// The location of the store, and its permitted operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The directory.
    pub root: PathBuf,
    /// The permitted operations.
    pub mode: StoreMode,
    /// Most bytes it may hold; `None`: the store's default.
    pub bytes_max: Option<u64>,
    /// Directories of other stores that are read after the root and never written.
    pub overlays: Vec<PathBuf>,
    /// One unit in so many that are found is compiled again and must come out the same; 0: none.
    pub verify_one_in: u32,
    /// A shared cache on a server, asked for entries that are in none of the directories.
    pub remote: Option<RemoteOptions>,
}

/// The longest time that the end of a session waits for results to be written: bounds the cost of a hanging disk, and
/// exceeds the time that a busy machine needs.
const FLUSH_WAIT: Duration = Duration::from_secs(5);

/// The images of a session and its store, which is opened by the first look-up.
///
/// ```
/// use kiln_cache::{Class, Entry, KeyBuilder};
/// use kiln_results::TieredStore;
/// use std::{sync::Arc, time::Duration};
/// let results = TieredStore::new(None, true, Arc::default());
/// let key = KeyBuilder::new(Class::Tool, "answer").finish();
/// results.replace(key.clone(), Entry::new(vec![42], Duration::ZERO));
/// // Without a store nothing is found again; what an image is to hold has been collected.
/// assert!(results.get(&key).is_none() && !results.has_store());
/// assert_eq!(results.take_collected().len(), 1);
/// ```
pub struct TieredStore {
    options: Option<StoreOptions>,
    /// Entries that were found or made are remembered, for an image.
    collects: bool,
    counters: Arc<Counters>,
    opened: OnceLock<Option<Result<Store, OpenError>>>,
    images: RwLock<Vec<Arc<ImageFile>>>,
    collected: Mutex<Vec<(Key, Entry)>>,
}

impl TieredStore {
    /// A front that has opened nothing yet. Without `options` there is no store.
    pub fn new(options: Option<StoreOptions>, collects: bool, counters: Arc<Counters>) -> Self {
        let (opened, images, collected) = (OnceLock::new(), RwLock::default(), Mutex::default());
        Self { options, collects, counters, opened, images, collected }
    }

    /// Returns the options of the store, if there is one.
    pub fn options(&self) -> Option<&StoreOptions> {
        self.options.as_ref()
    }

    /// Whether entries are collected for an image.
    pub fn collects(&self) -> bool {
        self.collects
    }

    /// Whether a store could be opened.
    pub fn has_store(&self) -> bool {
        self.opened().is_some()
    }

    /// Whether any image is open.
    pub fn has_images(&self) -> bool {
        !self.images.read().is_empty()
    }

    /// Whether a result can be found again, or has to be collected: otherwise keys need not be computed.
    pub fn is_wanted(&self) -> bool {
        self.collects || self.has_images() || self.has_store()
    }

    fn opened(&self) -> Option<&Store> {
        let open = || self.options.as_ref().map(|it| Store::open(config(it)));
        self.opened.get_or_init(open).as_ref()?.as_ref().ok()
    }

    /// Returns the reason why the store could not be opened, if one was to be used.
    pub fn open_error(&self) -> Option<&OpenError> {
        self.opened.get()?.as_ref()?.as_ref().err()
    }

    /// Takes results from `image` from now on.
    pub fn add_image(&self, image: Arc<ImageFile>) {
        self.images.write().push(image);
    }

    /// Returns how many entries of images turned out to be damaged.
    pub fn damaged_in_images(&self) -> u64 {
        self.images.read().iter().map(|it| it.damaged()).sum()
    }

    /// Whether the mode permits look-ups. A store that is verified against new results wants nothing from images either.
    pub fn looks_up(&self) -> bool {
        self.options.as_ref().is_none_or(|it| it.mode.looks_up() || it.mode == StoreMode::Off)
    }

    fn in_images(&self, key: &Key) -> Option<Entry> {
        if !self.looks_up() {
            return None;
        }
        self.images.read().iter().find_map(|it| it.get(key))
    }

    /// Remembers an entry for an image that is being built.
    pub fn collect(&self, key: &Key, entry: &Entry) {
        if self.collects {
            self.collected.lock().push((key.clone(), entry.clone()));
        }
    }

    /// Returns the entries found or made so far, once.
    pub fn take_collected(&self) -> Vec<(Key, Entry)> {
        std::mem::take(&mut self.collected.lock())
    }

    /// Returns the decoded entry under a key, from an image or the store: an entry that `decode` rejects is damaged,
    /// and counts as absent. Hits and misses are counted.
    pub fn look_up<T>(&self, key: &Key, decode: impl Fn(&Entry) -> Option<T>) -> Option<T> {
        if let Some(entry) = self.in_images(key)
            && let Some(found) = decode(&entry)
        {
            self.counters.count(|it| &it.image_hits);
            self.collect(key, &entry);
            return Some(found);
        }
        let why = match self.opened()?.look_up(key) {
            Ok(entry) => match decode(&entry) {
                Some(found) => {
                    self.counters.count(|it| &it.front_hits);
                    self.collect(key, &entry);
                    return Some(found);
                }
                None => Miss::Corrupt,
            },
            Err(why) => why,
        };
        self.counters.count(|it| missed(it, why));
        None
    }

    /// Returns the entry under a key, in an image or the store. A hit is counted.
    pub fn get(&self, key: &Key) -> Option<Entry> {
        let imaged = self.in_images(key);
        let is_imaged = imaged.is_some();
        let entry = imaged.or_else(|| self.opened()?.get(key))?;
        self.counters.count(|it| if is_imaged { &it.image_hits } else { &it.front_hits });
        self.collect(key, &entry);
        Some(entry)
    }

    /// Returns the entry under a key, in an image or the store. Nothing is counted here: for parts of results.
    pub fn get_part(&self, key: &Key) -> Option<Entry> {
        let entry = self.in_images(key).or_else(|| self.opened()?.get(key))?;
        self.collect(key, &entry);
        Some(entry)
    }

    /// Returns the entry under a key without counting: for hints and refusals, for which most lookups miss. The store
    /// is read in every mode.
    pub fn get_hint(&self, key: &Key) -> Option<Entry> {
        let entry = self.in_images(key).or_else(|| self.peek(key))?;
        self.collect(key, &entry);
        Some(entry)
    }

    /// Returns the store's entry under a second key of a result.
    pub fn get_by_other_key(&self, key: &Key) -> Option<Entry> {
        self.opened()?.get_by_other_key(key)
    }

    /// Returns the store's entry under a key for display: neither counted nor collected.
    pub fn peek(&self, key: &Key) -> Option<Entry> {
        self.opened()?.peek(key).ok()
    }

    /// Keeps an entry in the store, unless there is one under its key.
    pub fn put(&self, key: Key, entry: Entry) {
        if let Some(store) = self.opened() {
            store.put(key, entry);
        }
    }

    /// As [`put`](Self::put), for a result that was made under a lease.
    pub fn put_leased(&self, key: Key, entry: Entry, lease: Option<Lease>) {
        if let Some(store) = self.opened() {
            match lease {
                Some(lease) => lease.put(store, key, entry),
                None => store.put(key, entry),
            }
        }
    }

    /// The lease of a key, for which it waits at most for `most`: see [`Lease::take`]. `None` where nothing is to be shared, too.
    pub fn lease(&self, key: &Key, most: Duration) -> Option<Lease> {
        let is_shared = self.options().is_some_and(|it| it.mode == StoreMode::ReadWrite);
        Lease::take(self.opened().filter(|_| is_shared)?, key, most)
    }

    /// Keeps an entry in place of one that is there, and collects it.
    pub fn replace(&self, key: Key, entry: Entry) {
        self.collect(&key, &entry);
        if let Some(store) = self.opened() {
            store.replace(key, entry);
        }
    }

    /// Whether entries put now can be read later.
    pub fn is_readable(&self) -> bool {
        self.has_store() && self.options.as_ref().is_some_and(|it| it.mode != StoreMode::ReadOnly)
    }

    /// Whether new results are compared with those in the store, one by one.
    pub fn verifies(&self) -> bool {
        self.opened().is_some_and(Store::verifies)
    }

    /// Returns the store's entry under a key for a comparison with a new result.
    pub fn to_verify(&self, key: &Key) -> Option<Entry> {
        self.opened()?.to_verify(key)
    }

    /// Whether the result of this key is one of those that are made again although they are there: another choice in every
    /// process.
    pub fn is_sampled(&self, key: &Key) -> bool {
        let one_in = self.options.as_ref().filter(|_| self.has_store()).map_or(0, |it| it.verify_one_in);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let [a, b, c, d, ..] = key.id().0;
        one_in != 0 && (u32::from_le_bytes([a, b, c, d]) ^ now.subsec_nanos()).is_multiple_of(one_in)
    }

    /// Returns the session's counts of the store, if it has used one.
    pub fn stats(&self) -> Option<Stats> {
        Some(self.opened.get()?.as_ref()?.as_ref().ok()?.stats())
    }

    /// Returns the entry of the key's subject, and how the key differs.
    pub fn explain(&self, key: &Key) -> Option<Explanation> {
        Some(inspect::explain(self.opened()?, key))
    }

    /// Waits, for a bounded time, until pending results are written, and adds to the store's totals.
    pub fn close(&self) {
        if let Some(Some(Ok(store))) = self.opened.get() {
            store.close();
        }
    }
}

/// Opens the store of `options` by itself, to look into it.
///
/// # Errors
/// Why the store refuses the directory.
pub fn open_store(options: &StoreOptions) -> Result<Store, OpenError> {
    Store::open(config(options))
}

fn config(options: &StoreOptions) -> Config {
    let mut config = Config::new(&options.root).mode(options.mode);
    config.bytes_max = options.bytes_max;
    config.overlays.clone_from(&options.overlays);
    config.exit_wait = FLUSH_WAIT;
    let remote = options.remote.clone().map(|it| Arc::new(RemoteClient::new(it, &options.root)));
    config.upstream = remote.map(|it| it as _);
    config
}
