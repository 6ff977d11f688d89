//! One Julia session: the runtime with its front end, its services and its driver.

use crate::devices::Device;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::frontend::{FrontState, SessionFrontend, span_of};
use crate::host_io::StdIo;
use crate::kept_lowering::KeptLowering;
use crate::kept_packages::{self, Foundation, Kept};
use crate::library::{self, Library};
use crate::options::SessionOptions;
use crate::seen_inputs::SeenInputs;
use crate::signature::run_and_evaluate;
use crate::{preload, snapshot};
use kiln_codegen_client::ClientOptions;
use kiln_compile::libraries::DeviceLibrary;
use kiln_compile::{CompilerOptions, Mutant, Warps, open_image, use_image};
use kiln_driver::{Driver, DriverOptions};
use kiln_exec::{DeviceChoice, DeviceId, ExecEnv, ExecOptions};
use kiln_exec::{default_device, device_choice, device_name, drain, finish_pending, open_device};
use kiln_inspect::{Ended, why};
use kiln_metrics::{Compilation, Counters, ThreadTrace, Timings};
use kiln_packages::{DEFAULT_LOAD_PATH, LoadPath};
use kiln_runtime::eval::{packages, toplevel};
use kiln_runtime::heap::{allocation, arrays, collect, memory, mutator, text};
use kiln_runtime::image::Snapshot;
use kiln_runtime::interp::{define, globals, statement};
use kiln_runtime::tables::rename_for_session;
use kiln_runtime::{Runtime, Value};
use kiln_runtime::{bug, collecting};
use kiln_targets::TargetFacts;
use kiln_types::{Module, Types, mutant};
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The interpreted bodies that are listed.
const BODIES_SHOWN: usize = 40;
/// The time that the end of a process waits for code of later ones.
const FINISHING_MAX: Duration = Duration::from_millis(500);
/// The file that the code generator is in.
const CODEGEN: &str = "libkiln_codegen.so";

/// A running Julia session. Two of them in one process do not see each other.
///
/// A session is a handle: clones are the same session, which ends with the last of them and of the modules, kernels,
/// arrays and values that came from it. Threads may share it; it locks inside.
///
/// ```
/// use kiln::{Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// session.run_text("example", "answer() = 6 * 7")?;
/// assert_eq!(session.eval("answer()")?.as_i64(), Some(42));
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    pub(crate) rt: Arc<LiveRuntime>,
    pub(crate) front: Arc<FrontState>,
    pub(crate) driver: Arc<Driver>,
    started: Instant,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// The runtime of a session, whose tasks end with it.
pub(crate) struct LiveRuntime(Arc<Runtime>);

impl Deref for LiveRuntime {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        &self.0
    }
}

impl Drop for LiveRuntime {
    fn drop(&mut self) {
        kiln_runtime::tasks::end(&self.0);
    }
}

impl Session {
    /// Starts a session: Base is loaded, `Main` is empty.
    ///
    /// # Errors
    /// When a device or a library that the options name cannot be used.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn new(options: SessionOptions) -> Result<Self, Error> {
        match kept_packages::wanted(&options) {
            Some(wanted) => kept_packages::begin(&options, &wanted),
            None => begin(&options, Foundation::Base).map(|it| it.0),
        }
    }

    /// Opens a device, for kernels that are to run on another than the session's.
    ///
    /// # Errors
    /// Why it cannot be used.
    ///
    /// ```
    /// use kiln::{DeviceChoice, DeviceId, Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new())?;
    /// assert_eq!(session.open_device(DeviceChoice::Cpu)?, DeviceId::CPU);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn open_device(&self, choice: DeviceChoice) -> Result<DeviceId, Error> {
        let opened = open_device(self.driver.exec(), choice);
        opened.map_err(|it| Error::program(format!("error[no-device]: {it}")))
    }

    /// Adds a device that kiln has no driver for, to run kernels on that name it.
    ///
    /// # Errors
    /// When kiln makes no code for its target.
    pub fn add_device(&self, device: Arc<dyn Device>) -> Result<DeviceId, Error> {
        let added = self.driver.exec().devices.add(device);
        added.map_err(|it| Error::program(format!("error[no-device]: {it}")))
    }

    /// Returns the name of the default device, and the name of its target.
    ///
    /// ```
    /// use kiln::{DeviceChoice, Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new().device(DeviceChoice::Cpu))?;
    /// let (name, target) = session.device();
    /// assert!(!name.is_empty() && !target.is_empty());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn device(&self) -> (String, String) {
        let exec = self.driver.exec();
        device_name(exec, default_device(exec))
    }

    /// Runs a file in `Main`, as the command does. [`Session::load`] gives its functions as well.
    ///
    /// # Errors
    /// When it cannot be read, or throws.
    ///
    /// ```
    /// # let file = std::env::temp_dir().join(format!("kiln-doc-run-{}.jl", std::process::id()));
    /// # let path = file.to_str().unwrap();
    /// std::fs::write(path, "x = sum(1:10)").unwrap();
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// session.run_file(path)?;
    /// assert_eq!(session.eval("x")?.as_i64(), Some(55));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn run_file(&self, path: &str) -> Result<(), Error> {
        self.run_source(path, &read_program(path)?)
    }

    /// Runs the text of a file in `Main`, as [`Session::run_file`] does.
    ///
    /// # Errors
    /// When it throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// session.run_source("worker.jl", "file = basename(@__FILE__)")?;
    /// assert_eq!(session.eval("file == \"worker.jl\"")?.as_bool(), Some(true));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn run_source(&self, path: &str, text: &str) -> Result<(), Error> {
        let absolute =
            std::path::absolute(path).map_or_else(|_| path.to_owned(), |it| it.display().to_string());
        self.run_in(Module::MAIN, &absolute, path, text)
    }

    /// Runs a text in `Main`; `name` is the file name in messages.
    ///
    /// # Errors
    /// When it throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let error = session.run_text("worker.jl", "xs = [1, 2]\nxs[3]").unwrap_err();
    /// assert_eq!(error.code, "bounds-error");
    /// assert_eq!(error.diagnostics[0].place.as_ref().unwrap().line, 2);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn run_text(&self, name: &str, text: &str) -> Result<(), Error> {
        self.run_in(Module::MAIN, name, name, text)
    }

    /// Runs a text in the module that `Main` binds to `module`; `name` is the file name in messages.
    ///
    /// # Errors
    /// When there is no such module, or the text throws.
    pub fn run_text_in(&self, module: &str, name: &str, text: &str) -> Result<(), Error> {
        let module = self.main_module().module(module)?;
        self.run_in(module.id(), name, name, text)
    }

    /// Does work that runs Julia code, while no other thread compiles, launches or runs any; a panic is an error.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        mutator::exclusive(&self.rt.heap, || bug::catch(work)).map_err(|it| Error::bug(&it))?
    }

    pub(crate) fn run_in(&self, module: Module, path: &str, name: &str, text: &str) -> Result<(), Error> {
        let start = Instant::now();
        let outcome = self.alone(|| {
            let outcome =
                packages::within_file(&self.rt, path, || toplevel::eval_text(&self.rt, module, name, text));
            // What was launched is over when the program is, also where it has failed.
            let launched = drain(&self.exec_env());
            outcome.and(launched).map_err(|it| self.failure(&it))
        });
        self.driver.compiler().counters.span("run", || name.to_owned(), start, start.elapsed());
        let flushed = self.rt.io.flush();
        outcome?;
        flushed.map_err(|it| Error::program(format!("cannot write output: {it}")))
    }

    /// Runs the functions that the program gave to `atexit`. `failed`: the program threw, so its exit code is 1.
    ///
    /// # Errors
    /// When one ends the process or kiln fails; exceptions are reported on standard error.
    pub fn run_exit_functions(&self, failed: bool) -> Result<(), Error> {
        let pending = self.rt.base_global("exits_pending").and_then(|it| it.as_bool(self.rt.types.core()));
        if pending != Some(true) {
            return Ok(());
        }
        let code = self.exit_code().unwrap_or(u8::from(failed));
        self.run_text("exit", &format!("Base.run_exit_functions({code})"))
    }

    /// Uses compiled code from the image at `path` from now on, where it is valid for the loaded code.
    /// [`image::build_image`](crate::image::build_image) makes images.
    ///
    /// # Errors
    /// The reason why the image is refused.
    pub fn load_image(&self, path: &Path) -> Result<(), Error> {
        let compiler = self.driver.compiler();
        let opened = open_image(path, self.rt.image, || compiler.codegen.identity());
        let used = opened.and_then(|it| mutator::exclusive(&self.rt.heap, || use_image(compiler, it)));
        used.map_err(|why| {
            Error::program(format!("{} is not used: {why}", path.display())).with_code("image")
        })
    }

    /// Returns the reasons why compiled results of a function ended while a file ran.
    ///
    /// # Errors
    /// When the file fails, the signature is invalid, or no method takes the arguments.
    pub fn why(&self, path: &str, signature: &str) -> Result<Vec<Ended>, Error> {
        let (function, tuple) = run_and_evaluate(self, path, signature)?;
        self.alone(|| {
            why(&self.exec_env(), function, tuple)
                .map_err(|it| Error::of_inspection(self.driver().compiler(), &self.front, &it))
        })
    }

    /// Returns the times and counts so far.
    pub fn timings(&self) -> Timings {
        let mut now = self.driver.compiler().counters.now();
        let front = &self.front.counts;
        now.parse_ns = front.parse_ns.load(Ordering::Relaxed);
        now.lower_ns = front.lower_ns.load(Ordering::Relaxed);
        now.parses = front.parses.load(Ordering::Relaxed);
        now.expansions = front.expansions.load(Ordering::Relaxed);
        now.lowerings = front.lowerings.load(Ordering::Relaxed);
        now.lowered_found = front.lowered_found.load(Ordering::Relaxed);
        if let Some(store) = self.driver.results().stats() {
            now.saved_ns = store.time_saved().as_nanos() as u64;
            now.verified += store.verified;
            now.mismatches += store.mismatches;
            let remote = store.upstream.unwrap_or_default();
            [now.remote_hits, now.remote_misses, now.remote_rejected] =
                [remote.hits, remote.misses, remote.rejected];
            [now.remote_bytes, now.remote_offered] = [remote.bytes, remote.offered];
            now.remote_ns = remote.waited.as_nanos() as u64;
        }
        [now.bytes_to_devices, now.bytes_from_devices] = self.driver.exec().devices.copied_bytes();
        let pauses = collecting::pauses(&self.rt);
        now.interpreted_ns = statement::interpreted_nanos(&self.rt);
        now.collections = allocation::stats(&self.rt.heap).collections;
        (now.pauses, now.pause_total_ns, now.pause_max_ns) =
            (pauses.count(), pauses.total(), pauses.longest());
        (now.pause_median_ns, now.pause_most_ns) = (pauses.percentile(50), pauses.percentile(99));
        now.total_ns = self.started.elapsed().as_nanos() as u64;
        now
    }

    /// Returns the timeline of each thread; empty unless the session was started with a trace.
    pub fn trace(&self) -> Vec<ThreadTrace> {
        self.driver.compiler().counters.trace()
    }

    /// Returns the compilations and their costs, in order.
    pub fn compilations(&self) -> Vec<Compilation> {
        self.driver.exec().notes.compilations.entries()
    }

    /// Lists host functions that ran often: the compile time of each, or the reason why it is interpreted. With
    /// [`SessionOptions::times_bodies`], the bodies that were interpreted longest follow, with the time in each alone. For kiln's developers.
    pub fn hot_code(&self) -> String {
        let mut out = String::new();
        for it in self.driver.exec().notes.hot.entries() {
            let ms = it.nanos as f64 * 1e-6;
            let _ = match it.outcome {
                Ok(()) => writeln!(out, "{ms:9.2} ms compiled    {}", it.name),
                Err(why) => writeln!(out, "{ms:9.2} ms interpreted {}: {why}", it.name),
            };
        }
        for (name, loc, time) in statement::interpreted_bodies(&self.rt).into_iter().take(BODIES_SHOWN) {
            let (ms, name) = (time.nanos as f64 * 1e-6, self.rt.types.name(name));
            let place = self.rt.frontend.place(loc).map(|(file, line)| format!(" at {file}:{line}"));
            let place = place.unwrap_or_default();
            let _ = writeln!(out, "{ms:9.2} ms in {} interpreted calls of {name}{place}", time.calls);
        }
        out
    }

    /// Waits for code that is generated in the background for functions that ran often, so that later processes find it: for at most
    /// the time that the session has taken, and half a second. For the end of a process.
    ///
    /// # Errors
    /// When kiln fails.
    pub fn finish_compiling(&self) -> Result<(), Error> {
        let limit = self.started.elapsed().min(FINISHING_MAX);
        self.alone(|| {
            finish_pending(&self.exec_env(), limit);
            Ok(())
        })
    }

    /// Closes the store: pending results are written, within a second. Of the code that is generated in the background, what the
    /// code generator is at is finished and stored, and the rest is given up.
    ///
    /// # Errors
    /// In the verifying mode: the number of units that differ from the stored ones.
    pub fn close_store(&self) -> Result<(), Error> {
        if let Some(background) = &self.driver.exec().background {
            background.settle();
        }
        self.driver.results().close();
        let sampled = self.driver.compiler().counters.mismatches.load(Ordering::Relaxed);
        match sampled + self.driver.results().stats().map_or(0, |it| it.mismatches) {
            0 => Ok(()),
            count => Err(Error::new(
                ErrorKind::Bug,
                format!("results that differ from those in the cache: {count}"),
            )
            .with_code("cache-differs")),
        }
    }

    /// Returns the warnings beside the program's own.
    ///
    /// ```
    /// use kiln::{Session, SessionOptions};
    /// let session = Session::new(SessionOptions::new().image(Some("no-such.kimg".into())))?;
    /// let warnings = session.warnings();
    /// assert!(warnings[0].is_warning && warnings[0].message.starts_with("no-such.kimg is not used"));
    /// assert_eq!(warnings[0].code, "image-unused");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let own = self.driver.compiler().warnings.lock().clone();
        let files = self.front.files.lock();
        let mut all: Vec<_> = own.iter().map(|it| Diagnostic::new(it, &files)).collect();
        drop(files);
        if let Some(error) = self.driver.results().open_error() {
            all.push(Diagnostic::warning("cache-unavailable", format!("compiled code is not kept: {error}")));
        }
        let problems = self.driver.results().stats().into_iter().flat_map(|it| it.problems);
        all.extend(problems.map(|it| Diagnostic::warning("cache", it)));
        match self.driver.results().damaged_in_images() {
            0 => {}
            count => all.push(Diagnostic::warning(
                "image-damaged",
                format!("{count} entries of the image are damaged; what they held was compiled again"),
            )),
        }
        all
    }

    /// Whether the output's reader has closed it.
    pub fn is_output_closed(&self) -> bool {
        self.rt.io.is_output_closed()
    }

    /// The exit code the program asked for by `exit(n)`.
    pub fn exit_code(&self) -> Option<u8> {
        self.rt.io.exit_code().map(|it| it as u8)
    }

    /// Returns the runtime, for compilers of other languages and of deferred calls: see [`caching`](crate::caching) and
    /// [`deferred`](crate::deferred).
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let types = &session.runtime().types;
    /// assert_eq!(kiln::deferred::display::of_type(types, types.core().int64), "Int64");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn runtime(&self) -> &Runtime {
        &self.rt
    }

    /// Compiles, launches, and stores results.
    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The environment of execution.
    #[inline]
    pub(crate) fn exec_env(&self) -> ExecEnv<'_> {
        self.driver.env(&self.rt)
    }
}

/// Starts a session from a foundation, and returns the entry of the store for it.
pub(crate) fn begin(
    options: &SessionOptions,
    foundation: Foundation<'_>,
) -> Result<(Session, Option<Kept>), Error> {
    let (session, kept) = founded(options, foundation)?;
    let has_packages =
        matches!(foundation, Foundation::Snapshot(..)) || matches!(kept, Some(Kept::Session(_)));
    if !options.knobs.interpret_host {
        let _ = session.rt.compiler.set(session.driver.clone());
    }
    match device_choice(session.driver.exec()) {
        DeviceChoice::Auto | DeviceChoice::Cpu => {}
        choice @ (DeviceChoice::Cuda(_) | DeviceChoice::OpenCl(_)) => {
            session.open_device(choice)?;
        }
    }
    let flags = [("building", options.building.is_some()), ("imitating", options.imitated.is_some())];
    for (flag, _) in flags.into_iter().filter(|it| it.1) {
        let types = &session.rt.types;
        let (base, flag) = (Module::BASE, types.symbol(flag));
        let set = globals::set(&session.rt, base, flag, session.rt.heap.bool(true));
        set.map_err(|it| session.failure(&it))?;
    }
    define_program(&session.rt, &options.program);
    if !has_packages {
        set_load_path(&session, options.load_path.as_ref())?;
    }
    let base = session.started.elapsed();
    let counters = &session.driver.compiler().counters;
    counters.base_ns.store(base.as_nanos() as u64, Ordering::Relaxed);
    counters.span("base", String::new, session.started, base);
    Ok((session, kept))
}

/// Does work that compiles, launches or makes objects, while no other thread runs Julia code; a panic is an error.
pub(crate) fn shared<T>(session: &Session, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    mutator::shared(&session.rt.heap, || bug::catch(work)).map_err(|it| Error::bug(&it))?
}

/// A session from a foundation, without anything that belongs to the program that is to run.
pub(crate) fn founded(
    options: &SessionOptions,
    foundation: Foundation<'_>,
) -> Result<(Session, Option<Kept>), Error> {
    let started = Instant::now();
    let front = Arc::new(FrontState::with_color(options.color));
    let counters = Arc::new(Counters::new(options.trace));
    let library = Library::new(options.library.clone());
    let is_frozen = !options.knobs.base_from_text && snapshot::is_usable(&library);
    let unusable = |it| Error::program(format!("the snapshot of Base cannot be used: {it}"));
    let base = is_frozen.then(snapshot::of_program).transpose().map_err(unusable)?;
    let driver = open_driver(&front, &counters, options, base.as_ref().map(Snapshot::id))?;
    let services =
        |seen: Arc<SeenInputs>| Box::new(StdIo::new(options, library.clone(), started).with_seen(seen));
    let thaw = |it: &Snapshot, seen| snapshot::thaw(it, &front, services(seen));
    let (found, kept, seen) = match foundation {
        Foundation::Base => (None, None, Arc::default()),
        Foundation::Watched(wanted) => (None, None, wanted.seen.clone()),
        Foundation::Snapshot(it, wanted) => {
            (Some(thaw(it, wanted.seen.clone()).map_err(unusable)?), None, Arc::default())
        }
        Foundation::Kept(wanted) => match wanted.look_up(driver.results()) {
            // One that cannot be used is made again.
            Some(Kept::Session(it)) => match thaw(&it, wanted.seen.clone()) {
                Ok(rt) => (Some(rt), Some(Kept::Session(it)), Arc::default()),
                Err(_) => (None, None, wanted.seen.clone()),
            },
            kept => (None, kept, wanted.seen.clone()),
        },
    };
    let rt = match (found, &base) {
        (Some(rt), _) => rt,
        (None, Some(base)) => thaw(base, seen).map_err(unusable)?,
        (None, None) => {
            let frontend = Box::new(SessionFrontend { state: front.clone() });
            Runtime::new(Arc::new(Types::new()), frontend, services(seen))
        }
    };
    let rt = configure(rt, options, &driver);
    let _ = front.kept.set(Box::new(KeptLowering(Arc::downgrade(&driver))));
    let session = Session { rt: Arc::new(LiveRuntime(rt)), front, driver, started };
    if is_frozen {
        // Evaluated when the snapshot was made.
        define_args(&session.rt, &options.args);
    } else {
        // By the interpreter: compiling would cost more than it saves.
        load_base(&session, &library)?;
    }
    Ok((session, kept))
}

/// The driver, with the image of the options if there is one that fits the snapshot.
fn open_driver(
    front: &Arc<FrontState>,
    counters: &Arc<Counters>,
    options: &SessionOptions,
    snapshot: Option<[u8; 32]>,
) -> Result<Arc<Driver>, Error> {
    let codegen = codegen(options);
    let identity = || kiln_codegen_client::identity(codegen.as_deref());
    let image = options.image.as_ref().map(|it| open_image(it, snapshot, identity));
    let opened = image.as_ref().and_then(|it| it.as_ref().ok());
    let target = options.target.clone().or_else(|| opened.map(|it| it.target.clone()));
    let driver = Arc::new(make_driver(front, counters, options, (target, codegen.clone()))?);
    let used = image.map(|it| it.and_then(|it| use_image(driver.compiler(), it)));
    if let (Some(Err(why)), Some(path)) = (used, &options.image) {
        driver.compiler().warn("image-unused", format!("{} is not used: {why}", path.display()));
    }
    Ok(driver)
}

/// The runtime as the options ask, with the driver as its services.
fn configure(mut rt: Runtime, options: &SessionOptions, driver: &Arc<Driver>) -> Arc<Runtime> {
    rt.have_fma = driver.compiler().options.facts.have_fma;
    rt.check_bounds = options.check_bounds;
    collect::set_policy(&rt.heap, options.collections);
    if options.times_interpreter || options.times_bodies {
        statement::time_interpreter(&rt, options.times_bodies);
    }
    if options.checks.memory {
        memory::set_red_zone(&rt.heap, RED_ZONE);
    }
    if let Some(Mutant::Front(it)) = options.knobs.mutant {
        mutant::set(&rt.types, it);
    }
    let _ = rt.kernels.set(driver.clone());
    let _ = rt.stored_code.set(driver.clone());
    let rt = Arc::new(rt);
    rt.enable_tasks();
    rt
}

/// Loads Base from its text, by the interpreter.
fn load_base(session: &Session, library: &Library) -> Result<(), Error> {
    let files = library.order().into_iter().map(|name| {
        let path = format!("core/{name}");
        library.text(&path).map(|text| (path, text)).ok_or(name)
    });
    let files = files
        .collect::<Result<Vec<_>, _>>()
        .map_err(|name| Error::program(format!("base/core/order.txt names {name}, which is not there")))?;
    preload::load_base(&session.rt, files).map_err(|it| session.failure(&it))
}

fn define(rt: &Runtime, name: &str, value: Value) {
    let name = rt.types.symbol(name);
    let _ = rename_for_session(&rt.tables, || define::constant(rt, Module::BASE, name, value));
}

/// Sets `PROGRAM_FILE`. A session that was kept may have it.
fn define_program(rt: &Runtime, program: &str) {
    let known = rt.base_global("PROGRAM_FILE").and_then(|it| text::read(&rt.heap, it));
    if known.as_deref() != Some(program) {
        define(rt, "PROGRAM_FILE", text::string(&rt.heap, program));
    }
}

/// Sets `ARGS`, which a session that was kept may have.
fn define_args(rt: &Runtime, args: &[String]) {
    let heap = &rt.heap;
    let known = rt.base_global("ARGS").filter(|it| arrays::is_array(heap, *it));
    let known = known.map(|it| arrays::values(heap, it).into_iter().filter_map(|it| text::read(heap, it)));
    if known.map(Vec::from_iter).as_deref() != Some(args) {
        let args: Vec<Value> = args.iter().map(|it| text::string(heap, it)).collect();
        define(rt, "ARGS", arrays::vector(heap, rt.types.core().string, &args));
    }
}

/// Sets `LOAD_PATH`, `DEPOT_PATH` and the active project; without a path, Julia's default.
fn set_load_path(session: &Session, path: Option<&LoadPath>) -> Result<(), Error> {
    let rt = &session.rt;
    let default =
        || LoadPath { entries: DEFAULT_LOAD_PATH.map(str::to_owned).to_vec(), ..LoadPath::default() };
    let path = path.cloned().unwrap_or_else(default);
    for (name, texts) in [("LOAD_PATH", &path.entries), ("DEPOT_PATH", &path.depots)] {
        let texts: Vec<Value> = texts.iter().map(|it| text::string(&rt.heap, it)).collect();
        define(rt, name, arrays::vector(&rt.heap, rt.types.core().string, &texts));
    }
    if let Some(tested) = &path.tested {
        define(rt, "TESTED_PROJECT", text::string(&rt.heap, tested));
    }
    if let (Some(project), Some(set)) = (&path.project, rt.base_global("set_active_project")) {
        rt.call_latest(set, &[text::string(&rt.heap, project)]).map_err(|it| session.failure(&it))?;
    }
    Ok(())
}

/// Reads a program.
///
/// # Errors
/// When there is no such file, or it is not text.
///
/// ```
/// let error = kiln::read_program("no-such-file.jl").unwrap_err();
/// assert!(error.to_string().contains("there is no such file"));
/// ```
pub fn read_program(path: &str) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|it| {
        let why = match it.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            _ => it.to_string(),
        };
        Error::usage(format!("error[missing-file]: cannot read `{path}`: {why}"))
    })?;
    String::from_utf8(bytes).map_err(|_| Error::program(format!("`{path}` is not UTF-8 text")))
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Session>();
};

/// Returns the code generator of the options. Debug builds of programs without one beside them, such as documentation
/// tests, use the one of the build.
pub(crate) fn codegen(options: &SessionOptions) -> Option<PathBuf> {
    let of_build = option_env!("KILN_BUILD_FOLDER").filter(|_| !options.knobs.ignores_build_folder);
    let of_build = || {
        let beside = std::env::current_exe().ok()?;
        let is_beside = beside.ancestors().skip(1).take(2).any(|it| it.join(CODEGEN).is_file());
        of_build.map(|it| Path::new(it).join(CODEGEN)).filter(|it| !is_beside && it.is_file())
    };
    options.codegen.clone().or_else(of_build)
}

/// Opens the named libraries for devices.
fn device_libraries(given: &SessionOptions) -> Result<Vec<DeviceLibrary>, Error> {
    let mut libraries = Vec::new();
    for path in &given.device_libraries {
        let named = DeviceLibrary::named(path, &given.tools);
        libraries.extend(named.map_err(|it| Error::usage(format!("error: a library for devices: {it}")))?);
    }
    Ok(libraries)
}

/// Bytes behind arrays where accesses of checked kernels are out of bounds.
const RED_ZONE: u64 = 64;

/// Returns the device of kernels: checked ones run on the processor.
fn device_of(given: &SessionOptions) -> Result<DeviceChoice, Error> {
    match given.device {
        it if !given.checks.any() => Ok(it),
        DeviceChoice::Auto | DeviceChoice::Cpu => Ok(DeviceChoice::Cpu),
        other => Err(Error::usage(format!("error: kernels are checked on the processor, not on {other}"))),
    }
}

/// Returns the warps of kernels: those of the imitated device.
fn warps(given: &SessionOptions) -> Warps {
    let plain = Warps { lockstep: given.lockstep, ..Warps::default() };
    given
        .imitated
        .as_ref()
        .map_or(plain, |it| Warps { lanes: it.lanes, lockstep: plain.lockstep || it.lockstep })
}

fn make_driver(
    front: &Arc<FrontState>,
    counters: &Arc<Counters>,
    given: &SessionOptions,
    (target, codegen): (Option<TargetFacts>, Option<PathBuf>),
) -> Result<Driver, Error> {
    let libraries = device_libraries(given)?;
    let device = device_of(given)?;
    let (for_render, for_files) = (front.clone(), front.clone());
    let is_target_named = target.is_some();
    let native = || kiln_targets::lookup("native");
    let facts = target
        .or_else(native)
        .ok_or_else(|| Error::program("this machine's processor is not one kiln knows"))?;
    let compiler = CompilerOptions {
        facts,
        mutant: given.knobs.mutant,
        threads: given.threads,
        host_opt_level: given.knobs.host_opt_level,
        barriers: given.barriers,
        vector_bits: given.vector_bits,
        checks: given.checks,
        warps: warps(given),
        code_map: given.code_map.clone(),
        // An image is for sessions with a device and without.
        uses_device: given.building.is_none() && !matches!(device, DeviceChoice::Auto | DeviceChoice::Cpu),
        libraries,
        tools: given.tools.clone(),
        render: Box::new(move |diagnostics| for_render.render(diagnostics)),
        is_user_file: Box::new(move |loc| {
            let files = for_files.files.lock();
            let file = span_of(loc).and_then(|it| files.get(it.file).map(|it| it.name.clone()));
            file.is_some_and(|it| !it.starts_with(library::PREFIX))
        }),
    };
    let options = DriverOptions {
        compiler,
        codegen: ClientOptions {
            library: codegen,
            isolation: given.isolation.unwrap_or_default(),
            worker: given.worker.clone(),
            traces_panics: given.traces_panics,
            limit: given.codegen_limit.unwrap_or(kiln_codegen_client::LIMIT_USUAL),
        },
        store: given.store.clone(),
        collects: given.building.is_some(),
        exec: ExecOptions {
            is_target_named,
            device,
            imitated: given.imitated.clone(),
            copies_arrays: given.knobs.copies_arrays,
            waits_for_code: given.waits_for_code,
            image_devices: given.building.as_ref().map_or_else(Vec::new, |it| it.devices.clone()),
            image_machine_code: given.building.as_ref().is_some_and(|it| it.machine_code),
        },
        shown_for: given.shown_for.clone(),
    };
    Ok(Driver::new(options, counters.clone()))
}
