//! Statements of compiled host code that the host runs: compiled code passes the site and the operands, as with the site of
//! a throw.

use crate::arguments;
use kiln_compile::Program;
use kiln_ir::{Op, StmtData, Value as Operand};
use kiln_runtime::interp::{Special, StatementSite};
use kiln_runtime::tables::MethodId;
use kiln_runtime::{Run, Runtime, Thrown, Value, builtins};
use kiln_types::{Const, Module, Symbol, Type};
use kiln_unit::OperandPlace;
use std::any::Any;
use std::cell::Cell;
use std::sync::OnceLock;

/// The operands that need no allocation.
const FEW: usize = 8;

/// The statements of a program that the host has run, by site.
#[derive(Debug)]
pub(crate) struct HostStatements {
    known: Box<[OnceLock<Box<Statement>>]>,
}

/// A statement, looked up once.
#[derive(Debug)]
pub(crate) struct Statement {
    work: Work,
    operands: Box<[Source]>,
    operand_bytes: usize,
    result: Type,
    result_bytes: usize,
    inbounds: bool,
    calls: StatementSite,
}

/// An operand.
#[derive(Debug)]
enum Source {
    /// The host knows it.
    Known(Value),
    /// Compiled code passes it.
    Passed(Type, OperandPlace),
}

/// The operation.
#[derive(Debug)]
enum Work {
    /// A call of the first operand.
    Call,
    /// A call of a function that has no methods.
    CallOf(Value),
    /// A call of a method with the first operand as the function; with `rest`, the last operand is the tuple of
    /// trailing arguments.
    Method {
        method: MethodId,
        rest: bool,
    },
    New(Type),
    NewDynamic,
    SplatNew,
    Global(Module, Symbol),
    IsDefinedGlobal(Module, Symbol),
    CopyAst(Const),
    /// The host does not know how.
    Unknown,
}

/// The state of the host during one call of compiled host code.
pub(crate) struct HostCall<'a> {
    pub(crate) rt: &'a Runtime,
    program: &'a Program,
    statements: &'a HostStatements,
    /// Whether compiled code accesses elements of arrays, which a statement may have lent to a device.
    touches_memory: bool,
    thrown: Cell<Option<Box<Thrown>>>,
    /// Memory was exhausted at an allocation.
    exhausted: Cell<Option<Box<Thrown>>>,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

impl HostStatements {
    /// For a program of so many sites.
    pub(crate) fn new(sites: u32) -> Self {
        Self { known: (0..sites).map(|_| OnceLock::new()).collect() }
    }
}

impl Statement {
    fn find(rt: &Runtime, program: &Program, number: u32) -> Option<Self> {
        let (site, function) = program.site(number)?;
        let code = function.code(rt);
        let data = code.stmts.values().nth(site.stmt as usize)?;
        let operands = data.op.operands().into_iter().zip(&site.operands).map(|(operand, place)| {
            let ty = match operand {
                Operand::Const(it) => return Some(Source::Known(rt.heap.value_of(it))),
                Operand::Stmt(it) => code.stmts[it].ty,
                Operand::Arg(n) => *code.args.get(n as usize)?,
            };
            let known = rt.types.type_type_param(ty).map(|it| rt.heap.type_value(it));
            let known = known.or_else(|| rt.types.singleton(ty).map(|it| rt.heap.value_of(it)));
            Some(known.map_or(Source::Passed(ty, *place), Source::Known))
        });
        let operands: Box<[Source]> = operands.collect::<Option<_>>()?;
        let places = site.operands.iter().map(|it| (it.offset + it.size) as usize);
        Some(Self {
            work: work(rt, data),
            operands,
            operand_bytes: places.max().unwrap_or(0),
            result: data.ty,
            result_bytes: arguments::bytes_of(&rt.types, data.ty),
            inbounds: data.inbounds,
            calls: StatementSite::default(),
        })
    }

    /// The bytes of the operands, and those of the result.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        (self.operand_bytes, self.result_bytes)
    }

    fn value(source: &Source, rt: &Runtime, bytes: &[u8]) -> Value {
        match source {
            Source::Known(value) => *value,
            Source::Passed(ty, place) => {
                let range = place.offset as usize..(place.offset + place.size) as usize;
                arguments::unpack(rt, *ty, bytes.get(range).unwrap_or_default())
            }
        }
    }

    fn run(&self, rt: &Runtime, bytes: &[u8]) -> Run {
        let mut few = [rt.heap.nothing(); FEW];
        let many: Vec<Value>;
        let values = if self.operands.len() <= FEW {
            for (value, source) in few.iter_mut().zip(&self.operands) {
                *value = Self::value(source, rt, bytes);
            }
            &few[..self.operands.len()]
        } else {
            many = self.operands.iter().map(|it| Self::value(it, rt, bytes)).collect();
            many.as_slice()
        };
        self.work_on(rt, values)
    }

    fn work_on(&self, rt: &Runtime, values: &[Value]) -> Run {
        let unknown =
            || rt.error("compiled code left a statement to the host that it cannot run: a bug in kiln");
        match (&self.work, values) {
            (Work::Call, [callee, args @ ..]) => rt.call_at(&self.calls, *callee, args, self.inbounds),
            (Work::CallOf(callee), args) => rt.call_at(&self.calls, *callee, args, self.inbounds),
            (Work::Method { method, rest: false }, [callee, args @ ..]) => {
                rt.call_method_at(&self.calls, (*method, self.inbounds), *callee, args)
            }
            (Work::Method { method, rest: true }, [callee, fixed @ .., rest]) => {
                let args = [fixed, &rt.heap.tuple_values(*rest)].concat();
                rt.call_method_at(&self.calls, (*method, self.inbounds), *callee, &args)
            }
            (Work::New(ty), fields) => builtins::new_struct(&rt.heap, rt.heap.type_value(*ty), fields),
            (Work::NewDynamic, [ty, fields @ ..]) => builtins::new_struct(&rt.heap, *ty, fields),
            (Work::SplatNew, [ty, fields]) => builtins::splat_new(&rt.heap, *ty, *fields),
            (Work::Global(module, name), _) => rt.get_global(*module, *name),
            (Work::IsDefinedGlobal(module, name), _) => {
                Ok(rt.heap.bool(rt.is_defined_global(*module, *name)))
            }
            (Work::CopyAst(of), _) => Ok(rt.copy_ast(rt.heap.value_of(*of))),
            (Work::Call | Work::Method { .. } | Work::NewDynamic | Work::SplatNew | Work::Unknown, _) => {
                Err(unknown())
            }
        }
    }
}

fn work(rt: &Runtime, data: &StmtData) -> Work {
    let call_of = |it: Option<Value>| it.map_or(Work::Unknown, Work::CallOf);
    match &data.op {
        Op::Call(_) => Work::Call,
        Op::Builtin(builtin, _) => call_of(rt.special_function(Special::Builtin(*builtin))),
        Op::Host(function, _) => call_of(rt.special_function(Special::Host(*function))),
        Op::Intrinsic(intrinsic, _) => call_of(rt.intrinsic_function(*intrinsic)),
        Op::Invoke(instance, _) => {
            let method = rt.tables.instance_data(*instance).method;
            Work::Method { method, rest: rt.tables.method(method).is_va }
        }
        Op::New(_) => Work::New(data.ty),
        Op::NewDynamic(_) => Work::NewDynamic,
        Op::SplatNew(..) => Work::SplatNew,
        Op::Global(module, name) => Work::Global(*module, *name),
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
    pub(crate) fn new(
        rt: &'a Runtime,
        (program, statements): (&'a Program, &'a HostStatements),
        touches_memory: bool,
    ) -> Self {
        Self {
            rt,
            program,
            statements,
            touches_memory,
            thrown: Cell::default(),
            exhausted: Cell::default(),
            panic: Cell::default(),
        }
    }

    /// Does the part of a collection that is due. What it throws is thrown by the next statement that the host runs.
    #[inline]
    pub(crate) fn safepoint(&self) {
        if let Err(thrown) = self.rt.safepoint_of_compiled_code() {
            self.exhausted.set(Some(thrown));
        }
    }

    /// The statement of the site of this number.
    pub(crate) fn statement(&self, number: u32) -> Option<&'a Statement> {
        let place = self.statements.known.get(number.checked_sub(1)? as usize)?;
        if let Some(known) = place.get() {
            return Some(known);
        }
        let found = Statement::find(self.rt, self.program, number)?;
        Some(place.get_or_init(|| Box::new(found)))
    }

    /// Runs a statement, and writes its value. Returns false if it has thrown.
    pub(crate) fn run(&self, statement: &Statement, operands: &[u8], result: &mut [u8]) -> bool {
        let work = || {
            if let Some(thrown) = self.exhausted.take() {
                return Err(thrown);
            }
            let value = statement.run(self.rt, operands)?;
            // Inference says `Tuple{Type{Int}}` of a tuple whose type is `Tuple{DataType}`.
            debug_assert!(
                !self.rt.types.is_concrete(statement.result) || self.rt.heap.isa(value, statement.result),
                "{:?} gives a `{}` where a `{}` is expected",
                statement.work,
                self.rt.types.display(value.ty()),
                self.rt.types.display(statement.result)
            );
            if self.touches_memory && self.rt.heap.has_device_copies() {
                self.rt.heap.acquire_all_for_host(true);
                self.rt.surface_async_errors()?;
            }
            if !result.is_empty() {
                arguments::pack_value(self.rt, statement.result, value, result);
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

    /// The exception of the statement that has thrown. Resumes a panic instead.
    pub(crate) fn take_thrown(&self) -> Option<Box<Thrown>> {
        if let Some(panic) = self.panic.take() {
            std::panic::resume_unwind(panic);
        }
        self.thrown.take()
    }
}
