//! MISSION P4: programs whose items or groups wait for each other end, in each form of kernels, with one thread and with several.
//!
//! Each file of `tests/waiting` runs under a time limit: a program that waits forever fails. Its `@test`s must hold. So do
//! `KILN_WAITING_PROGRAMS` (4) random programs, from seed `KILN_SEED` on.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "waiting/generated.rs"]
mod generated;
mod project;

use kiln_testing::random::setting;
use kiln_testing::{Outcome, Suite, Verdict, files, repository, stem};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time for a program, which takes less than a second of it.
const LIMIT: Duration = Duration::from_secs(60);
/// The forms of kernels: the name of a form, and the environment that asks for it.
const FORMS: [(&str, &[(&str, &str)]); 6] = [
    ("fibers", &[("KILN_BARRIERS", "fibers"), ("KILN_VECTOR", "off")]),
    ("regions", &[("KILN_BARRIERS", "regions"), ("KILN_VECTOR", "off")]),
    ("fibers-256", &[("KILN_BARRIERS", "fibers"), ("KILN_VECTOR", "256")]),
    ("regions-128", &[("KILN_BARRIERS", "regions"), ("KILN_VECTOR", "128")]),
    ("regions-256", &[("KILN_BARRIERS", "regions"), ("KILN_VECTOR", "256")]),
    ("regions-512", &[("KILN_BARRIERS", "regions"), ("KILN_VECTOR", "512")]),
];
const THREADS: [&str; 2] = ["1", "4"];

fn text_of(mut pipe: impl std::io::Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a program to end with success, within the limit.
fn ended(mut process: Child) -> Verdict {
    let output = [text_of(process.stdout.take().unwrap()), text_of(process.stderr.take().unwrap())];
    let start = Instant::now();
    let status = loop {
        match process.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if start.elapsed() > LIMIT => break None,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    if status.is_none() {
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let output = output.map(|it| it.join().unwrap()).concat();
    match status {
        None => Err(format!("it has not ended after {LIMIT:?}\n{output}")),
        Some(status) if !status.success() => Err(format!("{status}\n{output}")),
        Some(_) => Ok(Outcome::Passed),
    }
}

fn run(file: &Path, environment: &[(&str, &str)], threads: &str) -> Verdict {
    let mut command = project::uncached();
    command.envs(environment.iter().copied()).env("KILN_THREADS", threads).env("KILN_DEVICE", "cpu");
    command.arg("run").arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().unwrap())
}

fn main() -> ExitCode {
    let mut suite = Suite::new();
    let mut programs = files(&repository().join("tests/waiting"), "jl");
    let first = setting("KILN_SEED", 1);
    for seed in first..first + setting("KILN_WAITING_PROGRAMS", 4) {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("waiting_{seed}.jl"));
        std::fs::write(&file, generated::program(seed, 8)).unwrap();
        programs.push(file);
    }
    for file in programs {
        for (form, environment) in FORMS {
            for threads in THREADS {
                let (file, name) = (file.clone(), format!("{}/{form}/{threads}", stem(&file)));
                suite = suite.test(name, move || run(&file, environment, threads));
            }
        }
    }
    suite.run()
}
