//! Stages of kernels for devices: shown by the command, by programs, and written to files; nothing is compiled to
//! be shown that is kept. MISSION C8, X1, X2.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;

const KERNELS: &str = "\
using CUDA
@noinline scaled(x) = 3 * x
function fill!(y)
    y[threadIdx().x] = scaled(threadIdx().x)
    return
end
function twice!(y, n)
    @inbounds y[threadIdx().x] += n
    return
end
";

const SIGNATURE: &str = "fill!(CuDeviceVector{Int64,1})";

/// Standard output of a command that is to go well, and how much was compiled, if it says.
fn shown(project: &Project, mode: &str, args: &[&str]) -> (Vec<u8>, u64) {
    let output = project.kiln(mode, args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {errors}");
    let compiles = errors
        .split_once("\"compiles\":")
        .map_or(0, |(_, rest)| rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap());
    (output.stdout, compiles)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn with(name: &str, program: &str) -> Project {
    let project = Project::new(name);
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    project
}

fn has(tool: &str) -> bool {
    std::process::Command::new(tool).arg("--version").output().is_ok()
}

/// MISSION C8: `kiln compile` keeps all stages of a kernel; showing them compiles nothing, in any order, and is what a fresh
/// compile would show.
#[test]
fn stages_of_a_compiled_kernel_are_shown_and_not_made() {
    let project = with("cached", KERNELS);
    let targets = [("sm_90", "ptx"), ("gfx90a", "gcn"), ("spirv64", "spirv")];
    for (target, stage) in targets {
        if stage == "gcn" && !has("llvm-objdump-22") || stage == "spirv" && !has("spirv-dis") {
            eprintln!("skipped: no disassembler for {target}");
            continue;
        }
        let args = [
            "compile",
            "--timings=json",
            "-t",
            target,
            "--emit",
            "obj",
            "-o",
            "out",
            "program.jl",
            SIGNATURE,
        ];
        assert!(shown(&project, "rw", &args).1 > 0);
        for stage in [stage, "native", "bitcode", "llvm", "emitted", "typed", "warntype", "lowered"] {
            let args = ["reflect", "--timings=json", "-t", target, stage, "program.jl", SIGNATURE];
            let (cached, compiles) = shown(&project, "rw", &args);
            assert_eq!(compiles, 0, "{target} {stage}");
            assert!(cached == shown(&project, "off", &args).0, "{target} {stage}");
            assert!(!cached.is_empty());
        }
        if target == "sm_90" {
            let args = ["reflect", "-t", target, "ptx", "program.jl", SIGNATURE];
            let out = text(&std::fs::read(project.dir.join("out")).unwrap());
            assert_eq!(
                text(&shown(&project, "ro", &args).0).trim_end(),
                out.trim_end(),
                "it is what was compiled"
            );
        }
    }
}

/// A stage of one kind of target needs no target to be named; a target of another kind is a mistake.
#[test]
fn stages_name_back_ends() {
    let project = with("backends", KERNELS);
    let reflect = |args: &[&str]| {
        let mut command = project.command("off", &[&["reflect"], args, &["program.jl", SIGNATURE]].concat());
        command.env("KILN_TARGETS", "gfx1100,sm_70").output().unwrap()
    };
    let ptx = reflect(&["ptx"]);
    assert!(text(&ptx.stdout).contains(".target sm_70"), "{}", text(&ptx.stderr));
    assert!(text(&reflect(&["ptx", "-t", "sm_90"]).stdout).contains(".target sm_90"));
    let llvm = text(&reflect(&["llvm", "-t", "gfx1100"]).stdout);
    assert!(llvm.contains("define protected amdgpu_kernel void @_Z5fill_"), "{llvm}");
    let wrong = reflect(&["ptx", "-t", "gfx90a"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("`gfx90a` is a target of gcn, not of ptx"),
        "{}",
        text(&wrong.stderr)
    );
    assert_eq!(reflect(&["llvm", "-t", "sm_1"]).status.code(), Some(2));
}

/// MISSION X2: the folder has a file a stage for each kernel that was launched, once, for the device or for targets that are
/// named; a program without kernels is told so.
#[test]
fn a_run_writes_the_code_of_its_kernels() {
    let launches = "y = CUDA.zeros(Int, 4)\nfor _ in 1:3\n    @cuda threads=4 fill!(y)\nend\n\
                    @cuda threads=4 twice!(y, 1)\n@cuda threads=4 name=\"renamed\" twice!(y, 1)\nprintln(Array(y))\n";
    let project = with("run", &format!("{KERNELS}{launches}"));
    let run = |args: &[&str]| text(&shown(&project, "off", &[&["run"], args, &["program.jl"]].concat()).0);
    let names = |folder: &str| {
        let all = std::fs::read_dir(project.dir.join(folder)).unwrap();
        let mut names: Vec<String> = all.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(run(&["--device", "cpu", "--device-code", "code"]), "[5, 8, 11, 14]\n");
    let endings = ["asm", "lowered.jl", "opt.ll", "typed.jl", "unopt.ll"];
    let kernels = ["fill!_1", "renamed_3", "twice!_2"];
    let expected: Vec<String> =
        kernels.iter().flat_map(|it| endings.iter().map(move |ending| format!("{it}.{ending}"))).collect();
    assert_eq!(names("code"), expected);
    let read = |it: &str| std::fs::read_to_string(project.dir.join(it)).unwrap();
    assert!(read("code/fill!_1.opt.ll").contains("x86_64"));
    let args = ["--device", "cpu", "--device-code", "gpu", "--device-code-for", "sm_90,spirv64"];
    run(&args);
    assert!(read("gpu/fill!_1.sm_90.asm").contains(".target sm_90"));
    assert!(read("gpu/renamed_3.sm_90.asm").contains(".visible .entry _Z6twice_"));
    assert!(read("gpu/twice!_2.spirv64.opt.ll").contains("spir_kernel"));
    assert_eq!(names("gpu").len(), 2 * 3 * endings.len() - if has("spirv-dis") { 0 } else { 3 });

    std::fs::write(project.dir.join("program.jl"), "println(1)\n").unwrap();
    let output = project.kiln("off", &["run", "--device-code", "none", "program.jl"]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("1\n", Some(1)));
    assert!(text(&output.stderr).contains("no kernels executed"), "{}", text(&output.stderr));
}

/// Programs show code by the macros and functions that CUDA.jl has for it, without a GPU.
#[test]
fn programs_show_device_code() {
    let program = format!(
        "{KERNELS}y = CUDA.zeros(Int, 4)
buffer = IOBuffer()
@device_code_ptx io=buffer begin
    @cuda threads=4 twice!(y, 1)
    @cuda threads=4 twice!(y, 1)
end
ptx = String(take!(buffer))
println(count(\".visible .entry\", ptx), ' ', occursin(\".target sm_80\", ptx), ' ', occursin(\"program.jl\", ptx))
for stage in (CUDA.code_llvm, CUDA.code_native, CUDA.code_warntype)
    stage(buffer, twice!, Tuple{{CuDeviceVector{{Int64,1}}, Int64}})
    println(length(String(take!(buffer))) > 100)
end
CUDA.code_ptx(buffer, twice!, (CuDeviceVector{{Int64,1}}, Int64); cap = v\"9.0\")
println(occursin(\".target sm_90\", String(take!(buffer))))
@device_code_llvm io=buffer optimize=false @cuda threads=4 fill!(y)
println(occursin(\"define\", String(take!(buffer))))
lowered = @device_code_lowered @cuda threads=4 fill!(y)
typed = CUDA.@device_code_typed @cuda threads=4 fill!(y)
println(length(lowered), ' ', length(typed), ' ', occursin(\"scaled\", string(typed[1])))
CUDA.@device_code dir=\"dumped\" @cuda threads=4 fill!(y)
println(join(sort(readdir(\"dumped\")), ' '))
try
    @device_code_ptx 1 + 1
catch e
    println(e.msg)
end
const UNTYPED = Ref{{Any}}(1)
open_ended(y) = (y[1] = UNTYPED[]; return)
try
    @device_code_warntype io=buffer @cuda open_ended(y)
catch e
    println(typeof(e))
end
println(occursin(\"not concrete\", String(take!(buffer))))
println(Array(y))
"
    );
    let project = with("macros", &program);
    let expected = "1 true true\ntrue\ntrue\ntrue\ntrue\ntrue\n1 1 true\n\
                    fill!_1.asm fill!_1.lowered.jl fill!_1.opt.ll fill!_1.typed.jl fill!_1.unopt.ll\n\
                    no kernels executed while evaluating the given expression\nBase.Device.KernelError\ntrue\n\
                    [3, 6, 9, 12]\n";
    assert_eq!(text(&shown(&project, "off", &["run", "--device", "cpu", "program.jl"]).0), expected);
}

/// Kernels of KernelAbstractions are watched like any other, and shown for GPUs of other vendors.
#[test]
fn kernels_of_any_dialect_are_shown() {
    if !has("llvm-objdump-22") {
        eprintln!("skipped: no llvm-objdump-22");
        return;
    }
    let program = "using KernelAbstractions, GPUCompiler
@kernel function add!(y, x)
    i = @index(Global)
    y[i] += x[i]
end
x = ones(Float32, 16)
y = zeros(Float32, 16)
@device_code_gcn add!(CPU(), 8)(y, x; ndrange = 16)
println(sum(y))
";
    let project = with("dialects", program);
    let said = text(&shown(&project, "off", &["run", "--device", "cpu", "program.jl"]).0);
    assert!(said.contains("v_add_f32") && said.contains("s_endpgm") && said.ends_with("16.0\n"), "{said}");
}
