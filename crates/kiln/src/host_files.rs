//! Files as a whole, for `HostIo`: their facts, directories, changes. Paths below `@kiln/` are those of the library.

use crate::library::{self, Library};
use kiln_runtime::{FileChange, FileStatus};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::time::SystemTime;

const REGULAR_FILE: u32 = 0o100_444;
const DIRECTORY: u32 = 0o040_555;

/// The facts of a file; of a link itself unless it is to be followed.
pub(crate) fn status(library: &Library, path: &str, follow: bool) -> io::Result<FileStatus> {
    if let Some(inside) = path.strip_prefix(library::PREFIX) {
        return library_status(library, &normalize(inside));
    }
    let data = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    Ok(FileStatus {
        device: data.dev(),
        inode: data.ino(),
        mode: data.mode(),
        links: data.nlink(),
        user: data.uid(),
        group: data.gid(),
        represents: data.rdev(),
        size: data.size(),
        block_size: data.blksize(),
        blocks: data.blocks(),
        modified_ns: data.mtime() * 1_000_000_000 + data.mtime_nsec(),
        changed_ns: data.ctime() * 1_000_000_000 + data.ctime_nsec(),
    })
}

fn library_status(library: &Library, path: &str) -> io::Result<FileStatus> {
    if let Some(size) = library.size(path) {
        return Ok(FileStatus { mode: REGULAR_FILE, size: size as u64, links: 1, ..FileStatus::default() });
    }
    if library::directory(path).is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(FileStatus { mode: DIRECTORY, links: 1, ..FileStatus::default() })
}

/// The names in a directory, sorted.
pub(crate) fn list(path: &str) -> io::Result<Vec<String>> {
    if let Some(inside) = path.strip_prefix(library::PREFIX) {
        let names = library::directory(&normalize(inside));
        return if names.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(names) };
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Whether a file descriptor is a terminal.
pub(crate) fn is_terminal(fd: i64) -> bool {
    match fd {
        0 => io::stdin().is_terminal(),
        1 => io::stdout().is_terminal(),
        2 => io::stderr().is_terminal(),
        _ => false,
    }
}

/// Whether the process has all permissions of `bits` on a file.
pub(crate) fn may_access(path: &str, bits: u32) -> bool {
    rustix::fs::access(path, rustix::fs::Access::from_bits_truncate(bits)).is_ok()
}

/// Changes files.
pub(crate) fn change(change: &FileChange<'_>) -> io::Result<()> {
    match *change {
        FileChange::MakeDirectory(path, mode) => DirBuilder::new().mode(mode).create(path),
        FileChange::MakeFile(path) => {
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(|_| ())
        }
        FileChange::Unlink(path) => fs::remove_file(path),
        FileChange::RemoveDirectory(path) => fs::remove_dir(path),
        FileChange::Rename(from, to) => fs::rename(from, to),
        FileChange::Copy(from, to) => copy(from, to),
        FileChange::Symlink(target, link) => symlink(target, link),
        FileChange::Hardlink(from, to) => fs::hard_link(from, to),
        FileChange::SetMode(path, mode) => fs::set_permissions(path, fs::Permissions::from_mode(mode)),
        FileChange::SetOwner(path, user, group) => chown(path, owner(user), owner(group)),
        FileChange::Touch(path) => {
            let file = OpenOptions::new().append(true).create(true).open(path)?;
            file.set_modified(SystemTime::now())
        }
        FileChange::ChangeDirectory(path) => std::env::set_current_dir(path),
    }
}

/// The system's number of an owner; -1 stands for none.
fn owner(number: i64) -> Option<u32> {
    (number != -1).then_some(number as u32)
}

fn copy(from: &str, to: &str) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mode = source.metadata()?.mode() & 0o7777;
    let mut target = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(to)?;
    io::copy(&mut source, &mut target).map(|_| ())
}

/// The permission bits that new files lack. The system tells them only in exchange for others.
pub(crate) fn mask() -> u32 {
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    mask.bits()
}

/// A library path without `.` and `..`.
pub(crate) fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(path).iter().filter_map(|it| it.to_str()) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}
