//! Type inference: from lowered code to typed SSA. As in Julia, abstract interpretation runs over the slots of a body
//! and of its callees to a fixed point, with Julia's limits.
//!
//! # Invariants
//! * Results depend on [`InferenceInputs`] and on the code tables in their world, on nothing else. (One exception is
//!   Julia's, too: where recursion widened a signature, the result depends on the member of the group that was
//!   inferred first.)
//! * Every look-up adds an edge, even one that finds nothing.
//! * Every emitted body passes `kiln_ir::verify`.

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
use kiln_runtime::caching::{Stable, StableBytes, StableWriter};
use kiln_runtime::tables::{
    CacheOwner, CodeInstance, Edge, MethodTableView, ViewFlags, ViewId, World, WorldRange,
};
use kiln_runtime::{Runtime, Thrown};
use std::sync::Arc;

/// Limits, and facts about the target that constants depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InferenceParams {
    /// Calls with more applicable methods are dispatched at run time.
    pub methods_max: usize,
    /// The largest cost of union splitting: the product of the members of all unions but the longest.
    pub split_max: usize,
    /// The calls and loop iterations that the evaluation of one constant call may take.
    pub eval_budget: u64,
    /// The processor has fused multiply-add.
    pub have_fma: bool,
    /// The code is for a kernel.
    pub in_kernel: bool,
    /// The bounds checks that the code makes.
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
    /// Returns the owner of results that are inferred with these parameters for a view, and optimized with or without
    /// `always_inline`: a hash of all inputs of inference except the world.
    pub fn owner(&self, rt: &Runtime, view: &MethodTableView, always_inline: bool) -> CacheOwner {
        rt.tables.inference_owner(view, &StableBytes::from_stable(self), always_inline)
    }

    /// Returns the id of a view, for the evaluation of constant calls with these parameters.
    pub fn view_id(&self, rt: &Runtime, view: &MethodTableView) -> ViewId {
        let flags = ViewFlags { in_kernel: self.in_kernel, other_fma: self.have_fma != rt.have_fma };
        rt.tables.calls.intern_view(view, flags)
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

/// The inputs of inference.
#[derive(Clone, Debug)]
pub struct InferenceInputs {
    /// The world whose definitions are visible.
    pub world: World,
    /// The method tables.
    pub view: MethodTableView,
    /// Limits and facts.
    pub params: InferenceParams,
    /// The owner of the results. Equal owners share results, so it must reflect all other inputs but the world.
    pub owner: CacheOwner,
}

/// The reasons for the absence of a result.
#[derive(Debug)]
pub enum InferError {
    /// The generator of a `@generated` function threw.
    Generator(Box<Thrown>),
    /// A definition that ran during inference invalidated the result before it could be used.
    Stale,
}

/// An optimized body, with the dependencies that the optimizer added.
#[derive(Debug)]
pub struct Finished {
    /// The body.
    pub code: IrCode,
    /// The look-ups and calls that the optimizer resolved.
    pub edges: Vec<Edge>,
    /// The worlds in which these hold.
    pub worlds: WorldRange,
    /// The inlining preference; 0 forbids inlining. Callers can be revalidated only if it is unchanged.
    pub inlining: u8,
}

impl From<IrCode> for Finished {
    fn from(code: IrCode) -> Self {
        Self { code, edges: Vec::new(), worlds: WorldRange::ALL, inlining: 0 }
    }
}

/// Infers `instance` and its callees. Each body goes through `finish` (the optimizer), callees first. Results of
/// other sessions, which the runtime's [`StoredCode`](kiln_runtime::StoredCode) provides, are not inferred again.
pub fn infer(
    rt: &Runtime,
    inputs: &InferenceInputs,
    instance: Instance,
    finish: &mut dyn FnMut(Instance, IrCode) -> Finished,
) -> Result<Arc<CodeInstance>, InferError> {
    abstract_interp::AbstractInterpreter::new(rt, inputs, finish).run(instance)
}
