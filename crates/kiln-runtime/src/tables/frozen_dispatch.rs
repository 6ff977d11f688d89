//! Calls that were resolved before an image was made: their methods are read instead of looked up again.
//!
//! An entry of the image is read at the first call, as if it had been resolved then. Definitions since the image may
//! have ended it, so they are listed by the callees they can affect.
//!
//! # Deliberately absent
//! Entries of views other than the host's, and those that had ended when the image was made.

use super::dispatch::{ArgKey, DispatchEntry, EntryId};
use super::index::{Key, callee_key};
use super::{Calls, CodeTables, Instances, MethodId, ViewId, World, WorldRange};
use crate::image::BodySource;
use kiln_bytes::{Reader, Writer};
use kiln_types::Type;
use kiln_types::freeze::{FrozenTable, ImageBytes, ImageError, TableWriter, accepted};
use parking_lot::RwLock;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

/// The resolved calls of the image.
#[derive(Debug, Default)]
pub(super) struct FrozenDispatch {
    table: FrozenTable,
    source: Option<Arc<BodySource>>,
    /// Signatures in the global table that are not the image's, with the last world without them, by the only key a
    /// callee they concern can have. `None`: they may concern any.
    since: RwLock<FxHashMap<Option<Key>, Vec<Since>>>,
}

/// A method that the image does not have.
#[derive(Debug)]
struct Since {
    sig: Type,
    /// The last world without it.
    last: World,
}

/// An entry as it is written.
struct Written {
    keys: Vec<ArgKey>,
    sig: Type,
    method: MethodId,
    spec_types: Type,
    spec_params: Vec<Type>,
    static_params: Vec<Type>,
    min: World,
}

/// The instance is for other types than the signature's.
const SPECIALIZED: u64 = 1;
/// It has static parameters.
const SPEC_PARAMS: u64 = 2;
/// The call binds some.
const STATIC_PARAMS: u64 = 4;

/// Equal in every build and process.
fn hash(keys: &[ArgKey]) -> u64 {
    keys.iter().fold(0, |hash: u64, key| {
        (hash.rotate_left(23) ^ u64::from(key.number())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

fn write_types(out: &mut Writer, types: &[Type]) {
    out.list(types, |out, it| out.index(it.index()));
}

impl FrozenDispatch {
    pub(super) fn read(
        bytes: &ImageBytes,
        input: &mut Reader<'_>,
        source: Arc<BodySource>,
    ) -> Result<Self, ImageError> {
        Ok(Self { table: FrozenTable::read(bytes, input)?, source: Some(source), since: RwLock::default() })
    }

    fn keys(&self, input: &mut Reader<'_>) -> Result<Vec<ArgKey>, ImageError> {
        let counts = &self.source.as_ref().ok_or(ImageError("calls of no image"))?.counts;
        input.list_of(|it| {
            let number = it.index(counts.types * 2)?;
            let ty = Type::from_index(number / 2);
            Ok(if number % 2 != 0 { ArgKey::type_value(ty) } else { ArgKey::instance_of(ty) })
        })
    }

    fn entry(&self, at: usize) -> Result<Written, ImageError> {
        let counts = &self.source.as_ref().ok_or(ImageError("calls of no image"))?.counts;
        let input = &mut self.table.entry(at)?;
        let keys = self.keys(input)?;
        let sig = counts.ty(input)?;
        let method = MethodId::from_index(input.number_u32()? as usize);
        let present = input.number()?;
        let has = |fact| present & fact != 0;
        let spec_types = if has(SPECIALIZED) { counts.ty(input)? } else { sig };
        let mut params = |fact| if has(fact) { input.list(|it| counts.ty(it)) } else { Ok(Vec::new()) };
        let (spec_params, static_params) = (params(SPEC_PARAMS)?, params(STATIC_PARAMS)?);
        let min = World::new(input.number()?);
        input.finish()?;
        Ok(Written { keys, sig, method, spec_types, spec_params, static_params, min })
    }

    /// The entry of exactly these keys.
    fn find(&self, keys: &[ArgKey]) -> Option<Written> {
        let same = |at: &usize| accepted(self.table.entry(*at).and_then(|mut it| self.keys(&mut it))) == keys;
        let at = self.table.candidates(hash(keys)).find(same)?;
        Some(accepted(self.entry(at)))
    }

    /// A method with this signature was added to the global table, after `last`.
    pub(super) fn defined(&self, key: Option<Key>, sig: Type, last: World) {
        if !self.table.is_empty() {
            self.since.write().entry(key).or_default().push(Since { sig, last });
        }
    }
}

/// Returns the call with these keys, if the image has it and it goes to the same method in `world`.
pub(super) fn thaw_entry(tables: &CodeTables, keys: &[ArgKey], world: World) -> Option<EntryId> {
    if tables.calls.frozen.table.is_empty() {
        return None;
    }
    let found = tables.calls.frozen.find(keys)?;
    // A definition between the reading and the insertion would not see the entry it must clip.
    let _definitions = tables.definitions.read();
    let worlds = WorldRange { min: found.min, max: tables.calls.frozen_until(keys[0], found.sig) };
    if !worlds.contains(world) {
        return None;
    }
    let entry = DispatchEntry {
        view: ViewId::HOST,
        sig: found.sig,
        instance: tables.instance(found.method, found.spec_types, &found.spec_params),
        method: tables.method(found.method),
        static_params: found.static_params,
        keys: found.keys.into(),
        min: worlds.min,
        max: AtomicU64::new(worlds.max.number()),
        prepared: OnceLock::new(),
    };
    Some(tables.calls.enter(entry))
}

impl Calls {
    /// Returns the last world in which an entry of the image for `sig`, whose callee is `callee`, holds.
    fn frozen_until(&self, callee: ArgKey, sig: Type) -> World {
        let since = self.frozen.since.read();
        if since.is_empty() {
            return World::MAX;
        }
        let lists = [Some(callee_key(&self.types, callee)), None];
        let lists = lists.iter().filter_map(|it| since.get(it)).flatten();
        let ended = lists.filter(|it| self.types.subtype(sig, it.sig)).map(|it| it.last);
        ended.min().unwrap_or(World::MAX)
    }

    /// Writes the host's calls that still hold, those of the image this session came from first.
    pub(super) fn freeze(&self, out: &mut Writer, instances: &Instances) {
        let mut table = TableWriter::new();
        let mut known: FxHashSet<Box<[ArgKey]>> = FxHashSet::default();
        for at in 0..self.frozen.table.len() {
            let entry = accepted(self.frozen.entry(at));
            if self.frozen_until(entry.keys[0], entry.sig) == World::MAX {
                write_entry(table.entry(Some(hash(&entry.keys))), &entry);
                known.insert(entry.keys.into());
            }
        }
        for entry in self.entries() {
            let holds = entry.view == ViewId::HOST && entry.worlds().max == World::MAX;
            if !holds || !known.insert(entry.keys.clone()) {
                continue;
            }
            let instance = instances.data(entry.instance);
            let written = Written {
                keys: entry.keys.to_vec(),
                sig: entry.sig,
                method: entry.method.id,
                spec_types: instance.spec_types,
                spec_params: instance.static_params.clone(),
                static_params: entry.static_params.clone(),
                min: entry.worlds().min,
            };
            write_entry(table.entry(Some(hash(&entry.keys))), &written);
        }
        table.finish(out);
    }

    /// Reads every entry.
    pub(super) fn check(&self, methods: usize) -> Result<(), ImageError> {
        let mut hashes = Vec::new();
        for at in 0..self.frozen.table.len() {
            let entry = self.frozen.entry(at)?;
            if entry.method.index() >= methods {
                return Err(ImageError("a call of a method that is not there"));
            }
            hashes.push((hash(&entry.keys), at as u32));
        }
        self.frozen.table.check_index(&hashes)
    }
}

fn write_entry(out: &mut Writer, entry: &Written) {
    out.index(entry.keys.len());
    for key in &entry.keys {
        out.index(key.type_index().index() * 2 + usize::from(key.is_type_value()));
    }
    out.index(entry.sig.index());
    out.index(entry.method.index());
    let present = [
        (SPECIALIZED, entry.spec_types != entry.sig),
        (SPEC_PARAMS, !entry.spec_params.is_empty()),
        (STATIC_PARAMS, !entry.static_params.is_empty()),
    ];
    out.number(present.iter().filter(|it| it.1).map(|it| it.0).sum());
    if entry.spec_types != entry.sig {
        out.index(entry.spec_types.index());
    }
    let lists = [&entry.spec_params, &entry.static_params];
    lists.into_iter().filter(|it| !it.is_empty()).for_each(|it| write_types(out, it));
    out.number(entry.min.number());
}
