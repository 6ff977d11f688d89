//! The rules of the house that a machine can check: layers, lengths, first lines, where `unsafe` may be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every crate and the crates it may depend on, in the order data flows.
const LAYERS: &[(&str, &[&str])] = &[
    ("kiln-syntax", &[]),
    ("kiln-types", &[]),
    ("kiln-ir", &["types"]),
    ("kiln-lower", &["syntax", "types", "ir"]),
    ("kiln-runtime", &["types", "ir"]),
    ("kiln-infer", &["types", "ir", "runtime"]),
    ("kiln-opt", &["types", "ir", "runtime"]),
    ("kiln-unit", &[]),
    ("kiln-targets", &["types", "unit"]),
    ("kiln-codegen", &["types", "ir", "targets", "unit"]),
    ("kiln-cache", &[]),
    ("kiln-caching", &["types", "ir", "runtime", "cache"]),
    ("kiln-link", &["unit"]),
    ("kiln-launch", &["unit", "link"]),
    ("kiln-metrics", &["cache", "unit"]),
    ("kiln-codegen-client", &["targets", "unit"]),
    ("kiln-results", &["cache", "metrics"]),
    (
        "kiln-compile",
        &[
            "syntax",
            "types",
            "ir",
            "runtime",
            "infer",
            "opt",
            "targets",
            "unit",
            "cache",
            "link",
            "metrics",
            "codegen-client",
            "results",
        ],
    ),
    ("kiln-prebuilt", &["targets", "unit", "cache", "link", "launch"]),
    (
        "kiln-driver",
        &[
            "syntax",
            "types",
            "ir",
            "lower",
            "runtime",
            "infer",
            "opt",
            "targets",
            "unit",
            "cache",
            "link",
            "launch",
            "metrics",
            "codegen-client",
            "results",
            "compile",
        ],
    ),
    (
        "kiln",
        &[
            "syntax",
            "types",
            "ir",
            "lower",
            "runtime",
            "infer",
            "opt",
            "targets",
            "unit",
            "cache",
            "caching",
            "link",
            "launch",
            "metrics",
            "codegen-client",
            "results",
            "compile",
            "prebuilt",
            "driver",
        ],
    ),
    ("kiln-oracle", &["kiln", "syntax"]),
    ("kiln-cli", &[]),
];

/// Where `unsafe` may be: path prefixes.
const UNSAFE: &[&str] = &[
    "crates/kiln-codegen/src/llvm/",
    "crates/kiln-codegen/tests/generated/harness.rs",
    "crates/kiln/tests/launch/allocations.rs",
    "crates/kiln-codegen-client/src/library.rs",
    "crates/kiln-driver/src/trusted.rs",
    "crates/kiln-link/",
    "crates/kiln-prebuilt/src/trusted.rs",
    "crates/kiln-runtime/src/heap/",
    "crates/kiln-launch/src/cpu/",
    "crates/kiln-launch/src/cuda/ffi/",
    "crates/kiln-launch/src/opencl/ffi/",
    "examples/own-target/src/lib.rs",
    "examples/opencl-host/src/main.rs",
];

const LINES_MAX: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    if dir.join("CACHEDIR.TAG").exists() {
        return; // what cargo builds
    }
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|it| it == extension) {
            out.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    files(&root().join("crates"), "rs", &mut paths);
    files(&root().join("examples"), "rs", &mut paths);
    files(&root().join("base"), "jl", &mut paths);
    let root = root();
    paths
        .into_iter()
        .map(|it| {
            let name = it.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&it).unwrap();
            (name, text)
        })
        .collect()
}

#[test]
fn crates_depend_only_downward() {
    for (rank, (name, allowed)) in LAYERS.iter().enumerate() {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let section = manifest.split("\n[").find(|it| it.starts_with("dependencies]")).unwrap();
        for line in section.lines().skip(1) {
            let Some(used) = line.split(['.', ' ', '=']).next().unwrap().strip_prefix("kiln-") else {
                continue;
            };
            assert!(allowed.contains(&used), "{name} may not depend on kiln-{used}");
            let below = LAYERS[..rank].iter().any(|(it, _)| it.strip_prefix("kiln-") == Some(used));
            assert!(below, "LAYERS is out of order: {name} before kiln-{used}");
        }
    }
    let mut crates: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    crates.sort();
    let mut listed: Vec<&str> = LAYERS.iter().map(|it| it.0).collect();
    listed.sort_unstable();
    assert_eq!(crates, listed, "every crate has its layer");
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for (name, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= LINES_MAX, "{name} has {lines} lines: one concept a file, at most {LINES_MAX}");
        let opening = if name.ends_with(".rs") { "//!" } else { "#" };
        assert!(text.starts_with(opening), "{name} does not open with a line that says what it is");
    }
}

#[test]
fn unsafe_code_stays_in_its_places() {
    let word = ["uns", "afe"].concat();
    for (name, text) in sources() {
        if !name.ends_with(".rs") || UNSAFE.iter().any(|it| name.starts_with(it)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let opens = code.contains(&format!("{word} {{")) || code.contains(&format!("{word} fn"));
            assert!(!opens, "{name}:{}: unsafe code outside the places ARCHITECTURE.md lists", number + 1);
        }
    }
}

/// The options of a session are all that the library goes by.
#[test]
fn the_library_reads_no_environment() {
    for (name, text) in sources() {
        if !name.starts_with("crates/kiln/src/") && !name.starts_with("crates/kiln-prebuilt/src/") {
            continue;
        }
        let code = text.lines().filter(|it| !it.trim_start().starts_with("//")).collect::<String>();
        for word in ["env::var", "env::vars", "env::var_os", "env::vars_os"] {
            assert!(
                !code.contains(&format!("{word}(")),
                "{name} reads the environment, as only kiln-cli may"
            );
        }
    }
}

#[test]
fn names_say_something() {
    for (name, _) in sources() {
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy().into_owned();
        for banned in ["util", "utils", "common", "helper", "helpers", "misc", "manager", "stuff"] {
            assert_ne!(stem, banned, "{name}: a name of the field, please");
        }
    }
}

#[test]
fn paths_in_architecture_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for quoted in text.split('`').skip(1).step_by(2) {
        let is_path = ["crates/", "base/", "docs/", "examples/", "scripts/", "tests/"]
            .iter()
            .any(|it| quoted.starts_with(it));
        assert!(
            !is_path || root().join(quoted).exists(),
            "ARCHITECTURE.md names {quoted}, which is not there"
        );
    }
}

#[test]
fn nothing_is_left_to_do_in_comments() {
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    for (name, text) in sources() {
        for mark in &marks {
            let found = text
                .lines()
                .position(|it| it.contains(&format!("{mark}:")) || it.contains(&format!("{mark}(")));
            assert_eq!(found, None, "{name}: a {mark} is an issue number or done now");
        }
    }
}

#[test]
fn tests_that_are_named_exist() {
    let tests: String = sources().into_iter().filter(|it| it.0.ends_with(".rs")).map(|it| it.1).collect();
    let table = fs::read_to_string(root().join("docs/upstream-tests.md")).unwrap();
    let mut found = 0;
    for row in table.lines().filter(|it| it.starts_with("| ") && !it.starts_with("| upstream")) {
        let ours = row.split(" | ").nth(1).unwrap();
        for name in ours.split('`').skip(1).step_by(2).filter(|it| !it.contains('/')) {
            assert!(tests.contains(&format!("fn {name}(")), "there is no test `{name}`");
            found += 1;
        }
    }
    assert!(found > 40, "{found} tests are named");
}

/// Doc lines of this form, of a thousand, may remain.
const INDIRECT_PER_MILLE: usize = 3;
/// Files whose subject is the user `nobody`.
const ABOUT_NOBODY: &[&str] = &["crates/kiln-cache/tests/surroundings.rs", "crates/kiln-cli/tests/tidy.rs"];

/// The text of a doc line.
fn doc_line(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "))
}

/// The subject comes first: "The kind of a token", not "What a token is".
#[test]
fn doc_lines_open_with_their_subject() {
    let (mut indirect, mut count) = (Vec::new(), 0);
    for (name, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            let Some(said) = doc_line(line) else { continue };
            count += 1;
            let first = said.split(|it: char| !it.is_alphabetic()).next().unwrap();
            if ["What", "Who", "Whose"].contains(&first) {
                indirect.push(format!("{name}:{}: {said}", number + 1));
            }
            let empty = ["It.", "Which.", "The same."].contains(&said);
            assert!(!empty, "{name}:{}: a doc line that says nothing", number + 1);
        }
    }
    assert!(indirect.len() * 1000 <= count * INDIRECT_PER_MILLE, "{}", indirect.join("\n"));
}

/// Sentences name their subject, and vendors' things have the field's names: "an AMD GPU".
#[test]
fn sentences_name_their_subject() {
    let mut texts = sources();
    for extension in ["md", "jl"] {
        let mut paths = Vec::new();
        for dir in ["docs", "examples", "tests/programs", "tests/diagnostics", "tests/device"] {
            files(&root().join(dir), extension, &mut paths);
        }
        texts
            .extend(paths.into_iter().map(|it| (it.display().to_string(), fs::read_to_string(&it).unwrap())));
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile"] {
        texts.push((name.to_owned(), fs::read_to_string(root().join(name)).unwrap()));
    }
    let possessives = ["of NVIDIA's", "of AMD's", "of OpenCL's", "of CUDA's", "of GCN's", "of BPF's"];
    for (name, text) in texts {
        if ABOUT_NOBODY.iter().any(|it| name.ends_with(it)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let lower = line.to_lowercase();
            let mut words = lower.split(|it: char| !it.is_alphanumeric());
            let riddle = words.find(|it| ["whoever", "nobody", "somebody"].contains(it));
            assert_eq!(riddle, None, "{name}:{}: name the subject", number + 1);
            // "of AMD's library" names a thing of AMD; "a library of AMD's" does not end there.
            let ends = |it: &&&str| {
                line.split_once(**it)
                    .is_some_and(|(_, rest)| !rest.starts_with(' ') || rest.starts_with(" ("))
            };
            let possessive = possessives.iter().find(ends);
            assert_eq!(possessive, None, "{name}:{}: an adjective, please", number + 1);
        }
    }
}
