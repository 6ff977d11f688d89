//! `eval`, parsing, files of code, packages, exceptions being handled.

use super::arguments::Arguments;
use super::reflection::named;
use crate::eval::{lowering, macros, packages, toplevel};
use crate::heap::arrays;
use crate::interp::{call, frames, run};
use crate::services::{ParseRequest, ParseRule};
use crate::{FrameCode, Run, TraceFrame, Value, exceptions};

pub(super) fn eval(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    args.rt.eval(args.module(0)?, args.value(1)?)
}

pub(super) fn lower(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    lowering::lower(args.rt, args.module(0)?, args.value(1)?)
}

pub(super) fn macroexpand(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let recursive = args.values.len() < 3 || args.value(2)?.as_bool(args.heap().core()) == Some(true);
    macros::expand(args.rt, args.module(0)?, args.value(1)?, recursive)
}

pub(super) fn parse_string(args: &Arguments<'_>) -> Run {
    args.expect(5, 5)?;
    let text = args.text(0)?;
    let invalid = std::str::from_utf8(args.bytes(0)?).err().map(|it| it.valid_up_to());
    let start = usize::try_from(args.int(1)?.saturating_sub(1)).unwrap_or(0).min(text.len());
    let rule = match args.rt.types.name(args.symbol(2)?) {
        "statement" => ParseRule::Statement,
        "atom" => ParseRule::Atom,
        _ => ParseRule::All,
    };
    let file = args.text(3)?;
    let line = u32::try_from(args.int(4)?).unwrap_or(1);
    Ok(packages::parse_text(args.rt, ParseRequest { text: &text, invalid, start, rule, file: &file, line }))
}

pub(super) fn include_file(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let (rt, path) = (args.rt, args.text(1)?);
    let change = args.value(2).ok();
    if let Some(notify) = rt.base_global("notify_include") {
        rt.call_latest(notify, &[args.value(0)?, args.value(1)?])?;
    }
    packages::include(rt, args.module(0)?, &path, change)
}

/// `include_string(mapexpr, module, text, name)`.
pub(super) fn include_text(args: &Arguments<'_>) -> Run {
    args.expect(4, 4)?;
    let (change, module) = (args.value(0)?, args.module(1)?);
    let (text, name) = (args.text(2)?, args.text(3)?);
    if change.is_nothing(args.heap().core()) {
        return toplevel::eval_text(args.rt, module, &name, &text);
    }
    toplevel::eval_changed_text(args.rt, module, &name, &text, change)
}

pub(super) fn find_package(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let (io, name) = (&args.rt.io, args.text(0)?);
    let path = io.find_package(&name).map(|it| io.checkout(&name).unwrap_or(it.path));
    Ok(args.string_or_nothing(path.as_deref().map(str::as_bytes)))
}

/// `pathof(module)`; `pathof()`: the file that is being read.
pub(super) fn pathof(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    if args.values.is_empty() {
        return Ok(args.string_or_nothing(packages::current_file(args.rt).as_deref().map(str::as_bytes)));
    }
    let path = packages::pathof(args.rt, args.module(0)?);
    Ok(args.string_or_nothing(path.as_deref().map(str::as_bytes)))
}

fn frames(args: &Arguments<'_>, trace: &[TraceFrame]) -> Value {
    let heap = args.heap();
    let frame = |it: &TraceFrame| {
        let (file, line) = args.rt.frontend.place(it.loc).unwrap_or_default();
        let core = heap.core();
        let (module, code) = match it.code {
            None => (heap.nothing(), heap.nothing()),
            Some(FrameCode::TopLevel(module)) => (Value::module(core, module), heap.nothing()),
            Some(FrameCode::Method(method)) => {
                (heap.nothing(), Value::inline(core.method, method.index() as u64))
            }
            Some(FrameCode::Instance(instance)) => {
                (heap.nothing(), Value::inline(core.method_instance, u64::from(instance.as_u32())))
            }
        };
        let fields = [
            ("name", Value::symbol(core, it.name)),
            ("file", heap.symbol(&file)),
            ("line", heap.int(i64::from(line))),
            ("mod", module),
            ("code", code),
        ];
        named(args, &fields)
    };
    let frames: Vec<Value> = trace.iter().map(frame).collect();
    arrays::any_vector(heap, &frames)
}

pub(super) fn current_exceptions(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    let handled = call::current_exceptions();
    let values: Vec<Value> = handled
        .iter()
        .map(|it| named(args, &[("exception", it.exception), ("backtrace", frames(args, &it.trace))]))
        .collect();
    Ok(arrays::any_vector(args.heap(), &values))
}

/// `backtrace()`: of the exception being handled; `backtrace(true)`: of the code that runs.
pub(super) fn backtrace(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    if !args.values.is_empty() {
        return Ok(frames(args, &frames::backtrace(args.rt)));
    }
    let handled = call::current_exceptions();
    Ok(frames(args, handled.last().map_or(&[], |it| &it.trace)))
}

pub(super) fn rethrow(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    let call = if args.values.is_empty() { "rethrow()" } else { "rethrow(exc)" };
    let Some(mut handled) = run::handled_exception() else {
        return Err(exceptions::error(args.heap(), &format!("{call} not allowed outside a catch block")));
    };
    handled.exception = args.values.first().copied().unwrap_or(handled.exception);
    Err(handled)
}
