//! MISSION P3, P5: random kernels leave the same bits, and throw the same exceptions, in each form that they run in: interpreted item by
//! item, compiled without optimization, and in the [forms](forms::FORMS) that launches have.
//!
//! `KILN_KERNEL_PROGRAMS` sets how many kernels run (500 by default), `KILN_SEED` where they start, and
//! `KILN_KERNELS_ALL=1` has all that are small interpreted, and each run in vectors of every width. A kernel that differs
//! is made smaller, and shown as a file that the command runs; `KILN_KERNEL_SHOW=SEED` prints that file. One that crashes
//! or never ends is found as `kiln-kernel-PROCESS-WORKER.jl` in the folder of temporary files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod expressions;
mod forms;
mod generate;
mod program;
mod statements;

use Mutant::{Intrinsic, OtherMember};
use forms::{Bench, Difference, prelude};
use generate::program;
use kiln::internals::Mutant;
use kiln_ir::Intrinsic as I;
use kiln_testing::mutants::MutantTest;
use kiln_testing::random::setting;
use kiln_unit::Mistake;
use program::{Program, minimized};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Programs that one session of each form runs.
const PER_SESSION: u64 = 100;
/// One in so many is interpreted.
const INTERPRETED: u64 = 6;
/// Items of a launch that is interpreted.
const INTERPRETED_ITEMS: usize = 80;
/// Differences that end a worker.
const FAILURES_MAX: usize = 3;
/// A native stack for deep interpretation.
const STACK_BYTES: usize = 1 << 28;
/// The time for a kernel in all its forms. One that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(120);
/// The time for making a kernel smaller.
const MINIMIZING: Duration = Duration::from_secs(60);

/// A worker's file with the kernel that runs, and when it started.
struct Worker {
    file: PathBuf,
    /// Milliseconds since the start of the suite; 0: no kernel runs.
    since: AtomicU64,
    start: Instant,
}

impl Worker {
    fn new(number: usize) -> Self {
        let file = std::env::temp_dir().join(format!("kiln-kernel-{}-{number}.jl", std::process::id()));
        Self { file, since: AtomicU64::new(0), start: Instant::now() }
    }

    fn begin(&self, program: &Program) {
        let _ = std::fs::write(&self.file, program.file(&prelude()));
        self.since.store(self.start.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
    }

    /// Ends the process if the kernel takes too long: a kernel cannot be stopped.
    fn check(&self) {
        let since = self.since.load(Ordering::Relaxed);
        if since > 0 && self.start.elapsed() > Duration::from_millis(since) + LIMIT {
            eprintln!("the kernel in {} does not end", self.file.display());
            std::process::abort();
        }
    }
}

/// Compares the forms of the kernels of some seeds.
fn differences(from: u64, last: u64, worker: &Worker) -> Vec<String> {
    let all = setting("KILN_KERNELS_ALL", 0) == 1;
    let (bench, share) = (Bench::new(all), if all { 1 } else { INTERPRETED });
    let mut failures = Vec::new();
    for seed in from..last {
        let program = program(seed);
        let is_interpreted = seed % share == 0 && program.size() <= INTERPRETED_ITEMS;
        worker.begin(&program);
        if let Err(difference) = bench.difference(&program, is_interpreted) {
            failures.push(shown(&bench, &program, is_interpreted, &difference, worker));
        }
        if failures.len() >= FAILURES_MAX {
            break;
        }
    }
    worker.since.store(0, Ordering::Relaxed);
    failures
}

fn shown(
    bench: &Bench,
    program: &Program,
    is_interpreted: bool,
    first: &Difference,
    worker: &Worker,
) -> String {
    let start = Instant::now();
    let fails = &mut |it: &Program| {
        worker.begin(it);
        start.elapsed() < MINIMIZING
            && bench.difference(it, is_interpreted).is_err_and(|it| it.is_like(first))
    };
    let small = minimized(program, fails);
    let now = bench.difference(&small, is_interpreted).err().map_or_else(String::new, |it| it.to_string());
    let file = std::env::temp_dir().join(format!("kiln-kernel-seed-{}.jl", program.seed));
    let _ = std::fs::write(&file, small.file(&prelude()));
    format!(
        "seed {}: {first}\nsmaller: {now}\n{:?} groups of {:?} items, range {:?}, scalars {}\n{}see {}",
        program.seed,
        program.groups,
        program.items,
        program.range,
        program.scalars,
        small.text(),
        file.display()
    )
}

fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap()
}

#[test]
fn kernels_agree_in_all_forms() {
    if let Ok(seed) = std::env::var("KILN_KERNEL_SHOW") {
        return eprintln!("{}", program(seed.parse().unwrap()).file(&prelude()));
    }
    let (count, first) = (setting("KILN_KERNEL_PROGRAMS", 500), setting("KILN_SEED", 1));
    let last = first + count;
    let next = Arc::new(AtomicU64::new(first));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers: Vec<_> = (0..cores).map(|it| Arc::new(Worker::new(it))).collect();
    let start = |worker: &Arc<Worker>| {
        let (next, worker) = (next.clone(), worker.clone());
        on_large_stack(move || {
            let mut failures = Vec::new();
            while failures.len() < FAILURES_MAX {
                let from = next.fetch_add(PER_SESSION, Ordering::Relaxed);
                if from >= last {
                    break;
                }
                failures.extend(differences(from, last.min(from + PER_SESSION), &worker));
            }
            failures
        })
    };
    let running: Vec<_> = workers.iter().map(start).collect();
    while running.iter().any(|it| !it.is_finished()) {
        workers.iter().for_each(|it| it.check());
        std::thread::sleep(Duration::from_millis(50));
    }
    let failures: Vec<String> = running.into_iter().flat_map(|it| it.join().unwrap()).collect();
    workers.iter().for_each(|it| drop(std::fs::remove_file(&it.file)));
    assert!(failures.is_empty(), "{}", failures.join("\n----\n"));
}

/// Compilers with one thing wrong. The last two make their mistake in builds with debug assertions only.
const MUTANTS: [Mutant; 7] = [
    Intrinsic(I::MulFloat, I::AddFloat),
    Intrinsic(I::LtFloat, I::LeFloat),
    Intrinsic(I::AshrInt, I::LshrInt),
    OtherMember,
    Mutant::Sites,
    Mutant::Codegen(Mistake::LostMask),
    Mutant::Codegen(Mistake::LostValue),
];
/// Programs within which a wrong compiler must be noticed.
const MUTANT_PROGRAMS: u64 = 200;

/// The comparison itself is tested by compilers with one thing wrong. Each runs in a process of its own, because the code of a
/// wrong compiler may crash or never end.
#[test]
fn a_mutant_compiler_is_caught() {
    let test = MutantTest { name: "a_mutant_compiler_is_caught", variable: "KILN_KERNEL_MUTANT" };
    if let Some(number) = test.number() {
        return look_for(MUTANTS[number]);
    }
    let made = |it: &usize| cfg!(debug_assertions) || !matches!(MUTANTS[*it], Mutant::Codegen(_));
    let missed = test.missed(&(0..MUTANTS.len()).filter(made).collect::<Vec<_>>());
    let missed: Vec<Mutant> = missed.into_iter().map(|it| MUTANTS[it]).collect();
    assert!(missed.is_empty(), "these compilers were not noticed: {missed:?}");
}

/// Fails at the first program that shows the mutant.
fn look_for(mutant: Mutant) {
    let shown = on_large_stack(move || {
        let bench = Bench::with_mutant(false, Some(mutant));
        let differs = |seed: u64| bench.difference(&program(seed), false).err();
        (1..MUTANT_PROGRAMS).find_map(|seed| match differs(seed) {
            Some(Difference::Outcome(text)) => Some(format!("seed {seed}: {text}")),
            _ => None,
        })
    });
    if let Some(difference) = shown.join().unwrap() {
        panic!("{difference}");
    }
}
