//! Building images: a program is run, its kernels are compiled and linked and not launched, and what they were compiled to
//! is written to one file, for one processor or several, and for devices that need not be there.

use crate::{Failure, Session, SessionOptions};
use kiln_cache::{Class, Entry, Key};
use kiln_driver::{StoreOptions, Timings};
use kiln_targets::TargetFacts;
use std::path::{Path, PathBuf};

pub use kiln_driver::{Lacking, OpenImage, open_image};
pub use kiln_targets::lookup as target;

/// What an image is to be built of.
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
    /// Where compiled code is kept: what is there is not compiled again.
    pub store: Option<StoreOptions>,
}

/// What a build is doing.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// What it compiles for.
    pub target: &'a TargetFacts,
    /// Which of the targets that is, from 0, and how many there are.
    pub position: (usize, usize),
    /// Reads what was done for this target so far, on any thread.
    pub counts: std::sync::Arc<kiln_driver::Counters>,
}

/// What was built.
#[derive(Clone, Debug, Default)]
pub struct ImageReport {
    /// Kernels compiled, for each processor.
    pub kernels: u64,
    /// Kernels compiled for devices, each as often as there are devices that take it.
    pub device_kernels: u64,
    /// Kernels that the image lacks for a device, and why.
    pub lacking: Vec<Lacking>,
    /// Entries of the image: what devices load, units, and typed code.
    pub artifacts: usize,
    /// See `artifacts`.
    pub units: usize,
    /// See `artifacts`.
    pub typed: usize,
    /// Entries that note which host code ran often.
    pub notes: usize,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Statements that threw, as when they look at what a kernel would have computed.
    pub unfinished: Vec<String>,
    /// What was done, for all targets together.
    pub timings: Timings,
    /// What went wrong beside the program.
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
            store: plan.store.clone(),
            ..SessionOptions::default()
        })?;
        progress(&Progress { target, position: (at, targets.len()), counts: session.shared_counters() });
        let unfinished = session.run_workload(&plan.file)?;
        library = session.library_image();
        entries.extend(session.driver().collected());
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
    // All that a note says is in its key.
    report.notes = kept.iter().filter(|it| it.1.payload.is_empty()).count();
    report.typed = kept.iter().filter(|it| it.0.class() == Class::Semantic).count() - report.notes;
    report.artifacts = kept.iter().filter(|it| it.0.class() == Class::Tool).count();
    report.units = kept.len() - report.typed - report.notes - report.artifacts;
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

/// What an image says of itself.
///
/// # Errors
/// Why it cannot be used by this program on this machine.
pub fn inspect(path: &Path) -> Result<OpenImage, Failure> {
    let library =
        Session::new(SessionOptions { interpret_host: true, ..SessionOptions::default() })?.library_image();
    let opened = open_image(path, library, crate::session::codegen_path().as_deref());
    opened.map_err(|why| Failure::program(format!("{} cannot be used: {why}", path.display())))
}
