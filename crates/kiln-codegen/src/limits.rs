//! Limits of targets on valid programs: float and integer types they do not compute with, and recursion.

use crate::analysis::operand_type;
use crate::error::{EmitError, TargetLimit};
use crate::items::DeviceItems;
use crate::source::Source;
use kiln_ir::{Builtin, IrCode, Op, StmtData, Value as Operand};
use kiln_targets::TargetFacts;
use kiln_types::{Type, TypeData, Types, datatype, display, layout};
use kiln_unit::EntryKind;

/// Returns LLVM's name of a primitive type that the target does not compute with.
pub(crate) fn lacking(facts: &TargetFacts, types: &Types, ty: Type) -> Option<&'static str> {
    let core = types.core();
    let limits = [
        (core.float16, facts.have_float16, "half"),
        (core.bfloat16, facts.have_bfloat16, "bfloat"),
        (core.float32, facts.have_float32, "float"),
        (core.float64, facts.have_float64, "double"),
        (core.int128, facts.have_int128, "i128"),
        (core.uint128, facts.have_int128, "i128"),
    ];
    limits.iter().find(|(of, have, _)| *of == ty && !have).map(|it| it.2)
}

/// Refuses a unit for reasons that concern no single statement.
pub(crate) fn check_unit(
    facts: &TargetFacts,
    device: Option<&dyn DeviceItems>,
    entry: EntryKind,
    (recursive, sources): (&[bool], &[Source]),
) -> Result<(), EmitError> {
    if device.is_none() {
        return Ok(());
    }
    let target = facts.name.clone();
    if entry == EntryKind::Function {
        return Err(TargetLimit::HostFunction { target }.into());
    }
    // A call through an address may recurse. Targets without function pointers refuse it as such.
    let comes_back =
        |at: usize| facts.abilities.has_function_pointers || !crate::analysis::calls_through(&sources[at]);
    let mut cyclic = recursive.iter().enumerate().filter(|(at, it)| **it && comes_back(*at));
    match cyclic.next().filter(|_| !facts.abilities.recurses).map(|it| it.0) {
        Some(ordinal) => {
            let error = EmitError::from(TargetLimit::Recursion { target }).in_function(ordinal as u32);
            Err(EmitError { stmt: calls_itself(recursive, &sources[ordinal]), ..error })
        }
        None => Ok(()),
    }
}

/// Returns the statement by which a function may recurse.
fn calls_itself(recursive: &[bool], source: &Source) -> Option<u32> {
    let is_cyclic = |op: &Op| {
        if let Op::Invoke(instance, _) = op {
            let callee = source.callees.get(instance.as_u32() as usize);
            return callee.is_some_and(|it| recursive.get(*it as usize) == Some(&true));
        }
        matches!(op, Op::Builtin(Builtin::DeferredCall, _))
    };
    let found = source
        .code
        .blocks
        .values()
        .flat_map(|it| &it.stmts)
        .find(|it| is_cyclic(&source.code.stmts[**it].op));
    found.map(|it| it.as_u32())
}

/// Refuses a statement that computes with, moves or returns a value of a type that the target lacks.
pub(crate) fn check(
    facts: &TargetFacts,
    types: &Types,
    code: &IrCode,
    data: &StmtData,
) -> Result<(), EmitError> {
    let by_address = matches!(data.op, Op::Lookup(..) | Op::Builtin(Builtin::DeferredCall, _));
    if by_address && !facts.abilities.has_function_pointers {
        return Err(TargetLimit::FunctionPointer { target: facts.name.clone() }.into());
    }
    for ty in used(types, code, data) {
        if let Some((llvm, ty)) = lacking_in(facts, types, ty, moves(&data.op)) {
            let (target, ty) = (facts.name.clone(), display::of_type(types, ty));
            return Err(TargetLimit::Value { llvm, ty, target }.into());
        }
    }
    Ok(())
}

/// Returns the types of the values that a statement uses or defines.
fn used(types: &Types, code: &IrCode, data: &StmtData) -> Vec<Type> {
    let operands: &[Operand] = match &data.op {
        Op::Intrinsic(_, args) | Op::Builtin(_, args) | Op::Invoke(_, args) | Op::New(args) => args,
        Op::Report(_, args) | Op::Lookup(_, args) => args,
        Op::Return(value) | Op::Pi(value) => std::slice::from_ref(value),
        Op::Phi(_) => &[],
        Op::Host(..)
        | Op::Call(_)
        | Op::NewDynamic(_)
        | Op::SplatNew(..)
        | Op::Global(..)
        | Op::BoundsCheck
        | Op::IsDefinedGlobal(..)
        | Op::ThrowUndefIfNot(..)
        | Op::Enter { .. }
        | Op::Leave(_)
        | Op::TheException
        | Op::Upsilon(_)
        | Op::PhiC(_)
        | Op::PopException(_)
        | Op::CopyAst(_)
        | Op::LoopInfo(_)
        | Op::Nop
        | Op::Goto(_)
        | Op::Branch { .. }
        | Op::Fail(..)
        | Op::Unreachable => return Vec::new(),
    };
    // Type predicates do not use the values.
    if matches!(&data.op, Op::Builtin(Builtin::Typeof | Builtin::Isa | Builtin::Sizeof, _)) {
        return Vec::new();
    }
    let mut used = vec![data.ty];
    used.extend(operands.iter().map(|it| operand_type(code, types, *it)));
    if let Op::Intrinsic(intrinsic, args) = &data.op
        && intrinsic.accesses_memory()
        && let Some(pointer) = args.first()
    {
        used.extend(datatype::params(types, operand_type(code, types, *pointer)).first());
    }
    used
}

/// Returns the first type that the target lacks in a value of this type; with `deep`, in any part of it.
fn lacking_in(facts: &TargetFacts, types: &Types, ty: Type, deep: bool) -> Option<(&'static str, Type)> {
    if let Some(lacking) = lacking(facts, types, ty) {
        return Some((lacking, ty));
    }
    match types.data(ty) {
        TypeData::Union(members) => members.iter().find_map(|it| lacking_in(facts, types, *it, deep)),
        TypeData::Data { .. } if deep && layout::is_bits(types, ty) => {
            datatype::field_types(types, ty).iter().find_map(|it| lacking_in(facts, types, *it, deep))
        }
        TypeData::Bottom
        | TypeData::Data { .. }
        | TypeData::UnionAll { .. }
        | TypeData::Var { .. }
        | TypeData::Vararg { .. }
        | TypeData::Value(_) => None,
    }
}

/// Whether a statement moves whole values between registers and memory.
fn moves(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(intrinsic, _) if intrinsic.accesses_memory())
}
