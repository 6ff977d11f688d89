//! Functions of the library that compiled device code calls of its own: where it gives up, where it reports, and where it
//! makes an object.
//!
//! They are found as any call is, through the tables of the job, so that overlays replace them; each is compiled when a
//! body needs it, as a unit of its own, and kept on its code instance.

use crate::check::type_of;
use crate::inputs::View;
use crate::typed_error::TypedError;
use kiln_ir::{Builtin, Instance, Intrinsic, IrCode, Op, StmtData};
use kiln_runtime::Runtime;
use kiln_targets::Items;
use kiln_types::{Type, Types, boxing, datatype};
use kiln_unit::{Plain, RuntimeRole};

/// The module of Base they are in.
const MODULE: &str = "DeviceRuntime";

/// Returns the runtime functions that a body needs, failing at `debug_level`.
pub(crate) fn needed(code: &IrCode, types: &Types, view: &View) -> Vec<RuntimeRole> {
    let unit = &view.unit;
    if unit.facts.items != Items::Device {
        return Vec::new();
    }
    let fail = if unit.debug_level == 0 { RuntimeRole::Signal } else { RuntimeRole::Claim };
    let mut roles = Vec::new();
    let makes_object = |it: &StmtData| {
        matches!(it.op, Op::New(_)) && (datatype::is_mutable(types, it.ty) || boxing::is_boxed(types, it.ty))
    };
    if code.stmts.values().any(|it| may_fail(&it.op) || makes_object(it)) {
        roles.push(fail);
    }
    if code.stmts.values().any(makes_object) {
        roles.push(RuntimeRole::Allocate);
    }
    for data in code.stmts.values() {
        let role = box_role(code, types, data).filter(|it| !roles.contains(it));
        roles.extend(role);
    }
    if unit.debug_level >= 2 && code.stmts.values().any(|it| matches!(it.op, Op::Invoke(..))) {
        roles.push(RuntimeRole::Frame);
    }
    if code.stmts.values().any(|it| matches!(it.op, Op::Report(..))) {
        roles.push(RuntimeRole::Reserve);
    }
    roles
}

/// Returns the runtime function that boxes or unboxes a number in a statement.
fn box_role(code: &IrCode, types: &Types, data: &StmtData) -> Option<RuntimeRole> {
    let plain =
        |ty: Type| boxing::plain_types(types).iter().position(|it| *it == ty).map(|it| Plain::ALL[it]);
    match &data.op {
        Op::New(args) if boxing::is_boxed(types, data.ty) => {
            plain(type_of(code, types, *args.first()?)).map(RuntimeRole::Box)
        }
        Op::Pi(value) if boxing::is_boxed(types, type_of(code, types, *value)) => {
            plain(data.ty).map(RuntimeRole::Unbox)
        }
        Op::Builtin(Builtin::Typeassert, args)
            if boxing::is_boxed(types, type_of(code, types, *args.first()?)) =>
        {
            plain(data.ty).map(RuntimeRole::Unbox)
        }
        _ => None,
    }
}

/// Whether code generation may make an operation fail. It knows better: what it does not call is not linked.
fn may_fail(op: &Op) -> bool {
    match op {
        Op::Fail(..) | Op::ThrowUndefIfNot(..) => true,
        Op::Intrinsic(intrinsic, _) => matches!(
            intrinsic,
            Intrinsic::CheckedSdivInt
                | Intrinsic::CheckedUdivInt
                | Intrinsic::CheckedSremInt
                | Intrinsic::CheckedUremInt
        ),
        Op::Builtin(builtin, _) => matches!(
            builtin,
            Builtin::Getfield
                | Builtin::Memoryrefnew
                | Builtin::Memoryrefget
                | Builtin::Typeassert
                | Builtin::DeferredCall
        ),
        _ => false,
    }
}

fn type_of_plain(types: &Types, plain: Plain) -> Type {
    let at = Plain::ALL.iter().position(|it| *it == plain).unwrap_or(0);
    boxing::plain_types(types)[at]
}

/// The function that does it, as the job sees it.
///
/// # Errors
/// When the library has none, or an overlay takes its place that does not fit.
pub(crate) fn function(rt: &Runtime, view: &View, role: RuntimeRole) -> Result<Instance, TypedError> {
    let core = rt.types.core();
    let (name, args): (&str, Vec<Type>) = match role {
        RuntimeRole::Signal => ("signal_exception", vec![core.uint32]),
        RuntimeRole::Claim if view.unit.debug_level >= 2 => ("report_exception_name", vec![core.uint32]),
        RuntimeRole::Claim => ("report_exception", vec![core.uint32]),
        RuntimeRole::Reserve => ("reserve_report", vec![core.uint32, core.uint32]),
        RuntimeRole::Allocate => ("gc_pool_alloc", vec![core.uint64]),
        RuntimeRole::Frame => ("report_exception_frame", vec![core.uint32]),
        RuntimeRole::Box(plain) => (plain.functions().0, vec![type_of_plain(&rt.types, plain), core.uint64]),
        RuntimeRole::Unbox(plain) => {
            let byte_pointer = rt
                .types
                .apply(core.ptr, &[core.uint8])
                .map_err(|it| TypedError::Runtime(format!("{it:?}")))?;
            (plain.functions().1, vec![byte_pointer])
        }
    };
    let module = rt.base_global(MODULE).and_then(|it| it.as_module(core));
    let found = module.and_then(|it| rt.global(it, rt.types.symbol(name)));
    let function = found.ok_or_else(|| TypedError::Runtime(format!("the library has no {MODULE}.{name}")))?;
    let types: Vec<Type> = std::iter::once(rt.heap.dispatch_type(function)).chain(args).collect();
    let instance = rt.tables.dispatch_in(view.id(rt), &types, view.world);
    instance.map_err(|_| {
        TypedError::Runtime(format!("{MODULE}.{name} has no method that takes what compiled code gives it"))
    })
}
