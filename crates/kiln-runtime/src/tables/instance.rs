//! Method instances, and the results kept for them.

use super::why::Clip;
use super::{Edges, MethodId, MethodTableView, World, WorldRange};
use crate::Runtime;
use crate::caching::JobResults;
use kiln_ir::{CodeInfo, Effects, Instance, IrCode};
use kiln_types::{Const, Module, Symbol, Type};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The specialization of an instance for an argument, beyond its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KnownArg {
    /// Only its type.
    Type,
    /// The argument is this constant.
    Const(Const),
    /// A struct or tuple of this type, with this knowledge of its leading fields.
    Fields(Type, Box<[KnownField]>),
}

/// The known contents of a field of a [`KnownArg::Fields`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KnownField {
    /// The argument is an instance of this type.
    Type(Type),
    /// More than its type.
    More(KnownArg),
}

/// A method with the argument types it is specialized for.
#[derive(Debug)]
pub struct MethodInstance {
    /// Its number.
    pub instance: Instance,
    /// The method.
    pub method: MethodId,
    /// `Tuple{typeof(f), ..}`, normally concrete.
    pub spec_types: Type,
    /// Values of the method's static parameters.
    pub static_params: Vec<Type>,
    /// The knowledge of the arguments beyond their types, one entry per element of `spec_types`; empty if there is
    /// none.
    pub known_args: Box<[KnownArg]>,
    pub(super) code: RwLock<Vec<Arc<CodeInstance>>>,
    /// The interpreter's form of the body, if it is not the method's own (`@generated`).
    pub(crate) generated: OnceLock<Arc<CodeInfo>>,
}

impl MethodInstance {
    /// Returns the results, the oldest first; none is ever removed.
    pub fn results(&self) -> Vec<Arc<CodeInstance>> {
        self.code.read().clone()
    }
}

/// The owner of the results that a [`CodeInstance`] holds: two jobs with equal owners share them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CacheOwner(u128);

impl CacheOwner {
    /// The host: the global method table and default parameters.
    pub const HOST: CacheOwner = CacheOwner(0);

    /// An owner with this hash of everything that tells it from others.
    pub const fn from_hash(hash: u128) -> Self {
        Self(hash)
    }
    /// The hash.
    pub const fn hash(self) -> u128 {
        self.0
    }
}

/// A dependency of a code instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// A static call of this instance: depends on its code, and on its method staying the one for its `spec_types`.
    Instance(Instance),
    /// A look-up in the view of the code instance's owner, with its result, in order. `found` is empty for a failed
    /// look-up: when a method appears, this edge ends the result, so the call recovers.
    Lookup {
        /// The signature looked up.
        sig: Type,
        /// The methods of `Matches::matches`.
        found: Arc<[MethodId]>,
    },
    /// `invoke(f, sig, ..)`, which went to `instance`.
    Invoke {
        /// The signature given to `invoke`, the function's type first.
        sig: Type,
        /// The callee.
        instance: Instance,
    },
    /// The target of a call with this signature if its target had not been defined by `@consistent_overlay`: constant
    /// calls are evaluated by it.
    Original {
        /// The signature of the call.
        sig: Type,
        /// The target.
        instance: Instance,
    },
    /// A look-up that found more methods than inference considers.
    TooMany(Type),
    /// The meaning of a name in a module.
    Binding(Module, Symbol),
    /// The optimizer read the body of this instance: the effects of calling it, whether it is to be inlined, and if
    /// so its statements.
    Body(Instance),
    /// A call that was evaluated, the callee first, with its result: `None` if it threw or took too long.
    Constant {
        /// The callee and the arguments.
        call: Box<[Const]>,
        /// Its value.
        value: Option<Const>,
    },
}

/// The inputs of a code instance, before the tables store it.
#[derive(Clone, Debug)]
pub struct CodeResult {
    /// The inferred instance.
    pub instance: Instance,
    /// The owner.
    pub owner: CacheOwner,
    /// The method tables of that owner.
    pub view: MethodTableView,
    /// The worlds in which it holds, as known to its maker: `max` is [`World::MAX`] unless a dependency had been
    /// replaced.
    pub worlds: WorldRange,
    /// The return type.
    pub return_type: Type,
    /// The value returned, if always the same.
    pub return_const: Option<Const>,
    /// The effects of calling it.
    pub effects: Effects,
    /// The type of the exceptions it may throw.
    pub exception_type: Type,
    /// Its body, unless a constant result makes it unnecessary.
    pub code: Option<Code>,
    /// The dependencies.
    pub edges: Edges,
}

impl super::MethodTables {
    /// The instances of a method, in the order in which they were made.
    pub fn instances_of(&self, method: MethodId) -> Vec<Instance> {
        self.method(method).instances.read().clone()
    }
}

/// A body, or its source, from which it is decoded on demand: most bodies of another session's results are never
/// read.
#[derive(Clone, Debug)]
pub enum Code {
    /// The body.
    Made(Arc<IrCode>),
    /// The maker of the body.
    Deferred(Arc<dyn DeferredCode>),
}

/// The maker of a result's body, on request.
pub trait DeferredCode: Send + Sync + std::fmt::Debug {
    /// The body of `instance`, made the first time; `None` if it turns out that it cannot be made.
    fn code(&self, rt: &Runtime, instance: Instance) -> Option<&Arc<IrCode>>;
}

impl From<IrCode> for Code {
    fn from(code: IrCode) -> Self {
        Self::Made(Arc::new(code))
    }
}

/// The result of compiling an instance: valid for an owner and a range of worlds.
#[derive(Debug)]
pub struct CodeInstance {
    /// The inferred instance.
    pub instance: Instance,
    /// The owner.
    pub owner: CacheOwner,
    /// The method tables of that owner.
    pub view: MethodTableView,
    /// The return type.
    pub return_type: Type,
    /// The value returned, if always the same.
    pub return_const: Option<Const>,
    /// The effects of calling it.
    pub effects: Effects,
    /// The type of the exceptions it may throw.
    pub exception_type: Type,
    code: Option<Code>,
    /// The dependencies.
    pub edges: Edges,
    /// The worlds in which it holds, the newest last; they do not touch. See [`revalidate`](super::revalidate).
    pub(super) ranges: RwLock<Vec<WorldRange>>,
    /// The world in which it was made. It may hold in older ones, in which nothing knew of it.
    pub(super) made_in: World,
    /// The instances it is kept for: its own, and those of methods of equal body that replaced its own method.
    pub(super) serves: RwLock<Vec<Instance>>,
    /// The session infers it again: see [`withdraw_kept`](super::withdraw_kept).
    pub(super) is_withdrawn: AtomicBool,
    /// Why it ended the last time.
    pub(super) clip: RwLock<Option<Clip>>,
    /// The results of its own body, which hold whenever it does.
    results: RwLock<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    /// The results of jobs, of other bodies too.
    pub(crate) job_results: JobResults,
}

impl CodeInstance {
    pub(super) fn new(result: CodeResult, made_in: World) -> Self {
        Self::with_results(result, made_in, Vec::new())
    }
    pub(super) fn with_results(
        result: CodeResult,
        made_in: World,
        kept: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
    ) -> Self {
        Self {
            instance: result.instance,
            owner: result.owner,
            view: result.view,
            return_type: result.return_type,
            return_const: result.return_const,
            effects: result.effects,
            exception_type: result.exception_type,
            code: result.code,
            edges: result.edges,
            ranges: RwLock::new(vec![result.worlds]),
            made_in,
            serves: RwLock::new(vec![result.instance]),
            is_withdrawn: AtomicBool::new(false),
            clip: RwLock::default(),
            results: RwLock::new(kept.into_iter().collect()),
            job_results: JobResults::default(),
        }
    }
    /// Its body, unless a constant result makes it unnecessary.
    pub fn code(&self, rt: &Runtime) -> Option<&Arc<IrCode>> {
        match self.code.as_ref()? {
            Code::Made(code) => Some(code),
            Code::Deferred(code) => code.code(rt, self.instance),
        }
    }
    /// Whether it has a body.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }
    /// The newest worlds in which it holds; definitions clip the end.
    pub fn worlds(&self) -> WorldRange {
        *self.ranges.read().last().unwrap_or(&WorldRange { min: World::MAX, max: World::FIRST })
    }
    /// Whether the session infers it again, so that it never holds in newer worlds.
    pub(crate) fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::Acquire)
    }
    /// Whether it holds in `world`.
    pub fn holds_in(&self, world: World) -> bool {
        self.ranges.read().iter().rev().any(|it| it.contains(world))
    }
    /// Returns the consecutive worlds around `world` in which it holds, if it holds in `world`: results derived from
    /// it in `world` are valid in these.
    pub fn range_of(&self, world: World) -> Option<WorldRange> {
        self.ranges.read().iter().rev().find(|it| it.contains(world)).copied()
    }
    /// Returns the result that a later layer derived from its own body alone and stored here under its own type. A
    /// result that depends on other bodies, too, is the result of a job: see [`caching`](crate::caching).
    pub fn result<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let found = self.results.read().get(&TypeId::of::<T>()).cloned()?;
        found.downcast::<T>().ok()
    }
    /// Stores a result that a later layer derived from its own body, one per type; a later one replaces it.
    pub fn set_result<T: Any + Send + Sync>(&self, value: Arc<T>) {
        self.results.write().insert(TypeId::of::<T>(), value);
    }
    /// Returns the result of this type, making and storing it on first use.
    pub fn result_or_insert_with<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(found) = self.result::<T>() {
            return found;
        }
        let mut results = self.results.write();
        let found = results.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make())).clone();
        drop(results);
        found.downcast::<T>().unwrap_or_else(|_| unreachable!("results are kept under their own type"))
    }
    /// Ends its range at `last`, if it extends further. Returns whether it did.
    pub(super) fn clip(&self, last: World) -> bool {
        let mut ranges = self.ranges.write();
        match ranges.last_mut() {
            Some(range) if range.max > last => {
                range.max = last;
                true
            }
            Some(_) | None => false,
        }
    }
}
