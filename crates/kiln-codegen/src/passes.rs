//! LLVM's passes for a unit, as pipelines that fit what units are.
//!
//! A unit has one specialization, its calls are of other units, and what is to be inlined is marked so. LLVM's own
//! pipelines are made for programs: most of their module passes look at every function for what cannot be there, and
//! they simplify again after each of them. Without those, and with each simplification where something has changed, a
//! unit takes half the time. The order is that of LLVM's `O2`.
//!
//! # Deliberately absent
//! Unswitching loops on conditions that do not change: it doubles kernels for branches that guards have mostly removed.

/// Inlining what is marked.
const INLINE: &str = "always-inline,globaldce";

/// Redundancy within and across blocks, and loops brought into the form that indexed loops have.
const SIMPLIFY: &[&str] = &[
    "sroa",
    "early-cse<memssa>",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "tailcallelim",
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate<header-duplication>,licm,simple-loop-unswitch)",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full)",
    "sroa",
    "gvn",
    "correlated-propagation",
    "adce",
    "dse",
    "simplifycfg<hoist-common-insts;sink-common-insts>",
    "instcombine<no-verify-fixpoint>",
];

/// Several rounds of a loop, or several statements, at once.
const VECTORIZE: &[&str] = &[
    "loop-vectorize",
    "slp-vectorizer",
    "vector-combine",
    "instcombine<no-verify-fixpoint>",
    "loop-unroll",
    "loop-mssa(licm)",
    "instsimplify",
    "div-rem-pairs",
    "simplifycfg",
];

/// The pipeline of a level, as `opt -passes` takes it: 0 inlines, 1 simplifies, above that loops are vectorized.
pub(crate) fn pipeline(opt_level: u8) -> String {
    let passes = match opt_level {
        0 => return INLINE.into(),
        1 => SIMPLIFY.join(","),
        _ => [SIMPLIFY, VECTORIZE].concat().join(","),
    };
    format!("{INLINE},function<eager-inv>({passes})")
}
