//! Shows the stages of functions, and of the kernels that a program launched.

use crate::compile::{Space, entry_of};
use crate::signature::run_and_evaluate;
use crate::{Diagnostic, Error, Session};
use kiln_compile::{TargetError, target};
use kiln_exec::{ConfigId, KernelConfig, KernelOptions, dialect_tables};
use kiln_inspect::{ShownLoop, Stage, device_code_files, divergence, reflect};
use kiln_runtime::Value;
use kiln_targets::{Backend, TargetFacts};
use kiln_types::Type;
use std::path::Path;

/// The target of shown code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ShownFor {
    /// This machine's processor, or the target of the kernel's launch.
    #[default]
    Launch,
    /// The default target of this back end: the first one in the options, or a built-in one.
    Backend(Backend),
    /// The target of this name. If a back end is given too, it must be of that.
    Target(String, Option<Backend>),
}

/// Returns the subject of `reflect` in a file: a function, the types of its arguments, and how it is compiled.
fn shown_job(
    session: &Session,
    shown_for: &ShownFor,
    path: &str,
    signature: &str,
) -> Result<(Value, Type, Option<ConfigId>), Error> {
    let (function, args) = run_and_evaluate(session, path, signature)?;
    let Some(facts) = shown_target(session, shown_for)? else { return Ok((function, args, None)) };
    let (function, args) = session.alone(|| entry_of(session, function, args, &Space::OfArguments))?;
    let target = Some(session.rt.types.symbol(&facts.name));
    let options = KernelOptions { target, ..KernelOptions::default() };
    let method_tables = dialect_tables(&session.rt);
    let config = KernelConfig { method_tables, options };
    let config = session.exec_env().intern(&config).map_err(|it| Error::usage(it.to_string()))?;
    Ok((function, args, Some(config)))
}

impl Session {
    /// Shows a stage of a function of a file: `signature` is `f(T1, T2)`. The output is text, except for bitcode.
    ///
    /// # Errors
    /// When the file fails, the signature or the target is invalid, or the stage refuses the function.
    pub fn reflect(
        &self,
        stage: Stage,
        shown_for: &ShownFor,
        path: &str,
        signature: &str,
    ) -> Result<Vec<u8>, Error> {
        let (function, args, config) = shown_job(self, shown_for, path, signature)?;
        reflect_value(self, stage, function, args, config)
    }

    /// Shows how values differ between items that run together in a kernel of a file, by lines: `signature` is `f(T1, T2)`.
    ///
    /// # Errors
    /// When the file fails, the signature or the target is invalid, the target runs no items in loops, or the function does not
    /// compile.
    pub fn divergence(
        &self,
        shown_for: &ShownFor,
        path: &str,
        signature: &str,
    ) -> Result<Vec<ShownLoop>, Error> {
        let (function, args, config) = shown_job(self, shown_for, path, signature)?;
        let job = (self.rt.heap.dispatch_type(function), args);
        self.alone(|| {
            divergence(&self.exec_env(), job, config)
                .map_err(|it| Error::of_inspection(self.driver().compiler(), &self.front, &it))
        })
    }

    /// From now on takes notes of the kernels that the program asks for.
    pub fn begin_watch(&self) {
        self.driver().exec().notes.watches.begin();
    }

    /// Writes files that show the kernels launched since [`Self::begin_watch`], one file per stage, for the device
    /// they run on or for the named targets. Returns the number of kernels, and the failures.
    ///
    /// # Errors
    /// When a target does not exist, or a file cannot be written.
    pub fn write_device_code(
        &self,
        folder: &Path,
        targets: &[String],
    ) -> Result<(usize, Vec<Diagnostic>), Error> {
        let jobs = self.driver().exec().notes.watches.end();
        let compiler = self.driver().compiler();
        let targets: Result<Vec<_>, _> = targets.iter().map(|it| target(compiler, it)).collect();
        let targets =
            targets.map_err(|it| Error::usage(format!("error: {it}: `kiln targets` lists them")))?;
        let failed =
            |path: &Path, it: std::io::Error| Error::program(format!("error: {}: {it}", path.display()));
        std::fs::create_dir_all(folder).map_err(|it| failed(folder, it))?;
        let mut problems = Vec::new();
        for (at, job) in jobs.iter().enumerate() {
            let files = device_code_files(&self.exec_env(), (at + 1, job), &targets);
            for file in files.map_err(|it| Error::program(it.to_string()))? {
                match file.text {
                    Ok(text) => {
                        let path = folder.join(&file.name);
                        std::fs::write(&path, text).map_err(|it| failed(&path, it))?;
                    }
                    Err(why) => {
                        let why = format!("{}: {}", file.name, why.render(compiler));
                        problems.push(Diagnostic::warning("device-code", why));
                    }
                }
            }
        }
        Ok((jobs.len(), problems))
    }
}

fn shown_target(session: &Session, shown_for: &ShownFor) -> Result<Option<TargetFacts>, Error> {
    let usage = |it: TargetError| Error::usage(format!("error: {it}: `kiln targets` lists them"));
    match shown_for {
        ShownFor::Launch => Ok(None),
        ShownFor::Backend(backend) => session.driver().shown_target(backend).map(Some).map_err(usage),
        ShownFor::Target(name, backend) => {
            let facts = target(session.driver().compiler(), name).map_err(usage)?;
            match backend {
                Some(backend) if *backend != facts.backend => {
                    let (wanted, has) = (backend.name(), facts.backend.name());
                    Err(Error::usage(format!("error: `{name}` is a target of {has}, not of {wanted}")))
                }
                _ => Ok(Some(facts)),
            }
        }
    }
}

/// Shows a stage of a function value.
pub(crate) fn reflect_value(
    session: &Session,
    stage: Stage,
    function: Value,
    args: Type,
    config: Option<ConfigId>,
) -> Result<Vec<u8>, Error> {
    let job = (session.rt.heap.dispatch_type(function), args);
    session.alone(|| {
        reflect(&session.exec_env(), stage, job, config)
            .map_err(|it| Error::of_inspection(session.driver().compiler(), &session.front, &it))
    })
}
