//! Runs the expressions of one file in worker processes and collects the outcome of each site.

use super::outcome::SiteOutcome;
use super::source::{TopLevel, top_level};
use crate::error::Error;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Workers started for one file, at most: a file that kills more has its rest counted as not reached.
const WORKERS_MAX: usize = 40;

/// The longest a worker may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The limits of workers.
#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// For one top-level expression.
    pub expression: Duration,
    /// For one file, all workers together.
    pub file: Duration,
    /// Address space of a worker, KiB.
    pub memory_kib: u64,
    /// Definitions that precede a file; empty for nothing but the tests' own needs.
    pub prelude: String,
}

/// One site with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSite {
    /// Its line, from 1.
    pub line: u32,
    /// The worst outcome it had.
    pub outcome: SiteOutcome,
    /// The tested expression and its value or exception, where it failed.
    pub text: String,
}

/// The result of one file.
#[derive(Clone, Debug)]
pub struct FileResult {
    /// The file, relative to the `test` folder.
    pub name: String,
    /// Its sites, in the order of the text.
    pub sites: Vec<TestSite>,
    /// The line of each expression that killed its worker or exceeded its time, and which of the two.
    pub crashes: Vec<(u32, String)>,
    /// The line of each expression or test set that threw outside a test, and the message.
    pub thrown: Vec<(u32, String)>,
    /// Wall time.
    pub time: Duration,
}

impl FileResult {
    /// The number of sites with this outcome.
    pub fn count(&self, outcome: SiteOutcome) -> usize {
        self.sites.iter().filter(|it| it.outcome == outcome).count()
    }
}

/// The outcomes so far in one file.
struct Progress {
    path: PathBuf,
    expressions: Vec<TopLevel>,
    lines: BTreeMap<u32, (SiteOutcome, String)>,
    crashes: Vec<(u32, String)>,
    thrown: Vec<(u32, String)>,
}

/// The end of a worker.
enum Ended {
    /// Every expression was evaluated.
    Done,
    /// The worker died or hung in this expression.
    In(usize, &'static str),
    /// The worker died before its first expression.
    Before,
}

/// Runs one file of `root`, a `test` folder.
///
/// # Errors
/// When the file cannot be read or no worker can be started.
pub fn run_file(root: &Path, name: &str, limits: &WorkerLimits) -> Result<FileResult, Error> {
    let start = Instant::now();
    let path = root.join(name);
    let text = std::fs::read(&path).map_err(Error::at(&path))?;
    let expressions = top_level(&String::from_utf8_lossy(&text));
    let mut progress =
        Progress { path, expressions, lines: BTreeMap::new(), crashes: Vec::new(), thrown: Vec::new() };
    let (mut first, mut skipped) = (0, Vec::new());
    for _ in 0..WORKERS_MAX {
        if start.elapsed() > limits.file {
            progress.crashes.push((0, "file time".to_owned()));
            break;
        }
        match run_worker(&mut progress, first, &skipped, limits)? {
            Ended::Done => break,
            Ended::Before => {
                progress.crashes.push((0, "start".to_owned()));
                break;
            }
            Ended::In(number, why) => {
                let line = progress.expressions[number].line;
                progress.crashes.push((line, why.to_owned()));
                skipped.push(number);
                first = first.max(number + 1);
            }
        }
    }
    Ok(progress.result(name, start.elapsed()))
}

fn run_worker(
    progress: &mut Progress,
    first: usize,
    skipped: &[usize],
    limits: &WorkerLimits,
) -> Result<Ended, Error> {
    let mut child = start_worker(&progress.path, first, skipped, limits)?;
    let events = watch(child.stderr.take().ok_or_else(|| Error::Worker(ErrorKind::BrokenPipe.into()))?);
    let (mut current, mut replaying, mut limit) = (None, false, START_LIMIT);
    let mut deadline = Instant::now() + limit;
    let ended = loop {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => {
                let mut words = event.splitn(3, ' ');
                let (kind, number) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
                match kind {
                    "begin" | "replay" => {
                        (current, replaying, limit) =
                            (number.parse().ok(), kind == "replay", limits.expression);
                        deadline = Instant::now() + limit;
                    }
                    "threw" if !replaying => progress.threw(number, words.next().unwrap_or("")),
                    "done" => break Ended::Done,
                    _ if event.starts_with("site\t") && !replaying => progress.site(&event),
                    _ => {}
                }
            }
            Err(why) => {
                let why = if why == RecvTimeoutError::Timeout { "time" } else { "died" };
                break current.map_or(Ended::Before, |it| Ended::In(it, why));
            }
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    Ok(ended)
}

fn start_worker(path: &Path, first: usize, skipped: &[usize], limits: &WorkerLimits) -> Result<Child, Error> {
    let program = std::env::current_exe().map_err(Error::Worker)?;
    let skipped = skipped.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {}; exec \"$@\"", limits.memory_kib), "sh"])
        .arg(program)
        .arg("worker")
        .arg(path)
        .args([first.to_string(), skipped, limits.prelude.clone()])
        .current_dir(path.parent().unwrap_or(Path::new(".")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Error::Worker)
}

/// Reads events on a thread, so that waiting for one can time out. The channel closes when the worker ends.
fn watch(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            if let Some(at) = line.iter().position(|it| *it == 1) {
                let event = String::from_utf8_lossy(&line[at + 1..]).trim_end_matches('\n').to_owned();
                if sender.send(event).is_err() {
                    break;
                }
            }
            line.clear();
        }
    });
    receiver
}

impl Progress {
    fn threw(&mut self, number: &str, message: &str) {
        let line = number.parse().ok().and_then(|it: usize| self.expressions.get(it)).map_or(0, |it| it.line);
        self.thrown.push((line, message.to_owned()));
    }

    /// Notes an event `site OUTCOME FILE LINE TEXT`, separated by tabs. Sites of included files do not count here.
    fn site(&mut self, event: &str) {
        let fields: Vec<&str> = event.splitn(5, '\t').collect();
        let &[_, kind, file, line, text] = fields.as_slice() else { return };
        let Ok(line) = line.parse::<u32>() else { return };
        if Path::new(file) != self.path {
            return;
        }
        if kind == "outside" {
            self.thrown.push((line, text.to_owned()));
        } else if let Some(outcome) = SiteOutcome::from_name(kind) {
            let known = self.lines.entry(line).or_insert((SiteOutcome::Pass, String::new()));
            if outcome > known.0 {
                *known = (outcome, text.to_owned());
            }
        }
    }

    fn result(self, name: &str, time: Duration) -> FileResult {
        let lines = &self.lines;
        let sites = self
            .expressions
            .iter()
            .flat_map(|expression| {
                expression.sites.iter().map(move |&line| match (&expression.syntax_error, lines.get(&line)) {
                    (Some(error), _) => {
                        TestSite { line, outcome: SiteOutcome::Unparsed, text: error.clone() }
                    }
                    (None, Some((outcome, text))) => TestSite { line, outcome: *outcome, text: text.clone() },
                    (None, None) => TestSite { line, outcome: SiteOutcome::NotReached, text: String::new() },
                })
            })
            .collect();
        FileResult { name: name.to_owned(), sites, crashes: self.crashes, thrown: self.thrown, time }
    }
}
