//! The environment of execution: the session's types and methods, and the values that its launches share.
//!
//! Each value knows one thing and is used by itself; functions that need several take the environment.

use crate::checking::state::Checking;
use crate::config::{Configs, KernelConfig};
use crate::device::coherence::DeviceCopies;
use crate::device::loadable::Loadables;
use crate::device::opened::{DeviceChoice, Devices};
use crate::device::pending::PendingLaunches;
use crate::device::streams::Streams;
use crate::host_links::HostLinks;
use crate::jobs::Jobs;
use crate::launch_options::LaunchOptions;
use crate::launch_table::ConfigId;
use crate::notes::Notes;
use crate::pending::PendingFunctions;
use kiln_compile::{Background, CompileEnv, Compiler, TargetError, View};
use kiln_launch::DeviceRuntimePaths;
use kiln_link::Linker;
use kiln_metrics::Counters;
use kiln_runtime::{Run, Runtime, Value};
use kiln_targets::{DeviceModel, TargetFacts, ToolPaths};
use std::any::Any;
use std::fmt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

/// The name by which [`ToolPaths::files`] has NVIDIA's device runtime library.
const DEVICE_RUNTIME: &str = "KILN_CUDADEVRT";

/// How a session executes.
#[derive(Clone, Debug, Default)]
pub struct ExecOptions {
    /// The target of the compiler was named: kernels run on a processor then, unless images are for devices.
    pub is_target_named: bool,
    /// The default device of kernels.
    pub device: DeviceChoice,
    /// The device that the processor imitates: launches keep to its limits, and programs are told of it.
    pub imitated: Option<DeviceModel>,
    /// Arrays are copied to devices and back, even to those that reach them where they are.
    pub copies_arrays: bool,
    /// Code of hot host functions is generated while the program waits.
    pub waits_for_code: bool,
    /// Devices that kernels are compiled for as well, if an image is built.
    pub image_devices: Vec<TargetFacts>,
    /// With machine code for NVIDIA GPUs, by NVIDIA's assembler.
    pub image_machine_code: bool,
}

/// The values that all launches of a session share. Execution is functions over an [`ExecEnv`].
pub struct Executor {
    /// How the session executes.
    pub options: ExecOptions,
    /// The services of compilations.
    pub compiler: Arc<Compiler>,
    /// The linker of this process, made at the first use.
    pub linker: OnceLock<Arc<Linker>>,
    /// Linked host code.
    pub host_links: Arc<HostLinks>,
    /// The statements of host code that the host has run: `HostStatements`, which is made of executions.
    pub(crate) host_statements: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The configurations that kernels were asked for in.
    pub configs: Configs,
    /// The types of options that launches gave.
    pub launch_options: LaunchOptions,
    /// The devices that the session has opened.
    pub devices: Devices,
    /// The artifacts given to devices.
    pub loadables: Loadables,
    /// Jobs, and the kernels made of them.
    pub jobs: Jobs,
    /// Launches on devices.
    pub launches: Launches,
    /// The thread that generates code of host functions while the program runs; `None`: the program waits for it.
    pub background: Option<Background>,
    /// The host functions whose code is being generated.
    pub pending_functions: PendingFunctions,
    /// The checks of kernels, if there are any.
    pub checking: Option<Checking>,
    /// Notes for those who ask later.
    pub notes: Notes,
}

/// The state of launches.
#[derive(Debug, Default)]
pub struct Launches {
    /// The parts of the heap that devices have.
    pub copies: Arc<DeviceCopies>,
    /// Launches whose results are pending, in their order.
    pub pending: PendingLaunches,
    /// Streams and events of programs.
    pub streams: Streams,
    /// The number of launches that were given seeds.
    pub seeded: AtomicU32,
}

impl Executor {
    /// An executor that has opened nothing and started no threads yet.
    pub fn new(options: ExecOptions, compiler: Arc<Compiler>) -> Self {
        let devices = Devices::new(options.copies_arrays, device_runtime(&compiler.options.tools));
        let checks = compiler.options.checks;
        let background = has_background(&options, &compiler).then(|| Background::new(compiler.clone()));
        Self {
            options,
            compiler,
            linker: OnceLock::new(),
            host_links: Arc::default(),
            host_statements: OnceLock::new(),
            configs: Configs::default(),
            launch_options: LaunchOptions::default(),
            devices,
            loadables: Loadables::default(),
            jobs: Jobs::default(),
            launches: Launches::default(),
            background,
            pending_functions: PendingFunctions::default(),
            checking: checks.any().then(|| Checking::new(checks)),
            notes: Notes::default(),
        }
    }

    /// Whether everything found or made is remembered for an image. Then kernels are compiled and linked, and not launched.
    pub fn collects(&self) -> bool {
        self.compiler.results.collects()
    }
}

/// Whether code is generated in the background: where a core is free for it. An image has all that was ready when it was needed.
fn has_background(options: &ExecOptions, compiler: &Compiler) -> bool {
    !options.waits_for_code
        && compiler.threads() > 1
        && !compiler.results.collects()
        && compiler.options.mutant.is_none()
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Returns the places of NVIDIA's device runtime library among those of tools.
fn device_runtime(tools: &ToolPaths) -> DeviceRuntimePaths {
    DeviceRuntimePaths {
        file: tools.files.get(DEVICE_RUNTIME).cloned(),
        folder: tools.folder.clone(),
        toolkits: tools.toolkits.clone(),
    }
}

/// The environment of functions that execute.
#[derive(Clone, Copy)]
pub struct ExecEnv<'a> {
    /// The session's types, methods and values.
    pub rt: &'a Runtime,
    /// The values that launches share.
    pub exec: &'a Arc<Executor>,
}

impl<'a> ExecEnv<'a> {
    /// The environment of a session.
    pub fn new(rt: &'a Runtime, exec: &'a Arc<Executor>) -> Self {
        Self { rt, exec }
    }

    /// Returns the environment of a job's stages.
    pub fn stages<'b>(&self, view: &'b View) -> CompileEnv<'b>
    where
        'a: 'b,
    {
        CompileEnv::new(self.rt, &self.exec.compiler, view)
    }

    /// Returns the session's counters.
    pub fn counters(&self) -> &'a Counters {
        &self.exec.compiler.counters
    }

    /// Returns a configuration.
    pub fn config(&self, config: ConfigId) -> &'a KernelConfig {
        self.exec.configs.get(config)
    }

    /// Returns the number of a configuration: equal for equal ones.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn intern(&self, config: &KernelConfig) -> Result<ConfigId, TargetError> {
        let Executor { compiler, configs, .. } = &**self.exec;
        configs.intern(self.rt, compiler, &config.method_tables, &config.options)
    }

    /// Returns the configuration that the options of a launch mean.
    ///
    /// # Errors
    /// When they are none.
    pub fn config_of(&self, options: Value) -> Run<ConfigId> {
        let Executor { compiler, configs, launch_options, .. } = &**self.exec;
        launch_options.config_of(self.rt, (compiler, configs), options)
    }

    /// Returns the view of kernels of a configuration, in the world of the code that asks for them.
    pub fn view(&self, config: ConfigId) -> View {
        self.exec.configs.view(self.rt, config)
    }
}
