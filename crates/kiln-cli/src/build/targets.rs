//! The targets of a build: one processor, or, for a bundle, any number of processors and devices.

use kiln::ahead::{BuildOptions, BuiltEntry, NamedSignature, build_entry, check_options};
use kiln::compile::{CompileOptions, Compiled, Emit};
use kiln::targets::{Items, TargetFacts, rank};
use kiln::{Error, Session};

/// The results of a build.
#[derive(Default)]
pub(super) struct Built {
    /// The target, its level if it has one, and the entries, for each processor.
    pub processors: Vec<(String, Option<u32>, Vec<BuiltEntry>)>,
    /// The name in C, and the code for a device.
    pub artifacts: Vec<(String, Compiled)>,
    /// The functions that could not be compiled, and why.
    pub failures: Vec<(String, Error)>,
}

/// Compiles all signatures for all targets; without one, for the processor of the options.
///
/// # Errors
/// When a target does not exist, or is not one that the output can have.
pub(super) fn build(
    session: &Session,
    targets: &[String],
    options: &BuildOptions,
    named: &[NamedSignature],
) -> Result<Built, Error> {
    let mut built = Built::default();
    if targets.is_empty() {
        check_options(session, options)?;
        for_processor(session, (options, &options.target, None), named, &mut built);
        return Ok(built);
    }
    let facts = targets.iter().map(|it| session.check_compile_options(&for_device(options, it, None)));
    let facts = facts.collect::<Result<Vec<_>, _>>()?;
    for it in facts.iter().filter(|it| it.items == Items::Loops) {
        let options = with_target(options, it);
        let level = rank(it).map(|it| it as u32).ok_or_else(|| {
            let what = "bundles hold code for the levels x86-64, x86-64-v2, x86-64-v3 and x86-64-v4, and for devices";
            Error::usage(format!("error: --target: `{}` is no level of processors: {what}", it.name))
        })?;
        for_processor(session, (&options, &it.cpu, Some(level)), named, &mut built);
    }
    let kernels: Vec<&NamedSignature> = named.iter().filter(|it| !is_function(&built, it)).collect();
    for it in facts.iter().filter(|it| it.items != Items::Loops) {
        for named in &kernels {
            match session.compile(&named.signature, &for_device(options, &it.name, Some(named))) {
                Ok(made) => built.artifacts.push((named.symbol.clone(), made)),
                Err(failure) => {
                    built.failures.push((format!("{} for {}", named.signature, it.name), failure))
                }
            }
        }
    }
    built.processors.sort_by_key(|it| std::cmp::Reverse(it.1));
    Ok(built)
}

/// Whether it returns something: devices launch kernels.
fn is_function(built: &Built, named: &NamedSignature) -> bool {
    let mut entries = built.processors.iter().flat_map(|it| &it.2);
    entries.any(|it| it.symbol == named.symbol && it.returns.is_some())
}

fn with_target(options: &BuildOptions, facts: &TargetFacts) -> BuildOptions {
    let mut options = options.clone();
    options.target = facts.name.clone();
    options
}

fn for_device(options: &BuildOptions, target: &str, named: Option<&NamedSignature>) -> CompileOptions {
    CompileOptions {
        target: target.to_owned(),
        emit: Emit::Default,
        name: named.map(|it| it.symbol.clone()),
        space: options.space.clone(),
        function: false,
        kernel: options.kernel.clone(),
    }
}

fn for_processor(
    session: &Session,
    (options, target, level): (&BuildOptions, &str, Option<u32>),
    named: &[NamedSignature],
    built: &mut Built,
) {
    let mut entries = Vec::new();
    for it in named {
        match build_entry(session, it, options) {
            Ok(entry) => entries.push(entry),
            Err(failure) => built.failures.push((it.signature.clone(), failure)),
        }
    }
    built.processors.push((target.to_owned(), level, entries));
}
