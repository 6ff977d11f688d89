//! The code generator in a separate process, where LLVM may crash, hang or be killed without ending the program.
//!
//! The process starts with the first compilation for a target that [`Isolation`] selects, and lives as long as the
//! session: requests are the bytes of `kiln-unit`, in frames on a socket. It is `kiln codegen serve`, or the program
//! that the client's options name.
//!
//! # Invariants
//! * The bytes of a reply equal those of the library in this process.
//! * A request that crashes a process which has answered others is retried once in a new process: earlier requests
//!   may be the cause.

mod frame;
mod serve;

use crate::library::CodegenError;
use frame::{Frame, FrameKind};
use kiln_targets::{Items, TargetFacts};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::time::Duration;

pub use serve::{ServeError, serve};

/// The kernels that are compiled in a process of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Nothing.
    Never,
    /// Kernels that LLVM is known to crash on: SPIR-V, and those linked with user-supplied libraries.
    #[default]
    Risky,
    /// Everything for devices.
    Devices,
}

impl Isolation {
    /// Whether code for a target is made there.
    pub fn covers(self, facts: &TargetFacts) -> bool {
        match self {
            Self::Never => false,
            Self::Risky => facts.may_crash,
            Self::Devices => facts.items != Items::Loops,
        }
    }
}

/// A text that names no [`Isolation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIsolation(String);

impl std::fmt::Display for UnknownIsolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is none of never, risky, devices", self.0)
    }
}

impl std::error::Error for UnknownIsolation {}

impl FromStr for Isolation {
    type Err = UnknownIsolation;

    fn from_str(text: &str) -> Result<Self, UnknownIsolation> {
        match text {
            "never" => Ok(Self::Never),
            "risky" => Ok(Self::Risky),
            "devices" => Ok(Self::Devices),
            _ => Err(UnknownIsolation(text.to_owned())),
        }
    }
}

/// The default time limit of a request.
pub const LIMIT_USUAL: Duration = Duration::from_secs(300);

/// The number of bytes of the process's standard error that messages repeat.
const SAID_MAX: u64 = 2000;

/// The file name of the program that serves.
const PROGRAM: &str = "kiln";

/// A running process.
#[derive(Debug)]
struct Worker {
    process: Child,
    stream: UnixStream,
    /// The file for its standard error.
    said: File,
    /// Whether it has answered a request.
    is_proven: bool,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts processes, and asks them.
#[derive(Debug)]
pub struct Workers {
    program: PathBuf,
    library: PathBuf,
    limit: Duration,
    running: Mutex<Option<Worker>>,
}

/// Why there is no reply.
enum Failed {
    /// There was none in time.
    Late,
    /// The connection is gone.
    Gone,
    /// The bytes are no reply.
    Malformed,
    /// The library cannot be opened there.
    Unopened(String),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Late,
            _ => Self::Gone,
        }
    }
}

impl Workers {
    /// Processes that run `program codegen serve library`; none is started yet.
    pub fn new(program: PathBuf, library: PathBuf, limit: Duration) -> Self {
        Self { program, library, limit, running: Mutex::default() }
    }

    /// Starts the process in advance; returns an error if it cannot be started.
    pub fn start(&self) {
        if let Some(mut running) = self.running.try_lock()
            && running.is_none()
        {
            *running = self.spawn().ok();
        }
    }

    /// The reply to a request.
    ///
    /// # Errors
    /// How the process ended.
    pub fn call(
        &self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, CodegenError> {
        let mut running = self.running.lock();
        loop {
            let mut worker = match running.take() {
                Some(worker) => worker,
                None => {
                    self.spawn().map_err(|it| CodegenError::Open(self.program.clone(), it.to_string()))?
                }
            };
            match worker.exchange(request, is_known) {
                Ok(reply) => {
                    worker.is_proven = true;
                    *running = Some(worker);
                    return Ok(reply);
                }
                Err(Failed::Gone) if worker.is_proven => {}
                Err(Failed::Unopened(why)) => return Err(CodegenError::Open(self.library.clone(), why)),
                Err(failed) => return Err(CodegenError::Ended(worker.end(&failed, self.limit))),
            }
        }
    }

    fn spawn(&self) -> io::Result<Worker> {
        let (stream, theirs) = UnixStream::pair()?;
        stream.set_read_timeout(Some(self.limit))?;
        stream.set_write_timeout(Some(self.limit))?;
        let said = unnamed_file()?;
        let mut command = Command::new(&self.program);
        command.args(["codegen", "serve"]).arg(&self.library);
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null());
        command.stderr(Stdio::from(said.try_clone()?));
        Ok(Worker { process: command.spawn()?, stream, said, is_proven: false })
    }
}

impl Worker {
    fn exchange(
        &mut self,
        request: &[u8],
        is_known: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<u8>, Failed> {
        Frame::write(&mut self.stream, FrameKind::Request, request)?;
        loop {
            let frame = Frame::read(&mut self.stream)?.ok_or(Failed::Gone)?;
            match frame.kind {
                Some(FrameKind::Reply) => return Ok(frame.bytes),
                Some(FrameKind::Question) => {
                    Frame::write(&mut self.stream, FrameKind::Answer, &[u8::from(is_known(&frame.bytes))])?;
                }
                Some(FrameKind::Unopened) => {
                    return Err(Failed::Unopened(String::from_utf8_lossy(&frame.bytes).into_owned()));
                }
                Some(FrameKind::Request | FrameKind::Answer) | None => return Err(Failed::Malformed),
            }
        }
    }

    /// Ends it, if it has not ended; in words, how it did.
    fn end(mut self, why: &Failed, limit: Duration) -> String {
        let how = match why {
            Failed::Late => format!("did not answer for {} s and was ended", limit.as_secs_f64()),
            Failed::Malformed | Failed::Unopened(_) => "answered nonsense and was ended".into(),
            // Its end of the socket is closed, so it ends soon, unless it is no worker at all.
            Failed::Gone => match self.ended_within(Duration::from_secs(2)) {
                Some(status) => ended(status),
                None => "closed the connection".into(),
            },
        };
        let _ = self.process.kill();
        let _ = self.process.wait();
        let said = tail(&mut self.said).unwrap_or_default();
        let said = said.trim();
        if said.is_empty() { how } else { format!("{how}; it said: {said}") }
    }

    fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let started = std::time::Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if started.elapsed() < limit => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

/// Describes how a process ended.
fn ended(status: ExitStatus) -> String {
    let name = match status.signal() {
        None => return format!("ended ({status})"),
        Some(4) => "SIGILL",
        Some(6) => "SIGABRT",
        Some(7) => "SIGBUS",
        Some(8) => "SIGFPE",
        Some(9) => "SIGKILL: it was killed, or the system ended it, which was out of memory",
        Some(11) => "SIGSEGV",
        Some(15) => "SIGTERM: it was told to end",
        Some(other) => return format!("was ended by signal {other}"),
    };
    format!("was ended by {name}")
}

/// A file that is gone when it is closed.
fn unnamed_file() -> io::Result<File> {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("kiln-said-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// The end of a file's text.
fn tail(file: &mut File) -> io::Result<String> {
    let len = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(len.saturating_sub(SAID_MAX)))?;
    let mut bytes = Vec::new();
    file.take(SAID_MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the usual program that serves: this one if it is `kiln`, else the `kiln` beside it or in the folder above (test
/// binaries live in `deps/`).
pub(crate) fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let is_kiln = |it: &Path| it.file_name().is_some_and(|it| it == PROGRAM);
    if is_kiln(&own) {
        return Some(own).filter(|it| it.is_file());
    }
    let folder = own.parent()?;
    [Some(folder), folder.parent()].into_iter().flatten().map(|it| it.join(PROGRAM)).find(|it| it.is_file())
}
