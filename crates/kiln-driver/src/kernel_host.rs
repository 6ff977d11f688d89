//! The driver: what the runtime calls to compile and launch kernels.

use crate::arguments::{self, not_bits};
use crate::call_graph::CallGraph;
use crate::check::Place;
use crate::diagnostics;
use crate::failure;
use crate::function::HotCode;
use crate::kept::KeptTyped;
use crate::kernel::Kernel;
use crate::loader::Codegen;
use crate::options;
use crate::program::Program;
use crate::reports::Reports;
use crate::stats::{Compilation, add_min, count};
use crate::store::{StoreOptions, UnitStore};
use crate::tally::Counters;
use crate::trace::nanos;
use crate::typed::{View, code_instance, job, specialization};
use kiln_ir::{Instance, Intrinsic, SourceLoc};
use kiln_launch::{CpuDevice, CpuKernel, Grid};
use kiln_link::Linker;
use kiln_runtime::bug::while_doing;
use kiln_runtime::tables::{CacheOwner, CodeInstance, MethodMatch, TableId, World};
use kiln_runtime::{KernelHost, Run, Runtime, Thrown, Value};
use kiln_syntax::Diagnostic;
use kiln_targets::TargetFacts;
use kiln_types::{Symbol, Type};
use kiln_unit::EntryKind;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Turns diagnostics into text.
pub type Render = Box<dyn Fn(&[Diagnostic]) -> String + Send + Sync>;

/// What a session decides.
pub struct DriverOptions {
    /// The code generator to open; `None`: the one beside the executable.
    pub codegen: Option<PathBuf>,
    /// Worker threads of the CPU device; 0: one a core.
    pub threads: usize,
    /// Turns diagnostics into text.
    pub render: Render,
    /// Compiles the first intrinsic as if it were the second: how tests of the compiler are tested. `None` otherwise.
    pub mutant: Option<(Intrinsic, Intrinsic)>,
    /// Where compiled units are kept; `None`: in memory only.
    pub store: Option<StoreOptions>,
    /// What to compile for; `None`: this machine.
    pub target: Option<TargetFacts>,
    /// Everything found or made is remembered, for an image.
    pub collects: bool,
    /// Told of what went wrong without stopping anything, a sentence each.
    pub warn: Box<dyn Fn(&str) + Send + Sync>,
    /// Whether a place is in one of the program's own files.
    pub is_user_file: Box<dyn Fn(SourceLoc) -> bool + Send + Sync>,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
struct Known {
    handle: u64,
    /// The newest world in which it was found to be good.
    world: World,
    /// The results it was made of, the entry's first.
    parts: Arc<[Arc<CodeInstance>]>,
}

/// What is compiled once: function type, argument types, who sees what, and the name the launch gave.
type KernelKey = (Type, Type, CacheOwner, Option<Symbol>);

/// Compiles, keeps and launches kernels.
pub struct Driver {
    options: DriverOptions,
    facts: TargetFacts,
    counters: Arc<Counters>,
    codegen: Mutex<Option<Arc<Codegen>>>,
    pub(crate) store: UnitStore,
    pub(crate) kept: KeptTyped,
    linker: OnceLock<Arc<Linker>>,
    device: OnceLock<CpuDevice>,
    kernels: RwLock<Vec<Arc<Kernel>>>,
    /// To a handle and the world it was compiled in.
    known: RwLock<FxHashMap<KernelKey, Known>>,
    /// What kernels see that are compiled with these tables, the world aside.
    views: RwLock<Vec<(Vec<TableId>, View)>>,
    /// What became of host code that ran often.
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
            store: UnitStore::default(),
            kept: KeptTyped::default(),
            linker: OnceLock::new(),
            device: OnceLock::new(),
            kernels: RwLock::default(),
            known: RwLock::default(),
            views: RwLock::default(),
            hot: Mutex::default(),
            compilations: Mutex::default(),
        })
    }

    /// What is true of the processor.
    pub fn facts(&self) -> &TargetFacts {
        &self.facts
    }

    pub(crate) fn shared_counters(&self) -> Arc<Counters> {
        self.counters.clone()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn codegen(&self) -> Result<Arc<Codegen>, String> {
        let mut slot = self.codegen.lock();
        if let Some(open) = slot.as_ref() {
            return Ok(open.clone());
        }
        let open = || Codegen::open(self.options.codegen.as_deref());
        let opened = self.counters.timed(|it| &it.open_ns, "open", String::new, open);
        let opened = Arc::new(opened.map_err(|it| it.to_string())?);
        Ok(slot.insert(opened).clone())
    }

    pub(crate) fn linker(&self) -> Result<Arc<Linker>, String> {
        if let Some(linker) = self.linker.get() {
            return Ok(linker.clone());
        }
        let linker = Arc::new(Linker::new().map_err(|it| it.to_string())?);
        Ok(self.linker.get_or_init(|| linker).clone())
    }

    fn device(&self) -> Result<&CpuDevice, String> {
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

    /// Whether everything found or made is remembered.
    pub(crate) fn collects(&self) -> bool {
        self.options.collects
    }

    pub(crate) fn warn(&self, message: &str) {
        (self.options.warn)(message);
    }

    pub(crate) fn mutant(&self) -> Option<(Intrinsic, Intrinsic)> {
        self.options.mutant
    }

    /// What was compiled, in order.
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

    fn throw(&self, rt: &Runtime, problems: &[Diagnostic]) -> Box<Thrown> {
        let text = (self.options.render)(problems);
        let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
        let error = device.and_then(|it| rt.global(it, rt.types.symbol("KernelError")));
        match error.and_then(|it| it.as_type(rt.types.core())) {
            Some(ty) => rt.exception(ty, &[rt.heap.string(&text)]),
            None => rt.error(&text),
        }
    }

    pub(crate) fn compile_new(
        &self,
        rt: &Runtime,
        view: &View,
        instance: Instance,
    ) -> Result<Kernel, Vec<Diagnostic>> {
        let plain = |message: String| diagnostics::plain(&message);
        let graph = self.call_graph(rt, view, instance, Place::Device).map_err(plain)?;
        let mut problems = self.problems(rt, &graph);
        let entry = &graph.nodes[0].code;
        let method = rt.tables.method(rt.tables.instance_data(instance).method);
        let core = rt.types.core();
        if !rt.types.subtype(entry.return_type, core.nothing) {
            let name = rt.types.name(method.name);
            problems.insert(0, diagnostics::kernel_returns(rt, method.loc, name, entry.return_type));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let composition = self.compose(rt, view, &graph, EntryKind::Kernel)?;
        let linker = self.linker().map_err(plain)?;
        let (program, linked) = Program::link(self, rt, &linker, &composition)?;
        let (link, shared) = (program.entry(), program.shared_bytes as usize);
        let entry = CpuKernel::new(linker, &linked, link, shared)
            .ok_or_else(|| plain(format!("the code generator made no `{}`", link.entry)))?;
        Ok(Kernel { name: method.name, entry, program, parts: graph.parts() })
    }

    pub(crate) fn render(&self, problems: &[Diagnostic]) -> String {
        (self.options.render)(problems)
    }

    pub(crate) fn problems(&self, rt: &Runtime, graph: &CallGraph) -> Vec<Diagnostic> {
        let is_user_file = &self.options.is_user_file;
        let mut all: Vec<Diagnostic> = Vec::new();
        for problem in &graph.problems {
            let diagnostic = diagnostics::of_problem(rt, problem, &|it| is_user_file(it));
            if !all.contains(&diagnostic) {
                all.push(diagnostic);
            }
        }
        all
    }

    /// The kernel of this handle.
    pub(crate) fn kernel(&self, handle: u64) -> Option<Arc<Kernel>> {
        self.kernels.read().get(usize::try_from(handle).ok()?).cloned()
    }

    /// The views of the kernels compiled so far.
    pub(crate) fn known_views(&self) -> Vec<View> {
        self.views.read().iter().map(|it| it.1.clone()).collect()
    }

    /// What kernels see in the newest world that are compiled with these tables.
    pub(crate) fn device_view(&self, rt: &Runtime, tables: &[TableId]) -> View {
        let world = rt.tables.world();
        let known = self.views.read().iter().find(|it| it.0 == tables).map(|it| it.1.clone());
        if let Some(view) = known {
            return View { world, ..view };
        }
        let view = View::device(rt, tables);
        self.views.write().push((tables.to_vec(), view.clone()));
        view
    }

    /// Whether compiling a kernel in the world of `view` would make what `known` is.
    fn is_still_good(&self, rt: &Runtime, view: &View, (f, tt): (Value, Type), known: &Known) -> bool {
        let Ok(entry) = self.entry_instance(rt, view, f, tt) else { return false };
        let typed = code_instance(rt, &self.counters, view, entry);
        typed.is_ok_and(|it| Arc::ptr_eq(&it, &known.parts[0]))
            && known.parts.iter().all(|it| it.holds_in(view.world))
    }

    /// The instance that a launch with these argument types runs.
    pub(crate) fn entry_instance(
        &self,
        rt: &Runtime,
        view: &View,
        f: Value,
        tt: Type,
    ) -> Result<Instance, Vec<Diagnostic>> {
        let mut types = vec![rt.heap.dispatch_type(f)];
        types.extend(rt.types.params(tt).iter().copied());
        for (position, ty) in types.iter().enumerate() {
            if let Some(found) = not_bits(&rt.types, *ty) {
                return Err(vec![diagnostics::not_bits(rt, SourceLoc::NONE, position, *ty, &found)]);
            }
        }
        let found = rt.tables.dispatch_in(view.id(rt), &types, view.world);
        let found = found.map_err(|_| vec![diagnostics::no_method(rt, &types)])?;
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
        let view = self.device_view(rt, &options::method_tables(rt, options)?);
        let name = options::name(rt, options);
        let key = (rt.heap.dispatch_type(f), tt, view.owner, name);
        let known = self.known.read().get(&key).cloned();
        if let Some(known) = known
            && (known.world == view.world || self.is_still_good(rt, &view, (f, tt), &known))
        {
            if known.world != view.world {
                self.known.write().insert(key, Known { world: view.world, ..known.clone() });
            }
            return Ok(known.handle);
        }
        let made = self.entry_instance(rt, &view, f, tt).and_then(|instance| {
            self.compiling(rt, instance, true, || self.compile_new(rt, &view, instance))
        });
        let mut kernel = made.map_err(|it| self.throw(rt, &it))?;
        kernel.name = name.unwrap_or(kernel.name);
        self.counters.count(|it| &it.kernels_compiled);
        let parts = kernel.parts.clone();
        let mut kernels = self.kernels.write();
        kernels.push(Arc::new(kernel));
        let handle = kernels.len() as u64 - 1;
        self.known.write().insert(key, Known { handle, world: view.world, parts });
        Ok(handle)
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
        let Some(kernel) = self.kernel(handle) else {
            return Err(rt.error(&format!("no kernel has the handle {handle}")));
        };
        if let Some(size) = groups.iter().chain(&items).find(|it| **it > i64::from(i32::MAX)) {
            let max = i32::MAX;
            return Err(
                rt.error(&format!("a launch has at most {max} groups or items in a dimension, not {size}"))
            );
        }
        let Some((function, args)) = args.split_first() else {
            return Err(rt.error("a launch is given the function and its arguments"));
        };
        let mut block = Vec::new();
        arguments::pack(rt, kernel.program.entry(), *function, args, &mut block);
        let dynamic_shared_bytes = usize::try_from(shared_bytes).unwrap_or(0);
        let grid = Grid { groups, items, dynamic_shared_bytes };
        let device = self.device().map_err(|it| rt.error(&it))?;
        count(&self.counters.kernels_launched);
        let bytes = arguments::bytes(&block);
        let mut reports = Reports::new(rt, &kernel);
        let start = Instant::now();
        let done = device.launch(&kernel.entry, &grid, &bytes, &mut |it| reports.take(&it));
        let took = start.elapsed();
        add_min(&self.counters.launch_ns, &self.counters.launch_min_ns, took);
        self.counters.span("launch", || rt.types.name(kernel.name).to_owned(), start, took);
        done.map_err(|it| failure::of_item(rt, &kernel, &it))?;
        reports.finish()
    }

    fn synchronize(&self, _rt: &Runtime) -> Run<()> {
        Ok(()) // launches on the CPU are over when they return
    }
}
