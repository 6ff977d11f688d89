//! Whatever happens to the files, a lookup returns the right bytes or nothing. MISSION N9.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scratch;

use kiln_cache::{Compression, Config, Entry, GcLimits, Miss, Store, StoreMode, inspect};
use proptest::prelude::*;
use scratch::{Scratch, count, flush, has, key, payload, put};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ENTRIES: u64 = 12;

/// Random histories and damages to try; `make torture` tries more.
fn cases() -> u32 {
    let factor = std::env::var("KILN_CACHE_TORTURE").ok().and_then(|it| it.parse::<u32>().ok());
    48 * factor.unwrap_or(1)
}

/// A closed store of a few entries, compressed and not, one of them an alias.
fn sample() -> Scratch {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, 0..ENTRIES);
    store.put(key(50), Entry::new(payload(3), Duration::ZERO));
    drop(store);
    scratch
}

fn damage(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Reads everything back, then makes again what is missing, after which nothing may be missing.
fn right_or_missing_then_healed(scratch: &Scratch) -> usize {
    let store = scratch.open();
    let found = count(&store, 0..ENTRIES);
    if let Some(entry) = store.get(&key(50)) {
        assert_eq!(entry.payload, payload(3));
    }
    for listed in inspect::list(&store) {
        assert!(listed.key.subject().starts_with("unit "));
    }
    let _ = inspect::verify(&store);
    put(&store, 0..ENTRIES);
    flush(&store);
    assert_eq!(count(&store, 0..ENTRIES), ENTRIES as usize, "made again, in this process");
    drop(store);
    assert_eq!(count(&scratch.open(), 0..ENTRIES), ENTRIES as usize, "and in the next");
    found
}

#[test]
fn a_flipped_bit_in_any_region_of_any_file() {
    let scratch = sample();
    for extension in ["seg", "idx"] {
        let path = scratch.files(extension)[0].clone();
        let whole = fs::read(&path).unwrap();
        let step = (whole.len() / 150).max(1);
        for at in (0..whole.len()).step_by(step).chain(0..64) {
            let scratch = sample();
            damage(&scratch.files(extension)[0], |bytes| bytes[at % whole.len()] ^= 0x40);
            let found = right_or_missing_then_healed(&scratch);
            // A segment header takes its whole segment; anything else at most the record it is in.
            let lost_max = if extension == "seg" && at < 64 { ENTRIES as usize } else { 1 };
            assert!(found + lost_max >= ENTRIES as usize, "{extension} byte {at}: {found} left");
        }
    }
}

#[test]
fn any_file_cut_anywhere() {
    for extension in ["seg", "idx"] {
        let len = fs::metadata(&sample().files(extension)[0]).unwrap().len();
        for cut in (0..len).step_by((len / 60).max(1) as usize) {
            let scratch = sample();
            damage(&scratch.files(extension)[0], |bytes| bytes.truncate(cut as usize));
            let found = right_or_missing_then_healed(&scratch);
            assert!(extension == "seg" || found == ENTRIES as usize, "a table is only an index");
        }
    }
}

/// The reasons are counted, so that `stats` can tell a damaged store from an empty one.
#[test]
fn a_miss_has_a_reason() {
    let reason = |scratch: &Scratch| {
        let store = scratch.open();
        count(&store, 0..ENTRIES);
        let stats = store.stats();
        Miss::ALL.into_iter().filter(|it| stats.missed(*it) > 0).collect::<Vec<_>>()
    };
    let scratch = sample();
    assert_eq!(reason(&scratch), []);
    damage(&scratch.files("seg")[0], |bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    });
    assert_eq!(reason(&scratch), [Miss::Corrupt]);

    let scratch = sample();
    damage(&scratch.files("seg")[0], |bytes| bytes.truncate(bytes.len() / 2));
    assert_eq!(reason(&scratch), [Miss::Truncated]);

    let scratch = sample();
    fs::remove_file(&scratch.files("seg")[0]).unwrap();
    assert_eq!(reason(&scratch), [Miss::Evicted]);

    let scratch = sample();
    damage(&scratch.files("seg")[0], |bytes| bytes[..8].copy_from_slice(b"SQLite f"));
    assert_eq!(reason(&scratch), [Miss::Foreign]);
    assert_eq!(reason(&Scratch::new()), [Miss::Absent]);
}

/// A segment under the name of another, a link, a directory, another version: foreign, and survived.
#[test]
fn foreign_files() {
    let (scratch, other) = (sample(), Scratch::new());
    put(&other.open(), 100..120);
    let (mine, theirs) = (scratch.files("seg")[0].clone(), other.files("seg")[0].clone());
    let original = fs::read(&mine).unwrap();
    fs::copy(&theirs, &mine).unwrap();
    assert_eq!(count(&scratch.open(), 0..ENTRIES), 0, "another segment in its place");
    fs::remove_file(&mine).unwrap();
    std::os::unix::fs::symlink(&theirs, &mine).unwrap();
    assert_eq!(count(&scratch.open(), 0..ENTRIES), 0, "links are not followed");
    fs::remove_file(&mine).unwrap();
    fs::create_dir(&mine).unwrap();
    assert_eq!(count(&scratch.open(), 0..ENTRIES), 0, "a directory");
    fs::remove_dir(&mine).unwrap();
    fs::write(&mine, &original).unwrap();
    for junk in ["seg/readme.txt", "seg/1-2.seg", "idx/zzz.idx", "idx/empty.idx", "touch/short.log"] {
        fs::write(scratch.store_dir().join("v2").join(junk), "junk").unwrap();
    }
    assert_eq!(count(&scratch.open(), 0..ENTRIES), ENTRIES as usize);
    fs::create_dir(scratch.store_dir().join("v3")).unwrap();
    fs::write(scratch.store_dir().join("v3/data"), "of a later version").unwrap();
    right_or_missing_then_healed(&scratch);
    inspect::clear(&scratch.open()).unwrap();
    assert!(scratch.store_dir().join("v3/data").exists(), "each version keeps to its own directory");
}

/// Damage in what a killed writer left: bytes behind the last table.
#[test]
fn a_torn_tail_is_cut_and_what_is_before_it_kept() {
    for junk in [&[0u8; 100][..], b"KILR half a record", &[0xff; 7]] {
        let scratch = sample();
        let path = scratch.files("seg")[0].clone();
        fs::remove_file(&scratch.files("idx")[0]).unwrap();
        damage(&path, |bytes| bytes.extend_from_slice(junk));
        assert_eq!(count(&scratch.open(), 0..ENTRIES), ENTRIES as usize);
        put(&scratch.open(), 100..110);
        assert_eq!(count(&scratch.open(), (0..ENTRIES).chain(100..110)), ENTRIES as usize + 10);
        assert_eq!(scratch.files("seg").len(), 1);
        let report = inspect::verify(&scratch.open());
        assert_eq!((report.faults, report.unfinished_bytes), (vec![], 0));
    }
}

/// Files that change and vanish under an open store.
#[test]
fn damage_while_the_store_is_open() {
    let scratch = sample();
    let store = scratch.open();
    assert!(has(&store, 1));
    for path in [scratch.files("idx")[0].clone(), scratch.files("seg")[0].clone()] {
        OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        assert!(count(&store, 0..ENTRIES) <= ENTRIES as usize);
    }
    fs::remove_dir_all(scratch.store_dir()).unwrap();
    assert_eq!(count(&store, 0..ENTRIES), 0);
    put(&store, 0..5);
    store.flush(Duration::from_secs(5));
    assert!(!store.stats().problems.is_empty(), "said once");
    drop(store);
    put(&scratch.open(), 0..5);
    assert_eq!(count(&scratch.open(), 0..5), 5, "a new store starts afresh");
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Put(u64),
    Get(u64),
    Reopen,
    Recache(u64),
    Flush,
    Gc,
    Other(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let number = 0u64..40;
    let step = prop_oneof![
        6 => number.clone().prop_map(Step::Put),
        6 => number.clone().prop_map(Step::Get),
        2 => Just(Step::Reopen),
        1 => number.clone().prop_map(Step::Recache),
        1 => Just(Step::Flush),
        1 => Just(Step::Gc),
        2 => number.prop_map(Step::Other),
    ];
    proptest::collection::vec(step, 1..60)
}

fn version(number: u64, version: u64) -> Entry {
    Entry::new(payload(number + 1000 * version), Duration::ZERO)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    // The store against a map: nothing evicted, so everything put is got, and the newest version of it.
    #[test]
    fn a_store_is_a_map(steps in steps()) {
        let scratch = Scratch::new();
        let mut model: BTreeMap<u64, u64> = BTreeMap::new();
        let mut store = scratch.open();
        let mut versions = 0;
        for step in steps {
            match step {
                Step::Put(number) => {
                    store.put(key(number), version(number, *model.entry(number).or_insert(0)));
                }
                Step::Get(number) => {
                    let found = store.get(&key(number));
                    prop_assert_eq!(found, model.get(&number).map(|it| version(number, *it)));
                }
                Step::Reopen => {
                    drop(store);
                    store = scratch.open();
                }
                Step::Recache(number) => {
                    drop(store);
                    versions += 1;
                    let writer = Store::open(scratch.config().mode(StoreMode::Recache)).unwrap();
                    writer.put(key(number), version(number, versions));
                    drop(writer);
                    model.insert(number, versions);
                    store = scratch.open();
                }
                Step::Flush => prop_assert!(store.flush(Duration::from_secs(60))),
                Step::Gc => {
                    store.flush(Duration::from_secs(60));
                    inspect::gc(&store, &GcLimits::default()).unwrap();
                }
                Step::Other(number) => {
                    let other = scratch.open();
                    other.put(key(number), version(number, *model.entry(number).or_insert(0)));
                }
            }
        }
        flush(&store);
        for (number, at) in &model {
            prop_assert_eq!(store.get(&key(*number)), Some(version(*number, *at)));
        }
        prop_assert_eq!(inspect::verify(&store).faults, []);
    }

    // Several random changes to random files: what is found is right, and the rest can be made again.
    #[test]
    fn any_damage_gives_right_bytes_or_a_miss(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..6),
    ) {
        let scratch = sample();
        put(&Store::open(Config { compression: Compression::None, network: true, ..scratch.config() }).unwrap(), 6..ENTRIES);
        for (file, place, byte, how) in changes {
            let files: Vec<PathBuf> = scratch.files("seg").into_iter().chain(scratch.files("idx")).collect();
            damage(file.get::<PathBuf>(&files), |bytes| {
                if bytes.is_empty() {
                    return;
                }
                let at = place.index(bytes.len());
                match how {
                    0 => bytes[at] ^= byte,
                    1 => bytes.truncate(at),
                    2 => bytes.insert(at, byte),
                    _ => bytes[at..].iter_mut().take(64).for_each(|it| *it = byte),
                }
            });
        }
        right_or_missing_then_healed(&scratch);
    }
}
