//! The models themselves are tested by compilers with one thing wrong in front of code generation: its model notices each.
//! Each runs in a process of its own, because the code of a wrong compiler may crash or never end.

use crate::judge::{self, Model};
use crate::{bounds, dispatch, layout, order, scope, subtypes};
use kiln::internals::Mutant;
use kiln_testing::random::setting;
use kiln_types::FrontMutant::{self, *};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Each mistake and the model that is to notice it.
const MUTANTS: [(FrontMutant, Model); 18] = [
    (SharedLoopVariable, scope::program),
    (GlobalEndsAtFunction, scope::program),
    (FirstApplicable, dispatch::program),
    (AmbiguityResolved, dispatch::program),
    (BoundIgnored, subtypes::program),
    (DiagonalIgnored, subtypes::program),
    (IntersectionEmpty, subtypes::program),
    (IntersectionSecond, subtypes::program),
    (UncoveredMember, dispatch::program),
    (MissingIsCovered, dispatch::program),
    (InboundsNever, bounds::program),
    (InboundsAlways, bounds::program),
    (ElementAlignment, layout::program),
    (NoSelector, layout::program),
    (NoPadding, layout::program),
    (KeywordsLast, order::program),
    (ChainBackwards, order::program),
    (CalleeLast, order::program),
];

/// Names the mutant, by its place in [`MUTANTS`], that a process is to look for.
const MUTANT_OF_PROCESS: &str = "KILN_MODELS_MUTANT";
/// Programs within which a wrong compiler must be noticed.
const PROGRAMS: u64 = 250;
/// A wrong program may never end. One that takes this long has been noticed.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn a_mutant_front_end_is_caught() {
    if let Ok(number) = std::env::var(MUTANT_OF_PROCESS) {
        return look_for(MUTANTS[number.parse::<usize>().unwrap()]);
    }
    let next = AtomicUsize::new(0);
    let missed_by_one = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = numbers.take_while(|it| *it < MUTANTS.len());
        mine.filter(|it| !is_caught(*it)).map(|it| MUTANTS[it].0).collect::<Vec<_>>()
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let missed: Vec<FrontMutant> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(missed_by_one)).collect();
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert!(missed.is_empty(), "these compilers were not noticed: {missed:?}");
}

/// Whether a process that looks for this mutant fails, in whichever way.
fn is_caught(number: usize) -> bool {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "mutants::a_mutant_front_end_is_caught"]);
    process.env(MUTANT_OF_PROCESS, number.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = process.spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return !status.success();
        }
        if start.elapsed() > LIMIT {
            process.kill().unwrap();
            let _ = process.wait();
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Fails at the first program that shows the mutant.
fn look_for((mutant, model): (FrontMutant, Model)) {
    let first = setting("KILN_SEED", 1);
    let shown = judge::on_large_stack(move || {
        judge::difference(model, first..first + PROGRAMS, Some(Mutant::Front(mutant)))
    });
    if let Some(difference) = shown {
        panic!("{difference}");
    }
}
