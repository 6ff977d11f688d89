//! Methods, and the results of look-ups.

use super::{ViewId, World, WorldRange};
use crate::caching::ForeignSource;
use crate::image::MethodBody;
use crate::interp::Decoded;
use kiln_ir::{CodeInfo, Instance, SourceLoc};
use kiln_types::{Module, Symbol, Type, Types};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A method, by the order of its definition in the session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MethodId(u32);

impl MethodId {
    /// The id with this index. Meaningful only if the tables made it.
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
    /// Its index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A method table: the global one, or an overlay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId(u32);

impl TableId {
    /// The global table, for definitions without an overlay.
    pub const GLOBAL: TableId = TableId(0);
    /// The runtime's own table, below every overlay and above the global one. Only the library fills it, while it is
    /// loaded; nothing outside this crate can name it.
    pub(crate) const RUNTIME: TableId = TableId(1);
    /// No table: no look-up finds its methods.
    pub(super) const DETACHED: TableId = TableId(u32::MAX);

    /// The id with this index. Meaningful only if the tables made it.
    pub(crate) const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
    /// Its index.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The part of a method that its definition gives; the tables add the rest.
#[derive(Clone, Debug)]
pub struct MethodDef {
    /// The name of the function.
    pub name: Symbol,
    /// The module it is defined in.
    pub module: Module,
    /// `Tuple{typeof(f), ..}` inside the `UnionAll`s of its static parameters.
    pub sig: Type,
    /// Its body.
    pub code: Arc<CodeInfo>,
    /// Where it is defined.
    pub loc: SourceLoc,
}

/// A method.
#[derive(Debug)]
pub struct Method {
    /// Its number.
    pub id: MethodId,
    /// The table it is in.
    pub table: TableId,
    /// The name of the function.
    pub name: Symbol,
    /// The module it is defined in.
    pub module: Module,
    /// `Tuple{typeof(f), ..}` inside the `UnionAll`s of its static parameters.
    pub sig: Type,
    /// The number of slots that are arguments, the function included; a vararg tuple counts as one.
    pub nargs: u32,
    /// The last argument takes the rest as a tuple.
    pub is_va: bool,
    /// Its body.
    pub code: MethodBody,
    /// Where it is defined.
    pub loc: SourceLoc,
    pub(super) born: World,
    pub(super) replaced: AtomicU64,
    /// Whether it has been deleted: the deletion of its replacement does not restore it.
    pub(super) disabled: AtomicBool,
    /// The method of equal signature that it replaced.
    pub(super) predecessor: Option<MethodId>,
    /// The method that replaced it.
    pub(super) successor: OnceLock<MethodId>,
    pub(super) instances: RwLock<Vec<Instance>>,
    /// The hash of its body.
    pub(super) hash: OnceLock<Option<u128>>,
    /// The source that its compiler reads instead of `code`, if it is not kiln.
    pub(crate) foreign: Option<Arc<ForeignSource>>,
    /// The interpreter's form of the body.
    pub(crate) decoded: OnceLock<Arc<Decoded>>,
    /// As `decoded`, for each view other than the host's: call sites remember methods, which differ between views.
    pub(crate) decoded_in_views: RwLock<Vec<(ViewId, Arc<Decoded>)>>,
}

impl Method {
    /// The worlds in which it can be called.
    pub fn worlds(&self) -> WorldRange {
        WorldRange { min: self.born, max: World::new(self.replaced.load(Ordering::Acquire)) }
    }
    /// Whether its author declares that it behaves like the method it hides.
    pub fn is_consistent_overlay(&self, types: &Types) -> bool {
        let marks = || self.code.meta.assumed_effects.iter();
        let is_mark = |it: &Symbol| types.name(*it).trim_start_matches(':') == "consistent_overlay";
        self.table != TableId::GLOBAL && marks().any(is_mark)
    }
    /// Whether the interpreter has run it in this session, as far as that is noted.
    pub fn has_run(&self) -> bool {
        self.code.meta.generated || self.decoded.get().is_some()
    }
    /// The method of equal signature that replaced it in this session.
    pub fn successor(&self) -> Option<MethodId> {
        self.successor.get().copied()
    }
    /// The method that it replaced in this session.
    pub fn predecessor(&self) -> Option<MethodId> {
        self.predecessor
    }
}

/// One method that applies to a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodMatch {
    /// The method.
    pub method: MethodId,
    /// The intersection of the signature and the method's.
    pub spec_types: Type,
    /// Values of its static parameters; one that the signature leaves open is a `Var`.
    pub static_params: Vec<Type>,
    /// Every call with this signature could go to it.
    pub fully_covers: bool,
}

/// The result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// The most specific first. A method that a more specific one shadows entirely is left out.
    pub matches: Vec<MethodMatch>,
    /// The worlds in which the answer is the same.
    pub worlds: WorldRange,
    /// Some call with this signature would be ambiguous.
    pub ambiguous: bool,
}

/// Why a call has no method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchFailure {
    /// The methods that tie, if the call is ambiguous; otherwise empty.
    pub candidates: Vec<MethodId>,
    /// Several methods apply and none is the most specific.
    pub ambiguous: bool,
    /// The worlds in which the call fails in this way.
    pub worlds: WorldRange,
}
