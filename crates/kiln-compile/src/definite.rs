//! What a kernel does that can only throw: a call without a method, a variable without a value, a field that is not there.
//!
//! Error paths leave a body before the [kernel check](crate::check), so it does not see a call on one. This looks at the
//! bodies before that, and into the functions that never return: a call without a method in one of them ends its caller,
//! which is compiled as if the program had written `throw`.
//!
//! Such a call is an error of the kernel, unless data decides whether control comes to it: what a branch before it loads from
//! memory, or the member of a union that a value is. Then a program may be right that never comes there, and is warned.
//! Indices, sizes and other arguments are no data: a guard `i <= length(a)` is there for the last group.

use crate::check::{Problem, ProblemKind, Via, operand_types, through, type_of};
use crate::env::CompileEnv;
use crate::outline::body;
use crate::typed::code_instance;
use kiln_ir::{Block, Builtin, Cfg, Instance, Intrinsic, IrCode, Op, Stmt, StmtData, Undefined, Value};
use kiln_runtime::tables::{Binding, CodeInstance};
use kiln_types::{ConstData, Module, Symbol, Type, TypeData, Types, consts, datatype};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What is thrown for sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SureThrow {
    /// `UndefVarError`.
    Undefined(Undefined),
    /// `FieldError`: a type, and a name that none of its fields has.
    NoField(Type, Symbol),
    /// `BoundsError`: a type, and a number that none of its fields has.
    NoFieldNumber(Type, i64),
    /// An assignment of a field of an immutable type.
    Immutable(Type),
    /// `TypeError`: the type that is asserted, and the value's.
    Assertion(Type, Type),
    /// `MethodError`: the operands of the function that throws it, the names of the keywords first.
    Keywords(Vec<Type>),
}

/// Functions that never return and call one another, looked into at most this deep.
const DEPTH_MAX: usize = 16;

/// A search in one function that a kernel reaches.
pub(crate) struct Definite<'a> {
    env: &'a CompileEnv<'a>,
    /// The function's position.
    function: usize,
    seen: FxHashSet<Instance>,
    /// Calls that can only throw.
    pub(crate) problems: Vec<Problem>,
    /// Calls that throw, or not, as data decides.
    pub(crate) doubts: Vec<Problem>,
    /// The functions that never return, to be kept like their callers.
    pub(crate) looked_into: Vec<Arc<CodeInstance>>,
}

impl<'a> Definite<'a> {
    /// Looks through `code`, the body of function number `function` as the optimizer left it.
    pub(crate) fn of(env: &'a CompileEnv<'a>, function: usize, code: &IrCode) -> Self {
        let (seen, problems, doubts) = (FxHashSet::default(), Vec::new(), Vec::new());
        let mut it = Self { env, function, seen, problems, doubts, looked_into: Vec::new() };
        it.scan(code, &[], false);
        it
    }

    /// Whether control comes to the body at all may depend on data (`in_doubt`).
    fn scan(&mut self, code: &IrCode, path: &[Via], in_doubt: bool) {
        for (block, body) in code.blocks.iter() {
            for &stmt in &body.stmts {
                let data = &code.stmts[stmt];
                if self.throws(code, block, data) {
                    let (problems, doubts) = (self.problems.len(), self.doubts.len());
                    self.look_at(code, (stmt, data), path, in_doubt);
                    let found = problems < self.problems.len();
                    if found
                        && doubts == self.doubts.len()
                        && (in_doubt || depends_on_data(code, &self.env.rt.types, block))
                    {
                        self.doubts.extend(self.problems.drain(problems..));
                    }
                }
            }
        }
    }

    /// Whether nothing comes behind a statement.
    fn throws(&self, code: &IrCode, block: Block, data: &StmtData) -> bool {
        match &data.op {
            Op::Call(_) | Op::Invoke(..) | Op::Global(..) | Op::Builtin(..) => {
                data.ty == self.env.rt.types.core().bottom
            }
            Op::ThrowUndefIfNot(_, Value::Const(flag)) => {
                *flag == consts::bool(&self.env.rt.types, false) && !asks_for_a_box(code, block)
            }
            _ => false, // goes on, or throws as data decides
        }
    }

    fn look_at(&mut self, code: &IrCode, (stmt, data): (Stmt, &StmtData), path: &[Via], in_doubt: bool) {
        let types = &self.env.rt.types;
        let mut way = through(code, data);
        way.extend(path);
        let problem =
            |kind| Problem { kind, stmt, function: self.function, loc: data.loc, through: way.clone() };
        match &data.op {
            Op::Call(args) => {
                let called = operand_types(code, types, args);
                let is_union = called.iter().any(|it| matches!(types.data(*it), TypeData::Union(_)));
                match self.answers(&called) {
                    Answers::None => {
                        let found = problem(ProblemKind::DynamicCall { types: called, blame: None });
                        self.problems.push(found);
                    }
                    Answers::Some if is_union => {
                        let found = problem(ProblemKind::DynamicCall { types: called, blame: None });
                        self.doubts.push(found);
                    }
                    Answers::Some => {}
                }
            }
            Op::Invoke(instance, args) if self.is_keyword_error(*instance) => {
                let types = operand_types(code, types, args);
                self.problems.push(problem(ProblemKind::Throws(SureThrow::Keywords(types))));
            }
            Op::Invoke(instance, _) => {
                let instance = self.env.rt.tables.current_instance(*instance, self.env.view.world);
                if way.len() < DEPTH_MAX
                    && self.seen.insert(instance)
                    && let Some(typed) = self.never_returning(instance)
                    && let Ok(callee) = body(self.env.rt, &typed)
                {
                    way.insert(0, Via { call: data.loc, callee: instance });
                    self.scan(&callee, &way, in_doubt);
                }
            }
            Op::Global(module, name) if !path.is_empty() && self.is_undefined(*module, *name) => {
                let found = problem(ProblemKind::Global { module: *module, name: *name });
                self.problems.push(found);
            }
            Op::Builtin(Builtin::Getglobal, args) => {
                if let Some((module, name)) = self.global(args)
                    && self.is_undefined(module, name)
                {
                    let found = problem(ProblemKind::Global { module, name });
                    self.problems.push(found);
                }
            }
            Op::ThrowUndefIfNot(what, _) => {
                self.problems.push(problem(ProblemKind::Throws(SureThrow::Undefined(*what))));
            }
            Op::Builtin(builtin, args) => {
                if let Some(thrown) = thrown_by(code, types, *builtin, args) {
                    self.problems.push(problem(ProblemKind::Throws(thrown)));
                }
            }
            _ => {} // throws what the program says
        }
    }

    /// The typed code of a function that never returns. Inference of its caller has made it, unless the caller is from the cache; then it
    /// is looked for, since the problems that are found must not depend on that.
    fn never_returning(&mut self, instance: Instance) -> Option<Arc<CodeInstance>> {
        let typed = code_instance(self.env, instance).ok()?;
        self.looked_into.push(typed.clone());
        Some(typed)
    }

    /// Which methods take a call of a function and arguments of these types.
    fn answers(&self, called: &[Type]) -> Answers {
        let types = &self.env.rt.types;
        let core = types.core();
        let is_generic = called.first().is_some_and(|it| {
            !types.subtype(*it, core.builtin)
                && (datatype::is_concrete(types, *it) || datatype::type_type_param(types, *it).is_some())
        });
        if !is_generic {
            return Answers::Some;
        }
        let sig = datatype::tuple(types, called);
        let found =
            self.env.rt.tables.find_matches_in(&self.env.view.tables, sig, self.env.view.world, usize::MAX);
        match found {
            Some(it) if it.matches.is_empty() || it.ambiguous && datatype::is_dispatch_tuple(types, sig) => {
                Answers::None
            }
            Some(_) | None => Answers::Some,
        }
    }

    /// Whether it is what a call with keywords that no method has ends in.
    fn is_keyword_error(&self, instance: Instance) -> bool {
        let method = self.env.rt.tables.method(self.env.rt.tables.instance_data(instance).method);
        method.module == Module::BASE && self.env.rt.types.name(method.name) == "kwerr"
    }

    fn is_undefined(&self, module: Module, name: Symbol) -> bool {
        let binding = self.env.rt.tables.bindings.binding(module, name, self.env.view.world).0;
        matches!(binding, Binding::Undefined | Binding::Ambiguous(..))
    }

    /// The module and the name that a `getglobal` is given, if both are constants.
    fn global(&self, args: &[Value]) -> Option<(Module, Symbol)> {
        let [Value::Const(module), Value::Const(name), ..] = args else { return None };
        match (self.env.rt.types.const_data(*module), self.env.rt.types.const_data(*name)) {
            (ConstData::Module(module), ConstData::Symbol(name)) => Some((*module, *name)),
            _ => None,
        }
    }
}

/// What a builtin throws that never returns.
fn thrown_by(code: &IrCode, types: &Types, builtin: Builtin, args: &[Value]) -> Option<SureThrow> {
    let &[first, second, ..] = args else { return None };
    let ty = type_of(code, types, first);
    let Value::Const(second) = second else { return None };
    let second = types.const_data(second);
    match (builtin, second) {
        (Builtin::Typeassert, ConstData::Type(wanted)) => Some(SureThrow::Assertion(*wanted, ty)),
        (Builtin::Getfield | Builtin::Setfield, _) if !datatype::is_concrete(types, ty) => None,
        (Builtin::Setfield, _) if !datatype::is_mutable(types, ty) => Some(SureThrow::Immutable(ty)),
        (Builtin::Getfield | Builtin::Setfield, ConstData::Symbol(name)) => {
            (!datatype::field_names(types, ty).contains(name)).then_some(SureThrow::NoField(ty, *name))
        }
        (Builtin::Getfield | Builtin::Setfield, _) => {
            let Value::Const(number) = args[1] else { return None };
            let number = consts::as_int(types, number)?;
            let has = usize::try_from(number)
                .is_ok_and(|it| (1..=datatype::field_types(types, ty).len()).contains(&it));
            (!has).then_some(SureThrow::NoFieldNumber(ty, number))
        }
        _ => None, // throws what the program says
    }
}

/// Whether a branch on the way to `block` is decided by data, where the other way returns.
fn depends_on_data(code: &IrCode, types: &Types, block: Block) -> bool {
    is_skipped(code, block, &|cond| is_data(code, types, cond, &mut FxHashSet::default()))
}

/// Whether control comes to `block` only if a captured variable has no value yet: whether it has is seldom known before.
fn asks_for_a_box(code: &IrCode, block: Block) -> bool {
    let is_question = |cond| match cond {
        Value::Stmt(it) => matches!(code.stmts[it].op, Op::Builtin(Builtin::Isdefined, _)),
        Value::Arg(_) | Value::Const(_) => false,
    };
    is_skipped(code, block, &is_question)
}

/// Whether a branch on such a condition decides that control comes to `block`, where the other way returns.
fn is_skipped(code: &IrCode, block: Block, is_such: &dyn Fn(Value) -> bool) -> bool {
    let cfg = Cfg::new(code);
    let returns = code.blocks.keys().filter(|it| matches!(code.terminator(*it), Op::Return(_)));
    let (to_block, to_return) = (reaching(&cfg, vec![block]), reaching(&cfg, returns.collect()));
    let decides = |at: &Block| match code.terminator(*at) {
        Op::Branch { cond, then, other } => {
            let skips = |it: &Block| !to_block.contains(it) && to_return.contains(it);
            (skips(then) || skips(other)) && is_such(*cond)
        }
        _ => false,
    };
    to_block.iter().any(decides)
}

/// The blocks from which control can come to one of `ends`.
fn reaching(cfg: &Cfg, ends: Vec<Block>) -> FxHashSet<Block> {
    let (mut found, mut left) = (FxHashSet::default(), ends);
    while let Some(block) = left.pop() {
        if cfg.is_reachable(block) && found.insert(block) {
            left.extend(&cfg.predecessors[block]);
        }
    }
    found
}

/// Whether a value follows from what was loaded from memory, or says of which type a value is.
fn is_data(code: &IrCode, types: &Types, value: Value, seen: &mut FxHashSet<Stmt>) -> bool {
    if matches!(types.data(type_of(code, types, value)), TypeData::Union(_)) {
        return true;
    }
    let Value::Stmt(stmt) = value else { return false };
    if !seen.insert(stmt) {
        return false;
    }
    match &code.stmts[stmt].op {
        Op::Intrinsic(
            Intrinsic::Pointerref
            | Intrinsic::AtomicPointerref
            | Intrinsic::AtomicPointerswap
            | Intrinsic::AtomicPointermodify
            | Intrinsic::AtomicPointerreplace,
            _,
        )
        | Op::Builtin(Builtin::Isa | Builtin::Typeof | Builtin::Memoryrefget, _) => true,
        Op::Phi(edges) => edges.iter().any(|(from, it)| {
            is_data(code, types, *it, seen)
                || branch_to(code, *from).is_some_and(|it| is_data(code, types, it, seen))
        }),
        op => op.operands().into_iter().any(|it| is_data(code, types, it, seen)),
    }
}

/// The condition on which control comes to the end of a block, if one branch decides that.
fn branch_to(code: &IrCode, block: Block) -> Option<Value> {
    let cfg = Cfg::new(code);
    let mut at = block;
    for _ in 0..code.blocks.len() {
        if let Op::Branch { cond, .. } = code.terminator(at) {
            return Some(*cond);
        }
        let [before] = cfg.predecessors[at][..] else { return None };
        at = before;
    }
    None
}

enum Answers {
    /// There is none, or none that is the most specific.
    None,
    /// For some calls at least.
    Some,
}
