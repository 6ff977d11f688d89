//! Files as a whole: their facts, directories, links, changes. An error is the system's number.

use super::arguments::Arguments;
use super::system::strings;
use crate::heap::{arrays, text};
use crate::services::FileChange;
use crate::{Run, Value};
use std::io;

/// The number of an error that the system gives without one: input or output failed.
const EIO: i32 = 5;
const ENOENT: i32 = 2;
const EACCES: i32 = 13;
const EINVAL: i32 = 22;

/// The system's number of an error.
pub(super) fn error_number(error: &io::Error) -> i64 {
    const NUMBERS: [(io::ErrorKind, i32); 3] = [
        (io::ErrorKind::NotFound, ENOENT),
        (io::ErrorKind::PermissionDenied, EACCES),
        (io::ErrorKind::InvalidInput, EINVAL),
    ];
    let plain = NUMBERS.iter().find(|it| it.0 == error.kind()).map_or(EIO, |it| it.1);
    i64::from(error.raw_os_error().unwrap_or(plain))
}

fn number(args: &Arguments<'_>, error: &io::Error) -> Value {
    args.heap().int(error_number(error))
}

pub(super) fn file_status(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let heap = args.heap();
    let follow = args.value(1)?.as_bool(heap.core()).unwrap_or(true);
    let status = match args.rt.io.file_status(&args.text(0)?, follow) {
        Ok(status) => status,
        Err(error) => return Ok(number(args, &error)),
    };
    let facts = [
        status.device,
        status.inode,
        u64::from(status.mode),
        status.links,
        u64::from(status.user),
        u64::from(status.group),
        status.represents,
        status.size,
        status.block_size,
        status.blocks,
        status.modified_ns as u64,
        status.changed_ns as u64,
    ];
    let values: Vec<Value> = facts.iter().map(|&it| heap.int(it as i64)).collect();
    Ok(arrays::vector(heap, heap.core().int64, &values))
}

pub(super) fn may_access(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let may = args.rt.io.may_access(&args.text(0)?, args.int(1)? as u32);
    Ok(args.heap().bool(may))
}

pub(super) fn list_directory(args: &Arguments<'_>) -> Run {
    args.expect(1, 1)?;
    Ok(match args.rt.io.list_directory(&args.text(0)?) {
        Ok(names) => strings(args, &names),
        Err(error) => number(args, &error),
    })
}

pub(super) fn path_target(args: &Arguments<'_>) -> Run {
    args.expect(2, 2)?;
    let path = args.text(1)?;
    let target = match args.heap().types().name(args.symbol(0)?) {
        "link" => args.rt.io.link_target(&path),
        "real" => args.rt.io.real_path(&path),
        other => return Err(args.error(&format!("path_target: no target is called `{other}`"))),
    };
    Ok(match target {
        Ok(text) => text::string(args.heap(), &text),
        Err(error) => number(args, &error),
    })
}

pub(super) fn change_files(args: &Arguments<'_>) -> Run {
    args.expect(2, 4)?;
    let path = args.text(1)?;
    let to = || args.text(2);
    let bits = || args.int(2).map(|it| it as u32);
    let second;
    let change = match args.heap().types().name(args.symbol(0)?) {
        "mkdir" => FileChange::MakeDirectory(&path, bits()?),
        "mkfile" => FileChange::MakeFile(&path),
        "unlink" => FileChange::Unlink(&path),
        "rmdir" => FileChange::RemoveDirectory(&path),
        "chmod" => FileChange::SetMode(&path, bits()?),
        "chown" => FileChange::SetOwner(&path, args.int(2)?, args.int(3)?),
        "touch" => FileChange::Touch(&path),
        "cd" => FileChange::ChangeDirectory(&path),
        two @ ("rename" | "copy" | "symlink" | "hardlink") => {
            second = to()?;
            match two {
                "rename" => FileChange::Rename(&path, &second),
                "copy" => FileChange::Copy(&path, &second),
                "symlink" => FileChange::Symlink(&path, &second),
                _ => FileChange::Hardlink(&path, &second),
            }
        }
        other => return Err(args.error(&format!("change_files: no change is called `{other}`"))),
    };
    Ok(match args.rt.io.change_files(&change) {
        Ok(()) => args.heap().int(0),
        Err(error) => number(args, &error),
    })
}
