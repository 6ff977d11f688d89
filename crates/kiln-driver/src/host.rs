//! The interfaces of the runtime, over a session's executor.

use crate::options::DriverOptions;
use kiln_codegen_client::CodegenClient;
use kiln_compile::{Background, Compiler, TargetError, find_typed, shown_target};
use kiln_exec::{
    ExecEnv, Executor, KernelHandle, KernelJob, compile_hot, compile_hot_beside, config_on, default_device,
    device_facts, do_with_stream, drain, drain_waited_for, has_own_memory, inferred, inlines, kernel_error,
    launch_in_stream, note_hot, precompile_kernel, reserve_on_device, resolve, was_hot,
};
use kiln_inspect::{reflect_from_julia, watch_from_julia};
use kiln_ir::Instance;
use kiln_launch::{Grid, Together};
use kiln_metrics::{Counters, nanos};
use kiln_results::TieredStore;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodMatch, MethodTableView, World};
use kiln_runtime::{
    CompiledBody, HostCode, HostCompiler, HotSpot, KernelDevice, KernelHost, LaunchShape, Run, Runtime,
    StoredCode, TypedQuery, Value, throw,
};
use kiln_targets::{Backend, TargetFacts};
use kiln_types::{Symbol, Type};
use std::sync::Arc;

/// Compiles, keeps and launches kernels for a runtime.
pub struct Driver {
    exec: Arc<Executor>,
    shown_for: Vec<String>,
}

impl Driver {
    /// A driver that has opened nothing and started no threads yet.
    pub fn new(options: DriverOptions, counters: Arc<Counters>) -> Self {
        let DriverOptions { compiler, codegen, store, collects, exec, shown_for } = options;
        let on_open = counters.clone();
        let on_open = move |started, took| {
            on_open.add(|it| &it.open_ns, nanos(took));
            on_open.span("open", String::new, started, took);
        };
        let codegen = CodegenClient::new(codegen, Box::new(on_open));
        let results = TieredStore::new(store, collects, counters.clone());
        let compiler = Arc::new(Compiler::new(compiler, counters, codegen, results));
        Self { exec: Arc::new(Executor::new(exec, compiler)), shown_for }
    }

    /// Returns the values that the session's launches share.
    pub fn exec(&self) -> &Executor {
        &self.exec
    }

    /// Returns the environment of execution.
    pub fn env<'a>(&'a self, rt: &'a Runtime) -> ExecEnv<'a> {
        ExecEnv::new(rt, &self.exec)
    }

    /// Returns the services of the session's compilations.
    pub fn compiler(&self) -> &Compiler {
        &self.exec.compiler
    }

    /// Returns where results of other sessions are found and kept.
    pub fn results(&self) -> &TieredStore {
        &self.exec.compiler.results
    }

    /// Returns the target that stages of a back end are shown for: the first of that back end among those the session names,
    /// kiln's own and those of the code generator.
    ///
    /// # Errors
    /// When a name is none of a target.
    pub fn shown_target(&self, backend: &Backend) -> Result<TargetFacts, TargetError> {
        shown_target(&self.exec.compiler, &self.shown_for, backend)
    }
}

impl StoredCode for Driver {
    fn find(
        &self,
        rt: &Runtime,
        view: &MethodTableView,
        owner: CacheOwner,
        instance: Instance,
        query: TypedQuery,
    ) -> Option<Arc<CodeInstance>> {
        find_typed((&self.exec.compiler, rt), view, owner, instance, query)
    }
}

impl KernelHost for Driver {
    fn compile(&self, rt: &Runtime, f: Value, tt: Type, options: Value) -> Run<u64> {
        let env = &self.env(rt);
        let (function, config) = (rt.heap.dispatch_type(f), env.config_of(options)?);
        let on_device = config_on(env, config, default_device(&self.exec));
        let (config, device) = on_device.map_err(|it| throw::argument_error(rt, &it.to_string()))?;
        let job = KernelJob { function, args: tt, config, device };
        self.exec.notes.watches.note(&job);
        match resolve(env, &job) {
            Ok(handle) => Ok(handle.number()),
            Err(why) => Err(kernel_error(rt, &why.message)),
        }
    }

    fn launch(&self, rt: &Runtime, handle: u64, size: LaunchShape, args: &[Value]) -> Run<()> {
        let Some((function, args)) = args.split_first() else {
            return Err(rt.error("a launch is given the function and its arguments"));
        };
        let LaunchShape { groups, items, shared_bytes, is_cooperative, cluster } = size;
        let negative = |_| rt.error(&format!("a launch with {shared_bytes} bytes of shared memory"));
        let dynamic_shared_bytes = usize::try_from(shared_bytes).map_err(negative)?;
        let grid =
            Grid { groups, items, dynamic_shared_bytes, together: Together { is_cooperative, cluster } };
        launch_in_stream(&self.env(rt), KernelHandle::from_number(handle), &grid, (*function, args), false)
    }

    fn device(&self, rt: &Runtime) -> Run<KernelDevice> {
        device_facts(&self.exec).map_err(|it| rt.error(&it.to_string()))
    }

    fn synchronize(&self, rt: &Runtime) -> Run<()> {
        drain(&self.env(rt))
    }

    fn free(&self, memory: Value) -> bool {
        self.exec.checking.as_ref().is_some_and(|it| it.free(memory.bits()))
    }

    fn reserve(&self, rt: &Runtime, memory: Value) {
        reserve_on_device(&self.env(rt), memory.bits());
    }

    fn has_own_memory(&self) -> bool {
        has_own_memory(&self.exec)
    }

    fn surface_async_errors(&self, rt: &Runtime) -> Run<()> {
        drain_waited_for(&self.env(rt))
    }

    fn stream(&self, rt: &Runtime, what: Symbol, first: i64, second: i64) -> Run {
        do_with_stream(&self.env(rt), what, first, second).map(|it| rt.heap.int(it))
    }

    fn in_use(&self) -> Vec<u64> {
        self.exec.launches.copies.in_use()
    }

    fn after_collection(&self, rt: &Runtime) {
        self.exec.launches.copies.after_collection(&rt.heap);
    }

    fn watch(&self, rt: &Runtime, begin: bool) -> Run {
        Ok(watch_from_julia(&self.env(rt), begin))
    }

    fn reflect(&self, rt: &Runtime, stage: Symbol, job: (Type, Type), options: Value) -> Run {
        reflect_from_julia(&self.env(rt), &self.shown_for, stage, job, options)
    }
}

impl HostCompiler for Driver {
    fn compile(&self, rt: &Runtime, instance: Instance, _world: World) -> Option<Box<dyn CompiledBody>> {
        let compiled = compile_hot(&self.env(rt), instance)?;
        Some(Box::new(compiled))
    }

    fn compile_beside(&self, rt: &Runtime, instance: Instance, _world: World) -> HostCode {
        compile_hot_beside(&self.env(rt), instance)
    }

    fn progress(&self) -> u64 {
        self.exec.background.as_ref().map_or(0, Background::done)
    }

    fn precompile(&self, rt: &Runtime, instance: Instance) -> bool {
        let env = &self.env(rt);
        let is_kernel = precompile_kernel(env, instance);
        compile_hot(env, instance).is_some() || is_kernel
    }

    fn was_hot(&self, rt: &Runtime, spot: &HotSpot) -> bool {
        was_hot(&self.exec.compiler, rt, spot)
    }

    fn is_hot(&self, rt: &Runtime, spot: &HotSpot) {
        note_hot(&self.exec.compiler, rt, spot);
    }

    fn inlines(&self, rt: &Runtime, instance: Instance) -> bool {
        inlines(&self.env(rt), instance)
    }

    fn inferred(&self, rt: &Runtime, found: &MethodMatch, world: World) -> Option<Arc<CodeInstance>> {
        inferred(&self.env(rt), found, world)
    }
}
