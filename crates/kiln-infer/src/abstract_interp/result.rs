//! The result of inferring an instance, as callers and later sessions use it.

use crate::lattice::Lattice;
use kiln_ir::Effects;
use kiln_runtime::tables::WorldRange;
use kiln_types::Type;

/// The facts about calling an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferenceResult {
    /// The type returned; conditionals are about arguments.
    pub ret: Lattice,
    /// Its effects.
    pub effects: Effects,
    /// The type of what it may throw.
    pub exct: Type,
    /// Some call in it is resolved at run time, or some value is not of a concrete type.
    pub imprecise: bool,
    /// Worlds in which this holds.
    pub worlds: WorldRange,
}

/// How readily calls of a body are replaced by its statements, kept with a result: 0 if never.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inlining(pub(crate) u8);

/// Marks a code instance whose edges are all that it depends on, those of what it calls included: the methods that its
/// look-ups found must be what they were to the last word.
#[derive(Debug)]
pub(crate) struct Closed;
