//! Programs whose kernels run on a device with a driver of its own: they behave as on the processor.
//!
//! `make test-opencl` runs these with an OpenCL driver for CPUs; there a missing one fails. Elsewhere they are skipped
//! where there is none, and say so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod opencl;
mod project;

use opencl::{kiln, printed, run};
use std::collections::BTreeMap;

/// Whether the test that is called so is skipped.
fn is_skipped(test: &str) -> bool {
    let reason = opencl::reason_to_skip();
    reason.inspect(|it| eprintln!("skipped: {test} ({it})")).is_some()
}

/// MISSION G: a failing item is told of in the same words: what, where, which item, and through which calls.
#[test]
fn failures_are_told_alike() {
    if is_skipped("failures_are_told_alike") {
        return;
    }
    for (name, what) in [("bounds", "bounds.jl:3"), ("divide", "divide.jl:5")] {
        let file = format!("tests/devices/{name}.jl");
        let [expected, got] = ["cpu", "opencl"].map(|device| {
            let output = run(&file, device);
            assert_eq!(output.status.code(), Some(1));
            String::from_utf8(output.stderr).unwrap()
        });
        assert!(expected.contains(what), "{expected}");
        assert_eq!(expected, got);
    }
}

/// Runs a program on an OpenCL device that works on arrays in place, or on copies; returns its output, status and errors.
fn run_on_opencl(file: &str, copies_arrays: bool) -> (String, Option<i32>, String) {
    let mut command = kiln();
    command.env("KILN_COPY_ARRAYS", if copies_arrays { "1" } else { "0" });
    let output = command.args(["run", "--timings=json", "--device", "opencl", file]).output().unwrap();
    let [printed, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    (printed, output.status.code(), said)
}

/// The bytes of arrays that were copied to devices, and from them, by what `--timings=json` has said.
fn bytes_copied(said: &str) -> [u64; 2] {
    ["bytes_to_devices", "bytes_from_devices"].map(|name| number_of(said, name))
}

/// A number of `--timings=json`.
fn number_of(said: &str, name: &str) -> u64 {
    let (_, rest) = said.split_once(&format!("\"{name}\":")).unwrap();
    rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
}

/// MISSION G: hundreds of launches, and looks at their arrays in every way that there is, make the same of them on a device that
/// has them where they are and on one that has copies, which stay there: arrays that the host does not read are not copied back.
#[test]
fn arrays_are_what_launches_and_the_host_made_of_them() {
    if is_skipped("arrays_are_what_launches_and_the_host_made_of_them") {
        return;
    }
    let file = "tests/devices/residency.jl";
    let expected = printed(file, "cpu").unwrap();
    assert_eq!(expected.lines().count(), 16);
    for copies_arrays in [false, true] {
        let (got, status, said) = run_on_opencl(file, copies_arrays);
        assert_eq!((got, status), (expected.clone(), Some(0)), "{said}");
        let copied = bytes_copied(&said);
        assert_eq!(copied.iter().all(|it| *it > 0), copies_arrays, "{copied:?}");
        // Of the arrays that are left behind one in eight is looked at.
        assert!(copied[1] <= copied[0] / 4, "{copied:?}");
    }
}

/// MISSION G: compiled host code that launches sees the elements that its kernels made, in callees, through variables and by
/// dispatch, too; and what a launch threw, where it looks.
#[test]
fn compiled_host_code_sees_what_it_launched() {
    if is_skipped("compiled_host_code_sees_what_it_launched") {
        return;
    }
    let file = "tests/devices/launching_host_code.jl";
    let expected = printed(file, "cpu").unwrap();
    assert_eq!(expected.lines().count(), 18);
    for copies_arrays in [false, true] {
        let (got, status, said) = run_on_opencl(file, copies_arrays);
        assert_eq!((got, status), (expected.clone(), Some(0)), "{said}");
    }
}

/// MISSION G: compiled host code that launches by calls that it does not know copies back no array that it does not look at.
#[test]
fn unknown_calls_that_launch_copy_nothing_back() {
    if is_skipped("unknown_calls_that_launch_copy_nothing_back") {
        return;
    }
    let file = "tests/devices/unknown_launches.jl";
    let expected = printed(file, "cpu").unwrap();
    assert_eq!(expected, "4000\n2000.0 2000.0 0.0\n");
    for copies_arrays in [false, true] {
        let (got, status, said) = run_on_opencl(file, copies_arrays);
        assert_eq!((got, status), (expected.clone(), Some(0)), "{said}");
        let [to, from] = bytes_copied(&said);
        // The array goes there once, and back once at the end, but for the few launches before the caller is compiled.
        assert!(to <= 16 << 20 && from <= 16 << 20, "{to} {from}");
    }
}

/// MISSION G: operations on whole arrays are launches, and leave the elements on the device: what is copied there is the program's
/// array, and what comes back are single results and the few elements that the program looks at.
#[test]
fn operations_on_arrays_stay_on_the_device() {
    if is_skipped("operations_on_arrays_stay_on_the_device") {
        return;
    }
    let file = "tests/devices/array_operations.jl";
    let expected = printed(file, "cpu").unwrap();
    assert_eq!(expected, "(524288, 1.572864f6, true, true, (1024, 1))\n".repeat(3));
    for copies_arrays in [false, true] {
        let (got, status, said) = run_on_opencl(file, copies_arrays);
        assert_eq!((got, status), (expected.clone(), Some(0)), "{said}");
        let launches: u64 = number_of(&said, "kernels_launched");
        assert!(launches >= 3 * 30, "{launches}");
        let [to, from] = bytes_copied(&said);
        let array = if copies_arrays { 4 << 20 } else { 0 };
        assert!((array..=array + (64 << 10)).contains(&to) && from <= 64 << 10, "{to} {from}");
    }
}

const STREAMS: &str = "\
over at once: false
another stream: [6, 7]
over: true true
launched
item of launch 1
item of launch 2
not the stream that was waited for
item of launch 3
BoundsError nothing [7, 8]
nothing BoundsError [7, 8]
nothing BoundsError nothing
in the order of launches: [9, 10]
the end
item of launch 4
";

/// MISSION G, R3: launches return at once; what items print and throw comes at the next synchronization: of their stream, an
/// event, an array of theirs, or the end of the program.
#[test]
fn launches_surface_at_synchronizations() {
    if is_skipped("launches_surface_at_synchronizations") {
        return;
    }
    for copies_arrays in [false, true] {
        let (got, status, said) = run_on_opencl("tests/devices/streams.jl", copies_arrays);
        assert_eq!((got.as_str(), status), (STREAMS, Some(1)), "{said}");
        assert!(said.contains("error[bounds-error]") && said.contains("streams.jl:11"), "{said}");
    }
}

/// Launches by items that there is no room to keep are an error, never fewer launches.
#[test]
fn launches_are_not_lost() {
    if is_skipped("launches_are_not_lost") {
        return;
    }
    let file = "tests/devices/launches_lost.jl";
    assert_eq!(printed(file, "cpu").unwrap(), "16384\n");
    let why = printed(file, "opencl").unwrap_err();
    assert!(why.contains("`parent` asked for more than a launch has room for"), "{why}");
}

/// Another process finds the compiled code: it compiles nothing, also not for the device.
#[test]
fn a_second_process_compiles_nothing() {
    if is_skipped("a_second_process_compiles_nothing") {
        return;
    }
    let store = std::env::temp_dir().join(format!("kiln-devices-{}", std::process::id()));
    let compiles = || {
        let mut command = kiln();
        command.env("KILN_CACHE", "rw").env("KILN_CACHE_DIR", &store);
        let output = command
            .args(["run", "--timings=json", "--device", "opencl", "tests/programs/cuda_saxpy.jl"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        let count = text.split(r#""compiles":"#).nth(1).unwrap();
        let count: u64 = count.split(|it: char| !it.is_ascii_digit()).next().unwrap().parse().unwrap();
        assert!(
            text.contains(r#""kernels_launched":"#) && !text.contains(r#""kernels_launched":0"#),
            "{text}"
        );
        count
    };
    let (first, second) = (compiles(), compiles());
    let _ = std::fs::remove_dir_all(&store);
    assert!(first > 0 && second == 0, "{first} and then {second}");
}

const IMAGED: &str = "\
using CUDA, KernelAbstractions
@noinline scaled(x) = 2 * x
function doubled!(y, s)
    y[threadIdx().x] = s === :up ? scaled(threadIdx().x) : 0
    return
end
@kernel function reversed!(y)
    tile = @localmem Int (4,)
    tile[@index(Local)] = @index(Global)
    @synchronize
    y[@index(Global)] = tile[5 - @index(Local)]
end
y = CUDA.zeros(Int, 4)
@cuda threads=4 doubled!(y, :up)
println(Array(y))
reversed!(CUDABackend(), 4)(y; ndrange = 4)
println(Array(y))
@cuda threads=4 maxthreads=64 name=\"zeroed\" doubled!(y, :down)
println(Array(y))
last!(y, x) = (y[threadIdx().x] = x; return)
first!(y) = (@cuda dynamic=true threads=4 last!(y, 7); return)
@cuda first!(y)
println(Array(y))
println(Array(y .+ 1), sum(y))
";

/// MISSION C9, C11, C17: a program whose image was built for such a device, where there was none, launches its kernels there
/// and infers, compiles and links nothing, nor does what its kernels launch or an operation on an array: there is no code
/// generator. What was edited since is compiled.
#[test]
fn an_image_is_used_on_a_device() {
    if is_skipped("an_image_is_used_on_a_device") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("kiln-device-image-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [program, image] = ["program.jl", "program.kimg"].map(|it| folder.join(it).display().to_string());
    std::fs::write(&program, IMAGED).unwrap();
    let run_with_image = |codegen: Option<&str>| {
        let mut command = kiln();
        codegen.map(|it| command.env("KILN_CODEGEN", it));
        command.args(["run", "--timings=json", "--device", "opencl", "--image", &image, &program]);
        let output = command.output().unwrap();
        let [printed, said] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        assert!(output.status.success(), "{said}");
        let count = |name: &str| -> u64 {
            let (_, rest) = said.split_once(&format!("\"{name}\":")).unwrap();
            rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
        };
        (printed, ["inferences", "compiles", "device_links", "kernels_launched"].map(count))
    };
    for target in ["spirv64", "sm_90,spirv64-v1.0,gfx1100"] {
        let args = ["image", "build", "-t", target, "-o", &image, &program];
        let built = kiln().args(args).env_remove("OPENCL_DYLIB_PATH").output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let expected = (
            "[2, 4, 6, 8]\n[4, 3, 2, 1]\n[0, 0, 0, 0]\n[7, 7, 7, 7]\n[8, 8, 8, 8]28\n".to_owned(),
            [0, 0, 0, 8],
        );
        assert_eq!(run_with_image(Some("/nowhere")), expected, "{target}");
    }
    std::fs::write(&program, IMAGED.replace("2 * x", "3 * x")).unwrap();
    let (printed, [inferred, compiled, linked_module, _]) = run_with_image(None);
    assert_eq!(printed, "[3, 6, 9, 12]\n[4, 3, 2, 1]\n[0, 0, 0, 0]\n[7, 7, 7, 7]\n[8, 8, 8, 8]28\n");
    assert!(inferred > 0);
    assert_eq!(
        (compiled, linked_module),
        (3, 2),
        "what was edited, and the kernel that calls it, with either bounds"
    );
    let _ = std::fs::remove_dir_all(&folder);
}

/// Units in the last place between two floats by their bits, of numbers of `width` bits; `None` if only one is a NaN.
fn distance(width: u32, a: &str, b: &str) -> Option<u64> {
    if a == "nan" || b == "nan" {
        return (a == b).then_some(0);
    }
    // Of the bits as sign and magnitude, the number of the float in their order.
    let rank = |text: &str| {
        let bits = i128::from(u64::from_str_radix(text, 16).unwrap());
        let sign = 1i128 << (width - 1);
        if bits & sign == 0 { bits } else { sign - bits }
    };
    Some(rank(a).abs_diff(rank(b)) as u64)
}

/// Most units in the last place that functions of the library may differ by: they are the driver's where they are more than
/// a few steps of the library's own.
const ULP_MAX: u64 = 2;

/// MISSION G: generated kernels compute the same everywhere: integers of all widths, conversions, atomic operations, and of
/// floats what IEEE 754 defines, to the bit, special values among them; other functions within [`ULP_MAX`].
#[test]
fn devices_compute_the_same() {
    if is_skipped("devices_compute_the_same") {
        return;
    }
    let [expected, got] = std::thread::scope(|both| {
        let run = |it| printed("tests/devices/differential.jl", it).unwrap();
        ["cpu", "opencl"].map(|it| both.spawn(move || run(it))).map(|it| it.join().unwrap())
    });
    let lines = |text: &str| -> BTreeMap<(String, String), Vec<String>> {
        let lines = text.lines().map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            let (how, name) = (words.next().unwrap(), words.next().unwrap());
            ((how, name.clone() + if line.contains("Float32") { " 32" } else { " 64" }), words.collect())
        });
        lines.collect()
    };
    let mut failures = Vec::new();
    let (expected, got) = (lines(&expected), lines(&got));
    assert!(expected.len() > 150 && expected.keys().eq(got.keys()), "{} lines", expected.len());
    for ((how, name), values) in &expected {
        let others = &got[&(how.clone(), name.clone())];
        let width = if name.ends_with("32") { 32 } else { 64 };
        let agree = match how.as_str() {
            "exact" => values == others,
            "near" => values
                .iter()
                .skip(1)
                .zip(others.iter().skip(1))
                .all(|(a, b)| distance(width, a, b).is_some_and(|it| it <= ULP_MAX)),
            other => panic!("a line begins with {other}"),
        };
        if !agree {
            failures.push(format!("{name}\n{}\n{}", values.join(" "), others.join(" ")));
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

/// A device that there is not is said, and so is one that is none.
#[test]
fn missing_devices_are_said() {
    for (device, status, what) in [("cuda:99", 1, "no GPU 99"), ("toaster", 2, "`toaster` is no device")] {
        let output = run("examples/nbody.jl", device);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{stderr}");
        assert!(stderr.contains(what), "{stderr}");
    }
}

/// A program can ask for the device that kernels run on.
#[test]
fn the_device_is_said() {
    let said = |device: &str| {
        let output =
            kiln().args(["run", "--verbose", "--device", device, "examples/mandelbrot.jl"]).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said("cpu").contains("kernels run on this machine's processor"), "{}", said("cpu"));
    if !is_skipped("the_device_is_said") {
        assert!(said("opencl").contains("(spirv64"), "{}", said("opencl"));
    }
}
