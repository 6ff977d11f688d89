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
        // Where a device has items, what returns something is no kernel.
        let args =
            ["compile", "-t", target, "--function", "--emit", emit, "-o", file, "polynomial.jl", signature];
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
    items_are_of_the_target(&library, &out);
    let ptx = text(&compile("sm_90", "asm", "scaled(Float64, Symbol)"));
    assert!(!ptx.contains("_references"), "our own targets have numbers in their code: {ptx}");
    let ptx = text(&compile("sm_90", "asm", "polynomial(Float64)"));
    assert!(ptx.contains(".target sm_90"), "{ptx}");
}

/// The kernel of the example that asks for its place among the items and waits for them.
const REVERSED: &str = "reversed!(CuDeviceVector{Int64,1}, CuDeviceVector{Int64,1})";

/// A third-party GPU whose items have numbers, groups and barriers: its kernels are compiled, finished and checked by the tools
/// that its facts name, and what it cannot do is a limit of it. MISSION S1.
fn items_are_of_the_target(library: &Path, out: &Path) {
    let file = out.join("lanes");
    let compile = |more: &[&str], signature: &str| {
        let fixed = ["compile", "-t", "lanes64", "-o", file.to_str().unwrap()];
        kiln(Some(library), &[&fixed[..], more, &["reversed.jl", signature]].concat())
    };
    let made = compile(&[], REVERSED);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let code = text(&std::fs::read(&file).unwrap());
    for part in ["lanes.local.id", "lanes.group.id", "lanes.local.size", "@lanes.barrier()", "addrspace(3)"] {
        assert!(code.contains(part), "no {part} in {code}");
    }
    assert!(
        code.contains("target triple = \"lanes64-unknown-unknown\"") && code.contains("p3:32:32"),
        "{code}"
    );
    assert!(code.contains("\"lanes-kernel\"=\"yes\""), "{code}");
    // Its own limits, and what it refuses.
    let made = compile(&["--minthreads", "1024"], REVERSED);
    assert!(text(&made.stderr).contains("lanes64 has at most 512"), "{}", text(&made.stderr));
    let made = compile(&["--fastmath"], REVERSED);
    assert!(text(&made.stderr).contains("--fastmath means nothing for lanes64"), "{}", text(&made.stderr));
    let made = compile(&[], "voted!(CuDeviceVector{UInt32,1})");
    assert_eq!(made.status.code(), Some(1));
    assert!(text(&made.stderr).contains("a question about lanes"), "{}", text(&made.stderr));
    let shown = kiln(Some(library), &["reflect", "native", "-t", "lanes64", "reversed.jl", REVERSED]);
    assert!(text(&shown.stdout).contains("@lanes.barrier()"), "{}", text(&shown.stderr));
    // Its tools: LLVM's assembler verifies what it is given.
    let listed = text(&kiln(Some(library), &["targets", "--json"]).stdout);
    assert!(listed.contains("LANES_AS"), "{listed}");
    if !Path::new("/usr/lib/llvm-22/bin/llvm-as").is_file() {
        eprintln!("skipped: finishing and checking for lanes64 (no llvm-as)");
        return;
    }
    let made = compile(&["--emit", "bin"], REVERSED);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(std::fs::read(&file).unwrap()[..4], *b"BC\xc0\xde");
    let source = std::fs::read_to_string(example().join("reversed.jl")).unwrap();
    let line = source.lines().position(|it| it.starts_with("function reversed!")).unwrap() + 1;
    let corpus = out.join("corpus");
    std::fs::create_dir_all(corpus.join("own")).unwrap();
    std::fs::copy(example().join("reversed.jl"), corpus.join("own/reversed.jl")).unwrap();
    let rows = out.join("rows.tsv");
    let columns = "repo\tpath\tkernel\tline\tcommit\tdialect\tspace\targuments\tcaptures\troot";
    let arguments = "CuDeviceVector{Int64,1}, CuDeviceVector{Int64,1}";
    let row = format!("own\treversed.jl\treversed!\t{line}\t-\tCUDA\t-\t{arguments}\t-\t-");
    std::fs::write(&rows, format!("{columns}\n{row}\n")).unwrap();
    let paths = ["--corpus", corpus.to_str().unwrap(), "--rows", rows.to_str().unwrap()];
    let checked = kiln(Some(library), &[&["report", "--json", "--target", "lanes64"], &paths[..]].concat());
    assert!(
        text(&checked.stdout).contains("\"accepted\":\"accepted\""),
        "{}{}",
        text(&checked.stdout),
        text(&checked.stderr)
    );
}
