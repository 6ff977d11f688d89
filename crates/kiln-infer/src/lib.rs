//! Type inference: from lowered code to typed SSA, by Julia's method (abstract interpretation over the slots of
//! a body to a fixed point, bodies of callees included), with Julia's limits.
//!
//! # Invariants
//! * What is inferred depends on [`InferenceInputs`] and on what the code tables hold in its world, nothing else.
//!   (One caveat is Julia's, too: where recursion made a signature be widened, the result depends on which
//!   member of the cycle was asked for first.)
//! * Every look-up is an edge, also one that found nothing.
//! * Every body made passes `kiln_ir::verify`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of statements, builtins and type data a rule names those it is about; the tables of \
              transfer functions, which must be complete, have no wildcard"
)]

mod abstract_interp;
pub mod explain;
pub mod kept;
pub mod lattice;
mod mutability;
mod ssa;
mod tfuncs;
mod type_limits;

pub use abstract_interp::InferenceResult;
pub use type_limits::{is_larger_than, is_more_complex};

use kiln_ir::{CheckBounds, Instance, IrCode};
use kiln_runtime::caching::{Description, Stable, StableWriter};
use kiln_runtime::tables::{
    CacheOwner, CodeInstance, Edge, MethodTableView, ViewFlags, ViewId, World, WorldRange,
};
use kiln_runtime::{Runtime, Thrown};
use std::sync::Arc;

/// Limits, and facts about the target that constants depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InferenceParams {
    /// Calls that more methods than this may answer are left to run time.
    pub methods_max: usize,
    /// Calls with union arguments are split if that costs no more than this, a member of each union but the longest one.
    pub split_max: usize,
    /// How many calls and loop iterations evaluating one constant call may take.
    pub eval_budget: u64,
    /// The processor has fused multiply-add.
    pub have_fma: bool,
    /// The code is for a kernel.
    pub in_kernel: bool,
    /// Which bounds checks the code makes.
    pub check_bounds: CheckBounds,
}

impl Default for InferenceParams {
    fn default() -> Self {
        Self {
            methods_max: 3,
            split_max: 4,
            eval_budget: 20_000,
            have_fma: true,
            in_kernel: false,
            check_bounds: CheckBounds::Auto,
        }
    }
}

impl InferenceParams {
    /// Returns the owner of results that are inferred with these parameters for a view, and optimized with all calls inlined or
    /// not: a hash of all that inference can see but the world, and of nothing else.
    pub fn owner(&self, rt: &Runtime, view: &MethodTableView, always_inline: bool) -> CacheOwner {
        rt.tables.inference_owner(view, &Description::of(self), always_inline)
    }

    /// A view, as the interpreter knows it that evaluates constant calls of what is inferred with these parameters.
    pub fn view_id(&self, rt: &Runtime, view: &MethodTableView) -> ViewId {
        let flags = ViewFlags { in_kernel: self.in_kernel, other_fma: self.have_fma != rt.have_fma };
        rt.tables.intern_view(view, flags)
    }
}

impl Stable for InferenceParams {
    fn write(&self, to: &mut StableWriter) {
        let Self { methods_max, split_max, eval_budget, have_fma, in_kernel, check_bounds } = self;
        to.text("inference").value(&(methods_max, split_max, eval_budget)).value(&(have_fma, in_kernel));
        if *check_bounds != CheckBounds::Auto {
            to.text(check_bounds.name());
        }
    }
}

/// All that inference may depend on.
#[derive(Clone, Debug)]
pub struct InferenceInputs {
    /// Definitions of this world are seen.
    pub world: World,
    /// The method tables.
    pub view: MethodTableView,
    /// Limits and facts.
    pub params: InferenceParams,
    /// The owner of the results: equal owners share them, so everything above but the world must be in it.
    pub owner: CacheOwner,
}

/// Why there is no result.
#[derive(Debug)]
pub enum InferError {
    /// The generator of a `@generated` function threw.
    Generator(Box<Thrown>),
    /// A definition made while inferring ended the result before it could be used.
    Stale,
}

/// A body that went through the optimizer, and what it depends on besides what inference found.
#[derive(Debug)]
pub struct Finished {
    /// The body.
    pub code: IrCode,
    /// Look-ups and calls that were resolved only then.
    pub edges: Vec<Edge>,
    /// The worlds in which their answers hold.
    pub worlds: WorldRange,
    /// How readily calls of it are replaced by its statements; 0: never. Callers are kept only if this is the same.
    pub inlining: u8,
}

impl From<IrCode> for Finished {
    fn from(code: IrCode) -> Self {
        Self { code, edges: Vec::new(), worlds: WorldRange::ALL, inlining: 0 }
    }
}

/// Infers `instance` and what it calls. Each body goes through `finish` (the optimizer), callees first. What the runtime's
/// [`KeptCode`](kiln_runtime::KeptCode) has of other sessions is not inferred.
pub fn infer(
    rt: &Runtime,
    inputs: &InferenceInputs,
    instance: Instance,
    finish: &mut dyn FnMut(Instance, IrCode) -> Finished,
) -> Result<Arc<CodeInstance>, InferError> {
    abstract_interp::AbstractInterpreter::new(rt, inputs, finish).run(instance)
}
