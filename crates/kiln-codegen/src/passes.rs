//! LLVM pass pipelines for units, and for device links.
//!
//! A unit has one specialization, its calls go to other units, and functions to inline are marked. LLVM's own
//! pipelines are for whole programs: most of their module passes search every function for something that units do
//! not contain, and they simplify again after each. Without those passes, and with each simplification only where
//! something has changed, a unit takes half the time. The order is that of LLVM's `O2`.
//!
//! A device link is a small program: functions are inlined bottom up, and simplified before their callers. On
//! devices, address spaces are inferred as soon as functions are complete.
//!
//! # Deliberately absent
//! Loop unswitching of kernels: it doubles them for branches that range-check elimination has mostly removed. Loops of the host have
//! a check of one index and one of another in one branch, of which one is often the same in all iterations.

/// Inlining of marked functions.
pub(crate) const INLINE: &str = "always-inline,globaldce";

/// Passes that make values of memory and drop unreached code, for host code at level 0.
pub(crate) const QUICK: &str = "always-inline,globaldce,function<eager-inv>(sroa,simplifycfg)";

/// Elimination of redundancy within and across blocks, and normalization of loops.
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

/// Values that are the same for all items of a group become registers, and loops that have constant bounds then are unrolled:
/// those around barriers, and those over few vectors of items.
const GROUPS: &[&str] = &[
    "sroa",
    "early-cse<memssa>",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "jump-threading",
    "loop-mssa(loop-instsimplify,loop-simplifycfg,loop-rotate<header-duplication>,licm)",
    "loop(indvars)",
    "loop-unroll<O3;no-partial;no-peeling;no-runtime>",
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
    "loop(indvars,loop-unroll-full)",
    "sroa",
    "gvn",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
];

/// A load that stands in both arms of a branch moves before the branch: vector code runs both arms. It runs first, since later passes
/// write the address differently in each arm.
const EARLY_HOIST: &str = "sroa,early-cse<memssa>,simplifycfg<hoist-common-insts>";

/// Vectorization of loops and of straight-line code.
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

/// Vectorization and unrolling of loops of host code. Passes that move addresses out of loops or put them together are left out: in
/// code around these loops the collector looks for objects by such addresses.
const HOST_LOOPS: &[&str] = &[
    "loop-vectorize",
    "instcombine<no-verify-fixpoint>",
    "loop-unroll",
    "instsimplify",
    "div-rem-pairs",
    "simplifycfg",
];

/// Loops without the checks that are the same in all iterations, at level 1, which is the host's.
const UNSWITCH: &str =
    "loop-mssa(licm,simple-loop-unswitch<nontrivial>),simplifycfg,instcombine<no-verify-fixpoint>";

/// Returns the pipeline of a level, as `opt -passes` takes it: 0 inlines, higher levels simplify.
pub(crate) fn unit(opt_level: u8) -> String {
    match opt_level {
        0 => INLINE.into(),
        1 => format!("{INLINE},function<eager-inv>({},{UNSWITCH})", SIMPLIFY.join(",")),
        _ => format!("{INLINE},function<eager-inv>({EARLY_HOIST},{})", SIMPLIFY.join(",")),
    }
}

/// Returns the pipeline of kernels with barriers whose loops over items have been vectorized, for groups of one size or of all.
pub(crate) fn groups(opt_level: u8, is_sized: bool) -> String {
    match opt_level {
        0 | 1 => INLINE.into(),
        _ if is_sized => format!("{INLINE},function<eager-inv>({})", GROUPS.join(",")),
        _ => format!("{INLINE},function<eager-inv>(sroa,early-cse<memssa>,simplifycfg)"),
    }
}

/// Returns the pipeline that follows it at level 2 and above: it vectorizes loops.
pub(crate) fn vectorize() -> String {
    format!("function<eager-inv>({})", VECTORIZE.join(","))
}

/// Returns the pipeline that follows it for host code with loops that call nothing.
pub(crate) fn host_loops() -> String {
    format!("function<eager-inv>({})", HOST_LOOPS.join(","))
}

/// The options of a device's pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Device {
    /// Whether address spaces are inferred, since generic pointers are slower.
    pub(crate) space_inference: bool,
    /// The target's own module passes, which run last.
    pub(crate) last: &'static [&'static str],
}

/// The function passes that run before callers decide about inlining.
const CALLEE: &[&str] =
    &["sroa", "early-cse<memssa>", "simplifycfg", "instcombine<no-verify-fixpoint>", "simplifycfg"];

/// Simplification of branches, redundancy and loops after inlining.
const WHOLE: &[&str] = &[
    "sroa",
    "early-cse<memssa>",
    "speculative-execution<only-if-divergent-target>",
    "jump-threading",
    "correlated-propagation",
    "constraint-elimination",
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

/// Loop unrolling and its cleanup.
const UNROLL: &[&str] = &[
    "loop-unroll<O3>",
    "instcombine<no-verify-fixpoint>",
    "loop-mssa(licm)",
    "early-cse<memssa>",
    "div-rem-pairs",
    "simplifycfg",
];

/// The two parts of the pipeline of a device link: the second begins with the unrolling of loops.
pub(crate) struct DevicePasses {
    /// Inlining and simplification.
    pub(crate) simplify: String,
    /// Unrolling, its cleanup, and the target's own passes.
    pub(crate) unroll: String,
}

/// Returns the pipeline of a device link in two parts: level 0 inlines marked functions, 1 simplifies, 2 unrolls, 3 eliminates
/// redundancy once more.
pub(crate) fn device_parts(opt_level: u8, device: &Device) -> DevicePasses {
    let spaces = if device.space_inference { "infer-address-spaces" } else { "no-op-function" };
    let callee = CALLEE.join(",");
    let inline =
        format!("{INLINE},cgscc(devirt<2>(inline,function-attrs,function<eager-inv>({callee}))),globaldce");
    let whole = format!("function<eager-inv>({spaces},{})", WHOLE.join(","));
    let unroll = UNROLL.join(",");
    let simplify = match opt_level {
        0 => INLINE.to_owned(),
        1 => format!("{inline},function<eager-inv>({spaces},{callee},gvn,adce,simplifycfg)"),
        _ => format!("{inline},{whole}"),
    };
    let mut passes: Vec<String> = match opt_level {
        0 | 1 => Vec::new(),
        2 => vec![format!("function<eager-inv>({unroll})")],
        _ => vec![format!("function<eager-inv>({unroll},gvn,instcombine<no-verify-fixpoint>,simplifycfg)")],
    };
    if opt_level > 0 {
        let last = device.last.iter().chain(&["globaldce", "strip-dead-prototypes", "constmerge"]);
        passes.extend(last.map(|it| (*it).to_owned()));
    }
    DevicePasses { simplify, unroll: passes.join(",") }
}

/// Returns the whole pipeline of a device link.
pub(crate) fn device(opt_level: u8, device: &Device) -> String {
    let DevicePasses { simplify, unroll } = device_parts(opt_level, device);
    if unroll.is_empty() { simplify } else { format!("{simplify},{unroll}") }
}
