//! MISSION P6: the checks of `kiln run --check`; each file is a test.
//!
//! `tests/sanitizer/bugs/*.jl` have one bug each. The lines of both parties end in `#: CODE`, and nothing else is found: a finding
//! with the code has these lines, no more and no less. `#: BoundsError` is an exception of a bounds check instead, on that line.
//! `tests/sanitizer/correct/*.jl` and `tests/waiting/*.jl` end with status 0, and nothing is found. `tests/programs/*.jl` are run
//! with all checks, too: those of `FOUND` have the findings that are listed, others none. One of `KILN_PROGRAM_SLICE` of the others (1)
//! is run.
//!
//! Small launches are not screened first, unless all kernels are to have their best form at once: all of these files run so, and the
//! first two kinds without the screen as well.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;

use kiln_testing::random::setting;
use kiln_testing::{Outcome, Suite, Verdict, repository};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Output};

/// The programs with findings, and their codes: they are about what is found.
const FOUND: [(&str, &[&str]); 5] = [
    // Items that return before a barrier: CUDA defines it.
    ("barrier_regions", &["divergent-barrier"]),
    ("cuda_early_return", &["divergent-barrier"]),
    ("sized_groups", &["divergent-barrier"]),
    ("kernel_deferred", &["race"]),
    // Flags that are plain memory, which fences publish and other items wait for.
    ("published", &["race"]),
];

/// How kernels are run: the form of those with barriers, `KILN_BARRIERS`.
#[derive(Clone, Copy)]
struct Way(&'static str);

/// Every access is checked.
const CHECKED: Way = Way("fibers");
/// Launches are screened, and checked where that is not enough.
const SCREENED: Way = Way("regions");

fn run(file: &Path, check: &str, way: Way) -> Output {
    let name = file.strip_prefix(repository()).unwrap();
    let mut command = project::uncached();
    command.env("KILN_BARRIERS", way.0).args(["run", "--json", check]).arg(name).output().unwrap()
}

/// A finding: its code, and the lines of its parties.
type Found = (String, BTreeSet<u32>);

/// Returns the findings in the lines on standard error.
fn findings(stderr: &str) -> Vec<Found> {
    let lines = stderr.lines().filter(|it| it.starts_with("{\"finding\":"));
    lines.map(|it| (text_of(it, "code"), numbers_of(it, "line").into_iter().collect())).collect()
}

/// Returns the first text of this name in a line of JSON.
fn text_of(line: &str, name: &str) -> String {
    let (_, rest) = line.split_once(&format!("\"{name}\":\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Returns all numbers of this name in a line of JSON.
fn numbers_of(line: &str, name: &str) -> Vec<u32> {
    let key = format!("\"{name}\":");
    let parts = line.split(key.as_str()).skip(1);
    parts.filter_map(|it| it.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()).collect()
}

/// Returns the codes that a file is marked with, and their lines.
fn marks(text: &str) -> BTreeMap<String, BTreeSet<u32>> {
    let mut all: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, codes)) = line.split_once("#: ") else { continue };
        for code in codes.split(',') {
            all.entry(code.trim().to_owned()).or_default().insert(number);
        }
    }
    all
}

/// The bug of a file is found, where it is.
fn bug(file: &Path, way: Way) -> Verdict {
    let text = std::fs::read_to_string(file).unwrap();
    let output = run(file, "--check", way);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let fail = |why: &str| Err(format!("{}: {why}\n{stderr}", file.display()));
    if output.status.code() != Some(1) {
        return fail(&format!("expected status 1, got {}", output.status));
    }
    let found = findings(&stderr);
    let mut marks = marks(&text);
    if let Some(lines) = marks.remove("BoundsError") {
        let line = lines.first().unwrap();
        let place = format!("{}:{line}", file.file_name().unwrap().to_string_lossy());
        if !stderr.contains("BoundsError") || !stderr.contains(&place) {
            return fail(&format!("no BoundsError at {place}"));
        }
    }
    for (code, lines) in &marks {
        let of_code = found.iter().filter(|it| it.0 == *code);
        let all: BTreeSet<u32> = of_code.flat_map(|it| it.1.iter().copied()).collect();
        if all != *lines {
            return fail(&format!("{code} is expected at {lines:?}, and found at {all:?}"));
        }
    }
    match found.iter().find(|it| !marks.contains_key(&it.0)) {
        Some(other) => fail(&format!("{other:?} is not expected")),
        None => Ok(Outcome::Passed),
    }
}

/// Nothing is found in a correct program.
fn correct(file: &Path, way: Way) -> Verdict {
    let output = run(file, "--check=all", way);
    if output.status.success() && output.stderr.is_empty() {
        return Ok(Outcome::Passed);
    }
    Err(format!("{}: {}\n{}", file.display(), output.status, String::from_utf8_lossy(&output.stderr)))
}

/// The programs of the other suites that use a device: there is nothing to check in others.
fn device_programs() -> impl Iterator<Item = PathBuf> {
    const NAMES: [&str; 8] =
        ["CUDA", "AMDGPU", "Metal", "oneAPI", "OpenCL", "KernelAbstractions", "@kernel", "JLArrays"];
    let uses_device = |it: &PathBuf| {
        let text = std::fs::read_to_string(it).unwrap();
        NAMES.iter().any(|name| text.contains(name))
    };
    kiln_testing::files(&repository().join("tests/programs"), "jl").into_iter().filter(uses_device)
}

/// A program of the other suites.
fn program(file: &Path) -> Verdict {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let output = run(file, "--check=all", SCREENED);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let codes: BTreeSet<String> = findings(&stderr).into_iter().map(|it| it.0).collect();
    let expected = FOUND.iter().find(|it| it.0 == name).map_or(&[][..], |it| it.1);
    let expected: BTreeSet<String> = expected.iter().map(|it| (*it).to_owned()).collect();
    let ended = output.status.code() == Some(i32::from(!expected.is_empty()));
    let failed = stderr.contains("{\"error\":");
    if codes == expected && ended && !failed {
        return Ok(Outcome::Passed);
    }
    Err(format!("{}: {}, {codes:?}\n{stderr}", file.display(), output.status))
}

/// Each check is by itself, and what is no check is refused by name.
fn checks_are_chosen() -> Verdict {
    let file = repository().join("crates/kiln-cli/tests/sanitizer/bugs/shared_missing_barrier.jl");
    for (check, codes) in [
        ("--check=race", &["race"][..]),
        ("--check=uninit", &["uninitialized-read"]),
        ("--check=barrier", &[]),
        ("--check=memory", &[]),
        ("--check=memory,race", &["race"]),
    ] {
        let output = run(&file, check, CHECKED);
        let found = findings(&String::from_utf8_lossy(&output.stderr));
        let found: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
        if found != codes {
            return Err(format!("{check}: {found:?}"));
        }
    }
    let output = run(&file, "--check=races", CHECKED);
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(2) || !stderr.contains("no check is called `races`") {
        return Err(format!("{}\n{stderr}", output.status));
    }
    Ok(Outcome::Passed)
}

/// A finding in JSON names kernel, items, groups, places, the array and how often it was found.
fn a_finding_is_a_line() -> Verdict {
    let file = repository().join("crates/kiln-cli/tests/sanitizer/bugs/global_neighbours.jl");
    let stderr = String::from_utf8_lossy(&run(&file, "--check=race", CHECKED).stderr).into_owned();
    for part in [
        "{\"finding\":{\"kernel\":\"halve!\",\"items\":[{\"item\":[2,1,1],\"group\":[1,1,1]},{\"item\":[1,1,1],\"group\":[1,1,1]}]",
        "\"count\":42",
        "\"code\":\"race\",\"severity\":\"error\",\"message\":\"a race on `x`, element 1 of 64, in `halve!` (42 times)\"",
        "\"line\":5",
        "\"array\":\"`x`\"",
    ] {
        if !stderr.contains(part) {
            return Err(format!("{part} is not in\n{stderr}"));
        }
    }
    Ok(Outcome::Passed)
}

/// Findings of a file are the same, to the letter, whether launches are screened first or not; right launches need no checks, and
/// a wrong one is suspected.
fn findings_need_no_screen() -> Verdict {
    let folder = repository().join("crates/kiln-cli/tests/sanitizer");
    for name in ["bugs/shared_reduction_race.jl", "bugs/global_neighbours.jl", "bugs/uninit_private.jl"] {
        let file = folder.join(name);
        let found = [CHECKED, SCREENED].map(|way| {
            let stderr = String::from_utf8_lossy(&run(&file, "--check", way).stderr).into_owned();
            stderr.lines().filter(|it| it.starts_with("{\"finding\":")).map(str::to_owned).collect::<Vec<_>>()
        });
        if found[0] != found[1] || found[0].is_empty() {
            return Err(format!("{name}: {found:#?}"));
        }
    }
    for (name, screened, suspected) in [
        ("correct/scan_of_two_buffers.jl", true, false),
        ("correct/scattered_by_permutation.jl", true, false),
        ("correct/private_stack.jl", true, false),
        ("bugs/shared_reduction_race.jl", false, true),
    ] {
        let mut command = project::uncached();
        command.env("KILN_BARRIERS", SCREENED.0).args(["run", "--check", "--timings=json"]);
        let stderr = command.arg(folder.join(name)).output().unwrap().stderr;
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        let some = |count: &str| !stderr.contains(&format!("\"{count}\":0,"));
        if (some("launches_screened"), some("launches_suspected")) != (screened, suspected) {
            return Err(format!("{name}: {stderr}"));
        }
    }
    Ok(Outcome::Passed)
}

fn main() -> ExitCode {
    let folder = repository().join("crates/kiln-cli/tests/sanitizer");
    let (bugs, corrects) = (folder.join("bugs"), folder.join("correct"));
    let mut suite = Suite::new()
        .files("bug/", &bugs, "jl", |it| bug(it, CHECKED))
        .files("screened bug/", &bugs, "jl", |it| bug(it, SCREENED))
        .files("correct/", &corrects, "jl", |it| correct(it, CHECKED))
        .files("screened correct/", &corrects, "jl", |it| correct(it, SCREENED))
        .files("waiting/", &repository().join("tests/waiting"), "jl", program);
    let slice = setting("KILN_PROGRAM_SLICE", 1) as usize;
    let is_found = |it: &PathBuf| FOUND.iter().any(|found| kiln_testing::stem(it) == found.0);
    for (at, file) in device_programs().enumerate() {
        if !is_found(&file) && !at.is_multiple_of(slice) {
            continue;
        }
        suite = suite.test(format!("program/{}", kiln_testing::stem(&file)), move || program(&file));
    }
    suite
        .test("checks are chosen".to_owned(), checks_are_chosen)
        .test("a finding is a line".to_owned(), a_finding_is_a_line)
        .test("findings need no screen".to_owned(), findings_need_no_screen)
        .run()
}
