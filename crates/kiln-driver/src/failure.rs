//! From the first failing item of a launch to the Julia exception: the site's thunk is run by the interpreter.

use crate::kernel::Kernel;
use crate::program::Program;
use crate::thunk;
use crate::unit::UnitFunction;
use kiln_ir::{Builtin, IrCode, Op, SourceLoc};
use kiln_launch::Failure;
use kiln_runtime::{Frame, Runtime, Thrown, Value};
use kiln_unit::{NO_STMT, Site};

/// The exception of a launch: its trace ends in the kernel, and says which item it was.
pub(crate) fn of_item(rt: &Runtime, kernel: &Kernel, failure: &Failure) -> Box<Thrown> {
    let mut thrown = exception(rt, &kernel.program, failure);
    let from_one = |it: [i64; 3]| format!("({}, {}, {})", it[0] + 1, it[1] + 1, it[2] + 1);
    let (item, group) = (from_one(failure.local_id), from_one(failure.group_id));
    let kernel = rt.types.name(kernel.name);
    let name = match failure.group_id[0] {
        kiln_unit::NO_ITEM => format!("{kernel} [at debug level 0, which records no item and no values]"),
        _ => format!("{kernel} [work-item {item} of group {group}]"),
    };
    if let Some(outermost) = thrown.trace.iter_mut().rfind(|it| !it.loc.is_none()) {
        outermost.name = rt.types.symbol(&name);
    }
    thrown
}

/// The exception that the failing item would have thrown, with the frames of its unit in its trace.
pub(crate) fn exception(rt: &Runtime, program: &Program, failure: &Failure) -> Box<Thrown> {
    let Some((site, function)) = program.site(failure.site) else {
        return rt.error(&format!("kernel failed at an unknown site {}: a bug in kiln", failure.site));
    };
    if let Some(mut thrown) = own(rt, site, function, failure) {
        let stmt = function.code(rt).stmts.values().nth(site.stmt as usize).filter(|_| site.stmt != NO_STMT);
        if let Some(stmt) = stmt {
            thrown.trace = trace(rt, program, function, (stmt.loc, stmt.inlined), &failure.frames);
        }
        return thrown;
    }
    let Some(data) = thunk::data(rt, function, site) else {
        return rt.error("kernel failed at a site that its body does not have: a bug in kiln");
    };
    let mut thrown = match thunk::run(rt, data, site, &failure.operands) {
        Err(thrown) => thrown,
        Ok(()) => rt.error("kernel failed, but what it threw could not be made: a bug in kiln"),
    };
    thrown.trace = trace(rt, program, function, (data.loc, data.inlined), &failure.frames);
    thrown
}

/// The exception of a site that codegen itself made, for a check that no statement of the body describes.
fn own(rt: &Runtime, site: &Site, function: &UnitFunction, failure: &Failure) -> Option<Box<Thrown>> {
    use kiln_runtime::exceptions;
    Some(match site.site {
        kiln_unit::SITE_DIVIDE => exceptions::divide_error(&rt.heap),
        kiln_unit::SITE_TYPE if calls_through(rt, site, function) => {
            rt.argument_error("deferred_call: not the types that the pointer is for")
        }
        kiln_unit::SITE_TYPE => exceptions::undef_ref_error(&rt.heap),
        kiln_unit::SITE_MEMORY => exceptions::out_of_memory_error(&rt.heap),
        kiln_unit::SITE_STACK => {
            let method = rt.tables.method(rt.tables.instance_data(function.instance).method);
            let mut thrown = rt.stack_overflow();
            thrown.trace = vec![Frame { name: method.name, loc: method.loc }];
            thrown
        }
        kiln_unit::SITE_BOUNDS => {
            let index = failure.operands.first_chunk().map_or(0, |it| i64::from_le_bytes(*it));
            let (a, i) = (Value::nothing(rt.heap.core()), Value::int(rt.heap.core(), index));
            exceptions::bounds_error(&rt.heap, a, i)
        }
        _ => return None,
    })
}

/// Whether the site is a call's through a pointer.
fn calls_through(rt: &Runtime, site: &Site, function: &UnitFunction) -> bool {
    let stmt = function.code(rt).stmts.values().nth(site.stmt as usize);
    stmt.is_some_and(|it| matches!(it.op, Op::Builtin(Builtin::DeferredCall, _)))
}

/// The place of the failure and of the calls it came through as far as they are known, innermost first: those that were
/// inlined, and those in `calls`, the numbers of their sites. The kernel comes last.
fn trace(
    rt: &Runtime,
    program: &Program,
    function: &UnitFunction,
    place: (SourceLoc, u32),
    calls: &[u32],
) -> Vec<Frame> {
    let mut all = Vec::new();
    frames(function.code(rt), place, &mut all);
    let mut outermost = function.code(rt);
    for (site, caller) in calls.iter().filter_map(|it| program.site(*it)) {
        let Some(call) = caller.code(rt).stmts.values().nth(site.stmt as usize) else { continue };
        frames(caller.code(rt), (call.loc, call.inlined), &mut all);
        outermost = caller.code(rt);
    }
    let entry = program.entry_function();
    if entry.code(rt).name != outermost.name {
        // Where it calls is not known; where it is, is.
        let method = rt.tables.method(rt.tables.instance_data(entry.instance).method);
        all.push(Frame { name: entry.code(rt).name, loc: method.loc });
    }
    all
}

/// A place in a body, and the calls it was inlined through.
pub(crate) fn frames(code: &IrCode, (mut loc, mut inlined): (SourceLoc, u32), frames: &mut Vec<Frame>) {
    while let Some(entry) = code.inlined_at.get(inlined as usize).filter(|_| inlined != 0) {
        frames.push(Frame { name: entry.name, loc });
        (loc, inlined) = (entry.call, entry.parent);
    }
    frames.push(Frame { name: code.name, loc });
}
