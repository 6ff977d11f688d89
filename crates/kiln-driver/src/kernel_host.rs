//! The driver: what the runtime calls to compile and launch kernels.

use crate::config::Configured;
use crate::device::ahead::Missing;
use crate::device::chosen::{DeviceChoice, OpenDevice};
use crate::device::coherence::DeviceCopies;
use crate::device::entry::Loadable;
use crate::device::launching::PendingLaunch;
use crate::device::streams::Streams;
use crate::function::HotCode;
use crate::jobs::{JobEntry, KernelHandle, Made};
use crate::kernel::Kernel;
use crate::launch_table::{DeviceId, KernelJob, LaunchTable};
use crate::options::OptionFields;
use kiln_codegen_client::{ClientOptions, CodegenClient};
use kiln_compile::{CompileEnv, Compiler, CompilerOptions, View, find_typed, job, specialization};
use kiln_ir::Instance;
use kiln_launch::{CpuDevice, Grid};
use kiln_link::Linker;
use kiln_metrics::{Compilation, Counters, nanos};
use kiln_results::{ResultStore, StoreOptions};
use kiln_runtime::bug::while_doing;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodTableView};
use kiln_runtime::{KeptCode, KernelDevice, KernelHost, Run, Runtime, Thrown, Value};
use kiln_targets::{Items, TargetFacts};
use kiln_types::{Symbol, Type};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The options of a session.
pub struct DriverOptions {
    /// How the session compiles. Its threads are those of the CPU device, too.
    pub compiler: CompilerOptions,
    /// How the code generator is reached.
    pub codegen: ClientOptions,
    /// Where results are kept; `None`: in memory only.
    pub store: Option<StoreOptions>,
    /// The target of the compiler was named: kernels run on a processor then, unless images are for devices.
    pub is_target_named: bool,
    /// The default device of kernels.
    pub device: DeviceChoice,
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
}

/// The part of the options that launches and images look at.
struct RunOptions {
    is_target_named: bool,
    device: DeviceChoice,
    shown_for: Vec<String>,
    copies_arrays: bool,
    image_devices: Vec<TargetFacts>,
    image_machine_code: bool,
}

/// Compiles, keeps and launches kernels.
pub struct Driver {
    options: RunOptions,
    pub(crate) compiler: Arc<Compiler>,
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
    /// How many launches were given seeds.
    pub(crate) launches_seeded: AtomicU32,
    /// The outcomes of host code that ran often.
    pub(crate) hot: Mutex<Vec<HotCode>>,
    compilations: Mutex<Vec<Compilation>>,
}

impl Driver {
    /// A driver that has opened nothing and started no threads yet.
    pub fn new(options: DriverOptions, counters: Arc<Counters>) -> Self {
        let on_open = counters.clone();
        let on_open = move |started, took| {
            on_open.add(|it| &it.open_ns, nanos(took));
            on_open.span("open", String::new, started, took);
        };
        let codegen = CodegenClient::new(options.codegen, Box::new(on_open));
        let warn = options.compiler.warn.clone();
        let results = ResultStore::new(options.store, options.collects, counters.clone(), warn);
        let compiler = Arc::new(Compiler::new(options.compiler, counters, codegen, results));
        let options = RunOptions {
            is_target_named: options.is_target_named,
            device: options.device,
            shown_for: options.shown_for,
            copies_arrays: options.copies_arrays,
            image_devices: options.image_devices,
            image_machine_code: options.image_machine_code,
        };
        Self {
            options,
            compiler,
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
            lacking: Mutex::default(),
            watches: Mutex::default(),
            is_watched: AtomicBool::new(false),
            jobs: LaunchTable::default(),
            made: boxcar::Vec::new(),
            kernels: boxcar::Vec::new(),
            configs: boxcar::Vec::new(),
            configuring: Mutex::default(),
            option_fields: boxcar::Vec::new(),
            launches_seeded: AtomicU32::default(),
            hot: Mutex::default(),
            compilations: Mutex::default(),
        }
    }

    /// Returns where results of other sessions are found and kept.
    pub fn results(&self) -> &ResultStore {
        &self.compiler.results
    }

    /// Returns the environment of a job's stages.
    pub(crate) fn env<'a>(&'a self, rt: &'a Runtime, view: &'a View) -> CompileEnv<'a> {
        CompileEnv::new(rt, &self.compiler, view)
    }

    /// Returns the facts about the processor: the target of host code, and of kernels that name no other.
    pub fn facts(&self) -> &TargetFacts {
        &self.compiler.options.facts
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.compiler.counters
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
            let meant = kiln_compile::near::nearest(name, &known);
            let meant = meant.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
            format!("there is no target `{name}`{meant}")
        })
    }

    /// Returns the targets of the named code generator beside those of `kiln_targets`. Ours, opened if none is named, has none.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn offered_targets(&self) -> Result<Vec<TargetFacts>, String> {
        self.compiler.codegen.offered_targets().map_err(|it| it.with_help())
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
        let device = CpuDevice::new(self.compiler.options.threads).map_err(|it| it.to_string())?;
        Ok(self.device.get_or_init(|| device))
    }

    /// Returns the device for kernels. Code for a named processor runs on this one, unless it is for devices as well.
    /// Where an image is built nothing runs, and no device is asked for.
    pub fn device_choice(&self) -> DeviceChoice {
        let is_for_cpu = self.options.is_target_named && !self.has_device_images();
        match self.options.device {
            _ if self.collects() => DeviceChoice::Cpu,
            DeviceChoice::Auto if is_for_cpu => DeviceChoice::Cpu,
            choice @ (DeviceChoice::Auto
            | DeviceChoice::Cpu
            | DeviceChoice::Cuda(_)
            | DeviceChoice::OpenCl(_)) => choice,
        }
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
        self.compiler.results.collects()
    }

    /// Whether images have code for devices.
    pub(crate) fn has_device_images(&self) -> bool {
        self.compiler.images.devices.read().iter().any(|it| it.items == Items::Device)
    }

    /// Devices that kernels are compiled for as well.
    pub(crate) fn image_devices(&self) -> &[TargetFacts] {
        if self.collects() { &self.options.image_devices } else { &[] }
    }

    /// Whether an image has machine code for NVIDIA devices beside what their driver compiles.
    pub(crate) fn image_machine_code(&self) -> bool {
        self.options.image_machine_code
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
        let counters = self.counters();
        let (result, spent) =
            counters.tallied(|| while_doing(|| format!("compiling the {what} {}", job(rt, instance)), work));
        let took = start.elapsed();
        counters.span(what, || specialization(rt, instance), start, took);
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

    /// The kernel of this handle.
    pub(crate) fn kernel(&self, handle: u64) -> Option<&Kernel> {
        self.kernels.get(usize::try_from(handle).ok()?)
    }
}

impl KeptCode for Driver {
    fn find(
        &self,
        rt: &Runtime,
        view: &MethodTableView,
        owner: CacheOwner,
        instance: Instance,
    ) -> Option<Arc<CodeInstance>> {
        find_typed(&self.compiler, rt, view, owner, instance)
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
