//! `kiln codegen`: the code generator by itself, as a process that answers requests, or for one that it failed at.

use crate::cli::{CodegenArgs, CodegenCommand};
use crate::environment::{codegen, traces_panics};
use crate::terminal::{complain, say};
use kiln::Error;
use std::process::ExitCode;

/// Runs `kiln codegen ...`.
pub(crate) fn run(args: &CodegenArgs) -> Result<ExitCode, Error> {
    match &args.command {
        CodegenCommand::Serve { library } => {
            kiln::serve_codegen(library, traces_panics())
                .map_err(|it| Error::program(format!("error: {it}")))?;
        }
        CodegenCommand::Replay { request } => {
            let failed =
                |it: &dyn std::fmt::Display| Error::usage(format!("error: {}: {it}", request.display()));
            let bytes = std::fs::read(request).map_err(|it| failed(&it))?;
            complain("kiln: the code generator is asked in this process; if it ends, that was the failure");
            let outcome = kiln::replay_codegen(codegen().as_deref(), traces_panics(), &bytes);
            let outcome = outcome.map_err(|it| failed(&it))?;
            say(&outcome);
        }
    }
    Ok(ExitCode::SUCCESS)
}
