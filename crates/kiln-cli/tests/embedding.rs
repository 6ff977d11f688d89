//! Programs of their own that use kiln as a library: `examples/embedding` and `examples/prebuilt`, built as their owners would.
//!
//! Building `examples/embedding` builds kiln once more and takes minutes: `make torture` does, `KILN_EMBEDDING=build` asks for it
//! here.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Lines that saxpy may take, braces and all.
const SAXPY_LINES_MAX: usize = 15;
const SIGNATURE: &str = "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";
/// Crates that compile, or know Julia.
const COMPILER: [&str; 12] = [
    "kiln-codegen",
    "kiln-compile",
    "kiln-driver",
    "kiln-exec",
    "kiln-infer",
    "kiln-inspect",
    "kiln-ir",
    "kiln-lower",
    "kiln-opt",
    "kiln-runtime",
    "kiln-syntax",
    "kiln-types",
];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn cargo(name: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(example(name));
    command
}

/// Builds a program in a folder of its own; where its programs are.
fn built(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let status = cargo(name).args(["build", "--locked", "--target-dir"]).arg(&folder).status();
    assert!(status.unwrap().success(), "examples/{name} does not build");
    folder.join("debug")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn saxpy_is_short() {
    let program = std::fs::read_to_string(example("embedding/src/bin/saxpy.rs")).unwrap();
    let lines = program.lines().filter(|it| !it.trim().is_empty() && !it.starts_with("//!")).count();
    assert!(lines <= SAXPY_LINES_MAX, "saxpy takes {lines} lines");
}

/// A program that only runs images depends on no crate that compiles.
#[test]
fn a_program_that_runs_images_links_no_compiler() {
    let mut command = cargo("prebuilt");
    command.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none"]);
    let tree = said(&command.output().unwrap());
    assert!(tree.contains("kiln-prebuilt"), "{tree}");
    for name in COMPILER {
        assert!(!tree.contains(&format!("{name} v")), "it depends on {name}:\n{tree}");
    }
}

/// It runs a kernel of an image, and reports where an item failed.
#[test]
fn a_program_without_a_compiler_runs_a_kernel() {
    let project = Project::new("prebuilt");
    std::fs::copy(example("embedding/saxpy.jl"), project.dir.join("saxpy.jl")).unwrap();
    let built_image = project.kiln("off", &["image", "build", "--export", SIGNATURE, "saxpy.jl"]);
    said(&built_image);
    let program = built("prebuilt").join("prebuilt");
    let size = std::fs::metadata(&program).unwrap().len();
    let output = Command::new(&program).arg("saxpy.kimg").current_dir(&project.dir).output().unwrap();
    let said = said(&output);
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("y[999] = 7"));
    assert!(lines.next().unwrap().contains("in `saxpy!`, work-item (11, 1, 1) of group (1, 1, 1)"), "{said}");
    assert!(said.contains("in saxpy! at saxpy.jl:6"), "{said}");
    assert!(size < 32 << 20, "the program has {size} bytes");
}

/// `saxpy` on vectors of Rust, and two threads that compile different kernels of one session at the same time.
#[test]
fn programs_with_sessions_run() {
    if std::env::var_os("KILN_EMBEDDING").is_none() {
        eprintln!("skipped: building examples/embedding (KILN_EMBEDDING is unset; make torture sets it)");
        return;
    }
    let programs = built("embedding");
    let codegen = Path::new(env!("CARGO_BIN_EXE_kiln")).with_file_name("libkiln_codegen.so");
    for (name, says) in [("saxpy", "y[999] = 7\n"), ("threads", "both computed\n")] {
        let mut command = Command::new(programs.join(name));
        let output = command.arg(&codegen).current_dir(example("embedding")).output().unwrap();
        assert_eq!(said(&output), says);
    }
}
