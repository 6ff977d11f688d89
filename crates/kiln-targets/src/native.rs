//! Processors of the x86-64 family, by level, and the processor of this machine.

use crate::facts::{Abilities, Backend, Items, Limits, LineForm, TargetFacts};
use crate::tools::{Tools, disassembler, texts};
use crate::{Family, fit, model, options};

/// All of them.
pub(crate) static FAMILY: Family = Family {
    backend: Backend::new("native"),
    pattern: "native, x86-64[-v2|-v3|-v4], or a processor as LLVM names it",
    about: "processors of the x86-64 family; `native` is this machine's level",
    names: &NAMES,
    shown: "x86-64",
    lookup,
    fit: fit::exactly,
    model: model::none,
    check: options::any,
};

/// The levels, best first.
const LEVELS: [&str; 4] = ["x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"];

/// Processors of 64 bits as LLVM 22 names them, beside the levels, those that have more first.
const PROCESSORS: [&str; 70] = [
    "skylake-avx512",
    "skx",
    "cascadelake",
    "cooperlake",
    "cannonlake",
    "icelake-client",
    "icelake-server",
    "rocketlake",
    "tigerlake",
    "sapphirerapids",
    "emeraldrapids",
    "graniterapids",
    "graniterapids-d",
    "diamondrapids",
    "znver4",
    "znver5", // these have AVX-512
    "haswell",
    "broadwell",
    "skylake",
    "alderlake",
    "raptorlake",
    "meteorlake",
    "arrowlake",
    "arrowlake-s",
    "lunarlake",
    "pantherlake",
    "wildcatlake",
    "novalake",
    "gracemont",
    "sierraforest",
    "grandridge",
    "clearwaterforest",
    "knl",
    "knm",
    "core-avx2",
    "bdver2",
    "bdver3",
    "bdver4",
    "znver1",
    "znver2",
    "znver3", // these have fused multiply-add and AVX, the following do not
    "nocona",
    "core2",
    "penryn",
    "bonnell",
    "atom",
    "silvermont",
    "slm",
    "goldmont",
    "goldmont-plus",
    "tremont",
    "nehalem",
    "corei7",
    "westmere",
    "sandybridge",
    "corei7-avx",
    "ivybridge",
    "core-avx-i",
    "k8",
    "k8-sse3",
    "opteron",
    "opteron-sse3",
    "athlon64",
    "athlon64-sse3",
    "athlon-fx",
    "amdfam10",
    "barcelona",
    "btver1",
    "btver2",
    "bdver1",
];

/// The last of those that have AVX-512 with vectors of all lengths.
const LAST_WITH_AVX512: &str = "znver5";
/// The last of those that have fused multiply-add.
const LAST_WITH_FMA: &str = "znver3";

/// Every name.
const NAMES: [&str; 4 + PROCESSORS.len()] = {
    let mut names = [""; 4 + PROCESSORS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < 4 { LEVELS[at] } else { PROCESSORS[at - 4] };
        at += 1;
    }
    names
};

/// Whether a processor is among those up to this one.
fn is_up_to(cpu: &str, last: &str) -> bool {
    let place = |name: &str| PROCESSORS.iter().position(|it| *it == name);
    place(cpu).is_some_and(|it| Some(it) <= place(last))
}

fn has_fma(cpu: &str) -> bool {
    matches!(cpu, "x86-64-v4" | "x86-64-v3") || is_up_to(cpu, LAST_WITH_FMA)
}

/// Returns the bits of a processor's vectors.
fn vector_bits(cpu: &str) -> u32 {
    match cpu {
        "x86-64-v4" => 512,
        _ if is_up_to(cpu, LAST_WITH_AVX512) => 512,
        _ if has_fma(cpu) => 256,
        _ => 128,
    }
}

fn lookup(name: &str) -> Option<TargetFacts> {
    let cpu = if name == "native" { native_level()? } else { *NAMES.iter().find(|it| **it == name)? };
    Some(TargetFacts {
        triple: "x86_64-unknown-linux-gnu".into(),
        cpu: cpu.into(),
        have_fma: has_fma(cpu),
        can_throw: true,
        preferred_group_items: 256,
        vector_bits: vector_bits(cpu),
        have_int128: true,
        have_float16: true,
        have_bfloat16: true,
        have_float32: true,
        have_float64: true,
        items: Items::Loops,
        lines: LineForm::Tables,
        abilities: Abilities { has_extrema: false, ..Abilities::GPU },
        intrinsics: texts(["x86"]),
        // The processor takes what some GPU takes.
        limits: Limits { static_shared_bytes: Some(64 << 10), ..Limits::default() },
        tools: Tools { disassemble: Some(disassembler(false)), ..Tools::default() },
        ..TargetFacts::new(cpu, FAMILY.backend.clone())
    })
}

/// Returns the rank of a level of x86-64: code for a level runs on levels of at least its rank. `None` for other
/// processors: extensions beyond a level are not compared.
pub fn rank(facts: &TargetFacts) -> Option<usize> {
    let at = LEVELS.iter().position(|it| *it == facts.cpu && FAMILY.has(facts))?;
    Some(LEVELS.len() - at)
}

/// Whether code for this target runs on this machine.
pub fn runs_here(facts: &TargetFacts) -> bool {
    let here = lookup("native").and_then(|it| rank(&it));
    rank(facts).is_some_and(|it| here.is_some_and(|here| it <= here))
}

/// The rank of the best level that this processor has all of; `None` on machines of other kinds.
pub fn processor_level() -> Option<usize> {
    let best = native_level()?;
    Some(LEVELS.len() - LEVELS.iter().position(|it| *it == best)?)
}

/// The best level this processor has all of.
#[cfg(target_arch = "x86_64")]
fn native_level() -> Option<&'static str> {
    macro_rules! all {
        ($($feature:tt)*) => { [$(std::is_x86_feature_detected!($feature)),*].iter().all(|it| *it) };
    }
    let v2 = all!("cmpxchg16b" "popcnt" "sse3" "sse4.1" "sse4.2" "ssse3");
    let v3 = v2 && all!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
    let v4 = v3 && all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    let level = if v4 {
        0
    } else if v3 {
        1
    } else if v2 {
        2
    } else {
        3
    };
    Some(LEVELS[level])
}

#[cfg(not(target_arch = "x86_64"))]
fn native_level() -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal machines share artifacts only if no machine's own name gets into its facts.
    #[test]
    fn native_is_a_named_level() {
        let native = lookup("native").expect("tests run on x86-64");
        assert_eq!(lookup(&native.cpu), Some(native));
    }

    /// A named processor has a level's instructions and more: its code may not run here.
    #[test]
    fn processors_are_no_levels() {
        let (zen, old) = (lookup("znver4").expect("a target"), lookup("nehalem").expect("a target"));
        assert!(zen.have_fma && !old.have_fma && lookup("bdver2").expect("a target").have_fma);
        assert_eq!((zen.cpu.as_str(), rank(&zen), runs_here(&zen)), ("znver4", None, false));
    }

    /// Code for a level runs on machines of that level and above.
    #[test]
    fn lower_levels_run_here() {
        let native = lookup("native").expect("tests run on x86-64");
        assert!(runs_here(&native));
        for name in LEVELS {
            let facts = lookup(name).expect("every level is known");
            assert_eq!(runs_here(&facts), rank(&facts) <= rank(&native));
        }
    }
}
