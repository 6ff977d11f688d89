//! The arguments of `kiln compile`: validated, and turned into jobs.
//!
//! An option that none of the targets takes is an error. With several targets, a warning names those that do not take
//! it.

use super::Job;
use crate::cli::{CompileArgs, EmitArg, KernelArgs};
use crate::terminal::complain;
use kiln::compile::{CompileOptions, Emit, extension};
use kiln::targets::{FAMILIES, Form, TargetFacts, TargetOption, metal_name};
use kiln::{DeviceOptions, Error, KernelOptions, Session};
use std::path::Path;

/// Makes the checks that need no target.
pub(super) fn check(args: &CompileArgs) -> Result<(), Error> {
    let usage = |it: String| Err(Error::usage(format!("error: {it}")));
    let count = args.signatures.len() * args.target.len();
    if args.kernel.name.is_some() && args.signatures.len() > 1 {
        return usage("--name names one kernel, and there are several signatures".into());
    }
    for (at, signature) in args.signatures.iter().enumerate() {
        if args.signatures[..at].contains(signature) {
            return usage(format!("{signature} is there twice"));
        }
    }
    for (at, target) in args.target.iter().enumerate() {
        if target.is_empty() {
            return usage("--target: the name of a target is empty (`kiln targets` lists them)".into());
        }
        if args.target[..at].contains(target) {
            return usage(format!("--target {}: each target is to be named once", args.target.join(",")));
        }
    }
    if args.kernel.code.groupsize.as_ref().is_some_and(|it| it.contains(&0)) {
        return usage("--groupsize: sizes are positive numbers: 256, or 16,16".into());
    }
    let Some(out) = &args.out else { return Ok(()) };
    let is_stdout = out == Path::new("-");
    if is_stdout && (count > 1 || args.json) {
        let why = if count > 1 {
            format!("there are {count} artifacts to write")
        } else {
            "--json is written there".into()
        };
        return usage(format!("-o -: {why}: name a folder, or a file"));
    }
    if !is_stdout && count > 1 && out.exists() && !out.is_dir() {
        return usage(format!(
            "-o {}: there are {count} artifacts to write, and this is a file: name a folder, which is made if need be",
            out.display()
        ));
    }
    Ok(())
}

/// Returns the jobs: each signature for each target.
pub(super) fn jobs<'a>(session: &Session, args: &'a CompileArgs) -> Result<Vec<Job<'a>>, Error> {
    let mut targets = Vec::new();
    for target in &args.target {
        let options = CompileOptions {
            emit: emit(args.emit),
            function: args.function,
            ..compile_options(&args.kernel, target)?
        };
        let facts = session.check_compile_options(&options)?;
        check_form(args.emit, target, extension(&facts, options.emit))?;
        check_ending(args, extension(&facts, options.emit))?;
        targets.push((target.as_str(), facts, options));
    }
    for option in TargetOption::ALL {
        check_taken(option, args, &targets)?;
    }
    let of = |signature: &'a String| {
        let each = targets.iter().map(|(target, _, options)| (*target, options.clone()));
        each.map(|(target, options)| Job { signature, target, options }).collect::<Vec<_>>()
    };
    Ok(args.signatures.iter().flat_map(of).collect())
}

/// Checks that a form which is named by its file is the target's.
fn check_form(emit: Option<EmitArg>, target: &str, made: &str) -> Result<(), Error> {
    let named = match emit {
        Some(EmitArg::Air) => "air",
        Some(EmitArg::Metallib) => "metallib",
        _ => return Ok(()),
    };
    if made == named {
        return Ok(());
    }
    Err(Error::usage(format!("error: --emit {named}: {target} has no such form, but .{made} files")))
}

/// Endings of file names that promise something, those that promise the same together.
const ENDINGS: [&[&str]; 18] = [
    &["o", "obj"],
    &["s", "asm"],
    &["ptx"],
    &["cubin"],
    &["hsaco", "co"],
    &["spv"],
    &["spvasm"],
    &["air"],
    &["metallib"],
    &["ll"],
    &["bc"],
    &["lowered"],
    &["typed"],
    &["so", "dylib", "dll"],
    &["a", "lib"],
    &["h", "hpp", "c", "cpp", "jl", "rs"],
    &["exe"],
    &["json", "kimg", "fatbin", "wasm"],
];

/// Checks the extension of the output file against its content.
fn check_ending(args: &CompileArgs, made: &str) -> Result<(), Error> {
    let Some(out) =
        args.out.as_ref().filter(|it| args.signatures.len() * args.target.len() == 1 && !it.is_dir())
    else {
        return Ok(());
    };
    let Some(ending) = out.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase) else {
        return Ok(());
    };
    let of = |it: &str| ENDINGS.iter().position(|all| all.contains(&it));
    if of(&ending).is_none_or(|it| of(made) == Some(it)) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "error: -o {}: what is written is no .{ending} but a .{made} file: call it so, or say with --emit what is wanted",
        out.display()
    )))
}

/// Checks that some target takes each given option; warns of those that do not.
fn check_taken(
    option: TargetOption,
    args: &CompileArgs,
    targets: &[(&str, TargetFacts, CompileOptions)],
) -> Result<(), Error> {
    let is_given = |it: &CompileOptions| option.is_given(&it.kernel.device_options());
    if !targets.iter().any(|it| is_given(&it.2)) {
        return Ok(());
    }
    let takes = |it: &TargetFacts| it.options.contains(&option);
    let (flag, named) = (option.flag(), args.target.join(", "));
    if !targets.iter().any(|it| takes(&it.1)) {
        let takers = FAMILIES.iter().filter(|it| it.options().contains(&option));
        let takers: Vec<&str> = takers.map(|it| it.pattern).collect();
        let what = format!("error: {flag} means nothing for {named}; it is for {}", takers.join(", "));
        return Err(Error::usage(what));
    }
    for (name, ..) in targets.iter().filter(|it| !takes(&it.1)) {
        complain(&format!("kiln: warning: {flag} means nothing for {name}"));
    }
    Ok(())
}

fn emit(given: Option<EmitArg>) -> Emit {
    match given {
        None => Emit::Default,
        Some(EmitArg::Lowered) => Emit::Lowered,
        Some(EmitArg::Typed) => Emit::Typed,
        Some(EmitArg::Llvm) => Emit::Form(Form::Llvm),
        Some(EmitArg::Bitcode) => Emit::Form(Form::Bitcode),
        Some(EmitArg::Asm) => Emit::Form(Form::Assembly),
        Some(EmitArg::Obj | EmitArg::Air) => Emit::Form(Form::Object),
        Some(EmitArg::Bin | EmitArg::Metallib) => Emit::Form(Form::Binary),
    }
}

/// Returns the options of compiling a kernel for a target, into its usual form.
pub(crate) fn compile_options(args: &KernelArgs, target: &str) -> Result<CompileOptions, Error> {
    let usual = args.code.kernel();
    let device = DeviceOptions {
        items: sizes(args.minthreads.as_deref())?,
        items_max: sizes(args.maxthreads.as_deref())?,
        groups_min: args.blocks_per_sm,
        registers_max: args.maxregs,
        language: args.ptx,
        code_object: args.code_object,
        extensions: args.extensions.clone().unwrap_or_default(),
        ..usual.device
    };
    let kernel = KernelOptions { always_inline: args.always_inline, device, ..usual };
    let space = args.code.space(args.dims);
    let (target, name) = (versioned(args, target)?, args.name.clone());
    Ok(CompileOptions { target, emit: Emit::Default, name, space, function: false, kernel })
}

/// Returns the name of the target with the versions that options give.
fn versioned(args: &KernelArgs, target: &str) -> Result<String, Error> {
    let given = [&args.macos, &args.air, &args.metal];
    if given.iter().all(|it| it.is_none()) {
        return Ok(target.to_owned());
    }
    metal_name(target, given.map(|it| it.as_deref())).ok_or_else(|| {
        Error::usage(format!(
            "error: --macos, --air and --metal mean nothing for {target}; they are for metal"
        ))
    })
}

/// Parses up to three sizes; missing ones are 1.
fn sizes(given: Option<&[u32]>) -> Result<Option<[u32; 3]>, Error> {
    let Some(given) = given else { return Ok(None) };
    if given.is_empty() || given.len() > 3 || given.contains(&0) {
        return Err(Error::usage("error: sizes are one to three positive numbers: 256, or 16,16"));
    }
    let mut sizes = [1; 3];
    sizes[..given.len()].copy_from_slice(given);
    Ok(Some(sizes))
}
