//! Modules of this LLVM become modules of LLVM 14 that compute the same: programs are run by both, also after this LLVM's optimizer,
//! which makes other forms of them. What LLVM 14 lacks is refused by name.
//!
//! Without LLVM 14 (`scripts/air-tools.sh`) or this LLVM's programs the runs are skipped, and the tests say so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "says what it skipped")]

#[path = "../../../kiln-air/tests/random/program.rs"]
mod program;
#[path = "../../../kiln-air/tests/tools/mod.rs"]
mod tools;

use kiln_codegen::air::typed_bitcode;
use kiln_codegen::{AirUnsupported, EmitErrorKind, assemble};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/air")
}

/// Returns a program of this LLVM; without it, the test says that it is skipped.
fn this_tool(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(format!("/usr/lib/llvm-22/bin/{name}"));
    if !path.exists() {
        println!(
            "skipped: LLVM 22's programs ({} is not there; scripts/device-tools.sh installs it)",
            path.display()
        );
        return None;
    }
    Some(path)
}

/// Returns the programs of a folder with their names.
fn sources(name: &str) -> Vec<(String, String)> {
    let mut all: Vec<_> = std::fs::read_dir(folder().join(name))
        .unwrap()
        .map(|it| it.unwrap().path())
        .map(|it| {
            (it.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(it).unwrap())
        })
        .collect();
    all.sort();
    all
}

/// Runs a module with the functions of AIR; returns what it prints. LLVM 14 calls functions that are not there to convert
/// floats of 16 bits, unless the processor can.
fn run(interpreter: &PathBuf, stubs: &str, bitcode: &[u8]) -> String {
    let stubs = format!("--extra-module={}", folder().join(stubs).display());
    String::from_utf8(tools::run(interpreter, &[&stubs, "--mattr=+f16c"], bitcode, &[])).unwrap()
}

/// Returns the typed form of a module, which LLVM 14 accepts and which is read back.
fn typed(name: &str, bitcode: &[u8]) -> Vec<u8> {
    let typed = typed_bitcode(bitcode).unwrap_or_else(|it| panic!("{name}: {it}"));
    assert_eq!(typed_bitcode(bitcode), Ok(typed.clone()), "{name}: another time, other bytes");
    kiln_air::read(&typed).unwrap_or_else(|it| panic!("{name}: {it}"));
    if let Some(text) = tools::verified(&typed) {
        let is_opaque = [" ptr ", " ptr,", "(ptr"].iter().any(|it| text.contains(it));
        assert!(!is_opaque, "{name}: an opaque pointer\n{text}");
    }
    typed
}

#[test]
fn programs_compute_the_same() {
    for (name, text) in sources("programs") {
        let bitcode = assemble(&text).unwrap_or_else(|it| panic!("{name}: {it}"));
        let plain = typed(&name, &bitcode);
        let (Some(new), Some(old), Some(opt)) = (this_tool("lli"), tools::tool("lli"), this_tool("opt"))
        else {
            continue;
        };
        let expected = run(&new, "stubs.ll", &bitcode);
        assert!(expected.lines().count() >= 3, "{name} prints too little: {expected}");
        assert_eq!(run(&old, "stubs14.ll", &plain), expected, "{name}");
        for level in ["-O1", "-O2", "-O3"] {
            let optimized = tools::run(&opt, &[level, "-o", "-"], &bitcode, &[]);
            let typed = typed(&format!("{name} {level}"), &optimized);
            assert_eq!(run(&old, "stubs14.ll", &typed), expected, "{name} {level}");
        }
    }
}

/// Random programs print values that were computed when they were generated; the optimizer changes their form.
/// `KILN_AIR_PROGRAMS` (20) is their number.
#[test]
fn optimized_random_programs_compute_what_they_should() {
    let Some(opt) = this_tool("opt") else { return };
    let count = std::env::var("KILN_AIR_PROGRAMS").map_or(20, |it| it.parse().unwrap());
    for seed in 0..count {
        let (module, expected) = program::program(7000 + seed);
        let written = kiln_air::write(&module).unwrap();
        let level = ["-O0", "-O1", "-O2", "-O3"][seed as usize % 4];
        let optimized = tools::run(&opt, &[level, "-o", "-"], &written, &[]);
        let typed = typed(&format!("program {seed}"), &optimized);
        let Some(interpreter) = tools::tool("lli") else { continue };
        assert_eq!(run(&interpreter, "stubs14.ll", &typed), expected, "program {seed} {level}");
    }
}

/// The lists of AIR and the flags of the module stay, others go; functions of AIR take addresses of their types.
#[test]
fn a_kernel_has_the_forms_of_air() {
    let (_, text) = sources("programs").into_iter().find(|it| it.0 == "kernel").unwrap();
    let Some(text) = tools::verified(&typed_bitcode(&assemble(&text).unwrap()).unwrap()) else { return };
    for line in [
        "define void @kernel(i8 addrspace(1)* noalias nocapture %0, i8 addrspace(1)* noalias nocapture readonly %1, i8 addrspace(1)* noalias nocapture \"air-buffer-no-alias\" %2, i8 addrspace(1)* %3, i32 %4, i32 %5) {",
        "declare i32 @air.atomic.global.add.u.i32(i32 addrspace(1)* nocapture, i32, i32, i32, i1) #",
        "declare float @air.sincos.f32(float, float*)",
        "declare float @air.fast_sqrt.f32(float) #",
        "call fast float @air.fast_sqrt.f32(float",
        "!air.kernel = !{!",
        "!{void (i8 addrspace(1)*, i8 addrspace(1)*, i8 addrspace(1)*, i8 addrspace(1)*, i32, i32)* @kernel, !",
        "!{i32 7, !\"PIC Level\", i32 2}",
        "{ nounwind readnone }",
        "{ convergent nounwind willreturn }",
    ] {
        assert!(text.contains(line), "{line}\nis not in\n{text}");
    }
    assert!(!text.contains("other.list"), "{text}");
}

/// Returns the refusal of a module.
fn refusal(text: &str) -> AirUnsupported {
    let error = typed_bitcode(&assemble(text).unwrap_or_else(|it| panic!("{it}\n{text}"))).unwrap_err();
    let EmitErrorKind::Air(it) = error.kind else { panic!("{error}\n{text}") };
    it
}

/// Anything that is not known is refused, and named.
#[test]
fn unknown_things_are_refused() {
    use AirUnsupported as U;
    let body =
        |it: &str| refusal(&format!("define void @f(ptr %p, i128 %x, i32 %n) {{\n{it}\n ret void\n}}"));
    assert_eq!(body(""), U::Type("i128".into()));
    let body = |it: &str| refusal(&format!("define void @f(ptr %p, i32 %n, i1 %c) {{\n{it}\n ret void\n}}"));
    for instruction in [
        "%1 = atomicrmw add ptr %p, i32 %n seq_cst, align 4",
        "fence seq_cst",
        "%1 = load atomic i32, ptr %p monotonic, align 4",
        "store atomic i32 %n, ptr %p release, align 4",
        "%1 = alloca i32, i32 %n, align 4",
        "call void %p(i32 %n)",
        "call void asm sideeffect \"\", \"\"()",
    ] {
        assert_eq!(body(instruction), U::Instruction(instruction.into()));
    }
    let with = |declared: &str, call: &str| {
        refusal(&format!("{declared}\ndefine void @f(ptr %p, float %x) {{\n {call}\n ret void\n}}"))
    };
    assert_eq!(
        with("declare float @llvm.sin.f32(float)", "%r = call float @llvm.sin.f32(float %x)"),
        U::Function("llvm.sin.f32".into())
    );
    assert_eq!(
        with("declare void @air.tensor(ptr)", "call void @air.tensor(ptr %p)"),
        U::Function("air.tensor".into())
    );
    assert_eq!(
        with("declare void @g(ptr sret(i32))", "call void @g(ptr sret(i32) %p)")
            .to_string()
            .split(" number")
            .next(),
        Some("AIR has no attribute with LLVM's")
    );
    assert_eq!(with("@t = thread_local global i32 0", ""), U::Symbol("t".into()));
    assert_eq!(with("@t = weak global i32 0", ""), U::Symbol("t".into()));
    assert_eq!(with("define spir_kernel void @k() {\n ret void\n}", ""), U::Symbol("k".into()));
    assert_eq!(with("@a = alias i32, ptr @t\n@t = global i32 0", ""), U::AliasOrAssembly);
    assert_eq!(with("declare void @g(ptr)", "call void @g(ptr @f)"), U::Constant("@f".into()));
    assert_eq!(with("!air.x = !{!0}\n!0 = distinct !{!0}", ""), U::Metadata("air.x".into()));
    assert_eq!(
        with("@t = global ptr getelementptr (i8, ptr @u, i64 4)\n@u = global i64 0", ""),
        U::Constant("ptr getelementptr (i8, ptr @u, i64 4)".into())
    );
}
