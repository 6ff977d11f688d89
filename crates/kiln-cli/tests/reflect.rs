//! Stages of a kernel as `kiln reflect` shows them: its machine code, and that showing a stage compiles nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::cache::{Class, Config, Listed, Store, bundle};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Machine code of `signature` in a file with this text; `None` where there is no disassembler.
fn native(name: &str, text: &str, signature: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command.args(["reflect", "native"]).arg(&file).arg(signature).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("no disassembler") {
        eprintln!("skipped: no disassembler");
        return None;
    }
    assert!(output.status.success(), "{stderr}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// A tuple is searched by one comparison for each element: the code of sixteen is not a power of two larger.
#[test]
fn a_tuple_is_searched_once() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("search.jl");
    std::fs::write(&file, "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(["reflect", "typed"]).arg(&file).arg("in(Any, NTuple{16, Symbol})").env("KILN_CACHE", "off");
    let output = command.output().unwrap();
    let code = String::from_utf8(output.stdout).unwrap();
    let compared = code.lines().filter(|it| it.contains("===")).count();
    assert!(code.lines().count() < 1000 && compared >= 16, "{code}");
}

/// Several items go into one vector, whether or not every access is checked, and whether indices have 32 bits
/// (CUDA) or 64 (KernelAbstractions).
#[test]
fn saxpy_is_made_of_packed_instructions() {
    let cuda = "using CUDA
function saxpy!(y, a, x)
    i = (blockIdx().x - 1) * blockDim().x + threadIdx().x
    if i <= length(y)
        y[i] = y[i] + a * x[i]
    end
    return
end
";
    let inbounds = cuda.replace("        y[i] =", "        @inbounds y[i] =");
    let signature = "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";
    for (name, text) in [("saxpy_checked.jl", cuda), ("saxpy_inbounds.jl", &inbounds)] {
        let Some(code) = native(name, text, signature) else { return };
        let packed = |it: &str| code.lines().any(|line| line.contains(it));
        assert!(packed("mulps") && packed("addps"), "{name}: {code}");
        // A comment before the instructions of each statement says where it stands.
        let store = if name == "saxpy_checked.jl" { "saxpy_checked.jl:5" } else { "saxpy_inbounds.jl:5" };
        assert!(code.lines().any(|it| it.starts_with("; ") && it.contains(store)), "{code}");
        // The loop that most items run in asks nothing of each but whether the row has ended.
        assert!(!packed("maskmov"), "{name}: {code}");
    }
}

const CALLING: &str = "\
using CUDA

@noinline scaled(x) = 3 * x
function calling!(y)
    y[threadIdx().x] = scaled(threadIdx().x)
    return
end
";

const LAUNCH: &str = "@cuda threads=4 calling!(CUDA.zeros(Int, 4))\n";

const STAGES: [&str; 5] = ["lowered", "typed", "emitted", "llvm", "native"];

/// A directory with `calling.jl`, in which caches are made.
fn calling(name: &str, launches: bool) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reflect-{name}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let text = if launches { format!("{CALLING}{LAUNCH}") } else { CALLING.to_owned() };
    std::fs::write(dir.join("calling.jl"), text).unwrap();
    dir
}

/// Runs the command in a directory; returns its output and the number of units it compiled.
fn counted(dir: &Path, mode: &str, args: &[&str]) -> (String, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.current_dir(dir).env("KILN_CACHE_DIR", dir.join("cache")).env("KILN_CACHE", mode);
    let output = command.args(args).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let (_, rest) = errors.split_once("\"compiles\":").unwrap();
    let compiles = rest[..rest.find(',').unwrap()].parse().unwrap();
    (String::from_utf8(output.stdout).unwrap(), compiles)
}

fn shown(dir: &Path, mode: &str, stage: &str) -> (String, u64) {
    let signature = "calling!(CuDeviceVector{Int64,1})";
    counted(dir, mode, &["reflect", "--timings=json", stage, "calling.jl", signature])
}

/// MISSION C8: every stage of a kernel that another process compiled is shown without compiling, and is what compiling it
/// now would show.
#[test]
fn stages_of_a_cached_kernel_are_shown_and_not_made() {
    let (fresh, dir) = (calling("fresh", false), calling("cached", false));
    assert_eq!(shown(&dir, "rw", "llvm").1, 2);
    for process in 0..2 {
        for stage in STAGES {
            let (cached, compiles) = shown(&dir, "rw", stage);
            assert_eq!(compiles, 0, "{stage}, {process}");
            assert!(cached == shown(&fresh, "off", stage).0, "{stage}, {process}");
        }
    }
    let (emitted, llvm) = (shown(&dir, "rw", "emitted").0, shown(&dir, "rw", "llvm").0);
    let bodies = |it: &str| it.matches("define internal i32 @f0(").count();
    assert_eq!((bodies(&emitted), bodies(&llvm)), (1, 0), "the passes have inlined the body");
    let defined = llvm.lines().filter(|it| it.starts_with("define ") && !it.contains(" internal "));
    let name = |it: &str| it.split(['@', '(']).find(|it| ["entry", "f0"].contains(it)).map(str::to_owned);
    let defined: Vec<String> = defined.filter_map(name).collect();
    assert_eq!(defined, ["entry", "f0"], "the unit it calls comes after it");
}

/// The same in a process that launches the kernel, with a cache and without.
#[test]
fn stages_of_a_launched_kernel_are_shown_and_not_made() {
    let dir = calling("launched", true);
    let (_, launched) = counted(&dir, "off", &["run", "--timings=json", "calling.jl"]);
    assert!(launched >= 2);
    let without = STAGES.map(|it| shown(&dir, "off", it));
    let with = STAGES.map(|it| shown(&dir, "rw", it));
    for (at, (text, compiles)) in without.iter().enumerate() {
        assert_eq!(*compiles, launched, "{}", STAGES[at]);
        assert!(with[at].0 == *text, "{}", STAGES[at]);
    }
    assert_eq!(with.map(|it| it.1), [launched, 0, 0, 0, 0]);
}

/// Stages that have been evicted are made again.
#[test]
fn stages_that_are_gone_are_made_again() {
    let (dir, other) = (calling("whole", false), calling("part", false));
    let (text, _) = shown(&dir, "rw", "llvm");
    let store = Store::open(Config::new(dir.join("cache"))).unwrap();
    let bundle = dir.join("bundle");
    let is_unit = |it: &Listed| it.key.class() == Class::Codegen;
    let report =
        bundle::export(&store, &bundle, &|it| is_unit(it) && !it.key.subject().starts_with("stages of"))
            .unwrap();
    assert_eq!(report.entries, 4, "two keys of two units");
    bundle::import(&Store::open(Config::new(other.join("cache"))).unwrap(), &bundle).unwrap();
    assert_eq!(shown(&other, "rw", "native").1, 0);
    let (again, compiles) = shown(&other, "rw", "llvm");
    assert!(again == text && compiles == 2, "{compiles}");
}

/// The stages are those that the launch saw, overlay tables included.
#[test]
fn a_launched_kernel_is_shown_as_it_was_launched() {
    let dir = calling("overlay", true);
    let replaced =
        CALLING.replace("function calling!", "CUDA.@device_override scaled(x) = 7 * x\nfunction calling!");
    std::fs::write(dir.join("calling.jl"), format!("{replaced}{LAUNCH}")).unwrap();
    let (text, _) = shown(&dir, "off", "typed");
    assert!(text.contains("mul_int(7,"), "{text}");
}

/// MISSION D4: what LLVM is left with is the address of a function; the look-up and the call through it are gone.
#[test]
fn a_look_up_becomes_an_address() {
    let text = "using CUDA
using Base.Device: deferred, deferred_call
@noinline square(x) = x * x
@noinline cube(x) = x * x * x
@noinline through(p, x) = deferred_call(p, Float32, x)
kernel!(y, b) = (y[1] = through(b ? deferred(square, 1f0) : deferred(cube, 1f0), y[1]); return)
";
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("looked_up.jl");
    std::fs::write(&file, text).unwrap();
    let reflect = |signature: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        let output = command.args(["reflect", "llvm"]).arg(&file).arg(signature).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let kernel = reflect("kernel!(CuDeviceVector{Float32,1}, Bool)");
    assert!(kernel.contains("ptr @adapter0, ptr @adapter1"), "{kernel}");
    assert!(!kernel.contains("deferred") && !kernel.contains("gpuc"), "{kernel}");
}

const DIVERGENT: &str = "\
using CUDA

@noinline turns(x, n) = (k = 0; while k < n && x < 1.0f6; x *= x; k += 1; end; k)
function k!(o, a, b, n)
    i = threadIdx().x
    s = b[1]
    if a[i] > s
        @inbounds o[i] = a[i] * 2
        @inbounds o[2i] = s
    end
    @inbounds o[i] += turns(a[i], n)
    return
end
";

/// MISSION P1: the divergence of items is shown beside the lines of the source, also of callees that are not inlined, and as JSON; a
/// device that runs items by itself has no loops to analyse.
#[test]
fn divergence_is_shown_by_lines() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("divergence.jl");
    std::fs::write(&file, DIVERGENT).unwrap();
    let signature =
        "k!(CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1}, CuDeviceVector{Float32,1}, Int)";
    let reflect = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.args(["reflect", "divergence"]).args(options).arg(&file).arg(signature).output().unwrap()
    };
    let shown = reflect(&["-t", "x86-64-v4"]);
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let text = String::from_utf8(shown.stdout).unwrap();
    let has = |parts: &[&str]| text.lines().any(|line| parts.iter().all(|it| line.contains(it)));
    assert!(has(&["k!(", "16 items at once"]), "{text}");
    assert!(has(&["all", "uniform load", "s = b[1]"]), "{text}");
    assert!(has(&["vector load", "divergent branch"]), "{text}");
    assert!(has(&["some", "vector store", "o[i] = a[i] * 2"]), "{text}");
    assert!(has(&["some", "scatter of stride 8", "o[2i] = s"]), "{text}");
    assert!(has(&["vector load", "vector store", "vector call"]), "{text}");
    assert!(has(&["turns(Float32, Int64)", "16 items at once"]), "{text}");
    assert!(has(&["a loop that items leave one by one"]), "{text}");
    let told = reflect(&["-t", "x86-64-v4", "--json"]);
    let json = String::from_utf8(told.stdout).unwrap();
    assert!(json.starts_with("{\"loops\":[{\"function\":\"k!("), "{json}");
    let scatter = "{\"operation\":\"scatter\",\"value\":\"consecutive\",\"stride\":8,\"some_items\":true";
    assert!(json.contains(scatter), "{json}");
    let device = reflect(&["-t", "sm_80"]);
    let problem = String::from_utf8_lossy(&device.stderr).into_owned();
    assert!(!device.status.success() && problem.contains("sm_80 runs items by itself"), "{problem}");
}

/// The file runs first, with the arguments that it is given.
#[test]
fn the_file_has_arguments() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reflect_arguments.jl");
    std::fs::write(&file, "const BY = parse(Int, ARGS[1])\nscaled(x) = BY * x\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(["reflect", "typed"]).arg(&file).args(["scaled(Int64)", "--", "1234"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("1234"), "{text}");
}
