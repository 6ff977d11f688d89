//! Results of inference, as callers and later sessions use them.

use crate::lattice::Lattice;
use kiln_ir::Effects;
use kiln_runtime::tables::WorldRange;
use kiln_types::Type;

/// The result of inferring an instance: what a caller may rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InferenceResult {
    /// The type of the returned value; its conditionals are about arguments.
    pub ret: Lattice,
    /// Its effects.
    pub effects: Effects,
    /// The type of the exceptions.
    pub exct: Type,
    /// Some call is dispatched at run time, or some value is not of a concrete type.
    pub imprecise: bool,
    /// The worlds in which it holds.
    pub worlds: WorldRange,
}

/// The inlining preference of a body, stored with a result: 0 forbids inlining.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inlining(pub(crate) u8);

/// Marks a code instance whose edges include those of its callees. Its look-ups must find methods with unchanged
/// bodies.
#[derive(Debug)]
pub(crate) struct Closed;
