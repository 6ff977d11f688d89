//! Input, output, files, clocks, the environment: through `HostIo`.

use super::arguments::Arguments;
use crate::heap::{arrays, numbers, pointers, text};
use crate::services::ProcessFact;
use crate::{Abort, Run, Thrown, Value, exceptions};
use kiln_ir::HostFunction;

pub(super) fn write(args: &Arguments<'_>) -> Run {
    args.expect(2, 3)?;
    let heap = args.heap();
    let fd = args.int(0)?;
    let written = if args.values.len() == 2 {
        args.rt.io.write(fd, args.any_bytes(1)?)
    } else {
        let pointer = args.value(1)?;
        let Some(start) = args.address(pointer, 0) else {
            return Err(exceptions::type_error(heap, args.function.name(), heap.core().ptr, pointer));
        };
        let count = usize::try_from(args.int(2)?).unwrap_or(0);
        args.rt.io.write(fd, &pointers::program_memory(heap).bytes(start, count))
    };
    match written {
        Ok(count) => Ok(heap.int(count as i64)),
        Err(error) => Err(args.error(&error.to_string())),
    }
}

pub(super) fn read_line(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let line = args.rt.io.read_line(args.int(0)?);
    Ok(args.string_or_nothing(line.as_deref()))
}

pub(super) fn read_file(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let content = args.rt.io.read_file(&args.text(0)?).ok();
    Ok(args.string_or_nothing(content.as_deref()))
}

pub(super) fn write_file(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let done = args.rt.io.write_file(&args.text(0)?, args.bytes(1)?).is_ok();
    Ok(args.heap().bool(done))
}

pub(super) fn strings(args: &Arguments<'_>, texts: &[String]) -> Value {
    let heap = args.heap();
    let values: Vec<Value> = texts.iter().map(|it| text::string(heap, it)).collect();
    arrays::vector(heap, heap.core().string, &values)
}

pub(super) fn environment(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    let pairs = args.rt.io.environment();
    let texts: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Ok(strings(args, &texts))
}

/// The functions without arguments whose result differs between calls.
pub(super) fn clock(args: &Arguments<'_>) -> Run {
    args.expect(0, usize::from(args.function == HostFunction::TimeNs))?;
    let (heap, io) = (args.heap(), &args.rt.io);
    Ok(if args.function == HostFunction::TimeNs {
        numbers::uint64(
            heap,
            match args.values.first() {
                None => io.time_ns(),
                Some(_) if args.rt.types.name(args.symbol(0)?) == "compile" => args.rt.preparing.nanos(),
                Some(_) => args.rt.preparing.nanos_again(),
            },
        )
    } else if args.function == HostFunction::RandomSeed {
        numbers::uint64(heap, io.random_seed())
    } else {
        numbers::float64(heap, io.wall_time())
    })
}

pub(super) fn process_fact(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let fact = match args.heap().types().name(args.symbol(0)?) {
        "pid" => ProcessFact::Id,
        "uid" => ProcessFact::User,
        "euid" => ProcessFact::EffectiveUser,
        "umask" => ProcessFact::Mask,
        other => return Err(args.error(&format!("process_fact: no fact is called `{other}`"))),
    };
    Ok(args.heap().int(args.rt.io.process_fact(fact)))
}

pub(super) fn exit(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    let code = if args.values.is_empty() { 0 } else { args.int(0)? };
    args.rt.io.exit(code);
    Err(Thrown::abort(Abort::Exit(code)))
}

pub(super) fn program_args(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    let heap = args.heap();
    let values: Vec<_> = args.rt.io.args().iter().map(|it| text::string(heap, it)).collect();
    Ok(arrays::vector(heap, heap.core().string, &values))
}

pub(super) fn getenv(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let value = args.rt.io.env(&args.text(0)?);
    Ok(args.string_or_nothing(value.as_deref().map(str::as_bytes)))
}

pub(super) fn cwd(args: &Arguments<'_>) -> Run {
    args.expect(0, 0)?;
    Ok(text::string(args.heap(), &args.rt.io.cwd()))
}

pub(super) fn is_tty(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    Ok(args.heap().bool(args.rt.io.is_tty(args.int(0)?)))
}
