//! Building images: a program is run, its kernels are compiled and linked and not launched, and what they were compiled to
//! is written to one file, for one processor or several, and for devices that need not be there.

use crate::{Failure, FailureKind, Session, SessionOptions};
use kiln_cache::{Entry, Key};
use kiln_compile::device::tools::{ToolError, find};
use kiln_metrics::Timings;
use kiln_results::StoreOptions;
use kiln_targets::{Finish, Items, TargetFacts, Tool};
use std::path::{Path, PathBuf};

pub use kiln_driver::{Holding, Missing, OpenImage, open_image};
pub use kiln_targets::lookup as target;

/// The contents of an image to build.
#[derive(Clone, Debug)]
pub struct ImagePlan {
    /// The program.
    pub file: String,
    /// Its `ARGS`.
    pub args: Vec<String>,
    /// Where the image goes.
    pub out: PathBuf,
    /// Processors to compile for; empty: this machine's.
    pub targets: Vec<TargetFacts>,
    /// Devices to compile kernels for as well.
    pub devices: Vec<TargetFacts>,
    /// With machine code for NVIDIA GPUs: it is what they load, if they are exactly these.
    pub machine_code: bool,
    /// Where compiled code is kept: what is there is not compiled again.
    pub store: Option<StoreOptions>,
}

/// The progress of a build.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The target that it compiles for.
    pub target: &'a TargetFacts,
    /// Which of the targets that is, from 0, and how many there are.
    pub position: (usize, usize),
    /// Reads what was done for this target so far, on any thread.
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
    /// Entries of the image: what devices load, units, and typed code.
    pub artifacts: usize,
    /// See `artifacts`.
    pub units: usize,
    /// See `artifacts`.
    pub typed: usize,
    /// The outputs of vendors' tools.
    pub machine_code: usize,
    /// Entries that say why something was refused.
    pub refusals: usize,
    /// Entries that note which host code ran often, and which tool was asked.
    pub notes: usize,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Statements that threw, as when they look at what a kernel would have computed.
    pub unfinished: Vec<String>,
    /// The times for all targets together.
    pub timings: Timings,
    /// The warnings beside the program's own.
    pub warnings: Vec<String>,
}

/// Builds an image. The program runs to its end once for each target; output goes nowhere and files stay as they are.
///
/// # Errors
/// When the program cannot be read or run at all, compiles nothing, or the image cannot be written.
pub fn build_image(
    plan: &ImagePlan,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<ImageReport, Failure> {
    let native =
        || target("native").ok_or_else(|| Failure::program("this machine's processor is not one kiln knows"));
    let targets = if plan.targets.is_empty() { vec![native()?] } else { plan.targets.clone() };
    if plan.machine_code
        && let Some(tool) = plan.devices.iter().filter_map(assembler).find(|it| find(it).is_none())
    {
        let missing = ToolError::Missing(Box::new(tool.clone()));
        return Err(Failure::new(FailureKind::Tool, format!("error[tool]: {missing}")));
    }
    let mut report = ImageReport::default();
    let mut entries: Vec<(Key, Entry)> = Vec::new();
    let mut library = None;
    for (at, target) in targets.iter().enumerate() {
        let session = Session::new(SessionOptions {
            args: plan.args.clone(),
            program: plan.file.clone(),
            isolated: true,
            target: Some(target.clone()),
            builds_image: true,
            // They are the same whatever processor their host has.
            image_devices: if at == 0 { plan.devices.clone() } else { Vec::new() },
            image_machine_code: plan.machine_code,
            store: plan.store.clone(),
            ..SessionOptions::default()
        })?;
        progress(&Progress { target, position: (at, targets.len()), counts: session.shared_counters() });
        let unfinished = session.run_workload(&plan.file)?;
        library = session.library_image();
        entries.extend(session.driver().results().take_collected());
        let done = session.timings();
        let _ = session.close_store();
        report.kernels = report.kernels.max(done.kernels_compiled);
        report.timings = report.timings.and(&done);
        if at == 0 {
            report.unfinished = unfinished;
            report.warnings = session.warnings();
            report.device_kernels = done.kernels_ahead;
            report.lacking = session.driver().lacking();
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
        return Err(Failure::program(match report.unfinished.first() {
            Some(first) => format!("nothing was compiled: the program stopped early\n{first}"),
            None => "nothing was compiled: the program launches no kernel and precompiles no function".into(),
        }));
    }
    let codegen = crate::session::codegen_path();
    report.bytes =
        kiln_driver::write_image(&plan.out, library, codegen.as_deref(), (&targets, &plan.devices), &kept)
            .map_err(Failure::program)?;
    Ok(report)
}

/// The target of this name that is no processor: one of ours, or one that the named code generator has beside them.
///
/// # Errors
/// When there is none.
pub fn device(name: &str) -> Result<TargetFacts, Failure> {
    let found = match target(name) {
        None if crate::session::codegen_path().is_some() => {
            let session = Session::new(SessionOptions { interpret_host: true, ..SessionOptions::default() })?;
            session.driver().target(name).ok()
        }
        found => found,
    };
    found
        .filter(|it| it.items != Items::Loops)
        .ok_or_else(|| Failure::usage(format!("error: `{name}` is no device: `kiln targets` lists them")))
}

/// Returns an image's description of itself.
///
/// # Errors
/// Why it cannot be used by this program on this machine.
pub fn inspect(path: &Path) -> Result<OpenImage, Failure> {
    let library =
        Session::new(SessionOptions { interpret_host: true, ..SessionOptions::default() })?.library_image();
    let opened = open_image(path, library, crate::session::codegen_path().as_deref());
    opened.map_err(|why| Failure::program(format!("{} cannot be used: {why}", path.display())))
}

/// The assembler that makes machine code for a target.
fn assembler(facts: &TargetFacts) -> Option<&Tool> {
    match &facts.tools.finish {
        Finish::Assemble { assembler, .. } => Some(&assembler.tool),
        Finish::None | Finish::CodeObject(_) => None,
    }
}
