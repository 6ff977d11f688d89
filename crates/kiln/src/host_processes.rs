//! Processes for `HostIo`: started by the standard library, by the numbers that the system gives them.

use crate::host_streams::Streams;
use kiln_runtime::{ProcessEnd, ProcessRequest, ProcessStream};
use parking_lot::Mutex;
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

/// Where programs are looked for if the environment does not say it.
const DEFAULT_PATH: &[u8] = b"/bin:/usr/bin";

/// The processes that have been started and not been waited for.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    running: Mutex<BTreeMap<i64, Arc<Mutex<Child>>>>,
}

impl Processes {
    pub(crate) fn spawn(&self, request: &ProcessRequest<'_>, streams: &Streams) -> io::Result<i64> {
        let Some((program, rest)) = request.words.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut command = Command::new(found_program(program, request)?);
        command.arg0(OsStr::from_bytes(program));
        command.args(rest.iter().map(|it| OsStr::from_bytes(it)));
        command.env_clear();
        for entry in request.environment {
            let mut parts = entry.splitn(2, |&it| it == b'=');
            if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
            }
        }
        if !request.directory.is_empty() {
            command.current_dir(request.directory);
        }
        if request.detached {
            command.process_group(0);
        }
        let [input, output, errors] = request.streams;
        command.stdin(stdio(input, streams)?);
        command.stdout(stdio(output, streams)?);
        command.stderr(stdio(errors, streams)?);
        let child = command.spawn()?;
        let number = i64::from(child.id());
        self.running.lock().insert(number, Arc::new(Mutex::new(child)));
        Ok(number)
    }

    fn child(&self, process: i64) -> io::Result<Arc<Mutex<Child>>> {
        let found = self.running.lock().get(&process).cloned();
        found.ok_or_else(|| io::Error::from(rustix::io::Errno::SRCH))
    }

    /// The end of a process, which is then forgotten.
    pub(crate) fn end(&self, process: i64) -> io::Result<Option<ProcessEnd>> {
        let status = self.child(process)?.lock().try_wait()?;
        if status.is_some() {
            self.running.lock().remove(&process);
        }
        Ok(status.map(end_of))
    }

    pub(crate) fn signal(&self, process: i64, signal: i64) -> io::Result<()> {
        let child = self.child(process)?;
        let mut child = child.lock();
        // The number of a process that has ended may be another's.
        if child.try_wait()?.is_some() {
            return Err(io::Error::from(rustix::io::Errno::SRCH));
        }
        let pid = rustix::process::Pid::from_child(&child);
        if signal == 0 {
            return Ok(rustix::process::test_kill_process(pid)?);
        }
        let number = i32::try_from(signal).ok().and_then(rustix::process::Signal::from_named_raw);
        let number = number.ok_or_else(|| io::Error::from(rustix::io::Errno::INVAL))?;
        Ok(rustix::process::kill_process(pid, number)?)
    }
}

/// The file of a program: a name without a slash is looked for in the directories that the process's own `PATH` names. The
/// standard library could look for it, too, but would copy this process to do so, which takes milliseconds.
fn found_program(program: &[u8], request: &ProcessRequest<'_>) -> io::Result<PathBuf> {
    let name = OsStr::from_bytes(program);
    if program.contains(&b'/') {
        return Ok(name.into());
    }
    let path = request.environment.iter().find_map(|it| it.strip_prefix(b"PATH="));
    let mut error = io::Error::from(rustix::io::Errno::NOENT);
    if program.is_empty() {
        return Err(error);
    }
    for folder in path.unwrap_or(DEFAULT_PATH).split(|&it| it == b':') {
        let file = Path::new(OsStr::from_bytes(folder)).join(name);
        // A relative path counts from where the process starts.
        let seen = Path::new(request.directory).join(&file);
        if !seen.is_file() {
            continue;
        }
        if rustix::fs::access(&seen, rustix::fs::Access::EXEC_OK).is_ok() {
            // An empty folder is the working directory: the name needs a slash.
            return Ok(if folder.is_empty() { Path::new(".").join(name) } else { file });
        }
        error = rustix::io::Errno::ACCESS.into();
    }
    Err(error)
}

fn end_of(status: ExitStatus) -> ProcessEnd {
    ProcessEnd {
        code: i64::from(status.code().unwrap_or(0)),
        signal: i64::from(status.signal().unwrap_or(0)),
    }
}

/// A stream for a process, where it waits though it does not here: a process does not expect the error.
fn waiting(file: &File) -> io::Result<File> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    if !flags.contains(OFlags::NONBLOCK) {
        return file.try_clone();
    }
    // A copy of the descriptor would share the flag.
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let access = flags & OFlags::RWMODE;
    Ok(rustix::fs::open(path, access | OFlags::CLOEXEC, Mode::empty())?.into())
}

fn stdio(stream: ProcessStream, streams: &Streams) -> io::Result<Stdio> {
    Ok(match stream {
        ProcessStream::Null => Stdio::null(),
        ProcessStream::Input => Stdio::from(io::stdin().as_fd().try_clone_to_owned()?),
        ProcessStream::Output => Stdio::from(io::stdout()),
        ProcessStream::Errors => Stdio::from(io::stderr()),
        ProcessStream::Stream(number) => Stdio::from(waiting(&*streams.file(number)?)?),
    })
}
