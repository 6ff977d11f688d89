//! One process: gets return puts, in every mode; keys and contents; explaining, listing, bundles, eviction.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scratch;

use kiln_cache::{
    Class, Compression, Config, ContentHash, Entry, GcLimits, KeyBuilder, Miss, OpenError, Store, StoreMode,
    bundle, inspect,
};
use scratch::{Scratch, count, environment, flush, has, key, payload, put};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Barrier;
use std::time::Duration;

#[test]
fn what_is_put_is_got_at_once_later_and_elsewhere() {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, 0..500);
    assert_eq!(count(&store, 0..500), 500, "from the queue or from disk");
    flush(&store);
    assert_eq!(count(&store, 0..501), 500);
    let other = scratch.open();
    assert_eq!(count(&other, 0..501), 500, "while the writer lives, from the tail of its segment");
    drop(store);
    let later = scratch.open();
    assert_eq!(count(&later, 0..501), 500, "from the table it left");
    let stats = later.stats();
    assert_eq!((stats.hits_total(), stats.missed(Miss::Absent)), (500, 1));
    assert_eq!(stats.cost_saved, Duration::from_millis((0..500).sum()));
    assert_eq!(scratch.files("seg").len(), 1);
    assert_eq!(scratch.files("idx").len(), 1);
}

#[test]
fn one_process_after_another_fills_the_same_segment() {
    let scratch = Scratch::new();
    for round in 0..30 {
        let store = scratch.open();
        put(&store, round * 10..round * 10 + 10);
    }
    assert_eq!(scratch.files("seg").len(), 1, "adopted, not piled up");
    assert!(scratch.files("idx").len() <= 12, "tables are merged: {}", scratch.files("idx").len());
    assert_eq!(count(&scratch.open(), 0..300), 300);
}

// MISSION N1: equal results share one payload.
#[test]
fn equal_payloads_are_stored_once() {
    let scratch = Scratch::new();
    let bytes = payload(4);
    let store = scratch.open();
    for number in 0..100 {
        store.put(key(number), Entry::new(bytes.clone(), Duration::ZERO));
    }
    flush(&store);
    assert_eq!(store.stats().puts_shared, 99);
    drop(store);
    let store = scratch.open();
    for number in 0..100 {
        assert_eq!(store.get(&key(number)).unwrap().payload, bytes);
        assert_eq!(inspect::content_of(&store, &key(number)), Some(ContentHash::of(&bytes)));
    }
    assert_eq!(inspect::payload_of(&store, &ContentHash::of(&bytes)), Some(bytes));
    assert_eq!(inspect::payload_of(&store, &ContentHash::of(b"other")), None);
    let usage = inspect::usage(&store);
    assert_eq!((usage.keys, usage.contents), ([34, 33, 33], 1));
}

#[test]
fn empty_large_and_uncompressed_payloads() {
    let scratch = Scratch::new();
    for (nth, compression) in
        [Compression::None, Compression::BySize { zstd_level: 1 }, Compression::BySize { zstd_level: 9 }]
            .into_iter()
            .enumerate()
    {
        let sizes = [0usize, 1, 511, 512, 300_000, 9 << 20];
        let entry = |at: usize| vec![(at * 3 + nth) as u8; sizes[at]];
        let key = |at: usize| key((nth * 10 + at) as u64);
        let store = Store::open(Config { compression, ..scratch.config() }).unwrap();
        for at in 0..sizes.len() {
            store.put(key(at), Entry::new(entry(at), Duration::ZERO));
        }
        flush(&store);
        drop(store);
        let store = scratch.open();
        for at in 0..sizes.len() {
            assert_eq!(store.get(&key(at)).unwrap().payload, entry(at));
        }
    }
}

// MISSION N10: off, read-only, verify, recache.
#[test]
fn modes() {
    let scratch = Scratch::new();
    let open = |mode| Store::open(scratch.config().mode(mode)).unwrap();
    let absent = open(StoreMode::ReadOnly);
    assert!(!has(&absent, 1));
    assert!(!scratch.store_dir().exists(), "read-only makes nothing");
    put(&open(StoreMode::ReadWrite), 0..10);

    let off = open(StoreMode::Off);
    put(&off, 20..21);
    assert!(!has(&off, 1));
    assert_eq!((off.stats().missed(Miss::Mode), off.stats().puts_dropped), (1, 1));

    let before = fs::metadata(&scratch.files("seg")[0]).unwrap().len();
    let read_only = open(StoreMode::ReadOnly);
    put(&read_only, 20..21);
    assert!(has(&read_only, 1) && !has(&read_only, 20));
    drop(read_only);
    assert_eq!(fs::metadata(&scratch.files("seg")[0]).unwrap().len(), before);

    let verify = open(StoreMode::Verify);
    assert!(!has(&verify, 1), "everything is made again");
    put(&verify, 0..9);
    verify.put(key(9), Entry::new(b"made differently".to_vec(), Duration::ZERO));
    flush(&verify);
    let stats = verify.stats();
    assert_eq!((stats.verified, stats.mismatches), (9, 1));
    assert!(stats.problems[0].contains("unit 9"), "{:?}", stats.problems);
    drop(verify);
    assert_eq!(open(StoreMode::ReadOnly).get(&key(9)).unwrap().payload, b"made differently", "replaced");

    let recache = open(StoreMode::Recache);
    assert!(!has(&recache, 9));
    put(&recache, 9..10);
    drop(recache);
    assert!(has(&open(StoreMode::ReadOnly), 9), "the newest counts");
}

// MISSION N7: `explain` says which part changed, down into what many keys share.
#[test]
fn a_miss_is_explained_by_the_part_that_changed() {
    let scratch = Scratch::new();
    let unit = |level, ir: &[u8]| {
        let mut it = KeyBuilder::new(Class::Codegen, "saxpy!(Ptr{Float32})");
        it.nested("environment", &environment(level)).bytes("ir", ir);
        it.finish()
    };
    let store = scratch.open();
    store.put(unit(2, b"old"), Entry::new(vec![1], Duration::ZERO));
    store.put(unit(2, b"new"), Entry::new(vec![2], Duration::ZERO));
    put(&store, 0..50);
    drop(store);
    let store = scratch.open();
    let hit = inspect::explain(&store, &unit(2, b"new"));
    assert_eq!(hit.miss, None);
    let asked = inspect::explain(&store, &unit(3, b"new"));
    assert_eq!(asked.miss, Some(Miss::Absent));
    let named = |nth: usize| -> Vec<&str> {
        asked.alternatives[nth].changes.iter().map(|it| it.part.as_str()).collect()
    };
    assert_eq!(named(0), ["environment.level"], "the newest first");
    assert_eq!(named(1), ["environment.level", "ir"]);
    assert_eq!(asked.closest().unwrap().listed.key.id(), unit(2, b"new").id());
    assert_eq!(inspect::nested(&store, environment(2).id()).unwrap().parts(), environment(2).parts());
    let never = KeyBuilder::new(Class::Codegen, "never seen").finish();
    assert_eq!(inspect::explain(&store, &never).alternatives, []);
}

#[test]
fn listing_showing_and_lifetime() {
    let scratch = Scratch::new();
    put(&scratch.open(), 0..20);
    let store = scratch.open();
    assert_eq!(count(&store, 0..25), 20);
    let listed = inspect::list(&store);
    assert_eq!(listed.len(), 20);
    for it in &listed {
        assert!(it.key.subject().starts_with("unit "));
        assert!(it.stored_bytes % 8 == 0 && it.payload_bytes >= 48);
        assert_eq!(inspect::show(&store, &it.key.id().to_string()[..12]), std::slice::from_ref(it));
    }
    assert_eq!(inspect::show(&store, "zz"), []);
    assert_eq!(inspect::show(&store, "").len(), 20);
    drop(store);
    let lifetime = inspect::lifetime(&scratch.open());
    assert_eq!((lifetime.hits, lifetime.misses, lifetime.puts), (20, 5, 20));
}

#[test]
fn bundles_carry_entries_and_what_their_keys_name() {
    let (from, to) = (Scratch::new(), Scratch::new());
    put(&from.open(), 0..100);
    let store = from.open();
    store.put(key(200), Entry::new(payload(7), Duration::ZERO));
    flush(&store);
    let bundle = from.path().join("all.kcb");
    let wanted = |it: &kiln_cache::Listed| it.key.class() == Class::Tool;
    assert_eq!(bundle::export(&store, &bundle, &wanted).unwrap().entries, 34);

    let target = to.open();
    put(&target, 2..3);
    flush(&target);
    let report = bundle::import(&target, &bundle).unwrap();
    assert_eq!((report.entries, report.present, report.damaged), (33, 1, 0));
    let tools = (0..100).filter(|it| it % 3 == 2);
    assert_eq!(count(&target, tools.clone()), tools.count());
    assert_eq!(target.get(&key(200)).unwrap().payload, payload(7), "an alias takes its payload along");
    assert!(inspect::nested(&target, environment(2).id()).is_some());
    assert_eq!(inspect::verify(&target).faults, []);

    let mut bytes = fs::read(&bundle).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&bundle, &bytes).unwrap();
    let again = Scratch::new();
    let report = bundle::import(&again.open(), &bundle).unwrap();
    assert!(report.entries >= 32, "one entry is damaged, at most: {report:?}");
    fs::write(&bundle, b"something else, and long enough to have a header of sixty-four bytes").unwrap();
    assert!(bundle::import(&again.open(), &bundle).is_err());
}

#[test]
fn overlays_are_read_and_not_written() {
    let (system, user) = (Scratch::new(), Scratch::new());
    put(&system.open(), 0..50);
    let before = fs::metadata(&system.files("seg")[0]).unwrap().len();
    let config = || Config { overlays: vec![system.store_dir()], ..user.config() };
    let store = Store::open(config()).unwrap();
    assert_eq!(count(&store, 0..60), 50);
    put(&store, 0..60);
    store.put(key(100), Entry::new(payload(3), Duration::ZERO));
    flush(&store);
    assert_eq!(store.stats().puts_present, 50);
    assert_eq!(store.stats().puts_shared, 1, "content of an overlay is content");
    drop(store);
    assert_eq!(count(&user.open(), 0..60), 10);
    assert_eq!(Store::open(config()).unwrap().get(&key(100)).unwrap().payload, payload(3));
    assert_eq!(user.open().get(&key(100)), None, "without the overlay its content is gone");
    assert_eq!(fs::metadata(&system.files("seg")[0]).unwrap().len(), before);
    let missing = Config { overlays: vec![user.path().join("nowhere")], ..user.config() };
    assert_eq!(count(&Store::open(missing).unwrap(), 50..60), 10);
    // One that others can write is left out, and nothing else with it.
    fs::set_permissions(system.store_dir(), fs::Permissions::from_mode(0o777)).unwrap();
    let store = Store::open(config()).unwrap();
    assert_eq!(count(&store, 0..60), 10);
    assert_eq!(store.stats().problems.len(), 1, "{:?}", store.stats().problems);
}

#[test]
fn a_directory_that_others_can_write_is_refused() {
    let scratch = Scratch::new();
    put(&scratch.open(), 0..1);
    let dir = scratch.store_dir();
    assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&scratch.files("seg")[0]).unwrap().mode() & 0o777, 0o600);
    for open in ["", "v2", "v2/seg"] {
        for mode in [0o777, 0o720, 0o702] {
            fs::set_permissions(dir.join(open), Permissions::from_mode(mode)).unwrap();
            let refused = Store::open(scratch.config());
            assert!(matches!(refused, Err(OpenError::WritableByOthers { .. })), "{open} {mode:o}");
        }
        fs::set_permissions(dir.join(open), Permissions::from_mode(0o700)).unwrap();
    }
    fs::remove_dir_all(&dir).unwrap();
    fs::write(&dir, "a file").unwrap();
    assert!(matches!(Store::open(scratch.config()), Err(OpenError::Io { .. } | OpenError::NotADirectory(_))));
}

/// Fills a store of one megabyte three times over, using some entries all the time.
#[test]
fn the_cap_holds_and_what_is_used_stays() {
    let scratch = Scratch::new();
    let capped = || Config { bytes_max: Some(1 << 20), compression: Compression::None, ..scratch.config() };
    let used = 0..20u64;
    put(&Store::open(capped()).unwrap(), used.clone());
    for round in 1..40 {
        let store = Store::open(capped()).unwrap();
        assert_eq!(count(&store, used.clone()), 20, "round {round}");
        put(&store, round * 100..round * 100 + 30);
        flush(&store);
    }
    let store = Store::open(capped()).unwrap();
    let usage = inspect::usage(&store);
    assert!(usage.segment_bytes + usage.table_bytes <= (1 << 20) * 5 / 4, "{usage:?}");
    assert_eq!(count(&store, used), 20);
    assert_eq!(count(&store, 100..130), 0, "never used, evicted");
    assert!(inspect::nested(&store, environment(2).id()).is_some(), "lists are kept with what names them");
    assert_eq!(inspect::verify(&store).faults, []);
}

/// MISSION N10: a small cap is kept to within one segment, which is what a writer may be filling, also by processes that each
/// write little and end at once.
#[test]
fn a_small_cap_is_exceeded_by_one_segment_at_most() {
    const SEGMENT_BYTES_MIN: u64 = 64 << 10;
    for cap in [1, 100 << 10, 300 << 10] {
        let scratch = Scratch::new();
        let capped = || Config { bytes_max: Some(cap), compression: Compression::None, ..scratch.config() };
        let (mut most, mut written, mut largest) = (0, 0, 0);
        for round in 0..60 {
            let store = Store::open(capped()).unwrap();
            put(&store, round * 100..round * 100 + 20);
            for it in round * 100..round * 100 + 20 {
                let bytes = payload(it).len() as u64;
                written += bytes;
                largest = bytes.max(largest);
            }
            drop(store);
            let usage = scratch.config().mode(StoreMode::ReadOnly);
            let usage = inspect::usage(&Store::open(usage).unwrap());
            most = most.max(usage.segment_bytes + usage.table_bytes);
        }
        assert!(written > 2 * (cap + SEGMENT_BYTES_MIN), "{written} bytes do not fill it");
        // Beside the last record of a segment, the headers and the index of the store.
        let slack = largest + (16 << 10);
        assert!(most <= cap + SEGMENT_BYTES_MIN + slack, "{most} bytes with a cap of {cap}");
        assert!(most >= SEGMENT_BYTES_MIN / 2, "{most}: something is kept");
    }
}

#[test]
fn gc_and_clear() {
    let scratch = Scratch::new();
    for round in 0..20 {
        put(&scratch.open(), round * 20..round * 20 + 20);
    }
    let store = scratch.open();
    let report = inspect::gc(&store, &GcLimits::default()).unwrap();
    assert_eq!((scratch.files("idx").len(), report.segments_evicted), (1, 0));
    assert_eq!(count(&store, 0..400), 400);
    let report = inspect::gc(&store, &GcLimits { bytes_max: Some(0), age_max: None }).unwrap();
    assert_eq!((report.segments_evicted, report.bytes_after), (1, 0));
    assert_eq!(count(&store, 0..400), 0);
    put(&store, 0..10);
    flush(&store);
    assert_eq!(count(&store, 0..10), 10, "evicted is not for ever");
    inspect::clear(&store).unwrap();
    assert_eq!(count(&scratch.open(), 0..10), 0);
    assert!(inspect::clear(&Store::open(scratch.config().mode(StoreMode::ReadOnly)).unwrap()).is_err());
}

#[test]
fn a_full_queue_drops_and_counts() {
    let scratch = Scratch::new();
    let store = Store::open(Config { queue_bytes_max: 2000, ..scratch.config() }).unwrap();
    put(&store, 0..2000);
    flush(&store);
    let stats = store.stats();
    assert_eq!(stats.puts + stats.puts_dropped, 2000);
    assert_eq!(count(&scratch.open(), 0..2000), stats.puts as usize, "accepted is written");
}

#[test]
fn many_threads_of_one_process() {
    let scratch = Scratch::new();
    let store = scratch.open();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..200 {
                    put(store, [round, 1000 + thread * 200 + round]);
                    assert!(has(store, round));
                }
            });
        }
    });
    flush(&store);
    assert_eq!(count(&scratch.open(), (0..200).chain(1000..2600)), 1800);
}

/// A thread whose lookup waited for another's listing of the directories finds what is listed.
#[test]
fn threads_that_look_at_once_find_what_is_stored() {
    let scratch = Scratch::new();
    let store = Store::open(Config { refresh_every: Duration::from_millis(5), ..scratch.config() }).unwrap();
    for round in 0..60 {
        assert!(!has(&store, 4 * round));
        put(&scratch.open(), 4 * round..4 * round + 4);
        std::thread::sleep(Duration::from_millis(6));
        let all_are_there = Barrier::new(4);
        std::thread::scope(|scope| {
            for number in 4 * round..4 * round + 4 {
                let (store, all_are_there) = (&store, &all_are_there);
                scope.spawn(move || {
                    all_are_there.wait();
                    assert!(has(store, number));
                });
            }
        });
    }
}

/// On a network file system no process adopts or shares a segment.
#[test]
fn network_file_systems_get_a_segment_a_writer() {
    let scratch = Scratch::new();
    for round in 0..3 {
        let store = Store::open(Config { network: true, ..scratch.config() }).unwrap();
        assert_eq!(count(&store, 0..30), round as usize * 10);
        put(&store, round * 10..round * 10 + 10);
    }
    assert_eq!(scratch.files("seg").len(), 3);
    assert_eq!(count(&scratch.open(), 0..30), 30);
}

/// Replaced entries go to new segments, and many small segments are gathered.
#[test]
fn small_segments_are_gathered() {
    let scratch = Scratch::new();
    for round in 0..40 {
        put(&Store::open(scratch.config().mode(StoreMode::Recache)).unwrap(), round * 5..round * 5 + 10);
    }
    put(&scratch.open(), 1000..1001);
    let store = scratch.open();
    inspect::gc(&store, &GcLimits::default()).unwrap();
    assert!(scratch.files("seg").len() <= 2, "{}", scratch.files("seg").len());
    assert_eq!(count(&store, (0..205).chain(1000..1001)), 206);
    let report = inspect::verify(&store);
    assert_eq!(report.faults, []);
    // One list, and of what was replaced only what the segment that was not gathered still has; once, with other tests beside
    // this one, that was a record more.
    assert!(report.records <= 206 + 1 + 6, "{report:?}");
    assert_eq!(count(&scratch.open(), 0..205), 205);
}
