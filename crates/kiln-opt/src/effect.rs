//! Whether a statement may be removed when nothing uses its value.

use crate::Callees;
use crate::value::{definition, field_number, is_fixed_tuple, only_value, type_of};
use kiln_ir::{Builtin, Intrinsic, IrCode, Op, StmtData, Value, foreign};
use kiln_types::{ConstData, Types, datatype, layout};

/// Whether `adce` may remove an unused statement: it has no visible effect and throws no exception.
pub(crate) fn is_removable(code: &IrCode, types: &Types, callees: &dyn Callees, data: &StmtData) -> bool {
    match &data.op {
        Op::Upsilon(_) | Op::PhiC(_) | Op::TheException => true,
        Op::Phi(_) | Op::Pi(_) | Op::BoundsCheck | Op::IsDefinedGlobal(..) | Op::Nop | Op::CopyAst(_) => true,
        // The loop it is about may still be there.
        Op::LoopInfo(_) => false,
        Op::Intrinsic(intrinsic, args) => intrinsic_is_removable(code, types, *intrinsic, args),
        Op::Builtin(builtin, args) => builtin_is_removable(code, types, *builtin, args),
        Op::Invoke(instance, _) => callees.effects(*instance).is_removable(),
        Op::New(_) | Op::Lookup(..) => true,
        Op::Global(..) => false, // may be undefined
        Op::Host(..)
        | Op::Call(_)
        | Op::NewDynamic(_)
        | Op::SplatNew(..)
        | Op::ThrowUndefIfNot(..)
        | Op::Enter { .. }
        | Op::Leave(_)
        | Op::PopException(_)
        | Op::Goto(_)
        | Op::Branch { .. }
        | Op::Return(_)
        | Op::Fail(..)
        | Op::Report(..)
        | Op::Unreachable => false,
    }
}

fn is_nonzero_const(types: &Types, value: Value) -> bool {
    let Value::Const(constant) = value else { return false };
    match types.const_data(constant) {
        // -1 overflows with the smallest number.
        kiln_types::ConstData::Bits { bytes, .. } => {
            bytes.iter().any(|it| *it != 0) && bytes.iter().any(|it| *it != 0xff)
        }
        _ => false, // no number
    }
}

fn intrinsic_is_removable(code: &IrCode, types: &Types, intrinsic: Intrinsic, args: &[Value]) -> bool {
    match intrinsic {
        Intrinsic::SdivInt
        | Intrinsic::UdivInt
        | Intrinsic::SremInt
        | Intrinsic::UremInt
        | Intrinsic::CheckedSdivInt
        | Intrinsic::CheckedUdivInt
        | Intrinsic::CheckedSremInt
        | Intrinsic::CheckedUremInt => args.get(1).is_some_and(|it| is_nonzero_const(types, *it)),
        Intrinsic::Pointerref
        | Intrinsic::Pointerset
        | Intrinsic::AtomicFence
        | Intrinsic::AtomicPointerref
        | Intrinsic::AtomicPointerset
        | Intrinsic::AtomicPointerswap
        | Intrinsic::AtomicPointermodify
        | Intrinsic::AtomicPointerreplace
        | Intrinsic::Barrier
        | Intrinsic::WarpBarrier
        | Intrinsic::Report
        | Intrinsic::Clock
        | Intrinsic::DeclareConstant
        | Intrinsic::StaticAssertion => false,
        Intrinsic::Llvmcall | Intrinsic::Foreigncall => !foreign::may_do_anything(types, intrinsic, args),
        // What is left is arithmetic, which cannot fail on operands of the right types.
        _ => args.iter().all(|it| {
            let ty = type_of(code, types, *it);
            datatype::is_concrete(types, ty) || datatype::type_type_param(types, ty).is_some()
        }),
    }
}

fn builtin_is_removable(code: &IrCode, types: &Types, builtin: Builtin, args: &[Value]) -> bool {
    match builtin {
        Builtin::Is
        | Builtin::Typeof
        | Builtin::Tuple
        | Builtin::Svec
        | Builtin::Ifelse
        | Builtin::Compilerbarrier => true,
        Builtin::Isa => args.get(1).is_some_and(|it| {
            matches!(it, Value::Const(_)) || only_value(types, type_of(code, types, *it)).is_some()
        }),
        Builtin::Getfield => getfield_is_safe(code, types, args),
        Builtin::Fieldtype => fieldtype_is_safe(code, types, args),
        Builtin::Memoryrefnew => args.len() == 1,
        Builtin::Memoryrefoffset => true,
        _ => false, // may throw, or does something
    }
}

/// A constant field that a known concrete type has.
fn fieldtype_is_safe(code: &IrCode, types: &Types, args: &[Value]) -> bool {
    let [of, Value::Const(field), ..] = args else { return false };
    let ty = match of {
        Value::Const(of) => match types.const_data(*of) {
            ConstData::Type(ty) => Some(*ty),
            _ => None,
        },
        of => datatype::type_type_param(types, type_of(code, types, *of)),
    };
    let Some(ty) = ty else { return false };
    let number = field_number(types, ty, *field).filter(|_| datatype::is_concrete(types, ty));
    number.is_some_and(|it| it < datatype::field_types(types, ty).len())
}

/// A constant field that exists and is always set.
pub(crate) fn getfield_is_safe(code: &IrCode, types: &Types, args: &[Value]) -> bool {
    let (Some(&object), Some(&Value::Const(field))) = (args.first(), args.get(1)) else { return false };
    let ty = type_of(code, types, object);
    if !datatype::is_concrete(types, ty) && !is_fixed_tuple(types, ty) {
        return false;
    }
    let Some(number) = field_number(types, ty, field) else { return false };
    let exists = number < datatype::field_types(types, ty).len();
    let made_whole = match definition(code, object) {
        Some(Op::New(fields) | Op::Builtin(Builtin::Tuple, fields)) => number < fields.len(),
        _ => false, // made elsewhere
    };
    let has_bits = datatype::field_types(types, ty).get(number).is_some_and(|it| layout::is_bits(types, *it));
    let always_set = has_bits || !layout::may_be_undefined(types, ty, number);
    exists && (made_whole || always_set)
}
