//! Images with kernels for devices: built where there are none, used without a compiler, refused when they cannot be right.
//! Running what they hold on a device is in `devices.rs`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::fs;
use std::process::Output;

const PROGRAM: &str = "\
using CUDA, KernelAbstractions, PrecompileTools

@noinline scaled(x) = 2 * x
function first!(y, s)
    y[threadIdx().x] = s === :up ? scaled(threadIdx().x) : 0
    return
end
function second!(y)
    y[threadIdx().x] = 10
    return
end
function third!(y, n)
    y[threadIdx().x] = n
    return
end
@kernel function tiled!(y)
    tile = @localmem Int (4,)
    tile[@index(Local)] = @index(Global)
    @synchronize
    y[@index(Global)] = tile[5 - @index(Local)]
end
total(n) = (s = 0; for i in 1:n; s += i; end; s)

@compile_workload begin
    x = CUDA.zeros(Int, 4)
    @cuda threads=4 second!(x)
    precompile(total, (Int,))
    precompile(third!, (CuDeviceVector{Int,1}, Int))
end
y = CUDA.zeros(Int, 4)
@cuda threads=4 first!(y, :up)
tiled!(CUDABackend(), 4)(y; ndrange = 4)
";

const TARGETS: [&str; 3] = ["sm_90", "gfx1100", "spirv64"];
/// The kernels that the program launches and precompiles, as `kiln compile` names them.
const KERNELS: [&str; 4] = [
    "first!(CuDeviceVector{Int,1}, Symbol)",
    "second!(CuDeviceVector{Int,1})",
    "third!(CuDeviceVector{Int,1}, Int)",
    "tiled!(CuDeviceVector{Int,1})",
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn total(output: &Output, name: &str) -> u64 {
    let errors = text(&output.stderr);
    let (_, rest) = errors.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{errors}"));
    rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
}

/// A project without a cache, with the image of its program built, and the output of the build.
fn built(name: &str, targets: &str, program: &str) -> (Project, Output) {
    let project = Project::new(name);
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let args = ["image", "--json", "build", "-t", targets, "program.jl"];
    // A device that is not here is not asked for.
    let output = project.command("off", &args).env("KILN_DEVICE", "cuda:99").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (project, output)
}

/// Compiles a kernel with the image, where there is no code generator.
fn from_image(project: &Project, image: &str, target: &str, kernel: &str) -> Output {
    let args =
        ["compile", "--timings=json", "--image", image, "-t", target, "-o", "out", "program.jl", kernel];
    project.command("off", &args).env("KILN_CODEGEN", "/nowhere").output().unwrap()
}

/// MISSION C9, C17: an image holds what each listed device loads, of launches, of KernelAbstractions', of workloads and of
/// what is precompiled. Another process takes all of it from there, infers nothing, and has no code generator.
#[test]
fn an_image_is_for_devices_that_are_not_here() {
    let (project, output) = built("whole", &TARGETS.join(","), PROGRAM);
    let said = text(&output.stdout);
    assert!(said.contains(r#""devices":["sm_90","gfx1100","spirv64"]"#), "{said}");
    assert!(said.contains(r#""device_kernels":15,"#) && said.contains(r#""artifacts":15,"#), "{said}");
    assert!(!text(&output.stderr).contains("lacks"), "{}", text(&output.stderr));
    let shown = project.kiln("off", &["image", "--json", "show", "program.kimg"]);
    for target in TARGETS {
        let artifacts = text(&shown.stdout).matches(&format!(r#""device":"{target}""#)).count();
        // One more fills the new arrays.
        assert_eq!(artifacts, KERNELS.len() + 1, "{target}: {}", text(&shown.stdout));
        for kernel in KERNELS.into_iter().take(3) {
            let output = from_image(&project, "program.kimg", target, kernel);
            assert!(output.status.success(), "{target} {kernel}: {}", text(&output.stderr));
            let counts =
                ["inferences", "compiles", "device_links", "typed_stale"].map(|it| total(&output, it));
            assert_eq!(counts, [0; 4], "{target} {kernel}");
            let imaged = fs::read(project.dir.join("out")).unwrap();
            let args = ["compile", "-t", target, "-o", "out", "program.jl", kernel];
            assert!(project.kiln("off", &args).status.success());
            assert!(imaged == fs::read(project.dir.join("out")).unwrap(), "{target} {kernel}");
        }
    }
}

/// MISSION C9: the processor's part of such an image is what it is without devices.
#[test]
fn the_processor_has_its_part() {
    let (project, _) = built("processor", "sm_90", &format!("{PROGRAM}println(Array(y), total(4))\n"));
    let args = ["run", "--timings=json", "--device", "cpu", "--image", "program.kimg", "program.jl"];
    let output = project.command("off", &args).env("KILN_CODEGEN", "/nowhere").output().unwrap();
    assert_eq!(text(&output.stdout), "[4, 3, 2, 1]10\n", "{}", text(&output.stderr));
    assert_eq!(["inferences", "compiles"].map(|it| total(&output, it)), [0; 2]);
}

/// MISSION C9, N2: building again gives the same bytes, with a cache or without.
#[test]
fn equal_builds_make_equal_images() {
    let (project, _) = built("equal", &TARGETS.join(","), PROGRAM);
    let first = fs::read(project.dir.join("program.kimg")).unwrap();
    for mode in ["off", "rw", "rw"] {
        let targets = TARGETS.join(",");
        let args = ["image", "build", "-t", &targets, "program.jl", "-o", "again.kimg"];
        assert!(project.kiln(mode, &args).status.success());
        assert!(fs::read(project.dir.join("again.kimg")).unwrap() == first, "{mode}");
    }
}

/// MISSION C9, C14: of an image of an older text, what an edit reaches is made again for a device, and nothing else.
#[test]
fn an_edit_costs_what_it_reaches() {
    let (project, _) = built("edited", "sm_90", PROGRAM);
    let edited = PROGRAM.replace("2 * x", "5 * x");
    fs::write(project.dir.join("program.jl"), edited).unwrap();
    let compile = |kernel: &str| {
        let image = ["--image", "program.kimg"];
        let fixed = ["compile", "--timings=json", "-t", "sm_90", "-o", "out"];
        let output = project.kiln("off", &[&fixed[..], &image, &["program.jl", kernel]].concat());
        ["inferences", "compiles", "device_links"].map(|it| total(&output, it))
    };
    let [inferred, compiled, linked_module] = compile(KERNELS[0]);
    assert!(inferred > 0, "the edited method and what calls it");
    // The file's own launch has the edited method compiled for the processor as well.
    assert_eq!((compiled, linked_module), (1 + 1 + 1, 1));
    let [_, compiled, linked_module] = compile(KERNELS[1]);
    assert_eq!(
        (compiled, linked_module),
        (1, 0),
        "a kernel that the edit does not reach is taken from the image"
    );
}

/// MISSION C9, N9: an image that is damaged, or of another version, is refused, or lacks what is damaged; what comes of the
/// work done afresh is the same.
#[test]
fn a_bad_image_is_refused() {
    let (project, _) = built("bad", "sm_90", PROGRAM);
    let compile = |image: &str| {
        let args = ["compile", "--image", image, "-t", "sm_90", "-o", "out", "program.jl", KERNELS[0]];
        let output = project.kiln("off", &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (fs::read(project.dir.join("out")).unwrap(), text(&output.stderr))
    };
    let (right, said) = compile("program.kimg");
    assert!(!said.contains("warning"), "{said}");
    let whole = fs::read(project.dir.join("program.kimg")).unwrap();
    let mut newer = whole.clone();
    newer[8] += 1;
    let mut damaged = whole.clone();
    (whole.len() / 2..whole.len()).step_by(64).for_each(|at| damaged[at] ^= 0x10);
    let cases = [
        ("version", newer),
        ("cut short", whole[..whole.len() - 1].to_vec()),
        ("of the image are damaged", damaged),
    ];
    for (why, bytes) in cases {
        fs::write(project.dir.join("bad.kimg"), bytes).unwrap();
        let (made, said) = compile("bad.kimg");
        assert!(said.contains(why), "{why}: {said}");
        assert!(made == right, "{why}");
    }
}

/// A kernel that a device cannot have is said, and the image has the others.
#[test]
fn what_a_device_cannot_have_is_said() {
    let program = format!(
        "{PROGRAM}z = CUDA.zeros(Float64, 4)\nhalves!(z) = (z[1] = z[1] / 2; return)\n@cuda halves!(z)\n"
    );
    let (_, output) = built("lacking", "sm_90,spirv64-nofp64", &program);
    let (said, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(
        errors.contains(r#"{"lacking":{"kernel":"halves! "#)
            && errors.contains(r#""target":"spirv64-nofp64""#),
        "{errors}"
    );
    assert!(said.contains(r#""device_kernels":12,"#), "{said}");
    let project = Project::new("unknown");
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    for target in ["sm_1", "x86-64"] {
        let output = project.kiln("off", &["image", "build", "-t", target, "program.jl"]);
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert!(text(&output.stderr).contains("is no device"), "{target}");
    }
}

const CHILDREN: &str = "\
using CUDA
using Base.Device: deferred, deferred_call
@noinline doubled(x) = 2 * x
@noinline through(p, x) = deferred_call(p, Float64, x)
last!(y, ::Type{T}) where {T} = (y[1] += doubled(T(1)); return)
function child!(y, x)
    i = threadIdx().x
    y[i] = through(deferred(doubled, x), x)
    i == 1 && @cuda dynamic=true last!(y, Float64)
    return
end
function parent!(y)
    @cuda dynamic=true threads=4 child!(y, 2.5)
    return
end
looping!(y, n) = (y[1] = n; n > 0 && (@cuda dynamic=true looping!(y, n - 1)); return)
y = CUDA.zeros(Float64, 4)
@cuda parent!(y)
@cuda looping!(y, 3)
println(Array(y)[2:4])
";

/// MISSION C9, G: an image holds the kernels that only kernels launch, and those that these do, for the processor and for devices,
/// and what kernels look up to call. A run infers and compiles nothing.
#[test]
fn kernels_that_kernels_launch_are_in_the_image() {
    let (project, output) = built("children", "gfx1100,sm_90", CHILDREN);
    let said = text(&output.stdout);
    // An NVIDIA GPU launches by itself: what it launches is in the code of what launches it. One more fills the new array.
    assert!(said.contains(r#""kernels":5,"device_kernels":8,"#), "{said}");
    let args = ["run", "--timings=json", "--device", "cpu", "--image", "program.kimg", "program.jl"];
    let output = project.command("off", &args).env("KILN_CODEGEN", "/nowhere").output().unwrap();
    assert_eq!(text(&output.stdout), "[5.0, 5.0, 5.0]\n", "{}", text(&output.stderr));
    let names = ["inferences", "compiles", "typed_stale", "host_compiled"];
    assert_eq!(names.map(|it| total(&output, it)), [0; 4]);
    for kernel in
        ["child!(CuDeviceVector{Float64,1}, Float64)", "last!(CuDeviceVector{Float64,1}, Type{Float64})"]
    {
        let output = from_image(&project, "program.kimg", "gfx1100", kernel);
        assert!(output.status.success(), "{kernel}: {}", text(&output.stderr));
        assert_eq!(names.map(|it| total(&output, it)), [0; 4], "{kernel}");
    }
}

/// MISSION C9, S1: targets that have no items take the functions that a program names.
#[test]
fn functions_are_for_targets_without_items() {
    let program =
        "using PrecompileTools\nleast(x) = max(x, 7)\n@compile_workload precompile(least, (Int,))\n";
    let (project, output) = built("functions", "bpf", program);
    let said = text(&output.stdout);
    assert!(said.contains(r#""devices":["bpf"]"#) && said.contains(r#""artifacts":1,"#), "{said}");
    let output = from_image(&project, "program.kimg", "bpf", "least(Int)");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(["inferences", "compiles"].map(|it| total(&output, it)), [0; 2]);
}

/// MISSION C9, C16: an image says why a device does not have a kernel, as the build did, and no process has to find out again.
#[test]
fn refusals_are_in_the_image() {
    let program = "\
using CUDA, PrecompileTools
unknown!(y) = (unsafe_store!(y, ccall(\"extern missing\", llvmcall, Int32, (Int32,), Int32(1)), 1); return)
known!(y) = (y[1] = 1; return)
wide!(y) = (y[1] = y[1] / 2; return)
@compile_workload begin
    precompile(unknown!, (Ptr{Int32},))
    precompile(known!, (CuDeviceVector{Int,1},))
    precompile(wide!, (CuDeviceVector{Float64,1},))
end
";
    let (project, output) = built("refused", "sm_90,spirv64-nofp64", program);
    let built = text(&output.stderr);
    assert!(
        built.contains(r#"{"lacking":{"kernel":"unknown! "#) && built.contains("unresolved-symbol"),
        "{built}"
    );
    // One is refused when it is linked, for both targets, the other as a unit.
    assert!(text(&output.stdout).contains(r#""refusals":3,"#), "{}", text(&output.stdout));
    let cases = [
        ("sm_90", "unknown!(Ptr{Int32})", "nothing defines the function `missing`"),
        ("spirv64-nofp64", "unknown!(Ptr{Int32})", "nothing defines the function `missing`"),
        ("spirv64-nofp64", "wide!(CuDeviceVector{Float64,1})", "target-limit"),
    ];
    for (target, kernel, why) in cases {
        let output = from_image(&project, "program.kimg", target, kernel);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(why), "{said}");
        let counts = ["inferences", "compiles", "device_links"].map(|it| total(&output, it));
        assert_eq!(counts, [0; 3], "{target} {kernel}");
    }
}

/// MISSION C9, N9: showing an image checks all of it: one changed bit anywhere is said, and the command fails.
#[test]
fn showing_an_image_finds_damage() {
    let (project, _) = built("shown", "sm_90", CHILDREN);
    let whole = fs::read(project.dir.join("program.kimg")).unwrap();
    let show = |bytes: &[u8]| {
        fs::write(project.dir.join("shown.kimg"), bytes).unwrap();
        let output = project.kiln("off", &["image", "show", "--json", "shown.kimg"]);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, said, errors) = show(&whole);
    assert!(code == Some(0) && said.contains(r#""damaged":[],"#) && errors.is_empty(), "{errors}");
    for at in (0..whole.len()).step_by(whole.len() / 40).chain([whole.len() - 1]) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        let (code, said, errors) = show(&damaged);
        assert_eq!(code, Some(1), "byte {at}: {said}");
        assert!(errors.contains("is damaged") || errors.contains("cannot be used"), "byte {at}: {errors}");
    }
    let mut longer = whole.clone();
    longer.extend([0; 64]);
    let length = longer.len() as u64;
    longer[16..24].copy_from_slice(&length.to_le_bytes());
    let (code, _, errors) = show(&longer);
    assert!(code == Some(1), "{errors}");
}
