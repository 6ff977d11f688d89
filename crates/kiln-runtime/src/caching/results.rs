//! The results of jobs, kept on the code instance they were made of.
//!
//! # Invariants
//! * A result is good in the consecutive worlds around the one it was made in, in which its code instance holds: a
//!   definition that changes anything a code instance depends on ends it, through all calls.
//! * A code instance that holds again later (see `docs/decisions/0013`) says so of its own body. What was made of other
//!   bodies too is good again only if all of them hold, which only its maker can say: [`JobResults::made_of`].

use super::{ConfigKey, Places, Results};
use crate::tables::{CodeInstance, World};
use parking_lot::RwLock;
use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// The portable part of a result: what an image keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableResult {
    /// [`Results::NAME`].
    pub name: String,
    /// The configuration it was made for.
    pub key: ConfigKey,
    /// The contents of its places, by their names.
    pub places: Vec<(String, Vec<u8>)>,
}

/// The results of jobs that are kept on one code instance.
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
    /// The newest world in which it was found to be good.
    good_in: AtomicU64,
    /// The code instances it was made of, if its maker said. They live as long as the tables, which hold this.
    parts: OnceLock<Box<[Weak<CodeInstance>]>>,
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
        let mut places = Places::default();
        self.places(&mut places);
        places.bytes()
    }
}

impl Record {
    fn is_of<R: Results>(&self, key: ConfigKey) -> bool {
        self.of == TypeId::of::<R>() && self.key == key
    }

    fn is_good(&self, ci: &CodeInstance, world: World) -> bool {
        let newest = self.good_in.load(Ordering::Acquire);
        if newest == world.number() {
            return true;
        }
        let good = match self.parts.get() {
            Some(parts) => parts.iter().all(|it| it.upgrade().is_some_and(|it| it.holds_in(world))),
            None => ci.range_of(self.made_in).is_some_and(|it| it.contains(world)),
        };
        if good {
            self.good_in.fetch_max(world.number(), Ordering::AcqRel);
        }
        good
    }

    fn value<R: Results>(&self) -> Option<Arc<R>> {
        let any: Arc<dyn Any + Send + Sync> = self.value.clone();
        any.downcast::<R>().ok()
    }
}

impl JobResults {
    /// The result of this type and configuration that is good in `world`; an empty one if there is none. `ci` is the code
    /// instance that these belong to, and holds in `world`.
    pub(crate) fn get<R: Results>(&self, ci: &CodeInstance, key: ConfigKey, world: World) -> Arc<R> {
        let find = |all: &[Record]| {
            let found = all.iter().rev().find(|it| it.is_of::<R>(key) && it.is_good(ci, world))?;
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
            good_in: AtomicU64::new(world.number()),
            parts: OnceLock::new(),
        });
        value
    }

    /// An empty result, or what an image brought.
    fn restored<R: Results>(&self, ci: &CodeInstance, key: ConfigKey, world: World) -> R {
        let value = R::default();
        let waiting = self.waiting.read();
        let is_it = |(since, it): &&(World, PortableResult)| {
            it.name == R::NAME && it.key == key && ci.range_of(*since).is_some_and(|it| it.contains(world))
        };
        if let Some((_, found)) = waiting.iter().find(is_it) {
            let mut places = Places::default();
            value.places(&mut places);
            places.fill(&found.places);
        }
        value
    }

    /// Says of which code instances `result` was made.
    pub(crate) fn made_of<R: Results>(&self, result: &Arc<R>, parts: &[Arc<CodeInstance>]) {
        let records = self.records.read();
        let is_it = |it: &&Record| it.value::<R>().is_some_and(|it| Arc::ptr_eq(&it, result));
        if let Some(record) = records.iter().find(is_it) {
            let _ = record.parts.set(parts.iter().map(Arc::downgrade).collect());
        }
    }

    /// Returns the results that hold in `world` and may leave the process.
    pub(crate) fn portable(&self, ci: &CodeInstance, world: World) -> Vec<PortableResult> {
        let mut all: Vec<PortableResult> = Vec::new();
        for record in self.records.read().iter().filter(|it| it.is_good(ci, world)) {
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

    /// Takes what an image kept.
    pub(crate) fn restore(&self, results: Vec<PortableResult>, world: World) {
        self.waiting.write().extend(results.into_iter().map(|it| (world, it)));
    }
}
