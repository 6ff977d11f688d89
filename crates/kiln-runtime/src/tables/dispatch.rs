//! Dispatch on the types of actual arguments, through a cache that one hash probe reads.

use super::frozen_dispatch::{FrozenDispatch, thaw_entry};
use super::index::{Key, Probe, callee_key, method_key, probe};
use super::{
    Ambiguous, CodeTables, DispatchFailure, Matches, Method, MethodTableView, TableId, ViewId, World,
    WorldRange,
};
use crate::interp::Prepared;
use kiln_ir::Instance;
use kiln_types::{FrontMutant, Type, Types, datatype, mutant, unionall};
use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The type of an argument as dispatch sees it: a type as a value has the type `Type{it}`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgKey(u32);

const TYPE_VALUE: u32 = 1 << 31;

impl ArgKey {
    /// An instance of this concrete type.
    pub fn instance_of(ty: Type) -> Self {
        Self(ty.index() as u32)
    }
    /// This type as a value.
    pub fn type_value(ty: Type) -> Self {
        Self(ty.index() as u32 | TYPE_VALUE)
    }
    /// Returns the last key of an entry that is not the host's. No argument has this key, and no host call has as many
    /// keys: call sites of the host pay nothing for there being other views.
    fn view(view: ViewId) -> Self {
        Self(u32::MAX - view.number())
    }
    pub(super) fn number(self) -> u32 {
        self.0
    }
    pub(super) fn type_index(self) -> Type {
        Type::from_index((self.0 & !TYPE_VALUE) as usize)
    }
    pub(super) fn is_type_value(self) -> bool {
        self.0 & TYPE_VALUE != 0
    }
}

/// Index of a [`DispatchEntry`], kept at call sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryId(u32);

impl EntryId {
    /// From the number [`EntryId::number`] gave.
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The method that arguments of some types go to, in a range of worlds.
#[derive(Debug)]
pub struct DispatchEntry {
    /// The types of the callee and the arguments; behind them a mark, if the entry is not the host's.
    pub keys: Box<[ArgKey]>,
    /// The view that sees it.
    pub view: ViewId,
    /// The key as a tuple type.
    pub sig: Type,
    /// The method.
    pub method: Arc<Method>,
    /// Its specialization.
    pub instance: Instance,
    /// Values of the method's static parameters for exactly these arguments.
    pub static_params: Vec<Type>,
    pub(super) min: World,
    pub(super) max: AtomicU64,
    /// The interpreter's form of the body.
    pub(crate) prepared: OnceLock<Prepared>,
}

impl DispatchEntry {
    /// Whether it answers a call with these keys in `world`.
    pub fn is_for(&self, keys: &[ArgKey], world: World) -> bool {
        *self.keys == *keys && self.worlds().contains(world)
    }
    /// The worlds in which it holds.
    pub fn worlds(&self) -> WorldRange {
        WorldRange { min: self.min, max: World::new(self.max.load(Ordering::Acquire)) }
    }
}

/// Every call that has been resolved.
#[derive(Debug, Default)]
pub(super) struct DispatchCache {
    entries: boxcar::Vec<DispatchEntry>,
    by_hash: RwLock<FxHashMap<u64, Vec<u32>>>,
    /// The entries that a new method may make stale, by the key of their callee.
    by_callee: RwLock<FxHashMap<Key, Vec<u32>>>,
}

fn hash_keys(keys: &[ArgKey]) -> u64 {
    FxBuildHasher.hash_one(keys)
}

/// The calls that have been resolved, under each view.
#[derive(Debug)]
pub struct Calls {
    pub(super) types: Arc<Types>,
    /// Calls that were resolved before the image was made.
    pub(super) frozen: FrozenDispatch,
    cache: DispatchCache,
    /// Views other than the host's that the interpreter has been used with.
    pub(super) views: RwLock<Vec<MethodTableView>>,
}

impl Calls {
    /// No call has been resolved yet.
    pub(super) fn new(types: Arc<Types>) -> Self {
        let (frozen, cache) = (FrozenDispatch::default(), DispatchCache::default());
        Self { types, frozen, cache, views: RwLock::default() }
    }

    /// The entry of a call in a world, if it has been resolved in this session.
    fn find(&self, keys: &[ArgKey], world: World) -> Option<EntryId> {
        let buckets = self.cache.by_hash.read();
        let bucket = buckets.get(&hash_keys(keys))?;
        let found = bucket.iter().find(|it| self.cache.entries[**it as usize].is_for(keys, world));
        found.map(|it| EntryId(*it))
    }

    /// Every call that has been resolved in this session, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = &DispatchEntry> {
        self.cache.entries.iter().map(|it| it.1)
    }

    /// Keeps an entry. Definitions must wait meanwhile.
    pub(super) fn enter(&self, entry: DispatchEntry) -> EntryId {
        let (hash, key) = (hash_keys(&entry.keys), callee_key(&self.types, entry.keys[0]));
        let number = self.cache.entries.push(entry) as u32;
        self.cache.by_hash.write().entry(hash).or_default().push(number);
        self.cache.by_callee.write().entry(key).or_default().push(number);
        EntryId(number)
    }

    /// The entry of this id.
    pub fn entry(&self, entry: EntryId) -> &DispatchEntry {
        &self.cache.entries[entry.0 as usize]
    }

    /// The entry of this number, if there is one: call sites start out with a number that none has.
    pub fn entry_if_any(&self, number: u32) -> Option<&DispatchEntry> {
        self.cache.entries.get(number as usize)
    }

    /// Whether calls with the same keys had another answer, which ran, until a definition ended it.
    pub(crate) fn ended_before(&self, entry: &DispatchEntry) -> bool {
        let buckets = self.cache.by_hash.read();
        let Some(bucket) = buckets.get(&hash_keys(&entry.keys)) else { return false };
        let mut others = bucket.iter().map(|&it| &self.cache.entries[it as usize]);
        others.any(|it| it.keys == entry.keys && it.worlds().max < entry.min && it.prepared.get().is_some())
    }

    /// The types that `keys` stand for, as a tuple type.
    pub fn keys_tuple(&self, keys: &[ArgKey]) -> Type {
        let elems: Vec<Type> = keys
            .iter()
            .map(|it| {
                if it.is_type_value() {
                    datatype::type_type(&self.types, it.type_index())
                } else {
                    it.type_index()
                }
            })
            .collect();
        datatype::tuple(&self.types, &elems)
    }

    /// Ends at `last` every entry that the method with signature `sig`, new in `table` in the next world, may answer.
    pub(super) fn clip(&self, table: TableId, sig: Type, last: World) {
        let types = &self.types;
        let views: Vec<MethodTableView> = self.views.read().clone();
        let sees = |view: ViewId| match view.index().checked_sub(1) {
            None => table == TableId::GLOBAL,
            Some(at) => views.get(at).is_some_and(|it| it.rank(table).is_some()),
        };
        let callee = datatype::params(types, unionall::unwrap(types, sig)).first().copied();
        let groups = self.cache.by_callee.read();
        let clip = |numbers: &[u32]| {
            for &number in numbers {
                let entry = &self.cache.entries[number as usize];
                if entry.worlds().max > last && sees(entry.view) && types.subtype(entry.sig, sig) {
                    entry.max.fetch_min(last.number(), Ordering::AcqRel);
                }
            }
        };
        let final_key = match callee.map(|it| probe(types, it)) {
            Some(Probe::Keys(_)) => Some(method_key(types, sig, 0)),
            Some(Probe::All) | None => match method_key(types, sig, 0) {
                key @ Key::TypeOf(_) => Some(key),
                Key::Name(_) | Key::AnyType | Key::Open => None,
            },
        };
        match final_key {
            Some(key) => {
                if let Some(numbers) = groups.get(&key) {
                    clip(numbers);
                }
            }
            None => groups.values().for_each(|it| clip(it)),
        }
        if table == TableId::GLOBAL {
            self.frozen.defined(final_key, sig, last);
        }
    }
}

impl CodeTables {
    /// Returns the instance that a call with these argument types dispatches to on the host in `world`. The callee's
    /// type comes first; a type as an argument is `Type{T}`.
    pub fn dispatch(&self, arg_types: &[Type], world: World) -> Result<Instance, DispatchFailure> {
        self.dispatch_in(ViewId::HOST, arg_types, world)
    }

    /// As [`Self::dispatch`], under a view.
    pub fn dispatch_in(
        &self,
        view: ViewId,
        arg_types: &[Type],
        world: World,
    ) -> Result<Instance, DispatchFailure> {
        let keys: Vec<ArgKey> = arg_types
            .iter()
            .map(|&it| {
                datatype::type_type_param(&self.types, it).map_or(ArgKey::instance_of(it), ArgKey::type_value)
            })
            .collect();
        self.dispatch_keys(view, keys, world).map(|it| self.calls.entry(it).instance)
    }

    /// As [`Self::dispatch`], for keys; a call site can remember the entry.
    pub fn dispatch_keys(
        &self,
        view: ViewId,
        mut keys: Vec<ArgKey>,
        world: World,
    ) -> Result<EntryId, DispatchFailure> {
        if view != ViewId::HOST {
            keys.push(ArgKey::view(view));
        }
        let keys = keys.as_slice();
        if let Some(entry) = self.calls.find(keys, world) {
            return Ok(entry);
        }
        if view == ViewId::HOST
            && let Some(entry) = thaw_entry(self, keys, world)
        {
            return Ok(entry);
        }
        resolve(self, view, keys, world)
    }
}

/// Resolves a call that has no entry.
fn resolve(
    tables: &CodeTables,
    view: ViewId,
    keys: &[ArgKey],
    world: World,
) -> Result<EntryId, DispatchFailure> {
    let types = if view == ViewId::HOST { keys } else { &keys[..keys.len() - 1] };
    let sig = tables.calls.keys_tuple(types);
    // A definition between the look-up and the insertion would not see the entry it must clip.
    let _definitions = tables.definitions.read();
    let seen = tables.calls.view(view);
    let all = |mode| match tables.methods.find_matches_with(&seen, sig, world, usize::MAX, mode) {
        Some(found) => found,
        None => unreachable!("there is no limit"),
    };
    let Matches { matches, worlds, .. } = all(Ambiguous::LeftOut);
    let resolved = mutant::is_set(&tables.types, FrontMutant::AmbiguityResolved);
    let tied = || all(Ambiguous::Listed).matches;
    let guessed = if resolved { tied() } else { Vec::new() };
    let Some(found) = matches.iter().chain(&guessed).find(|it| it.fully_covers) else {
        let tied = tied();
        let covering = tied.iter().filter(|it| it.fully_covers);
        let candidates: Vec<_> = covering.map(|it| it.method).collect();
        return Err(DispatchFailure { ambiguous: !candidates.is_empty(), candidates, worlds });
    };
    let method = tables.method(found.method);
    let (spec_types, spec_params) = tables.methods.specialize(&method, sig, &found.static_params);
    let entry = DispatchEntry {
        keys: keys.into(),
        view,
        sig,
        instance: tables.instance(method.id, spec_types, &spec_params),
        method,
        static_params: found.static_params.clone(),
        min: worlds.min,
        max: AtomicU64::new(worlds.max.number()),
        prepared: OnceLock::new(),
    };
    Ok(tables.calls.enter(entry))
}
