//! One Julia session: the runtime with its front end, its services and its driver.

use crate::devices::Device;
use crate::failure::Failure;
use crate::frontend::{FrontState, SessionFrontend, span_of};
use crate::host_io::{IoState, StdIo};
use crate::library;
use crate::{preload, snapshot};
use kiln_codegen_client::{ClientOptions, Isolation};
use kiln_compile::libraries::DeviceLibrary;
use kiln_compile::{CompilerOptions, Mutant};
use kiln_driver::{CompiledFunction, DeviceChoice, DeviceId, Driver, DriverOptions, Ended, open_image};
use kiln_ir::CheckBounds;
use kiln_metrics::{Compilation, Counters, ThreadTrace, Timings};
use kiln_results::StoreOptions;
use kiln_runtime::bug;
use kiln_runtime::tables::{Binding, TableId};
use kiln_runtime::{Runtime, Value};
use kiln_targets::TargetFacts;
use kiln_types::{Module, Type, Types};
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The options of a session.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The program's `ARGS`.
    pub args: Vec<String>,
    /// `PROGRAM_FILE`.
    pub program: String,
    /// Colour in diagnostics.
    pub color: bool,
    /// Host code is never compiled, however often it runs: the interpreter is the oracle of tests.
    pub interpret_host: bool,
    /// Which bounds checks are made, on the host and in kernels.
    pub check_bounds: CheckBounds,
    /// The program changes no file, sees no standard input, and its output is dropped: for generated programs.
    pub isolated: bool,
    /// Sends the program's output to standard error: standard output is for the answers about it.
    pub output_to_stderr: bool,
    /// A mistake for the compiler to make, to test tests with.
    pub mutant: Option<Mutant>,
    /// How far compiled host code is optimized, from 0 to 3; `None`: as much as pays.
    pub host_opt_level: Option<u8>,
    /// Where Base comes from.
    pub base: BaseSource,
    /// Takes a note of what each thread does and when.
    pub trace: bool,
    /// The target to compile for; `None`: this machine, or the image's.
    pub target: Option<TargetFacts>,
    /// The kernels that are compiled in a process of their own; `None`: as `KILN_ISOLATE` says, else those LLVM is known
    /// to crash on.
    pub isolation: Option<Isolation>,
    /// How long a request to such a process may take; `None`: five minutes.
    pub codegen_limit: Option<Duration>,
    /// The device of kernels. `Auto` follows `KILN_DEVICE`, if that is set.
    pub device: DeviceChoice,
    /// Libraries of functions for devices, bitcode; `auto`: those that are found. If none is named, those of the environment's
    /// `KILN_DEVICE_LIBRARY`, separated as in `PATH`.
    pub device_libraries: Vec<PathBuf>,
    /// Arrays are copied to devices and back, even to those that reach them where they are: to test that.
    pub copies_arrays: bool,
    /// An image to take compiled code from. One that cannot be used is refused with a warning.
    pub image: Option<PathBuf>,
    /// Kernels are compiled and linked, and not launched; what is compiled is remembered, for an image.
    pub builds_image: bool,
    /// Devices that kernels are compiled for as well where an image is built.
    pub image_devices: Vec<TargetFacts>,
    /// With machine code for NVIDIA GPUs, by NVIDIA's assembler, which has to be installed.
    pub image_machine_code: bool,
    /// Where compiled units are kept from one process to the next; `None`: nowhere.
    pub store: Option<StoreOptions>,
}

/// Where a session gets Base from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseSource {
    /// The snapshot in the program; from its text if there is none, or `KILN_BASE` names another library.
    #[default]
    Snapshot,
    /// Its text: slower, and the same.
    Text,
}

/// A running session. Two of them in one process do not see each other.
pub struct Session {
    pub(crate) rt: Arc<Runtime>,
    pub(crate) front: Arc<FrontState>,
    io: Arc<IoState>,
    counters: Arc<Counters>,
    driver: Arc<Driver>,
    warnings: Arc<Mutex<Vec<String>>>,
    started: Instant,
    pub(crate) color: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.rt.end_tasks();
    }
}

impl Session {
    /// Starts a session: Base is loaded, `Main` is empty.
    ///
    /// # Errors
    /// When the library does not load, which is a bug in kiln.
    pub fn new(options: SessionOptions) -> Result<Self, Failure> {
        let session = Self::bare(&options)?;
        if !options.interpret_host {
            let _ = session.rt.compiler.set(session.driver.clone());
        }
        match session.driver.device_choice() {
            DeviceChoice::Auto | DeviceChoice::Cpu => {}
            choice @ (DeviceChoice::Cuda(_) | DeviceChoice::OpenCl(_)) => {
                session.open_device(choice)?;
            }
        }
        if options.builds_image {
            let types = &session.rt.types;
            let building = types.symbol("building");
            let set = session.rt.set_global(types.base_module(), building, session.rt.heap.bool(true));
            set.map_err(|it| session.failure(&it))?;
        }
        session.define("PROGRAM_FILE", session.rt.heap.string(&options.program));
        let base = session.started.elapsed();
        session.counters.base_ns.store(base.as_nanos() as u64, Ordering::Relaxed);
        session.counters.span("base", String::new, session.started, base);
        Ok(session)
    }

    /// Opens a device, for kernels that are to run on another than the session's.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open_device(&self, choice: DeviceChoice) -> Result<DeviceId, Failure> {
        self.driver.open_device(choice).map_err(|it| Failure::program(format!("error[no-device]: {it}")))
    }

    /// Adds a device that kiln has no driver for, to run kernels on that name it.
    ///
    /// # Errors
    /// When kiln makes no code for its target.
    pub fn add_device(&self, device: Arc<dyn Device>) -> Result<DeviceId, Failure> {
        self.driver.add_device(device).map_err(|it| Failure::program(format!("error[no-device]: {it}")))
    }

    /// The device that kernels run on of which nothing else is said: what people call it, and the target that it runs code
    /// of.
    pub fn device(&self) -> (String, String) {
        self.driver.device_name(self.driver.default_device())
    }

    /// A session with Base and nothing that belongs to the program that is to run.
    pub(crate) fn bare(options: &SessionOptions) -> Result<Self, Failure> {
        let started = Instant::now();
        let front = Arc::new(FrontState::default());
        let io = Arc::new(IoState::default());
        let counters = Arc::new(Counters::new(options.trace));
        let services = Box::new(StdIo {
            state: io.clone(),
            args: options.args.clone(),
            isolated: options.isolated,
            output_to_stderr: options.output_to_stderr,
            started,
            corpus: std::env::var_os("KILN_CORPUS").map(PathBuf::from),
        });
        let frozen = options.base == BaseSource::Snapshot && snapshot::is_usable();
        let mut rt = if frozen {
            let thawed = snapshot::thaw(&front, services);
            thawed.map_err(|it| Failure::program(format!("the snapshot of Base cannot be used: {it}")))?
        } else {
            let frontend = Box::new(SessionFrontend { state: front.clone() });
            Runtime::new(Arc::new(Types::new()), frontend, services)
        };
        let warnings = Arc::<Mutex<Vec<String>>>::default();
        let image = options.image.as_ref().and_then(|path| {
            let opened = open_image(path, rt.image, codegen_path().as_deref());
            let refused = |it| warnings.lock().push(format!("{} is not used: {it}", path.display()));
            opened.map_err(refused).ok()
        });
        let target = options.target.clone().or_else(|| image.as_ref().map(|it| it.target.clone()));
        let driver = make_driver(&front, &counters, &warnings, options, target)?;
        let driver = Arc::new(driver);
        if let (Some(image), Some(path)) = (image, &options.image)
            && let Err(why) = driver.use_image(image)
        {
            warnings.lock().push(format!("{} is not used: {why}", path.display()));
        }
        rt.have_fma = driver.facts().have_fma;
        rt.check_bounds = options.check_bounds;
        if let Some(Mutant::Front(it)) = options.mutant {
            rt.types.set_mutant(it);
        }
        let _ = rt.kernels.set(driver.clone());
        let _ = rt.kept.set(driver.clone());
        let rt = Arc::new(rt);
        rt.enable_tasks();
        let session = Self { rt, front, io, counters, driver, warnings, started, color: options.color };
        if frozen {
            // Evaluated when the snapshot was made.
            let args: Vec<Value> = options.args.iter().map(|it| session.rt.heap.string(it)).collect();
            let args = session.rt.heap.new_vector(session.rt.types.core().string, &args);
            session.define("ARGS", args);
        } else {
            // By the interpreter: compiling would cost more than it saves.
            session.load_base()?;
        }
        Ok(session)
    }

    fn load_base(&self) -> Result<(), Failure> {
        let files = library::order().map(|name| {
            let path = format!("core/{name}");
            library::text(&path).map(|text| (path, text.to_owned())).ok_or(name)
        });
        let files = files.collect::<Result<Vec<_>, _>>().map_err(|name| {
            Failure::program(format!("base/core/order.txt names {name}, which is not there"))
        })?;
        preload::load_base(&self.rt, files).map_err(|it| self.failure(&it))
    }

    fn define(&self, name: &str, value: Value) {
        let types = &self.rt.types;
        let _ = self.rt.define_const(types.base_module(), types.symbol(name), value);
    }

    /// Runs a file in `Main`.
    ///
    /// # Errors
    /// When it cannot be read, or throws.
    pub fn run_file(&self, path: &str) -> Result<(), Failure> {
        let text = self.read(path)?;
        let absolute =
            std::path::absolute(path).map_or_else(|_| path.to_owned(), |it| it.display().to_string());
        self.run_named(&absolute, path, &text)
    }

    /// Runs a text in `Main`; `name` is what messages call it.
    ///
    /// # Errors
    /// When it throws.
    pub fn run_text(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.run_named(name, name, text)
    }

    /// Runs a text in the module that `Main` binds to `module`; `name` is what messages call it.
    ///
    /// # Errors
    /// When there is no such module, or the text throws.
    pub fn run_text_in(&self, module: &str, name: &str, text: &str) -> Result<(), Failure> {
        let main = self.rt.types.main_module();
        let found =
            self.rt.tables.resolve_binding(main, self.rt.types.symbol(module), self.rt.tables.world());
        let Binding::Const(value) = found.binding else {
            return Err(Failure::usage(format!("there is no module `{module}` in `Main`")));
        };
        let Some(module) = value.as_module(self.rt.types.core()) else {
            return Err(Failure::usage(format!("`{module}` is no module")));
        };
        self.run_in(module, name, name, text)
    }

    /// Runs a file as [`Session::run_file`] does, but goes on after statements that throw: what these said. For programs
    /// whose kernels are not launched.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn run_workload(&self, path: &str) -> Result<Vec<String>, Failure> {
        self.rt.go_on_after_errors();
        let ended = self.run_file(path);
        let mut unfinished: Vec<String> =
            self.rt.take_errors().iter().map(|it| self.failure(it).message).collect();
        match ended {
            Err(failure) if failure.is_bug() || failure.is_usage() => Err(failure),
            Err(failure) => {
                unfinished.push(failure.message);
                Ok(unfinished)
            }
            Ok(()) => Ok(unfinished),
        }
    }

    /// Returns the identity of the library snapshot that the session was started from.
    pub(crate) fn library_image(&self) -> Option<[u8; 32]> {
        self.rt.image
    }

    /// Returns the counters of the running session.
    pub fn shared_counters(&self) -> Arc<Counters> {
        self.counters.clone()
    }

    fn run_named(&self, path: &str, name: &str, text: &str) -> Result<(), Failure> {
        self.run_in(self.rt.types.main_module(), path, name, text)
    }

    fn run_in(&self, module: Module, path: &str, name: &str, text: &str) -> Result<(), Failure> {
        let start = Instant::now();
        let outcome = bug::catch(|| {
            let outcome = self.rt.within_file(path, || self.rt.eval_text(module, name, text));
            // What was launched is over when the program is, also where it has failed.
            let launched = self.driver.drain(&self.rt);
            outcome.and(launched).map_err(|it| self.failure(&it))
        });
        self.counters.span("run", || name.to_owned(), start, start.elapsed());
        let flushed = self.io.flush();
        outcome.map_err(|it| Failure::bug(&it))??;
        flushed.map_err(|it| Failure::program(format!("cannot write output: {it}")))
    }

    /// Runs the functions that the program gave to `atexit`. `failed`: the program threw, so its exit code is 1.
    ///
    /// # Errors
    /// When one ends the process or kiln fails; exceptions are reported on standard error.
    pub fn run_exit_functions(&self, failed: bool) -> Result<(), Failure> {
        let pending = self.rt.base_global("exits_pending").and_then(|it| it.as_bool(self.rt.types.core()));
        if pending != Some(true) {
            return Ok(());
        }
        let code = self.exit_code().unwrap_or(u8::from(failed));
        self.run_text("exit", &format!("Base.run_exit_functions({code})"))
    }

    fn read(&self, path: &str) -> Result<String, Failure> {
        let bytes = std::fs::read(path).map_err(|it| {
            let why = match it.kind() {
                std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                _ => it.to_string(),
            };
            Failure::usage(format!("error[missing-file]: cannot read `{path}`: {why}"))
        })?;
        String::from_utf8(bytes).map_err(|_| Failure::program(format!("`{path}` is not UTF-8 text")))
    }

    /// Takes compiled code from the image at `path` from now on, where it holds for what is loaded.
    ///
    /// # Errors
    /// Why the image is refused.
    pub fn load_image(&self, path: &Path) -> Result<(), Failure> {
        let opened = open_image(path, self.rt.image, codegen_path().as_deref());
        let used = opened.and_then(|it| self.driver.use_image(it));
        used.map_err(|why| Failure::program(format!("{} is not used: {why}", path.display())))
    }

    /// Why what was compiled of a function, while a file ran, did not stay.
    ///
    /// # Errors
    /// When the file fails, the signature is none, or no method takes the arguments.
    pub fn why(&self, path: &str, signature: &str) -> Result<Vec<Ended>, Failure> {
        let (function, tuple) = self.signature(path, signature)?;
        self.driver.why(&self.rt, function, tuple).map_err(Failure::program)
    }

    /// Runs a file and evaluates a signature `f(T1, T2)` in it: the function and the tuple of the types.
    pub(crate) fn signature(&self, path: &str, signature: &str) -> Result<(Value, Type), Failure> {
        self.run_file(path)?;
        self.function_and_types(signature)
    }

    /// A signature `f(T1, T2)`, evaluated in `Main`: the function and the tuple of the types.
    pub(crate) fn function_and_types(&self, signature: &str) -> Result<(Value, Type), Failure> {
        let main = self.rt.types.main_module();
        let wrong = || Failure::usage(format!("error: `{signature}` is not of the form `f(T1, T2)`"));
        let open = signature.find('(').filter(|_| signature.trim_end().ends_with(')')).ok_or_else(wrong)?;
        let name = signature[..open].trim();
        let types = signature[open + 1..].trim_end().strip_suffix(')').ok_or_else(wrong)?;
        let evaluate = |text: &str| self.rt.eval_string(main, text).map_err(|it| self.failure(&it));
        let function = evaluate(name)?;
        let tuple = evaluate(&format!("Tuple{{{types}}}"))?;
        tuple.as_type(self.rt.types.core()).map(|it| (function, it)).ok_or_else(wrong)
    }

    /// Runs a text with at most `budget` calls and loop iterations and infers every method it defines: for fuzzing.
    ///
    /// # Errors
    /// When it throws or runs too long.
    pub fn infer_text(&self, text: &str, budget: u64) -> Result<(), Failure> {
        let tables = &self.rt.tables;
        let before = tables.methods_of_table(TableId::GLOBAL).len();
        self.rt.within_budget(budget, || self.run_text("fuzzed", text))?;
        for id in tables.methods_of_table(TableId::GLOBAL).into_iter().skip(before) {
            let method = tables.method(id);
            let world = self.rt.tables.world();
            let Some(found) = tables.find_matches(method.sig, world, usize::MAX) else { continue };
            for it in &found.matches {
                let _ = self.driver.inferred(&self.rt, it, world);
            }
        }
        Ok(())
    }

    /// Returns the times and counts so far.
    pub fn timings(&self) -> Timings {
        let mut now = self.counters.now();
        now.parse_ns = self.front.parse_nanos.load(Ordering::Relaxed);
        now.lower_ns = self.front.lower_nanos.load(Ordering::Relaxed);
        if let Some(store) = self.driver.results().stats() {
            now.saved_ns = store.time_saved().as_nanos() as u64;
            now.verified += store.verified;
            now.mismatches += store.mismatches;
        }
        [now.bytes_to_devices, now.bytes_from_devices] = self.driver.copied_bytes();
        now.total_ns = self.started.elapsed().as_nanos() as u64;
        now
    }

    /// Returns the timeline of each thread; empty unless the session was started with a trace.
    pub fn trace(&self) -> Vec<ThreadTrace> {
        self.counters.trace()
    }

    /// Returns the compilations and their costs, in order.
    pub fn compilations(&self) -> Vec<Compilation> {
        self.driver.compilations()
    }

    /// Host functions that ran often: what compiling each took, or why it is interpreted. For those who work on kiln.
    pub fn hot_code(&self) -> String {
        let mut out = String::new();
        for it in self.driver.hot_code() {
            let ms = it.nanos as f64 * 1e-6;
            let _ = match it.outcome {
                Ok(()) => writeln!(out, "{ms:9.2} ms compiled    {}", it.name),
                Err(why) => writeln!(out, "{ms:9.2} ms interpreted {}: {why}", it.name),
            };
        }
        out
    }

    /// Ends the session's use of the store: what was compiled is written, within a second.
    ///
    /// # Errors
    /// In the mode that verifies: how many units were compiled to something other than what was stored.
    pub fn close_store(&self) -> Result<(), String> {
        self.driver.results().close();
        let sampled = self.counters.mismatches.load(Ordering::Relaxed);
        match sampled + self.driver.results().stats().map_or(0, |it| it.mismatches) {
            0 => Ok(()),
            count => Err(format!("results that differ from those in the cache: {count}")),
        }
    }

    /// Returns the warnings beside the program's own, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = self.warnings.lock().clone();
        all.extend(self.driver.results().stats().into_iter().flat_map(|it| it.problems));
        match self.driver.results().damaged_in_images() {
            0 => {}
            count => all
                .push(format!("{count} entries of the image are damaged; what they held was compiled again")),
        }
        all
    }

    /// Whether the output's reader has closed it.
    pub fn is_output_closed(&self) -> bool {
        self.io.is_closed()
    }

    /// The exit code the program asked for by `exit(n)`.
    pub fn exit_code(&self) -> Option<u8> {
        self.io.exit_requested().map(|it| it as u8)
    }

    /// Compiles the method of `f` for these argument types as host code, whatever it costs.
    ///
    /// # Errors
    /// Why it cannot be compiled.
    pub fn compile_function(&self, f: Value, args: &[Value]) -> Result<CompiledFunction, String> {
        let types = std::iter::once(f).chain(args.iter().copied()).map(|it| self.rt.heap.dispatch_type(it));
        let types: Vec<Type> = types.collect();
        let instance = self.rt.tables.dispatch(&types, self.rt.tables.world());
        let instance = instance.map_err(|_| "no method takes these arguments".to_owned())?;
        self.driver.compile_function(&self.rt, instance)
    }

    /// Compiles, launches, and keeps what it made: for tests and tools.
    pub fn driver(&self) -> &Driver {
        &self.driver
    }

    /// The runtime, for tests and tools.
    pub fn runtime(&self) -> &Runtime {
        &self.rt
    }

    /// `Main`.
    pub fn main(&self) -> Module {
        self.rt.types.main_module()
    }
}

/// The code generator that the environment names.
pub(crate) fn codegen_path() -> Option<PathBuf> {
    std::env::var_os("KILN_CODEGEN").map(PathBuf::from)
}

/// Opens the named libraries for devices.
fn device_libraries(given: &SessionOptions) -> Result<Vec<DeviceLibrary>, Failure> {
    let mut paths = given.device_libraries.clone();
    if let Some(named) = std::env::var_os("KILN_DEVICE_LIBRARY").filter(|_| paths.is_empty()) {
        paths = std::env::split_paths(&named).filter(|it| !it.as_os_str().is_empty()).collect();
    }
    let mut libraries = Vec::new();
    for path in paths {
        let named = DeviceLibrary::named(&path);
        libraries.extend(named.map_err(|it| Failure::usage(format!("error: a library for devices: {it}")))?);
    }
    Ok(libraries)
}

/// `KILN_TARGETS`: targets that code is shown for when none is named.
fn shown_for() -> Vec<String> {
    let named = std::env::var("KILN_TARGETS").unwrap_or_default();
    named.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn make_driver(
    front: &Arc<FrontState>,
    counters: &Arc<Counters>,
    warnings: &Arc<Mutex<Vec<String>>>,
    given: &SessionOptions,
    target: Option<TargetFacts>,
) -> Result<Driver, Failure> {
    let device = match (given.device, std::env::var("KILN_DEVICE")) {
        (DeviceChoice::Auto, Ok(text)) if !text.is_empty() => {
            text.parse().map_err(|it| Failure::usage(format!("error: KILN_DEVICE: {it}")))?
        }
        (choice, _) => choice,
    };
    let isolation = match (given.isolation, std::env::var("KILN_ISOLATE")) {
        (Some(isolation), _) => isolation,
        (None, Ok(text)) if !text.is_empty() => {
            text.parse().map_err(|it| Failure::usage(format!("error: KILN_ISOLATE: {it}")))?
        }
        (None, _) => Isolation::default(),
    };
    let libraries = device_libraries(given)?;
    let (color, warnings) = (given.color, warnings.clone());
    let (for_render, for_files) = (front.clone(), front.clone());
    let is_target_named = target.is_some();
    let native = || kiln_targets::lookup("native");
    let facts = target
        .or_else(native)
        .ok_or_else(|| Failure::program("this machine's processor is not one kiln knows".to_owned()))?;
    let compiler = CompilerOptions {
        facts,
        mutant: given.mutant,
        threads: std::env::var("KILN_THREADS").ok().and_then(|it| it.parse().ok()).unwrap_or(0),
        host_opt_level: given.host_opt_level,
        libraries,
        warn: Arc::new(move |message| warnings.lock().push(message.to_owned())),
        render: Box::new(move |diagnostics| {
            let files = for_render.files.lock();
            diagnostics.iter().map(|it| it.render(&files, color)).collect::<Vec<_>>().join("\n")
        }),
        is_user_file: Box::new(move |loc| {
            let files = for_files.files.lock();
            let file = span_of(loc).and_then(|it| files.get(it.file).map(|it| it.name.clone()));
            file.is_some_and(|it| !it.starts_with(library::PREFIX))
        }),
    };
    let options = DriverOptions {
        compiler,
        codegen: ClientOptions {
            library: codegen_path(),
            isolation,
            limit: given.codegen_limit.unwrap_or(kiln_codegen_client::LIMIT_USUAL),
        },
        store: given.store.clone(),
        is_target_named,
        device,
        shown_for: shown_for(),
        copies_arrays: given.copies_arrays
            || std::env::var_os("KILN_COPY_ARRAYS").is_some_and(|it| it == "1"),
        collects: given.builds_image,
        image_devices: given.image_devices.clone(),
        image_machine_code: given.image_machine_code,
    };
    Ok(Driver::new(options, counters.clone()))
}
