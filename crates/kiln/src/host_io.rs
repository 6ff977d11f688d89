//! Files, streams, processes, clocks and the environment for a session: the standard ones.

use crate::host_files::{self, normalize};
use crate::host_processes::Processes;
use crate::host_streams::Streams;
use crate::library::{self, Library};
use crate::options::SessionOptions;
use crate::seen_inputs::{Question, SeenInputs};
use kiln_packages::{JULIA_VERSION, LibraryPackages, Surroundings, directory, join};
use kiln_runtime::{
    FileChange, FileStatus, HostIo, OpenMode, PackageSource, ProcessEnd, ProcessFact, ProcessRequest,
    ProcessStream,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, IsTerminal, Read, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Output waits here until it is flushed: a line on a terminal, else a block.
const BUFFER_BYTES: usize = 1 << 16;

/// The longest time that output is buffered while the program continues to print, so that a reader sees progress, and
/// an external kill loses little.
const BUFFER_TIME: Duration = Duration::from_millis(20);

/// Output that waits.
#[derive(Debug, Default)]
struct Output {
    waiting: Mutex<Vec<u8>>,
    flushed: Mutex<Option<Instant>>,
    is_closed: AtomicBool,
}

/// The standard `HostIo`.
#[derive(Debug)]
pub(crate) struct StdIo {
    output: Output,
    streams: Streams,
    processes: Processes,
    /// The code the program asked to end with.
    exit: Mutex<Option<i64>>,
    pub(crate) args: Vec<String>,
    /// No file is changed, nothing is printed, nothing comes from standard input.
    pub(crate) isolated: bool,
    /// Standard output is reserved: printed text goes to standard error.
    pub(crate) output_to_stderr: bool,
    pub(crate) started: Instant,
    /// The folder of package checkouts.
    pub(crate) corpus: Option<PathBuf>,
    /// Packages that were given by name.
    pub(crate) packages: BTreeMap<String, PathBuf>,
    /// The variables that the program finds in `ENV`.
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) library: Library,
    /// The library's packages, once they are asked for.
    library_packages: OnceLock<Arc<LibraryPackages>>,
    program: String,
    /// The questions of the session while it loads packages that are kept.
    seen: Arc<SeenInputs>,
}

impl StdIo {
    /// The surroundings that the options of a session give it.
    pub(crate) fn new(options: &SessionOptions, library: Library, started: Instant) -> Self {
        Self {
            output: Output::default(),
            streams: Streams::default(),
            processes: Processes::default(),
            exit: Mutex::default(),
            args: options.args.clone(),
            isolated: options.isolated,
            output_to_stderr: options.output_to_stderr,
            started,
            corpus: options.packages.clone(),
            packages: options.package_files.clone(),
            environment: options.environment.clone(),
            library,
            library_packages: OnceLock::new(),
            program: options.program.clone(),
            seen: Arc::default(),
        }
    }

    /// Notes its questions here.
    pub(crate) fn with_seen(mut self, seen: Arc<SeenInputs>) -> Self {
        self.seen = seen;
        self
    }

    /// An absolute path: the directory may change.
    fn at(&self, path: &str) -> String {
        if path.starts_with('/') || path.starts_with(library::PREFIX) {
            return path.to_owned();
        }
        join(&working_directory(), path)
    }

    fn note(&self, question: impl FnOnce() -> Question) {
        self.seen.note(question, &self.environment);
    }

    /// An isolated session does nothing that lasts beyond it.
    fn refuse_if_isolated(&self, lasts: bool) -> std::io::Result<()> {
        if lasts {
            self.seen.note_act();
        }
        if self.isolated && lasts { Err(std::io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    }
}

impl HostIo for StdIo {
    fn write(&self, fd: i64, bytes: &[u8]) -> std::io::Result<usize> {
        self.seen.note_act();
        let fd = if fd == 1 && self.output_to_stderr { 2 } else { fd };
        match fd {
            1 | 2 if self.isolated => Ok(bytes.len()),
            1 => {
                let full = {
                    let mut out = self.output.waiting.lock();
                    out.extend_from_slice(bytes);
                    out.len() >= BUFFER_BYTES || (bytes.ends_with(b"\n") && std::io::stdout().is_terminal())
                };
                let late = self.output.flushed.lock().is_none_or(|it| it.elapsed() >= BUFFER_TIME);
                if full || late {
                    self.flush()?;
                }
                Ok(bytes.len())
            }
            2 => {
                self.flush()?;
                std::io::stderr().write_all(bytes).map(|()| bytes.len())
            }
            _ => Err(std::io::Error::other(format!("file descriptor {fd} is not open"))),
        }
    }

    fn flush(&self) -> std::io::Result<()> {
        *self.output.flushed.lock() = Some(Instant::now());
        let waiting = std::mem::take(&mut *self.output.waiting.lock());
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(&waiting).and_then(|()| stdout.flush());
        if written.as_ref().is_err_and(|it| it.kind() == std::io::ErrorKind::BrokenPipe) {
            self.output.is_closed.store(true, Ordering::Relaxed);
        }
        written
    }

    fn is_output_closed(&self) -> bool {
        self.output.is_closed.load(Ordering::Relaxed)
    }

    fn read_line(&self, fd: i64) -> Option<Vec<u8>> {
        self.seen.note_act();
        if fd != 0 || self.isolated {
            return None;
        }
        let _ = self.flush();
        let mut line = Vec::new();
        let count = std::io::stdin().lock().read_until(b'\n', &mut line).ok()?;
        (count > 0).then_some(line)
    }

    fn read_file(&self, path: &str) -> std::io::Result<Vec<u8>> {
        self.note(|| Question::Content(self.at(path)));
        if let Some(inside) = path.strip_prefix(library::PREFIX) {
            return self
                .library
                .text(&normalize(inside))
                .map(String::into_bytes)
                .ok_or_else(|| not_found(path));
        }
        let mut file = fs::File::open(path).map_err(|it| describe(path, &it))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|it| describe(path, &it))?;
        Ok(bytes)
    }

    fn write_file(&self, path: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.seen.note_act();
        if self.isolated {
            return Err(std::io::Error::other(format!("could not write {path}: the program is isolated")));
        }
        fs::write(path, bytes).map_err(|it| describe(path, &it))
    }

    fn open_stream(&self, path: &str, mode: OpenMode) -> std::io::Result<i64> {
        self.refuse_if_isolated(mode.write || mode.create || mode.truncate)?;
        if mode.read {
            self.note(|| Question::Content(self.at(path)));
        }
        self.streams.open(path, mode)
    }

    fn read_stream(&self, stream: i64, to: &mut [u8]) -> std::io::Result<usize> {
        self.streams.read(stream, to)
    }

    fn write_stream(&self, stream: i64, bytes: &[u8]) -> std::io::Result<usize> {
        self.streams.write(stream, bytes)
    }

    fn seek_stream(&self, stream: i64, place: SeekFrom) -> std::io::Result<u64> {
        self.streams.seek(stream, place)
    }

    fn resize_stream(&self, stream: i64, bytes: u64) -> std::io::Result<()> {
        self.streams.resize(stream, bytes)
    }

    fn close_stream(&self, stream: i64) -> std::io::Result<()> {
        self.streams.close(stream)
    }

    fn never_wait(&self, stream: i64) -> std::io::Result<()> {
        self.streams.never_wait(stream)
    }

    fn make_pipe(&self) -> std::io::Result<(i64, i64)> {
        self.refuse_if_isolated(true)?;
        let (reads, writes) = std::io::pipe()?;
        Ok((self.streams.insert(reads.into()), self.streams.insert(writes.into())))
    }

    fn spawn_process(&self, request: &ProcessRequest<'_>) -> std::io::Result<i64> {
        self.refuse_if_isolated(true)?;
        // What was printed before comes before what the process prints.
        let _ = self.flush();
        let mut request = *request;
        if self.output_to_stderr {
            let printed = |it| if it == ProcessStream::Output { ProcessStream::Errors } else { it };
            request.streams = request.streams.map(printed);
        }
        self.processes.spawn(&request, &self.streams)
    }

    fn process_end(&self, process: i64) -> std::io::Result<Option<ProcessEnd>> {
        self.processes.end(process)
    }

    fn signal_process(&self, process: i64, signal: i64) -> std::io::Result<()> {
        self.processes.signal(process, signal)
    }

    fn file_status(&self, path: &str, follow: bool) -> std::io::Result<FileStatus> {
        self.note(|| Question::Status(self.at(path), follow));
        host_files::status(&self.library, path, follow)
    }

    fn may_access(&self, path: &str, bits: u32) -> bool {
        self.note(|| Question::Access(self.at(path), bits as u8));
        host_files::may_access(path, bits)
    }

    fn list_directory(&self, path: &str) -> std::io::Result<Vec<String>> {
        self.note(|| Question::Names(self.at(path)));
        host_files::list(path)
    }

    fn link_target(&self, path: &str) -> std::io::Result<String> {
        self.note(|| Question::Link(self.at(path)));
        fs::read_link(path).map(|it| it.to_string_lossy().into_owned())
    }

    fn real_path(&self, path: &str) -> std::io::Result<String> {
        self.note(|| Question::RealPath(self.at(path)));
        fs::canonicalize(path).map(|it| it.to_string_lossy().into_owned())
    }

    fn change_files(&self, change: &FileChange<'_>) -> std::io::Result<()> {
        self.refuse_if_isolated(true)?;
        host_files::change(change)
    }

    fn process_fact(&self, fact: ProcessFact) -> i64 {
        self.seen.note_act();
        match fact {
            ProcessFact::Id => i64::from(std::process::id()),
            ProcessFact::User => i64::from(rustix::process::getuid().as_raw()),
            ProcessFact::EffectiveUser => i64::from(rustix::process::geteuid().as_raw()),
            ProcessFact::Mask => i64::from(host_files::mask()),
        }
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.note(|| Question::Variables);
        self.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn sleep_ns(&self, time: u64) {
        std::thread::sleep(std::time::Duration::from_nanos(time));
    }
    fn now_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn time_ns(&self) -> u64 {
        self.seen.note_act();
        self.now_ns()
    }

    fn wall_time(&self) -> f64 {
        self.seen.note_act();
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64())
    }

    fn random_seed(&self) -> u64 {
        self.seen.note_act();
        let mut bytes = [0; 8];
        let source = fs::File::open("/dev/urandom").and_then(|mut it| it.read_exact(&mut bytes));
        match source {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => self.now_ns() ^ u64::from(std::process::id()).rotate_left(32),
        }
    }

    fn args(&self) -> Vec<String> {
        self.args.clone()
    }

    fn env(&self, name: &str) -> Option<String> {
        self.note(|| Question::Variable(name.to_owned()));
        self.environment.get(name).cloned()
    }

    fn cwd(&self) -> String {
        self.note(|| Question::WorkingDirectory);
        working_directory()
    }

    fn is_tty(&self, fd: i64) -> bool {
        self.note(|| Question::Terminal(fd.clamp(0, 3) as u8));
        host_files::is_terminal(fd)
    }

    fn find_package(&self, name: &str) -> Option<PackageSource> {
        let (path, text) = self.library.package(name)?;
        Some(PackageSource { path: format!("{}{path}", library::PREFIX), text })
    }

    fn surroundings(&self) -> Surroundings {
        let working = working_directory();
        let absolute = |it: &PathBuf| join(&working, &it.to_string_lossy());
        let script = join(&working, &self.program);
        Surroundings {
            home: self.environment.get("HOME").filter(|it| !it.is_empty()).cloned(),
            script: (!self.program.is_empty()).then(|| directory(&script).to_owned()),
            version: JULIA_VERSION,
            library: self.library_packages.get_or_init(|| self.library.listed()).clone(),
            given: self.packages.iter().map(|(name, file)| (name.clone(), absolute(file))).collect(),
            folders: self.corpus.iter().map(absolute).collect(),
            working,
        }
    }

    /// The file that was given for a package, or `NAME.jl/src/NAME.jl` among the checkouts, if it is there.
    fn checkout(&self, name: &str) -> Option<String> {
        if let Some(given) = self.packages.get(name) {
            return Some(given.display().to_string());
        }
        let main = self.corpus.as_ref()?.join(format!("{name}.jl")).join("src").join(format!("{name}.jl"));
        self.note(|| Question::Status(self.at(&main.to_string_lossy()), true));
        main.is_file().then(|| main.display().to_string())
    }

    fn exit(&self, code: i64) {
        self.seen.note_act();
        *self.exit.lock() = Some(code);
    }

    fn exit_code(&self) -> Option<i64> {
        *self.exit.lock()
    }
}

pub(crate) fn working_directory() -> String {
    std::env::current_dir().map_or_else(|_| ".".into(), |it| it.display().to_string())
}

fn not_found(path: &str) -> std::io::Error {
    let message = format!("could not open file {path}: no such file or directory");
    std::io::Error::new(std::io::ErrorKind::NotFound, message)
}

/// Names the file in an error.
fn describe(path: &str, error: &std::io::Error) -> std::io::Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => not_found(path),
        kind => std::io::Error::new(kind, format!("could not open file {path}: {error}")),
    }
}
