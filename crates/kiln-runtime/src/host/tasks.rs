//! Tasks: begin one, go on with one, sleep.

use super::arguments::Arguments;
use crate::heap::{numbers, svecs};
use crate::{Run, Value, tasks};

pub(super) fn start(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    let number = tasks::start(args.rt, args.value(0)?)?;
    Ok(args.heap().int(number.map_or(0, |it| it as i64)))
}

pub(super) fn switch(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    if crate::interp::is_generating() {
        return Err(args.error("task switch not allowed from inside staged nor pure functions"));
    }
    let number = usize::try_from(args.int(0)?).unwrap_or(usize::MAX);
    tasks::switch(args.rt, number)?;
    Ok(args.heap().nothing())
}

pub(super) fn sleep(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    args.rt.io.sleep_ns(u64::try_from(args.int(0)?).unwrap_or(0));
    Ok(args.heap().nothing())
}

pub(super) fn generating(args: &Arguments<'_>) -> Run {
    args.expect(0, 1)?;
    let heap = args.heap();
    if args.values.is_empty() {
        return Ok(heap.bool(crate::interp::is_generating()));
    }
    Ok(match crate::interp::generated_method() {
        Some((method, world)) => {
            let method = Value::inline(heap.core().method, method.index() as u64);
            svecs::new(heap, &[method, numbers::uint64(heap, world.number())])
        }
        None => heap.nothing(),
    })
}
