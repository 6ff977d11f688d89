//! The relay: a process beside the compiler that speaks to the server, so that the compiler waits for no network.
//!
//! It answers lookups of one session on its standard output, fetches the manifest of the session meanwhile, and sends the session's
//! results when the compiler has ended. After the first failure of the server it asks no more. It ends with its input.

use crate::address::{RemoteAddress, RemoteUse};
use crate::http::{RemoteError, RequestLimits};
use crate::identity::{EntrySigner, KeyFileError, TrustedKeys};
use crate::manifest::{PackWriter, entry_in_pack, envelopes, packs_of};
use crate::protocol::{Hello, RelayAnswer, RelayRequest, read_frame, write_frame};
use crate::service::{Fetched, RemoteCache};
use kiln_cache::{Config, Entry, KeyId, Store, StoreMode, inspect};
use parking_lot::{Condvar, Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Requests that are under way at the same time.
const CONNECTIONS: usize = 4;
/// Time limits of lookups: the compiler waits much shorter.
const LOOKUP_LIMITS: RequestLimits =
    RequestLimits { connect: Duration::from_secs(1), request: Duration::from_secs(5) };
/// Time limits of results that are sent.
const PUSH_LIMITS: RequestLimits =
    RequestLimits { connect: Duration::from_secs(1), request: Duration::from_secs(5) };
/// The time after which no further result is sent. With the requests under way, the relay goes on for half a minute at most.
const PUSH_TIME_MAX: Duration = Duration::from_secs(15);
/// Most bytes of a session's manifest: what a session fetches before it is asked for has to be little.
const MANIFEST_BYTES_MAX: usize = 16 << 20;

/// The state of a relay.
struct Relay {
    remote: RemoteCache,
    /// The server has failed.
    failed: AtomicBool,
    /// Envelopes of the session's manifest.
    fetched: RwLock<FxHashMap<KeyId, Vec<u8>>>,
    /// The manifest is being fetched.
    is_fetching: Mutex<bool>,
    has_fetched: Condvar,
}

/// Answers the requests of one session until its input ends.
///
/// # Errors
/// When the compiler sends what is no request.
pub fn serve_relay(mut input: impl Read, output: impl Write + Send) -> io::Result<()> {
    let Some(RelayRequest::Hello(hello)) = next(&mut input)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let output = Mutex::new(output);
    let remote = match open(&hello, LOOKUP_LIMITS) {
        Ok(remote) => remote,
        Err(why) => return answer(&output, 0, &RelayAnswer::Failed(why.to_string())),
    };
    let manifest = hello.manifest.as_deref().filter(|_| hello.reads);
    let relay = Relay {
        remote,
        failed: AtomicBool::new(false),
        fetched: RwLock::default(),
        is_fetching: Mutex::new(manifest.is_some()),
        has_fetched: Condvar::new(),
    };
    let mut push = None;
    let (lookups, waiting) = mpsc::channel::<(u64, KeyId)>();
    let waiting = Mutex::new(waiting);
    let ended = std::thread::scope(|scope| {
        if let Some(name) = manifest {
            scope.spawn(|| {
                prefetch(&relay, name);
                *relay.is_fetching.lock() = false;
                relay.has_fetched.notify_all();
            });
        }
        for _ in 0..if hello.reads { CONNECTIONS } else { 0 } {
            scope.spawn(|| {
                loop {
                    let Ok((number, key)) = waiting.lock().recv() else { return };
                    // The compiler may be gone; then nothing is lost.
                    let _ = answer(&output, number, &look_up(&relay, key));
                }
            });
        }
        let ended = loop {
            match next(&mut input) {
                Ok(Some(RelayRequest::Get(number, key))) => _ = lookups.send((number, key)),
                Ok(Some(RelayRequest::Push { made, used })) => push = Some((made, used)),
                Ok(Some(RelayRequest::Hello(_))) => break Err(io::ErrorKind::InvalidData.into()),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        drop(lookups);
        ended
    });
    if let Some((made, used)) = push.filter(|_| !relay.failed.load(Ordering::Relaxed)) {
        push_results(&hello, &made, &used);
    }
    ended
}

fn next(input: &mut impl Read) -> io::Result<Option<RelayRequest>> {
    let Some(frame) = read_frame(input)? else { return Ok(None) };
    RelayRequest::from_bytes(&frame).map(Some).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn answer(output: &Mutex<impl Write>, number: u64, answer: &RelayAnswer) -> io::Result<()> {
    write_frame(&mut *output.lock(), &answer.to_bytes(number))
}

fn open(hello: &Hello, limits: RequestLimits) -> Result<RemoteCache, KeyFileError> {
    let signer = hello.signs_with.as_deref().map(EntrySigner::load).transpose()?;
    let trusted = TrustedKeys::of(signer.as_ref(), &hello.trusts)?;
    let address = RemoteAddress { base: hello.base.clone(), usage: RemoteUse::ReadWrite };
    Ok(RemoteCache::new(&address, limits, signer, trusted))
}

fn look_up(relay: &Relay, key: KeyId) -> RelayAnswer {
    if let Some(entry) = in_manifest(relay, key) {
        return RelayAnswer::Found(entry);
    }
    if relay.failed.load(Ordering::Relaxed) {
        return RelayAnswer::Absent;
    }
    match relay.remote.fetch(key) {
        Ok(Fetched::Found(_, entry)) => RelayAnswer::Found(entry),
        Ok(Fetched::Absent) => {
            // A server may have lost entries that a pack still has.
            let mut is_fetching = relay.is_fetching.lock();
            while *is_fetching {
                relay.has_fetched.wait(&mut is_fetching);
            }
            in_manifest(relay, key).map_or(RelayAnswer::Absent, RelayAnswer::Found)
        }
        Ok(Fetched::Rejected(_)) => RelayAnswer::Rejected,
        Err(why) => {
            relay.failed.store(true, Ordering::Relaxed);
            RelayAnswer::Failed(why.to_string())
        }
    }
}

/// Returns an entry of the session's manifest, as far as that has been fetched.
fn in_manifest(relay: &Relay, key: KeyId) -> Option<Entry> {
    let envelope = relay.fetched.read().get(&key).cloned()?;
    entry_in_pack(key, &envelope, &relay.remote).ok().map(|it| it.1)
}

/// Fetches the session's manifest and its packs, as far as they are small. Anything wrong in them is not used: the
/// entries are then looked up one by one.
fn prefetch(relay: &Relay, name: &str) {
    let Ok(Some(Ok(packs))) = packs_of(&relay.remote, name) else { return };
    let mut bytes = 0_usize;
    for pack in packs {
        bytes = bytes.saturating_add(pack.length);
        if bytes > MANIFEST_BYTES_MAX || relay.failed.load(Ordering::Relaxed) {
            return;
        }
        let Ok(Some(Ok(pack))) = relay.remote.blob(&pack.sha256, pack.length) else { return };
        let mut fetched = relay.fetched.write();
        for (key, envelope) in envelopes(&pack).flatten() {
            fetched.insert(key, envelope.to_vec());
        }
    }
}

/// Sends results of the session, and its manifest. The first failure ends it: what is not sent is made again elsewhere.
fn push_results(hello: &Hello, made: &[KeyId], used: &[KeyId]) {
    let Ok(store) = Store::open(Config::new(&hello.root).mode(StoreMode::ReadOnly)) else { return };
    let Ok(remote) = open(hello, PUSH_LIMITS) else { return };
    let (stop, at, deadline) = (AtomicBool::new(false), AtomicUsize::new(0), Instant::now() + PUSH_TIME_MAX);
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS.min(made.len()) {
            scope.spawn(|| {
                while let Some(id) = made.get(at.fetch_add(1, Ordering::Relaxed)) {
                    let Some((key, entry)) = inspect::entry_of(&store, *id) else { continue };
                    if stop.load(Ordering::Relaxed) || Instant::now() > deadline {
                        return;
                    }
                    if remote.publish(&key, &entry).is_err() {
                        return stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if let Some(name) = hello.manifest.as_deref().filter(|_| !stop.load(Ordering::Relaxed)) {
        // Without its manifest every entry is still found under its key.
        let _ = push_manifest(&remote, &store, (name, used), deadline);
    }
}

fn push_manifest(
    remote: &RemoteCache,
    store: &Store,
    (name, used): (&str, &[KeyId]),
    deadline: Instant,
) -> Result<(), RemoteError> {
    let (mut packs, mut bytes) = (PackWriter::new(remote), 0);
    for id in used {
        let Some((key, entry)) = inspect::entry_of(store, *id) else { continue };
        bytes += entry.payload.len();
        if bytes > MANIFEST_BYTES_MAX || Instant::now() > deadline {
            return Ok(());
        }
        packs.add(&key, &entry)?;
    }
    packs.finish(name).map(|_| ())
}
