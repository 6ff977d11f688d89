//! `kiln compile`: functions of a file, compiled ahead of time for one target or many. `kiln targets`: which there are.

use crate::cache;
use crate::cli::{CompileArgs, EmitArg, TargetsArgs, TimingsFormat};
use crate::json::Json;
use crate::terminal::{complain, say};
use indicatif::{ProgressBar, ProgressStyle};
use kiln::compile::{CompileOptions, Compiled, CompiledSite, Emit, Space};
use kiln::targets::{FAMILIES, Form, FoundDevice, TOOLS};
use kiln::{Failure, KernelOptions, Session, SessionOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How often the bar is drawn.
const TICK: Duration = Duration::from_millis(80);

/// One thing to compile.
struct Job<'a> {
    signature: &'a str,
    target: &'a str,
}

/// What became of it.
struct Outcome<'a> {
    job: &'a Job<'a>,
    result: Result<Compiled, Failure>,
    took: Duration,
}

/// Runs `kiln compile ...`.
pub(crate) fn run(args: &CompileArgs) -> Result<ExitCode, Failure> {
    let color =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let store = cache::options()?;
    let program = args.file.clone();
    let trace = matches!(args.timings, Some(TimingsFormat::Trace(_)));
    let options =
        SessionOptions { program, color, store, trace, output_to_stderr: true, ..SessionOptions::default() };
    let session = Session::new(options)?;
    session.run_file(&args.file)?;
    if args.name.is_some() && args.signatures.len() > 1 {
        return Err(Failure::usage("error: --name names one kernel, and there are several signatures"));
    }
    let jobs: Vec<Job<'_>> = args
        .signatures
        .iter()
        .flat_map(|signature| args.target.iter().map(move |target| Job { signature, target }))
        .collect();
    let outcomes = compile_all(&session, args, &jobs)?;
    let closed = session.close_store();
    let written = write_all(args, &outcomes)?;
    if let Some(format) = &args.timings {
        crate::tell_timings(&session, format)?;
    }
    for warning in session.warnings() {
        complain(&format!("kiln: warning: {warning}"));
    }
    if args.json {
        say(&report(&outcomes, &written).to_line());
    }
    let failures: Vec<&Failure> = outcomes.iter().filter_map(|it| it.result.as_ref().err()).collect();
    for outcome in &outcomes {
        if let Err(failure) = &outcome.result {
            complain(&format!("{} for {}:\n{}", outcome.job.signature, outcome.job.target, failure.message));
        }
    }
    if let Err(problem) = closed {
        return Err(Failure::program(format!("error[cache-differs]: {problem}")));
    }
    let worst = if failures.iter().any(|it| it.is_usage) { 2 } else { 1 };
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(worst) })
}

fn compile_all<'a>(
    session: &Session,
    args: &CompileArgs,
    jobs: &'a [Job<'a>],
) -> Result<Vec<Outcome<'a>>, Failure> {
    let bar = ProgressBar::new(jobs.len() as u64); // hidden where standard error is no terminal
    let style = ProgressStyle::with_template("{spinner} {elapsed} {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(TICK);
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in jobs {
        bar.set_message(format!("{} for {}", job.signature, job.target));
        let started = Instant::now();
        let options = compile_options(args, job.target)?;
        let result = session.compile(job.signature, &options);
        if let Err(failure) = &result
            && failure.is_bug
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

fn compile_options(args: &CompileArgs, target: &str) -> Result<CompileOptions, Failure> {
    let emit = match args.emit {
        None => Emit::Default,
        Some(EmitArg::Lowered) => Emit::Lowered,
        Some(EmitArg::Typed) => Emit::Typed,
        Some(EmitArg::Llvm) => Emit::Form(Form::Llvm),
        Some(EmitArg::Bitcode) => Emit::Form(Form::Bitcode),
        Some(EmitArg::Asm) => Emit::Form(Form::Assembly),
        Some(EmitArg::Obj) => Emit::Form(Form::Object),
        Some(EmitArg::Bin) => Emit::Form(Form::Binary),
    };
    let space = match (&args.groupsize, args.dims) {
        (Some(sizes), _) => Space::Groups(sizes.clone()),
        (None, Some(count)) => Space::Dimensions(count),
        (None, None) => Space::OfArguments,
    };
    let kernel = KernelOptions {
        always_inline: args.always_inline,
        opt_level: args.opt_level,
        debug_level: args.debug_level,
        fastmath: args.fastmath,
        items: sizes(args.minthreads.as_deref())?,
        items_max: sizes(args.maxthreads.as_deref())?,
        groups_min: args.blocks_per_sm,
        registers_max: args.maxregs,
        language: args.ptx.as_deref().map(version).transpose()?,
        code_object: args.code_object,
        extensions: args.extensions.clone().unwrap_or_default(),
        ..KernelOptions::default()
    };
    Ok(CompileOptions { target: target.into(), emit, name: args.name.clone(), space, kernel })
}

/// Up to three sizes; those that are not said are 1.
fn sizes(given: Option<&[u32]>) -> Result<Option<[u32; 3]>, Failure> {
    let Some(given) = given else { return Ok(None) };
    if given.is_empty() || given.len() > 3 || given.contains(&0) {
        return Err(Failure::usage("error: sizes are one to three positive numbers: 256, or 16,16"));
    }
    let mut sizes = [1; 3];
    sizes[..given.len()].copy_from_slice(given);
    Ok(Some(sizes))
}

/// `8.0` as 80.
fn version(text: &str) -> Result<u32, Failure> {
    let parsed = text.split_once('.').and_then(|(major, minor)| {
        let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
        (minor < 10).then_some(major.checked_mul(10)? + minor)
    });
    parsed.ok_or_else(|| Failure::usage(format!("error: `{text}` is no version: 8.0, say")))
}

/// Writes what was compiled: to standard output, to the file that was named, or to a file each.
fn write_all(args: &CompileArgs, outcomes: &[Outcome<'_>]) -> Result<Vec<Option<PathBuf>>, Failure> {
    let several = outcomes.len() > 1;
    let to_stdout = |made: &Compiled| match &args.out {
        Some(out) => out == Path::new("-"),
        None => !several && !args.json && made.is_text,
    };
    let mut written = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let Ok(made) = &outcome.result else {
            written.push(None);
            continue;
        };
        if to_stdout(made) {
            if !made.is_text && std::io::stdout().is_terminal() {
                return Err(Failure::usage("error: this is not text: name a file with -o"));
            }
            let _ = std::io::stdout().write_all(&made.bytes);
            written.push(None);
            continue;
        }
        // Several signatures of one function are told apart as the device tells them.
        let same = |it: &&Outcome<'_>| {
            let other = it.result.as_ref().ok().filter(|it| it.function == made.function);
            it.job.signature != outcome.job.signature && other.is_some()
        };
        let stem = if outcomes.iter().any(|it| same(&it)) { &made.symbol } else { &made.function };
        let name = format!("{}.{}.{}", file_name(stem), made.target, made.extension);
        let path = match &args.out {
            Some(out) if several || out.is_dir() => out.join(name),
            Some(out) => out.clone(),
            None => PathBuf::from(name),
        };
        let failed = |it: std::io::Error| Failure::program(format!("error: {}: {it}", path.display()));
        if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&path, &made.bytes).map_err(failed)?;
        if !args.json && args.out.as_ref() != Some(&path) {
            complain(&format!("{}: {} bytes", path.display(), made.bytes.len()));
        }
        written.push(Some(path));
    }
    Ok(written)
}

/// A function's name as files can be called.
fn file_name(function: &str) -> String {
    let kept = |it: char| if it.is_alphanumeric() || "_-!".contains(it) { it } else { '_' };
    function.chars().map(kept).collect()
}

fn report(outcomes: &[Outcome<'_>], written: &[Option<PathBuf>]) -> Json {
    let each = outcomes.iter().zip(written).map(|(outcome, path)| {
        let mut fields = vec![
            ("signature", outcome.job.signature.into()),
            ("target", outcome.job.target.into()),
            ("seconds", Json::Number(outcome.took.as_secs_f64())),
        ];
        match &outcome.result {
            Ok(made) => {
                fields.push(("symbol", made.symbol.as_str().into()));
                fields.push(("bytes", (made.bytes.len() as u64).into()));
                fields.extend(path.as_ref().map(|it| ("file", it.display().to_string().into())));
                let site = |it: &CompiledSite| {
                    Json::Object(vec![
                        ("site", u64::from(it.number).into()),
                        ("function", it.function.as_str().into()),
                        ("file", it.file.as_str().into()),
                        ("line", u64::from(it.line).into()),
                    ])
                };
                fields.push(("sites", Json::List(made.sites.iter().map(site).collect())));
            }
            Err(failure) => fields.push(("error", failure.message.as_str().into())),
        }
        Json::Object(fields)
    });
    Json::Object(vec![("compiled", Json::List(each.collect()))])
}

fn found_device(found: &FoundDevice) -> Json {
    let mut fields = vec![("device", found.name.as_str().into()), ("driver", found.interface.into())];
    match &found.target {
        Ok(target) => fields.push(("target", target.as_str().into())),
        Err(why) => fields.push(("unusable", why.as_str().into())),
    }
    Json::Object(fields)
}

/// Runs `kiln targets`.
pub(crate) fn targets(args: &TargetsArgs) -> Result<ExitCode, Failure> {
    let offered =
        kiln::targets::offered().map_err(|it| Failure::usage(format!("error: KILN_CODEGEN: {it}")))?;
    let families = FAMILIES.iter().map(|it| {
        let names: Vec<Json> = it.names.iter().map(|it| (*it).into()).collect();
        Json::Object(vec![
            ("names", it.pattern.into()),
            ("about", it.about.into()),
            ("known", Json::List(names)),
        ])
    });
    let of_others = offered.iter().map(|it| {
        Json::Object(vec![
            ("names", it.name.as_str().into()),
            ("about", format!("of the code generator in KILN_CODEGEN ({})", it.triple).into()),
            ("known", Json::List(vec![it.name.as_str().into()])),
        ])
    });
    let tools = TOOLS.iter().map(|it| {
        let found = it
            .find()
            .map_or_else(|| format!("not found; it is in {}", it.from), |it| it.display().to_string());
        Json::Object(vec![
            ("tool", it.name.into()),
            ("for", it.about.into()),
            ("found", found.into()),
            ("variable", it.variable.into()),
        ])
    });
    let all = Json::Object(vec![
        ("targets", Json::List(families.chain(of_others).collect())),
        ("devices", Json::List(kiln::targets::devices().iter().map(found_device).collect())),
        ("tools", Json::List(tools.collect())),
    ]);
    say(&if args.json { all.to_line() } else { all.to_text() });
    Ok(ExitCode::SUCCESS)
}
