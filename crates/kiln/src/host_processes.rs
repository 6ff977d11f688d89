//! Processes for `HostIo`: started by the standard library, by the numbers that the system gives them.

use crate::host_streams::Streams;
use kiln_runtime::{ProcessEnd, ProcessRequest, ProcessStream};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

/// The processes that have been started and not been waited for.
#[derive(Debug, Default)]
pub(crate) struct Processes {
    running: Mutex<BTreeMap<i64, Arc<Mutex<Child>>>>,
}

impl Processes {
    pub(crate) fn spawn(&self, request: &ProcessRequest<'_>, streams: &Streams) -> io::Result<i64> {
        let word = |bytes: &Vec<u8>| OsString::from_vec(bytes.clone());
        let Some((program, rest)) = request.words.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut command = Command::new(word(program));
        command.args(rest.iter().map(word));
        if let Some(entries) = request.environment {
            command.env_clear();
            for entry in entries {
                let mut parts = entry.splitn(2, |&it| it == b'=');
                if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                    command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
                }
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
    pub(crate) fn wait(&self, process: i64, blocks: bool) -> io::Result<Option<ProcessEnd>> {
        let child = self.child(process)?;
        let status = if blocks { Some(child.lock().wait()?) } else { child.lock().try_wait()? };
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
        let number = i32::try_from(signal).ok().and_then(rustix::process::Signal::from_named_raw);
        let number = number.ok_or_else(|| io::Error::from(rustix::io::Errno::INVAL))?;
        Ok(rustix::process::kill_process(rustix::process::Pid::from_child(&child), number)?)
    }
}

fn end_of(status: ExitStatus) -> ProcessEnd {
    ProcessEnd {
        code: i64::from(status.code().unwrap_or(0)),
        signal: i64::from(status.signal().unwrap_or(0)),
    }
}

fn stdio(stream: ProcessStream, streams: &Streams) -> io::Result<Stdio> {
    Ok(match stream {
        ProcessStream::Inherit => Stdio::inherit(),
        ProcessStream::Null => Stdio::null(),
        ProcessStream::Errors => Stdio::from(io::stderr()),
        ProcessStream::Stream(number) => Stdio::from(streams.file(number)?.try_clone()?),
    })
}
