//! Objects for processors, called from C as `include/kiln.h` says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "
using CUDA

function axpy!(y::Ptr{Float32}, a::Float32, x::Ptr{Float32}, n::Int64)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= n
        unsafe_store!(y, unsafe_load(y, i) + a * unsafe_load(x, i), i)
    end
    return
end

function mirror!(y::Ptr{Int64})
    tile = CuStaticSharedArray(Int64, 64)
    i = threadIdx().x
    mine = unsafe_load(y, i)
    @inbounds tile[i] = mine
    sync_threads()
    other = @inbounds tile[blockDim().x + 1 - i]
    unsafe_store!(y, other - mine, i)
    return
end

function root(x::Float64, n::Int32)
    n > 0 || throw(DomainError(n))
    return sqrt(x) / n
end

symbols!(out::Ptr{Symbol}) = (unsafe_store!(out, :a_name); return)
";

/// Calls both, and checks the layout that the header promises.
const MAIN: &str = r#"
#include "kiln.h"
#include <stdio.h>

KILN_KERNEL(axpy);
KILN_KERNEL(mirror);
KILN_FUNCTION(root);

_Static_assert(offsetof(struct kiln_context, shared) == 72, "");
_Static_assert(offsetof(struct kiln_context, record) == 88, "");
_Static_assert(offsetof(struct kiln_context, report) == 120, "");
_Static_assert(offsetof(struct kiln_context, heap) == 144 && offsetof(struct kiln_context, frames) == 160, "");
_Static_assert(offsetof(struct kiln_heap, base) == 16, "");
_Static_assert(offsetof(struct kiln_record, local_id) == 32, "");
_Static_assert(offsetof(struct kiln_record, operands) == 56, "");
_Static_assert(offsetof(struct kiln_record, seed) == 504 && offsetof(struct kiln_record, frames) == 516, "");
_Static_assert(sizeof(struct kiln_record) == 576, "");

int main(void) {
    enum { N = 1000, ITEMS = 64, GROUPS = (N + ITEMS - 1) / ITEMS };
    static float x[N + 1], y[N + 1];
    for (int i = 0; i <= N; i++) { x[i] = i; y[i] = 1; }
    struct { float *y; float a; float *x; int64_t n; } args = { y, 2, x, N };
    struct kiln_record record = KILN_RECORD;
    struct kiln_context context = kiln_launch(GROUPS, ITEMS, &record);
    axpy(&context, &args, 0, 3);
    axpy(&context, &args, 3, GROUPS);
    if (record.site) return 10;
    for (int i = 0; i < N; i++) if (y[i] != 1 + 2.0f * i) return 11;
    if (y[N] != 1) return 12;

    static _Alignas(64) char shared[64 * 8], frames[64 * FRAME_BYTES];
    static int64_t z[64];
    for (int i = 0; i < 64; i++) z[i] = i * i;
    context = kiln_launch(1, 64, &record);
    context.shared = shared;
    context.frames = frames;
    int64_t *pointer = z;
    mirror(&context, &pointer, 0, 1);
    for (int i = 0; i < 64; i++) if (z[i] != (63 - i) * (63 - i) - i * i) return 15;

    struct { double x; int32_t n; } of = { 16, 2 };
    double result = 0;
    if (root(&context, &of, &result) != 0 || result != 2) return 13;
    of.n = 0;
    if (root(&context, &of, &result) == 0 || record.site == 0) return 14;
    puts("ok");
    return 0;
}
"#;

/// Makes the folder of one test: tests run at the same time.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native_objects").join(test);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program.jl"), PROGRAM).unwrap();
    folder
}

fn kiln(folder: &Path, args: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(folder).env("KILN_CACHE", "off").env("NO_COLOR", "1").arg("compile").args(args);
    command.output().unwrap()
}

fn compiled(folder: &Path, args: &[&str]) -> String {
    let output = kiln(folder, args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

const AXPY: &str = "axpy!(Ptr{Float32}, Float32, Ptr{Float32}, Int64)";

/// MISSION G, X2: a program in C calls a kernel and a function, and sees a failure.
#[test]
fn programs_in_c_call_objects() {
    let folder = folder("calls");
    let said =
        compiled(&folder, &["--json", "--name", "axpy", "-o", "axpy.o", "--emit", "obj", "program.jl", AXPY]);
    assert!(said.contains(r#""symbol":"axpy""#) && said.contains(r#""abi":"groups""#), "{said}");
    assert!(said.contains(r#"{"offset":16,"size":8}"#), "{said}");
    let said = compiled(
        &folder,
        &["--json", "--function", "--name", "root", "-o", "root.o", "program.jl", "root(Float64, Int32)"],
    );
    assert!(said.contains(r#""abi":"function""#) && said.contains(r#""result_bytes":8"#), "{said}");
    let mirror = ["--json", "--name", "mirror", "-o", "mirror.o", "program.jl", "mirror!(Ptr{Int64})"];
    let said = compiled(&folder, &mirror);
    assert!(said.contains(r#""abi":"groups""#), "{said}");
    let (_, bytes) = said.split_once(r#""frame_bytes":"#).unwrap();
    let bytes: String = bytes.chars().take_while(char::is_ascii_digit).collect();
    assert_ne!(bytes, "0");
    let Some(cc) =
        ["cc", "clang", "gcc"].into_iter().find(|it| Command::new(it).arg("--version").output().is_ok())
    else {
        eprintln!("skipped: no C compiler");
        return;
    };
    std::fs::write(folder.join("main.c"), MAIN).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let mut build = Command::new(cc);
    build
        .current_dir(&folder)
        .args(["-std=c11", "-Wall", "-Werror", "-o", "main", "main.c", "axpy.o", "mirror.o", "root.o", "-lm"])
        .arg(format!("-DFRAME_BYTES={bytes}"));
    let built = build.arg("-I").arg(include).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("main")).output().unwrap();
    assert_eq!((ran.status.code(), String::from_utf8_lossy(&ran.stdout).trim()), (Some(0), "ok"));
}

/// The assembly is that of the object, with the kernel's name; a processor's own instructions are used.
#[test]
fn assembly_is_for_the_processor_and_has_the_name() {
    let folder = folder("assembly");
    let asm = |target: &str| compiled(&folder, &["-t", target, "--emit", "asm", "program.jl", AXPY]);
    let wide = asm("znver4");
    assert!(wide.contains("zmm") || wide.contains("%k1"), "no AVX-512: {wide}");
    assert!(wide.contains(".globl\t_Z5axpy_") && wide.contains(".size\t_Z5axpy_"), "{wide}");
    let old = asm("nehalem");
    assert!(!old.contains("ymm") && old.contains("mulps"), "{old}");
}

/// Code that another process cannot have is refused, and so is an unknown processor, with the one that was meant.
#[test]
fn what_no_object_can_be_made_of_is_said() {
    let folder = folder("refusals");
    let refused = kiln(&folder, &["-o", "no.o", "program.jl", "symbols!(Ptr{Symbol})"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("symbol or an address of this session"), "{said}");
    let refused = kiln(&folder, &["-t", "znver44", "-o", "no.o", "program.jl", AXPY]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("did you mean `znver4`?"), "{said}");
}
