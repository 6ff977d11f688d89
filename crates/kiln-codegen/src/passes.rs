//! LLVM's passes, as pipelines that fit what units are, and what compositions for devices are.
//!
//! A unit has one specialization, its calls are of other units, and what is to be inlined is marked so. LLVM's own
//! pipelines are made for programs: most of their module passes look at every function for what cannot be there, and
//! they simplify again after each of them. Without those, and with each simplification where something has changed, a
//! unit takes half the time. The order is that of LLVM's `O2`.
//!
//! A composition is a small program: its functions are inlined bottom up, each simplified before its callers look at it.
//! On a device it matters to know which memory a pointer is to, so that is inferred as soon as functions are whole.
//!
//! # Deliberately absent
//! Unswitching loops on conditions that do not change: it doubles kernels for branches that range_checks have mostly removed.

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
pub(crate) fn unit(opt_level: u8) -> String {
    let passes = match opt_level {
        0 => return INLINE.into(),
        1 => SIMPLIFY.join(","),
        _ => [SIMPLIFY, VECTORIZE].concat().join(","),
    };
    format!("{INLINE},function<eager-inv>({passes})")
}

/// The options that only a device's pipeline has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Device {
    /// Its address spaces differ, and pointers to any of them are slower.
    pub(crate) space_inference: bool,
    /// Passes of its own, over the module, at the end.
    pub(crate) last: &'static [&'static str],
}

/// The passes over a function of a device before its callers decide about it.
const CALLEE: &[&str] =
    &["sroa", "early-cse<memssa>", "simplifycfg", "instcombine<no-verify-fixpoint>", "simplifycfg"];

/// Branches, redundancy and loops, once nothing more will be inlined.
const WHOLE: &[&str] = &[
    "sroa",
    "early-cse<memssa>",
    "speculative-execution<only-if-divergent-target>",
    "jump-threading",
    "correlated-propagation",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "tailcallelim",
    "reassociate",
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate<header-duplication>,licm,simple-loop-unswitch)",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full)",
    "sroa",
    "mldst-motion",
    "gvn",
    "sccp",
    "bdce",
    "instcombine<no-verify-fixpoint>",
    "correlated-propagation",
    "adce",
    "memcpyopt",
    "dse",
    "loop-mssa(licm)",
    "simplifycfg<hoist-common-insts;sink-common-insts>",
    "instcombine<no-verify-fixpoint>",
];

/// Several rounds of a loop at once, and what that leaves to be cleaned.
const UNROLL: &[&str] = &[
    "loop-unroll",
    "instcombine<no-verify-fixpoint>",
    "loop-mssa(licm)",
    "early-cse<memssa>",
    "div-rem-pairs",
    "simplifycfg",
];

/// The pipeline of a composition: 0 inlines what is marked, 1 simplifies, 2 unrolls, 3 does not give up what a second look
/// at redundancy finds.
pub(crate) fn device(opt_level: u8, device: &Device) -> String {
    let spaces = if device.space_inference { "infer-address-spaces" } else { "no-op-function" };
    let callee = CALLEE.join(",");
    let inline =
        format!("{INLINE},cgscc(devirt<2>(inline,function-attrs,function<eager-inv>({callee}))),globaldce");
    let whole = format!("function<eager-inv>({spaces},{})", WHOLE.join(","));
    let unroll = UNROLL.join(",");
    let mut passes = match opt_level {
        0 => INLINE.to_owned(),
        1 => format!("{inline},function<eager-inv>({spaces},{callee},gvn,adce,simplifycfg)"),
        2 => format!("{inline},{whole},function<eager-inv>({unroll})"),
        _ => format!(
            "{inline},{whole},function<eager-inv>({unroll},gvn,instcombine<no-verify-fixpoint>,simplifycfg)"
        ),
    };
    if opt_level > 0 {
        for it in device.last.iter().chain(&["globaldce", "strip-dead-prototypes", "constmerge"]) {
            passes.push(',');
            passes.push_str(it);
        }
    }
    passes
}
