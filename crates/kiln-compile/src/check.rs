//! The kernel check: what may not be left in a body that runs on a device, whatever the device.
//!
//! It looks at optimized bodies whose throws have been outlined, so an allocation or a dynamic call on an error path
//! alone is no problem. Every problem of a kernel is reported, not only the first.

use crate::definite::SureThrow;
use cranelift_entity::EntitySet;
use kiln_ir::{Builtin, Instance, Intrinsic, IrCode, Op, SourceLoc, Stmt, StmtData, Value};
use kiln_runtime::tables::MethodId;
use kiln_types::{
    Const, ConstData, Module, Symbol, Type, Types, boxing, consts, datatype, definition, identity, layout,
};

/// The problem of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A call whose method is not known.
    DynamicCall {
        /// The types of the callee and the arguments.
        types: Vec<Type>,
        /// The operand to blame.
        blame: Option<Blame>,
    },
    /// A heap object.
    Allocation {
        /// Its type.
        ty: Type,
    },
    /// A service that only the host has.
    HostCall {
        /// Its name.
        name: &'static str,
    },
    /// A report of a value that is neither plain bits nor can be made by the host.
    Report {
        /// The types of the values.
        types: Vec<Type>,
    },
    /// A C function.
    ForeignCall {
        /// Its name; `None` if it is called through a pointer.
        name: Option<Symbol>,
    },
    /// A builtin that needs the runtime.
    RuntimeCall {
        /// Its name.
        name: &'static str,
    },
    /// A global that is not constant, or not there.
    Global {
        /// The module it is looked for in.
        module: Module,
        /// Its name.
        name: Symbol,
    },
    /// An object of the host, as a constant.
    HostObject {
        /// Its type.
        ty: Type,
    },
    /// A value becomes one of a type of which more is only known when it runs.
    Boxed {
        /// The value's type.
        ty: Type,
        /// The type it becomes.
        wide: Type,
    },
    /// A question to a value in a box that its tag does not answer.
    Untold {
        /// The type of the box.
        wide: Type,
        /// The type that is asked for; `None` where two values are compared.
        asked: Option<Type>,
    },
    /// A method that calls itself with larger types.
    Growth {
        /// The method.
        method: MethodId,
        /// The signature of the first instance.
        from: Type,
        /// The signature of one of the last.
        to: Type,
        /// How many instances there are.
        count: usize,
    },
    /// A method whose generator threw.
    Generator {
        /// The method.
        method: MethodId,
        /// The types that it was generated for.
        types: Vec<Type>,
        /// The exception, in words.
        said: String,
        /// Where it was thrown.
        thrown: SourceLoc,
    },
    /// Something that can only throw.
    Throws(SureThrow),
    /// `try` in a kernel.
    Try,
    /// A throw whose exception needs values that the host would not have.
    Throw,
}

/// The operand that made a call dynamic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Which operand; 0 is the callee.
    pub operand: usize,
    /// Its type.
    pub ty: Type,
    /// Where its type became what it is.
    pub loc: SourceLoc,
    /// The reason, in words.
    pub why: String,
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The problem.
    pub kind: ProblemKind,
    /// The statement.
    pub stmt: Stmt,
    /// The position of the function in its call graph.
    pub function: usize,
    /// The place of the statement.
    pub loc: SourceLoc,
    /// The calls through which control comes to it, innermost first.
    pub through: Vec<Via>,
}

/// A call on the way to a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Via {
    /// The location of the call.
    pub call: SourceLoc,
    /// The callee.
    pub callee: Instance,
}

/// Where a body is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a kernel: plain bits only.
    Device,
    /// As host code: objects that exist may be read and written.
    Host,
}

/// Everything in `code`, which is function number `function` of its unit, that cannot be done at `place`.
pub(crate) fn check(code: &IrCode, types: &Types, place: Place, function: usize) -> Vec<Problem> {
    let mut problems = Vec::new();
    let answered = answered_elsewhere(code);
    // Objects of the host that were told of, and what was taken out of them.
    let (mut told, mut of_host) = (Vec::new(), EntitySet::new());
    for body in code.blocks.values() {
        for &stmt in &body.stmts {
            let data = &code.stmts[stmt];
            if let Some(kind) = problem(code, types, place, data).filter(|_| !answered.contains(stmt)) {
                let operands = data.op.operands();
                let is_of_host = |it: &Value| match it {
                    Value::Stmt(it) => of_host.contains(*it),
                    Value::Const(it) => told.contains(it),
                    Value::Arg(_) => false,
                };
                let is_told = operands.iter().any(is_of_host);
                if is_told || matches!(kind, ProblemKind::HostObject { .. }) {
                    of_host.insert(stmt);
                    told.extend(operands.iter().filter_map(|it| host_constant(types, *it)));
                }
                if is_told {
                    continue;
                }
                // What joins values has no place of its own.
                let placed = body.stmts.iter().map(|it| &code.stmts[*it]);
                let after = || placed.skip_while(|it| !std::ptr::eq(*it, data)).find(|it| !it.loc.is_none());
                let at = if data.loc.is_none() { after().unwrap_or(data) } else { data };
                let (loc, through) = (at.loc, through(code, at));
                problems.push(Problem { kind, stmt, function, loc, through });
            }
        }
    }
    problems
}

/// The calls a statement was inlined through, innermost first.
pub fn through(code: &IrCode, data: &StmtData) -> Vec<Via> {
    let mut chain = Vec::new();
    let mut at = data.inlined;
    while let Some(entry) = code.inlined_at.get(at as usize).filter(|_| at != 0) {
        chain.push(Via { call: entry.call, callee: entry.callee });
        at = entry.parent;
    }
    chain
}

/// What host code cannot do: the host runs all other statements that are not compiled.
fn host_problem(op: &Op) -> Option<ProblemKind> {
    match op {
        // The interpreter's addresses are not those of compiled code.
        Op::Lookup(..) | Op::Builtin(Builtin::Deferred | Builtin::DeferredCall, _) => {
            Some(ProblemKind::RuntimeCall { name: "deferred" })
        }
        _ => None, // compiled, or run by the host
    }
}

fn problem(code: &IrCode, types: &Types, place: Place, data: &StmtData) -> Option<ProblemKind> {
    if place == Place::Host {
        return host_problem(&data.op);
    }
    if let Some(ty) = host_object(types, &data.op) {
        return Some(ProblemKind::HostObject { ty });
    }
    if let Some(kind) = boxed(code, types, data) {
        return Some(kind);
    }
    match &data.op {
        Op::Call(args) => Some(dynamic_call(code, types, args)),
        Op::Host(function, _) => Some(ProblemKind::HostCall { name: function.name() }),
        Op::Intrinsic(Intrinsic::Report, args) => {
            Some(ProblemKind::Report { types: args.iter().map(|it| type_of(code, types, *it)).collect() })
        }
        Op::Intrinsic(Intrinsic::Foreigncall, args) => {
            Some(ProblemKind::ForeignCall { name: args.first().and_then(|it| symbol(types, *it)) })
        }
        Op::New(_) if can_be_made(types, data.ty) => None,
        Op::New(_) if boxing::is_boxed(types, data.ty) => None,
        Op::New(_) if !layout::is_flat(types, data.ty) => Some(ProblemKind::Allocation { ty: data.ty }),
        Op::NewDynamic(_) | Op::SplatNew(..) => Some(ProblemKind::Allocation { ty: data.ty }),
        Op::CopyAst(_) => Some(ProblemKind::Allocation { ty: data.ty }),
        Op::Global(module, name) | Op::IsDefinedGlobal(module, name) => {
            Some(ProblemKind::Global { module: *module, name: *name })
        }
        Op::Enter { .. } => Some(ProblemKind::Try),
        Op::Invoke(_, args) if has_open_argument(code, types, &data.op) => {
            Some(dynamic_call(code, types, args))
        }
        Op::Builtin(Builtin::Deferred, args) => Some(dynamic_call(code, types, args)),
        Op::Builtin(Builtin::DeferredCall, args) => call_through(code, types, args, data),
        Op::Builtin(builtin, args) => builtin_problem(code, types, *builtin, args, data),
        Op::New(_)
        | Op::Phi(_)
        | Op::Pi(_)
        | Op::Intrinsic(..)
        | Op::Invoke(..)
        | Op::Lookup(..)
        | Op::BoundsCheck
        | Op::ThrowUndefIfNot(..)
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
        | Op::Unreachable => None,
    }
}

/// Choices between constants that an intrinsic is given: what it cannot do with them it says better.
fn answered_elsewhere(code: &IrCode) -> EntitySet<Stmt> {
    let mut all = EntitySet::new();
    for data in code.stmts.values().filter(|it| matches!(it.op, Op::Intrinsic(..))) {
        data.op.each_operand(|it| {
            if let Value::Stmt(it) = it
                && matches!(code.stmts[it].op, Op::Phi(_) | Op::Pi(_) | Op::Builtin(Builtin::Ifelse, _))
            {
                all.insert(it);
            }
        });
    }
    all
}

/// The type of an object of the host that a kernel would have to reach for this: one that is a constant of the program's.
fn host_object(types: &Types, op: &Op) -> Option<Type> {
    let args: &[Value] = match op {
        Op::New(args) | Op::Invoke(_, args) => args,
        Op::Builtin(
            Builtin::Getfield
            | Builtin::Setfield
            | Builtin::Ifelse
            | Builtin::Tuple
            | Builtin::Memoryrefnew
            | Builtin::Memoryrefget
            | Builtin::Memoryrefset,
            args,
        ) => args,
        Op::Phi(_) | Op::Return(_) | Op::Pi(_) => &op.operands(),
        _ => return None, // asks about it, or is a problem anyway
    };
    args.iter().find_map(|it| Some(consts::type_of(types, host_constant(types, *it)?)))
}

/// Bits that would have to say what they are, since nothing else says it.
fn boxed(code: &IrCode, types: &Types, data: &StmtData) -> Option<ProblemKind> {
    let (wide, operands) = match &data.op {
        Op::Phi(_) | Op::Pi(_) => (data.ty, data.op.operands()),
        Op::Builtin(Builtin::Compilerbarrier | Builtin::Ifelse, args) => {
            (data.ty, args.get(1..).unwrap_or_default().to_vec())
        }
        Op::Return(value) => (code.return_type, vec![*value]),
        _ => return None, // makes no value of another type, or says so otherwise
    };
    if !boxing::is_boxed(types, wide) {
        return None;
    }
    // What can be in a box is in one by now.
    let has_none = |it: &Type| !boxing::is_boxed(types, *it) && !boxing::has_identity(types, *it);
    let ty = operands.iter().map(|it| type_of(code, types, *it)).find(has_none)?;
    Some(ProblemKind::Boxed { ty, wide })
}

/// A constant that is an object in memory of the host.
fn host_constant(types: &Types, value: Value) -> Option<Const> {
    let Value::Const(constant) = value else { return None };
    let is_object = matches!(types.const_data(constant), ConstData::Object { .. } | ConstData::String(_));
    let ty = consts::type_of(types, constant);
    (is_object && definition::singleton(types, ty).is_none() && !layout::is_bits(types, ty))
        .then_some(constant)
}

/// Whether a kernel can make an object of this type, or a value that holds some: there is memory for it.
fn can_be_made(types: &Types, ty: Type) -> bool {
    boxing::has_identity(types, ty) || boxing::can_be_boxed(types, ty)
}

/// Whether a value of this type is, or holds, an array or a string of the language, of which a kernel has none: what is done
/// with one follows from where it is made.
pub(crate) fn is_of_host(types: &Types, ty: Type) -> bool {
    holds_host_memory(types, ty, 0)
}

/// Types nest finitely but through mutable ones.
const DEPTH_MAX: u32 = 8;

fn holds_host_memory(types: &Types, ty: Type, depth: u32) -> bool {
    let core = types.core();
    if ty == core.string || is_array(types, ty) {
        return true;
    }
    let is_struct =
        matches!(types.data(ty), kiln_types::TypeData::Data { .. }) && datatype::is_concrete(types, ty);
    is_struct
        && depth < DEPTH_MAX
        && !layout::is_flat(types, ty)
        && datatype::field_types(types, ty).iter().any(|it| holds_host_memory(types, *it, depth + 1))
}

/// Whether it is a type of the language's arrays, or of what they are made of.
pub(crate) fn is_array(types: &Types, ty: Type) -> bool {
    let core = types.core();
    let families = [core.array, core.generic_memory, core.generic_memory_ref];
    datatype::name_of(types, ty)
        .is_some_and(|name| families.iter().any(|it| datatype::name_of(types, *it) == Some(name)))
}

/// The type of an operand.
pub(crate) fn type_of(code: &IrCode, types: &Types, value: Value) -> Type {
    match value {
        Value::Stmt(stmt) => code.stmts[stmt].ty,
        Value::Arg(n) => code.args[n as usize],
        Value::Const(constant) => consts::type_of(types, constant),
    }
}

fn symbol(types: &Types, value: Value) -> Option<Symbol> {
    let Value::Const(constant) = value else { return None };
    let ConstData::Symbol(name) = types.const_data(constant) else { return None };
    Some(*name)
}

/// Whether values of this type have one representation.
pub fn is_static(types: &Types, ty: Type) -> bool {
    boxing::is_static(types, ty)
}

/// Whether a call is given a value of which only a tag says what it is.
pub(crate) fn has_open_argument(code: &IrCode, types: &Types, op: &Op) -> bool {
    let Op::Invoke(_, args) = op else { return false };
    args.iter().any(|it| boxing::is_boxed(types, type_of(code, types, *it)))
}

/// The types that a call of these operands is dispatched on.
pub(crate) fn operand_types(code: &IrCode, types: &Types, args: &[Value]) -> Vec<Type> {
    let dispatched = |it: &Value| match it {
        Value::Const(constant) => match types.const_data(*constant) {
            ConstData::Type(ty) => datatype::type_type(types, *ty),
            _ => consts::type_of(types, *constant), // a value of its type
        },
        Value::Stmt(_) | Value::Arg(_) => type_of(code, types, *it),
    };
    args.iter().map(dispatched).collect()
}

fn dynamic_call(code: &IrCode, types: &Types, args: &[Value]) -> ProblemKind {
    let arg_types = operand_types(code, types, args);
    let blamed = arg_types.iter().position(|it| !is_static(types, *it));
    let blame = blamed.map(|operand| {
        let (loc, why) = (SourceLoc::NONE, String::new());
        Blame { operand, ty: arg_types[operand], loc, why }
    });
    ProblemKind::DynamicCall { types: arg_types, blame }
}

/// A call through an address must say what comes back, and what it is given has one representation.
fn call_through(code: &IrCode, types: &Types, args: &[Value], data: &StmtData) -> Option<ProblemKind> {
    let returned =
        data.ty == types.core().bottom || is_static(types, data.ty) || is_bits_union(types, data.ty);
    let open = args.iter().skip(2).any(|it| boxing::is_boxed(types, type_of(code, types, *it)));
    (!returned || open).then(|| dynamic_call(code, types, args))
}

fn builtin_problem(
    code: &IrCode,
    types: &Types,
    builtin: Builtin,
    args: &[Value],
    data: &StmtData,
) -> Option<ProblemKind> {
    let needs_runtime = ProblemKind::RuntimeCall { name: builtin.name() };
    if matches!(builtin, Builtin::Isdefined | Builtin::Isdefinedglobal)
        && let Some((module, name)) = global(types, args)
    {
        return Some(ProblemKind::Global { module, name });
    }
    if let Some(untold) = untold(code, types, builtin, args) {
        return Some(untold);
    }
    let owner = || args.first().map(|it| type_of(code, types, *it));
    let reads = matches!(builtin, Builtin::Getfield | Builtin::Setfield | Builtin::Isdefined);
    if reads && owner().is_some_and(|it| identity::is_held_as_number(types, it)) {
        return Some(needs_runtime);
    }
    match builtin {
        Builtin::Is
        | Builtin::Isa
        | Builtin::Ifelse
        | Builtin::Nfields
        | Builtin::Sizeof
        | Builtin::Donotdelete
        | Builtin::Compilerbarrier
        | Builtin::Isdefined
        | Builtin::Typeassert => None,
        Builtin::Typeof => None,
        Builtin::Fieldtype => datatype::type_type_param(types, data.ty).is_none().then_some(needs_runtime),
        Builtin::Tuple => (!layout::is_flat(types, data.ty) && !all_known(code, types, args))
            .then_some(ProblemKind::Allocation { ty: data.ty }),
        Builtin::Getfield => {
            let plain = owner().is_some_and(|it| is_static(types, it) || is_bits_union(types, it));
            (!plain).then_some(needs_runtime)
        }
        // What it writes to exists, or was made by the kernel.
        Builtin::Setfield => (!owner().is_some_and(|it| is_static(types, it))).then_some(needs_runtime),
        Builtin::Throw => Some(ProblemKind::Throw),
        Builtin::Memorynew => Some(ProblemKind::Allocation { ty: data.ty }),
        Builtin::Memoryrefnew
        | Builtin::Memoryrefoffset
        | Builtin::Memoryrefget
        | Builtin::Memoryrefset
        | Builtin::MemoryrefIsassigned => Some(needs_runtime),
        _ => Some(needs_runtime), // definitions, reflection, applications: all need the runtime's tables
    }
}

/// Returns the problem of a builtin that needs more than tags.
fn untold(code: &IrCode, types: &Types, builtin: Builtin, args: &[Value]) -> Option<ProblemKind> {
    let &[first, second, ..] = args else { return None };
    let wide = type_of(code, types, first);
    if !boxing::is_boxed(types, wide) || is_typeof(code, first) {
        return None;
    }
    match (builtin, second) {
        (Builtin::Is, _) => {
            let both = boxing::is_boxed(types, type_of(code, types, second)) && !is_typeof(code, second);
            both.then_some(ProblemKind::Untold { wide, asked: None })
        }
        (Builtin::Isa | Builtin::Typeassert, Value::Const(ty)) => match types.const_data(ty) {
            ConstData::Type(ty) if !boxing::tags_decide(types, wide, *ty) => {
                Some(ProblemKind::Untold { wide, asked: Some(*ty) })
            }
            _ => None, // it is said, or no type
        },
        _ => None, // no question
    }
}

/// Whether a value is the type of another: a tag.
fn is_typeof(code: &IrCode, value: Value) -> bool {
    matches!(value, Value::Stmt(it) if matches!(code.stmts[it].op, Op::Builtin(Builtin::Typeof, _)))
}

/// The global that a module and a name say.
fn global(types: &Types, args: &[Value]) -> Option<(Module, Symbol)> {
    let [Value::Const(module), Value::Const(name), ..] = args else { return None };
    match (types.const_data(*module), types.const_data(*name)) {
        (ConstData::Module(module), ConstData::Symbol(name)) => Some((*module, *name)),
        _ => None,
    }
}

fn is_bits_union(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        kiln_types::TypeData::Union(members) => members.iter().all(|it| layout::is_bits(types, *it)),
        _ => false, // no union
    }
}

/// A tuple of values that are bits or known from their types takes no room beyond the bits.
fn all_known(code: &IrCode, types: &Types, args: &[Value]) -> bool {
    args.iter().all(|it| {
        let ty = type_of(code, types, *it);
        layout::is_flat(types, ty)
            || datatype::type_type_param(types, ty).is_some()
            || matches!(it, Value::Const(_))
    })
}
