//! Launches of checked kernels, and what their checks have found: findings of the device, with the places and the names of the
//! program.

mod arrays;
pub(crate) mod state;
mod wording;

pub use state::{CheckReport, Checking};

use crate::env::ExecEnv;
use crate::failure;
use crate::kernel::Kernel;
use crate::{tiers, trusted};
use arrays::NamedArray;
use kiln_ir::SourceLoc;
use kiln_launch::{Checker, CpuDevice, CpuKernel, Failure, Finding, FindingKind, Grid, Report, Seed};
use kiln_metrics::count;
use state::Cause;
use std::time::Instant;

/// Launches a checked kernel, and keeps what is found.
pub(crate) fn launch_checked(
    env: &ExecEnv<'_>,
    checking: &Checking,
    (device, entry, kernel): (&CpuDevice, &CpuKernel, &Kernel),
    (grid, seed): (&Grid, Option<Seed>),
    args: &[u8],
    take: &mut dyn FnMut(Report),
) -> Result<(), Failure> {
    let (idle, freed) = {
        let mut state = checking.state.lock();
        (state.idle.pop(), state.freed.clone())
    };
    let mut checker = idle.unwrap_or_else(|| Checker::new(checking.checks));
    let arrays = arrays::of_launch(env.rt, kernel, args, &freed);
    let known: Vec<_> = arrays.iter().map(|it| it.memory).collect();
    let forms = (entry, tiers::screened(env, kernel, grid));
    let start = Instant::now();
    let done = trusted::launch_checked(device, forms, (grid, seed), args, (&mut checker, &known), take);
    tiers::note_checked(kernel, start.elapsed(), checker.is_suspected());
    match (forms.1, checker.is_suspected()) {
        (Some(_), false) => count(&env.counters().launches_screened),
        (Some(_), true) => count(&env.counters().launches_suspected),
        (None, _) => {}
    }
    let mut state = checking.state.lock();
    for finding in checker.take_findings() {
        add(env, &mut state.reports, kernel, (&finding, &arrays));
    }
    state.idle.push(checker);
    done
}

/// Adds a finding, or counts it if its cause is known.
fn add(
    env: &ExecEnv<'_>,
    reports: &mut Vec<CheckReport>,
    kernel: &Kernel,
    (finding, arrays): (&Finding, &[NamedArray]),
) {
    let place = |site: u32| place(env, kernel, site);
    let here = place(finding.party.site);
    let there = finding.other.map_or(SourceLoc::NONE, |it| place(it.site));
    if finding.kind == FindingKind::Barrier && here == there {
        return; // one barrier that the compiler has copied
    }
    let name = env.rt.types.name(kernel.name).to_owned();
    let mut places = [here, there];
    places.sort_by_key(|it| (it.file(), it.start(), it.len()));
    let cause = Cause(name.clone(), finding.kind, places);
    if let Some(known) = reports.iter_mut().find(|it| it.cause == cause) {
        known.count += finding.count;
        return;
    }
    let array = arrays::name(arrays, finding).or_else(|| wording::declared(env, kernel, finding));
    let diagnostic = wording::diagnostic(&name, finding, (here, there), array.as_ref());
    let one = |it: [i64; 3]| it.map(|it| it + 1);
    let parties = std::iter::once(finding.party).chain(finding.other);
    let parties = parties.map(|it| [one(it.item), one(it.group)]).collect();
    let array = array.map(|it| it.name);
    reports.push(CheckReport { kernel: name, diagnostic, parties, array, count: finding.count, cause });
}

/// Returns the innermost place of a site in a file of the program.
fn place(env: &ExecEnv<'_>, kernel: &Kernel, site: u32) -> SourceLoc {
    let Some((site, function)) = kernel.program.site(site) else { return SourceLoc::NONE };
    let Some(stmt) = function.code(env.rt).stmts.values().nth(site.stmt as usize) else {
        return SourceLoc::NONE;
    };
    let frames = failure::trace(env.rt, &kernel.program, function, (stmt.loc, stmt.inlined), &[]).0;
    let is_user_file = &env.exec.compiler.options.is_user_file;
    let of_program = frames.iter().find(|it| !it.loc.is_none() && is_user_file(it.loc));
    of_program.or(frames.last()).map_or(SourceLoc::NONE, |it| it.loc)
}
