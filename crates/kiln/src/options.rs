//! The options of a session, as a builder.

use kiln_codegen_client::Isolation;
use kiln_compile::Barriers;
use kiln_compile::Mutant;
use kiln_exec::DeviceChoice;
use kiln_ir::CheckBounds;
use kiln_packages::LoadPath;
use kiln_results::StoreOptions;
use kiln_runtime::heap::CollectionPolicy;
use kiln_targets::{DeviceModel, TargetFacts, ToolPaths};
use kiln_unit::Checks;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The options of a [`Session`](crate::Session). Nothing is read from the environment of the process.
///
/// ```
/// use kiln::{CheckBounds, Session, SessionOptions};
///
/// let options = SessionOptions::new().args(["10"]).check_bounds(CheckBounds::Yes).environment([("MODE", "fast")]);
/// let session = Session::new(options)?;
/// assert_eq!(session.eval("ENV[\"MODE\"] * ARGS[1]")?.as_str().as_deref(), Some("fast10"));
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SessionOptions {
    pub(crate) args: Vec<String>,
    pub(crate) program: String,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) color: bool,
    pub(crate) check_bounds: CheckBounds,
    pub(crate) isolated: bool,
    pub(crate) output_to_stderr: bool,
    pub(crate) trace: bool,
    pub(crate) times_interpreter: bool,
    pub(crate) times_bodies: bool,
    pub(crate) threads: usize,
    pub(crate) waits_for_code: bool,
    pub(crate) code_map: Option<PathBuf>,
    pub(crate) target: Option<TargetFacts>,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) barriers: Barriers,
    pub(crate) vector_bits: Option<u32>,
    pub(crate) checks: Checks,
    pub(crate) lockstep: bool,
    pub(crate) collections: CollectionPolicy,
    pub(crate) codegen: Option<PathBuf>,
    pub(crate) codegen_limit: Option<Duration>,
    pub(crate) worker: Option<PathBuf>,
    pub(crate) traces_panics: bool,
    pub(crate) tools: ToolPaths,
    pub(crate) device: DeviceChoice,
    pub(crate) imitated: Option<DeviceModel>,
    pub(crate) device_libraries: Vec<PathBuf>,
    pub(crate) shown_for: Vec<String>,
    pub(crate) load_path: Option<LoadPath>,
    pub(crate) packages: Option<PathBuf>,
    pub(crate) keeps_packages_of: Option<String>,
    pub(crate) package_files: BTreeMap<String, PathBuf>,
    pub(crate) library: Option<PathBuf>,
    pub(crate) image: Option<PathBuf>,
    pub(crate) store: Option<StoreOptions>,
    pub(crate) building: Option<Building>,
    pub(crate) knobs: Knobs,
}

/// The options of a session that an image is built with: kernels are compiled and linked, and not launched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Building {
    /// Devices that kernels are compiled for as well.
    pub(crate) devices: Vec<TargetFacts>,
    /// With machine code for NVIDIA GPUs, by NVIDIA's assembler, which has to be installed.
    pub(crate) machine_code: bool,
}

/// Options that only tests set: see [`internals`](crate::internals).
#[derive(Clone, Debug, Default)]
pub(crate) struct Knobs {
    pub(crate) interpret_host: bool,
    pub(crate) mutant: Option<Mutant>,
    pub(crate) host_opt_level: Option<u8>,
    pub(crate) base_from_text: bool,
    pub(crate) copies_arrays: bool,
    pub(crate) ignores_build_folder: bool,
}

impl SessionOptions {
    /// The usual options: no store, the processor or the first GPU, an empty `ENV`.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert!(session.eval("isempty(ENV)")?.as_bool().unwrap());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the program's `ARGS`.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// Sets `PROGRAM_FILE`.
    pub fn program(mut self, program: impl Into<String>) -> Self {
        self.program = program.into();
        self
    }

    /// Sets the variables that the program finds in `ENV`: none unless they are given. `std::env::vars()` gives those of the
    /// process.
    pub fn environment(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.environment = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// Colours the source lines in messages.
    pub fn color(mut self, color: bool) -> Self {
        self.color = color;
        self
    }

    /// Sets which bounds checks are made, on the host and in kernels.
    pub fn check_bounds(mut self, check_bounds: CheckBounds) -> Self {
        self.check_bounds = check_bounds;
        self
    }

    /// Keeps the program from changing files, from starting processes and from reading standard input, and drops its
    /// output.
    ///
    /// ```
    /// use kiln::{Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new().isolated(true))?;
    /// assert!(session.eval("open(io -> print(io, 1), \"file.txt\", \"w\")").is_err());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn isolated(mut self, isolated: bool) -> Self {
        self.isolated = isolated;
        self
    }

    /// Sends the program's output to standard error.
    pub fn output_to_stderr(mut self, to_stderr: bool) -> Self {
        self.output_to_stderr = to_stderr;
        self
    }

    /// Measures the time spent interpreting, for [`Timings`](crate::Timings): the interpreter reads the clock where it calls
    /// compiled code.
    pub fn times_interpreter(mut self, times: bool) -> Self {
        self.times_interpreter = times;
        self
    }

    /// Measures the time spent interpreting each body, for [`Session::hot_code`](crate::Session::hot_code). It takes time itself.
    pub fn times_bodies(mut self, times: bool) -> Self {
        self.times_bodies = times;
        self
    }

    /// Records the work of each thread with times, for [`Session::trace`](crate::Session::trace).
    pub fn trace(mut self, trace: bool) -> Self {
        self.trace = trace;
        self
    }

    /// Sets the number of threads that compile, and that run kernels on the processor; 0, the default: one a core.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets whether the program waits while its hot host code is compiled, so that each run compiles the same. By default a thread
    /// compiles beside it, where there is more than one.
    pub fn waits_for_code(mut self, waits: bool) -> Self {
        self.waits_for_code = waits;
        self
    }

    /// Sets the file that compiled code is listed in, as `perf` reads it: `/tmp/perf-PID.map`.
    pub fn code_map(mut self, path: Option<PathBuf>) -> Self {
        self.code_map = path;
        self
    }

    /// Sets the processor to compile for; without it this machine's, or the image's.
    pub fn target(mut self, target: Option<TargetFacts>) -> Self {
        self.target = target;
        self
    }

    /// Sets the form of kernels of the processor that have barriers. Without it, [`Barriers::Adaptive`].
    ///
    /// ```
    /// use kiln::{Barriers, Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new().barriers(Barriers::Regions))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn barriers(mut self, form: Barriers) -> Self {
        self.barriers = form;
        self
    }

    /// Sets the bits of the vectors in which kernels of the processor run items: 128, 256 or 512, whatever the processor has;
    /// 0: items run one after the other. Without it, the processor's own vectors.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new().vector_bits(Some(256)))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn vector_bits(mut self, bits: Option<u32>) -> Self {
        self.vector_bits = bits;
        self
    }

    /// Sets whether the items of a warp run kernels of the processor in lockstep, access by access: as on GPUs before NVIDIA's
    /// sm_70, which the processor imitates so in any case. Kernels that rely on it without barriers of the warp are wrong on others.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new().lockstep(true))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn lockstep(mut self, is_lockstep: bool) -> Self {
        self.lockstep = is_lockstep;
        self
    }

    /// Sets the bytes that the objects of Julia code should not exceed: collections come earlier then. It is no limit: objects that
    /// are reachable may exceed it.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new().heap_size_hint(100 << 20))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn heap_size_hint(mut self, bytes: u64) -> Self {
        self.collections.size_hint = bytes;
        self
    }

    /// Sets that every so many safepoints a whole collection runs, which overwrites freed objects: for tests of programs that
    /// use raw addresses, and of kiln. 0, the default: collections run when memory has grown.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new().collection_stress(1000))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn collection_stress(mut self, safepoints: u64) -> Self {
        self.collections.stress = safepoints;
        self
    }

    /// Sets the checks that kernels run with: on the processor, item by item and one after another. What they find is
    /// [`CheckFinding::of_session`](crate::CheckFinding::of_session).
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new().checks(kiln::Checks::ALL))?;
    /// assert!(kiln::CheckFinding::of_session(&session).is_empty());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn checks(mut self, checks: Checks) -> Self {
        self.checks = checks;
        self
    }

    /// Sets which kernels are compiled in a process of their own; without it those that LLVM is known to crash on.
    pub fn isolation(mut self, isolation: Option<Isolation>) -> Self {
        self.isolation = isolation;
        self
    }

    /// Sets the code generator to load, a shared library; the default is the one beside the executable.
    pub fn codegen(mut self, path: Option<PathBuf>) -> Self {
        self.codegen = path;
        self
    }

    /// Sets how long a request to a process of the code generator may take; five minutes without it.
    pub fn codegen_limit(mut self, limit: Option<Duration>) -> Self {
        self.codegen_limit = limit;
        self
    }

    /// Sets the program that is run as a process of the code generator, a `kiln`; the default is the one beside the executable.
    pub fn worker(mut self, program: Option<PathBuf>) -> Self {
        self.worker = program;
        self
    }

    /// Adds the call stack to messages about panics of the code generator in this process.
    pub fn traces_panics(mut self, traces: bool) -> Self {
        self.traces_panics = traces;
        self
    }

    /// Sets where the programs and libraries of vendors are looked for, before the places that vendors install them in.
    ///
    /// ```
    /// use kiln::{Session, SessionOptions, targets::ToolPaths};
    /// let path = std::env::var_os("PATH").unwrap_or_default();
    /// let tools = ToolPaths { programs: std::env::split_paths(&path).collect(), ..ToolPaths::default() };
    /// let session = Session::new(SessionOptions::new().tools(tools))?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn tools(mut self, tools: ToolPaths) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the default device of kernels.
    ///
    /// ```
    /// use kiln::{DeviceChoice, Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new().device(DeviceChoice::Cpu))?;
    /// println!("kernels run on {}", session.device().0);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets the device that the processor imitates: kernels run on the processor, launches that the device could not run are
    /// refused, and programs that ask are told of it.
    ///
    /// ```
    /// use kiln::{Session, SessionOptions};
    /// let model = kiln::targets::lookup("sm_80").and_then(|it| it.device_model());
    /// let session = Session::new(SessionOptions::new().imitate(model))?;
    /// assert_eq!(session.eval("using CUDA; CUDA.capability(device()) == v\"8.0\"")?.as_bool(), Some(true));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn imitate(mut self, model: Option<DeviceModel>) -> Self {
        self.imitated = model;
        self
    }

    /// Sets the bitcode libraries of device functions; `auto` finds the installed ones.
    pub fn device_libraries(mut self, paths: Vec<PathBuf>) -> Self {
        self.device_libraries = paths;
        self
    }

    /// Sets the targets that code is shown for where a back end is named and no target: the first of that back end.
    pub fn shown_for(mut self, targets: Vec<String>) -> Self {
        self.shown_for = targets;
        self
    }

    /// Sets the load path, the depots and the active project. Without it, the load path is Julia's default, and there is no depot.
    ///
    /// ```
    /// use kiln::{Session, SessionOptions, packages::LoadPath};
    /// let path = LoadPath { entries: vec!["@stdlib".into()], ..LoadPath::default() };
    /// let session = Session::new(SessionOptions::new().load_path(path))?;
    /// assert_eq!(session.eval("LOAD_PATH == [\"@stdlib\"] && isempty(DEPOT_PATH)")?.as_bool(), Some(true));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn load_path(mut self, path: LoadPath) -> Self {
        self.load_path = Some(path);
        self
    }

    /// Sets the folder of package checkouts, the last environment: `using Name` finds `Name.jl/src/Name.jl` in it.
    pub fn packages(mut self, folder: Option<PathBuf>) -> Self {
        self.packages = folder;
        self
    }

    /// Keeps the packages that a program with this text loads first, once they are loaded, in the store: a later session for a program
    /// that begins with the same ones, as they are then, starts with them. Without, no packages are kept.
    pub fn keeps_packages_of(mut self, program: Option<String>) -> Self {
        self.keeps_packages_of = program;
        self
    }

    /// Adds a package: `using NAME` loads this file, unless the library has a package of that name.
    ///
    /// ```
    /// # let file = std::env::temp_dir().join(format!("kiln-doc-package-{}.jl", std::process::id()));
    /// std::fs::write(&file, "module Areas\nsquare(x) = x * x\nend").unwrap();
    /// let session = kiln::Session::new(kiln::SessionOptions::new().package("Areas", &file))?;
    /// assert_eq!(session.eval("using Areas; Areas.square(3)")?.as_i64(), Some(9));
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn package(mut self, name: impl Into<String>, file: impl Into<PathBuf>) -> Self {
        self.package_files.insert(name.into(), file.into());
        self
    }

    /// Sets a directory to load the standard library from, instead of the embedded one.
    pub fn library(mut self, folder: Option<PathBuf>) -> Self {
        self.library = folder;
        self
    }

    /// Sets the image to take compiled code from. One that cannot be used is refused with a warning.
    pub fn image(mut self, path: Option<PathBuf>) -> Self {
        self.image = path;
        self
    }

    /// Sets where compiled code is kept from one process to the next; nowhere without it.
    pub fn store(mut self, store: Option<StoreOptions>) -> Self {
        self.store = store;
        self
    }
}
