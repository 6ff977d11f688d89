//! Many processes, some of which are killed, stopped, or run out of disk. MISSION N9: wrong results 0, hangs 0, lost
//! acknowledged entries 0.
//!
//! Each test runs this program again as other processes (`child_*`). `make torture` runs the same tests for longer
//! (`KILN_CACHE_TORTURE`, a factor), and with the store on a small file system.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scratch;

use kiln_cache::{Config, GcLimits, Store, inspect};
use rustix::process::{Pid, Signal, kill_process};
use scratch::{Guarded, Scratch, config, count, flush, has, key, payload, process, put, role};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How many times `quick` to repeat.
fn rounds(quick: u64) -> u64 {
    let factor = std::env::var("KILN_CACHE_TORTURE").ok().and_then(|it| it.parse::<u64>().ok());
    quick * factor.unwrap_or(1)
}

/// A small generator, so that a failure can be repeated from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
}

fn text(number: u64) -> String {
    number.to_string()
}

fn spawn(role: &str, dir: &Path, numbers: &[u64]) -> Guarded {
    let arguments: Vec<String> =
        std::iter::once(dir.to_str().unwrap().to_owned()).chain(numbers.iter().map(|it| text(*it))).collect();
    Guarded(process(role, &arguments).spawn().unwrap())
}

/// The arguments of a child: the directory and numbers.
fn arguments() -> Option<(PathBuf, Vec<u64>)> {
    let arguments = role()?;
    let numbers = arguments[1..].iter().map(|it| it.parse().unwrap()).collect();
    Some((PathBuf::from(&arguments[0]), numbers))
}

/// Acknowledged numbers that a child has printed.
fn acknowledged(child: &mut Guarded) -> Vec<u64> {
    let out = BufReader::new(child.0.stdout.take().unwrap());
    let lines = out.lines().map_while(Result::ok);
    lines.filter_map(|it| it.split_once("ack ")?.1.parse().ok()).collect()
}

fn signal(child: &Guarded, signal: Signal) {
    kill_process(Pid::from_child(&child.0), signal).unwrap();
}

/// Ends well and in time.
fn join(child: &mut Guarded, limit: Duration) {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            assert!(status.success(), "a child failed: {status}");
            return;
        }
        assert!(Instant::now() < deadline, "a child hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Puts `[first, end)`, saying after each write which are written.
#[test]
fn child_writer() {
    let Some((dir, numbers)) = arguments() else { return };
    let store = Store::open(config(&dir)).unwrap();
    for number in numbers[0]..numbers[1] {
        put(&store, [number]);
        if !store.flush(Duration::from_secs(60)) {
            return;
        }
        say(&format!("ack {number}"));
    }
}

/// Reads and writes numbers below a bound at random, under a cap of a megabyte, collecting now and then.
#[test]
fn child_mixed() {
    let Some((dir, numbers)) = arguments() else { return };
    let (seed, steps, bound) = (numbers[0], numbers[1], numbers[2]);
    let mut random = Random(seed);
    let open = || Store::open(Config { bytes_max: Some(1 << 20), ..config(&dir) }).unwrap();
    let mut store = open();
    for _ in 0..steps {
        let number = random.below(bound);
        if !has(&store, number) {
            put(&store, [number]);
        }
        match random.below(200) {
            0 => store = open(),
            1 => drop(inspect::gc(&store, &GcLimits::default())),
            _ => {}
        }
    }
}

#[test]
fn several_writers_and_readers_share_a_directory() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    let count_each = rounds(200);
    // Every number is put by two of the eight.
    let mut children: Vec<Guarded> = (0..8)
        .map(|nth| spawn("child_writer", &dir, &[nth / 2 * count_each, (nth / 2 + 1) * count_each]))
        .collect();
    for child in &mut children {
        assert_eq!(acknowledged(child).len() as u64, count_each);
        join(child, Duration::from_secs(60));
    }
    let store = scratch.open();
    assert_eq!(count(&store, 0..4 * count_each), 4 * count_each as usize);
    assert_eq!(inspect::verify(&store).faults, []);
    assert!(scratch.files("seg").len() <= 8, "a segment a writer at most");
}

#[test]
fn killed_writers_lose_nothing_acknowledged() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    let mut random = Random(0x5eed);
    let mut known: Vec<u64> = Vec::new();
    // As long as a process takes to begin, on this machine with what else it does.
    let begun = Instant::now();
    join(&mut spawn("child_writer", &dir, &[99_998, 99_999]), Duration::from_secs(60));
    let beginning = begun.elapsed();
    for round in 0..rounds(12) {
        let first = round * 100_000;
        let mut children =
            [0, 50_000].map(|skip| spawn("child_writer", &dir, &[first + skip, first + skip + 50_000]));
        std::thread::sleep(beginning + Duration::from_micros(random.below(60_000)));
        children.iter().for_each(|it| signal(it, Signal::KILL));
        for child in &mut children {
            known.extend(acknowledged(child));
            child.0.wait().unwrap();
        }
        let store = scratch.open();
        for number in known.iter().rev().take(2000) {
            assert!(has(&store, *number), "round {round}: {number} was acknowledged");
        }
        // The next writer goes on where they were stopped.
        put(&store, [first + 99_999]);
        flush(&store);
        known.push(first + 99_999);
    }
    let store = scratch.open();
    assert_eq!(count(&store, known.iter().copied()), known.len());
    assert_eq!(inspect::verify(&store).faults, []);
    assert!(known.len() as u64 > rounds(12) * 2, "the writers came to write: {}", known.len());
    let usage = inspect::usage(&store);
    let full = usage.segment_bytes / ((1 << 30) / 64);
    assert!(usage.segments <= 4 + full, "segments of the dead are adopted: {usage:?}");
}

#[test]
fn a_stopped_process_stops_no_other() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    let mut random = Random(0xface);
    for round in 0..rounds(4) {
        let roles = [("child_writer", [0, 1 << 40, 0]), ("child_mixed", [round + 1, 1 << 40, 500])];
        let stopped: Vec<Guarded> = roles.iter().map(|it| spawn(it.0, &dir, &it.1)).collect();
        std::thread::sleep(Duration::from_micros(20_000 + random.below(60_000)));
        stopped.iter().for_each(|it| signal(it, Signal::STOP));
        let started = Instant::now();
        let first = 1_000_000 + round * 1000;
        let store = scratch.open();
        put(&store, first..first + 50);
        flush(&store);
        assert_eq!(count(&store, first..first + 50), 50);
        inspect::gc(&store, &GcLimits { bytes_max: Some(1 << 20), age_max: None }).unwrap();
        drop(store);
        let mut child = spawn("child_mixed", &dir, &[round + 77, 300, 400]);
        join(&mut child, Duration::from_secs(20));
        assert!(started.elapsed() < Duration::from_secs(30), "waited for a stopped process");
        stopped.iter().for_each(|it| signal(it, Signal::CONT));
        std::thread::sleep(Duration::from_millis(10));
        drop(stopped);
    }
    assert_eq!(inspect::verify(&scratch.open()).faults, []);
}

#[test]
fn eviction_by_many_processes_keeps_to_the_cap() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    let steps = rounds(1500);
    let mut children: Vec<Guarded> =
        (0..4).map(|nth| spawn("child_mixed", &dir, &[nth + 1, steps, 5000])).collect();
    for child in &mut children {
        join(child, Duration::from_secs(60 + steps / 100));
    }
    let store = Store::open(Config { bytes_max: Some(1 << 20), ..scratch.config() }).unwrap();
    let usage = inspect::usage(&store);
    // Up to 5/4 of the cap there is a second chance, and each of the four may be filling a segment and keeping one.
    assert!(usage.segment_bytes < (1 << 20) * 7 / 4, "{usage:?}");
    assert_eq!(inspect::verify(&store).faults, []);
    // What is new goes to the newest segment, the last to be evicted.
    put(&store, 10_000..10_020);
    flush(&store);
    assert_eq!(count(&store, 10_000..10_020), 20);
}

/// The system refuses to let the file grow: the shell sets the limit and has the signal ignored.
#[test]
fn a_write_that_fails_loses_nothing_written_before() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    for round in 0..3 {
        let first = round * 10_000;
        let inner =
            process("child_writer", &[dir.to_str().unwrap().to_owned(), text(first), text(first + 9000)]);
        let mut shell = Command::new("sh");
        let blocks = 256 * (round + 1);
        shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
        shell.arg(inner.get_program()).args(inner.get_args());
        shell
            .envs(inner.get_envs().filter_map(|it| Some((it.0, it.1?))))
            .stdout(std::process::Stdio::piped());
        let mut child = Guarded(shell.spawn().unwrap());
        let written = acknowledged(&mut child);
        join(&mut child, Duration::from_secs(60));
        assert!(!written.is_empty() && written.len() < 9000, "{} written", written.len());
        let store = scratch.open();
        assert_eq!(count(&store, written.iter().copied()), written.len());
        assert_eq!(inspect::verify(&store).faults, []);
    }
    put(&scratch.open(), 90_000..90_010);
    assert_eq!(count(&scratch.open(), 90_000..90_010), 10, "with room again, it goes on");
}

/// Only on a file system made for it (`KILN_CACHE_SMALL_FS`, a small tmpfs): it is filled to the last byte.
#[test]
fn a_full_file_system() {
    let Some(base) = std::env::var_os("KILN_CACHE_SMALL_FS") else { return };
    let dir = Path::new(&base).join("store");
    let ballast = Path::new(&base).join("ballast");
    let mut known = Vec::new();
    for round in 0..rounds(3) {
        let first = round * 1_000_000;
        let mut children =
            [0, 500_000].map(|skip| spawn("child_writer", &dir, &[first + skip, first + skip + 400_000]));
        for child in &mut children {
            known.extend(acknowledged(child));
            join(child, Duration::from_secs(120));
        }
        assert!(known.len() > 1000, "round {round}: {} written", known.len());
        // Not a byte left, and a new process reads and cannot write.
        let mut rest = OpenOptions::new().append(true).create(true).open(&ballast).unwrap();
        while rest.write_all(&[0; 512]).is_ok() {}
        let store = Store::open(config(&dir)).unwrap();
        assert_eq!(count(&store, known.iter().copied()), known.len());
        put(&store, [first + 999_999]);
        let _ = store.flush(Duration::from_secs(10));
        assert_eq!(inspect::verify(&store).faults, []);
        drop(store);
        fs::remove_file(&ballast).unwrap();
        let store = Store::open(config(&dir)).unwrap();
        inspect::gc(&store, &GcLimits { bytes_max: Some(4 << 20), age_max: None }).unwrap();
        known.retain(|it| has(&store, *it));
    }
}

/// Bits flip and files shrink while others read and write: no wrong result, no process dies.
#[test]
fn damage_under_running_processes() {
    let scratch = Scratch::new();
    let dir = scratch.store_dir();
    let steps = rounds(800);
    let mut children: Vec<Guarded> =
        (0..3).map(|nth| spawn("child_mixed", &dir, &[nth + 9, steps, 600])).collect();
    let mut random = Random(0xbad);
    let deadline = Instant::now() + Duration::from_secs(60 + steps / 50);
    while children.iter_mut().any(|it| it.0.try_wait().unwrap().is_none()) {
        assert!(Instant::now() < deadline, "a child hangs");
        std::thread::sleep(Duration::from_millis(2));
        let files: Vec<PathBuf> = ["seg", "idx", "touch"]
            .iter()
            .flat_map(|it| fs::read_dir(dir.join("v2").join(it)).into_iter().flatten().flatten())
            .map(|it| it.path())
            .collect();
        if files.is_empty() {
            continue;
        }
        let path = &files[random.below(files.len() as u64) as usize];
        let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { continue };
        let len = file.metadata().map_or(0, |it| it.len()).max(1);
        if random.below(10) == 0 {
            let _ = file.set_len(random.below(len));
        } else {
            let _ = file.write_at(&[random.below(256) as u8], random.below(len));
        }
    }
    for child in &mut children {
        join(child, Duration::from_secs(1));
    }
    let store = scratch.open();
    count(&store, 0..600);
    put(&store, 0..600);
    flush(&store);
    assert_eq!(count(&store, 0..600), 600, "healed");
    assert_eq!(store.get(&key(5)).unwrap().payload, payload(5));
}
