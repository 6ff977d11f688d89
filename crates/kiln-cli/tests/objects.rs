//! References of compiled units: none that the linker cannot resolve in every process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::{Config, Key, KeyValue, Store, inspect};
use kiln_unit::{Body, SHARED_BASE, SITE_BASE};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything a unit may name besides the units it calls: functions of C and of the compiler's own library.
const RUNTIME: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "fma",
    "fmaf",
    "fmod",
    "fmodf",
    "__divti3",
    "__udivti3",
    "__modti3",
    "__umodti3",
    "__multi3",
    "__extendhfsf2",
    "__truncsfhf2",
    "__truncdfhf2",
    "__truncsfbf2",
    "__floattidf",
    "__floattisf",
    "__floatuntidf",
    "__floatuntisf",
    "__fixdfti",
    "__fixsfti",
    "__fixunsdfti",
    "__fixunssfti",
];

/// Programs with kernels that throw, print, wait, exchange values, call device functions and see overlays; host code of
/// theirs is compiled, too.
const PROGRAMS: &[&str] = &[
    "cuda_atomics",
    "cuda_barriers",
    "cuda_failures",
    "cuda_output",
    "cuda_warps",
    "device_functions",
    "hot_loops",
    "ka_basic",
    "ka_print",
    "kernel_math",
    "math_functions",
    "overlays",
];

/// A kernel that needs one of the functions above.
const WIDE: &str = "
using CUDA, Test
wide!(y, x) = (y[1] = div(y[1], x[1]); return)
y, x = CuArray(Int128[7]), CuArray(Int128[2])
@cuda wide!(y, x)
@test Array(y) == [3]
";

/// Every unit that running the files makes, with its key.
fn units(files: &[PathBuf]) -> Vec<(Key, Body)> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let wide = dir.join("wide.jl");
    fs::write(&wide, WIDE).unwrap();
    for file in files.iter().chain([&wide]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.current_dir(&dir).env("KILN_CACHE_DIR", dir.join("cache")).env("KILN_CACHE", "rw");
        let output = command.arg("run").arg(file).output().unwrap();
        assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    }
    let store = Store::open(Config::new(dir.join("cache"))).unwrap();
    // A late unit that nothing has called has no object.
    let has_object = |it: &Body| !it.object.is_empty();
    let body = |key: &Key| Body::from_bytes(&store.get(key)?.payload).ok().filter(has_object);
    inspect::list(&store).into_iter().filter_map(|it| Some((it.key.clone(), body(&it.key)?))).collect()
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = kiln_testing::own_examples(&root.join("examples"));
    files.extend(PROGRAMS.iter().map(|it| root.join(format!("tests/programs/{it}.jl"))));
    files
}

/// MISSION O3: no unit, of a kernel or of the host, names anything but the units it calls, the session's values that it
/// lists, the two numbers of a linked program and the functions above. What a kernel has for a function of the runtime, and the host has not, is therefore
/// in no code of the host; host code has no barrier, no report and no memory of a group.
#[test]
fn units_name_what_the_linker_has() {
    let units = units(&files());
    let in_kernel = |key: &Key| {
        let parts = key.parts();
        parts.iter().find(|it| it.name == "in kernel").map(|it| it.value == KeyValue::Number(1))
    };
    let of = |place| units.iter().filter(|it| in_kernel(&it.0) == Some(place)).count();
    assert!(of(true) > 100 && of(false) > 20, "{} units of kernels and {} of the host", of(true), of(false));
    let mut named: Vec<&str> = Vec::new();
    for (key, Body { object, link, .. }) in &units {
        let is_call = |name: &str| link.calls.iter().any(|it| it.symbol == name);
        let is_global = |name: &str| link.globals.iter().any(|it| it.symbol == name);
        let is_listed = |name: &str| {
            [SITE_BASE, SHARED_BASE].contains(&name)
                || RUNTIME.contains(&name)
                || is_call(name)
                || is_global(name)
        };
        let subject = key.subject();
        kiln_link::lint(object, &is_listed).unwrap_or_else(|why| panic!("{subject}: {why}"));
        for name in &link.runtime {
            assert!(RUNTIME.contains(&&**name), "{subject} names {name}");
            named.push(name);
        }
        if in_kernel(key) == Some(false) {
            assert!(!link.has_barrier && !link.reports && link.shared_bytes == 0, "{subject} is of the host");
        }
    }
    assert!(named.contains(&"__divti3"), "{named:?} is all that is used of the list");
}
