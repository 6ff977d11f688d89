//! `kiln compile`: functions of a file, compiled ahead of time for one target or many.
//!
//! Errors of the command line are reported before anything runs; after that each job succeeds or fails by itself.

pub(crate) mod given;
mod written;

pub(crate) use written::write_file;

use crate::cli::CompileArgs;
use crate::environment;
use crate::failures;
use crate::json::Json;
use crate::terminal::{complain, say};
use crate::timings_format::TimingsFormat;
use indicatif::{ProgressBar, ProgressStyle};
use kiln::compile::{CompileOptions, Compiled};
use kiln::{CheckBounds, Error, Session};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The interval between redraws of the bar.
const TICK: Duration = Duration::from_millis(80);

/// One thing to compile.
struct Job<'a> {
    signature: &'a str,
    /// The target as given.
    target: &'a str,
    options: CompileOptions,
}

/// The result of a job.
struct Outcome<'a> {
    job: &'a Job<'a>,
    result: Result<Compiled, Error>,
    took: Duration,
}

/// Runs `kiln compile ...`.
pub(crate) fn run(args: &CompileArgs, check_bounds: CheckBounds) -> Result<ExitCode, Error> {
    let done = compile(args, check_bounds);
    if args.json
        && let Err(failure) = &done
    {
        say(&Json::Object(vec![("compiled", Json::List(Vec::new())), ("error", failures::to_json(failure))])
            .to_line());
    }
    done
}

fn compile(args: &CompileArgs, check_bounds: CheckBounds) -> Result<ExitCode, Error> {
    given::check(args)?;
    let color =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let mut options = environment::options()?
        .program(&args.file)
        .color(color)
        .trace(matches!(args.timings, Some(TimingsFormat::Trace(_))))
        .image(args.image.clone())
        .output_to_stderr(true)
        .codegen_limit(args.timeout.map(Duration::from_secs))
        .check_bounds(check_bounds);
    if args.isolate.is_some() {
        options = options.isolation(args.isolate);
    }
    if !args.kernel.device_library.is_empty() {
        options = options.device_libraries(args.kernel.device_library.clone());
    }
    let session = Session::new(options)?;
    let jobs = given::jobs(&session, args)?;
    session.run_file(&args.file)?;
    let outcomes = compile_all(&session, &jobs)?;
    let closed = session.close_store();
    let written = written::write_all(args, &outcomes);
    if let Some(path) = &args.sites {
        let described = crate::describe::report(outcomes.iter().filter_map(|it| it.result.as_ref().ok()));
        let failed = |it: std::io::Error| Error::usage(format!("error: {}: {it}", path.display()));
        std::fs::write(path, described.to_line()).map_err(failed)?;
    }
    if let Some(format) = &args.timings {
        crate::report_timings(&session, format)?;
    }
    failures::warn(&session.warnings(), args.json);
    if args.json {
        say(&report(&outcomes, &written).to_line());
    }
    let failures: Vec<&Error> = outcomes
        .iter()
        .zip(&written)
        .filter_map(|(outcome, file)| outcome.result.as_ref().err().or(file.as_ref().err()))
        .collect();
    for (outcome, file) in outcomes.iter().zip(&written) {
        if let Some(failure) = outcome.result.as_ref().err().or(file.as_ref().err()) {
            complain(&format!("{} for {}:\n{}", outcome.job.signature, outcome.job.target, failure.message));
        }
    }
    if let Err(problem) = closed {
        return Err(Error::program(format!("error[cache-differs]: {problem}")));
    }
    let worst = if failures.iter().any(|it| it.is_usage()) { 2 } else { 1 };
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(worst) })
}

fn compile_all<'a>(session: &Session, jobs: &'a [Job<'a>]) -> Result<Vec<Outcome<'a>>, Error> {
    let bar = ProgressBar::new(jobs.len() as u64); // hidden where standard error is no terminal
    let style = ProgressStyle::with_template("{spinner} {elapsed} {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(TICK);
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in jobs {
        bar.set_message(format!("{} for {}", job.signature, job.target));
        let started = Instant::now();
        let result = session.compile(job.signature, &job.options);
        if let Err(failure) = &result
            && failure.is_bug()
        {
            bar.finish_and_clear();
            return Err(failure.clone());
        }
        outcomes.push(Outcome { job, result, took: started.elapsed() });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(outcomes)
}

fn report(outcomes: &[Outcome<'_>], written: &[Result<Option<PathBuf>, Error>]) -> Json {
    let each = outcomes.iter().zip(written).map(|(outcome, file)| {
        let mut fields = vec![
            ("signature", outcome.job.signature.into()),
            ("target", outcome.job.target.into()),
            ("seconds", Json::Number(outcome.took.as_secs_f64())),
        ];
        match (&outcome.result, file) {
            (Ok(made), Ok(path)) => {
                fields.push(("symbol", made.symbol.as_str().into()));
                fields.push(("bytes", (made.bytes.len() as u64).into()));
                fields.extend(path.as_ref().map(|it| ("file", it.display().to_string().into())));
                fields.extend(made.description.as_ref().map(|it| ("entry", entry(&it.entry))));
                fields
                    .extend(made.description.as_ref().map(|it| ("sites", crate::describe::sites(&it.sites))));
            }
            (Err(failure), _) | (Ok(_), Err(failure)) => fields.push(("error", failures::to_json(failure))),
        }
        Json::Object(fields)
    });
    Json::Object(vec![("compiled", Json::List(each.collect()))])
}

/// The calling convention of an entry: the place of each argument in the block, the function's own value first.
fn entry(params: &kiln::targets::DeviceParams) -> Json {
    let place = |it: &kiln::targets::OperandPlace| {
        Json::Object(vec![("offset", u64::from(it.offset).into()), ("size", u64::from(it.size).into())])
    };
    Json::Object(vec![
        ("abi", params.abi.name().into()),
        ("takes_state", params.takes_state.into()),
        ("args_bytes", u64::from(params.bytes).into()),
        ("args", Json::List(params.args.iter().map(place).collect())),
        ("result_bytes", u64::from(params.result_bytes).into()),
        ("frame_bytes", u64::from(params.frame_bytes).into()),
    ])
}
