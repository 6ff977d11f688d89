//! From the first failing item of a launch to the Julia exception: the site's thunk is run by the interpreter.

use crate::current_place::current_place;
use crate::kernel::Kernel;
use crate::thunk;
use kiln_compile::{Program, UnitFunction, specialization};
use kiln_ir::{Builtin, Instance, Op, SourceLoc, ThrowSiteData, ThunkStep, ThunkValue, Undefined};
use kiln_launch::Failure;
use kiln_runtime::heap::{fields, text};
use kiln_runtime::{FrameCode, NameScope, Runtime, Thrown, TraceFrame, Value, throw};
use kiln_types::{ConstData, Symbol, Type, consts, datatype, display, module};
use kiln_unit::{NO_STMT, Site};

/// The exception of a launch: its trace ends in the kernel, and says which item it was.
pub(crate) fn of_item(rt: &Runtime, kernel: &Kernel, failure: &Failure) -> Box<Thrown> {
    let (mut thrown, way) = explained(rt, &kernel.program, (failure, &failure.frames));
    let from_one = |it: [i64; 3]| format!("({}, {}, {})", it[0] + 1, it[1] + 1, it[2] + 1);
    let (item, group) = (from_one(failure.local_id), from_one(failure.group_id));
    let kernel = rt.types.name(kernel.name);
    let which = match is_recorded(failure) {
        true => format!("work-item {item} of group {group}"),
        false => "debug level 0 records no work-item".to_owned(),
    };
    let between = match way {
        Way::Known => "",
        Way::Unknown => "; debug_level=2 tells the calls in between",
    };
    if let Some(outermost) = thrown.trace.iter_mut().rfind(|it| !it.loc.is_none()) {
        // The name says more than the method instance would.
        outermost.name = rt.types.symbol(&format!("{kernel} [{which}{between}]"));
        outermost.code = None;
    }
    thrown
}

/// The exception that failing host code would have thrown, with its frames in its trace. `calls` are the sites of the calls that the
/// failure came through, and `thrown` what a statement has thrown that the host ran.
pub(crate) fn exception(
    rt: &Runtime,
    program: &Program,
    (failure, calls): (&Failure, &[u32]),
    thrown: Option<Box<Thrown>>,
) -> Box<Thrown> {
    let Some(mut thrown) = thrown else { return explained(rt, program, (failure, calls)).0 };
    let Some((site, function)) = program.site(failure.site).filter(|_| !thrown.was_handled) else {
        return thrown;
    };
    if let Some(stmt) = function.code(rt).stmts.values().nth(site.stmt as usize) {
        let (frames, _) = trace(rt, program, function, (stmt.loc, stmt.inlined), calls);
        thrown.trace.extend(frames);
    }
    thrown
}

/// Whether all calls on the way to a failure are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Known,
    Unknown,
}

/// Whether the item said who it is and which values it failed with: at debug level 0 a device's says neither.
fn is_recorded(failure: &Failure) -> bool {
    failure.group_id[0] != kiln_unit::NO_ITEM
}

fn explained(rt: &Runtime, program: &Program, (failure, calls): (&Failure, &[u32])) -> (Box<Thrown>, Way) {
    let Some((site, function)) = program.site(failure.site) else {
        let what = format!("kernel failed at an unknown site {}: a bug in kiln", failure.site);
        return (rt.error(&what), Way::Known);
    };
    let data = thunk::data(rt, function, site);
    let stmt = function.code(rt).stmts.values().nth(site.stmt as usize).filter(|_| site.stmt != NO_STMT);
    let own = own(rt, site, function, failure);
    let place = match own {
        Some(_) => stmt.map(|it| (it.loc, it.inlined)),
        None => data.map(|it| (it.loc, it.inlined)),
    };
    let mut thrown = match (own, data) {
        (Some(thrown), _) => thrown,
        (None, Some(data)) => match thunk::run(rt, data, site, &failure.operands) {
            Err(thrown) => thrown,
            Ok(()) => rt.error("kernel failed, but what it threw could not be made: a bug in kiln"),
        },
        (None, None) => rt.error("kernel failed at a site that its body does not have: a bug in kiln"),
    };
    let has_values = site.operands.iter().any(|it| it.size > 0);
    if has_values && !is_recorded(failure) && thrown.abort.is_none() {
        let what = data.and_then(|it| chooser(rt, it));
        let what = what.unwrap_or_else(|| type_name(rt, thrown.exception.ty()));
        thrown = without_values(rt, &what);
    }
    let Some(place) = place else { return (thrown, Way::Known) };
    let (frames, way) = trace(rt, program, function, place, calls);
    // What the thunk calls never returns, so that it was not compiled: its frames are the interpreter's.
    thrown.trace.extend(frames);
    (thrown, way)
}

fn type_name(rt: &Runtime, ty: Type) -> String {
    let name = datatype::name_of(&rt.types, ty).map(|it| rt.types.type_name(it).def.name);
    name.map_or_else(|| display::of_type(&rt.types, ty), |it| rt.types.name(it).to_owned())
}

/// Returns the function that throws at a site, if its values may decide what: the library's functions throw one type each, a
/// program's may choose.
fn chooser(rt: &Runtime, data: &ThrowSiteData) -> Option<String> {
    let Some(ThunkStep::Call(call)) = data.thunk.last() else { return None };
    let Some(ThunkValue::Const(callee)) = call.first() else { return Some("an exception".to_owned()) };
    let is_library = datatype::name_of(&rt.types, consts::type_of(&rt.types, *callee)).is_some_and(|it| {
        let module = module::path(&rt.types, rt.types.type_name(it).def.module);
        matches!(module.split('.').next(), Some("Core" | "Base"))
    });
    (!is_library).then(|| format!("an exception of `{}`", display::of_const(&rt.types, *callee)))
}

/// The exception of a site whose values were not kept.
fn without_values(rt: &Runtime, what: &str) -> Box<Thrown> {
    match device_type(rt, "KernelException") {
        Some(ty) => throw::exception(rt, ty, &[text::string(&rt.heap, what)]),
        None => rt.error(&format!("{what} in a kernel")),
    }
}

/// The exception of a site that codegen itself made, for a check that no statement of the body describes.
fn own(rt: &Runtime, site: &Site, function: &UnitFunction, failure: &Failure) -> Option<Box<Thrown>> {
    use kiln_runtime::exceptions;
    Some(match site.site {
        kiln_unit::SITE_DIVIDE => exceptions::divide_error(&rt.heap),
        kiln_unit::SITE_TYPE if calls_through(rt, site, function) => {
            throw::argument_error(rt, "deferred_call: not the types that the pointer is for")
        }
        kiln_unit::SITE_TYPE if let Some(what) = undefined(rt, site, function) => match what {
            Undefined::Local(name) => throw::undef_var(rt, name, NameScope::Local),
            Undefined::StaticParam(name) => throw::undef_var(rt, name, NameScope::StaticParameter),
        },
        kiln_unit::SITE_TYPE => match asserted(rt, site, function) {
            Some(ty) => throw::type_error(rt, "typeassert", "", ty, unrecorded(rt)),
            None => exceptions::undef_ref_error(&rt.heap),
        },
        kiln_unit::SITE_MEMORY => exceptions::out_of_memory_error(&rt.heap),
        kiln_unit::SITE_STACK => {
            let method = rt.tables.method(rt.tables.instance_data(function.instance).method);
            let mut thrown = throw::stack_overflow(rt);
            let loc = current_place(rt, function.instance, method.loc);
            thrown.trace = vec![TraceFrame::new(method.name, loc)];
            thrown
        }
        kiln_unit::SITE_BOUNDS => {
            let index = failure.operands.first_chunk().map_or(0, |it| i64::from_le_bytes(*it));
            let a = indexed(rt, site, function).map_or_else(|| unrecorded(rt), |it| unrecorded_value(rt, it));
            exceptions::bounds_error(&rt.heap, a, Value::int(rt.heap.core(), index))
        }
        kiln_unit::SITE_RETURNED => rt.error(&returned(rt, site, function)),
        _ => return None,
    })
}

/// The message about a statement that returned, where inference says that it never does.
fn returned(rt: &Runtime, site: &Site, function: &UnitFunction) -> String {
    let stmt = function.code(rt).stmts.values().nth(site.stmt as usize);
    let what = match stmt.map(|it| &it.op) {
        Some(Op::Invoke(callee, _)) => format!("`{}`", specialization(rt, *callee)),
        _ => "this".to_owned(),
    };
    let at = stmt.and_then(|it| rt.frontend.place(current_place(rt, function.instance, it.loc)));
    let at = at.map_or_else(String::new, |(file, line)| format!(" ({file}:{line})"));
    let own = specialization(rt, function.instance);
    format!(
        "internal error in `{own}`{at}: inference said that {what} never returns, but it did: a bug in kiln"
    )
}

/// The variable that has no value at a site.
pub(crate) fn undefined(rt: &Runtime, site: &Site, function: &UnitFunction) -> Option<Undefined> {
    match function.code(rt).stmts.values().nth(site.stmt as usize)?.op {
        Op::ThrowUndefIfNot(what, _) => Some(what),
        _ => None, // something else that is checked
    }
}

/// The type that a value in a box was said to have, if the site is of an assertion.
fn asserted(rt: &Runtime, site: &Site, function: &UnitFunction) -> Option<Type> {
    let Op::Builtin(Builtin::Typeassert, args) =
        &function.code(rt).stmts.values().nth(site.stmt as usize)?.op
    else {
        return None;
    };
    let Some(kiln_ir::Value::Const(ty)) = args.get(1) else { return None };
    let ConstData::Type(ty) = rt.types.const_data(*ty) else { return None };
    Some(*ty)
}

/// Returns the type of the object whose field is asked for by number at a site.
fn indexed(rt: &Runtime, site: &Site, function: &UnitFunction) -> Option<Type> {
    let code = function.code(rt);
    let Op::Builtin(Builtin::Getfield, args) = &code.stmts.values().nth(site.stmt as usize)?.op else {
        return None;
    };
    match *args.first()? {
        kiln_ir::Value::Stmt(it) => Some(code.stmts[it].ty),
        kiln_ir::Value::Arg(n) => code.args.get(n as usize).copied(),
        kiln_ir::Value::Const(it) => Some(consts::type_of(&rt.types, it)),
    }
}

/// The exception of a kernel that is not compiled or launched.
pub fn kernel_error(rt: &Runtime, text: &str) -> Box<Thrown> {
    match device_type(rt, "KernelError") {
        Some(ty) => throw::exception(rt, ty, &[text::string(&rt.heap, text)]),
        None => rt.error(text),
    }
}

/// Returns a type that the library has for device code.
fn device_type(rt: &Runtime, name: &str) -> Option<Type> {
    let device = rt.base_global("Device").and_then(|it| it.as_module(rt.types.core()));
    let ty = device.and_then(|it| rt.global(it, rt.types.symbol(name)));
    ty.and_then(|it| it.as_type(rt.types.core()))
}

/// Returns the placeholder in an exception for a value that the kernel has not kept.
fn unrecorded(rt: &Runtime) -> Value {
    let ty = device_type(rt, "Unrecorded");
    ty.map_or_else(|| Value::nothing(rt.types.core()), |it| fields::new_struct(&rt.heap, it, &[]))
}

/// The same for a value of a known type.
fn unrecorded_value(rt: &Runtime, ty: Type) -> Value {
    let wrapper = device_type(rt, "UnrecordedValue");
    let ty = wrapper.and_then(|it| rt.types.apply(it, &[ty]).ok());
    ty.map_or_else(|| unrecorded(rt), |it| fields::new_struct(&rt.heap, it, &[]))
}

/// Whether the site is a call's through a pointer.
fn calls_through(rt: &Runtime, site: &Site, function: &UnitFunction) -> bool {
    let stmt = function.code(rt).stmts.values().nth(site.stmt as usize);
    stmt.is_some_and(|it| matches!(it.op, Op::Builtin(Builtin::DeferredCall, _)))
}

/// The place of the failure and of the calls it came through as far as they are known, innermost first: those that were
/// inlined, those in `calls`, the numbers of their sites, and beyond those the calls that are the only ones of what they
/// call. The kernel comes last.
pub(crate) fn trace(
    rt: &Runtime,
    program: &Program,
    function: &UnitFunction,
    place: (SourceLoc, u32),
    calls: &[u32],
) -> (Vec<TraceFrame>, Way) {
    let mut all = Vec::new();
    frames(rt, function, place, &mut all);
    let mut outermost = function;
    for (site, caller) in calls.iter().filter_map(|it| program.site(*it)) {
        let Some(call) = caller.code(rt).stmts.values().nth(site.stmt as usize) else { continue };
        frames(rt, caller, (call.loc, call.inlined), &mut all);
        outermost = caller;
    }
    let entry = program.entry_function();
    for _ in 0..CALLS_MAX {
        if outermost.instance == entry.instance {
            return (all, Way::Known);
        }
        let Some((caller, call)) = program.only_call(rt, outermost.instance) else { break };
        frames(rt, caller, (call.loc, call.inlined), &mut all);
        outermost = caller;
    }
    // Where it calls is not known; where it is, is.
    let method = rt.tables.method(rt.tables.instance_data(entry.instance).method);
    let loc = current_place(rt, entry.instance, method.loc);
    all.push(frame(entry.code(rt).name, entry.instance, loc));
    (all, Way::Unknown)
}

/// Calls that are looked back at most: each function of a program has one caller at most here, and none calls itself.
const CALLS_MAX: usize = 256;

/// A place in the body of a function, and the calls it was inlined through, where their text is now.
pub(crate) fn frames(
    rt: &Runtime,
    function: &UnitFunction,
    (mut loc, mut inlined): (SourceLoc, u32),
    frames: &mut Vec<TraceFrame>,
) {
    let code = function.code(rt);
    while let Some(entry) = code.inlined_at.get(inlined as usize).filter(|_| inlined != 0) {
        frames.push(frame(entry.name, entry.callee, current_place(rt, entry.callee, loc)));
        (loc, inlined) = (entry.call, entry.parent);
    }
    frames.push(frame(code.name, function.instance, current_place(rt, function.instance, loc)));
}

fn frame(name: Symbol, instance: Instance, loc: SourceLoc) -> TraceFrame {
    TraceFrame { name, loc, code: Some(FrameCode::Instance(instance)) }
}
