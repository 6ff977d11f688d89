//! Results for devices in the store: typed code, units, and artifacts; and the number of results that an edit, or another
//! option, has compiled again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::fs;

const PROGRAM: &str = "\
using CUDA
@noinline scaled(x) = 2 * x
@noinline shifted(x) = x + 3
@noinline checked(x) = x < 100 ? x : throw(DomainError(x))
is_chosen(s) = s === :chosen
function kernel!(y, s)
    i = Int32(threadIdx().x)
    unsafe_store!(y, checked(shifted(scaled(i))) + (is_chosen(s) ? Int32(7) : Int32(0)), i)
    return
end
";
const KERNEL: &str = "kernel!(Ptr{Int32}, Symbol)";

/// One of each family of devices.
const TARGETS: [&str; 3] = ["sm_90", "gfx1100", "spirv64"];

/// The counts of a process.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    inferences: u64,
    /// Units made.
    units: u64,
    /// Artifacts made of them.
    device_links: u64,
}

const NOTHING: Done = Done { inferences: 0, units: 0, device_links: 0 };

/// Compiles the kernel of `program` in a process of its own; returns the counts and the artifact.
fn compile(project: &Project, program: &str, target: &str, options: &[&str]) -> (Done, Vec<u8>) {
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let fixed = ["compile", "--timings=json", "-t", target, "-o", "out", "program.jl", KERNEL];
    let output = project.kiln("rw", &[&fixed[..], options].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{target}: {said}");
    let total = |name: &str| -> u64 {
        let (_, rest) = said.split_once(&format!("\"{name}\":")).unwrap();
        rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
    };
    let device_links = total("device_links");
    let (inferences, units) = (total("inferences"), total("compiles") - device_links);
    (Done { inferences, units, device_links }, fs::read(project.dir.join("out")).unwrap())
}

/// A project in which the kernel was compiled for a target, with the artifact.
fn compiled(name: &str, program: &str, target: &str) -> (Project, Vec<u8>) {
    let project = Project::new(&format!("{name}-{target}"));
    let (done, made) = compile(&project, program, target, &[]);
    // The kernel, three functions that it calls, and what reports the failure of one.
    assert_eq!((done.units, done.device_links), (5, 1), "{target}");
    assert!(done.inferences > 4);
    (project, made)
}

/// MISSION C9, C17: a kernel that did not change is found, although it names a symbol of the session: nothing is inferred,
/// no unit is compiled, there is no device link, and the artifact is the same to the byte.
#[test]
fn an_unchanged_kernel_is_found() {
    for target in TARGETS {
        let (project, made) = compiled("unchanged", PROGRAM, target);
        assert_eq!(compile(&project, PROGRAM, target, &[]), (NOTHING, made), "{target}");
    }
}

/// MISSION N8, C15: nor is anything made again of one that was moved, or whose text changed and means the same.
#[test]
fn what_means_the_same_is_found() {
    for target in TARGETS {
        let (project, made) = compiled("same", PROGRAM, target);
        let moved = format!("# a comment\n\nother(x) = x\n{PROGRAM}");
        // An artifact may have lines, which are linked into it: no more than that is done.
        let (done, _) = compile(&project, &moved, target, &[]);
        assert_eq!((done.inferences, done.units), (0, 0), "{target}");
        let commented = PROGRAM.replace("= 2 * x", "= 2 * x # twice");
        let (done, after) = compile(&project, &commented, target, &[]);
        assert_eq!((done.units, done.device_links), (0, 0), "{target}");
        assert!(after == made);
    }
}

/// MISSION C14, N1: editing one method compiles its unit and links the device code again, whichever of the methods it is.
#[test]
fn an_edit_makes_one_unit_again() {
    for target in TARGETS {
        let (project, made) = compiled("edited", PROGRAM, target);
        for (from, to) in [("2 * x", "3 * x"), ("x + 3", "x - 3"), ("x < 100", "x < 50"), ("(7)", "(8)")] {
            let (done, after) = compile(&project, &PROGRAM.replacen(from, to, 1), target, &[]);
            assert_eq!((done.units, done.device_links), (1, 1), "{target}: {from} -> {to}");
            assert!(after != made, "{target}: {from} -> {to}");
        }
        // As it was: what was made of it is still there.
        let (done, after) = compile(&project, PROGRAM, target, &[]);
        assert_eq!((done.units, done.device_links), (0, 0), "{target}");
        assert!(after == made);
    }
}

/// MISSION C4: launch bounds, fast math and the name on the device are inputs of the device link alone: nothing is inferred, no
/// unit compiled. MISSION C3: each has its own artifact.
#[test]
fn options_of_a_launch_only_link() {
    for target in TARGETS {
        let (project, made) = compiled("options", PROGRAM, target);
        let all: [&[&str]; 4] = [&["--minthreads", "64"], &["--fastmath"], &["--name", "other"], &["-O1"]];
        for options in all {
            let (done, after) = compile(&project, PROGRAM, target, options);
            assert_eq!(done, Done { device_links: 1, ..NOTHING }, "{target} {options:?}");
            let again = compile(&project, PROGRAM, target, options);
            assert_eq!(again, (NOTHING, after), "{target} {options:?}");
        }
        assert_eq!(compile(&project, PROGRAM, target, &[]), (NOTHING, made), "{target}");
    }
    let (project, made) = compiled("bounds", PROGRAM, "sm_90");
    let (_, bounded) = compile(&project, PROGRAM, "sm_90", &["--maxthreads", "128"]);
    assert!(String::from_utf8(bounded).unwrap().contains(".maxntid 128"));
    assert!(!String::from_utf8(made).unwrap().contains(".maxntid"));
}

/// MISSION C3: targets share inference, where what inference can see is the same, and nothing else.
#[test]
fn targets_share_inference() {
    let (project, made) = compiled("shared", PROGRAM, "gfx942");
    let (done, other) = compile(&project, PROGRAM, "gfx90a", &[]);
    assert_eq!((done.inferences, done.device_links), (0, 1), "{done:?}");
    assert!(done.units == 5 && other != made);
    // Another name of the same target is the same target.
    let project = compiled("names", PROGRAM, "spirv64").0;
    assert_eq!(compile(&project, PROGRAM, "spirv64-v1.2", &[]).0, NOTHING);
}

/// MISSION C12: functions of the runtime are results like others. One that the program replaces is compiled in its place,
/// and when it is edited, it is all that is compiled again.
#[test]
fn a_function_of_the_runtime_is_made_again_alone() {
    const OWN: &str = "\
Base.Experimental.@overlay CUDA.method_table @noinline function Base.DeviceRuntime.report_exception(site::UInt32)
    record = Core.Intrinsics.kiln_kernel_state()
    record === Ptr{UInt8}(0) && return record
    Base.DeviceRuntime.claim(record, site) || return Ptr{UInt8}(0)
    return record + 56
end
";
    let replaced = format!("{PROGRAM}{OWN}");
    const LESS: &str = "\
Base.Experimental.@overlay CUDA.method_table @noinline \
    Base.DeviceRuntime.report_exception(site::UInt32) = Core.Intrinsics.kiln_kernel_state()
";
    for target in TARGETS {
        let (project, made) = compiled("runtime", PROGRAM, target);
        let (done, with_own) = compile(&project, &replaced, target, &[]);
        assert_eq!((done.units, done.device_links), (1, 1), "{target}");
        assert!(with_own != made, "{target}: less is reported");
        let edited = replaced.replace("record + 56", "record + 64");
        assert!(edited != replaced);
        let (done, after) = compile(&project, &edited, target, &[]);
        assert_eq!((done.units, done.device_links), (1, 1), "{target}");
        assert!(after != with_own);
        assert_eq!(compile(&project, &edited, target, &[]), (NOTHING, after), "{target}");
        // Nor is it of interest to callers that it writes nothing any more.
        let (done, _) = compile(&project, &format!("{PROGRAM}{LESS}"), target, &[]);
        assert_eq!((done.units, done.device_links), (1, 1), "{target}");
    }
}

/// MISSION R1, R2, C12: so are the functions that make and read boxes, each for its own type and where it is needed. One that the
/// program replaces is made alone.
#[test]
fn a_function_that_makes_boxes_is_made_again_alone() {
    const BOXES: &str = "\
using CUDA
mutable struct Slot
    x
end
@noinline slot(x, flag) = flag ? Slot(x) : Slot(0x01)
function kernel!(y, s)
    x = slot(Float32(unsafe_load(y)), s === :left).x
    unsafe_store!(y, x isa Float32 ? unsafe_trunc(Int32, x) : Int32(-1))
    return
end
";
    const OWN: &str = "\
CUDA.@device_override function Base.DeviceRuntime.box_Float32(x::Float32, tag::UInt64)
    return Base.DeviceRuntime.box(x + 1.0f0, tag)
end
";
    for target in TARGETS {
        let project = Project::new("boxes");
        let (done, made) = compile(&project, BOXES, target, &[]);
        // The kernel and its callee, three functions of boxes, what gives memory and what that calls, what reports failures.
        assert_eq!((done.units, done.device_links), (8, 1), "{target}");
        let replaced = format!("{BOXES}{OWN}");
        let (done, with_own) = compile(&project, &replaced, target, &[]);
        assert_eq!((done.units, done.device_links), (1, 1), "{target}");
        assert!(with_own != made, "{target}: another number is kept");
        let (done, after) = compile(&project, &replaced.replace("1.0f0", "2.0f0"), target, &[]);
        assert_eq!((done.units, done.device_links), (1, 1), "{target}");
        assert!(after != with_own);
        // Of another type's nothing is of interest here.
        let others = OWN.replace("box_Float32(x::Float32", "box_Int64(x::Int64");
        let (done, same) = compile(&project, &format!("{BOXES}{others}"), target, &[]);
        assert_eq!((done.units, same), (0, made), "{target}");
    }
}

/// MISSION C9, G: a program for the kernel's virtual machine is kept as well.
#[test]
fn a_program_for_bpf_is_found() {
    let project = Project::new("bpf");
    let program =
        "@noinline scaled(x) = 2 * x\nkernel!(y, s) = (unsafe_store!(y, scaled(unsafe_load(y))); 0)\n";
    let (done, made) = compile(&project, program, "bpf", &[]);
    assert_eq!((done.units, done.device_links), (2, 1));
    assert_eq!(compile(&project, program, "bpf", &[]), (NOTHING, made));
    let (done, _) = compile(&project, &program.replace("2 * x", "7 - x"), "bpf", &[]);
    assert_eq!((done.units, done.device_links), (1, 1));
}

const REFUSED: &str = "\
using CUDA
using Base.Device: @static_assert
@noinline checks(x) = (@static_assert x isa Int64 \"it is an Int64\"; x)
asserts!(y) = (unsafe_store!(y, checks(Int32(1)), 1); return)
unknown!(y) = (unsafe_store!(y, ccall(\"extern missing\", llvmcall, Int32, (Int32,), Int32(1)), 1); return)
@noinline assembly(x) = Base.llvmcall(\"\"\"
    %r = call i32 asm \"no_such_instruction \\$0, \\$1;\", \"=r,r\"(i32 %0)
    ret i32 %r\"\"\", Int32, Tuple{Int32}, x)
assembles!(y) = (unsafe_store!(y, assembly(Int32(1)), 1); return)
";

/// MISSION C16: what LLVM, the check of a whole kernel, or a vendor's tool refuses is kept with what was said: another process
/// says the same, and asks no other process. A definition that makes it right is seen.
#[test]
fn refusals_of_whole_kernels_are_kept() {
    let tools =
        std::env::var_os("KILN_TOOLS").is_some_and(|it| std::path::Path::new(&it).join("ptxas").is_file());
    if !tools {
        eprintln!("skipped: what ptxas refuses (KILN_TOOLS has none)");
    }
    let cases = [
        ("sm_90", "asserts!", "obj", "it is an Int64"),
        ("spirv64", "asserts!", "obj", "it is an Int64"),
        ("gfx1100", "unknown!", "obj", "nothing defines the function `missing`"),
        ("gfx1100", "assembles!", "obj", "no_such_instruction"),
        ("sm_90", "assembles!", "bin", "Not a name of any known instruction"),
    ];
    for (target, kernel, emit, why) in cases.into_iter().filter(|it| tools || it.2 != "bin") {
        let project = Project::new(&format!("refused-{target}-{emit}-{}", kernel.trim_end_matches('!')));
        let signature = format!("{kernel}(Ptr{{Int32}})");
        let args = [
            "compile",
            "--timings=json",
            "-t",
            target,
            "--emit",
            emit,
            "-o",
            "out",
            "program.jl",
            &signature,
        ];
        let refused = |text: &str| {
            fs::write(project.dir.join("program.jl"), text).unwrap();
            let output = project.kiln("rw", &args);
            let errors = String::from_utf8(output.stderr).unwrap();
            let (totals, said) = errors.split_once('\n').unwrap();
            let counts = ["inferences", "compiles", "device_links"].map(|name| {
                let (_, rest) = totals.split_once(&format!("\"{name}\":")).unwrap();
                rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse::<u64>().unwrap()
            });
            (output.status.success(), counts, said.to_owned())
        };
        let (_, counts, first) = refused(REFUSED);
        assert!(first.contains(why) && counts[2] == 1, "{target} {kernel}: {counts:?} {first}");
        let (_, counts, again) = refused(REFUSED);
        assert_eq!((counts, &again), ([0; 3], &first), "{target} {kernel}");
        // Places are those of now. Lines are in what is linked.
        let (_, [inferred, compiled, linked_module], moved) = refused(&format!("# first\n{REFUSED}"));
        assert!(inferred == 0 && compiled == linked_module, "{target} {kernel}");
        assert!(moved.contains(why), "{moved}");
        let right = REFUSED.replace("x isa Int64", "x isa Int32").replace("extern missing", "llvm.abs.i32");
        let right = right
            .replace("no_such_instruction \\$0, \\$1;", "")
            .replace("(Int32,), Int32(1))", "(Int32, Bool), Int32(1), false)");
        let (succeeds, ..) = refused(&right);
        assert!(succeeds, "{target} {kernel}");
    }
}

/// MISSION X6, N7: of a kernel for a device each unit and the artifact are explained: what changed of the program, or which
/// option is another.
#[test]
fn artifacts_are_explained() {
    for target in TARGETS {
        let (project, _) = compiled("explained", PROGRAM, target);
        let explain = |options: &[&str]| {
            let fixed = ["cache", "explain", "-t", target];
            let output = project.kiln("rw", &[&fixed[..], options, &["program.jl", KERNEL]].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let found = explain(&[]);
        assert_eq!((found.matches("hit: yes").count(), found.contains("hit: no")), (6, false), "{found}");
        let other = explain(&["--name", "other"]);
        assert_eq!(other.matches("hit: yes").count(), 5, "{other}");
        assert!(other.contains("changed: \n  name: \"other\", was \"_Z"), "{other}");
        fs::write(project.dir.join("program.jl"), PROGRAM.replace("2 * x", "5 * x")).unwrap();
        let edited = explain(&[]);
        assert_eq!(edited.matches("hit: yes").count(), 4, "{edited}");
        assert!(edited.contains("body of scaled Tuple{typeof(scaled), Int32} of program.jl:2"), "{edited}");
        assert!(edited.contains("causes: \n  method scaled"), "{edited}");
        let artifact = edited.rsplit("hit: no").next().unwrap();
        assert!(
            artifact.contains("  part scaled Tuple{typeof(scaled), Int32} of program.jl:2: "),
            "{edited}"
        );
    }
}
