//! Bounds checks: functions that log their `@boundscheck` blocks call each other, and the model says which of these run.

use crate::judge::{Form, Judged, LOG};
use kiln_testing::random::Rng;

const LEVELS: usize = 3;
const FUNCTIONS_PER_LEVEL: usize = 2;
const LOG_MAX: usize = 200;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inlining {
    Inline,
    Never,
    /// Inlined, with the `@inbounds` of its caller.
    Propagates,
}

/// A call of a function of the level below, or two as the operands of `+`.
struct Site {
    inbounds: bool,
    callees: Vec<usize>,
}

struct Function {
    inlining: Inlining,
    check_first: bool,
    sites: Vec<Site>,
}

/// The functions of each level, and the sites of the kernel.
struct Calls {
    levels: Vec<Vec<Function>>,
    sites: Vec<Site>,
}

fn sites(rng: &mut Rng) -> Vec<Site> {
    let site = |rng: &mut Rng| Site {
        inbounds: rng.one_in(2),
        callees: (0..1 + rng.below(2)).map(|_| rng.below(FUNCTIONS_PER_LEVEL)).collect(),
    };
    (0..1 + rng.below(2)).map(|_| site(rng)).collect()
}

fn calls(rng: &mut Rng) -> Calls {
    let function = |level: usize, rng: &mut Rng| Function {
        inlining: *rng.pick(&[Inlining::Inline, Inlining::Never, Inlining::Propagates, Inlining::Propagates]),
        check_first: rng.one_in(2),
        sites: if level == 0 { Vec::new() } else { sites(rng) },
    };
    let levels =
        (0..LEVELS).map(|it| (0..FUNCTIONS_PER_LEVEL).map(|_| function(it, rng)).collect()).collect();
    Calls { levels, sites: sites(rng) }
}

fn name(level: usize, index: usize) -> String {
    format!("f{level}{index}")
}

fn site_text(site: &Site, level: usize) -> String {
    let callees: Vec<String> = site.callees.iter().map(|it| format!("{}(o)", name(level, *it))).collect();
    let call = callees.join(" + ");
    if site.inbounds { format!("    @inbounds s += {call}\n") } else { format!("    s += {call}\n") }
}

fn function_text(function: &Function, level: usize, index: usize) -> String {
    let form = match function.inlining {
        Inlining::Inline => "@inline",
        Inlining::Never => "@noinline",
        Inlining::Propagates => "Base.@propagate_inbounds",
    };
    let check = format!("    @boundscheck put(o, {level}{index})\n");
    let body: String = function.sites.iter().map(|it| site_text(it, level.wrapping_sub(1))).collect();
    let (before, behind) = if function.check_first { (&*check, "") } else { ("", &*check) };
    format!("{form} function {}(o)\n    s = 1\n{before}{body}{behind}    s\nend\n", name(level, index))
}

/// The rule: a block is left out where its function is inlined at a call that `@inbounds` covers; a function that
/// propagates hands that on to the calls in it.
fn run(sites: &[Site], level: usize, handed_on: bool, calls: &Calls, log: &mut Vec<i64>) {
    for site in sites {
        for &index in &site.callees {
            let function = &calls.levels[level][index];
            let is_inbounds = (site.inbounds || handed_on) && function.inlining != Inlining::Never;
            let check = (10 * level + index) as i64;
            if function.check_first && !is_inbounds {
                log.push(check);
            }
            let hands_on = is_inbounds && function.inlining == Inlining::Propagates;
            run(&function.sites, level.wrapping_sub(1), hands_on, calls, log);
            if !function.check_first && !is_inbounds {
                log.push(check);
            }
        }
    }
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    loop {
        let calls = calls(&mut rng);
        let mut log = Vec::new();
        run(&calls.sites, LEVELS - 1, false, &calls, &mut log);
        if log.is_empty() || log.len() > LOG_MAX {
            continue;
        }
        let mut text = LOG.to_owned();
        for (level, functions) in calls.levels.iter().enumerate() {
            for (index, function) in functions.iter().enumerate() {
                text.push_str(&function_text(function, level, index));
            }
        }
        let body: String = calls.sites.iter().map(|it| site_text(it, LEVELS - 1)).collect();
        let size = LOG_MAX + 1;
        text.push_str(&format!(
            "function entry(o)\n    s = 0\n{body}    s\nend\n\
             host() = (o = zeros(Int, {size}); entry(o); shown(o))\n\
             k(o) = (entry(o); return)\n\
             device() = (d = CUDA.zeros(Int, {size}); @cuda k(d); shown(Array(d)))\n"
        ));
        let expected: Vec<String> = log.iter().map(i64::to_string).collect();
        return Judged { text, form: Form::Kernel, expected: expected.join(" ") };
    }
}
