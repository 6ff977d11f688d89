//! The environment of the command as options of its sessions: nothing else reads it.

use crate::cache;
use kiln::internals::TestOptions as _;
use kiln::packages::{
    DiskFiles, JULIA_VERSION, LoadPath, PackageReader, ParsedFiles, Surroundings, join, library,
    parse_depot_path, parse_load_path, parse_project,
};
use kiln::targets::ToolPaths;
use kiln::{Barriers, DeviceChoice, Error, Isolation, SessionOptions};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Returns the options of a session as the environment has them.
///
/// # Errors
/// When a variable has a value that means nothing.
pub(crate) fn options() -> Result<SessionOptions, Error> {
    let text = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let mut options = SessionOptions::new()
        .environment(variables())
        .codegen(codegen())
        .worker(path("KILN_WORKER"))
        .traces_panics(traces_panics())
        .tools(tools())
        .load_path(load_path())
        .packages(std::env::var_os("KILN_CORPUS").map(PathBuf::from))
        .library(std::env::var_os("KILN_BASE").map(PathBuf::from))
        .threads(text("KILN_THREADS").and_then(|it| it.parse().ok()).unwrap_or(0))
        .shown_for(shown_for())
        .store(cache::options()?);
    if let Some(device) = text("KILN_DEVICE") {
        let device =
            device.parse::<DeviceChoice>().map_err(|it| Error::usage(format!("error: KILN_DEVICE: {it}")))?;
        options = options.device(device);
    }
    if let Some(isolation) = text("KILN_ISOLATE") {
        let isolation = isolation
            .parse::<Isolation>()
            .map_err(|it| Error::usage(format!("error: KILN_ISOLATE: {it}")))?;
        options = options.isolation(Some(isolation));
    }
    match text("KILN_BARRIERS").as_deref() {
        None | Some("adaptive") => {}
        Some("fibers") => options = options.barriers(Barriers::Fibers),
        Some("regions") => options = options.barriers(Barriers::Regions),
        Some("sized") => options = options.barriers(Barriers::Sized),
        Some(other) => {
            let message =
                format!("error: KILN_BARRIERS: `{other}` is none of adaptive, fibers, regions, sized");
            return Err(Error::usage(message));
        }
    }
    switches(options)
}

/// Returns the value of a variable that is 0 or 1, if it is set.
fn switch(name: &str) -> Result<Option<bool>, Error> {
    match std::env::var(name).unwrap_or_default().as_str() {
        "" => Ok(None),
        "0" => Ok(Some(false)),
        "1" => Ok(Some(true)),
        other => Err(Error::usage(format!("error: {name}: `{other}` is none of 0, 1"))),
    }
}

/// Sets the options that variables turn on or off.
fn switches(mut options: SessionOptions) -> Result<SessionOptions, Error> {
    let text = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    if let Some(on) = switch("KILN_LOCKSTEP")? {
        options = options.lockstep(on);
    }
    if let Some(on) = switch("KILN_BACKGROUND")? {
        options = options.waits_for_code(!on);
    }
    if switch("KILN_PERF_MAP")? == Some(true) {
        let name = format!("perf-{}.map", std::process::id());
        options = options.code_map(Some(PathBuf::from("/tmp").join(name)));
    }
    if let Some(every) = text("KILN_GC_STRESS") {
        let wrong = |_| Error::usage(format!("error: KILN_GC_STRESS: `{every}` is no number of safepoints"));
        options = options.collection_stress(every.parse().map_err(wrong)?);
    }
    match text("KILN_VECTOR").as_deref() {
        None => {}
        Some("off") => options = options.vector_bits(Some(0)),
        Some(bits @ ("128" | "256" | "512")) => options = options.vector_bits(bits.parse().ok()),
        Some(other) => {
            let message = format!("error: KILN_VECTOR: `{other}` is none of off, 128, 256, 512");
            return Err(Error::usage(message));
        }
    }
    if let Some(named) = std::env::var_os("KILN_DEVICE_LIBRARY") {
        let paths = std::env::split_paths(&named).filter(|it| !it.as_os_str().is_empty());
        options = options.device_libraries(paths.collect());
    }
    if std::env::var_os("KILN_COPY_ARRAYS").is_some_and(|it| it == "1") {
        options = options.copies_arrays(true);
    }
    Ok(options.ignores_build_folder(true))
}

/// The project that the command line names.
static PROJECT: OnceLock<String> = OnceLock::new();

/// Sets the project that the command line names: it comes before that of the environment.
pub(crate) fn set_project(project: String) {
    let _ = PROJECT.set(project);
}

/// Returns what look-ups of packages depend on beside the load path.
pub(crate) fn surroundings() -> Surroundings {
    let text = |it: PathBuf| it.to_string_lossy().into_owned();
    let working = std::env::current_dir().map_or_else(|_| "/".into(), text);
    let corpus = std::env::var("KILN_CORPUS").ok();
    Surroundings {
        home: std::env::var("HOME").ok().filter(|it| !it.is_empty()),
        version: JULIA_VERSION,
        library: library(),
        folders: corpus.into_iter().map(|it| join(&working, &it)).collect(),
        working,
        ..Surroundings::default()
    }
}

/// Returns the load path, the depots and the active project: `JULIA_LOAD_PATH`, `JULIA_DEPOT_PATH`, `JULIA_PROJECT`.
pub(crate) fn load_path() -> LoadPath {
    let value = |name: &str| std::env::var(name).ok();
    let (around, parsed) = (surroundings(), ParsedFiles::default());
    let reader = PackageReader { files: &DiskFiles, parsed: &parsed };
    let project = PROJECT.get().cloned().or_else(|| value("JULIA_PROJECT"));
    LoadPath {
        entries: parse_load_path(value("JULIA_LOAD_PATH").as_deref(), &reader, &around),
        depots: parse_depot_path(value("JULIA_DEPOT_PATH").as_deref(), around.home.as_deref()),
        project: project.and_then(|it| parse_project(&it, &reader, &around)),
        tested: None,
    }
}

/// Returns the code generator that the environment names.
pub(crate) fn codegen() -> Option<PathBuf> {
    std::env::var_os("KILN_CODEGEN").map(PathBuf::from)
}

/// Returns the path in a variable; an empty one names nothing.
fn path(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|it| !it.is_empty()).map(PathBuf::from)
}

/// Whether messages about panics have the call stack: `RUST_BACKTRACE`, as the standard library reads it.
pub(crate) fn traces_panics() -> bool {
    std::env::var_os("RUST_BACKTRACE").is_some_and(|it| it != "0")
}

/// Returns where vendors' tools and libraries are looked for. A target of another project has its own variables for tools,
/// which are known once its code generator is open, so every variable is given.
pub(crate) fn tools() -> ToolPaths {
    let files = std::env::vars_os().filter(|it| !it.1.is_empty());
    let files = files.filter_map(|(name, value)| Some((name.into_string().ok()?, PathBuf::from(value))));
    let path_variable = std::env::var_os("PATH").unwrap_or_default();
    ToolPaths {
        files: files.collect(),
        folder: path("KILN_TOOLS"),
        programs: std::env::split_paths(&path_variable).collect(),
        toolkits: ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(path).collect(),
    }
}

/// The variables that a program finds in `ENV`.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
}

/// `KILN_TARGETS`: the default targets for showing code.
fn shown_for() -> Vec<String> {
    let named = std::env::var("KILN_TARGETS").unwrap_or_default();
    named.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}
