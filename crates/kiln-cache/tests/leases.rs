//! Several processes that want the same results at once. MISSION N1: each result is made once.
//!
//! Each test runs this program again as other processes (`child_*`).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scratch;

use kiln_cache::{Config, Entry, Lease, Store};
use rustix::process::{Pid, Signal, kill_process};
use scratch::{Guarded, Scratch, config, count, has, key, payload, process, role};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

/// Longer than any process of these tests runs.
const LONG: Duration = Duration::from_secs(60);
/// The results that are wanted.
const COUNT: u64 = 60;

fn say(text: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
}

fn spawn(role: &str, dir: &Path) -> Guarded {
    Guarded(process(role, &[dir.to_str().unwrap().to_owned()]).spawn().unwrap())
}

fn lines(child: &mut Guarded) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.0.stdout.take().unwrap()).lines().map_while(Result::ok)
}

/// Wants every result, and makes those that are not there; looks for writes of others no sooner than every minute, but for leases.
#[test]
fn child_maker() {
    let Some(arguments) = role() else { return };
    let store = Store::open(Config { refresh_every: LONG, ..config(Path::new(&arguments[0])) }).unwrap();
    for number in 0..COUNT {
        if has(&store, number) {
            continue;
        }
        let lease = Lease::take(&store, &key(number), LONG).unwrap();
        if !has(&store, number) {
            say(&format!("made {number}"));
            std::thread::sleep(Duration::from_millis(2));
            lease.put(&store, key(number), Entry::new(payload(number), Duration::ZERO));
        }
    }
}

/// Takes a lease, and never gives it up.
#[test]
fn child_holder() {
    let Some(arguments) = role() else { return };
    let store = Store::open(config(Path::new(&arguments[0]))).unwrap();
    let _lease = Lease::take(&store, &key(1), LONG).unwrap();
    say("held");
    std::thread::sleep(LONG);
}

#[test]
fn eight_processes_make_each_result_once() {
    let scratch = Scratch::new();
    let mut children: Vec<Guarded> = (0..8).map(|_| spawn("child_maker", &scratch.store_dir())).collect();
    let mut made: Vec<u64> = Vec::new();
    for child in &mut children {
        made.extend(lines(child).filter_map(|it| it.split_once("made ")?.1.parse::<u64>().ok()));
        assert!(child.0.wait().unwrap().success());
    }
    made.sort_unstable();
    assert_eq!(made, (0..COUNT).collect::<Vec<u64>>());
    assert_eq!(count(&scratch.open(), 0..COUNT) as u64, COUNT);
}

/// A lease ends with its process; one that was stopped holds it, and is waited for no longer than the limit.
#[test]
fn holders_that_do_not_go_on() {
    let scratch = Scratch::new();
    let mut holder = spawn("child_holder", &scratch.store_dir());
    assert!(lines(&mut holder).any(|it| it.ends_with("held")));
    let store = scratch.open();
    assert!(Lease::take(&store, &key(1), Duration::from_millis(20)).is_none(), "the lease is held");
    kill_process(Pid::from_child(&holder.0), Signal::STOP).unwrap();
    assert!(
        Lease::take(&store, &key(1), Duration::from_millis(20)).is_none(),
        "a stopped process still holds it"
    );
    kill_process(Pid::from_child(&holder.0), Signal::KILL).unwrap();
    assert!(Lease::take(&store, &key(1), LONG).is_some());
}

/// Where no lock is trusted, and where nothing can be written, nothing is waited for.
#[test]
fn no_leases() {
    let scratch = Scratch::new();
    drop(scratch.open());
    let network = Store::open(Config { network: true, ..scratch.config() }).unwrap();
    assert!(Lease::take(&network, &key(1), LONG).is_none());
    let read_only =
        Store::open(Config { mode: kiln_cache::StoreMode::ReadOnly, ..scratch.config() }).unwrap();
    assert!(Lease::take(&read_only, &key(1), LONG).is_none());
}
