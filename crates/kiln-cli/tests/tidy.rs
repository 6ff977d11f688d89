//! The rules of the house that a machine can check: layers, lengths, first lines, where `unsafe` may be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/contexts.rs"]
mod contexts;

use kiln_testing::repository as root;
use std::fs;
use std::path::{Path, PathBuf};

/// Every crate and the crates it may depend on, in the order data flows. `+it` is `it` and all that `it` may depend on.
const LAYERS: &[(&str, &str)] = &[
    ("kiln-bytes", ""),
    ("kiln-metallib", "bytes"),
    ("kiln-air", ""),
    ("kiln-memory", ""),
    ("kiln-packages", ""),
    ("kiln-syntax", ""),
    ("kiln-types", "bytes"),
    ("kiln-ir", "+types"),
    ("kiln-lower", "syntax types ir"),
    ("kiln-runtime", "types memory packages +ir"),
    ("kiln-infer", "+runtime"),
    ("kiln-opt", "+runtime"),
    ("kiln-unit", "bytes"),
    ("kiln-targets", "types +unit"),
    ("kiln-codegen", "air memory ir +targets"),
    ("kiln-cache", "bytes"),
    ("kiln-remote", "bytes cache"),
    ("kiln-caching", "+runtime cache"),
    ("kiln-link", "unit"),
    ("kiln-launch", "+link"),
    ("kiln-build", ""),
    ("kiln-bundle", "bytes"),
    ("kiln-rt", "+launch targets types bundle"),
    ("kiln-metrics", "cache unit"),
    ("kiln-codegen-client", "bytes targets unit"),
    ("kiln-results", "cache metrics remote"),
    ("kiln-compile", "syntax +infer opt air metallib targets +link +metrics codegen-client results"),
    ("kiln-prebuilt", "bytes targets cache +launch"),
    ("kiln-exec", "+compile launch"),
    ("kiln-inspect", "+exec"),
    ("kiln-driver", "+inspect"),
    ("kiln", "+driver lower caching prebuilt remote"),
    ("kiln-testing", "types ir"),
    ("kiln-oracle", "kiln syntax"),
    ("kiln-cli", "metallib bundle"),
];

/// Returns the crates that a crate may depend on, without `kiln-`.
fn allowed(name: &str) -> Vec<&'static str> {
    let words = LAYERS.iter().find(|it| it.0 == name).unwrap().1;
    let each = words.split_whitespace().map(|word| match word.strip_prefix('+') {
        Some(it) => [vec![it], allowed(&format!("kiln-{it}"))].concat(),
        None => vec![word],
    });
    each.flatten().collect()
}

/// Where `unsafe` may be: path prefixes.
const UNSAFE: &[&str] = &[
    "crates/kiln-codegen/src/llvm/",
    "crates/kiln-codegen/tests/generated/harness.rs",
    "crates/kiln/tests/launch/allocations.rs",
    "crates/kiln-codegen-client/src/library.rs",
    "crates/kiln-exec/src/host_services.rs",
    "crates/kiln-exec/src/trusted.rs",
    "crates/kiln-link/",
    "crates/kiln-prebuilt/src/trusted.rs",
    "crates/kiln-rt/src/",
    "crates/kiln-memory/",
    "crates/kiln-runtime/src/heap/",
    "crates/kiln-launch/src/cpu/",
    "crates/kiln-launch/src/cuda/ffi/",
    "crates/kiln-launch/src/opencl/ffi/",
    "examples/own-target/src/",
    "examples/opencl-host/src/main.rs",
];

const LINES_MAX: usize = 800;

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
    for (rank, (name, _)) in LAYERS.iter().enumerate() {
        let allowed = allowed(name);
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

/// Parts of the crates that read the environment, beside build scripts and tests, and why.
const ENVIRONMENT_READERS: &[(&str, &str)] = &[
    ("crates/kiln-build/src/", "cargo tells build scripts by variables where to build"),
    ("crates/kiln-cli/src/", "the command turns the environment into options"),
    (
        "crates/kiln-oracle/src/julia_tests/worker.rs",
        "hands its variables to the tests of Julia's that it runs",
    ),
    ("crates/kiln-testing/src/", "how many tests run, and whether they are blessed"),
];

/// Options are all that a library goes by; only the command reads the environment.
#[test]
fn libraries_read_no_environment() {
    let mut readers = Vec::new();
    for (name, text) in
        sources().into_iter().filter(|it| it.0.starts_with("crates/") && it.0.contains("/src/"))
    {
        let code = text.find("#[cfg(test)]\nmod tests {").map_or(&*text, |it| &text[..it]);
        let code = code.lines().filter(|it| !it.trim_start().starts_with("//")).collect::<String>();
        if !["env::var(", "env::vars(", "env::var_os(", "env::vars_os("].iter().any(|it| code.contains(it)) {
            continue;
        }
        let reader = ENVIRONMENT_READERS.iter().find(|it| name.starts_with(it.0));
        readers
            .push(reader.unwrap_or_else(|| panic!("{name} reads the environment, as only kiln-cli may")).0);
    }
    assert!(ENVIRONMENT_READERS.iter().all(|it| readers.contains(&it.0)), "one of them reads it no more");
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
fn paths_in_introductions_exist() {
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        for quoted in prose.split('`').skip(1).step_by(2) {
            let starts = ["crates/", "base/", "docs/", "examples/", "scripts/", "tests/"];
            let is_path = starts.iter().any(|it| quoted.starts_with(it));
            let is_pattern = ["NAME", "CODE", "PAGE", "*"].iter().any(|it| quoted.contains(it));
            assert!(
                !is_path || is_pattern || root().join(quoted).exists(),
                "{name} names {quoted}, which is not there"
            );
        }
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

/// The rows that a text names behind the word, with commas between them.
fn named_rows(text: &str) -> Vec<&str> {
    let mut rows = Vec::new();
    for part in text.split(concat!("MISS", "ION ")).skip(1) {
        for word in part.split(", ") {
            let end = word.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(word.len());
            let is_row = word[..end].len() <= 3
                && word.starts_with(|it: char| it.is_ascii_uppercase())
                && word[1..end].bytes().all(|it| it.is_ascii_digit());
            if !is_row {
                break;
            }
            rows.push(&word[..end]);
            if end < word.len() {
                break;
            }
        }
    }
    rows
}

/// Tests name the rows of `docs/mission.md` that they prove; the rows that none names are listed there as open.
#[test]
fn every_row_has_a_test_or_is_open() {
    let mission = fs::read_to_string(root().join("docs/mission.md")).unwrap();
    let (tables, open) = mission.split_once("\n## Open\n").unwrap();
    let rows: Vec<&str> = tables
        .lines()
        .filter_map(|it| it.strip_prefix("| ")?.split(" |").next())
        .filter(|it| *it != "row")
        .collect();
    let open: Vec<&str> = open.split([',', '\n']).map(str::trim).filter(|it| !it.is_empty()).collect();
    let mut paths = Vec::new();
    for (folder, extension) in [
        ("crates", "rs"),
        ("examples", "rs"),
        ("tests", "jl"),
        ("tests", "ir"),
        ("tests", "md"),
        ("docs/spec", "md"),
        ("scripts", "sh"),
    ] {
        files(&root().join(folder), extension, &mut paths);
    }
    let texts: Vec<String> = paths.iter().map(|it| fs::read_to_string(it).unwrap()).collect();
    let named: Vec<&str> = texts.iter().flat_map(|it| named_rows(it)).collect();
    for row in &named {
        let is_group = row.len() == 1 && rows.iter().any(|it| it.starts_with(row));
        assert!(is_group || rows.contains(row), "a test names {row}, which docs/mission.md has not");
    }
    for row in rows {
        let has_test = named.contains(&row);
        assert_eq!(has_test, !open.contains(&row), "{row} is open exactly if no test names it");
    }
}

/// Doc lines of this form, of a thousand, may remain.
const INDIRECT_PER_MILLE: usize = 3;
/// Files whose subject is the user `nobody`.
const ABOUT_NOBODY: &[&str] = &["crates/kiln-cache/tests/surroundings.rs", "crates/kiln-cli/tests/tidy.rs"];

/// Doc lines of crates with a free relative ("what it found"), of a thousand; the number may only fall.
const FREE_RELATIVES_PER_MILLE: usize = 22;

/// Things have names: "the requested units", not "what was asked for".
#[test]
fn doc_lines_have_nouns() {
    let (mut relative, mut count) = (0, 0);
    for (_, text) in crate_sources().filter(|it| it.0.ends_with(".rs")) {
        for said in text.lines().filter_map(doc_line) {
            count += 1;
            // Code in a line is no prose.
            let prose: String = said.split('`').step_by(2).collect();
            let mut words = prose.split(|it: char| !it.is_alphanumeric());
            relative += usize::from(words.any(|it| ["what", "who", "whom"].contains(&&*it.to_lowercase())));
        }
    }
    let most = count * FREE_RELATIVES_PER_MILLE / 1000;
    assert!(relative <= most, "{relative} of {count} doc lines say `what` or `who`; {most} may");
}

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
            let empty = ["It.", "Which.", "The same.", "How.", "How many.", "Where.", "Why."].contains(&said);
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

/// Names of public types that more than one crate may use: the library and the kernels of images are one interface in two
/// crates, and the others are the words of Julia and LLVM for different things.
const SHARED_NAMES: &[&str] =
    &["Diagnostic", "Error", "ErrorKind", "Kernel", "KernelArg", "KernelArgs", "Module", "Value"];

/// Public types that a file declares, without those of its tests.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    code(text).filter_map(|(_, line)| {
        let rest = line.trim_start().strip_prefix("pub ")?;
        let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
        let words = ["struct ", "enum ", "trait ", "type ", "union "];
        let name = words.iter().find_map(|it| rest.strip_prefix(it))?;
        let end = name.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(name.len());
        (end > 0).then_some(&name[..end]) // a macro's `$name` is none
    })
}

/// One word, one concept: its name alone identifies a public type.
#[test]
fn names_of_public_types_are_unique() {
    let mut files_of: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
    for (file, text) in crate_sources() {
        for name in public_types(&text) {
            let files = files_of.entry(name.to_owned()).or_default();
            // A type may have two definitions in one file, for two features.
            if !files.contains(&file) {
                files.push(file.clone());
            }
        }
    }
    files_of.retain(|_, files| files.len() > 1);
    let shared: Vec<&str> = files_of.keys().map(String::as_str).collect();
    assert_eq!(shared, SHARED_NAMES, "names of several public types: {files_of:#?}");
    assert!(SHARED_NAMES.len() <= 10, "the list of shared names is full");
}

/// Files in which state of the process, or of a thread of it, may stand, and why it does not belong to a session.
const PROCESS_STATE: &[(&str, &str)] = &[
    ("crates/kiln/src/library.rs", "a text of the program, once it has been read"),
    ("crates/kiln-codegen/src/llvm/process.rs", "LLVM has one of each: the file says of what"),
    ("crates/kiln-codegen-client/src/process/mod.rs", "numbers files of the process"),
    ("crates/kiln-launch/src/opencl/mod.rs", "drivers enumerate for the process"),
    (
        "crates/kiln-launch/src/opencl/ffi/own_stack.rs",
        "the stack of a thread, and the helper of one on another stack",
    ),
    ("crates/kiln-memory/src/native_stack.rs", "the segments of a thread's stack"),
    ("crates/kiln-launch/src/cpu/mod.rs", "records of calls that have ended, to be used again"),
    ("crates/kiln-memory/src/process.rs", "a process has one allocator"),
    ("crates/kiln-rt/src/launch.rs", "the processor of a program in C: its interface has no sessions"),
    ("crates/kiln-runtime/src/heap/mutator.rs", "whether the thread runs Julia code, and its registers"),
    ("crates/kiln-runtime/src/interp/clock.rs", "since when the thread interprets"),
    ("crates/kiln-runtime/src/interp/frames.rs", "the Julia stack of a thread"),
    ("crates/kiln-runtime/src/interp/task.rs", "the task that a thread runs"),
    ("crates/kiln-runtime/src/preparing.rs", "whether a thread is being timed"),
    ("crates/kiln-runtime/src/tasks.rs", "the number of the thread"),
];

/// Sources of the crates themselves, without the command and the oracle.
fn library_sources() -> impl Iterator<Item = (String, String)> {
    let is_library = |name: &str| {
        name.starts_with("crates/")
            && name.contains("/src/")
            && name.ends_with(".rs")
            && !["crates/kiln-cli/", "crates/kiln-oracle/"].iter().any(|it| name.starts_with(it))
    };
    sources().into_iter().filter(move |(name, _)| is_library(name))
}

/// Two sessions in one process do not interact: mutable state belongs to a session.
#[test]
fn state_of_the_process_is_listed() {
    let changing =
        ["Mutex", "RwLock", "Once", "Atomic", "LazyLock", "OnceLock", "OnceCell", "RefCell", "Cell<", "mut "];
    let mut found = Vec::new();
    for (name, text) in library_sources() {
        let is_static = |line: &&str| {
            let line = line.trim_start().trim_start_matches("pub").trim_start();
            let line = line.trim_start_matches("(crate)").trim_start_matches("(super)").trim_start();
            line.strip_prefix("static ").is_some_and(|it| changing.iter().any(|word| it.contains(word)))
        };
        // Statics of C++ are declared where they are used.
        let declares = |line: &str| line.contains("MODULE_ANALYSIS");
        let state = text
            .lines()
            .find(|it| it.trim_start().starts_with("thread_local!") || is_static(it) && !declares(it));
        if let Some(line) = state {
            let listed = PROCESS_STATE.iter().any(|it| it.0 == name);
            assert!(listed, "{name}: state that is no session's: {}", line.trim());
            found.push(name);
        }
    }
    assert_eq!(found.len(), PROCESS_STATE.len(), "PROCESS_STATE lists files without state: {found:?}");
}

/// Stages are functions of their inputs: only these crates touch files, clocks and the environment.
#[test]
fn stages_touch_no_files_clocks_or_environment() {
    let outside = [
        "kiln",
        "kiln-metrics",
        "kiln-codegen-client",
        "kiln-results",
        "kiln-caching",
        "kiln-prebuilt",
        "kiln-testing",
        "kiln-compile",
        "kiln-exec",
        "kiln-cache",
        "kiln-remote",
        "kiln-launch",
        "kiln-rt",
        "kiln-build",
    ]
    .map(|it| format!("crates/{it}/"));
    let words = [
        "std::fs",
        "std::env",
        "std::net",
        "std::time",
        "std::process",
        "Instant::",
        "SystemTime",
        "stderr()",
    ];
    for (name, text) in library_sources() {
        // LLVM cannot go on after some errors: the last words, and the end of the process.
        if outside.iter().any(|it| name.starts_with(it)) || name == "crates/kiln-codegen/src/llvm/fatal.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let word = words.iter().find(|it| code.contains(*it));
            assert_eq!(word, None, "{name}:{}: the world outside", number + 1);
        }
    }
}

/// Errors of type `String` that remain, by crate; each number may only fall.
const STRING_ERRORS: &[(&str, usize)] = &[];

/// Occurrences of `Result<_, String>` in a text.
fn string_errors(text: &str) -> usize {
    let ends = |rest: &str| {
        let (mut depth, mut last) = (1_u32, 0);
        for (at, letter) in rest.char_indices() {
            match letter {
                '<' | '(' | '[' => depth += 1,
                '>' if rest[..at].ends_with('-') => {}
                '>' | ')' | ']' => depth -= 1,
                ',' if depth == 1 => last = at + 1,
                _ => {}
            }
            if depth == 0 {
                return last > 0 && rest[last..at].trim() == "String";
            }
        }
        false
    };
    text.split("Result<").skip(1).filter(|it| ends(it)).count()
}

/// Errors are data: text is made of them where they are shown.
#[test]
fn errors_have_types() {
    assert_eq!(
        string_errors("fn f() -> Result<Vec<String>, String>; Result<String, E>; io::Result<String>"),
        1
    );
    let mut counts: std::collections::BTreeMap<String, usize> =
        STRING_ERRORS.iter().map(|it| (it.0.to_owned(), 0)).collect();
    for (name, text) in sources() {
        let Some((krate, "src")) = name.strip_prefix("crates/").and_then(|it| {
            let mut parts = it.split('/');
            Some((parts.next()?, parts.next()?))
        }) else {
            continue;
        };
        let is_asked = name.ends_with(".rs")
            && !name.ends_with("/tests.rs")
            && !["kiln-cli", "kiln-testing"].contains(&krate);
        let found = if is_asked { string_errors(&text) } else { 0 };
        if found > 0 {
            *counts.entry(krate.to_owned()).or_default() += found;
        }
    }
    let counts: Vec<(&str, usize)> = counts.iter().map(|it| (it.0.as_str(), *it.1)).collect();
    assert_eq!(
        counts, STRING_ERRORS,
        "Result<_, String> by crate: an error type, please, or a smaller number in the list"
    );
}

/// The code of a Rust file: without its tests and its comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate().filter(|it| !it.1.trim_start().starts_with("//"));
    lines.map(|(number, line)| (number + 1, line.split(" // ").next().unwrap()))
}

/// Source files of crates, without their tests.
fn crate_sources() -> impl Iterator<Item = (String, String)> {
    sources().into_iter().filter(|it| it.0.starts_with("crates/") && it.0.contains("/src/"))
}

/// What differs between back ends is in the facts of targets and behind `Target`: nothing asks which back end it has before it.
/// MISSION S1.
#[test]
fn nothing_asks_for_the_name_of_a_back_end() {
    let own = "crates/kiln-targets/src/";
    for (name, text) in crate_sources().filter(|it| !it.0.starts_with(own)) {
        for (number, line) in code(&text) {
            // A name becomes a back end (`Backend::new`), and two may be compared without knowing either.
            let mut variants = line.match_indices("Backend::").map(|it| &line[it.0 + "Backend::".len()..]);
            let variant = variants.find(|it| it.starts_with(char::is_uppercase));
            let asks = ["match facts.backend", "backend.name() == \"", "backend.name() {"];
            let asked = asks.iter().find(|it| line.contains(**it));
            assert!(
                variant.is_none() && asked.is_none(),
                "{name}:{number}: a fact of the target, please: {line}"
            );
        }
    }
}

/// The packages that dialects are.
const PACKAGES: &[&str] =
    &["CUDA", "AMDGPU", "KernelAbstractions", "GPUArraysCore", "Adapt", "Atomix", "oneAPI"];

/// Names of the arrays and macros of dialects begin so.
const NAMES: &[&str] = &[
    "CuArray",
    "CuDevice",
    "CuStatic",
    "CuDynamic",
    "ROCArray",
    "ROCDevice",
    "ROCStatic",
    "MtlArray",
    "MtlDevice",
    "MtlThreadGroup",
    "oneArray",
    "oneDevice",
    "CLArray",
    "CLDevice",
    "cuprint",
    "cushow",
    "rocprint",
    "@cuda",
    "@roc",
    "@oneapi",
    "@opencl",
];

/// Rust knows no dialect by name: the files of one register a record, which is read by the names of its fields.
#[test]
fn dialects_are_not_known_by_name() {
    // Vendors' drivers are called by their names, and programs that are damaged on purpose are written in a dialect.
    let exempt = ["crates/kiln-launch/", "crates/kiln/src/fuzz.rs", "crates/kiln-oracle/"];
    for (name, text) in crate_sources().filter(|it| !exempt.iter().any(|exempt| it.0.starts_with(exempt))) {
        for (number, line) in code(&text) {
            let line = line.replace("the CUDA toolkit", "");
            for word in PACKAGES.iter().chain(NAMES) {
                let is_part = |it: char| it.is_alphanumeric() || it == '_';
                let is_name = |at: usize| {
                    // Packages have whole names, arrays and macros come in families.
                    let is_whole = PACKAGES.contains(word);
                    let (before, after) =
                        (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
                    !(before.is_some_and(is_part) || is_whole && after.is_some_and(is_part))
                };
                let found = line.match_indices(word).any(|it| is_name(it.0));
                assert!(
                    !found,
                    "{name}:{number}: a record of the dialect says it (`Base.Device.DIALECTS`): {line}"
                );
            }
        }
    }
}
