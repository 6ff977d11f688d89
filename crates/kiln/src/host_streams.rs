//! Streams of files for `HostIo`, by the numbers of their descriptors.

use kiln_runtime::OpenMode;
use parking_lot::Mutex;
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// The permissions of a new file, less those of the mask.
const NEW_FILE: u32 = 0o666;

/// The open streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Mutex<BTreeMap<i64, Arc<File>>>,
}

impl Streams {
    pub(crate) fn open(&self, path: &str, mode: OpenMode) -> io::Result<i64> {
        let access = match (mode.read, mode.write) {
            (_, false) => OFlags::RDONLY,
            (false, true) => OFlags::WRONLY,
            (true, true) => OFlags::RDWR,
        };
        let chosen =
            [(mode.create, OFlags::CREATE), (mode.truncate, OFlags::TRUNC), (mode.append, OFlags::APPEND)];
        let flags = chosen.iter().filter(|it| it.0).fold(access | OFlags::CLOEXEC, |all, it| all | it.1);
        Ok(self.insert(rustix::fs::open(path, flags, Mode::from_raw_mode(NEW_FILE))?))
    }

    /// Makes a descriptor a stream; its number.
    pub(crate) fn insert(&self, descriptor: OwnedFd) -> i64 {
        let number = i64::from(descriptor.as_raw_fd());
        self.open.lock().insert(number, Arc::new(File::from(descriptor)));
        number
    }

    /// The file of a stream.
    pub(crate) fn file(&self, stream: i64) -> io::Result<Arc<File>> {
        self.open.lock().get(&stream).cloned().ok_or_else(|| io::Error::from(rustix::io::Errno::BADF))
    }

    pub(crate) fn read(&self, stream: i64, to: &mut [u8]) -> io::Result<usize> {
        let file = self.file(stream)?;
        loop {
            match file.as_ref().read(to) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Writes all bytes, or as many as the stream takes without waiting if it does not wait.
    pub(crate) fn write(&self, stream: i64, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file(stream)?;
        let mut done = 0;
        while done < bytes.len() {
            match file.as_ref().write(&bytes[done..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && done > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    pub(crate) fn never_wait(&self, stream: i64) -> io::Result<()> {
        let file = self.file(stream)?;
        let flags = rustix::fs::fcntl_getfl(&*file)?;
        Ok(rustix::fs::fcntl_setfl(&*file, flags | OFlags::NONBLOCK)?)
    }

    pub(crate) fn seek(&self, stream: i64, place: SeekFrom) -> io::Result<u64> {
        self.file(stream)?.as_ref().seek(place)
    }

    pub(crate) fn resize(&self, stream: i64, bytes: u64) -> io::Result<()> {
        self.file(stream)?.set_len(bytes)
    }

    /// Closes a stream; another thread that reads from it ends first.
    pub(crate) fn close(&self, stream: i64) -> io::Result<()> {
        let removed = self.open.lock().remove(&stream);
        removed.map(drop).ok_or_else(|| io::Error::from(rustix::io::Errno::BADF))
    }
}
