//! `kiln build`: libraries of kernels and functions for programs without kiln.
//!
//! All is compiled before anything is written, so a build that fails leaves the files of the one before.

pub(crate) mod args;
mod link;
mod targets;

use crate::compile::write_file;
use crate::terminal::{complain, say};
use crate::timings_format::TimingsFormat;
use crate::{environment, failures, json::Json};
use args::{BuildArgs, OutputKind};
use kiln::ahead::{BuildOptions, BuiltEntry, NamedSignature, archive, header, named_signature, source_files};
use kiln::{CheckBounds, Error, Session};
use kiln_bundle::{Bundle, BundlePart};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use targets::Built;

/// A file to write.
struct Output {
    path: PathBuf,
    kind: &'static str,
    bytes: Vec<u8>,
}

/// Runs `kiln build ...`.
pub(crate) fn run(args: &BuildArgs, check_bounds: CheckBounds) -> Result<ExitCode, Error> {
    let emit = emit(args)?;
    let named = names(args)?;
    let color =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let options = environment::options()?
        .program(&args.file)
        .color(color)
        .trace(matches!(args.timings, Some(TimingsFormat::Trace(_))))
        .output_to_stderr(true)
        .check_bounds(check_bounds);
    let session = Session::new(options)?;
    let options = build_options(args);
    session.run_file(&args.file)?;
    let built = targets::build(&session, &target_names(args, emit), &options, &named)?;
    let closed = session.close_store();
    if let Some(format) = &args.timings {
        crate::report_timings(&session, format)?;
    }
    failures::warn(&session.warnings(), args.json);
    if let Some(code) = tell_failures(args, &built.failures) {
        return Ok(code);
    }
    if let Err(problem) = closed {
        return Err(Error::program(format!("error[cache-differs]: {problem}")));
    }
    let outputs = outputs(args, emit, &built)?;
    let inputs = inputs(&session);
    check_places(&outputs, args.depfile.as_deref(), &inputs)?;
    for it in &outputs {
        write_file(&it.path, &it.bytes)?;
    }
    if let Some(path) = &args.depfile {
        write_file(path, depfile(&outputs, &inputs).as_bytes())?;
    }
    if args.json {
        say(&report(&outputs, &inputs, &built).to_line());
    }
    Ok(ExitCode::SUCCESS)
}

/// The kind of the output.
fn emit(args: &BuildArgs) -> Result<OutputKind, Error> {
    let ending = args.out.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let meant = OutputKind::of_ending(ending);
    let out = args.out.display();
    let emit = match (args.emit, meant) {
        (Some(emit), Some(meant)) if emit != meant => {
            let (named, kind) = (meant.phrase(), emit.phrase());
            return Err(Error::usage(format!("error: -o {out} names {named}, and --emit asks for {kind}")));
        }
        (Some(emit), _) | (None, Some(emit)) => emit,
        (None, None) => {
            return Err(Error::usage(format!(
                "error: -o {out}: the kind of output is not clear from the ending: use .so, .a, .o, .h or .kbundle, or --emit"
            )));
        }
    };
    if emit != OutputKind::Bundle && !args.target.is_empty() {
        let what = "error: --target is for bundles, which have several; the processor of a library is --cpu";
        return Err(Error::usage(what));
    }
    if emit == OutputKind::Object && args.signatures.len() > 1 && meant.is_some() {
        return Err(Error::usage(format!(
            "error: -o {out}: {} functions make as many objects: name a folder, with --emit object, or build an archive",
            args.signatures.len()
        )));
    }
    Ok(emit)
}

/// The targets of a bundle; none for other outputs.
fn target_names(args: &BuildArgs, emit: OutputKind) -> Vec<String> {
    let is_default = emit == OutputKind::Bundle && args.target.is_empty();
    if is_default { vec![args.cpu.clone()] } else { args.target.clone() }
}

/// The signatures with their names, which differ.
fn names(args: &BuildArgs) -> Result<Vec<NamedSignature>, Error> {
    let named = args.signatures.iter().map(|it| named_signature(it)).collect::<Result<Vec<_>, _>>()?;
    for (at, it) in named.iter().enumerate() {
        if let Some(other) = named[..at].iter().find(|other| other.symbol == it.symbol) {
            return Err(Error::usage(format!(
                "error: {} and {} would both be `{}`: name one with `NAME={}`",
                other.signature, it.signature, it.symbol, it.signature
            )));
        }
    }
    Ok(named)
}

fn build_options(args: &BuildArgs) -> BuildOptions {
    let mut options = BuildOptions::new(&args.cpu);
    options.space = args.code.space(args.dims);
    options.kernel = args.code.kernel();
    options
}

/// Tells the user the failures; returns the exit code, if there are any.
fn tell_failures(args: &BuildArgs, failed: &[(String, Error)]) -> Option<ExitCode> {
    for (what, failure) in failed {
        complain(&format!("{what}:\n{}", failure.message));
    }
    if args.json && !failed.is_empty() {
        let errors = failed.iter().map(|it| failures::to_json(&it.1)).collect();
        let none = Json::List(Vec::new());
        say(&Json::Object(vec![("files", none), ("errors", Json::List(errors))]).to_line());
    }
    let is_usage = failed.iter().any(|it| it.1.is_usage());
    (!failed.is_empty()).then(|| ExitCode::from(if is_usage { 2 } else { 1 }))
}

/// A bundle of the code for all targets.
fn bundle(args: &BuildArgs, built: &Built) -> Result<Vec<u8>, Error> {
    let linked = built.processors.iter().map(|(_, _, entries)| {
        let linker = args.linker.as_deref();
        if entries.is_empty() { Ok(Vec::new()) } else { link::shared_library(entries, &args.out, linker) }
    });
    let linked = linked.collect::<Result<Vec<_>, _>>()?;
    let described: Vec<String> =
        built.artifacts.iter().map(|it| crate::describe::report(std::iter::once(&it.1)).to_line()).collect();
    let of_processors =
        built.processors.iter().zip(&linked).map(|((target, level, entries), contents)| BundlePart {
            target: target.clone(),
            level: level.unwrap_or(0),
            format: "so".into(),
            kernels: entries.iter().map(|it| it.symbol.clone()).collect(),
            description: "",
            contents,
        });
    let of_devices = built.artifacts.iter().zip(&described).map(|((symbol, made), description)| BundlePart {
        target: made.target.clone(),
        level: 0,
        format: made.extension.clone(),
        kernels: vec![symbol.clone()],
        description,
        contents: &made.bytes,
    });
    Ok(Bundle { parts: of_processors.chain(of_devices).collect() }.to_bytes())
}

/// The files of a build.
fn outputs(args: &BuildArgs, emit: OutputKind, built: &Built) -> Result<Vec<Output>, Error> {
    let entries = built.processors.first().map_or(&[][..], |it| &it.2);
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let one = |bytes: Vec<u8>| vec![Output { path: args.out.clone(), kind: emit.name(), bytes }];
    let mut outputs = match emit {
        OutputKind::Header => one(header(&stem(&args.out), entries).into_bytes()),
        OutputKind::Static => one(archive(entries)),
        OutputKind::Bundle => one(bundle(args, built)?),
        OutputKind::Shared => one(link::shared_library(entries, &args.out, args.linker.as_deref())?),
        OutputKind::Object if entries.len() == 1 && !args.out.is_dir() => one(entries[0].object.clone()),
        OutputKind::Object => {
            let object = |it: &BuiltEntry| Output {
                path: args.out.join(format!("{}.o", it.symbol)),
                kind: emit.name(),
                bytes: it.object.clone(),
            };
            entries.iter().map(object).collect()
        }
    };
    if let Some(path) = &args.header {
        let bytes = header(&stem(path), entries).into_bytes();
        outputs.push(Output { path: path.clone(), kind: OutputKind::Header.name(), bytes });
    }
    Ok(outputs)
}

/// Fails if a file would be written over a source or over another output.
fn check_places(outputs: &[Output], depfile: Option<&Path>, inputs: &[String]) -> Result<(), Error> {
    let named = |it: &Path| std::path::absolute(it).unwrap_or_else(|_| it.to_owned());
    let real = |it: &Path| std::fs::canonicalize(it).unwrap_or_else(|_| named(it));
    let sources: Vec<PathBuf> = inputs.iter().map(|it| real(Path::new(it))).collect();
    let mut written: Vec<PathBuf> = Vec::new();
    for path in outputs.iter().map(|it| it.path.as_path()).chain(depfile) {
        let (place, shown) = (real(path), path.display());
        if sources.contains(&place) {
            return Err(Error::usage(format!(
                "error: {shown} is a source of the build: name another output"
            )));
        }
        if written.contains(&place) {
            return Err(Error::usage(format!("error: two outputs are to be written to {shown}")));
        }
        written.push(place);
    }
    Ok(())
}

/// The files that the session has read code from, as far as they are files.
fn inputs(session: &Session) -> Vec<String> {
    let mut inputs: Vec<String> = source_files(session);
    inputs.retain(|it| Path::new(it).is_file());
    inputs.sort();
    inputs.dedup();
    inputs
}

/// A rule of a Makefile: the outputs depend on the inputs.
fn depfile(outputs: &[Output], inputs: &[String]) -> String {
    let escaped =
        |it: &str| it.replace('\\', "\\\\").replace(' ', "\\ ").replace('#', "\\#").replace('$', "$$");
    let targets: Vec<String> = outputs.iter().map(|it| escaped(&it.path.to_string_lossy())).collect();
    let inputs: Vec<String> = inputs.iter().map(|it| escaped(it)).collect();
    format!("{}: {}\n", targets.join(" "), inputs.join(" "))
}

fn report(outputs: &[Output], inputs: &[String], built: &Built) -> Json {
    let file = |it: &Output| {
        Json::Object(vec![
            ("path", it.path.display().to_string().into()),
            ("kind", it.kind.into()),
            ("bytes", (it.bytes.len() as u64).into()),
        ])
    };
    let entries = built.processors.first().map_or(&[][..], |it| &it.2);
    let symbol = |it: &BuiltEntry| {
        Json::Object(vec![
            ("symbol", it.symbol.as_str().into()),
            ("signature", it.signature.as_str().into()),
            ("kind", if it.returns.is_none() { "kernel" } else { "function" }.into()),
        ])
    };
    Json::Object(vec![
        ("files", Json::List(outputs.iter().map(file).collect())),
        ("inputs", Json::List(inputs.iter().map(|it| it.as_str().into()).collect())),
        ("symbols", Json::List(entries.iter().map(symbol).collect())),
    ])
}
