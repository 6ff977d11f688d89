//! Verification of the cache: every unit of the examples is compiled again and compared, and what happens
//! when one is not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::{Class, Config, Entry, Key, Store, StoreMode, inspect};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("verify-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Runs a file with its cache in `dir`.
fn run(dir: &Path, mode: &str, file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(dir).env("KILN_CACHE_DIR", dir.join("cache")).env("KILN_CACHE", mode);
    // Each run compiles the same: otherwise the time that a kernel has taken decides whether it is compiled for the size of its groups.
    command
        .env("KILN_BACKGROUND", "0")
        .env("KILN_BARRIERS", "sized")
        .args(["run", "--timings=json"])
        .arg(file)
        .output()
        .unwrap()
}

/// A total of `--timings=json`.
fn total(output: &Output, name: &str) -> u64 {
    let errors = String::from_utf8_lossy(&output.stderr);
    let (_, rest) = errors.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{errors}"));
    rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
}

/// MISSION N6: another process makes the same bytes of every unit of every example: object, link information and stages.
#[test]
fn every_example_compiles_to_what_is_cached() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let files = kiln_testing::own_examples(&examples);
    assert!(files.len() >= 3);
    for file in files {
        let dir = directory(&file.file_stem().unwrap().to_string_lossy());
        let first = run(&dir, "rw", &file);
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        let second = run(&dir, "verify", &file);
        assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
        let compiles = [&first, &second].map(|it| total(it, "compiles"));
        assert!(compiles[1] >= compiles[0], "{}: everything is compiled again: {compiles:?}", file.display());
        assert!(compiles[0] > 0);
        // Units, and the typed code that they were made of.
        assert!(total(&second, "verified") >= 2 * compiles[0], "everything is compared");
        assert_eq!(total(&second, "mismatches"), 0);
        let third = run(&dir, "verify=1/1", &file);
        assert!(third.status.success(), "{}", String::from_utf8_lossy(&third.stderr));
        assert_eq!(total(&third, "verified"), total(&third, "hits"));
        assert!(total(&third, "hits") > 0);
    }
}

const PROGRAM: &str = "\
using CUDA

@noinline scaled(x) = 2 * x
@noinline shifted(x) = x + 1
function both!(y)
    y[threadIdx().x] = shifted(scaled(Int(threadIdx().x)))
    return
end

y = CUDA.zeros(Int, 4)
@cuda threads=4 both!(y)
println(Array(y))
";

/// Three functions that call each other in a circle, one of them small enough to be inlined.
const GROUP: &str = "\
wrapped(v, n) = emitted(v, n)
function emitted(v, n)
    push!(v, n)
    length(v) > 9 && return v
    n > 3 ? shown(v, n - 1) : shown(v, n + 7)
end
function shown(v, n)
    iseven(n) && return wrapped(v, n + 1)
    w = n % 5 == 0 ? wrapped(v, n + 2) : emitted(v, n)
    length(w) > 5 ? w : wrapped(w, n)
end
for f in (FIRST, SECOND)
    precompile(f, (Vector{Int}, Int))
end
println(length(wrapped(Int[], 4)))
";

/// MISSION N6: the code of a recursive group does not depend on the member that is asked for first.
#[test]
fn a_group_is_the_same_from_every_member() {
    let dir = directory("group");
    let file = dir.join("program.jl");
    let in_order = |first: &str, second: &str, mode: &str| {
        fs::write(&file, GROUP.replace("FIRST", first).replace("SECOND", second)).unwrap();
        let output = run(&dir, mode, &file);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "10\n");
        output
    };
    assert!(in_order("wrapped", "shown", "rw").status.success());
    for (first, second) in [("shown", "wrapped"), ("emitted", "wrapped")] {
        let other = in_order(first, second, "verify");
        let said = String::from_utf8_lossy(&other.stderr);
        assert_eq!((other.status.code(), total(&other, "mismatches")), (Some(0), 0), "{said}");
        assert!(total(&other, "verified") > 3, "{said}");
    }
}

/// A cache that lies: under the key of `shifted` in a class (of units: the front key) it has what `scaled` was made to.
fn lying(name: &str, class: Class) -> (PathBuf, PathBuf) {
    let dir = directory(name);
    let file = dir.join("program.jl");
    fs::write(&file, PROGRAM).unwrap();
    assert!(run(&dir, "rw", &file).status.success());
    let store = Store::open(Config::new(dir.join("cache")).mode(StoreMode::Recache)).unwrap();
    let reader = Store::open(Config::new(dir.join("cache"))).unwrap();
    let is_of = |it: &Key, name: &str| it.class() == class && it.subject().starts_with(name);
    let key =
        |name: &str| inspect::list(&store).into_iter().map(|it| it.key).find(|it| is_of(it, name)).unwrap();
    let scaled = reader.get(&key("scaled ")).unwrap();
    store.put(key("shifted "), Entry::new(scaled.payload, scaled.cost));
    (dir, file)
}

/// MISSION N6: a difference is reported, the run fails, and the cache is put right.
#[test]
fn a_difference_is_reported_and_replaced() {
    let (dir, file) = lying("lying", Class::Codegen);
    let wrong = run(&dir, "rw", &file);
    assert_eq!(String::from_utf8_lossy(&wrong.stdout), "[4, 8, 12, 16]\n", "the double works");
    let found = run(&dir, "verify", &file);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "[3, 5, 7, 9]\n", "what was made is used");
    assert_eq!(found.status.code(), Some(1));
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(said.contains("shifted Tuple{typeof(shifted), Int64}: made again, it differs"), "{said}");
    assert!(said.contains("error[cache-differs]: results that differ from those in the cache: 1"), "{said}");
    let right = run(&dir, "rw", &file);
    assert_eq!(String::from_utf8_lossy(&right.stdout), "[3, 5, 7, 9]\n");
    assert_eq!(total(&right, "compiles"), 0);
}

/// The same for a sample of cache hits.
#[test]
fn a_sampled_difference_is_reported() {
    let (dir, file) = lying("sampled", Class::Codegen);
    let found = run(&dir, "verify=1/1", &file);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "[3, 5, 7, 9]\n", "what was made is used");
    assert_eq!((found.status.code(), total(&found, "mismatches")), (Some(1), 1));
    let said = String::from_utf8_lossy(&found.stderr);
    assert!(said.contains("shifted Tuple{typeof(shifted), Int64}: made again, it differs"), "{said}");
}

/// Typed code is compared as well: the newly inferred code is used, and replaces the stored one.
#[test]
fn a_difference_of_typed_code_is_reported() {
    let (dir, file) = lying("typed", Class::Semantic);
    let found = run(&dir, "verify", &file);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "[3, 5, 7, 9]\n", "what was made is used");
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!((found.status.code(), total(&found, "mismatches")), (Some(1), 1), "{said}");
    assert!(said.contains("shifted Tuple{typeof(shifted), Int64}: inferred again, it differs"), "{said}");
    let right = run(&dir, "verify", &file);
    assert_eq!((right.status.code(), total(&right, "mismatches")), (Some(0), 0));
    assert!(total(&right, "verified") > 0);
    assert_eq!(total(&run(&dir, "rw", &file), "inferences"), 0);
}
