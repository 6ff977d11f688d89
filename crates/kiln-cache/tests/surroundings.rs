//! Failures outside a store's control: clocks that jump, directories that cannot be written, files of other users. MISSION
//! N9: never a wrong result, never a failure of the compilation; what is lost is at most what was stored.
//!
//! Other users need another user: where the tests run as root, a process of `nobody`; elsewhere these parts are skipped,
//! and say so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scratch;

use kiln_cache::{Config, GcLimits, Miss, OpenError, Store, StoreMode, inspect};
use scratch::{Scratch, count, flush, has, process, put, role};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A user who is nobody.
const NOBODY: u32 = 65534;
const ENTRIES: u64 = 50;

fn say_skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// All files and directories of a store, the deepest first.
fn everything(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in fs::read_dir(dir).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() {
            all.extend(everything(&path));
        } else {
            all.push(path);
        }
    }
    all.push(dir.to_owned());
    all
}

fn change(scratch: &Scratch, with: impl Fn(&Path)) {
    everything(&scratch.store_dir()).iter().for_each(|it| with(it));
}

/// Another process of this program, as `nobody`; what it says. `None` where that cannot be.
fn as_nobody(role: &str, scratch: &Scratch) -> Option<String> {
    if !is_root() {
        return None;
    }
    let mut command = process(role, &[scratch.store_dir().to_str().unwrap().to_owned()]);
    let child = command.uid(NOBODY).gid(NOBODY).spawn().ok()?;
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    Some(said)
}

/// Files from the future and from the beginning of time: of a clock that was moved, or of another machine.
#[test]
fn a_clock_that_jumps() {
    let times = [
        SystemTime::UNIX_EPOCH,
        SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(u32::MAX)),
        SystemTime::now() + Duration::from_secs(3600),
        SystemTime::now() - Duration::from_secs(400 * 24 * 3600),
    ];
    let scratch = Scratch::new();
    put(&scratch.open(), 0..ENTRIES);
    let running = scratch.open();
    for (round, time) in times.into_iter().enumerate() {
        change(&scratch, |it| File::open(it).unwrap().set_modified(time).unwrap());
        let first = ENTRIES + 10 * round as u64;
        assert_eq!(count(&scratch.open(), 0..first), first as usize, "{time:?}");
        let other = scratch.open();
        put(&other, first..first + 10);
        drop(other);
        assert_eq!(
            count(&running, 0..first + 10),
            first as usize + 10,
            "a running process sees it, {time:?}"
        );
        // Cleaning up never takes what is younger than it may be, nor anything for good.
        inspect::gc(&running, &GcLimits { bytes_max: None, age_max: Some(Duration::from_secs(1 << 40)) })
            .unwrap();
        assert_eq!(count(&running, 0..first + 10), first as usize + 10, "{time:?}");
        assert_eq!(inspect::verify(&scratch.open()).faults, []);
    }
    change(&scratch, |it| File::open(it).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap());
    inspect::gc(&running, &GcLimits { bytes_max: None, age_max: Some(Duration::ZERO) }).unwrap();
    put(&running, 0..ENTRIES);
    flush(&running);
    assert_eq!(count(&scratch.open(), 0..ENTRIES), ENTRIES as usize);
}

/// Reads what is there, drops what is put, fails nothing.
fn use_what_cannot_be_written(config: Config) {
    let store = Store::open(config).unwrap();
    assert_eq!(count(&store, 0..ENTRIES), ENTRIES as usize);
    put(&store, 100..110);
    store.flush(Duration::from_secs(60));
    assert_eq!(store.stats().puts_dropped, 10, "{:?}", store.stats());
    drop(store);
}

#[test]
fn child_read_only() {
    if let Some(arguments) = role() {
        use_what_cannot_be_written(scratch::config(Path::new(&arguments[0])));
    }
}

#[test]
fn a_directory_that_cannot_be_written() {
    let scratch = Scratch::new();
    put(&scratch.open(), 0..ENTRIES);
    let owner = if is_root() { NOBODY } else { rustix::process::geteuid().as_raw() };
    change(&scratch, |it| {
        chown(it, Some(owner), None).unwrap();
        fs::set_permissions(it, Permissions::from_mode(if it.is_dir() { 0o500 } else { 0o400 })).unwrap();
    });
    if !is_root() {
        use_what_cannot_be_written(scratch.config());
    } else if as_nobody("child_read_only", &scratch).is_none() {
        say_skipped(
            "a directory that cannot be written (root writes all, and nobody cannot run this program)",
        );
    }
    change(&scratch, |it| {
        fs::set_permissions(it, Permissions::from_mode(if it.is_dir() { 0o700 } else { 0o600 })).unwrap();
        chown(it, Some(rustix::process::geteuid().as_raw()), None).unwrap();
    });
    assert_eq!(count(&scratch.open(), 0..110), ENTRIES as usize, "nothing was lost or added");
}

/// The user `nobody` may read a store of root, and takes no part in it.
#[test]
fn child_of_another_user() {
    let Some(arguments) = role() else { return };
    let config = scratch::config(Path::new(&arguments[0]));
    assert!(matches!(Store::open(config.clone()), Err(OpenError::Owner { uid: 0, .. })));
    let store = Store::open(config.mode(StoreMode::ReadOnly)).unwrap();
    assert_eq!(count(&store, 0..ENTRIES), ENTRIES as usize);
}

#[test]
fn a_store_or_a_file_of_another_user() {
    if !is_root() {
        return say_skipped("files of another user (only root can make some)");
    }
    let scratch = Scratch::new();
    put(&scratch.open(), 0..ENTRIES);
    change(&scratch, |it| {
        fs::set_permissions(it, Permissions::from_mode(if it.is_dir() { 0o755 } else { 0o644 })).unwrap();
    });
    if as_nobody("child_of_another_user", &scratch).is_none() {
        say_skipped("a store of root (nobody cannot run this program)");
    }
    // A file that another user has put in its place is not believed, and written again.
    let segment = scratch.files("seg")[0].clone();
    chown(&segment, Some(NOBODY), None).unwrap();
    let store = scratch.open();
    assert_eq!(count(&store, 0..ENTRIES), 0);
    assert!(store.stats().missed(Miss::Foreign) > 0, "{:?}", store.stats());
    put(&store, 0..ENTRIES);
    flush(&store);
    assert!(has(&store, 0));
    drop(store);
    chown(&segment, Some(0), None).unwrap();
    assert_eq!(count(&scratch.open(), 0..ENTRIES), ENTRIES as usize);
    // Nor is a directory, at any level.
    for part in ["", "v2", "v2/seg", "v2/idx"] {
        let path = scratch.store_dir().join(part);
        chown(&path, Some(NOBODY), None).unwrap();
        for mode in [StoreMode::ReadWrite, StoreMode::ReadOnly] {
            let refused = Store::open(scratch.config().mode(mode));
            assert!(matches!(refused, Err(OpenError::Owner { uid: NOBODY, .. })), "{part} {mode:?}");
        }
        chown(&path, Some(0), None).unwrap();
    }
}
