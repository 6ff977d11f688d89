//! The store beside SQLite and one file a key, at the same work: `bench-store [ENTRIES] [DIR]` (1000000 entries of 512
//! bytes that do not compress; files are at most 100000, which is enough to see).
//!
//! SQLite is given what it is best at: a write-ahead log, `synchronous=NORMAL`, prepared statements, thousands of rows
//! a transaction while it is filled. A file is written under another name and renamed.
//! Nothing is synced to the disk, and the page cache is warm. Figures in brackets are how many times better kiln is.

use kiln_cache::{Class, Config, Entry, Key, KeyBuilder, Store};
use rusqlite::{Connection, OptionalExtension, params};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const BYTES: usize = 512;
const SAMPLES: u64 = 20_000;
/// Puts of each process, each durable against the death of the process before the next.
const PUTS: u64 = 500;
const FILES_MAX: u64 = 100_000;
const STORES: [&str; 3] = ["kiln", "sqlite", "files"];

fn random(mut it: u64) -> u64 {
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}

fn payload(number: u64) -> Vec<u8> {
    (0..BYTES as u64 / 8).flat_map(|it| random(number << 8 | it).to_le_bytes()).collect()
}

/// One of the stores; keys are made before, and not part of any time.
trait Keeper {
    type Key;
    fn key(&self, number: u64) -> Self::Key;
    fn put(&mut self, key: Self::Key, payload: Vec<u8>);
    fn get(&mut self, key: &Self::Key) -> bool;
    /// Until what was put outlives this process.
    fn flush(&mut self);
    /// Before and after many puts.
    fn filling(&mut self, _begins: bool) {}
}

struct Kiln {
    store: Store,
    environment: Key,
}

impl Kiln {
    fn open(dir: &Path) -> Self {
        let mut config = Config::new(dir);
        (config.bytes_max, config.queue_bytes_max) = (Some(16 << 30), 1 << 28);
        config.exit_wait = Duration::from_secs(600);
        let mut environment = KeyBuilder::new(Class::Codegen, "environment");
        environment.text("llvm", "22.1.8").text("cpu", "x86-64-v3").number("level", 2);
        Self { store: Store::open(config).expect("a store"), environment: environment.finish() }
    }
}

impl Keeper for Kiln {
    type Key = Key;

    fn key(&self, number: u64) -> Key {
        let mut it = KeyBuilder::new(Class::Codegen, format!("kernel_{number}(Ptr{{Float32}}, Int64)"));
        it.nested("environment", &self.environment).number("number", number);
        it.finish()
    }

    fn put(&mut self, key: Key, payload: Vec<u8>) {
        self.store.put(key, Entry::new(payload, Duration::from_millis(8)));
    }

    fn get(&mut self, key: &Key) -> bool {
        self.store.get(key).is_some()
    }

    fn flush(&mut self) {
        assert!(self.store.flush(Duration::from_secs(600)));
    }

    fn filling(&mut self, begins: bool) {
        // Puts beyond what may wait to be written are dropped.
        if !begins {
            self.flush();
        }
    }
}

struct Sqlite(Connection);

impl Sqlite {
    fn open(dir: &Path) -> Self {
        fs::create_dir_all(dir).expect("a directory");
        let it = Connection::open(dir.join("store.db")).expect("a database");
        it.busy_timeout(Duration::from_secs(60)).expect("a time-out");
        it.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB NOT NULL);",
        )
        .expect("a table");
        Self(it)
    }
}

impl Keeper for Sqlite {
    type Key = [u8; 16];

    fn key(&self, number: u64) -> [u8; 16] {
        (u128::from(random(number)) << 64 | u128::from(number)).to_be_bytes()
    }

    fn put(&mut self, key: [u8; 16], payload: Vec<u8>) {
        let mut put =
            self.0.prepare_cached("INSERT OR REPLACE INTO kept VALUES (?, ?)").expect("a statement");
        put.execute(params![key, payload]).expect("a put");
    }

    fn get(&mut self, key: &[u8; 16]) -> bool {
        let mut get = self.0.prepare_cached("SELECT value FROM kept WHERE key = ?").expect("a statement");
        let found: Option<Vec<u8>> = get.query_row(params![key], |it| it.get(0)).optional().expect("a get");
        found.is_some()
    }

    fn flush(&mut self) {}

    fn filling(&mut self, begins: bool) {
        self.0.execute_batch(if begins { "BEGIN" } else { "COMMIT" }).expect("a transaction");
    }
}

struct Files(PathBuf);

impl Keeper for Files {
    type Key = PathBuf;

    fn key(&self, number: u64) -> PathBuf {
        self.0.join(format!("{:016x}", random(number)))
    }

    fn put(&mut self, key: PathBuf, payload: Vec<u8>) {
        let draft = self.0.join(format!("draft-{}", std::process::id()));
        fs::write(&draft, payload).expect("a file");
        fs::rename(&draft, key).expect("a name");
    }

    fn get(&mut self, key: &PathBuf) -> bool {
        fs::read(key).is_ok()
    }

    fn flush(&mut self) {}
}

fn files(dir: &Path) -> Files {
    fs::create_dir_all(dir).expect("a directory");
    Files(dir.to_owned())
}

/// What one store shows; times in microseconds.
#[derive(Default)]
struct Shown {
    fill: f64,
    open: f64,
    hit: [f64; 2],
    miss: [f64; 2],
    disk: f64,
    /// Thousands a second by 1, 2, 4 and 8 processes.
    puts: Vec<f64>,
    worst: f64,
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn quantiles(mut times: Vec<Duration>) -> [f64; 2] {
    times.sort_unstable();
    [0.5, 0.99].map(|it| micros(times[((times.len() - 1) as f64 * it) as usize]))
}

fn disk(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(dir).expect("a directory").map(|it| it.expect("an entry").path());
    entries
        .map(|it| if it.is_dir() { disk(&it) } else { fs::metadata(it).map_or(0, |it| it.blocks() * 512) })
        .sum()
}

fn fill_and_read<K: Keeper>(dir: &Path, entries: u64, open: impl Fn(&Path) -> K) -> Shown {
    let mut shown = Shown::default();
    let mut store = open(dir);
    let mut filled = Duration::ZERO;
    for first in (0..entries).step_by(10_000) {
        let batch: Vec<_> =
            (first..entries.min(first + 10_000)).map(|it| (store.key(it), payload(it))).collect();
        let started = Instant::now();
        store.filling(true);
        batch.into_iter().for_each(|(key, payload)| store.put(key, payload));
        store.filling(false);
        filled += started.elapsed();
    }
    let started = Instant::now();
    store.flush();
    drop(store);
    shown.fill = micros(filled + started.elapsed()) / entries as f64;
    shown.disk = disk(dir) as f64 / (entries * BYTES as u64) as f64;

    let started = Instant::now();
    let mut store = open(dir);
    let key = store.key(entries / 2);
    assert!(store.get(&key));
    shown.open = micros(started.elapsed());
    let mut timed = |number: u64, is_kept: bool| {
        let key = store.key(number);
        let started = Instant::now();
        let found = store.get(&key);
        let took = started.elapsed();
        assert_eq!(found, is_kept);
        took
    };
    shown.hit = quantiles((0..SAMPLES).map(|it| timed(random(it) % entries, true)).collect());
    shown.miss = quantiles((0..SAMPLES).map(|it| timed(it + (1 << 40), false)).collect());
    shown
}

/// Puts by several processes into one directory.
fn put_by_many(kind: &str, base: &Path, shown: &mut Shown) {
    for processes in [1, 2, 4, 8] {
        let dir = base.join(format!("{kind}-{processes}"));
        let children: Vec<_> = (0..processes)
            .map(|nth: u64| {
                let mut command = Command::new(std::env::current_exe().expect("this program"));
                command.args(["put", kind, &(nth * PUTS).to_string()]).arg(&dir);
                command.stdout(std::process::Stdio::piped()).spawn().expect("a process")
            })
            .collect();
        let (mut first, mut last) = (f64::MAX, 0f64);
        for child in children {
            let output = child.wait_with_output().expect("a process that ends");
            assert!(output.status.success(), "{kind} by {processes} processes");
            let said = String::from_utf8_lossy(&output.stdout);
            let times: Vec<f64> = said.split_whitespace().map(|it| it.parse().expect("a time")).collect();
            (first, last) = (first.min(times[0]), last.max(times[1]));
            shown.worst = shown.worst.max(times[2]);
        }
        shown.puts.push((processes * PUTS) as f64 / (last - first) / 1e3);
        let _ = fs::remove_dir_all(&dir);
    }
}

/// Says when it began and ended, in seconds, and the longest put, in milliseconds.
fn child<K: Keeper>(mut store: K, first: u64) {
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |it| it.as_secs_f64());
    let work: Vec<_> = (first..first + PUTS).map(|it| (store.key(it), payload(it))).collect();
    let (began, mut worst) = (now(), Duration::ZERO);
    for (key, payload) in work {
        let started = Instant::now();
        store.put(key, payload);
        store.flush();
        worst = worst.max(started.elapsed());
    }
    println!("{began} {} {}", now(), micros(worst) / 1e3);
}

fn row(what: &str, of: [f64; 3], is_rate: bool) {
    let digits = if of[0] < 10.0 { 2 } else { 1 };
    let beside = |it: f64| {
        let times = if is_rate { of[0] / it } else { it / of[0] };
        format!("{it:.digits$} ({times:.1}x)")
    };
    let ours = format!("{:.digits$}", of[0]);
    println!("{what:<46} {ours:>14} {:>18} {:>18}", beside(of[1]), beside(of[2]));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [put, kind, first, dir] = &arguments[..]
        && put == "put"
    {
        let (first, dir) = (first.parse().expect("a number"), Path::new(dir));
        return match kind.as_str() {
            "kiln" => child(Kiln::open(dir), first),
            "sqlite" => child(Sqlite::open(dir), first),
            _ => child(files(dir), first),
        };
    }
    let entries: u64 = arguments.first().map_or(1_000_000, |it| it.parse().expect("a number of entries"));
    let base = arguments.get(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let base = base.join(format!("kiln-bench-store-{}", std::process::id()));
    let all = STORES.map(|kind| {
        let dir = base.join(kind);
        let mut shown = match kind {
            "kiln" => fill_and_read(&dir, entries, Kiln::open),
            "sqlite" => fill_and_read(&dir, entries, Sqlite::open),
            _ => fill_and_read(&dir, entries.min(FILES_MAX), files),
        };
        let _ = fs::remove_dir_all(&dir);
        put_by_many(kind, &base, &mut shown);
        shown
    });
    let _ = fs::remove_dir_all(&base);
    let each = |of: fn(&Shown) -> f64| [&all[0], &all[1], &all[2]].map(of);
    println!(
        "{:<46} {:>14} {:>18} {:>18}",
        format!("the store: {entries} entries"),
        "kiln",
        "SQLite",
        "files"
    );
    row("  fill (us an entry)", each(|it| it.fill), false);
    row("  open and first hit (us)", each(|it| it.open), false);
    row("  hit, median (us; aim: 5)", each(|it| it.hit[0]), false);
    row("  hit, 99th percentile (us)", each(|it| it.hit[1]), false);
    row("  miss, median (us)", each(|it| it.miss[0]), false);
    row("  miss, 99th percentile (us)", each(|it| it.miss[1]), false);
    row("  disk / payload", each(|it| it.disk), false);
    row("  1 process (1000 puts a second)", each(|it| it.puts[0]), true);
    row("  2 processes", each(|it| it.puts[1]), true);
    row("  4 processes", each(|it| it.puts[2]), true);
    row("  8 processes", each(|it| it.puts[3]), true);
    row("  worst put of these (ms)", each(|it| it.worst), false);
}
