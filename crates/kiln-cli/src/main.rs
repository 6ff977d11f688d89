//! The `kiln` command.
//!
//! Exit codes: 0, 1 the program failed, 2 usage, 141 nobody reads the output any more. The only crate that prints.

mod bug;
mod cache;
mod cli;
mod codegen;
mod compile;
mod describe;
mod image;
mod json;
mod report;
mod terminal;
mod trace;

use bug::Panics;
use clap::Parser;
use cli::{Cli, Command, Stage, TimingsFormat};
use kiln::{DeviceChoice, Failure, ProcessAllocator, ReflectStage, Session, SessionOptions};
use std::io::IsTerminal;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use terminal::{complain, say};

/// Interpreted recursion uses the native stack; 10,000 Julia frames need more than a main thread has.
const STACK_BYTES: usize = 1 << 30;

/// 128 and the number of `SIGPIPE`.
const OUTPUT_CLOSED: u8 = 141;

#[global_allocator]
static ALLOCATOR: ProcessAllocator = ProcessAllocator;

fn main() -> ExitCode {
    ProcessAllocator::adopt();
    let cli = Cli::parse();
    let panics = Panics::watch();
    // On this thread, whose allocations are the cheapest. The stack is address space only: pages are committed when touched.
    let work = AssertUnwindSafe(|| stacker::grow(STACK_BYTES, || run(cli, &panics)));
    catch_unwind(work).unwrap_or_else(|payload| {
        panics.tell(&kiln::Bug::of(payload).to_string());
        ExitCode::from(1)
    })
}

fn run(cli: Cli, panics: &Panics) -> ExitCode {
    let Some(plan) = cli.plan() else {
        complain("kiln: nothing to do; try `kiln run FILE.jl`, `kiln -e CODE` or `kiln --help`");
        return ExitCode::from(2);
    };
    let done = match &plan {
        Command::Report(args) => Ok(report::report(args)),
        Command::Image(args) => image::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Targets(args) => compile::targets(args),
        Command::Cache(args) => cache::run(args),
        Command::Codegen(args) => codegen::run(args),
        Command::Run { .. } | Command::Eval { .. } | Command::Reflect { .. } => run_program(&plan, panics),
    };
    done.unwrap_or_else(|it| fail(&it, panics))
}

/// Runs what runs a program.
fn run_program(plan: &Command, panics: &Panics) -> Result<ExitCode, Failure> {
    // The process ends with it: to free object by object what the system frees at once takes as long as starting.
    let session = ManuallyDrop::new(Session::new(session_options(plan)?)?);
    if matches!(plan, Command::Run { verbose: true, .. }) {
        let (name, target) = session.device();
        complain(&format!("kiln: kernels run on {name} ({target})"));
    }
    let outcome = match plan {
        Command::Run { file, .. } => session.run_file(file),
        Command::Eval { code } => session.run_text("none", code),
        Command::Reflect { stage, file, signature, .. } => {
            session.reflect(reflect_stage(*stage), file, signature).map(|it| say(&it))
        }
        Command::Report(_)
        | Command::Compile(_)
        | Command::Targets(_)
        | Command::Cache(_)
        | Command::Codegen(_)
        | Command::Image(_) => Ok(()), // run no program
    };
    if session.driver().verifies_store() {
        let _ = session.close_store(); // writing is what compares: it is told below
    }
    if let Some(format) = plan.timings() {
        tell_timings(&session, &format)?;
    }
    if std::env::var_os("KILN_HOT").is_some() {
        complain(&session.hot_code());
    }
    let closed = session.close_store();
    for warning in session.warnings() {
        complain(&format!("kiln: warning: {warning}"));
    }
    if let Err(problem) = closed {
        complain(&format!("error[cache-differs]: {problem}"));
        return Ok(ExitCode::from(1));
    }
    Ok(match outcome {
        Ok(()) => session.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from),
        Err(failure) if failure.is_bug => fail(&failure, panics),
        // As a process that the system ends for it: `yes | head` says nothing either.
        Err(_) if session.is_output_closed() => ExitCode::from(OUTPUT_CLOSED),
        Err(failure) => session.exit_code().map_or_else(|| fail(&failure, panics), ExitCode::from),
    })
}

/// What the session of a program is started with.
fn session_options(plan: &Command) -> Result<SessionOptions, Failure> {
    let (device, image) = match plan {
        Command::Run { device, image, .. } => (*device, image.clone()),
        Command::Eval { .. }
        | Command::Reflect { .. }
        | Command::Report(_)
        | Command::Compile(_)
        | Command::Targets(_)
        | Command::Cache(_)
        | Command::Codegen(_)
        | Command::Image(_) => (None, None),
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
    Ok(SessionOptions {
        args: plan.args().to_vec(),
        program: plan.file().unwrap_or_default().into(),
        color: std::io::stderr().is_terminal() && !no_color,
        store: cache::options()?,
        image,
        trace: matches!(plan.timings(), Some(TimingsFormat::Trace(_))),
        device: device.unwrap_or(DeviceChoice::Auto),
        ..SessionOptions::default()
    })
}

fn tell_timings(session: &Session, format: &TimingsFormat) -> Result<(), Failure> {
    match format {
        TimingsFormat::Text => complain(&session.timings().to_text(&session.compilations())),
        TimingsFormat::Json => complain(&session.timings().to_json(&session.compilations())),
        TimingsFormat::Trace(file) => trace::write(session, file.as_deref())?,
    }
    Ok(())
}

fn reflect_stage(stage: Stage) -> ReflectStage {
    match stage {
        Stage::Lowered => ReflectStage::Lowered,
        Stage::Typed => ReflectStage::Typed,
        Stage::Emitted => ReflectStage::Emitted,
        Stage::Llvm => ReflectStage::Llvm,
        Stage::Native => ReflectStage::Native,
    }
}

fn fail(failure: &Failure, panics: &Panics) -> ExitCode {
    if failure.is_bug {
        panics.tell(&failure.message);
    } else {
        complain(&failure.message);
    }
    ExitCode::from(if failure.is_usage { 2 } else { 1 })
}
