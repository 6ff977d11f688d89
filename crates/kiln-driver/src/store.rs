//! Units in the store on disk: a unit whose key is there is not compiled again, in any process.
//!
//! A unit is looked for by its front key, and if that is not there and its module has been emitted, by its back key (see
//! [`keys`](crate::keys)). What is found is checked before it is used, and one hit in so many, if that is wanted, is
//! compiled again and compared.

use crate::kernel_host::Driver;
use crate::keys::UnitKeys;
use crate::unit::UnitSource;
use crate::unit_target::UnitTarget;
use kiln_cache::{Config, Entry, Image, Key, Miss, Mode, OpenError, Stats, Store};
use kiln_metrics::missed;
use kiln_targets::{Items, TargetFacts};
use kiln_unit::{Body, CodegenReply, Emitted, Refusal, Stages};
use parking_lot::{Mutex, RwLock};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// Where compiled units are kept, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The directory.
    pub root: PathBuf,
    /// The permitted operations.
    pub mode: Mode,
    /// Most bytes it may hold; `None`: the store's default.
    pub bytes_max: Option<u64>,
    /// Directories of other stores that are read after the root and never written.
    pub overlays: Vec<PathBuf>,
    /// One unit in so many that are found is compiled again and must come out the same; 0: none.
    pub verify_one_in: u32,
}

/// How long the end of a session waits for units to be written: what a disk that hangs may cost, and longer than a machine
/// with much else to do takes.
const FLUSH_WAIT: Duration = Duration::from_secs(5);

/// The part of a key of what is no code that says what it is.
pub(crate) const OUTPUT: &str = "output";
/// Why there is none.
pub(crate) const REFUSAL: &str = "refusal";

/// The stores of a driver's results: a store, opened by the first that is wanted, and images.
#[derive(Default)]
pub(crate) struct UnitStore {
    opened: OnceLock<Option<Opened>>,
    images: RwLock<Vec<Arc<Image>>>,
    /// The devices that the images have code for.
    image_devices: RwLock<Vec<TargetFacts>>,
    /// The code generator that the images were made with.
    image_codegen: OnceLock<String>,
    /// The entries found or made, if an image is to be built of them.
    collected: Mutex<Vec<(Key, Entry)>>,
}

struct Opened {
    store: Store,
    verify_one_in: u32,
}

impl UnitStore {
    /// The devices that images have code for.
    pub(crate) fn devices(&self) -> Vec<TargetFacts> {
        self.image_devices.read().clone()
    }
}

impl Driver {
    fn opened(&self) -> Option<&Opened> {
        self.store.opened.get_or_init(|| self.open_store()).as_ref()
    }

    fn open_store(&self) -> Option<Opened> {
        let options = self.store_options()?;
        match Store::open(config(options)) {
            Ok(store) => Some(Opened { store, verify_one_in: options.verify_one_in }),
            Err(error) => {
                self.warn(&format!("compiled code is not kept: {error}"));
                None
            }
        }
    }

    /// Returns the keys of units for a target; `None` if the code generator cannot be told from others.
    fn make_keys(&self, facts: &TargetFacts) -> Option<UnitKeys> {
        let codegen = self.codegen_identity()?;
        Some(UnitKeys::new(&codegen, facts, self.mutant()))
    }

    /// Returns the identity of the code generator: where there is none, that of the images.
    pub(crate) fn codegen_identity(&self) -> Option<String> {
        self.codegen.identity().or_else(|| self.store.image_codegen.get().cloned())
    }

    /// Returns the keys of units; `None` if nothing is looked for or kept.
    pub(crate) fn keys<'a>(&self, target: &'a UnitTarget) -> Option<&'a UnitKeys> {
        let wanted = self.collects() || self.has_images() || self.opened().is_some();
        if wanted { self.session_keys(target) } else { None }
    }

    /// The same for what this session finds again by itself, whatever is kept.
    pub(crate) fn session_keys<'a>(&self, target: &'a UnitTarget) -> Option<&'a UnitKeys> {
        target.keys_or_init(|| self.make_keys(&target.facts))
    }

    /// Takes results from `image` from now on. It has been found to be of this program and for this target, has code for
    /// these devices too, and was made with the code generator of that identity.
    pub(crate) fn add_image(&self, image: Arc<Image>, codegen: String, devices: &[TargetFacts]) {
        let _ = self.store.image_codegen.set(codegen);
        self.store.image_devices.write().extend_from_slice(devices);
        self.store.images.write().push(image);
    }

    /// Whether images have code for devices.
    pub(crate) fn has_device_images(&self) -> bool {
        self.store.image_devices.read().iter().any(|it| it.items == Items::Device)
    }

    fn has_images(&self) -> bool {
        !self.store.images.read().is_empty()
    }

    /// Returns the entry of an image under a key. A store that is verified against new results wants nothing from images.
    fn image_lookup(&self, key: &Key) -> Option<Entry> {
        let looks = self.store_options().is_none_or(|it| it.mode.looks_up() || it.mode == Mode::Off);
        let images = self.store.images.read();
        let entry = images.iter().filter(|_| looks).find_map(|it| it.get(key))?;
        drop(images);
        Some(entry)
    }

    /// How many entries of images turned out to be damaged.
    pub fn damaged_in_images(&self) -> u64 {
        self.store.images.read().iter().map(|it| it.damaged()).sum()
    }

    fn collect(&self, key: &Key, entry: &Entry) {
        if self.collects() {
            self.store.collected.lock().push((key.clone(), entry.clone()));
        }
    }

    /// Returns the entries found or made so far, for an image.
    pub fn collected(&self) -> Vec<(Key, Entry)> {
        std::mem::take(&mut self.store.collected.lock())
    }

    /// Whether typed code is kept for other sessions.
    pub(crate) fn keeps_typed(&self) -> bool {
        (self.store_options().is_some() || self.collects() || self.has_images()) && self.mutant().is_none()
    }

    /// Returns a result for a device, if it is in an image or the store.
    pub(crate) fn artifact(&self, key: &Key) -> Option<Entry> {
        let imaged = self.image_lookup(key);
        let is_imaged = imaged.is_some();
        let entry = imaged.or_else(|| self.opened()?.store.get(key))?;
        self.counters().count(|it| if is_imaged { &it.image_hits } else { &it.front_hits });
        self.collect(key, &entry);
        Some(entry)
    }

    /// Returns the entry under a key, in an image or the store.
    pub(crate) fn fetch(&self, key: &Key) -> Option<Entry> {
        let entry = self.image_lookup(key).or_else(|| self.opened()?.store.get(key))?;
        self.collect(key, &entry);
        Some(entry)
    }

    /// Whether what is made is compared with what the store has.
    pub(crate) fn verifies(&self) -> bool {
        self.opened().is_some_and(|it| it.store.verifies())
    }

    /// Returns the store's entry under a key for a comparison with a new result.
    pub(crate) fn to_verify(&self, key: &Key) -> Option<Entry> {
        self.opened()?.store.to_verify(key)
    }

    /// Returns the store's entry under a key, for users.
    pub(crate) fn kept_entry(&self, key: &Key) -> Option<Entry> {
        self.opened()?.store.peek(key).ok()
    }

    /// Whether a hint is kept under a key. Counts neither as a hit nor as a miss: sessions ask for many more than there are.
    pub(crate) fn has_note(&self, key: &Key) -> bool {
        let Some(entry) = self.image_lookup(key).or_else(|| self.opened()?.store.peek(key).ok()) else {
            return false;
        };
        self.collect(key, &entry);
        true
    }

    /// Keeps what other sessions may want, in place of what was kept under the key before.
    pub(crate) fn save(&self, key: Key, entry: Entry) {
        self.collect(&key, &entry);
        if let Some(opened) = self.opened() {
            opened.store.replace(key, entry);
        }
    }

    /// The unit's code, if it is in an image or the store and can be what `source` was compiled to.
    pub(crate) fn stored(&self, key: &Key, source: &UnitSource) -> Option<Body> {
        if let Some(entry) = self.image_lookup(key)
            && let Some(body) = fitting(&entry, source)
        {
            self.counters().count(|it| &it.image_hits);
            self.collect(key, &entry);
            return Some(body);
        }
        let why = match self.opened()?.store.look_up(key) {
            Ok(entry) => match fitting(&entry, source) {
                Some(body) => {
                    self.counters().count(|it| &it.front_hits);
                    self.collect(key, &entry);
                    return Some(body);
                }
                None => Miss::Corrupt,
            },
            Err(why) => why,
        };
        self.counters().count(|it| missed(it, why));
        None
    }

    /// The unit's code, if it is stored for what was emitted. From now on it has the front key, too.
    pub(crate) fn stored_by_module(
        &self,
        front: &Key,
        target: &UnitTarget,
        emitted: &Emitted,
        source: &UnitSource,
    ) -> Option<Body> {
        let (store, keys) = (&self.opened()?.store, self.keys(target)?);
        let entry = store.get_by_other_key(&keys.back(front.subject(), &target.options, emitted))?;
        let body = fitting(&entry, source)?;
        self.collect(front, &entry);
        store.put(front.clone(), entry);
        Some(body)
    }

    /// Stores a unit that took `cost` to make under both its keys, and its stages, unless it holds what belongs to this
    /// process. The key of the stages, if they can be had from the store from now on.
    pub(crate) fn store(
        &self,
        front: &Key,
        target: &UnitTarget,
        (emitted, body, stages): (&Emitted, &Body, &Stages),
        cost: Duration,
    ) -> Option<Key> {
        if let Err(why) = lint(body) {
            self.warn(&format!("`{}` is not kept: {why}", front.subject()));
            self.counters().count(|it| &it.unkept);
            return None;
        }
        if body.link.holds_address {
            // The program's doing: it has a constant that is a pointer.
            self.counters().count(|it| &it.unkept);
            return None;
        }
        let entry = Entry::new(body.to_bytes(), cost);
        self.collect(front, &entry);
        let (store, keys) = (&self.opened()?.store, self.keys(target)?);
        store.put(front.clone(), entry.clone());
        store.put(keys.back(front.subject(), &target.options, emitted), entry);
        let key = keys.stages(front.subject(), &target.options, &body.emitted);
        store.put(key.clone(), Entry::new(stages.to_bytes(), Duration::ZERO));
        self.store_options().is_some_and(|it| it.mode != Mode::ReadOnly).then_some(key)
    }

    /// Why codegen refused the unit of this key in another session, if it did.
    pub(crate) fn stored_refusals(&self, front: &Key, target: &UnitTarget) -> Option<Vec<Refusal>> {
        self.kept_refusals(&self.keys(target)?.refusal(front))
    }

    /// Keeps why codegen refused a unit.
    pub(crate) fn store_refusals(&self, front: &Key, target: &UnitTarget, refusals: &[Refusal]) {
        let Some(keys) = self.keys(target) else { return };
        self.keep_refusals(keys.refusal(front), refusals);
    }

    /// The refusals that are kept under a key of their own.
    pub(crate) fn kept_refusals(&self, key: &Key) -> Option<Vec<Refusal>> {
        let looks = self.store_options().is_none_or(|it| it.mode.looks_up() || it.mode == Mode::Off);
        let stored = || self.opened()?.store.peek(key).ok().filter(|_| looks);
        let entry = self.image_lookup(key).or_else(stored)?;
        let refusals = CodegenReply::from_bytes(&entry.payload).ok()?.result.err()?;
        self.collect(key, &entry);
        Some(refusals)
    }

    /// Keeps refusals.
    pub(crate) fn keep_refusals(&self, key: Key, refusals: &[Refusal]) {
        let (llvm_version, times) = (String::new(), Vec::new());
        let reply = CodegenReply { llvm_version, result: Err(refusals.to_vec()), times };
        self.save(key, Entry::new(reply.to_bytes(), Duration::ZERO));
    }

    /// Whether what a kernel was compiled to is looked for by its typed code: where nothing is to be compared with what is
    /// made again, and no image is to have all that was needed.
    pub(crate) fn finds_kernels(&self) -> bool {
        let is_plain = self.store_options().is_some_and(|it| it.mode.looks_up() && it.verify_one_in == 0);
        is_plain && self.keeps_typed() && !self.collects() && !self.has_images()
    }

    /// The code of a kernel that is one function and calls none.
    pub(crate) fn found_kernel_body(&self, key: &Key) -> Option<Body> {
        let entry = self.opened()?.store.peek(key).ok()?;
        let body = Body::from_bytes(&entry.payload).ok()?;
        fits(&body, 1, 1).then_some(body)
    }

    /// Whether there is a store.
    pub(crate) fn has_store(&self) -> bool {
        self.opened().is_some()
    }

    /// Returns an entry that only users look at: it is not counted, and in no image.
    pub(crate) fn fetch_beside(&self, key: &Key) -> Option<Entry> {
        self.opened()?.store.peek(key).ok()
    }

    /// Keeps it.
    pub(crate) fn insert_aux(&self, key: Key, entry: Entry) {
        if let Some(opened) = self.opened() {
            opened.store.put(key, entry);
        }
    }

    /// Stages that were kept, if they still are.
    pub(crate) fn stored_stages(&self, key: &Key) -> Option<Stages> {
        let entry = self.opened()?.store.peek(key).ok()?;
        Stages::from_bytes(&entry.payload).ok()
    }

    /// Whether the unit of this key is one of those that are compiled again although they are there: another choice in
    /// every process.
    pub(crate) fn is_sampled(&self, key: &Key) -> bool {
        let one_in = self.opened().map_or(0, |it| it.verify_one_in);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let [a, b, c, d, ..] = key.id().0;
        one_in != 0 && (u32::from_le_bytes([a, b, c, d]) ^ now.subsec_nanos()).is_multiple_of(one_in)
    }

    /// Whether what is made is compared with what is stored: when it is written, so that all has been once the store is
    /// closed.
    pub fn verifies_store(&self) -> bool {
        self.store_options().is_some_and(|it| it.mode == Mode::Verify)
    }

    /// Returns the session's counts of the store, if it has used one.
    pub fn store_stats(&self) -> Option<Stats> {
        self.store.opened.get()?.as_ref().map(|it| it.store.stats())
    }

    /// Waits until what was compiled has been written, for a bounded time, and adds to the store's totals.
    pub fn close_store(&self) {
        if let Some(Some(opened)) = self.store.opened.get() {
            opened.store.close();
        }
    }

    /// Returns the entry for the unit of this key's subject, and the changes of the key since.
    pub(crate) fn explain_key(&self, key: &Key) -> Option<kiln_cache::Explanation> {
        Some(self.opened()?.store.explain(key))
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
    config
}

/// Returns the stored body, if it can be that of `source`.
fn fitting(entry: &Entry, source: &UnitSource) -> Option<Body> {
    let body = Body::from_bytes(&entry.payload).ok()?;
    let own = source.functions.len();
    fits(&body, own, own + source.callees.len()).then_some(body)
}

/// Whether a stored body can be that of a unit of so many functions, of which the first are its own: what follows indexes
/// by its ordinals, and a cache is not trusted.
fn fits(body: &Body, own: usize, all: usize) -> bool {
    let link = &body.link;
    link.definitions.iter().all(|it| (it.ordinal as usize) < own)
        && link.sites.iter().all(|it| (it.function as usize) < own)
        && link.calls.iter().all(|it| (own..all).contains(&(it.ordinal as usize)))
        && lint(body).is_ok()
}

/// How LLVM's bitcode begins.
const BITCODE: &[u8] = b"BC\xc0\xde";

/// Whether an object holds nothing of this process. A unit for a device is bitcode, which has no place for such things: what
/// it names of a session is listed, and the code generator reads it with care.
fn lint(body: &Body) -> Result<(), kiln_link::LinkError> {
    if body.object.starts_with(BITCODE) {
        return Ok(());
    }
    kiln_link::lint(&body.object, &|symbol| body.link.names(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_unit::{Definition, LinkInfo, Role, Traits};

    /// The smallest object there is: a header.
    fn object() -> Vec<u8> {
        let architecture = object::Architecture::X86_64;
        let endian = object::Endianness::Little;
        object::write::Object::new(object::BinaryFormat::Elf, architecture, endian)
            .write()
            .expect("an empty object can be written")
    }

    /// MISSION N9: what a cache says is checked before it is used.
    #[test]
    fn a_body_that_lies_does_not_fit() {
        let defining = |ordinal| {
            let definition =
                Definition { symbol: "f0".into(), role: Role::Body, ordinal, traits: Traits::default() };
            let link = LinkInfo { definitions: vec![definition], args_align: 1, ..LinkInfo::default() };
            Body { object: object(), link, emitted: [0; 32] }
        };
        assert!(fits(&defining(0), 1, 1));
        assert!(!fits(&defining(1), 1, 2), "a function that the unit does not have");
        assert!(!fits(&Body { object: b"no object".to_vec(), ..defining(0) }, 1, 1));
    }
}
