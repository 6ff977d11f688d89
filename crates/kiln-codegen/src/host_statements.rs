//! The statements of host code that the host runs.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the operations are named that compiled code leaves to the host; it runs the others, or refuses them"
)]

use crate::analysis::operand_type;
use crate::source::Source;
use kiln_ir::{Builtin, HostFunction, Intrinsic, IrCode, Op, Stmt, StmtData, Value, foreign};
use kiln_types::{ConstData, Type, TypeData, Types, boxing, consts, datatype, identity, layout};
use kiln_unit::Traits;
use rustc_hash::FxHashSet;

/// The work that functions leave to the host, by function.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostStatements(FxHashSet<(u32, Left)>);

/// Work of a function for the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Left {
    /// A statement.
    Stmt(Stmt),
    /// Boxes, for which there may be no memory.
    Boxes,
    /// A call that is not known before it runs.
    UnknownCall,
}

impl HostStatements {
    /// Whether the host runs a statement.
    pub(crate) fn contains(&self, function: u32, stmt: Stmt) -> bool {
        self.0.contains(&(function, Left::Stmt(stmt)))
    }

    /// Whether a function makes boxes, for which there may be no memory.
    pub(crate) fn makes_boxes(&self, function: u32) -> bool {
        self.0.contains(&(function, Left::Boxes))
    }

    /// Whether a function has a call that is not known before it runs.
    pub(crate) fn calls_unknown(&self, function: u32) -> bool {
        self.0.contains(&(function, Left::UnknownCall))
    }

    /// Adds a statement, or a function that makes boxes; returns whether it is new.
    pub(crate) fn insert(&mut self, function: u32, stmt: Option<Stmt>) -> bool {
        self.0.insert((function, stmt.map_or(Left::Boxes, Left::Stmt)))
    }
}

/// Returns the statements that the host runs for sure: emission may find others.
pub(crate) fn statements(sources: &[Source], types: &Types) -> HostStatements {
    let mut all = HostStatements::default();
    for (ordinal, source) in sources.iter().enumerate().filter(|it| it.1.external.is_none()) {
        let blocks = source.code.blocks.iter();
        let placed = blocks.flat_map(|(block, body)| body.stmts.iter().map(move |stmt| (block, *stmt)));
        for (block, stmt) in placed {
            let data = &source.code.stmts[stmt];
            let is_interpreted = |callee: u32| {
                sources.get(callee as usize).is_some_and(|it| it.external.is_some_and(|it| it.is_interpreted))
            };
            let runs = match &data.op {
                Op::Invoke(..) if source.code.leads_to_throw(block, data.ty) => true,
                Op::Invoke(instance, _) => {
                    source.callees.get(instance.as_u32() as usize).copied().is_some_and(is_interpreted)
                }
                _ => is_run(&source.code, types, data),
            };
            if runs
                && matches!(data.op, Op::Call(_) | Op::Invoke(..))
                && !source.code.leads_to_throw(block, data.ty)
            {
                all.0.insert((ordinal as u32, Left::UnknownCall));
            }
            if runs {
                all.insert(ordinal as u32, Some(stmt));
            }
        }
    }
    all
}

/// Whether a statement needs a site for the host to run it, in some case.
pub(crate) fn may_be_run(data: &StmtData) -> bool {
    match &data.op {
        Op::Global(..)
        | Op::Builtin(Builtin::Memorynew | Builtin::Typeassert | Builtin::Setglobal, _)
        | Op::Host(HostFunction::GenericmemoryCopyto, _) => true,
        // What they throw has the object.
        Op::Builtin(Builtin::Memoryrefnew, args) => args.len() > 1,
        Op::Builtin(Builtin::Getfield, args) => !matches!(args.get(1), Some(Value::Const(_))),
        _ => false,
    }
}

/// Whether a statement of a function that launches touches elements of arrays, itself or in a callee that does not look.
pub(crate) fn touches_arrays(data: &StmtData, source: &Source, traits: &[Traits]) -> bool {
    match &data.op {
        Op::Builtin(Builtin::Memoryrefget | Builtin::Memoryrefset, _)
        | Op::Host(HostFunction::GenericmemoryCopyto, _) => true,
        Op::Intrinsic(intrinsic, _) => intrinsic.accesses_memory(),
        Op::Invoke(callee, _) => {
            let callee = source.callees.get(callee.as_u32() as usize);
            !callee.and_then(|it| traits.get(*it as usize)).is_some_and(|it| it.launches)
        }
        _ => false,
    }
}

fn is_run(code: &IrCode, types: &Types, data: &StmtData) -> bool {
    match &data.op {
        Op::Call(_) | Op::NewDynamic(_) | Op::SplatNew(..) | Op::CopyAst(_) | Op::IsDefinedGlobal(..) => true,
        Op::Host(HostFunction::StringPointer | HostFunction::IsNewestWorld, _) => false,
        Op::Host(HostFunction::GenericmemoryCopyto, args) => {
            !args.first().is_some_and(|it| is_plain_memory(types, operand_type(code, types, *it)))
        }
        Op::Host(..) => true,
        Op::New(args) => !fits(code, types, args, data.ty),
        Op::Intrinsic(Intrinsic::Foreigncall | Intrinsic::Report, _) => true,
        // The interpreter has exact arithmetic only, and host code does the same compiled or not.
        Op::Intrinsic(Intrinsic::Llvmcall, args) => !is_exact(types, args),
        // References in memory are checked, and recorded where they are overwritten.
        Op::Intrinsic(Intrinsic::Pointerref | Intrinsic::Pointerset, args) => {
            let pointer = args.first().map(|it| operand_type(code, types, *it));
            let elem = pointer.and_then(|it| datatype::params(types, it).first().copied());
            elem.is_some_and(|it| !is_plain(types, it))
        }
        // Outside of kernels they throw.
        Op::Intrinsic(intrinsic, _) => intrinsic.needs_kernel(),
        Op::Builtin(Builtin::Setglobal, _) => data.op.assigned_global(types).is_none(),
        Op::Builtin(builtin, args) => is_run_builtin(code, types, *builtin, args, data.ty),
        _ => false,
    }
}

/// Whether `new` of a type gets fields of their declared types.
fn fits(code: &IrCode, types: &Types, args: &[Value], ty: Type) -> bool {
    let fields = datatype::field_types(types, ty);
    datatype::is_concrete(types, ty)
        && args.len() <= fields.len()
        && args.iter().zip(fields).all(|(arg, field)| is_below(code, types, *arg, *field))
}

/// Whether values of a type in memory are plain bits.
fn is_plain(types: &Types, ty: Type) -> bool {
    match types.data(ty) {
        TypeData::Union(members) => members.iter().all(|it| layout::is_bits(types, *it)),
        _ => layout::is_bits(types, ty),
    }
}

fn is_exact(types: &Types, args: &[Value]) -> bool {
    let Some(Value::Const(what)) = args.first() else { return false };
    foreign::arithmetic_of(types, *what) == Some(foreign::Arithmetic::Exact)
}

/// Whether a value is known to be of a type.
fn is_below(code: &IrCode, types: &Types, value: Value, ty: Type) -> bool {
    match value {
        Value::Const(it) => consts::isa(types, it, ty),
        Value::Stmt(_) | Value::Arg(_) => types.subtype(operand_type(code, types, value), ty),
    }
}

fn is_run_builtin(code: &IrCode, types: &Types, builtin: Builtin, args: &[Value], ty: Type) -> bool {
    use Builtin as B;
    let owner = args.first().map(|it| operand_type(code, types, *it));
    let is_object = |it: Type| boxing::is_static(types, it) && !identity::is_held_as_number(types, it);
    match builtin {
        B::Is | B::Isa | B::Ifelse | B::Donotdelete | B::Compilerbarrier | B::Typeassert | B::Issubtype => {
            false
        }
        // Of a type that only the run knows, the session says the size.
        B::Sizeof => owner.is_some_and(|it| datatype::is_kind(types, it)),
        B::Nfields => !owner.is_some_and(|it| datatype::is_concrete(types, it)),
        B::Typeof => datatype::type_type_param(types, ty).is_none(),
        B::Tuple => !datatype::is_concrete(types, ty),
        // A collection has to learn that what a weak reference names is used.
        B::Getfield if owner.is_some_and(|it| boxing::is_weak_reference(types, it)) => true,
        B::Getfield => !owner.is_some_and(|it| is_object(it) || boxing::is_tagged_on_host(types, it)),
        B::Isdefined => !owner.is_some_and(is_object),
        B::Setfield => !owner.is_some_and(|it| is_object(it) && is_plain_store(code, types, it, args)),
        B::Memorynew => !datatype::is_concrete(types, ty),
        B::Memoryrefnew | B::Memoryrefoffset | B::Memoryrefget | B::MemoryrefIsassigned => {
            !owner.is_some_and(|it| is_plain_memory(types, it))
        }
        B::Memoryrefset => !owner.is_some_and(|it| {
            let elem = datatype::params(types, it).get(1).copied();
            is_plain_memory(types, it)
                && elem.zip(args.get(1)).is_some_and(|(elem, arg)| is_below(code, types, *arg, elem))
        }),
        _ => true, // needs the session's tables, or is ordered
    }
}

/// Whether it is a memory, or a reference to one, whose elements are accessed as other memory is.
fn is_plain_memory(types: &Types, ty: Type) -> bool {
    let Some(kind) = datatype::params(types, ty).first().filter(|_| datatype::is_concrete(types, ty)) else {
        return false;
    };
    let TypeData::Value(kind) = types.data(*kind) else { return false };
    matches!(types.const_data(*kind), ConstData::Symbol(name) if types.name(*name) == "not_atomic")
}

/// Whether a store to a field throws nothing, and is ordered with no other.
fn is_plain_store(code: &IrCode, types: &Types, owner: Type, args: &[Value]) -> bool {
    let &[_, field, value] = args else { return false };
    let Value::Const(field) = field else { return false };
    let index = match types.const_data(field) {
        ConstData::Symbol(name) => datatype::field_index(types, owner, *name),
        _ => consts::as_int(types, field).and_then(|it| usize::try_from(it).ok()?.checked_sub(1)),
    };
    let Some(name) = datatype::name_of(types, owner) else { return false };
    let def = &types.type_name(name).def;
    let flag = |flags: &[bool], index: usize| flags.get(index).copied().unwrap_or(false);
    index.is_some_and(|index| {
        let fields = datatype::field_types(types, owner);
        datatype::is_mutable(types, owner)
            && index < fields.len()
            && !flag(&def.const_fields, index)
            && !flag(&def.atomic_fields, index)
            && is_below(code, types, value, fields[index])
    })
}
