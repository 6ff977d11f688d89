//! Analysis of the functions of a unit: the traits that their ABI depends on.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation that fails, writes or asks who it is must say so here; the others are refused or plain"
)]

use crate::host_statements::{HostStatements, may_be_run};
use crate::never_returning::all_never_returning;
use crate::source::{Runtime, Source};
use kiln_ir::{Builtin, Cfg, Dominators, HostFunction, Intrinsic, IrCode, Op, StmtData, Value, foreign};
use kiln_types::{ConstData, FieldLayout, FieldStorage, Type, Types, boxing, consts, datatype, layout};
use kiln_unit::Traits;

/// Returns the functions that may recurse. Callees in other units cannot call back, since mutually recursive
/// functions form one unit.
pub(crate) fn recursive(sources: &[Source]) -> Vec<bool> {
    let reaches_itself = |start: usize| {
        let mut seen = vec![false; sources.len()];
        let mut left = vec![start];
        while let Some(at) = left.pop() {
            for &callee in &sources[at].callees {
                if callee as usize == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[callee as usize], true) {
                    left.push(callee as usize);
                }
            }
        }
        false
    };
    // A call through an address may reach any function.
    (0..sources.len()).map(|it| calls_through(&sources[it]) || reaches_itself(it)).collect()
}

/// Whether a function of the unit calls through an address.
pub(crate) fn calls_through(source: &Source) -> bool {
    let mut stmts = source.code.stmts.values();
    source.external.is_none() && stmts.any(|it| matches!(it.op, Op::Builtin(Builtin::DeferredCall, _)))
}

/// Returns the traits of every function. On a device, `device` are the runtime functions for failures and reports.
pub(crate) fn traits(
    sources: &[Source],
    (recursive, is_watched): (&[bool], bool),
    types: &Types,
    device: Option<&Runtime>,
    (in_kernel, host): (bool, Option<(&HostStatements, bool)>),
) -> Vec<Traits> {
    let place = (device.is_some(), in_kernel);
    let mut all: Vec<Traits> = sources.iter().map(|it| own(it, types, place)).collect();
    if let Some(host) = host {
        for ((it, source), ordinal) in all.iter_mut().zip(sources).zip(0..) {
            add_host_traits(it, (source, ordinal), host);
        }
    }
    // The launcher's functions are reached through the item's state.
    all.iter_mut().filter(|_| is_watched).for_each(|it| it.needs_state = true);
    for ((it, source), recursive) in all.iter_mut().zip(sources).zip(recursive) {
        match device {
            None => it.may_fail |= recursive, // it may run out of stack
            Some(_) if source.external.is_some() => {}
            Some(runtime) => {
                let failure = runtime.failure().filter(|_| it.may_fail);
                let report = runtime.reserve.filter(|_| it.reports);
                let allocation = runtime.allocate.filter(|_| it.allocates);
                let frame = runtime.frame.filter(|_| calls(source));
                let all = runtime.boxes.iter().chain(&runtime.unboxes).flatten().copied();
                let boxes: Vec<u32> = all.collect();
                let boxes = boxes.into_iter().filter(|_| has_boxes(&source.code, types));
                for callee in [failure, report, allocation, frame].into_iter().flatten().chain(boxes) {
                    let callee = sources.get(callee as usize).and_then(|it| it.external);
                    inherit(it, Traits { may_fail: false, ..callee.unwrap_or_default() });
                }
            }
        }
    }
    loop {
        let before = all.clone();
        for (ordinal, source) in sources.iter().enumerate() {
            for data in source.code.stmts.values() {
                if let Some(instance) = data.op.callee()
                    && let Some(&callee) = source.callees.get(instance.as_u32() as usize)
                {
                    let callee = before[callee as usize];
                    // A call through an address must fit any callee.
                    let seen = match data.op {
                        Op::Invoke(..) => callee,
                        _ => Traits { may_fail: false, writes: false, needs_state: false, ..callee },
                    };
                    inherit(&mut all[ordinal], seen);
                }
            }
            // The launch record is reached through the item's state.
            all[ordinal].needs_state |= device.is_none() && all[ordinal].may_fail;
        }
        if all == before {
            let is_for_device = device.is_some();
            return all.into_iter().map(|it| if is_for_device { it.for_device() } else { it }).collect();
        }
    }
}

/// Adds the traits of a function of the host: it reaches the services of the host through its state.
fn add_host_traits(
    it: &mut Traits,
    (source, ordinal): (&Source, u32),
    (host, calls_launch): (&HostStatements, bool),
) {
    it.needs_state = true;
    if source.external.is_some() {
        return;
    }
    it.may_fail |= host.makes_boxes(ordinal);
    it.launches |= calls_launch && host.calls_unknown(ordinal);
    if all_never_returning(&source.code).next().is_some() {
        it.may_fail = true;
        it.writes = true;
    }
    for (stmt, data) in &source.code.stmts {
        if host.contains(ordinal, stmt) || may_be_run(data) {
            it.may_fail = true;
            it.writes = true;
        }
    }
}

/// Whether a function handles boxed values.
fn has_boxes(code: &IrCode, types: &Types) -> bool {
    code.args.iter().chain(code.stmts.values().map(|it| &it.ty)).any(|it| boxing::is_boxed(types, *it))
}

/// Whether a function has direct calls.
fn calls(source: &Source) -> bool {
    source.code.stmts.values().any(|it| matches!(it.op, Op::Invoke(..)))
}

/// Whether a statement allocates an object: a value with identity, or a box.
pub(crate) fn makes_object(data: &StmtData, types: &Types) -> bool {
    matches!(data.op, Op::New(_))
        && (datatype::is_mutable(types, data.ty) || boxing::is_boxed(types, data.ty))
}

/// Adds a callee's traits to the caller's.
fn inherit(it: &mut Traits, callee: Traits) {
    it.may_fail |= callee.may_fail;
    it.writes |= callee.writes;
    it.has_barrier |= callee.has_barrier;
    it.has_private |= callee.has_private;
    it.has_atomics |= callee.has_atomics;
    it.reports |= callee.reports;
    it.needs_state |= callee.needs_state;
    it.has_dynamic_shared |= callee.has_dynamic_shared;
    it.allocates |= callee.allocates;
    it.launches |= callee.launches;
}

fn own(source: &Source, types: &Types, (on_device, in_kernel): (bool, bool)) -> Traits {
    if let Some(traits) = source.external {
        return traits; // as the unit that defines it found
    }
    let mut it = Traits::default();
    for data in source.code.stmts.values() {
        match &data.op {
            // Foreign code runs once and in order, whatever it does.
            Op::Intrinsic(intrinsic, args) if foreign::may_do_anything(types, *intrinsic, args) => {
                it.writes = true;
                it.has_atomics = true;
            }
            Op::Intrinsic(intrinsic, _) if on_device => device_traits(*intrinsic, &mut it),
            Op::Intrinsic(intrinsic, _) => intrinsic_traits(*intrinsic, &mut it),
            Op::Builtin(builtin, args) => {
                it.may_fail |= builtin_may_fail(&source.code, *builtin, args, types);
                it.writes |= builtin_writes(*builtin);
                if *builtin == Builtin::DeferredCall {
                    // The callee may do all of this; the result is returned in memory.
                    it.needs_state = true;
                    it.has_loop = true;
                    it.has_private = true;
                }
            }
            Op::Fail(..) | Op::ThrowUndefIfNot(..) => it.may_fail = true,
            // What no handler takes goes on.
            Op::Enter { .. } => {
                it.may_fail = true;
                it.writes = true;
            }
            Op::New(_) if makes_object(data, types) => {
                it.needs_state |= !on_device;
                it.may_fail = true; // memory may be exhausted
                it.writes = true;
                it.has_atomics = true;
                it.allocates = true;
            }
            Op::Host(HostFunction::KernelLaunch, _) => it.launches = true,
            Op::Report(..) => {
                it.needs_state |= !on_device;
                it.writes = true;
                it.reports = true;
            }
            _ => {} // nothing of interest, or refused
        }
    }
    let cfg = Cfg::new(&source.code);
    let dominators = Dominators::new(&cfg);
    if in_kernel && !on_device && !crate::waiting::latches(&source.code, &cfg, types).is_empty() {
        // The item lets others run, as at a barrier.
        it.needs_state = true;
        it.has_barrier = true;
    }
    for &block in &cfg.reverse_postorder {
        it.has_loop |= source.code.terminator(block).successors().any(|to| dominators.dominates(to, block));
    }
    it
}

/// Whether an intrinsic is an atomic operation or a fence.
pub(crate) fn is_atomic(intrinsic: Intrinsic) -> bool {
    use Intrinsic as I;
    matches!(
        intrinsic,
        I::AtomicFence
            | I::AtomicPointerref
            | I::AtomicPointerset
            | I::AtomicPointerswap
            | I::AtomicPointermodify
            | I::AtomicPointerreplace
    )
}

fn intrinsic_traits(intrinsic: Intrinsic, it: &mut Traits) {
    use Intrinsic as I;
    match intrinsic {
        I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt | I::CheckedUremInt => it.may_fail = true,
        I::LocalId
        | I::GroupId
        | I::LocalSize
        | I::NumGroups
        | I::SharedMemory
        | I::DynamicSharedMemory
        | I::DynamicSharedBytes
        | I::KernelState => it.needs_state = true,
        I::Barrier | I::WarpBarrier => {
            it.needs_state = true;
            it.has_barrier = true;
            it.writes = true;
        }
        I::PrivateMemory => it.has_private = true,
        I::Pointerset => it.writes = true,
        _ if is_atomic(intrinsic) => {
            it.writes = true;
            it.has_atomics = true;
        }
        _ => {} // arithmetic
    }
}

/// Adds the traits of an intrinsic on a device, which knows its items.
fn device_traits(intrinsic: Intrinsic, it: &mut Traits) {
    let state = it.needs_state;
    intrinsic_traits(intrinsic, it);
    it.needs_state = state || intrinsic == Intrinsic::KernelState;
    it.has_dynamic_shared |= intrinsic == Intrinsic::DynamicSharedMemory;
}

/// Whether emission of a statement may create a failing path. Calls may fail.
pub(crate) fn may_fail(code: &IrCode, data: &StmtData, types: &Types) -> bool {
    let mut it = Traits::default();
    match &data.op {
        Op::New(_) => it.may_fail = makes_object(data, types),
        Op::Intrinsic(intrinsic, _) => intrinsic_traits(*intrinsic, &mut it),
        Op::Builtin(builtin, args) => it.may_fail = builtin_may_fail(code, *builtin, args, types),
        Op::Fail(..) | Op::ThrowUndefIfNot(..) | Op::Invoke(..) => it.may_fail = true,
        _ => {} // refused or plain
    }
    it.may_fail
}

/// Whether a statement that is no call writes memory.
pub(crate) fn writes(data: &StmtData, types: &Types) -> bool {
    let mut it = Traits::default();
    match &data.op {
        Op::Intrinsic(intrinsic, args) if foreign::may_do_anything(types, *intrinsic, args) => {
            it.writes = true
        }
        Op::Intrinsic(intrinsic, _) => intrinsic_traits(*intrinsic, &mut it),
        Op::Builtin(builtin, _) => it.writes = builtin_writes(*builtin),
        _ => it.writes = makes_object(data, types), // nothing of interest, or refused
    }
    it.writes
}

fn builtin_writes(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Setfield | Builtin::Memoryrefset | Builtin::DeferredCall)
}

/// Returns the checks that emission of an operation may add, each a site of codegen's own.
pub(crate) fn own_sites(data: &StmtData, types: &Types) -> &'static [u32] {
    use Intrinsic as I;
    match &data.op {
        Op::New(_) if makes_object(data, types) => &[kiln_unit::SITE_MEMORY],
        Op::Intrinsic(I::CheckedSdivInt | I::CheckedUdivInt | I::CheckedSremInt | I::CheckedUremInt, _) => {
            &[kiln_unit::SITE_DIVIDE]
        }
        Op::Builtin(Builtin::Getfield | Builtin::Memoryrefnew | Builtin::Memoryrefget, _) => {
            &[kiln_unit::SITE_BOUNDS, kiln_unit::SITE_TYPE]
        }
        Op::Builtin(Builtin::Typeassert | Builtin::DeferredCall, _) | Op::ThrowUndefIfNot(..) => {
            &[kiln_unit::SITE_TYPE]
        }
        _ => &[], // cannot fail, or fails at a site of the body
    }
}

/// Whether emission of this builtin may add a check.
fn builtin_may_fail(code: &IrCode, builtin: Builtin, args: &[Value], types: &Types) -> bool {
    match builtin {
        Builtin::Getfield => {
            let object = args.first().map(|it| operand_type(code, types, *it));
            let may_be_outside = args.get(1).is_none_or(|index| {
                !matches!(index, Value::Const(_)) || object.is_some_and(|it| is_outside(types, it, *index))
            });
            (may_be_outside && !unchecked(args, types)) || object.is_some_and(|it| may_lack_fields(types, it))
        }
        Builtin::Memoryrefnew => args.len() > 1 && !unchecked(args, types),
        Builtin::Memoryrefget | Builtin::DeferredCall => true,
        Builtin::Typeassert => !args.get(1).is_some_and(|ty| {
            let asserted = match ty {
                Value::Const(it) => match types.const_data(*it) {
                    ConstData::Type(ty) => Some(*ty),
                    _ => None,
                },
                Value::Stmt(_) | Value::Arg(_) => None,
            };
            asserted.is_some_and(|it| types.subtype(operand_type(code, types, args[0]), it))
        }),
        _ => false,
    }
}

/// Whether an index is a constant outside of all fields of a concrete type. It became constant after inference, which
/// ends the block at such an access.
pub(crate) fn is_outside(types: &Types, ty: Type, index: Value) -> bool {
    let Value::Const(index) = index else { return false };
    let count = datatype::field_types(types, ty).len() as i128;
    let is_inside = |it: i64| (1..=count).contains(&i128::from(it));
    datatype::is_concrete(types, ty) && consts::as_int(types, index).is_some_and(|it| !is_inside(it))
}

/// Whether objects of a type may have undefined fields, which are null.
fn may_lack_fields(types: &Types, ty: Type) -> bool {
    let fields = datatype::field_types(types, ty);
    let lacks = |(at, it): (usize, &FieldLayout)| {
        let has_reference = match it.storage {
            FieldStorage::Pointer => true,
            FieldStorage::Inline => fields.get(at).is_some_and(|it| !layout::is_bits(types, *it)),
            FieldStorage::Union { .. } => false,
        };
        has_reference && layout::may_be_undefined(types, ty, at)
    };
    layout::of(types, ty).is_some_and(|it| it.fields.iter().enumerate().any(lacks))
}

/// Returns the type of an operand.
pub(crate) fn operand_type(code: &IrCode, types: &Types, value: Value) -> Type {
    match value {
        Value::Stmt(stmt) => code.stmts[stmt].ty,
        Value::Arg(arg) => code.args.get(arg as usize).copied().unwrap_or(types.core().any),
        Value::Const(constant) => consts::type_of(types, constant),
    }
}

/// Whether the last argument, `boundscheck`, is the constant `false`.
pub(crate) fn unchecked(args: &[Value], types: &Types) -> bool {
    match args.last() {
        Some(Value::Const(last)) => match types.const_data(*last) {
            ConstData::Bits { ty, bytes } => *ty == types.core().bool && bytes[..] == [0],
            _ => false,
        },
        _ => false,
    }
}
