//! The `kiln` command.
//!
//! Exit codes: 0, 1 the program failed, 2 usage, 141 the output's reader is gone. The only crate that prints.

mod bug;
mod build;
mod cache;
mod cli;
mod code_args;
mod codegen;
mod compile;
mod describe;
mod divergence;
mod environment;
mod failures;
mod image;
mod json;
mod metallib;
mod pkg;
mod remote;
mod report;
mod suite;
mod targets;
mod terminal;
mod timings_format;
mod trace;

use bug::Panics;
use cli::{Cli, Command, Stage};
use kiln::{
    Backend, CheckBounds, CheckFinding, DeviceChoice, Error, ProcessAllocator, ReflectStage, Session,
    SessionOptions, ShownFor,
};
use std::io::{IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use suite::Suite;
use terminal::{complain, say};
use timings_format::TimingsFormat;

/// Interpreted recursion uses the native stack; 10,000 Julia frames need more than a main thread has.
const STACK_BYTES: usize = 64 << 20;

/// 128 and the number of `SIGPIPE`.
const OUTPUT_CLOSED: u8 = 141;

#[global_allocator]
static ALLOCATOR: ProcessAllocator = ProcessAllocator;

fn main() -> ExitCode {
    ProcessAllocator::adopt();
    let cli = Cli::read();
    let panics = Panics::watch();
    // On this thread, whose allocations are the cheapest. The stack is address space only: pages are committed when touched.
    let work = AssertUnwindSafe(|| stacker::grow(STACK_BYTES, || run(cli, &panics)));
    catch_unwind(work).unwrap_or_else(|payload| {
        panics.report(&kiln::Bug::from_panic(payload).to_string());
        ExitCode::from(1)
    })
}

fn run(cli: Cli, panics: &Panics) -> ExitCode {
    let given_bounds = cli.every.check_bounds;
    if let Some(project) = &cli.every.project {
        environment::set_project(project.clone());
    }
    let check_bounds = given_bounds.unwrap_or_default();
    let Some(plan) = cli.plan() else {
        complain("kiln: nothing to do; try `kiln run FILE.jl`, `kiln -e CODE` or `kiln --help`");
        return ExitCode::from(2);
    };
    remote::set_program(plan.file());
    let done = match &plan {
        Command::Report(args) => Ok(report::report(args)),
        Command::Image(args) => image::run(args),
        Command::Compile(args) => compile::run(args, check_bounds),
        Command::Build(args) => build::run(args, check_bounds),
        Command::Pkg(args) => pkg::run(args),
        Command::Targets(args) => targets::run(args),
        Command::Metallib(args) => metallib::run(args),
        Command::Cache(args) => cache::run(args),
        Command::Codegen(args) => codegen::run(args),
        Command::Run(_) | Command::Eval { .. } | Command::Reflect { .. } => {
            run_program(&plan, None, check_bounds, panics)
        }
        // As in Julia, where `@inbounds` of what is tested would hide an error.
        Command::Test(args) => Suite::open(&args.place).and_then(|suite| {
            run_program(&plan, Some(&suite), given_bounds.unwrap_or(CheckBounds::Yes), panics)
        }),
    };
    done.unwrap_or_else(|it| fail(&plan, &it, panics))
}

/// Closes the store when dropped, also by a panic: no thread may be in LLVM when the process ends, which takes LLVM apart.
struct Closes<'a>(&'a Session);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        let _ = self.0.close_store();
    }
}

/// Runs the program of a command, whose text has been read.
fn execute(session: &Session, plan: &Command, suite: Option<&Suite>, text: &str) -> Result<(), Error> {
    match plan {
        Command::Run(args) => match &args.device_code {
            Some(folder) => {
                run_watched(session, (&args.file, text), (folder, &args.device_code_for), args.json)
            }
            None => session.run_source(&args.file, text),
        },
        Command::Test(_) => suite.map_or(Ok(()), |it| it.run(session, plan.json())),
        Command::Eval { code } => session.run_text("none", code),
        Command::Reflect { stage, target, file, signature, json, .. } => {
            reflect(session, *stage, target.as_deref(), (file, signature), *json)
        }
        Command::Report(_)
        | Command::Compile(_)
        | Command::Build(_)
        | Command::Pkg(_)
        | Command::Targets(_)
        | Command::Cache(_)
        | Command::Codegen(_)
        | Command::Metallib(_)
        | Command::Image(_) => Ok(()), // run no program
    }
}

/// Runs the commands that run a program.
fn run_program(
    plan: &Command,
    suite: Option<&Suite>,
    check_bounds: CheckBounds,
    panics: &Panics,
) -> Result<ExitCode, Error> {
    let options = session_options(plan)?.check_bounds(check_bounds);
    let text = program_text(plan)?;
    // A watch begins after the packages that a session begins with.
    let is_watched = matches!(plan, Command::Run(args) if args.device_code.is_some());
    let options = options.keeps_packages_of(text.clone().filter(|_| !is_watched));
    let options = suite.map_or(Ok(options.clone()), |it| it.enter(options))?;
    // The process ends with it: to free object by object what the system frees at once takes as long as starting.
    let session = ManuallyDrop::new(Session::new(options)?);
    let _closes = Closes(&session);
    if matches!(plan, Command::Run(args) if args.verbose) {
        let (name, target) = session.device();
        complain(&format!("kiln: kernels run on {name} ({target})"));
    }
    // Packages may have ended the process before the program began.
    let is_over = session.exit_code().is_some();
    let outcome = if is_over { Ok(()) } else { execute(&session, plan, suite, &text.unwrap_or_default()) };
    let ended = session.run_exit_functions(outcome.is_err());
    let outcome = outcome.and(ended).and(session.finish_compiling());
    // Writing may compare, and what the background has finished counts.
    let closed = session.close_store();
    if let Some(format) = plan.timings() {
        report_timings(&session, &format)?;
    }
    if std::env::var_os("KILN_HOT").is_some() {
        complain(&session.hot_code());
    }
    let found = report_findings(&session, plan.json());
    failures::warn(&session.warnings(), plan.json());
    if let Err(problem) = closed {
        let text = || format!("error[{}]: {problem}", problem.code);
        complain(&if plan.json() { failures::line(&problem) } else { text() });
        return Ok(ExitCode::from(1));
    }
    if found && outcome.is_ok() {
        return Ok(ExitCode::from(1));
    }
    Ok(match outcome {
        Ok(()) => session.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from),
        Err(failure) if failure.is_bug() => fail(plan, &failure, panics),
        // As a process that the system ends for it: `yes | head` says nothing either.
        Err(_) if session.is_output_closed() => ExitCode::from(OUTPUT_CLOSED),
        Err(failure) => session.exit_code().map_or_else(|| fail(plan, &failure, panics), ExitCode::from),
    })
}

/// Returns the session options of a command.
fn session_options(plan: &Command) -> Result<SessionOptions, Error> {
    let (on, image) = if let Command::Run(args) = plan {
        (Some(&args.device), args.image.clone())
    } else if let Command::Test(args) = plan {
        (Some(&args.device), None)
    } else {
        (None, None)
    };
    let checks = on.and_then(|it| it.check).unwrap_or_default();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
    let mut options = environment::options()?
        .args(plan.args())
        .program(plan.file().unwrap_or_default())
        .color(std::io::stderr().is_terminal() && !no_color)
        .image(image)
        .checks(checks)
        .times_interpreter(plan.timings().is_some())
        .times_bodies(std::env::var_os("KILN_HOT").is_some())
        .trace(matches!(plan.timings(), Some(TimingsFormat::Trace(_))));
    if let Command::Run(args) = plan
        && let Some(bytes) = args.heap_size_hint
    {
        options = options.heap_size_hint(bytes);
    }
    let Some(on) = on else { return Ok(options) };
    // `auto` follows the environment too.
    if let Some(device) = on.device.filter(|it| *it != DeviceChoice::Auto) {
        options = options.device(device);
    }
    if !on.device_library.is_empty() {
        options = options.device_libraries(on.device_library.clone());
    }
    Ok(options.imitate(on.imitated.clone()))
}

/// The text of the program that a command runs. It is read once, since it may be a pipe.
fn program_text(plan: &Command) -> Result<Option<String>, Error> {
    if let Command::Run(args) = plan {
        return kiln::read_program(&args.file).map(Some);
    }
    Ok(if let Command::Eval { code } = plan { Some(code.clone()) } else { None })
}

fn report_timings(session: &Session, format: &TimingsFormat) -> Result<(), Error> {
    match format {
        TimingsFormat::Text => complain(&session.timings().to_text(&session.compilations())),
        TimingsFormat::Json => complain(&session.timings().to_json(&session.compilations())),
        TimingsFormat::Trace(file) => trace::write(session, file.as_deref())?,
    }
    Ok(())
}

/// Writes what the checks of kernels have found; true if that is anything.
fn report_findings(session: &Session, json: bool) -> bool {
    let found = CheckFinding::of_session(session);
    for finding in &found {
        if json {
            complain(&failures::finding_line(finding));
        } else {
            complain(&finding.to_string());
        }
    }
    !found.is_empty()
}

/// Returns the stage, unless it is an analysis, and the back end that it belongs to.
fn reflect_stage(stage: Stage) -> (Option<ReflectStage>, Option<Backend>) {
    match stage {
        Stage::Lowered => (Some(ReflectStage::Lowered), None),
        Stage::Typed => (Some(ReflectStage::Typed), None),
        Stage::Warntype => (Some(ReflectStage::Warntype), None),
        Stage::Emitted => (Some(ReflectStage::Emitted), None),
        Stage::Llvm => (Some(ReflectStage::Llvm), None),
        Stage::Bitcode => (Some(ReflectStage::Bitcode), None),
        Stage::Native => (Some(ReflectStage::Native), None),
        Stage::Regions => (Some(ReflectStage::Regions), None),
        Stage::Divergence => (None, None),
        Stage::Ptx => (Some(ReflectStage::Native), Some(Backend::new("ptx"))),
        Stage::Gcn => (Some(ReflectStage::Native), Some(Backend::new("gcn"))),
        Stage::Spirv => (Some(ReflectStage::Native), Some(Backend::new("spirv"))),
        Stage::Air => (Some(ReflectStage::Native), Some(Backend::new("metal"))),
        Stage::Bpf => (Some(ReflectStage::Native), Some(Backend::new("bpf"))),
    }
}

/// Shows a stage of a function.
fn reflect(
    session: &Session,
    stage: Stage,
    target: Option<&str>,
    (file, signature): (&str, &str),
    json: bool,
) -> Result<(), Error> {
    let (stage, backend) = reflect_stage(stage);
    let shown_for = match (target, backend) {
        (Some(target), backend) => ShownFor::Target(target.into(), backend),
        (None, Some(backend)) => ShownFor::Backend(backend),
        (None, None) => ShownFor::Launch,
    };
    let Some(stage) = stage else {
        let loops = session.divergence(&shown_for, file, signature)?;
        let source = |file: &str| std::fs::read_to_string(file).ok();
        say(&if json { divergence::json(&loops).to_line() } else { divergence::text(&loops, source) });
        return Ok(());
    };
    if stage == ReflectStage::Bitcode && std::io::stdout().is_terminal() {
        return Err(Error::usage("error: this is not text: send it to a file"));
    }
    let shown = session.reflect(stage, &shown_for, file, signature)?;
    match String::from_utf8(shown) {
        Ok(text) if stage != ReflectStage::Bitcode => say(&text),
        Ok(text) => _ = std::io::stdout().write_all(text.as_bytes()),
        Err(bytes) => _ = std::io::stdout().write_all(bytes.as_bytes()),
    }
    Ok(())
}

/// Runs a program and writes the stages of its kernels.
fn run_watched(
    session: &Session,
    (file, text): (&str, &str),
    (folder, targets): (&std::path::Path, &[String]),
    json: bool,
) -> Result<(), Error> {
    session.begin_watch();
    let outcome = session.run_source(file, text);
    let (kernels, problems) = session.write_device_code(folder, targets)?;
    failures::warn(&problems, json);
    outcome?;
    if kernels == 0 {
        return Err(Error::program("error: no kernels executed: there is no device code to write"));
    }
    Ok(())
}

/// Ends a command that failed. With `--json`, programs that were run have the line on standard error, since standard output is
/// theirs; other commands have it on standard output.
fn fail(plan: &Command, failure: &Error, panics: &Panics) -> ExitCode {
    let has_program_output = matches!(plan, Command::Run(_) | Command::Test(_) | Command::Reflect { .. });
    // `compile` has written it, with what did compile.
    if plan.json() && !matches!(plan, Command::Compile(_)) {
        let write = if has_program_output { complain } else { say };
        write(&failures::line(failure));
    }
    if failure.is_bug() {
        panics.report(&failure.message);
    } else if !(plan.json() && has_program_output) {
        complain(&failure.message);
    }
    ExitCode::from(if failure.is_usage() { 2 } else { 1 })
}
