//! `julia-tests`: runs the `test` folder of a Julia checkout; `scripts/julia_tests.sh` is the way to start it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use kiln::ProcessAllocator;
use kiln_oracle::error::Error;
use kiln_oracle::julia_tests::outcome::Outcome;
use kiln_oracle::julia_tests::scores::{self, Counts};
use kiln_oracle::julia_tests::supervisor::{FileResult, Limits, run_file};
use kiln_oracle::julia_tests::worker;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Interpreted recursion uses the native stack, as in the `kiln` command.
const STACK_BYTES: usize = 1 << 30;

/// Files that a whole run leaves out, as Julia's own runner does, each with its reason. Named on the command line, they run.
const LEFT_OUT: [(&str, &str); 1] = [(
    "threadpool_latency.jl",
    "measures delays of 0.15 s between tasks that draw 2,100,000,000 random numbers",
)];

const USAGE: &str = "usage: julia-tests FOLDER [FILE...] [options]
  FOLDER            the `test` folder of a Julia checkout
  FILE              relative to it (int.jl, strings/basic.jl); default: every file with sites that
                    Julia's runner runs
  --show OUTCOMES   print sites with these outcomes: wrong,no-exception,exception,no-name,refused,not-reached,unparsed,all;
                    and crashes and exceptions outside tests
  --check SCORES    compare with recorded scores; a count that got worse is a failure
  --record SCORES   write scores
  --table FILE      write the table
  --prelude NAME    what is defined before a file runs: `juliasyntax`, a module `JuliaSyntax` over kiln's parser
  --jobs N          files at a time (default 2)
  --limit SECONDS   for one top-level expression (default 300)";

/// The process that evaluates a file is started with these.
const WORKER_USAGE: &str = "usage: julia-tests worker FILE FIRST SKIPPED PRELUDE";

#[global_allocator]
static ALLOCATOR: ProcessAllocator = ProcessAllocator;

#[derive(Debug, Default)]
struct Options {
    folder: PathBuf,
    files: Vec<String>,
    show: Vec<String>,
    check: Option<PathBuf>,
    record: Option<PathBuf>,
    table: Option<PathBuf>,
    jobs: usize,
    limit: u64,
    prelude: String,
}

fn main() -> ExitCode {
    ProcessAllocator::adopt();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ended = if args.first().is_some_and(|it| it == "worker") {
        stacker::grow(STACK_BYTES, || work(&args[1..])).map(|()| true)
    } else {
        options(&args).and_then(|it| supervise(&it))
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("julia-tests: {message}");
            ExitCode::from(2)
        }
    }
}

fn work(args: &[String]) -> Result<(), Error> {
    let [file, first, skipped, prelude] = args else {
        return Err(Error::Usage(WORKER_USAGE));
    };
    let first = first.parse().map_err(|_| Error::Usage(WORKER_USAGE))?;
    let skipped: HashSet<usize> = skipped.split(',').filter_map(|it| it.parse().ok()).collect();
    worker::run(Path::new(file), first, &skipped, prelude == "juliasyntax")
}

fn options(args: &[String]) -> Result<Options, Error> {
    let mut found = Options { jobs: 2, limit: 300, ..Options::default() };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if !arg.starts_with("--") {
            if found.folder.as_os_str().is_empty() {
                found.folder = PathBuf::from(arg);
            } else {
                found.files.push(arg.clone());
            }
            continue;
        }
        let value = rest.next().ok_or(Error::Usage(USAGE))?;
        match arg.as_str() {
            "--show" => found.show = value.split(',').map(str::to_owned).collect(),
            "--check" => found.check = Some(value.into()),
            "--record" => found.record = Some(value.into()),
            "--table" => found.table = Some(value.into()),
            "--prelude" if value == "juliasyntax" => found.prelude.clone_from(value),
            "--jobs" => found.jobs = value.parse().map_err(|_| Error::Usage(USAGE))?,
            "--limit" => found.limit = value.parse().map_err(|_| Error::Usage(USAGE))?,
            _ => return Err(Error::Usage(USAGE)),
        }
    }
    if found.folder.as_os_str().is_empty() {
        return Err(Error::Usage(USAGE));
    }
    found.folder = std::path::absolute(&found.folder).map_err(Error::at(&found.folder))?;
    Ok(found)
}

/// Runs the files; `false` if a score got worse.
fn supervise(options: &Options) -> Result<bool, Error> {
    let files = if options.files.is_empty() { every_file(&options.folder)? } else { options.files.clone() };
    let results = run_all(options, &files)?;
    let mut counts = BTreeMap::new();
    for result in &results {
        show(options, result);
        counts.insert(result.name.clone(), Counts::from_result(result));
    }
    let table = scores::table(&counts);
    print!("{table}");
    if let Some(path) = &options.table {
        write(path, &table)?;
    }
    if let Some(path) = &options.record {
        write(path, &scores::write(&counts))?;
    }
    let Some(path) = &options.check else { return Ok(true) };
    let text = std::fs::read_to_string(path).map_err(Error::at(path))?;
    let recorded = scores::read(&text)?;
    let mut good = true;
    for (name, counts) in &counts {
        for regression in recorded.get(name).map(|it| counts.regressions(it)).unwrap_or_default() {
            println!("worse: {name}: {regression}");
            good = false;
        }
    }
    Ok(good)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::at(path))
}

/// The files of a `test` folder that Julia's runner runs, its `strings` folder included.
fn every_file(folder: &Path) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for (dir, prefix) in [(folder.to_owned(), ""), (folder.join("strings"), "strings/")] {
        let entries = std::fs::read_dir(&dir).map_err(Error::at(&dir))?;
        for entry in entries {
            let name = entry.map_err(Error::at(&dir))?.file_name().to_string_lossy().into_owned();
            if let Some((_, why)) = LEFT_OUT.iter().find(|it| it.0 == name) {
                eprintln!("{prefix}{name}: skipped, as by Julia's runner: {why}");
            } else if name.ends_with(".jl") {
                found.push(format!("{prefix}{name}"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn run_all(options: &Options, files: &[String]) -> Result<Vec<FileResult>, Error> {
    let limits = Limits {
        expression: Duration::from_secs(options.limit),
        file: Duration::from_secs(options.limit * 10),
        memory_kib: 12 << 20,
        prelude: options.prelude.clone(),
    };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(name) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run_file(&options.folder, name, &limits);
                    if let Ok(it) = &result {
                        let (pass, all) = (it.count(Outcome::Pass), it.sites.len());
                        eprintln!("{name}: {pass} of {all} sites, {:.1} s", it.time.as_secs_f64());
                    }
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut results: Vec<FileResult> = results.into_iter().collect::<Result<_, _>>()?;
    results.retain(|it| !it.sites.is_empty());
    results.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(results)
}

fn show(options: &Options, result: &FileResult) {
    if options.show.is_empty() {
        return;
    }
    let name = &result.name;
    let all = options.show.iter().any(|it| it == "all");
    for site in &result.sites {
        let shown =
            all && site.outcome != Outcome::Pass || options.show.iter().any(|it| it == site.outcome.name());
        if shown {
            println!("{name}:{}: {}: {}", site.line, site.outcome.name(), site.text);
        }
    }
    for (line, why) in &result.crashes {
        println!("{name}:{line}: crash: {why}");
    }
    for (line, why) in &result.thrown {
        println!("{name}:{line}: outside a test: {why}");
    }
}
