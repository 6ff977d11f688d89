//! Helpers of the tests: a directory of their own, keys and payloads by number, other processes.
#![allow(dead_code, reason = "each test program uses a part of it")]

use kiln_cache::{Class, Config, Entry, Key, KeyBuilder, Store};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A directory that is removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let base = std::env::var_os("KILN_CACHE_TEST_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let dir = base.join(format!("kiln-cache-test-{}-{nth}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn store_dir(&self) -> PathBuf {
        self.0.join("store")
    }

    pub(crate) fn config(&self) -> Config {
        config(&self.store_dir())
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(self.config()).unwrap()
    }

    /// The files of the store with this extension, sorted.
    pub(crate) fn files(&self, extension: &str) -> Vec<PathBuf> {
        let dir = self.store_dir().join("v2").join(extension);
        let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
            .unwrap()
            .map(|it| it.unwrap().path())
            .filter(|it| it.extension().is_some_and(|it| it == extension))
            .collect();
        files.sort();
        files
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A store that notes every use and looks for others' writes on every miss.
pub(crate) fn config(dir: &Path) -> Config {
    let mut config = Config::new(dir);
    config.touch_after = Duration::ZERO;
    config.refresh_every = Duration::ZERO;
    config.bytes_max = Some(1 << 30);
    config.exit_wait = Duration::from_secs(60);
    config
}

pub(crate) fn environment(level: u64) -> Key {
    let mut it = KeyBuilder::new(Class::Codegen, "environment");
    it.text("llvm", "22.1.8").number("level", level);
    it.finish()
}

pub(crate) fn key(number: u64) -> Key {
    let mut it = KeyBuilder::new(Class::ALL[number as usize % 3], format!("unit {number}"));
    it.nested("environment", &environment(2)).number("number", number);
    it.finish()
}

/// Bytes that tell which key they belong to; some compress and some do not.
pub(crate) fn payload(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let len = 40 + (number * 977) % 6000;
    let mut out = number.to_le_bytes().to_vec();
    for at in 0..len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let noise = number.is_multiple_of(2) || at.is_multiple_of(16);
        out.push(if noise { state as u8 } else { (at / 64) as u8 });
    }
    out
}

pub(crate) fn put(store: &Store, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        store.put(key(number), Entry::new(payload(number), Duration::from_millis(number)));
    }
}

pub(crate) fn flush(store: &Store) {
    assert!(store.flush(Duration::from_secs(60)), "{:?}", store.stats());
}

/// Whether `number` is stored; panics if something else is stored in its place.
pub(crate) fn has(store: &Store, number: u64) -> bool {
    store.get(&key(number)).is_some_and(|entry| {
        assert_eq!(entry.payload, payload(number), "a wrong result");
        true
    })
}

pub(crate) fn count(store: &Store, numbers: impl IntoIterator<Item = u64>) -> usize {
    numbers.into_iter().filter(|it| has(store, *it)).count()
}

/// Runs the test `role` of this program in another process, with `arguments` in `KILN_CACHE_ROLE`.
pub(crate) fn process(role: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([role, "--exact", "--nocapture", "--test-threads=1"]);
    command.env("KILN_CACHE_ROLE", arguments.join("\t"));
    command.stdout(Stdio::piped()).stderr(Stdio::inherit());
    command
}

/// The arguments of this process, if it is one of [`process`].
pub(crate) fn role() -> Option<Vec<String>> {
    let arguments = std::env::var("KILN_CACHE_ROLE").ok()?;
    Some(arguments.split('\t').map(str::to_owned).collect())
}

/// A child that does not outlive the test, whatever happens to it.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
