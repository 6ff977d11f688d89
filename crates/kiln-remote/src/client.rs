//! The compiler's side: lookups through the relay, each bounded by a budget of time for the whole run.

use crate::address::RemoteAddress;
use crate::protocol::{Hello, RelayAnswer, RelayRequest, read_frame, write_frame};
use kiln_cache::{Entry, Key, KeyId, Upstream, UpstreamStats};
use parking_lot::{Condvar, Mutex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time for which all lookups of a run wait together, unless another is given.
pub const WAIT_USUAL: Duration = Duration::from_millis(50);
/// The longest time for which the end of a session waits until the relay knows the results to send.
const EXIT_WAIT: Duration = Duration::from_millis(100);

/// A shared cache and its use by a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteOptions {
    /// The server.
    pub address: RemoteAddress,
    /// The program to run as the relay, with the arguments `cache relay`.
    pub relay: PathBuf,
    /// The longest time for which all lookups of a session wait together.
    pub wait: Duration,
    /// The file of the secret key that signs results.
    pub signs_with: Option<PathBuf>,
    /// Files of public keys; without any, entries need no signature.
    pub trusts: Vec<PathBuf>,
    /// The name of the manifest of the session's entries: those that are used together are fetched together.
    pub manifest: Option<String>,
}

/// The state of the connection to the relay.
#[derive(Default)]
struct ClientState {
    is_started: bool,
    /// Frames that wait to be written.
    outgoing: VecDeque<Vec<u8>>,
    /// Answers by number, until they are taken.
    answers: FxHashMap<u64, RelayAnswer>,
    next: u64,
    /// Keys put by the session, and all that it has used.
    made: FxHashSet<KeyId>,
    used: Vec<KeyId>,
    root: PathBuf,
    /// No lookups any more: the budget is spent, the server failed, or the relay ended.
    is_off: bool,
    /// The server failed or the relay ended: no results either.
    is_broken: bool,
    is_closing: bool,
    /// All frames are written.
    is_drained: bool,
    stats: UpstreamStats,
}

#[derive(Default)]
struct Shared {
    state: Mutex<ClientState>,
    /// Something is to be written, or the session ends.
    work: Condvar,
    /// An answer came, or the state is final.
    changed: Condvar,
}

/// A shared cache as the [`Upstream`] of a store. The relay starts with the first lookup that misses.
pub struct RemoteClient {
    options: Arc<RemoteOptions>,
    shared: Arc<Shared>,
}

impl fmt::Debug for RemoteClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteClient").field(&self.options.address).finish()
    }
}

impl RemoteClient {
    /// A client of a session whose store is at `root`. Starts nothing yet.
    pub fn new(options: RemoteOptions, root: &Path) -> RemoteClient {
        let state = ClientState { root: root.to_owned(), ..ClientState::default() };
        let shared = Shared { state: Mutex::new(state), ..Shared::default() };
        RemoteClient { options: Arc::new(options), shared: Arc::new(shared) }
    }

    /// Sends a request; starts the relay before the first.
    fn send(&self, state: &mut ClientState, request: &RelayRequest) {
        state.outgoing.push_back(request.to_bytes());
        if !state.is_started {
            state.is_started = true;
            let (options, shared, root) = (self.options.clone(), self.shared.clone(), state.root.clone());
            let work = move || write_requests(&options, &shared, root);
            if let Err(error) = thread::Builder::new().name("kiln-remote".to_owned()).spawn(work) {
                state.fail(&self.options, &format!("no thread for it: {error}"));
            }
        }
        self.shared.work.notify_one();
    }

    /// Returns the answer to a lookup, if it comes in time.
    fn ask(&self, key: KeyId) -> Option<RelayAnswer> {
        let mut state = self.shared.state.lock();
        if state.is_off {
            return None;
        }
        let number = state.next;
        state.next += 1;
        self.send(&mut state, &RelayRequest::Get(number, key));
        let started = Instant::now();
        let deadline = started + self.options.wait.saturating_sub(state.stats.waited);
        let mut is_late = false;
        let answer = loop {
            if let Some(answer) = state.answers.remove(&number) {
                break Some(answer);
            }
            if state.is_off || is_late {
                break None;
            }
            is_late = self.shared.changed.wait_until(&mut state, deadline).timed_out();
        };
        state.stats.waited += started.elapsed();
        if answer.is_none() && !state.is_off {
            let wait = self.options.wait.as_millis();
            state.stop(&self.options, &format!("lookups have waited for {wait} ms, the most they may"));
            self.shared.changed.notify_all();
        }
        answer
    }
}

impl ClientState {
    /// Ends lookups, and says why once.
    fn stop(&mut self, options: &RemoteOptions, why: &str) {
        self.is_off = true;
        self.answers.clear();
        let base = &options.address.base;
        let said = || format!("the shared cache {base} is not asked any more by this run: {why}");
        self.stats.problem.get_or_insert_with(said);
    }

    /// Ends everything.
    fn fail(&mut self, options: &RemoteOptions, why: &str) {
        self.is_broken = true;
        self.outgoing.clear();
        self.stop(options, why);
    }
}

impl Upstream for RemoteClient {
    fn fetch(&self, key: &Key) -> Option<Entry> {
        if !self.options.address.usage.reads() {
            return None;
        }
        let answer = self.ask(key.id())?;
        let mut state = self.shared.state.lock();
        match answer {
            RelayAnswer::Found(entry) => {
                state.stats.hits += 1;
                state.stats.bytes += entry.payload.len() as u64;
                return Some(entry);
            }
            RelayAnswer::Absent => state.stats.misses += 1,
            RelayAnswer::Rejected => state.stats.rejected += 1,
            RelayAnswer::Failed(_) => {}
        }
        None
    }

    fn made(&self, key: KeyId) {
        if self.options.address.usage.writes() {
            let mut state = self.shared.state.lock();
            if state.made.insert(key) {
                state.stats.offered += 1;
                state.used.push(key);
            }
        }
    }

    fn used(&self, key: KeyId) {
        if self.options.address.usage.writes() && self.options.manifest.is_some() {
            self.shared.state.lock().used.push(key);
        }
    }

    fn close(&self) {
        let mut state = self.shared.state.lock();
        let sends = !state.made.is_empty() && !state.is_broken;
        if sends {
            let mut made: Vec<KeyId> = std::mem::take(&mut state.made).into_iter().collect();
            let mut used = std::mem::take(&mut state.used);
            made.sort_unstable();
            used.sort_unstable();
            used.dedup();
            self.send(&mut state, &RelayRequest::Push { made, used });
        }
        state.is_closing = true;
        state.is_off = true;
        self.shared.work.notify_one();
        if sends {
            let deadline = Instant::now() + EXIT_WAIT;
            while !state.is_drained && !state.is_broken {
                if self.shared.changed.wait_until(&mut state, deadline).timed_out() {
                    break;
                }
            }
        }
    }

    fn stats(&self) -> UpstreamStats {
        self.shared.state.lock().stats.clone()
    }
}

impl Drop for RemoteClient {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_closing = true;
        self.shared.work.notify_one();
    }
}

/// Starts the relay and writes requests to it, on a thread of its own: the relay may be slow to read.
fn write_requests(options: &Arc<RemoteOptions>, shared: &Arc<Shared>, root: PathBuf) {
    let hello = Hello {
        base: options.address.base.clone(),
        signs_with: options.signs_with.clone(),
        trusts: options.trusts.clone(),
        root,
        manifest: options.manifest.clone(),
        reads: options.address.usage.reads(),
    };
    let fail = |why: &str| {
        shared.state.lock().fail(options, why);
        shared.changed.notify_all();
    };
    let (child, mut input, output) = match start(options) {
        Ok(started) => started,
        Err(error) => return fail(&format!("{} does not start: {error}", options.relay.display())),
    };
    let (for_reader, shared_reader) = (options.clone(), shared.clone());
    let reads = move || read_answers(&for_reader, &shared_reader, child, output);
    if let Err(error) = thread::Builder::new().name("kiln-remote".to_owned()).spawn(reads) {
        return fail(&format!("no thread for it: {error}"));
    }
    let mut frames = vec![RelayRequest::Hello(hello).to_bytes()];
    loop {
        if frames.iter().any(|it| write_frame(&mut input, it).is_err()) {
            return fail("its relay takes no requests");
        }
        let mut state = shared.state.lock();
        while state.outgoing.is_empty() && !state.is_closing && !state.is_broken {
            shared.work.wait(&mut state);
        }
        frames.clear();
        frames.extend(state.outgoing.pop_front());
        if frames.is_empty() {
            // The end of its input ends the relay, when it has sent the results.
            state.is_drained = true;
            shared.changed.notify_all();
            return;
        }
    }
}

fn start(options: &RemoteOptions) -> std::io::Result<(Child, ChildStdin, ChildStdout)> {
    let mut child = Command::new(&options.relay)
        .args(["cache", "relay"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // It outlives the compiler, whose reader must not wait for it.
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(input), Some(output)) => Ok((child, input, output)),
        _ => Err(std::io::ErrorKind::BrokenPipe.into()),
    }
}

/// Takes answers until the relay ends.
fn read_answers(options: &RemoteOptions, shared: &Shared, mut child: Child, mut output: ChildStdout) {
    while let Ok(Some(frame)) = read_frame(&mut output) {
        let mut state = shared.state.lock();
        match RelayAnswer::from_bytes(&frame) {
            Ok((_, RelayAnswer::Failed(why))) => state.fail(options, &why),
            Ok((number, answer)) if !state.is_off => _ = state.answers.insert(number, answer),
            Ok(_) => {}
            Err(_) => break,
        }
        shared.work.notify_one();
        shared.changed.notify_all();
    }
    let mut state = shared.state.lock();
    if !state.is_closing && !state.is_broken {
        state.fail(options, "its relay has ended");
    }
    shared.work.notify_one();
    shared.changed.notify_all();
    drop(state);
    // A process that has ended stays in the system's table until it is waited for.
    let _ = child.wait();
}
