//! A third-party code generator: `examples/own-target`, built as its owner would, and opened by this `kiln`.
//!
//! Building it links LLVM once more and takes minutes: `make torture` does, `KILN_OWN_TARGET=build` asks for it here.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// ELF's number of the family.
const EM_RISCV: u16 = 243;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-target")
}

/// Builds the library in a folder of its own.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-target");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--target-dir"]).arg(&folder).current_dir(example());
    assert!(command.status().unwrap().success(), "the example does not build");
    folder.join("debug/libown_target.so")
}

fn kiln(library: Option<&Path>, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(args).env("KILN_CACHE", "off").env_remove("KILN_CODEGEN").current_dir(example());
    command.envs(library.map(|it| ("KILN_CODEGEN", it)));
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The name is unknown until a library has the target. MISSION S1.
#[test]
fn a_target_from_outside_is_unknown_without_its_library() {
    let made = kiln(None, &["compile", "-t", "riscv64", "polynomial.jl", "collatz(Int64)"]);
    assert_eq!(made.status.code(), Some(2));
    assert!(text(&made.stderr).contains("there is no target `riscv64`"), "{}", text(&made.stderr));
    assert!(!text(&kiln(None, &["targets"]).stdout).contains("riscv64"));
}

/// A project outside the workspace adds a target; the same `kiln` lists it, compiles for it, and for its own as before.
/// MISSION S1.
#[test]
fn a_third_party_library_has_one_more_target() {
    if std::env::var_os("KILN_OWN_TARGET").is_none() {
        eprintln!("skipped: building examples/own-target (KILN_OWN_TARGET is unset; make torture sets it)");
        return;
    }
    let library = library();
    let listed = kiln(Some(&library), &["targets", "--json"]);
    assert!(text(&listed.stdout).contains("\"riscv64\""), "{}", text(&listed.stderr));

    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-target-out");
    std::fs::create_dir_all(&out).unwrap();
    let file = out.join("it");
    let file = file.to_str().unwrap();
    let compile = |target: &str, emit: &str, signature: &str| {
        let args = ["compile", "-t", target, "--emit", emit, "-o", file, "polynomial.jl", signature];
        let made = kiln(Some(&library), &args);
        assert!(made.status.success(), "{target}: {}", text(&made.stderr));
        std::fs::read(file).unwrap()
    };
    for signature in ["collatz(Int64)", "polynomial(Float64)"] {
        let object = compile("riscv64", "obj", signature);
        assert_eq!(object[..4], *b"\x7fELF");
        assert_eq!(u16::from_le_bytes([object[18], object[19]]), EM_RISCV);
    }
    let listing = text(&compile("riscv64", "asm", "polynomial(Float64)"));
    assert_eq!(listing.matches("fmadd.d").count(), 2, "{listing}");
    // What this target refers to of the host is read from a table of its own. MISSION C17.
    let listing = text(&compile("riscv64", "asm", "scaled(Float64, Symbol)"));
    let table = listing.split("_references:").nth(1).expect("a table");
    let words = table.lines().skip(1).take_while(|it| it.trim_start().starts_with(".quad"));
    assert_eq!(words.count(), 2, "{listing}");
    assert!(listing.contains(".globl") && listing.matches("_references").count() > 3, "{listing}");
    let ptx = text(&compile("sm_90", "asm", "scaled(Float64, Symbol)"));
    assert!(!ptx.contains("_references"), "our own targets have numbers in their code: {ptx}");
    let ptx = text(&compile("sm_90", "asm", "polynomial(Float64)"));
    assert!(ptx.contains(".target sm_90"), "{ptx}");
}
