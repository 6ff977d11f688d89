//! Units in the store on disk: a unit whose key is there is not compiled again, in any process.
//!
//! The key of a unit lists what codegen is given: the typed bodies without names and places, how it calls what it calls,
//! the target, and which code generator answers. So a unit that was moved or renamed is found, and one that was
//! compiled by another build of kiln is not.

use crate::kernel_host::Driver;
use crate::loader;
use crate::typed::specialization;
use crate::unit::UnitSource;
use kiln_cache::{Class, Config, Entry, Key, KeyBuilder, Mode, OpenError, Stats, Store};
use kiln_runtime::Runtime;
use kiln_unit::{Body, CodegenOptions, CodegenRequest, EntryKind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// Where compiled units are kept, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The directory.
    pub root: PathBuf,
    /// What may be done.
    pub mode: Mode,
    /// Most bytes it may hold; `None`: the store's default.
    pub bytes_max: Option<u64>,
    /// Directories of other stores that are read after the root and never written.
    pub overlays: Vec<PathBuf>,
}

/// How long the end of a session waits for units to be written.
const FLUSH_WAIT: Duration = Duration::from_secs(1);

/// The store of a driver, opened by the first unit that is needed.
#[derive(Default)]
pub(crate) struct UnitStore {
    opened: OnceLock<Option<Opened>>,
}

struct Opened {
    store: Store,
    environment: Key,
}

impl Driver {
    fn opened(&self) -> Option<&Opened> {
        self.store.opened.get_or_init(|| self.open_store()).as_ref()
    }

    fn open_store(&self) -> Option<Opened> {
        let options = self.store_options()?;
        let environment = self.environment()?;
        match Store::open(config(options)) {
            Ok(store) => Some(Opened { store, environment }),
            Err(error) => {
                self.warn(&format!("compiled code is not kept: {error}"));
                None
            }
        }
    }

    /// What all keys of this driver share; `None` if the code generator cannot be told from others.
    fn environment(&self) -> Option<Key> {
        let codegen = loader::identity(self.codegen_path())?;
        let mut key = KeyBuilder::new(Class::Codegen, "environment");
        key.text("kiln", env!("CARGO_PKG_VERSION"));
        key.text("code generator", &codegen);
        key.bytes("target", &self.facts().to_bytes());
        if let Some((right, wrong)) = self.mutant() {
            key.text("mutant", &format!("{right:?} as {wrong:?}"));
        }
        Some(key.finish())
    }

    /// The unit's code, if it is stored and can be what `source` was compiled to.
    pub(crate) fn stored(&self, key: &Key, source: &UnitSource) -> Option<Body> {
        let entry = self.opened()?.store.get(key)?;
        let body = Body::from_bytes(&entry.payload).ok()?;
        let own = source.functions.len();
        fits(&body, own, own + source.callees.len()).then_some(body)
    }

    /// Stores a unit that took `cost` to make, unless it holds what belongs to this process.
    pub(crate) fn store(&self, key: Key, body: &Body, cost: Duration) {
        let Some(opened) = self.opened() else { return };
        let listed = |symbol: &str| body.link.names(symbol);
        match kiln_link::lint(&body.object, &listed) {
            Ok(()) => opened.store.put(key, Entry::new(body.to_bytes(), cost)),
            Err(why) => self.warn(&format!("`{}` is not kept: {why}", key.subject())),
        }
    }

    /// The key of a unit; `None` if there is no store.
    pub(crate) fn unit_key(
        &self,
        rt: &Runtime,
        source: &UnitSource,
        request: &CodegenRequest,
    ) -> Option<Key> {
        let opened = self.opened()?;
        let mut key = KeyBuilder::new(Class::Codegen, specialization(rt, source.functions[0].instance));
        key.nested("environment", &opened.environment);
        let entry = match request.entry {
            EntryKind::Function => "function",
            EntryKind::Kernel => "kernel",
            EntryKind::Body => "body",
        };
        key.text("entry", entry).flag("in kernel", request.in_kernel);
        // Named one by one: an option that is added has to say here whether it changes the object.
        let CodegenOptions { opt_level, lines, verify: _, keep_ir: _ } = request.options;
        key.number("optimization level", opt_level.into()).flag("lines", lines);
        for (ordinal, function) in request.functions.iter().enumerate() {
            match function.external {
                None => key.bytes(&format!("body {ordinal}"), &function.ir),
                Some(traits) => key
                    .bytes(&format!("signature of callee {ordinal}"), &function.ir)
                    .number(&format!("traits of callee {ordinal}"), traits.bits().into()),
            };
            let callees: Vec<String> = function.callees.iter().map(u32::to_string).collect();
            key.text(&format!("calls of {ordinal}"), &callees.join(" "));
        }
        Some(key.finish())
    }

    /// The store, and the key of what its keys share, if results are kept.
    pub(crate) fn kept(&self) -> Option<(&Store, &Key)> {
        self.opened().map(|it| (&it.store, &it.environment))
    }

    /// What the session did with the store, if it has used one.
    pub fn store_stats(&self) -> Option<Stats> {
        self.store.opened.get()?.as_ref().map(|it| it.store.stats())
    }

    /// Waits until what was compiled has been written, for a bounded time, and adds to the store's totals.
    pub fn close_store(&self) {
        if let Some(Some(opened)) = self.store.opened.get() {
            opened.store.close();
        }
    }

    /// What is stored for the unit of this key's subject, and what of the key has changed since.
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

/// Whether a stored body can be that of a unit of so many functions, of which the first are its own: what follows indexes
/// by its ordinals, and a cache is not trusted.
fn fits(body: &Body, own: usize, all: usize) -> bool {
    let link = &body.link;
    link.definitions.iter().all(|it| (it.ordinal as usize) < own)
        && link.sites.iter().all(|it| (it.function as usize) < own)
        && link.calls.iter().all(|it| (own..all).contains(&(it.ordinal as usize)))
        && kiln_link::lint(&body.object, &|symbol| link.names(symbol)).is_ok()
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
            Body { object: object(), link }
        };
        assert!(fits(&defining(0), 1, 1));
        assert!(!fits(&defining(1), 1, 2), "a function that the unit does not have");
        assert!(!fits(&Body { object: b"no object".to_vec(), ..defining(0) }, 1, 1));
    }
}
