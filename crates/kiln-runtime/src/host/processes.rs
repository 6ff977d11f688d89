//! Processes and pipes: through `HostIo`.

use super::arguments::Arguments;
use super::files::error_number;
use super::printing::elements;
use crate::heap::text;
use crate::services::{ProcessRequest, ProcessStream};
use crate::{Run, Value};

/// Stands for a stream without content.
const NULL: i64 = -1;
/// The standard streams of this process: the numbers that the system has for them.
const INPUT: i64 = 0;
const OUTPUT: i64 = 1;
const ERRORS: i64 = 2;
/// The end of a process is a number: its exit code and, above these bits, the signal that ended it.
const SIGNAL_SHIFT: u32 = 32;

/// `process(what, ...)::Int`: a number, or that of the error, negative. See the table of host functions.
pub(super) fn process(args: &Arguments<'_>) -> Run {
    args.expect(1, 8)?;
    let io = &args.rt.io;
    let done = match args.heap().types().name(args.symbol(0)?) {
        "spawn" => return spawn(args),
        "end" => io.process_end(args.int(1)?).map(|end| {
            end.map_or(i64::MAX, |it| (it.code & i64::from(u32::MAX)) | (it.signal << SIGNAL_SHIFT))
        }),
        "signal" => io.signal_process(args.int(1)?, args.int(2)?).map(|()| 0),
        "pipe" => io.make_pipe().map(|(reads, writes)| reads | (writes << SIGNAL_SHIFT)),
        other => return Err(args.error(&format!("process: there is no `{other}`"))),
    };
    Ok(args.heap().int(done.unwrap_or_else(|error| -error_number(&error))))
}

/// `(:spawn, words, environment, directory, stdin, stdout, stderr, detached)`
fn spawn(args: &Arguments<'_>) -> Run {
    let words = strings(args, args.value(1)?)?;
    let environment = strings(args, args.value(2)?)?;
    let stream = |at: usize| {
        args.int(at).map(|number| match number {
            NULL => ProcessStream::Null,
            INPUT => ProcessStream::Input,
            OUTPUT => ProcessStream::Output,
            ERRORS => ProcessStream::Errors,
            _ => ProcessStream::Stream(number),
        })
    };
    let directory = args.text(3)?;
    let request = ProcessRequest {
        words: &words,
        environment: &environment,
        directory: &directory,
        streams: [stream(4)?, stream(5)?, stream(6)?],
        detached: args.value(7)?.as_bool(args.heap().core()) == Some(true),
    };
    let done = args.rt.io.spawn_process(&request);
    Ok(args.heap().int(done.unwrap_or_else(|error| -error_number(&error))))
}

/// The bytes of the strings in a vector.
fn strings(args: &Arguments<'_>, list: Value) -> Run<Vec<Vec<u8>>> {
    let heap = args.heap();
    let found = elements(heap, list).and_then(|(item, count)| {
        (0..count).map(|at| Some(text::as_bytes(heap, item(at)?)?.to_vec())).collect()
    });
    found.ok_or_else(|| args.error("process: a vector of strings is needed"))
}
