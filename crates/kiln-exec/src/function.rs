//! Host functions, compiled: for code the interpreter runs often, and to compare the two in tests.

use crate::block::Block;
use crate::env::{ExecEnv, Executor};
use crate::failure;
use crate::host_links::HostProgram;
use crate::host_statement::{HostCall, HostStatements, RunningCode};
use crate::make_kernels::{compiling, linker};
use crate::notes::HotCode;
use crate::trusted::{CallContext, call_within};
use crate::value_form::ValueForm;
use kiln_compile::{
    CallGraph, CompileEnv, CompileError, LinkSet, LinkSetRequest, Place, ProblemKind, Program, Reach,
    UnitTarget, View, all_hold, call_graph, code_instance, diagnostics, keep, link_sets, specialization,
};
use kiln_ir::Instance;
use kiln_launch::{CpuFunction, Failure};
use kiln_link::ObjectLinkError;
use kiln_opt::{InliningClass, OptParams, inlining_class};
use kiln_runtime::eval::generated;
use kiln_runtime::heap::{try_with_room, tuples};
use kiln_runtime::tables::{CodeInstance, MethodMatch, World, WorldRange};
use kiln_runtime::tasks::segment_bytes;
use kiln_runtime::{CompiledBody, Run, Runtime, Thrown, Value, exceptions};
use kiln_types::{Type, display};
use kiln_unit::{EntryKind, OperandPlace};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Native stack that compiled code is called with at least.
pub(crate) const STACK_BYTES: usize = 512 << 10;

/// Makes an exception with as much native stack as compiled code has. It is another one where the system has no memory for that.
pub(crate) fn exception_with_room(rt: &Runtime, exception: impl FnOnce() -> Box<Thrown>) -> Box<Thrown> {
    let made = try_with_room(STACK_BYTES, segment_bytes(rt), exception);
    made.unwrap_or_else(|| exceptions::out_of_memory_error(&rt.heap))
}

/// A host function that runs as machine code.
#[derive(Debug)]
pub struct CompiledFunction {
    linked: Arc<LinkedFunction>,
    exec: Arc<Executor>,
    statements: Arc<HostStatements>,
}

/// The code of a host function, and how it is called. It holds nothing of executions: statements of callers, which these keep, hold it.
#[derive(Debug)]
pub(crate) struct LinkedFunction {
    entry: CpuFunction,
    program: Program,
    /// Of the slots between its units, when it was linked.
    changes: u64,
    arguments: Box<[(OperandPlace, ValueForm)]>,
    result: ValueForm,
    /// Bytes of a block of arguments, and of a result.
    block_bytes: (usize, usize),
    is_va: bool,
    nargs: usize,
    /// The results it was made of, its own first.
    parts: Arc<[Arc<CodeInstance>]>,
    /// A world in which all of them hold: a definition that ends one of them ends its own.
    validated_at: AtomicU64,
    /// The target.
    target: Arc<UnitTarget>,
    reach: Reach,
    /// It launches kernels, and looks for copies of arrays on devices itself.
    launches: bool,
}

/// Compiles an instance that runs often, and takes a note of it.
pub fn compile_hot(env: &ExecEnv<'_>, instance: Instance) -> Option<CompiledFunction> {
    let start = Instant::now();
    let made = compiling(env, instance, false, || compile_function(env, instance));
    let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    noted(env, instance, nanos, made)
}

/// Takes a note of the outcome of compiling an instance that runs often.
pub(crate) fn noted(
    env: &ExecEnv<'_>,
    instance: Instance,
    nanos: u64,
    made: Result<CompiledFunction, CompileError>,
) -> Option<CompiledFunction> {
    let compiled = made.is_ok();
    env.counters().count(|it| if compiled { &it.host_compiled } else { &it.host_refused });
    let name = specialization(env.rt, instance);
    let (made, outcome) = match made {
        Ok(made) => (Some(made), Ok(())),
        Err(why) => (None, Err(why)),
    };
    env.exec.notes.hot.add(HotCode { name, nanos, outcome });
    made
}

/// Returns the view of host code.
pub fn host_view(rt: &Runtime, exec: &Executor) -> View {
    View::host(rt, exec.compiler.targets.host())
}

/// Compiles `instance` as host code.
///
/// # Errors
/// Why it stays interpreted.
pub fn compile_function(env: &ExecEnv<'_>, instance: Instance) -> Result<CompiledFunction, CompileError> {
    let view = host_view(env.rt, env.exec);
    let graph = function_graph(env, &view, instance)?;
    let units = || {
        let (entry, may_be_late) = (EntryKind::Function, true);
        let request = LinkSetRequest { env: env.stages(&view), graph: &graph, entry, may_be_late };
        link_sets(&env.exec.compiler, &[request]).pop().transpose()
    };
    let made = kept_if_refused(env, (&view, &graph), compile_graph(env, &view, &graph, instance, units));
    made?.ok_or_else(|| CompileError::bug("its units are not there"))
}

/// Returns the call graph of a host function.
pub(crate) fn function_graph(
    env: &ExecEnv<'_>,
    view: &View,
    instance: Instance,
) -> Result<CallGraph, CompileError> {
    if env.rt.tables.current_instance(instance, view.world) != instance {
        // It runs in older worlds, where its successor must not.
        return Err(refused("a method that was replaced"));
    }
    call_graph(&env.stages(view), instance, Place::Host).map_err(|it| refused(&it.to_string()))
}

/// Keeps the typed code of a function that is refused: the next session finds out sooner.
pub(crate) fn kept_if_refused<T>(
    env: &ExecEnv<'_>,
    (view, graph): (&View, &CallGraph),
    made: Result<T, CompileError>,
) -> Result<T, CompileError> {
    made.inspect_err(|_| graph.nodes.iter().for_each(|it| keep(&env.stages(view), &it.typed)))
}

/// Links the function of a graph, of the `units` that it asks for. `None` if these are not there yet.
pub(crate) fn compile_graph(
    env: &ExecEnv<'_>,
    view: &View,
    graph: &CallGraph,
    instance: Instance,
    units: impl FnOnce() -> Result<Option<LinkSet>, CompileError>,
) -> Result<Option<CompiledFunction>, CompileError> {
    let rt = env.rt;
    if let Some(problem) = graph.problems.first() {
        let place = rt.frontend.place(problem.loc).map(|(file, line)| format!(" at {file}:{line}"));
        return Err(refused(&format!("{}{}", describe(rt, &problem.kind), place.unwrap_or_default())));
    }
    let form_of = |it: Type| {
        ValueForm::of(rt, it).ok_or_else(|| refused(&format!("a `{}`", display::of_type(&rt.types, it))))
    };
    let result = form_of(graph.nodes[0].code.return_type)?;
    let reach = Reach::of(rt, graph.nodes.iter().map(|it| &*it.code));
    let Some(link_set) = units()? else { return Ok(None) };
    // The others are kept with their units.
    graph.nodes.iter().filter(|it| it.is_interpreted).for_each(|it| keep(&env.stages(view), &it.typed));
    let bug = |it: ObjectLinkError| CompileError::bug(&it.to_string());
    let linker = linker(env.exec).map_err(bug)?;
    let made =
        env.exec.host_links.link(&env.stages(view), (&env.exec.compiler, &linker), &link_set).map_err(bug)?;
    let HostProgram { program, linked, changes } = made;
    let entry = crate::trusted::cpu_function(linker, &linked, &program.entry().entry, 0);
    let entry = entry.ok_or_else(|| CompileError::bug("the code generator made no entry"))?;
    let method = rt.tables.method(rt.tables.instance_data(instance).method);
    let types = &program.entry_function().code(rt).args;
    let arguments = program.entry().args.iter().zip(types).map(|(place, ty)| Ok((*place, form_of(*ty)?)));
    let arguments = arguments.collect::<Result<_, CompileError>>()?;
    let linked = Arc::new(LinkedFunction {
        entry,
        block_bytes: (
            (program.entry().args_bytes as usize).next_multiple_of(8),
            (program.entry().result_bytes as usize).next_multiple_of(8).max(8),
        ),
        launches: program.entry_launches(),
        program,
        changes,
        arguments,
        result,
        is_va: method.is_va,
        nargs: method.nargs as usize,
        parts: graph.parts(),
        validated_at: AtomicU64::new(view.world.number()),
        target: view.unit.clone(),
        reach,
    });
    let statements = HostStatements::of_session(env.exec);
    Ok(Some(CompiledFunction { linked, exec: env.exec.clone(), statements }))
}

/// Code instances of the methods that calls with this signature may go to in `world`, the most specific first.
pub fn inferred(env: &ExecEnv<'_>, found: &MethodMatch, world: World) -> Option<Arc<CodeInstance>> {
    let rt = env.rt;
    let view = View { world, ..host_view(rt, env.exec) };
    // For exactly these types: what is compiled may be made for wider ones, but the answer is about the call.
    let instance = rt.tables.instance(found.method, found.spec_types, &found.static_params);
    let typed = code_instance(&env.stages(&view), instance).ok()?;
    keep(&env.stages(&view), &typed);
    Some(typed)
}

/// Whether compiled host code that calls `instance` has its body in its own.
pub fn inlines(env: &ExecEnv<'_>, instance: Instance) -> bool {
    let rt = env.rt;
    let view = host_view(rt, env.exec);
    let typed = code_instance(&env.stages(&view), instance);
    let (Ok(typed), Ok(body)) = (typed, generated::instance_body(rt, instance)) else { return false };
    keep(&env.stages(&view), &typed);
    let class = |it| inlining_class(it, body.meta.inlining, &rt.types, &OptParams::default());
    typed.code(rt).is_some_and(|it| class(it) == InliningClass::Always)
}

/// The error of host code that is not compiled: nothing is wrong with it, it goes on being interpreted.
fn refused(why: &str) -> CompileError {
    CompileError::in_this_world(diagnostics::plain(why))
}

/// Describes the problem that keeps a body from being compiled.
fn describe(rt: &Runtime, kind: &ProblemKind) -> String {
    match kind {
        ProblemKind::DynamicCall { types, .. } => {
            let types: Vec<String> = types.iter().map(|it| display::of_type(&rt.types, *it)).collect();
            format!("a dynamic call ({})", types.join(", "))
        }
        ProblemKind::Allocation { ty, .. } => {
            format!("an allocation of `{}`", display::of_type(&rt.types, *ty))
        }
        ProblemKind::Growth { .. } => "a function that calls itself with ever larger types".to_owned(),
        ProblemKind::Generator { .. } => "a generated function whose generator threw".to_owned(),
        ProblemKind::Report { .. } => "a report of a kernel".to_owned(),
        ProblemKind::HostCall { name } | ProblemKind::RuntimeCall { name } => format!("a call of `{name}`"),
        ProblemKind::Global { name, .. } => format!("the global `{}`", rt.types.name(*name)),
        ProblemKind::HostObject { ty } => format!("a `{}` of the host", display::of_type(&rt.types, *ty)),
        ProblemKind::Boxed { wide, .. } | ProblemKind::Untold { wide, .. } => {
            format!("a `{}`", display::of_type(&rt.types, *wide))
        }
        ProblemKind::Try => "`try`".into(),
        ProblemKind::Throw | ProblemKind::Throws(_) => "a throw".into(),
        ProblemKind::ForeignCall { .. } => "a call of a C function".into(),
    }
}

impl CompiledBody for CompiledFunction {
    fn worlds(&self) -> WorldRange {
        let validated_at = World::new(self.linked.validated_at.load(Ordering::Acquire));
        let range = self.linked.parts[0].range_of(validated_at);
        let range = range.unwrap_or(WorldRange { min: validated_at, max: validated_at });
        WorldRange { min: range.min.max(self.exec.host_links.since(self.linked.changes)), ..range }
    }

    fn renew(&self, rt: &Runtime, instance: Instance) -> bool {
        let view = View::host(rt, &self.linked.target);
        let env = CompileEnv::new(rt, &self.exec.compiler, &view);
        let typed = code_instance(&env, instance);
        let is_linked = self.linked.changes == self.exec.host_links.changes();
        let good = is_linked
            && typed.is_ok_and(|it| Arc::ptr_eq(&it, &self.linked.parts[0]))
            && all_hold(&env, &self.linked.parts);
        if good {
            self.linked.validated_at.store(view.world.number(), Ordering::Release);
        }
        good
    }

    fn call(&self, rt: &Runtime, args: &[Value]) -> Run {
        // Nothing of the program may run, and redefine, between the question for its worlds and this.
        let _running = self.exec.host_links.running(rt);
        if !self.linked.launches {
            self.linked.reach.acquire_for_host(rt, args)?;
        }
        let packed;
        let args = if self.linked.is_va {
            let fixed = (self.linked.nargs - 1).min(args.len());
            let mut all = Vec::with_capacity(fixed + 1);
            all.extend_from_slice(&args[..fixed]);
            all.push(tuples::new(&rt.heap, &args[fixed..]));
            packed = all;
            packed.as_slice()
        } else {
            args
        };
        let mut block = Block::new(self.linked.args_bytes());
        for ((place, form), value) in self.linked.arguments.iter().zip(args) {
            let range = place.offset as usize..(place.offset + place.size) as usize;
            form.pack(rt, *value, &mut block.bytes_mut()[range]);
        }
        let mut result = Block::new(self.linked.result_bytes());
        let env = ExecEnv::new(rt, &self.exec);
        self.linked.run(env, &self.statements, block.bytes(), result.bytes_mut())?;
        Ok(self.linked.result.unpack(rt, result.bytes()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CompiledFunction {
    /// Its code.
    pub(crate) fn linked(&self) -> &Arc<LinkedFunction> {
        &self.linked
    }
}

impl LinkedFunction {
    /// How often slots were given another meaning when it was linked.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether its last argument is a tuple of all further ones.
    pub(crate) fn is_va(&self) -> bool {
        self.is_va
    }

    /// The place and form of each argument, the function itself first.
    pub(crate) fn arguments(&self) -> &[(OperandPlace, ValueForm)] {
        &self.arguments
    }

    /// The form of the result.
    pub(crate) fn result(&self) -> &ValueForm {
        &self.result
    }

    /// Bytes of a block of its arguments.
    pub(crate) fn args_bytes(&self) -> usize {
        self.block_bytes.0
    }

    /// Bytes of a block for its result.
    pub(crate) fn result_bytes(&self) -> usize {
        self.block_bytes.1
    }

    /// Runs it on a block of its arguments.
    ///
    /// # Errors
    /// Fails with the exception that it throws.
    pub(crate) fn run(
        &self,
        env: ExecEnv<'_>,
        statements: &HostStatements,
        args: &[u8],
        result: &mut [u8],
    ) -> Run<()> {
        let host = HostCall::new(env, self.running_code(), statements);
        let call = || crate::host_services::call_function(&self.entry, args, result, &host);
        // More than the device asks for, so that it changes to no segment that collections do not know.
        let Some(called) = try_with_room(STACK_BYTES, segment_bytes(env.rt), call) else {
            return Err(exceptions::out_of_memory_error(&env.rt.heap));
        };
        // What makes the exception may fail itself, in the same function.
        called.map_err(|it| exception_with_room(env.rt, || self.exception(&host, &it)))
    }

    /// Runs it on a block of its arguments, for a host function that this thread is in: within the call of that one.
    ///
    /// # Errors
    /// Fails with the exception that it throws.
    #[inline]
    pub(crate) fn run_within<'a>(
        &'a self,
        (host, context): (&HostCall<'a>, CallContext<'_>),
        args: &[u8],
        result: &mut [u8],
    ) -> Run<()> {
        let call = || call_within(&self.entry, context, args, result);
        match host.within(self.running_code(), call) {
            Some(Ok(())) => Ok(()),
            Some(Err(failure)) => Err(exception_with_room(host.rt, || self.exception(host, &failure))),
            None => self.run(host.env, host.statements, args, result),
        }
    }

    #[cold]
    fn exception(&self, host: &HostCall<'_>, failure: &Failure) -> Box<Thrown> {
        failure::exception(host.rt, &self.program, (failure, &host.take_calls()), host.take_thrown())
    }

    fn running_code(&self) -> RunningCode<'_> {
        RunningCode { program: &self.program, touches_memory: self.reach.touches_memory() }
    }
}
