//! Statements of compiled host code that the host runs: compiled code passes the site and the operands, as with the site of
//! a throw.

use crate::direct_call::{DirectCall, DirectCalls};
use crate::env::{ExecEnv, Executor};
use crate::failure;
use crate::function::exception_with_room;
use crate::launch_site::KernelSite;
use crate::statement_operand::Source;
use crate::text_site::TextSite;
use crate::trusted::CallContext;
use crate::value_form::ValueForm;
use kiln_compile::Program;
use kiln_ir::{HostFunction, Instance, Op, StmtData, Value as Operand};
use kiln_launch::Failure;
use kiln_runtime::eval::quote;
use kiln_runtime::heap::{coherence, compiled, constants, tuples};
use kiln_runtime::interp::{Special, StatementGlobal, StatementSite, globals, run, statement};
use kiln_runtime::tables::{MethodId, World};
use kiln_runtime::{Heap, Run, Runtime, Thrown, Value, builtins, collecting, exceptions, runtime};
use kiln_types::{Const, Module, Symbol, Type, datatype, display};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The operands that need no allocation.
const FEW: usize = 8;
/// Calls by way of the interpreter after which a site has their callee compiled.
const HOT_DISPATCHES: u32 = 4096;

/// The statements that the host has run, by the number of their site in the session: a list that grows without moving.
#[derive(Debug, Default)]
pub(crate) struct HostStatements {
    /// The first has [`FIRST_STATEMENTS`] places, each other one twice as many as the one before.
    parts: [OnceLock<Box<[StatementPlace]>>; 24],
}

type StatementPlace = OnceLock<Box<Statement>>;

const FIRST_STATEMENTS: usize = 256;

/// A statement, looked up once.
#[derive(Debug)]
pub(crate) struct Statement {
    work: Work,
    /// The statement asks for a kernel or launches one.
    kernel_site: Option<KernelSite>,
    /// The statement asks something of text.
    text_site: Option<TextSite>,
    operands: Box<[Source]>,
    /// Bytes of the operands, and of the result.
    bytes: (usize, usize),
    result: (Type, ValueForm),
    inbounds: bool,
    /// The code around it looks for copies on devices itself.
    looks_for_copies: bool,
    calls: StatementSite,
    direct: DirectCalls,
    /// How often it was dispatched by the interpreter.
    dispatched: AtomicU32,
}

/// The operation.
#[derive(Debug)]
enum Work {
    /// A call of the first operand.
    Call,
    /// A call of a function that has no methods.
    CallOf(Value),
    Host(HostFunction),
    /// A call of a method with the first operand as the function; with `rest`, the last operand is the tuple of
    /// trailing arguments.
    Method {
        instance: Instance,
        method: MethodId,
        rest: bool,
    },
    New(Type),
    NewDynamic,
    SplatNew,
    Global(StatementGlobal),
    /// An assignment of the third operand.
    SetGlobal(StatementGlobal),
    IsDefinedGlobal(Module, Symbol),
    CopyAst(Const),
    /// The host does not know how.
    Unknown,
}

/// Calls that are recorded of those that a failure comes through: one that recursion without end makes comes through more.
const CALLS_MAX: usize = 1 << 10;

/// The state of the host during one call of compiled host code.
pub(crate) struct HostCall<'a> {
    pub(crate) rt: &'a Runtime,
    pub(crate) env: ExecEnv<'a>,
    /// The world of the call.
    pub(crate) world: World,
    /// The program of the function that runs: callees of dynamic calls have their own.
    running: Cell<RunningCode<'a>>,
    pub(crate) statements: &'a HostStatements,
    thrown: Cell<Option<Box<Thrown>>>,
    /// Memory was exhausted at the allocation that the host runs next.
    exhausted: Cell<Option<Box<Thrown>>>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
    /// The sites of the calls that a failure has come through, innermost first.
    calls: RefCell<Vec<u32>>,
}

/// The code that has statements run by the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningCode<'a> {
    pub(crate) program: &'a Program,
    /// Whether it accesses elements of arrays, which a statement may have lent to a device.
    pub(crate) touches_memory: bool,
}

impl HostStatements {
    /// Those of the session.
    pub(crate) fn of_session(exec: &Executor) -> Arc<Self> {
        let all = exec.host_statements.get_or_init(|| Arc::new(Self::default()));
        all.clone().downcast().unwrap_or_else(|_| unreachable!("nothing else is kept there"))
    }

    /// The place of the statement of a site; `None` where there are no sites.
    #[inline]
    fn place(&self, number: u32) -> Option<&StatementPlace> {
        let at = number as usize + FIRST_STATEMENTS;
        let part = (at.ilog2() - FIRST_STATEMENTS.ilog2()) as usize;
        let first = FIRST_STATEMENTS << part;
        let places = self.parts.get(part)?.get_or_init(|| (0..first).map(|_| OnceLock::new()).collect());
        places.get(at - first)
    }
}

impl Statement {
    fn find(rt: &Runtime, program: &Program, number: u32) -> Option<Self> {
        let (site, function) = program.site(number)?;
        let code = function.code(rt);
        let data = code.stmts.values().nth(site.stmt as usize)?;
        let operands = data.op.operands().into_iter().zip(&site.operands).map(|(operand, place)| {
            let ty = match operand {
                Operand::Const(it) => return Some(Source::Known(constants::value_of(&rt.heap, it))),
                Operand::Stmt(it) => code.stmts[it].ty,
                Operand::Arg(n) => *code.args.get(n as usize)?,
            };
            Some(match ValueForm::of(rt, ty)? {
                ValueForm::Ghost(value) => Source::Known(value),
                form => Source::Passed(form, *place),
            })
        });
        let operands: Box<[Source]> = operands.collect::<Option<_>>()?;
        let places = site.operands.iter().map(|it| (it.offset + it.size) as usize);
        let result = ValueForm::of(rt, data.ty)?;
        Some(Self {
            work: work(rt, data),
            kernel_site: KernelSite::find(rt, data, &operands),
            text_site: TextSite::find(rt, data, &operands, &result),
            operands,
            bytes: (places.max().unwrap_or(0), result.size()),
            result: (data.ty, result),
            inbounds: data.inbounds,
            looks_for_copies: program.launches(number),
            calls: StatementSite::default(),
            direct: DirectCalls::default(),
            dispatched: AtomicU32::new(0),
        })
    }

    fn is_dispatched(&self) -> bool {
        matches!(self.work, Work::Call | Work::Method { rest: false, .. })
    }

    /// The bytes of the operands, and those of the result.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        self.bytes
    }

    fn run(&self, rt: &Runtime, bytes: &[u8]) -> Run {
        let value = |it: &Source| it.value(rt, bytes);
        // An array of the right length need not be cleared first.
        match &*self.operands {
            [a] => self.run_with(rt, &[value(a)]),
            [a, b] => self.run_with(rt, &[value(a), value(b)]),
            [a, b, c] => self.run_with(rt, &[value(a), value(b), value(c)]),
            [a, b, c, d] => self.run_with(rt, &[value(a), value(b), value(c), value(d)]),
            few if few.len() <= FEW => {
                let mut values = [rt.heap.nothing(); FEW];
                values.iter_mut().zip(few).for_each(|(to, it)| *to = value(it));
                self.run_with(rt, &values[..few.len()])
            }
            many => self.run_with(rt, &many.iter().map(value).collect::<Vec<Value>>()),
        }
    }

    fn run_with(&self, rt: &Runtime, values: &[Value]) -> Run {
        let value = self.work_on(rt, values)?;
        if self.is_dispatched() {
            self.learn(rt, values);
        }
        Ok(value)
    }

    /// Has the next call with operands of these types go to the compiled callee, if there is one. A callee that a site calls often is
    /// compiled.
    fn learn(&self, rt: &Runtime, values: &[Value]) {
        let calls = self.dispatched.fetch_add(1, Ordering::Relaxed);
        let is_hot = calls % HOT_DISPATCHES == HOT_DISPATCHES - 1;
        if !is_hot && !self.direct.takes(calls) {
            return;
        }
        let Some(callee) = statement::compiled_callee(rt, &self.calls, values, is_hot) else { return };
        if let Some(call) = DirectCall::new(rt, callee, (&self.operands, values), &self.result.1) {
            self.direct.keep(call);
        }
    }

    fn work_on(&self, rt: &Runtime, values: &[Value]) -> Run {
        let unknown =
            || rt.error("compiled code left a statement to the host that it cannot run: a bug in kiln");
        match (&self.work, values) {
            (Work::Call, [callee, args @ ..]) => {
                statement::call_at(rt, &self.calls, *callee, args, self.inbounds)
            }
            (Work::CallOf(callee), args) => statement::call_at(rt, &self.calls, *callee, args, self.inbounds),
            (Work::Host(function), args) => statement::call_host(rt, *function, args),
            (Work::Method { instance, method, rest: false }, [callee, args @ ..]) => {
                let method = current_method(rt, *instance, *method);
                statement::call_method_at(rt, &self.calls, (method, self.inbounds), *callee, args)
            }
            (Work::Method { instance, method, rest: true }, [callee, fixed @ .., rest]) => {
                let method = current_method(rt, *instance, *method);
                let args = [fixed, &tuples::values(&rt.heap, *rest)].concat();
                statement::call_method_at(rt, &self.calls, (method, self.inbounds), *callee, &args)
            }
            (Work::New(ty), fields) => builtins::new_struct(&rt.heap, rt.heap.type_value(*ty), fields),
            (Work::NewDynamic, [ty, fields @ ..]) => builtins::new_struct(&rt.heap, *ty, fields),
            (Work::SplatNew, [ty, fields]) => builtins::splat_new(&rt.heap, *ty, *fields),
            (Work::Global(global), _) => statement::get_global_at(rt, global),
            (Work::SetGlobal(global), [_, _, value]) => {
                statement::set_global_at(rt, global, *value).map(|()| *value)
            }
            (Work::IsDefinedGlobal(module, name), _) => {
                Ok(rt.heap.bool(globals::is_defined(rt, *module, *name)))
            }
            (Work::CopyAst(of), _) => Ok(quote::copy_ast(rt, constants::value_of(&rt.heap, *of))),
            (
                Work::Call
                | Work::Method { .. }
                | Work::NewDynamic
                | Work::SplatNew
                | Work::SetGlobal(_)
                | Work::Unknown,
                _,
            ) => Err(unknown()),
        }
    }
}

/// Returns the method that a call of an instance's means in the running world: the code of the caller outlives definitions that change
/// nothing for it.
fn current_method(rt: &Runtime, instance: Instance, method: MethodId) -> MethodId {
    let world = rt.current_world();
    if rt.tables.method(method).worlds().contains(world) {
        return method;
    }
    rt.tables.instance_data(rt.tables.current_instance(instance, world)).method
}

fn work(rt: &Runtime, data: &StmtData) -> Work {
    let call_of = |it: Option<Value>| it.map_or(Work::Unknown, Work::CallOf);
    match &data.op {
        Op::Call(_) => Work::Call,
        op if let Some((module, name, _)) = op.assigned_global(&rt.types) => {
            Work::SetGlobal(StatementGlobal::new(module, name))
        }
        Op::Builtin(builtin, _) => call_of(rt.special_function(Special::Builtin(*builtin))),
        Op::Host(function, _) => Work::Host(*function),
        Op::Intrinsic(intrinsic, _) => call_of(statement::intrinsic_function(rt, *intrinsic)),
        Op::Invoke(instance, _) => {
            let method = rt.tables.instance_data(*instance).method;
            Work::Method { instance: *instance, method, rest: rt.tables.method(method).is_va }
        }
        Op::New(_) => Work::New(data.ty),
        Op::NewDynamic(_) => Work::NewDynamic,
        Op::SplatNew(..) => Work::SplatNew,
        Op::Global(module, name) => Work::Global(StatementGlobal::new(*module, *name)),
        Op::IsDefinedGlobal(module, name) => Work::IsDefinedGlobal(*module, *name),
        Op::CopyAst(of) => Work::CopyAst(*of),
        Op::Phi(_)
        | Op::Pi(_)
        | Op::Lookup(..)
        | Op::BoundsCheck
        | Op::ThrowUndefIfNot(..)
        | Op::Enter { .. }
        | Op::Leave(_)
        | Op::TheException
        | Op::Upsilon(_)
        | Op::PhiC(_)
        | Op::PopException(_)
        | Op::LoopInfo(_)
        | Op::Nop
        | Op::Goto(_)
        | Op::Branch { .. }
        | Op::Return(_)
        | Op::Fail(..)
        | Op::Report(..)
        | Op::Unreachable => Work::Unknown,
    }
}

impl<'a> HostCall<'a> {
    pub(crate) fn new(env: ExecEnv<'a>, running: RunningCode<'a>, statements: &'a HostStatements) -> Self {
        Self {
            rt: env.rt,
            env,
            world: env.rt.current_world(),
            running: Cell::new(running),
            statements,
            thrown: Cell::default(),
            exhausted: Cell::default(),
            panic: Cell::default(),
            calls: RefCell::default(),
        }
    }

    /// Does the part of a collection that is due, then makes an object. `None` when memory is exhausted: the exception is kept.
    #[inline]
    pub(crate) fn make(&self, object: impl FnOnce(&Heap) -> Option<u64>) -> Option<u64> {
        let made = statement::safepoint_of_compiled_code(self.rt).map(|()| object(&self.rt.heap));
        if let Ok(Some(object)) = made {
            return Some(object);
        }
        let thrown = made.err().unwrap_or_else(|| exceptions::out_of_memory_error(&self.rt.heap));
        self.thrown.set(Some(thrown));
        None
    }

    /// Does the part of a collection that is due, then makes a memory. `None` if the host has to run the statement, which throws.
    pub(crate) fn make_memory(&self, ty: Type, length: i64) -> Option<u64> {
        match statement::safepoint_of_compiled_code(self.rt) {
            Ok(()) => {
                collecting::make_room(self.rt, ty, length);
                compiled::allocate_memory(&self.rt.heap, ty, length)
            }
            Err(thrown) => {
                self.exhausted.set(Some(thrown));
                None
            }
        }
    }

    /// The statement of the site of this number.
    pub(crate) fn statement(&self, number: u32) -> Option<&'a Statement> {
        let place = self.statements.place(number)?;
        if let Some(known) = place.get() {
            return Some(known);
        }
        let found = Statement::find(self.rt, self.running.get().program, number)?;
        Some(place.get_or_init(|| Box::new(found)))
    }

    /// Runs a statement, and writes its value. Returns false if it has thrown.
    pub(crate) fn run(
        &self,
        statement: &'a Statement,
        context: CallContext<'_>,
        operands: &[u8],
        result: &mut [u8],
    ) -> bool {
        let work = || {
            if let Some(thrown) = self.exhausted.take() {
                return Err(thrown);
            }
            // No text is on a device: there are no copies to look for.
            if let Some(site) = &statement.text_site
                && site.serve(&self.rt.heap, operands, result)
            {
                return Ok(());
            }
            let is_direct = statement.is_dispatched() && statement::can_call_compiled(self.rt);
            if is_direct && let Some(call) = statement.direct.find(self, operands) {
                call.call((self, context), operands, result)?;
            } else {
                let site = statement.kernel_site.as_ref();
                match site.and_then(|it| it.serve(&self.env, operands, result)) {
                    Some(done) => done?,
                    None => self.run_by_values(statement, operands, result)?,
                }
            }
            if statement.looks_for_copies {
                if self.rt.heap.coherence.has_async_results() {
                    runtime::surface_async_errors(self.rt)?;
                }
            } else if self.running.get().touches_memory && self.rt.heap.coherence.has_device_copies() {
                coherence::acquire_all_for_host(&self.rt.heap, true);
                runtime::surface_async_errors(self.rt)?;
            }
            Ok(())
        };
        // Compiled code does not unwind.
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
            Ok(Ok(())) => true,
            Ok(Err(thrown)) => {
                self.thrown.set(Some(thrown));
                false
            }
            Err(panic) => {
                self.panic.set(Some(panic));
                false
            }
        }
    }

    /// Does `work` while the code of a callee runs instead.
    pub(crate) fn within<T>(&self, callee: RunningCode<'a>, work: impl FnOnce() -> T) -> T {
        struct Restore<'c, 'a>(&'c Cell<RunningCode<'a>>, RunningCode<'a>);
        impl Drop for Restore<'_, '_> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let _caller = Restore(&self.running, self.running.replace(callee));
        work()
    }

    /// Lets a handler of compiled code take a failure. Returns false if no handler may: an end of the process, or a bug.
    pub(crate) fn catch(&self, failure: &Failure) -> bool {
        if let Some(panic) = self.panic.take() {
            self.panic.set(Some(panic));
            return false;
        }
        let thrown = self.thrown.take();
        if thrown.as_ref().is_some_and(|it| it.abort.is_some()) {
            self.thrown.set(thrown);
            return false;
        }
        // The stack may have been the failure.
        let calls = self.take_calls();
        let exception = || failure::exception(self.rt, self.running.get().program, (failure, &calls), thrown);
        let make = || exception_with_room(self.rt, exception);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(make)) {
            Ok(thrown) if thrown.abort.is_none() => {
                run::handle(self.rt, thrown);
                true
            }
            Ok(aborted) => {
                self.thrown.set(Some(aborted));
                false
            }
            Err(panic) => {
                self.panic.set(Some(panic));
                false
            }
        }
    }

    fn run_by_values(&self, statement: &Statement, operands: &[u8], result: &mut [u8]) -> Run<()> {
        let value = statement.run(self.rt, operands)?;
        // Inference says `Tuple{Type{Int}}` of a tuple whose type is `Tuple{DataType}`.
        debug_assert!(
            !datatype::is_concrete(&self.rt.types, statement.result.0)
                || self.rt.heap.isa(value, statement.result.0),
            "{:?} gives a `{}` where a `{}` is expected",
            statement.work,
            display::of_type(&self.rt.types, value.ty()),
            display::of_type(&self.rt.types, statement.result.0)
        );
        if !result.is_empty() {
            statement.result.1.pack(self.rt, value, result);
        }
        Ok(())
    }

    /// Records a call that a failure comes through.
    pub(crate) fn record_call(&self, site: u32) {
        let mut calls = self.calls.borrow_mut();
        if calls.len() < CALLS_MAX {
            calls.push(site);
        }
    }

    /// Takes the calls that the failure has come through.
    pub(crate) fn take_calls(&self) -> Vec<u32> {
        self.calls.take()
    }

    /// The exception of the statement that has thrown. Resumes a panic instead.
    pub(crate) fn take_thrown(&self) -> Option<Box<Thrown>> {
        if let Some(panic) = self.panic.take() {
            std::panic::resume_unwind(panic);
        }
        self.thrown.take()
    }
}
