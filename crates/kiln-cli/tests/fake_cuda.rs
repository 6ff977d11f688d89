//! The calls of kiln to the CUDA driver, recorded by a stand-in: `tests/devices/fake_cuda.rs`. Without a GPU, this tests
//! loading of modules, layout of parameters, the order of copies, events and ends, and reports of errors. Only a GPU
//! tests the results of kernels.
//!
//! MISSION G, U.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The folder with the stand-in, compiled once.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-cuda-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcuda.so.1");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "-C", "debuginfo=0", "-o"]).arg(&library);
    let output = rustc.arg(kiln_testing::repository().join("tests/devices/fake_cuda.rs")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::os::unix::fs::symlink(&library, folder.join("libcuda.so")).unwrap();
    folder
});

/// Runs a program with a variant of the stand-in; returns its output and the calls.
fn run(name: &str, program: &str, differs: &str) -> (Output, Vec<String>) {
    run_with(name, program, differs, None)
}

fn run_with(name: &str, program: &str, differs: &str, library: Option<&Path>) -> (Output, Vec<String>) {
    let file = FOLDER.join(format!("{name}.jl"));
    let log = FOLDER.join(format!("{name}.log"));
    std::fs::write(&file, program).unwrap();
    let _ = std::fs::remove_file(&log);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(["run", "--device", "cuda"]).arg(&file).env("NO_COLOR", "1").env("KILN_CACHE", "off");
    command.env("LD_LIBRARY_PATH", &*FOLDER).env("FAKE_CUDA", differs).env("FAKE_CUDA_LOG", &log);
    command.env_remove("KILN_DEVICE").env_remove("KILN_TOOLS").env_remove("KILN_CUDADEVRT");
    command.envs(library.map(|it| ("KILN_CUDADEVRT", it)));
    let output = command.output().unwrap();
    let calls = std::fs::read_to_string(&log).unwrap_or_default();
    (output, calls.lines().map(|it| it.trim_end().to_owned()).collect())
}

fn succeeds((output, calls): (Output, Vec<String>)) -> (String, Vec<String>) {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}\n{}", calls.join("\n"));
    (stdout.into_owned(), calls)
}

/// The calls but those that only wait, and of those at the end.
fn names(calls: &[String]) -> Vec<&str> {
    calls.iter().filter_map(|it| it.split(' ').next()).collect()
}

const PROGRAM: &str = "\
using CUDA
struct Pair2
    a::Int8
    b::Float64
end
function kernel(y, x, p, flag)
    i = threadIdx().x
    flag && (unsafe_store!(pointer(y), p.b + p.a + x, i))
    return
end
y = CuArray(zeros(4))
println(repr(UInt64(pointer(y))))
@cuda threads=(4, 2) blocks=(3, 5, 7) shmem=100 kernel(y, Int32(77), Pair2(3, 1.5), true)
";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

/// A kernel is loaded once, launched with its parameters in their places, waited for by an event of its own, and everything is
/// given back.
#[test]
fn a_launch_makes_its_calls_in_order() {
    let (printed, calls) = succeeds(run("launch", PROGRAM, ""));
    let address = u64::from_str_radix(printed.trim().trim_start_matches("0x"), 16).unwrap();
    let launches: Vec<&String> = calls.iter().filter(|it| it.starts_with("cuLaunchKernel")).collect();
    let [launch] = launches[..] else { panic!("{}", calls.join("\n")) };
    // The array is its address, its size and its length.
    let array = hex(&[address, 4, 4].map(u64::to_le_bytes).concat());
    let number = hex(&77i32.to_le_bytes());
    let pair = hex(&1.5f64.to_le_bytes());
    assert!(launch.contains("groups=3,5,7 items=4,2,1 shared=100 params="), "{launch}");
    let params: Vec<&str> = launch.rsplit('=').next().unwrap().split(',').collect();
    let [given_array, given_number, given_pair, given_flag] = params[params.len() - 4..] else {
        panic!("{launch}")
    };
    assert_eq!((given_array, given_number, given_flag), (&*array, &*number, "01"));
    assert_eq!((&given_pair[..2], &given_pair[16..]), ("03", &*pair));
    let order = names(&calls);
    let at = |name: &str| order.iter().position(|it| *it == name).unwrap_or_else(|| panic!("{name}"));
    let expected = [
        "cuInit",
        "cuDevicePrimaryCtxRetain",
        "cuStreamCreate",
        "cuModuleLoadDataEx",
        "cuModuleGetFunction",
        "cuLaunchKernel",
        "cuEventRecord",
        "cuEventSynchronize",
    ];
    assert!(expected.is_sorted_by_key(|it| at(it)), "{}", calls.join("\n"));
    let refused = calls.iter().find(|it| it.contains(" = "));
    assert_eq!(refused, None, "no call is refused");
    let count = |name: &str| order.iter().filter(|it| **it == name).count();
    assert_eq!(count("cuEventCreate"), count("cuEventDestroy"), "{}", calls.join("\n"));
    assert_eq!(count("cuModuleLoadDataEx"), 1);
}

/// The copies of 48 bytes, which is what the array of the program is with what is before its elements, and the launches. Records
/// of failures are copied, too.
fn copies(calls: &[String]) -> Vec<&str> {
    let is_array = |it: &&String| it.starts_with("cuMemcpy") && it.ends_with("bytes=56");
    let some = calls.iter().filter(|it| it.starts_with("cuLaunchKernel") || is_array(it));
    some.filter_map(|it| it.split(' ').next()).collect()
}

const TO: &str = "cuMemcpyHtoDAsync";
const LAUNCH: &str = "cuLaunchKernel";
const BACK: &str = "cuMemcpyDtoHAsync";

/// A device that does not reach the host's memory gets a copy before the first launch, whose address the kernel is given, and
/// the host gets back what launches left there when it looks.
#[test]
fn arrays_are_copied_to_a_device_that_reaches_none() {
    let program = format!(
        "{PROGRAM}@cuda threads=4 kernel(y, Int32(1), Pair2(1, 1.0), true)\nprintln(sum(Array(y)))\n"
    );
    let (printed, calls) = succeeds(run("mirrored", &program, "mirrored"));
    let address = u64::from_str_radix(printed.lines().next().unwrap().trim_start_matches("0x"), 16).unwrap();
    assert_eq!(copies(&calls), [TO, LAUNCH, LAUNCH, BACK], "{}", calls.join("\n"));
    let launch = calls.iter().find(|it| it.starts_with("cuLaunchKernel")).unwrap();
    assert!(!launch.contains(&hex(&address.to_le_bytes())), "{launch}");
    assert_eq!(printed.lines().nth(1).unwrap(), "0.0", "kernels of the stand-in do nothing");
}

/// Ten launches on one array copy it once each way, without a wait between them. What the host only reads is not copied
/// again, what it writes is; arrays that the host does not read stay where they are.
#[test]
fn arrays_stay_on_the_device() {
    let launches = "for _ in 1:10\n@cuda threads=4 kernel(y, Int32(1), Pair2(1, 1.0), true)\nend\n";
    let looked_at = |name: &str, between: &str| {
        let program = format!("{PROGRAM}{launches}{between}");
        let (_, calls) = succeeds(run(name, &program, "mirrored"));
        let begin = calls.iter().position(|it| it.starts_with(LAUNCH)).unwrap();
        let end = calls.iter().rposition(|it| it.starts_with(LAUNCH)).unwrap();
        let between = names(&calls[begin..end]);
        let waits = between.iter().filter(|it| it.contains("Synchronize")).count();
        let copied = copies(&calls).into_iter().filter(|it| *it != LAUNCH).map(str::to_owned);
        (copied.collect::<Vec<String>>(), waits)
    };
    let (copied, waits) = looked_at("resident", "println(Array(y))\nprintln(CUDA.@allowscalar(y[1]))\n");
    assert_eq!(copied, [TO, BACK]);
    // One for the records of failures that are made, none for the launches.
    assert!(waits <= 11, "{waits}");
    assert_eq!(looked_at("unseen", "").0, [TO]);
    let launch = "@cuda threads=4 kernel(y, Int32(1), Pair2(1, 1.0), true)\n";
    let read = format!("println(y)\nprintln(Array(y))\n{launch}println(unsafe_load(pointer(y.data)))\n");
    assert_eq!(looked_at("read", &read).0, [TO, BACK, BACK]);
    let written = format!(
        "CUDA.@allowscalar reshape(y, 2, 2)[1, 2] = 4\n{launch}println(collect(reinterpret(Int, Array(y))))\n"
    );
    assert_eq!(looked_at("written", &written).0, [TO, BACK, TO, BACK]);
    let filled = format!("y .= 3\nz = y .+ 1\nprintln(z)\n{launch}println(maximum(y))\n");
    // Operations on whole arrays are kernels.
    assert_eq!(looked_at("filled", &filled).0, [TO, BACK]);
    let field =
        format!("struct Box; a; end\nb = Box((y,))\n{launch}copyto!(zeros(4), b.a[1])\nprintln(y == y)\n");
    assert_eq!(looked_at("field", &field).0, [TO, BACK]);
}

/// An error of the driver is an error of the launch that names the call, with the messages of its compiler.
#[test]
fn refusals_are_said() {
    let said = |name: &str, differs: &str| {
        let (output, _) = run(name, PROGRAM, differs);
        assert_eq!(output.status.code(), Some(1), "{differs}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = said("refused-launch", "refuse:cuLaunchKernel");
    assert!(
        text.contains("cuLaunchKernel on Stand-in GPU: CUDA_ERROR_INVALID_VALUE: as a stand-in says"),
        "{text}"
    );
    let text = said("refused-event", "refuse:cuEventSynchronize");
    assert!(text.contains("cuEventSynchronize on Stand-in GPU"), "{text}");
    let text = said("refused-ptx", "build-error");
    assert!(
        text.contains("does not take the code of `_Z6kernel") && text.contains("ptxas fatal: unheard of"),
        "{text}"
    );
    let text = said("refused-context", "refuse:cuDevicePrimaryCtxRetain");
    assert!(text.contains("cuDevicePrimaryCtxRetain"), "{text}");
}

/// Without a GPU in the machine, or without its driver, the message names the missing part.
#[test]
fn no_driver_and_no_device_are_said() {
    let (output, _) = run("no-device", PROGRAM, "no-device");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("no GPU 0"), "{text}");
    let file = FOLDER.join("no-driver.jl");
    std::fs::write(&file, "println(1)\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(["run", "--device", "cuda:99"]).arg(&file).env_remove("LD_LIBRARY_PATH");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("the CUDA driver has") && text.contains("or is not installed"), "{text}");
}

/// Programs get the driver's answers about their device.
#[test]
fn programs_see_the_device() {
    let program = "using CUDA\nd = device()\nprintln(CUDA.name(d), ' ', capability(d), ' ', CUDA.attribute(d, CUDA.DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), ' ', totalmem(d))\n";
    let (printed, _) = succeeds(run("facts", program, ""));
    assert_eq!(printed.trim(), "Stand-in GPU 8.0.0 108 8589934592");
}

const LAUNCHES: &str = "\
using CUDA
child(y, x) = (unsafe_store!(pointer(y), x, threadIdx().x); return)
parent(y) = (@cuda dynamic=true threads=4 child(y, 2.5); return)
y = CuArray(zeros(4))
@cuda parent(y)
";

/// A kernel that launches kernels is linked with NVIDIA's library for devices by the driver, or it is said that there is none.
#[test]
fn kernels_that_launch_kernels_are_linked() {
    let (output, _) = run("no-library", LAUNCHES, "");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("launches kernels") && text.contains("libcudadevrt.a"), "{text}");
    assert!(text.contains("KILN_CUDADEVRT"), "{text}");
    let library = FOLDER.join("libcudadevrt.a");
    std::fs::write(&library, "!<arch>\n").unwrap();
    let (_, calls) = succeeds(run_with("library", LAUNCHES, "", Some(&library)));
    let linking: Vec<&str> = calls
        .iter()
        .map(String::as_str)
        .filter(|it| it.starts_with("cuLink") || it.starts_with("cuModuleLoad"))
        .collect();
    assert_eq!(
        linking[..4],
        ["cuLinkCreate", "cuLinkAddData kind=1", "cuLinkAddFile kind=4 libcudadevrt.a", "cuLinkComplete"]
    );
    assert!(linking[4] == "cuLinkDestroy" && linking[5].starts_with("cuModuleLoadDataEx"), "{linking:?}");
}

/// NVIDIA's assembler, if it is installed; else `test` is skipped.
fn assembler(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("KILN_PTXAS").map(PathBuf::from);
    let tools = std::env::var_os("KILN_TOOLS").map(|it| Path::new(&it).join("ptxas"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = named.into_iter().chain(tools).chain(std::env::split_paths(&path).map(|it| it.join("ptxas")));
    let found = all.chain(["/usr/local/cuda/bin/ptxas".into()]).find(|it| it.is_file());
    if found.is_none() {
        eprintln!("skipped: {test} (no ptxas)");
    }
    found
}

/// Runs the command in a folder of its own, with a variant of the stand-in; returns its output and the loads of modules.
fn run_in(folder: &Path, differs: &str, args: &[&str], variables: &[(&str, &Path)]) -> (Output, Vec<String>) {
    let log = folder.join("calls.log");
    let _ = std::fs::remove_file(&log);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").env("KILN_CACHE", "off");
    command.env("LD_LIBRARY_PATH", &*FOLDER).env("FAKE_CUDA", differs).env("FAKE_CUDA_LOG", &log);
    for it in ["KILN_DEVICE", "KILN_TOOLS", "KILN_CUDADEVRT", "KILN_PTXAS"] {
        command.env_remove(it);
    }
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let calls = std::fs::read_to_string(&log).unwrap_or_default();
    let loads = calls.lines().filter(|it| it.starts_with("cuModuleLoadDataEx")).map(str::to_owned).collect();
    (output, loads)
}

fn folder(name: &str) -> PathBuf {
    let folder = FOLDER.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("program.jl"), PROGRAM).unwrap();
    folder
}

/// MISSION C9: an image may hold machine code beside PTX. The GPU that it is for loads that, where neither a compiler nor
/// NVIDIA's assembler is; another GPU, and one whose driver does not take it, has the PTX compiled.
#[test]
fn images_hold_machine_code() {
    let Some(assembler) = assembler("images_hold_machine_code") else { return };
    let folder = folder("cubins");
    let nowhere = Path::new("/nowhere");
    let build = |target: &str| {
        let args = ["image", "--json", "build", "-t", target, "--cubin", "program.jl"];
        let (output, _) = run_in(&folder, "", &args, &[("KILN_PTXAS", &assembler)]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(r#""artifacts":1,"machine_code":1,"#), "{said}");
    };
    let run = |differs: &str| {
        let args = ["run", "--timings=json", "--device", "cuda", "--image", "program.kimg", "program.jl"];
        let (output, loads) =
            run_in(&folder, differs, &args, &[("KILN_CODEGEN", nowhere), ("KILN_PTXAS", nowhere)]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains(r#""inferences":0,"#) && said.contains(r#""compiles":0,"#), "{said}");
        (said, loads)
    };
    // The stand-in is of the family sm_80.
    build("sm_80");
    let (said, loads) = run("");
    assert!(loads.len() == 1 && loads[0].starts_with("cuModuleLoadDataEx cubin="), "{loads:?}");
    assert!(!said.contains("warning"), "{said}");
    let (said, loads) = run("no-cubins");
    assert!(loads.len() == 2 && loads[1].starts_with("cuModuleLoadDataEx bytes="), "{loads:?}");
    assert!(said.contains("the machine code of") && said.contains("is not used, but its PTX"), "{said}");
    build("sm_75");
    let (said, loads) = run("");
    assert!(loads.len() == 1 && loads[0].starts_with("cuModuleLoadDataEx bytes="), "{loads:?}");
    assert!(!said.contains("warning"), "{said}");
    let args = ["image", "build", "-t", "sm_80", "--cubin", "program.jl"];
    let (output, _) = run_in(&folder, "", &args, &[("KILN_PTXAS", nowhere)]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("ptxas is not installed"), "{said}");
}

/// MISSION C9, C17: machine code that a command had made, and the store keeps, is what a launch in another process loads.
#[test]
fn the_store_holds_machine_code() {
    let Some(assembler) = assembler("the_store_holds_machine_code") else { return };
    let folder = folder("stored-cubins");
    let cache = folder.join("cache");
    let stored = [("KILN_CACHE", Path::new("rw")), ("KILN_CACHE_DIR", &*cache), ("KILN_PTXAS", &*assembler)];
    let run = || {
        let (output, loads) = run_in(&folder, "", &["run", "--device", "cuda", "program.jl"], &stored);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(loads.len(), 1);
        loads[0].starts_with("cuModuleLoadDataEx cubin=")
    };
    assert!(!run(), "nothing was made yet");
    let signature = "kernel(CuDeviceVector{Float64,1}, Int32, Pair2, Bool)";
    for (target, is_used) in [("sm_90", false), ("sm_80", true)] {
        let args = ["compile", "-t", target, "--emit", "bin", "-o", "out.cubin", "program.jl", signature];
        let (output, _) = run_in(&folder, "", &args, &stored);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(run(), is_used, "{target}");
    }
}

/// MISSION G, C9: kernels that launch kernels on the device have these in their own code, so an image has them, too.
#[test]
fn images_hold_kernels_that_kernels_launch() {
    let folder = folder("dynamic");
    std::fs::write(folder.join("program.jl"), LAUNCHES).unwrap();
    let library = folder.join("libcudadevrt.a");
    std::fs::write(&library, "!<arch>\n").unwrap();
    let (output, _) = run_in(&folder, "", &["image", "build", "-t", "sm_80", "program.jl"], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let args = ["run", "--timings=json", "--device", "cuda", "--image", "program.kimg", "program.jl"];
    let there = [("KILN_CODEGEN", Path::new("/nowhere")), ("KILN_CUDADEVRT", &*library)];
    let (output, loads) = run_in(&folder, "", &args, &there);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && loads.len() == 1, "{said}");
    assert!(said.contains(r#""inferences":0,"#) && said.contains(r#""compiles":0,"#), "{said}");
}
const FAILS: &str = "\
using CUDA
function refused!(a, n)
    n < 4 && throw(DomainError(n, \"too few\"))
    unsafe_store!(pointer(a), n)
    return
end
a = CuArray([0])
";

/// MISSION R5, V1: a failure that left nothing but its site is told by its kind and its line; values that were not kept are not
/// shown, and how to have them is said.
#[test]
fn values_that_were_not_kept_are_not_shown() {
    let caught = "try
    @cuda debug_level=0 refused!(a, 3)
    synchronize()
catch e
    println(typeof(e))
end
";
    for launch in ["@cuda debug_level=0 refused!(a, 3)\nsynchronize()\n", caught] {
        let program = format!("{FAILS}{launch}");
        let (output, _) = run("fails", &program, "fails");
        let [printed, said] =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        if launch == caught {
            assert_eq!(printed, "Base.Device.KernelException\n", "{said}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("DomainError in a kernel (debug level 0 keeps no values)"), "{said}");
        assert!(said.contains("fails.jl:3:14") && said.contains("`debug_level=1`"), "{said}");
        assert!(said.contains("refused! [debug level 0 records no work-item]"), "{said}");
        assert!(!said.contains("DomainError with") && !said.contains("help: too few"), "{said}");
    }
}
