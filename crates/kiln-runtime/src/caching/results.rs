//! The results of jobs, stored on their code instance.
//!
//! # Invariants
//! * A result is valid in the consecutive worlds around its creation in which its code instance holds. A redefinition
//!   of any dependency, through all calls, ends the code instance.
//! * A code instance that holds again later (see `docs/decisions/0013`) vouches for its own body only. A result that
//!   depends on further bodies is valid again only if all of them hold: [`JobResults::set_dependencies`] records them.

use super::{ConfigKey, Results, StoredFields};
use crate::tables::{CodeInstance, World};
use parking_lot::RwLock;
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// The portable part of a result, for an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableResult {
    /// [`Results::NAME`].
    pub name: String,
    /// The configuration it was made for.
    pub key: ConfigKey,
    /// The contents of its places, by their names.
    pub places: Vec<(String, Vec<u8>)>,
}

/// The results of jobs that one code instance stores.
#[derive(Debug, Default)]
pub(crate) struct JobResults {
    /// Few: one a type and configuration, and the ranges of worlds in which the code instance held.
    records: RwLock<Vec<Record>>,
    /// The results of an image that no job has asked for yet, with the world they were read in.
    waiting: RwLock<Vec<(World, PortableResult)>>,
}

struct Record {
    of: TypeId,
    key: ConfigKey,
    value: Arc<dyn AnyResults>,
    made_in: World,
    /// The newest world in which it was found to be valid.
    validated_at: AtomicU64,
    /// The code instances it depends on, if its maker listed them. They live as long as the tables, which own this.
    dependencies: OnceLock<Box<[Weak<CodeInstance>]>>,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {:?} of {:?}", self.value.name(), self.key, self.made_in)
    }
}

/// [`Results`] without their type.
trait AnyResults: Any + Send + Sync {
    fn name(&self) -> &'static str;
    fn bytes(&self) -> Vec<(String, Vec<u8>)>;
}

impl<R: Results> AnyResults for R {
    fn name(&self) -> &'static str {
        R::NAME
    }
    fn bytes(&self) -> Vec<(String, Vec<u8>)> {
        let mut fields = StoredFields::default();
        self.stored_fields(&mut fields);
        fields.bytes()
    }
}

impl Record {
    fn is_of<R: Results>(&self, key: ConfigKey) -> bool {
        self.of == TypeId::of::<R>() && self.key == key
    }

    fn is_valid(&self, ci: &CodeInstance, world: World) -> bool {
        let newest = self.validated_at.load(Ordering::Acquire);
        if newest == world.number() {
            return true;
        }
        let good = match self.dependencies.get() {
            Some(parts) => parts.iter().all(|it| it.upgrade().is_some_and(|it| it.holds_in(world))),
            None => ci.range_of(self.made_in).is_some_and(|it| it.contains(world)),
        };
        if good {
            self.validated_at.fetch_max(world.number(), Ordering::AcqRel);
        }
        good
    }

    fn value<R: Results>(&self) -> Option<Arc<R>> {
        let any: Arc<dyn Any + Send + Sync> = self.value.clone();
        any.downcast::<R>().ok()
    }
}

impl JobResults {
    /// Returns the result of this type and configuration that is valid in `world`, or a new empty one. `ci` is the
    /// code instance of these results, and holds in `world`.
    pub(crate) fn get<R: Results>(&self, ci: &CodeInstance, key: ConfigKey, world: World) -> Arc<R> {
        let find = |all: &[Record]| {
            let found = all.iter().rev().find(|it| it.is_of::<R>(key) && it.is_valid(ci, world))?;
            found.value::<R>()
        };
        if let Some(found) = find(&self.records.read()) {
            return found;
        }
        let mut records = self.records.write();
        if let Some(found) = find(&records) {
            return found;
        }
        let value = Arc::new(self.restored::<R>(ci, key, world));
        records.push(Record {
            of: TypeId::of::<R>(),
            key,
            value: value.clone(),
            made_in: world,
            validated_at: AtomicU64::new(world.number()),
            dependencies: OnceLock::new(),
        });
        value
    }

    /// Returns an empty result, or the one restored from an image.
    fn restored<R: Results>(&self, ci: &CodeInstance, key: ConfigKey, world: World) -> R {
        let value = R::default();
        let waiting = self.waiting.read();
        let is_it = |(since, it): &&(World, PortableResult)| {
            it.name == R::NAME && it.key == key && ci.range_of(*since).is_some_and(|it| it.contains(world))
        };
        if let Some((_, found)) = waiting.iter().find(is_it) {
            let mut fields = StoredFields::default();
            value.stored_fields(&mut fields);
            fields.fill(&found.places);
        }
        value
    }

    /// Records the code instances that `result` depends on.
    pub(crate) fn set_dependencies<R: Results>(&self, result: &Arc<R>, parts: &[Arc<CodeInstance>]) {
        let records = self.records.read();
        let is_it = |it: &&Record| it.value::<R>().is_some_and(|it| Arc::ptr_eq(&it, result));
        if let Some(record) = records.iter().find(is_it) {
            let _ = record.dependencies.set(parts.iter().map(Arc::downgrade).collect());
        }
    }

    /// Returns the results that hold in `world` and may leave the process.
    pub(crate) fn portable(&self, ci: &CodeInstance, world: World) -> Vec<PortableResult> {
        let mut all: Vec<PortableResult> = Vec::new();
        for record in self.records.read().iter().filter(|it| it.is_valid(ci, world)) {
            let places = record.value.bytes();
            if !places.is_empty() {
                all.push(PortableResult { name: record.value.name().to_owned(), key: record.key, places });
            }
        }
        for (since, it) in self.waiting.read().iter() {
            let is_known = all.iter().any(|known| known.name == it.name && known.key == it.key);
            if !is_known && ci.range_of(*since).is_some_and(|it| it.contains(world)) {
                all.push(it.clone());
            }
        }
        all
    }

    /// Restores results from an image.
    pub(crate) fn restore(&self, results: Vec<PortableResult>, world: World) {
        self.waiting.write().extend(results.into_iter().map(|it| (world, it)));
    }
}
