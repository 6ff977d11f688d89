//! The driver: what the runtime calls to compile and launch kernels.

use crate::arguments::not_bits;
use crate::call_graph::CallGraph;
use crate::codegen_process::{Isolation, Workers};
use crate::config::Configured;
use crate::device::ahead::Missing;
use crate::device::chosen::{DeviceChoice, OpenDevice};
use crate::device::coherence::DeviceCopies;
use crate::device::entry::Loadable;
use crate::device::launching::PendingLaunch;
use crate::device::libraries::DeviceLibrary;
use crate::device::streams::Streams;
use crate::diagnostics;
use crate::function::HotCode;
use crate::jobs::{JobEntry, KernelHandle, Made};
use crate::kept::TypedCache;
use crate::kernel::Kernel;
use crate::launch_table::{DeviceId, KernelJob, LaunchTable};
use crate::loader::{Codegen, CodegenError};
use crate::mutant::Mutant;
use crate::options::OptionFields;
use crate::stats::Compilation;
use crate::store::{StoreOptions, UnitStore};
use crate::tally::Counters;
use crate::trace::nanos;
use crate::typed::{View, job, specialization};
use crate::unit_target::UnitTarget;
use kiln_cache::KeyId;
use kiln_ir::{Instance, SourceLoc};
use kiln_launch::{CpuDevice, Grid};
use kiln_link::Linker;
use kiln_runtime::bug::while_doing;
use kiln_runtime::tables::MethodMatch;
use kiln_runtime::{KernelDevice, KernelHost, Run, Runtime, Thrown, Value};
use kiln_syntax::{Diagnostic, FileId};
use kiln_targets::TargetFacts;
use kiln_types::{Symbol, Type};
use kiln_unit::Composed;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Turns diagnostics into text.
pub type Render = Box<dyn Fn(&[Diagnostic]) -> String + Send + Sync>;

/// The options of a session.
pub struct DriverOptions {
    /// The code generator to open; `None`: the one beside the executable.
    pub codegen: Option<PathBuf>,
    /// Worker threads of the CPU device; 0: one a core.
    pub threads: usize,
    /// Turns diagnostics into text.
    pub render: Render,
    /// A mistake for the compiler to make, to test its tests. `None` otherwise.
    pub mutant: Option<Mutant>,
    /// Where compiled units are kept; `None`: in memory only.
    pub store: Option<StoreOptions>,
    /// The kernels that are compiled in a process of their own.
    pub isolation: Isolation,
    /// How long that may take over one request.
    pub codegen_limit: Duration,
    /// How far host code is optimized; `None`: as much as pays.
    pub host_opt_level: Option<u8>,
    /// The target; `None`: this machine.
    pub target: Option<TargetFacts>,
    /// The default device of kernels.
    pub device: DeviceChoice,
    /// Libraries of functions for devices.
    pub libraries: Vec<DeviceLibrary>,
    /// Targets that code is shown for when a stage names a back end and no target is named: the first of that back end.
    pub shown_for: Vec<String>,
    /// Arrays are copied to devices and back, even to those that reach them where they are.
    pub copies_arrays: bool,
    /// Everything found or made is remembered, for an image. Kernels are compiled and linked, and not launched.
    pub collects: bool,
    /// Devices that kernels are compiled for as well, if an image is built.
    pub image_devices: Vec<TargetFacts>,
    /// With machine code for NVIDIA GPUs, by NVIDIA's assembler.
    pub image_machine_code: bool,
    /// Told of what went wrong without stopping anything, a sentence each.
    pub warn: Box<dyn Fn(&str) + Send + Sync>,
    /// Whether a place is in one of the program's own files.
    pub is_user_file: Box<dyn Fn(SourceLoc) -> bool + Send + Sync>,
}

/// Compiles, keeps and launches kernels.
pub struct Driver {
    options: DriverOptions,
    facts: TargetFacts,
    counters: Arc<Counters>,
    codegen: Mutex<Option<Arc<Codegen>>>,
    /// The code generator in a process of its own; `None` inside: there is no program for it.
    pub(crate) workers: OnceLock<Option<Workers>>,
    pub(crate) store: UnitStore,
    pub(crate) kept: TypedCache,
    linker: OnceLock<Arc<Linker>>,
    device: OnceLock<CpuDevice>,
    /// Devices other than the processor, by number, and the one that kernels run on of which nothing else is said.
    pub(crate) devices: boxcar::Vec<OpenDevice>,
    pub(crate) default_device: OnceLock<DeviceId>,
    /// The artifacts given to devices, and the symbols that numbers in their code are.
    pub(crate) loadables: Mutex<Vec<Arc<Loadable>>>,
    pub(crate) device_symbols: Mutex<FxHashMap<u64, Symbol>>,
    /// The parts of the heap that devices have, launches whose results are pending in their order, and how many there were.
    pub(crate) copies: Arc<DeviceCopies>,
    pub(crate) pending: Mutex<VecDeque<PendingLaunch>>,
    pub(crate) launches_begun: AtomicU64,
    /// Launches that are being drained.
    pub(crate) draining: AtomicU32,
    pub(crate) streams: Streams,
    /// The compositions of this session, by key.
    pub(crate) composed: Mutex<FxHashMap<KeyId, Arc<Composed>>>,
    /// Kernels that an image will lack.
    pub(crate) lacking: Mutex<Vec<Missing>>,
    /// Jobs that were asked for since each of those began who watch, the innermost last.
    pub(crate) watches: Mutex<Vec<Vec<KernelJob>>>,
    pub(crate) is_watched: AtomicBool,
    /// Jobs that were asked for, and what was made of each, the latest last.
    pub(crate) jobs: LaunchTable<JobEntry>,
    pub(crate) made: boxcar::Vec<Made>,
    /// By handle.
    pub(crate) kernels: boxcar::Vec<Kernel>,
    pub(crate) configs: boxcar::Vec<Configured>,
    pub(crate) configuring: Mutex<()>,
    /// Of the types of options that launches gave.
    pub(crate) option_fields: boxcar::Vec<OptionFields>,
    /// The targets that units have been compiled for.
    pub(crate) unit_targets: Mutex<Vec<Arc<UnitTarget>>>,
    pub(crate) host_target: OnceLock<Arc<UnitTarget>>,
    /// How many launches were given seeds.
    pub(crate) launches_seeded: AtomicU32,
    /// The outcomes of host code that ran often.
    pub(crate) hot: Mutex<Vec<HotCode>>,
    compilations: Mutex<Vec<Compilation>>,
}

impl Driver {
    /// A driver for this machine. Opens nothing and starts no threads yet.
    pub fn new(options: DriverOptions, counters: Arc<Counters>) -> Result<Self, String> {
        let native =
            || kiln_targets::lookup("native").ok_or("this machine's processor is not one kiln knows");
        let facts = options.target.clone().map_or_else(native, Ok)?;
        Ok(Self {
            options,
            facts,
            counters,
            codegen: Mutex::new(None),
            workers: OnceLock::new(),
            store: UnitStore::default(),
            kept: TypedCache::default(),
            linker: OnceLock::new(),
            device: OnceLock::new(),
            devices: boxcar::Vec::new(),
            default_device: OnceLock::new(),
            loadables: Mutex::default(),
            device_symbols: Mutex::default(),
            copies: Arc::default(),
            pending: Mutex::default(),
            launches_begun: AtomicU64::new(0),
            draining: AtomicU32::new(0),
            streams: Streams::default(),
            composed: Mutex::default(),
            lacking: Mutex::default(),
            watches: Mutex::default(),
            is_watched: AtomicBool::new(false),
            jobs: LaunchTable::default(),
            made: boxcar::Vec::new(),
            kernels: boxcar::Vec::new(),
            configs: boxcar::Vec::new(),
            configuring: Mutex::default(),
            option_fields: boxcar::Vec::new(),
            unit_targets: Mutex::default(),
            host_target: OnceLock::new(),
            launches_seeded: AtomicU32::default(),
            hot: Mutex::default(),
            compilations: Mutex::default(),
        })
    }

    /// Returns the facts about the processor: the target of host code, and of kernels that name no other.
    pub fn facts(&self) -> &TargetFacts {
        &self.facts
    }

    pub(crate) fn shared_counters(&self) -> Arc<Counters> {
        self.counters.clone()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn codegen(&self) -> Result<Arc<Codegen>, CodegenError> {
        let mut slot = self.codegen.lock();
        if let Some(open) = slot.as_ref() {
            return Ok(open.clone());
        }
        let open = || Codegen::open(self.options.codegen.as_deref());
        let opened = self.counters.timed(|it| &it.open_ns, "open", String::new, open);
        let opened = Arc::new(opened?);
        Ok(slot.insert(opened).clone())
    }

    /// The target of this name: one of `kiln_targets`, or one that the named code generator has beside them.
    ///
    /// # Errors
    /// When there is none.
    pub fn target(&self, name: &str) -> Result<TargetFacts, String> {
        if let Some(facts) = kiln_targets::lookup(name) {
            return Ok(facts);
        }
        let offered = self.offered_targets()?.into_iter().find(|it| it.name == name);
        offered.ok_or_else(|| {
            let known: Vec<String> =
                kiln_targets::FAMILIES.iter().flat_map(|it| it.names).map(|it| (*it).to_owned()).collect();
            let meant = crate::near::nearest(name, &known);
            let meant = meant.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
            format!("there is no target `{name}`{meant}")
        })
    }

    /// Returns the targets of the named code generator beside those of `kiln_targets`. Ours, opened if none is named, has none.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn offered_targets(&self) -> Result<Vec<TargetFacts>, String> {
        if self.options.codegen.is_none() {
            return Ok(Vec::new());
        }
        let codegen = self.codegen().map_err(|it| it.with_help())?;
        codegen.targets().map_err(|it| it.with_help())
    }

    pub(crate) fn linker(&self) -> Result<Arc<Linker>, String> {
        if let Some(linker) = self.linker.get() {
            return Ok(linker.clone());
        }
        let linker = Arc::new(Linker::new().map_err(|it| it.to_string())?);
        Ok(self.linker.get_or_init(|| linker).clone())
    }

    pub(crate) fn device(&self) -> Result<&CpuDevice, String> {
        if let Some(device) = self.device.get() {
            return Ok(device);
        }
        let device = CpuDevice::new(self.options.threads).map_err(|it| it.to_string())?;
        Ok(self.device.get_or_init(|| device))
    }

    pub(crate) fn store_options(&self) -> Option<&StoreOptions> {
        self.options.store.as_ref()
    }

    /// The code generator that was named, if one was.
    pub(crate) fn codegen_path(&self) -> Option<&Path> {
        self.options.codegen.as_deref()
    }

    pub(crate) fn isolation(&self) -> Isolation {
        self.options.isolation
    }

    /// How long a request to a process of the code generator's may take.
    pub(crate) fn codegen_limit(&self) -> Duration {
        self.options.codegen_limit
    }

    /// Returns the device for kernels. Code for a named processor runs on this one, unless it is for devices as well.
    /// Where an image is built nothing runs, and no device is asked for.
    pub fn device_choice(&self) -> DeviceChoice {
        let is_for_cpu = self.options.target.is_some() && !self.has_device_images();
        match self.options.device {
            _ if self.collects() => DeviceChoice::Cpu,
            DeviceChoice::Auto if is_for_cpu => DeviceChoice::Cpu,
            choice @ (DeviceChoice::Auto
            | DeviceChoice::Cpu
            | DeviceChoice::Cuda(_)
            | DeviceChoice::OpenCl(_)) => choice,
        }
    }

    /// Libraries of functions for devices.
    pub(crate) fn libraries(&self) -> &[DeviceLibrary] {
        &self.options.libraries
    }

    /// Targets that code is shown for when none is named.
    pub(crate) fn shown_for(&self) -> &[String] {
        &self.options.shown_for
    }

    /// Whether arrays are always copied to devices.
    pub(crate) fn copies_arrays(&self) -> bool {
        self.options.copies_arrays
    }

    /// Whether everything found or made is remembered.
    pub(crate) fn collects(&self) -> bool {
        self.options.collects
    }

    /// Devices that kernels are compiled for as well.
    pub(crate) fn image_devices(&self) -> &[TargetFacts] {
        if self.collects() { &self.options.image_devices } else { &[] }
    }

    /// Whether an image has machine code for NVIDIA devices beside what their driver compiles.
    pub(crate) fn image_machine_code(&self) -> bool {
        self.options.image_machine_code
    }

    pub(crate) fn warn(&self, message: &str) {
        (self.options.warn)(message);
    }

    /// How far host code is optimized.
    pub(crate) fn host_opt_level(&self) -> u8 {
        self.options.host_opt_level.unwrap_or(1)
    }

    pub(crate) fn mutant(&self) -> Option<Mutant> {
        self.options.mutant
    }

    /// Returns the compilations in order.
    pub fn compilations(&self) -> Vec<Compilation> {
        self.compilations.lock().clone()
    }

    /// Does `work` and takes a note of what it cost to compile `instance`.
    pub(crate) fn compiling<T>(
        &self,
        rt: &Runtime,
        instance: Instance,
        is_kernel: bool,
        work: impl FnOnce() -> T,
    ) -> T {
        let start = Instant::now();
        let what = if is_kernel { "kernel" } else { "host function" };
        let (result, spent) = self
            .counters
            .tallied(|| while_doing(|| format!("compiling the {what} {}", job(rt, instance)), work));
        let took = start.elapsed();
        self.counters.span(what, || specialization(rt, instance), start, took);
        let name = rt.types.name(rt.tables.method(rt.tables.instance_data(instance).method).name).into();
        let nanos = nanos(took).saturating_sub(spent.open_ns);
        self.compilations.lock().push(Compilation { name, is_kernel, nanos, spent });
        result
    }

    pub(crate) fn throw(&self, rt: &Runtime, text: &str) -> Box<Thrown> {
        let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
        let error = device.and_then(|it| rt.global(it, rt.types.symbol("KernelError")));
        match error.and_then(|it| it.as_type(rt.types.core())) {
            Some(ty) => rt.exception(ty, &[rt.heap.string(text)]),
            None => rt.error(text),
        }
    }

    /// Threads that compile at once.
    pub(crate) fn compilers(&self) -> usize {
        match self.options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    pub(crate) fn render(&self, problems: &[Diagnostic]) -> String {
        (self.options.render)(problems)
    }

    /// Whether a place is in one of the program's own files.
    pub(crate) fn is_user_file(&self, loc: SourceLoc) -> bool {
        (self.options.is_user_file)(loc)
    }

    pub(crate) fn problems(&self, rt: &Runtime, view: &View, graph: &CallGraph) -> Vec<Diagnostic> {
        let is_user_file = &self.options.is_user_file;
        let mut all: Vec<Diagnostic> = Vec::new();
        for problem in &graph.problems {
            let diagnostic = diagnostics::of_problem(rt, view, problem, &|it| is_user_file(it));
            if !all.contains(&diagnostic) {
                all.push(diagnostic);
            }
        }
        // As the program reads; what has no place comes last.
        all.sort_by_key(|it| {
            (it.primary.span.file == FileId::NONE, it.primary.span.file.0, it.primary.span.start)
        });
        all
    }

    /// Warns of calls that throw as data decides.
    pub(crate) fn warn_of_doubts(&self, rt: &Runtime, graph: &CallGraph) {
        let mut told = Vec::new();
        for doubt in &graph.doubts {
            let mut places = std::iter::once(doubt.loc).chain(doubt.through.iter().map(|it| it.call));
            let place = places.find(|it| self.is_user_file(*it));
            let Some((place, what)) = place.zip(diagnostics::doubt(rt, &doubt.kind)) else { continue };
            if told.contains(&place) {
                continue;
            }
            told.push(place);
            if let Some((file, line)) = rt.frontend.place(place) {
                self.warn(&format!("{file}:{line}: {what}"));
            }
        }
    }

    /// The kernel of this handle.
    pub(crate) fn kernel(&self, handle: u64) -> Option<&Kernel> {
        self.kernels.get(usize::try_from(handle).ok()?)
    }

    /// The instance that a launch with these argument types runs.
    pub(crate) fn entry_instance(
        &self,
        rt: &Runtime,
        view: &View,
        function: Type,
        tt: Type,
    ) -> Result<Instance, Vec<Diagnostic>> {
        let mut types = vec![function];
        types.extend(rt.types.params(tt).iter().copied());
        let arguments = types.iter().enumerate().filter_map(|(position, ty)| {
            let found = not_bits(&rt.types, *ty)?;
            Some(diagnostics::not_bits(rt, SourceLoc::NONE, position, *ty, &found))
        });
        let refused: Vec<Diagnostic> = arguments.collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        let found = rt.tables.dispatch_in(view.id(rt), &types, view.world);
        let found = found.map_err(|_| vec![diagnostics::no_method(rt, view, &types)])?;
        // Host code is not specialized for functions that are only passed on; a kernel is for all that it is given.
        let method = rt.tables.instance_data(found).method;
        let sig = rt.types.tuple(&types);
        let matches = rt.tables.find_matches_in(&view.tables, sig, view.world, usize::MAX);
        let same = |it: &MethodMatch| it.method == method && it.fully_covers;
        let exact = matches.and_then(|it| it.matches.into_iter().find(same));
        Ok(exact.map_or(found, |it| rt.tables.instance(method, sig, &it.static_params)))
    }
}

impl KernelHost for Driver {
    fn compile(&self, rt: &Runtime, f: Value, tt: Type, options: Value) -> Run<u64> {
        let (function, config) = (rt.heap.dispatch_type(f), self.config_of(rt, options)?);
        let on_device = self.config_on(rt, config, self.default_device());
        let (config, device) = on_device.map_err(|it| rt.argument_error(&it))?;
        let job = KernelJob { function, args: tt, config, device };
        if self.is_watched.load(Ordering::Relaxed) {
            self.watched(&job);
        }
        match self.resolve(rt, &job) {
            Ok(handle) => Ok(handle.number()),
            Err(why) => Err(self.throw(rt, &why.message)),
        }
    }

    fn launch(
        &self,
        rt: &Runtime,
        handle: u64,
        groups: [i64; 3],
        items: [i64; 3],
        shared_bytes: i64,
        args: &[Value],
    ) -> Run<()> {
        let Some((function, args)) = args.split_first() else {
            return Err(rt.error("a launch is given the function and its arguments"));
        };
        let negative = |_| rt.error(&format!("a launch with {shared_bytes} bytes of shared memory"));
        let dynamic_shared_bytes = usize::try_from(shared_bytes).map_err(negative)?;
        let grid = Grid { groups, items, dynamic_shared_bytes };
        self.launch_in_stream(rt, KernelHandle::from_number(handle), &grid, (*function, args), false)
    }

    fn device(&self, rt: &Runtime) -> Run<KernelDevice> {
        self.device_facts().map_err(|it| rt.error(&it))
    }

    fn synchronize(&self, rt: &Runtime) -> Run<()> {
        self.drain_where(rt, &|_| true)
    }

    fn surface_async_errors(&self, rt: &Runtime) -> Run<()> {
        self.drain_waited_for(rt)
    }

    fn stream(&self, rt: &Runtime, what: Symbol, first: i64, second: i64) -> Run {
        self.do_with_stream(rt, what, first, second).map(|it| rt.heap.int(it))
    }

    fn before_collection(&self, _rt: &Runtime) {
        self.copies.before_collection();
    }

    fn after_collection(&self, rt: &Runtime) {
        self.copies.after_collection(&rt.heap);
    }

    fn watch(&self, rt: &Runtime, begin: bool) -> Run {
        Ok(self.watch_from_julia(rt, begin))
    }

    fn reflect(&self, rt: &Runtime, stage: Symbol, job: (Type, Type), options: Value) -> Run {
        self.reflect_from_julia(rt, stage, job, options)
    }
}
