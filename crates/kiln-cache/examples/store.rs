//! Measures the store: puts, hits, misses, opening, disk, and puts by several processes at once, beside one file a key.
//!
//! `cargo run --release -p kiln-cache --example store -- [ENTRIES] [BYTES] [DIR]` (100000 entries of 512 bytes that do not
//! compress; `BYTES` 0 is sizes and content like those of objects). Times are of a warm page cache.
#![expect(clippy::print_stdout, reason = "a program that reports")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use kiln_cache::{Class, Config, Entry, Key, KeyBuilder, Store, StoreMode, inspect};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

fn environment() -> Key {
    let mut it = KeyBuilder::new(Class::Codegen, "environment");
    it.text("llvm", "22.1.8").text("cpu", "x86-64-v3").number("level", 2).text("pipeline", "default<O2>");
    it.finish()
}

fn key(environment: &Key, number: u64) -> Key {
    let mut it = KeyBuilder::new(Class::Codegen, format!("kernel_{number}(Ptr{{Float32}}, Int64)"));
    it.nested("environment", environment).bytes("ir", &payload(number, 100)).number("number", number);
    it.finish()
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn payload(number: u64, bytes: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    if bytes > 0 {
        return (0..bytes).map(|_| random(&mut state) as u8).collect();
    }
    // 1 to 8 KiB in runs of 64 bytes: zeros of tables and padding, names, and code that does not repeat.
    let blocks = 16 << (random(&mut state) % 3);
    let blocks = blocks + random(&mut state) % blocks;
    let mut out = Vec::new();
    for _ in 0..blocks {
        match random(&mut state) % 5 {
            0 | 1 => out.extend([0; 64]),
            2 => {
                out.extend(b".symtab .strtab .rela.text .eh_frame f0 c0 g0 x_throw_boundserror"[..64].iter())
            }
            _ => out.extend((0..64).map(|_| random(&mut state) as u8)),
        }
    }
    out
}

fn config(dir: &Path) -> Config {
    let mut config = Config::new(dir);
    config.bytes_max = Some(16 << 30);
    config.queue_bytes_max = 1 << 30;
    config.exit_wait = Duration::from_secs(60);
    config
}

/// Processor time of this process: what a busy machine does not change.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Median and 99th percentile, in microseconds.
fn quantiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part: f64| micros(times[((times.len() - 1) as f64 * part) as usize]);
    format!("p50 {:6.2} us   p99 {:6.2} us", at(0.5), at(0.99))
}

fn disk(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    entries.map(|it| if it.is_dir() { disk(&it) } else { fs::metadata(it).unwrap().blocks() * 512 }).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |nth: usize, default: u64| arguments.get(nth).map_or(default, |it| it.parse().unwrap());
    let (entries, bytes) = (number(0, 100_000), number(1, 512) as usize);
    let base = arguments.get(2).map_or_else(std::env::temp_dir, PathBuf::from);
    if let Some(first) = arguments.get(3) {
        return child(&base, first.parse().unwrap(), entries, bytes);
    }
    let dir = base.join(format!("kiln-cache-bench-{}", std::process::id()));
    let environment = environment();
    let keys: Vec<Key> = (0..entries).map(|it| key(&environment, it)).collect();
    let raw = puts(&dir, &keys, bytes);
    println!("disk / payload          {:6.2}", disk(&dir) as f64 / raw as f64);
    gets(&dir, &keys, &environment);
    fs::remove_dir_all(&dir).unwrap();
    for processes in [1, 4, 8] {
        several(&dir, processes, 1500, bytes);
        fs::remove_dir_all(&dir).unwrap();
    }
    files(&dir, entries.min(5000), bytes);
    fs::remove_dir_all(&dir).unwrap();
}

fn puts(dir: &Path, keys: &[Key], bytes: usize) -> u64 {
    let mut raw = 0;
    let store = Store::open(config(dir)).unwrap();
    let entries: Vec<Entry> =
        (0..keys.len()).map(|it| Entry::new(payload(it as u64, bytes), Duration::from_millis(8))).collect();
    let (started, cpu_before) = (Instant::now(), cpu());
    for (key, entry) in keys.iter().zip(entries) {
        raw += entry.payload.len() as u64;
        store.put(key.clone(), entry);
    }
    let queued = started.elapsed();
    assert!(store.flush(Duration::from_secs(600)));
    let written = started.elapsed();
    let cpu_used = cpu() - cpu_before;
    let each = |time: Duration| micros(time) / keys.len() as f64;
    println!("{} entries, {} bytes each on average", keys.len(), raw / keys.len() as u64);
    println!("put, caller             {:6.2} us", each(queued));
    println!("put, until written      {:6.2} us", each(written));
    println!("put, processor time     {:6.2} us", each(cpu_used));
    let started = Instant::now();
    drop(store);
    println!("exit                    {:6.2} ms", micros(started.elapsed()) / 1e3);
    raw
}

fn gets(dir: &Path, keys: &[Key], environment: &Key) {
    let step = (keys.len() / 20_000).max(1);
    for round in ["as written", "after gc"] {
        let started = Instant::now();
        let store = Store::open(config(dir).mode(StoreMode::ReadOnly)).unwrap();
        let opened = started.elapsed();
        assert!(store.get(&keys[keys.len() / 2]).is_some());
        let first = started.elapsed();
        let usage_started = Instant::now();
        let usage = inspect::usage(&store);
        println!(
            "{round}: {} segments, {} tables (usage {:.1} ms)",
            usage.segments,
            usage.tables,
            micros(usage_started.elapsed()) / 1e3
        );
        println!("open                    {:6.2} us", micros(opened));
        println!("open and first hit      {:6.2} us", micros(first));
        let timed = |key: &Key, hit: bool| {
            let started = Instant::now();
            let found = store.get(key);
            let took = started.elapsed();
            assert_eq!(found.is_some(), hit);
            took
        };
        let mut order: Vec<usize> = (0..keys.len()).step_by(step).collect();
        let mut state = 88_172_645_463_325_252;
        order.sort_by_cached_key(|_| random(&mut state));
        println!(
            "hit                     {}",
            quantiles(order.iter().map(|it| timed(&keys[*it], true)).collect())
        );
        let absent: Vec<Key> = (0..20_000).map(|it| key(environment, it + (1 << 40))).collect();
        println!("miss                    {}", quantiles(absent.iter().map(|it| timed(it, false)).collect()));
        let started = Instant::now();
        let explanation = inspect::explain(&store, &absent[0]);
        println!(
            "explain                 {:6.2} ms ({:?})",
            micros(started.elapsed()) / 1e3,
            explanation.miss
        );
        drop(store);
        let started = Instant::now();
        inspect::gc(&Store::open(config(dir)).unwrap(), &kiln_cache::GcLimits::default()).unwrap();
        if round == "as written" {
            println!("gc                      {:6.2} ms", micros(started.elapsed()) / 1e3);
        }
    }
    let started = Instant::now();
    let mut built = 0;
    for number in 0..20_000 {
        built += key(environment, number).id().0[0] as usize;
    }
    println!("key                     {:6.2} us ({built})", micros(started.elapsed()) / 20_000.0);
}

/// Puts by several processes into one directory.
fn several(dir: &Path, processes: u64, each: u64, bytes: usize) {
    fs::create_dir_all(dir).unwrap();
    let started = Instant::now();
    let children: Vec<_> = (0..processes)
        .map(|nth| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args([each.to_string(), bytes.to_string()]).arg(dir).arg((nth * each).to_string());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let rate = (processes * each) as f64 / started.elapsed().as_secs_f64() / 1e3;
    println!("{processes} processes             {rate:6.1} k puts/s, starting included");
}

fn child(dir: &Path, first: u64, entries: u64, bytes: usize) {
    let store = Store::open(config(&dir.join("shared"))).unwrap();
    let environment = environment();
    let mut worst = Duration::ZERO;
    for number in first..first + entries {
        let entry = Entry::new(payload(number, bytes), Duration::ZERO);
        let started = Instant::now();
        store.put(key(&environment, number), entry);
        assert!(store.flush(Duration::from_secs(60)));
        worst = worst.max(started.elapsed());
    }
    if first == 0 {
        println!("worst put and flush     {:6.2} ms", micros(worst) / 1e3);
    }
}

/// The same puts and gets with one file a key, written under another name and renamed.
fn files(dir: &Path, entries: u64, bytes: usize) {
    fs::create_dir_all(dir).unwrap();
    let name = |number: u64| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let payloads: Vec<Vec<u8>> = (0..entries).map(|it| payload(it, bytes)).collect();
    let started = Instant::now();
    for (number, payload) in payloads.iter().enumerate() {
        let draft = dir.join("draft");
        fs::write(&draft, payload).unwrap();
        fs::rename(&draft, dir.join(name(number as u64))).unwrap();
    }
    println!("one file a key, put     {:6.2} us", micros(started.elapsed()) / entries as f64);
    let raw: usize = payloads.iter().map(Vec::len).sum();
    println!("one file a key, disk    {:6.2}", disk(dir) as f64 / raw as f64);
    let mut times = Vec::new();
    for number in 0..entries {
        let started = Instant::now();
        assert!(fs::read(dir.join(name(number))).is_ok());
        times.push(started.elapsed());
    }
    println!("one file a key, hit     {}", quantiles(times));
}
