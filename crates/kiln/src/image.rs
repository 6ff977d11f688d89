//! Building images: a program runs, its kernels are compiled and linked but not launched, and the results are written
//! to one file, for one processor or several, and for devices that need not be present.

use crate::compile::{CompileOptions, DescribedFrame, DescribedSite, Emit, Space};
use crate::internals::TestOptions as _;
use crate::options::Building;
use crate::{Diagnostic, Error, ErrorKind, Session, SessionOptions};
use kiln_cache::{Entry, Key};
use kiln_compile::device::EntryAbi;
use kiln_compile::device::tools::{ToolError, find};
use kiln_exec::KernelOptions;
use kiln_metrics::Timings;
use kiln_prebuilt::record::{PrebuiltKernel, PrebuiltSite};
use kiln_runtime::eval::toplevel;
use kiln_targets::{Finish, Items, TargetFacts, Tool};
use std::path::{Path, PathBuf};

pub use kiln_compile::{OpenImage, open_image};
pub use kiln_exec::Missing;
pub use kiln_inspect::{Holding, device_of};
pub use kiln_targets::lookup as target;

/// The contents of an image to build.
///
/// ```
/// use kiln::SessionOptions;
/// use kiln::image::{ImagePlan, build_image};
///
/// # let folder = std::env::temp_dir().join(format!("kiln-doc-image-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let program = folder.join("fill.jl");
/// std::fs::write(&program, "
///     using CUDA
///     fill!(y) = (y[threadIdx().x] = 7; return)
///     @cuda fill!(CUDA.zeros(Int32, 1))
/// ").unwrap();
/// let plan = ImagePlan::new(program.display().to_string(), folder.join("fill.kimg"));
/// assert_eq!(build_image(&plan, &mut |_| ())?.kernels, 1);
///
/// // Another process compiles nothing.
/// let session = kiln::Session::new(SessionOptions::new().image(Some(plan.out.clone())))?;
/// session.load(&plan.file)?;
/// assert_eq!((session.warnings(), session.timings().compiles), (vec![], 0));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImagePlan {
    /// The program.
    pub file: String,
    /// The path of the image.
    pub out: PathBuf,
    /// The options of the sessions that run it: `ARGS`, the store, and so on.
    pub session: SessionOptions,
    /// Processors to compile for; empty: this machine's.
    pub targets: Vec<TargetFacts>,
    /// Devices to compile kernels for as well.
    pub devices: Vec<TargetFacts>,
    /// Include machine code for NVIDIA GPUs, which exactly these GPUs load.
    pub machine_code: bool,
    /// Kernels to export, as `f(T1, T2)` with the types that the kernel sees: [`prebuilt`](crate::prebuilt) runs them, in
    /// programs that link no compiler.
    pub exports: Vec<String>,
}

impl ImagePlan {
    /// An image of a program for this machine's processor.
    pub fn new(file: impl Into<String>, out: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            out: out.into(),
            session: SessionOptions::new(),
            targets: Vec::new(),
            devices: Vec::new(),
            machine_code: false,
            exports: Vec::new(),
        }
    }
}

/// The progress of a build.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The target that it compiles for.
    pub target: &'a TargetFacts,
    /// The position of the target, from 0, and the number of targets.
    pub position: (usize, usize),
    /// Returns the counts for this target so far, on any thread.
    pub counts: std::sync::Arc<kiln_metrics::Counters>,
}

/// The results of a build.
#[derive(Clone, Debug, Default)]
pub struct ImageReport {
    /// Kernels compiled, for each processor.
    pub kernels: u64,
    /// Kernels compiled for devices, each as often as there are devices that take it.
    pub device_kernels: u64,
    /// Kernels that the image lacks for a device, and why.
    pub lacking: Vec<Missing>,
    /// The number of entries: device artifacts, units, and typed code.
    pub artifacts: usize,
    /// See `artifacts`.
    pub units: usize,
    /// See `artifacts`.
    pub typed: usize,
    /// Kernels that run without Julia, for each processor.
    pub exported: usize,
    /// The number of outputs of vendors' tools.
    pub machine_code: usize,
    /// Entries that say why something was refused.
    pub refusals: usize,
    /// Entries that note which host code ran often, and which tool was asked.
    pub notes: usize,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Statements that threw, for example because they read results of kernels.
    pub unfinished: Vec<Error>,
    /// The times for all targets together.
    pub timings: Timings,
    /// The warnings beside the program's own.
    pub warnings: Vec<Diagnostic>,
}

/// Builds an image. The program runs to its end once per target; its output is dropped and it changes no files.
///
/// # Errors
/// When the program cannot be read or run at all, compiles nothing, or the image cannot be written.
pub fn build_image(plan: &ImagePlan, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<ImageReport, Error> {
    let native =
        || target("native").ok_or_else(|| Error::program("this machine's processor is not one kiln knows"));
    let targets = if plan.targets.is_empty() { vec![native()?] } else { plan.targets.clone() };
    if plan.machine_code
        && let Some(tool) =
            plan.devices.iter().filter_map(assembler).find(|it| find(&plan.session.tools, it).is_none())
    {
        let missing = ToolError::Missing(Box::new(tool.clone()));
        return Err(Error::new(ErrorKind::Tool, format!("error[tool]: {missing}")));
    }
    let mut report = ImageReport::default();
    let mut entries: Vec<(Key, Entry)> = Vec::new();
    let mut library = None;
    for (at, target) in targets.iter().enumerate() {
        // They are the same whatever processor their host has.
        let devices = if at == 0 { plan.devices.clone() } else { Vec::new() };
        let session = Session::new(SessionOptions {
            program: plan.file.clone(),
            isolated: true,
            target: Some(target.clone()),
            building: Some(Building { devices, machine_code: plan.machine_code }),
            ..plan.session.clone()
        })?;
        let counts = session.driver().compiler().counters.clone();
        progress(&Progress { target, position: (at, targets.len()), counts });
        let unfinished = run_workload(&session, &plan.file)?;
        library = session.rt.image;
        for signature in &plan.exports {
            let kernel = exported(&session, signature, target)?;
            entries.push((kernel.key(), kernel.to_entry()));
        }
        report.exported = plan.exports.len();
        entries.extend(session.driver().results().take_collected());
        let done = session.timings();
        let _ = session.close_store();
        report.kernels = report.kernels.max(done.kernels_compiled);
        report.timings = report.timings.and(&done);
        if at == 0 {
            report.unfinished = unfinished;
            report.warnings = session.warnings();
            report.device_kernels = done.kernels_ahead;
            report.lacking = session.driver().exec().notes.missing.entries();
        }
    }
    // What was replaced while the program ran comes later.
    let mut kept: Vec<(Key, Entry)> = Vec::with_capacity(entries.len());
    let mut seen = std::collections::BTreeSet::new();
    for (key, entry) in entries.into_iter().rev() {
        if seen.insert(key.id()) {
            kept.push((key, entry));
        }
    }
    let count = |what| kept.iter().filter(|it| Holding::of(&it.0, &it.1) == what).count();
    report.typed = count(Holding::Typed);
    report.units = count(Holding::Unit);
    report.artifacts = count(Holding::Artifact);
    report.machine_code = count(Holding::MachineCode);
    report.refusals = count(Holding::Refusal);
    report.notes = count(Holding::Note);
    if report.units + report.typed == 0 {
        return Err(Error::program(match report.unfinished.first() {
            Some(first) => format!("nothing was compiled: the program stopped early\n{}", first.message),
            None => "nothing was compiled: the program launches no kernel and precompiles no function".into(),
        }));
    }
    let codegen = crate::session::codegen(&plan.session);
    let codegen = codegen.as_deref();
    report.bytes = kiln_compile::write_image(&plan.out, library, codegen, (&targets, &plan.devices), &kept)
        .map_err(|it| Error::program(it.to_string()))?;
    Ok(report)
}

/// Compiles a kernel that is to run without Julia.
fn exported(session: &Session, signature: &str, target: &TargetFacts) -> Result<PrebuiltKernel, Error> {
    let kernel = KernelOptions::default();
    let heap_bytes = kernel.heap_bytes;
    let options = CompileOptions {
        target: target.name.to_string(),
        emit: Emit::Default,
        name: None,
        space: Space::OfArguments,
        function: false,
        kernel,
    };
    let made = session.compile(signature, &options)?;
    let name = signature.split('(').next().unwrap_or(signature).trim().to_owned();
    let description = made.description.unwrap_or_default();
    if description.reports {
        let what =
            format!("error[target-limit]: `{name}` prints, and a kernel that is exported has no output");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let site = |it: &DescribedSite| {
        let frame = |it: &DescribedFrame| {
            let (file, line) = it.place.clone().unwrap_or_default();
            (it.function.clone(), file, line)
        };
        PrebuiltSite { what: it.what.clone(), frames: it.frames.iter().map(frame).collect() }
    };
    Ok(PrebuiltKernel {
        name,
        target: target.clone(),
        object: made.bytes,
        entry: made.symbol,
        has_barrier: description.entry.abi == EntryAbi::Item,
        frame_bytes: description.entry.frame_bytes,
        allocates: description.allocates,
        args: description.params.iter().map(|it| (it.ty.clone(), it.place)).collect(),
        args_bytes: description.entry.bytes,
        shared_bytes: description.shared_bytes,
        heap_bytes,
        sites: description.sites.iter().map(site).collect(),
    })
}

/// Returns the target of this name that is not a processor: a built-in one, or one of the code generator in the
/// options.
///
/// # Errors
/// When it does not exist.
pub fn device(name: &str, options: &SessionOptions) -> Result<TargetFacts, Error> {
    let found = match target(name) {
        None if options.codegen.is_some() => {
            let session = Session::new(options.clone().interpret_host(true))?;
            kiln_compile::target(session.driver().compiler(), name).ok()
        }
        found => found,
    };
    found
        .filter(|it| it.items != Items::Loops)
        .ok_or_else(|| Error::usage(format!("error: `{name}` is no device: `kiln targets` lists them")))
}

/// Runs a file as [`Session::run_file`] does, but continues after statements that throw; returns their failures.
/// For programs whose kernels are not launched.
///
/// # Errors
/// When it cannot be read.
fn run_workload(session: &Session, path: &str) -> Result<Vec<Error>, Error> {
    toplevel::go_on_after_errors(&session.rt);
    let ended = session.run_file(path);
    let mut unfinished: Vec<Error> =
        toplevel::take_errors(&session.rt).iter().map(|it| session.failure(it)).collect();
    match ended {
        Err(failure) if failure.is_bug() || failure.is_usage() => Err(failure),
        Err(failure) => {
            unfinished.push(failure);
            Ok(unfinished)
        }
        Ok(()) => Ok(unfinished),
    }
}

/// Returns an image's description of itself.
///
/// # Errors
/// Why it cannot be used by this program on this machine.
pub fn inspect(path: &Path, options: &SessionOptions) -> Result<OpenImage, Error> {
    let library = Session::new(options.clone().interpret_host(true))?.rt.image;
    let opened = open_image(path, library, || {
        kiln_codegen_client::identity(crate::session::codegen(options).as_deref())
    });
    opened.map_err(|why| Error::program(format!("{} cannot be used: {why}", path.display())))
}

/// The assembler that makes machine code for a target.
fn assembler(facts: &TargetFacts) -> Option<&Tool> {
    match &facts.tools.finish {
        Finish::Assemble { assembler, .. } => Some(&assembler.tool),
        Finish::None | Finish::CodeObject(_) | Finish::MetalLibrary => None,
    }
}
