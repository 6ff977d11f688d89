//! Tests of tests: each wrong compiler runs in a process of its own, because its code may crash or never end.

use crate::random::setting;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A process that has not ended by then has caught its mutant.
const LIMIT: Duration = Duration::from_secs(120);

/// A test that starts itself once more for each mutant.
#[derive(Clone, Copy)]
pub struct MutantTest {
    /// The test's full name, as the test executable lists it.
    pub name: &'static str,
    /// The environment variable that tells a process the number of its mutant.
    pub variable: &'static str,
}

impl MutantTest {
    /// Returns the number of the mutant that this process is to look for; `None` in the process that starts the others.
    ///
    /// # Panics
    /// If the variable is set and is not a number.
    #[expect(clippy::expect_used, reason = "a test that cannot go on fails")]
    pub fn number(self) -> Option<usize> {
        std::env::var(self.variable).ok().map(|it| it.parse().expect("the number of a mutant"))
    }

    /// Returns the numbers of the mutants whose processes succeed: those that nothing was noticed of. One of `KILN_MUTANT_SLICE` mutants
    /// is tried (1).
    ///
    /// # Panics
    /// If no process can be started.
    pub fn missed(self, numbers: &[usize]) -> Vec<usize> {
        let next = AtomicUsize::new(0);
        let slice = setting("KILN_MUTANT_SLICE", 1) as usize;
        let numbers: Vec<usize> = numbers.iter().copied().step_by(slice).collect();
        let missed_by_one = || {
            let mine = std::iter::from_fn(|| numbers.get(next.fetch_add(1, Ordering::Relaxed)).copied());
            mine.filter(|it| !self.is_caught(*it)).collect::<Vec<_>>()
        };
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..count).map(|_| scope.spawn(missed_by_one)).collect();
            let finished = workers.into_iter().map(|it| it.join());
            finished.flat_map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }

    /// Whether a process that looks for a mutant fails, in whichever way.
    #[expect(clippy::expect_used, reason = "a test that cannot go on fails")]
    fn is_caught(self, number: usize) -> bool {
        let mut process = Command::new(std::env::current_exe().expect("the test executable"));
        process.args(["--exact", self.name]).env(self.variable, number.to_string());
        let mut process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
        let start = Instant::now();
        loop {
            if let Some(status) = process.try_wait().expect("the status of a process") {
                return !status.success();
            }
            if start.elapsed() > LIMIT {
                process.kill().expect("the process is ours");
                let _ = process.wait();
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
