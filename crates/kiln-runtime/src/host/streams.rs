//! Streams of files: reading and writing blocks of bytes, places, sizes.

use super::arguments::Arguments;
use super::files::error_number;
use crate::heap::{memory, pointers};
use crate::services::OpenMode;
use crate::{Run, exceptions, runtime};
use std::io::{self, SeekFrom};

/// The bits of the mode that `:open` takes.
const READ: i64 = 1;
const WRITE: i64 = 2;
const CREATE: i64 = 4;
const TRUNCATE: i64 = 8;
const APPEND: i64 = 16;

/// The most bytes that one call reads.
const BLOCK_MAX: usize = 1 << 20;

/// `file_stream(what, ...)::Int`: a number, or the number of the error, negative. See the table of host functions.
pub(super) fn file_stream(args: &Arguments<'_>) -> Run {
    args.expect(1, 5)?;
    let io = &args.rt.io;
    let stream = || args.int(1);
    let done = match args.heap().types().name(args.symbol(0)?) {
        "open" => {
            let bits = args.int(2)?;
            let has = |bit: i64| bits & bit != 0;
            let mode = OpenMode {
                read: has(READ),
                write: has(WRITE),
                create: has(CREATE),
                truncate: has(TRUNCATE),
                append: has(APPEND),
            };
            io.open_stream(&args.text(1)?, mode)
        }
        "read" => return read(args),
        "write" => return write(args),
        "seek" => {
            let offset = args.int(2)?;
            let place = match args.int(3)? {
                0 => {
                    u64::try_from(offset).map(SeekFrom::Start).map_err(|_| io::ErrorKind::InvalidInput.into())
                }
                1 => Ok(SeekFrom::Current(offset)),
                _ => Ok(SeekFrom::End(offset)),
            };
            let stream = stream()?;
            place.and_then(|it| io.seek_stream(stream, it)).map(|it| it as i64)
        }
        "resize" => match u64::try_from(args.int(2)?) {
            Ok(bytes) => io.resize_stream(stream()?, bytes).map(|()| 0),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        },
        "flush" => io.flush().map(|()| 0),
        "never_wait" => io.never_wait(stream()?).map(|()| 0),
        "close" => io.close_stream(stream()?).map(|()| 0),
        other => return Err(args.error(&format!("file_stream: there is no `{other}`"))),
    };
    Ok(args.heap().int(done.unwrap_or_else(|error| -error_number(&error))))
}

/// `(:read, stream, memory, at, n)`: the number of bytes read, places from 0.
fn read(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    let memory = args.value(2)?;
    let (at, count) = (usize::try_from(args.int(3)?).ok(), usize::try_from(args.int(4)?).ok());
    let (Some(at), Some(count)) = (at, count) else {
        return Err(args.error("file_stream: a negative place"));
    };
    let is_bytes = args.text_types().is_some_and(|it| it.memory == memory.ty());
    if !is_bytes || at.checked_add(count).is_none_or(|end| end > memory::len(heap, memory)) {
        return Err(exceptions::bounds_error(heap, memory, args.value(3)?));
    }
    let mut block = vec![0; count.min(BLOCK_MAX)];
    match args.rt.io.read_stream(args.int(1)?, &mut block) {
        Ok(found) => {
            memory::write(heap, memory, at, &block[..found.min(count)]);
            runtime::after_async_errors(args.rt, Ok(heap.int(found as i64)))
        }
        Err(error) => Ok(heap.int(-error_number(&error))),
    }
}

/// `(:write, stream, bytes, at, n)`: how many were written, places from 0; the bytes are those of text or of a memory, or at an address.
fn write(args: &Arguments<'_>) -> Run {
    let heap = args.heap();
    let (at, count) = (usize::try_from(args.int(3)?).ok(), usize::try_from(args.int(4)?).ok());
    let (Some(at), Some(count)) = (at, count) else {
        return Err(args.error("file_stream: a negative place"));
    };
    let from = args.value(2)?;
    let copied;
    let bytes = if let Some(start) = args.address(from, at) {
        copied = pointers::program_memory(heap).bytes(start, count);
        Some(&copied[..])
    } else {
        at.checked_add(count).zip(Some(args.any_bytes(2)?)).and_then(|(end, all)| all.get(at..end))
    };
    let Some(bytes) = bytes else { return Err(exceptions::bounds_error(heap, from, args.value(3)?)) };
    let written = args.rt.io.write_stream(args.int(1)?, bytes);
    Ok(heap.int(written.map_or_else(|error| -error_number(&error), |it| it as i64)))
}
