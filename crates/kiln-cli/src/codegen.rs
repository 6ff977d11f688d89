//! `kiln codegen`: the code generator by itself, as a process that answers requests, or for one that it failed at.

use crate::cli::{CodegenArgs, CodegenCommand};
use crate::terminal::{complain, say};
use kiln::Failure;
use std::process::ExitCode;

/// Runs `kiln codegen ...`.
pub(crate) fn run(args: &CodegenArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        CodegenCommand::Serve { library } => {
            kiln::serve_codegen(library).map_err(|it| Failure::program(format!("error: {it}")))?;
        }
        CodegenCommand::Replay { request } => {
            let failed = |it: String| Failure::usage(format!("error: {}: {it}", request.display()));
            let bytes = std::fs::read(request).map_err(|it| failed(it.to_string()))?;
            complain("kiln: the code generator is asked in this process; if it ends, that was the failure");
            let outcome = kiln::replay_codegen(&bytes).map_err(failed)?;
            say(&outcome);
        }
    }
    Ok(ExitCode::SUCCESS)
}
