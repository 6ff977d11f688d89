//! Lines of the source in device artifacts: they are right, and a function that has only moved costs no
//! more than putting its units together again. MISSION G, N8, R5.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::process::Command;

const PROGRAM: &str = "\
using CUDA

@inline function weighed(a, x, y)
    t = a * x
    return t + y
end

@noinline function far(x)
    return sqrt(x)
end

function saxpy!(y, a, x)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    if i <= length(y)
        y[i] = weighed(a, x[i], y[i]) +
            far(a)
    end
    return
end
";

const SIGNATURE: &str = "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})";

/// Compiles the kernel of a program; returns the output file, and the number of compilations.
fn compiled(project: &Project, mode: &str, program: &str, args: &[&str]) -> (Vec<u8>, u64) {
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    let all = [&["compile", "--timings=json", "-o", "out"], args, &["program.jl", SIGNATURE]].concat();
    let output = project.kiln(mode, &all);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let (_, rest) = errors.split_once("\"compiles\":").unwrap();
    let compiles = rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap();
    (std::fs::read(project.dir.join("out")).unwrap(), compiles)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The line that the first instruction of this kind is of, as `file:line`.
fn line_of(ptx: &str, instruction: &str) -> String {
    let at = ptx.find(instruction).unwrap_or_else(|| panic!("no {instruction} in {ptx}"));
    line_at(ptx, at)
}

fn line_at(ptx: &str, at: usize) -> String {
    let before = &ptx[..at];
    let location = before.lines().rev().find_map(|it| it.trim().strip_prefix(".loc\t")).unwrap();
    let numbers: Vec<&str> = location.split(' ').collect();
    let file = ptx.lines().find_map(|it| it.trim().strip_prefix(&format!(".file\t{} ", numbers[0]))).unwrap();
    format!("{}:{}", file.trim_matches('"'), numbers[1])
}

/// PTX says which line of which file: the kernel's own, a function's that is called.
#[test]
fn ptx_has_the_lines_of_the_program() {
    let project = Project::new("ptx");
    let ptx = text(&compiled(&project, "off", PROGRAM, &["-t", "sm_90"]).0);
    let calls: Vec<String> =
        ptx.match_indices("call.uni (retval0), julia_far_").map(|it| line_at(&ptx, it.0)).collect();
    assert!(calls.contains(&"program.jl:16".to_owned()), "{calls:?}");
    assert!(ptx.contains("\t.file\t1 \"program.jl\"") && ptx.contains("\"@kiln/core/int.jl\""), "{ptx}");
    assert!(!ptx.contains(", debug"), "the assembler would turn optimization off");
    let library = include_str!("../../../base/core/device.jl");
    let line = library.lines().position(|it| it.starts_with("@inline local_id(d::Int)")).unwrap() + 1;
    assert_eq!(line_of(&ptx, "%tid.x"), format!("@kiln/core/device.jl:{line}"));
}

/// MISSION N8: with a line more above it a kernel is linked again of the units it had; without lines in it, not even that.
#[test]
fn a_kernel_that_moved_is_composed_of_the_same_units() {
    let moved = PROGRAM.replace("using CUDA\n", "using CUDA\n# One line more.\n");
    for target in ["sm_90", "gfx90a"] {
        let project = Project::new(target);
        let asked = ["-t", target];
        let (first, compiles) = compiled(&project, "rw", PROGRAM, &asked);
        assert!(compiles > 2, "{target}: units, and the device link");
        assert_eq!(compiled(&project, "rw", PROGRAM, &asked), (first.clone(), 0), "{target}");
        let (second, compiles) = compiled(&project, "rw", &moved, &asked);
        assert_eq!(compiles, 1, "{target}: the device link");
        assert_ne!(first, second, "{target}: it has other lines");
        assert_eq!(second, compiled(&project, "off", &moved, &asked).0, "{target}: as if made afresh");
        assert_eq!(compiled(&project, "rw", PROGRAM, &asked), (first, 0), "{target}");
        for without in [["-t", target, "-g0"].as_slice(), &["-t", target, "--strip"]] {
            let (first, _) = compiled(&project, "rw", PROGRAM, without);
            assert_eq!(compiled(&project, "rw", &moved, without), (first, 0), "{without:?}");
        }
    }
    let project = Project::new("spirv64");
    let (first, _) = compiled(&project, "rw", PROGRAM, &["-t", "spirv64"]);
    assert_eq!(compiled(&project, "rw", &moved, &["-t", "spirv64"]), (first, 0), "SPIR-V has no lines");
}

/// Lines change nothing but lines.
#[test]
fn code_is_the_same_without_lines() {
    let project = Project::new("stripped");
    let instructions = |args: &[&str]| {
        let text = text(&compiled(&project, "off", PROGRAM, args).0);
        let is_one =
            |it: &&str| !it.trim_start().starts_with(['.', '$', '/', '{', '}', '\n']) && !it.is_empty();
        text.lines().filter(is_one).map(str::to_owned).collect::<Vec<_>>()
    };
    for target in ["sm_70", "sm_90"] {
        assert_eq!(instructions(&["-t", target]), instructions(&["-t", target, "--strip"]), "{target}");
    }
    let ptx = text(&compiled(&project, "off", PROGRAM, &["-t", "sm_90", "-g0"]).0);
    assert!(!ptx.contains(".loc") && !ptx.contains(".file"), "{ptx}");
}

/// A code object has a line table, and what was inlined where.
#[test]
fn hsaco_has_a_line_table() {
    let project = Project::new("hsaco");
    let dump = |what: &str| {
        let output =
            Command::new("llvm-dwarfdump-22").arg(what).arg(project.dir.join("out")).output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    };
    compiled(&project, "off", PROGRAM, &["-t", "gfx90a", "--emit", "obj"]);
    let Some(lines) = dump("--debug-line") else {
        eprintln!("skipped: no llvm-dwarfdump-22");
        return;
    };
    assert!(lines.contains("name: \"program.jl\""), "{lines}");
    let info = dump("--debug-info").unwrap();
    let of = |name: &str| format!("\"{name}\")");
    for name in ["saxpy!", "far", "getindex"] {
        assert!(info.contains(&of(name)), "{name} in {info}");
    }
    let info: Vec<&str> = info.split_whitespace().collect();
    let calls = info.join(" ");
    assert!(calls.contains("DW_AT_call_file (\"program.jl\") DW_AT_call_line (15)"), "{calls}");
    // A BPF program, too, in the form its loader reads.
    std::fs::write(project.dir.join("bpf.jl"), "double(x::UInt64) = x +\n    x\n").unwrap();
    let args = ["compile", "-t", "bpf", "-o", "out", "bpf.jl", "double(UInt64)"];
    assert!(project.kiln("off", &args).status.success());
    assert!(dump("--debug-line").unwrap().contains("name: \"bpf.jl\""));
}

/// MISSION N8: an object for a processor has a line table, and what was inlined where, before LLVM and by it; one that moved is
/// put together again of the unit it had.
#[test]
fn objects_for_processors_have_a_line_table() {
    let project = Project::new("native");
    let object = project.dir.join("out");
    let dump = |what: &str| {
        let output = Command::new("llvm-dwarfdump-22").arg(what).arg(&object).output().ok()?;
        assert!(output.status.success());
        Some(String::from_utf8(output.stdout).unwrap())
    };
    let asked = ["-t", "x86-64-v3", "--emit", "obj"];
    let (first, compiles) = compiled(&project, "rw", PROGRAM, &asked);
    assert!(compiles > 1, "the unit, and the object");
    if let (Some(lines), Some(info), Some(verified)) =
        (dump("--debug-line"), dump("--debug-info"), dump("--verify"))
    {
        assert!(lines.contains("name: \"program.jl\"") && lines.contains("name: \"float.jl\""), "{lines}");
        let info = info.split_whitespace().collect::<Vec<_>>().join(" ");
        let inlined = |name: &str, line: u32| {
            format!("\"{name}\") DW_AT_call_file (\"program.jl\") DW_AT_call_line ({line})")
        };
        // Addresses are between the two.
        let told = |name: &str, line: u32| {
            let wanted = inlined(name, line);
            let (name, call) = wanted.split_once(" DW_AT_call_file").unwrap();
            info.split("DW_TAG_inlined_subroutine").any(|it| it.contains(name) && it.contains(call))
        };
        assert!(told("weighed", 15) && told("getindex", 15) && told("*", 4), "{info}");
        assert!(verified.contains("No errors."), "{verified}");
    } else {
        eprintln!("skipped: no llvm-dwarfdump-22");
    }
    let moved = PROGRAM.replace("using CUDA\n", "using CUDA\n# One line more.\n");
    let (second, compiles) = compiled(&project, "rw", &moved, &asked);
    assert_eq!(compiles, 1, "the object");
    assert_ne!(first, second, "it has other lines");
    assert_eq!(second, compiled(&project, "off", &moved, &asked).0, "as if made afresh");
    let stripped = [&asked[..], &["--strip"]].concat();
    let (first, _) = compiled(&project, "rw", PROGRAM, &stripped);
    assert_eq!(compiled(&project, "rw", &moved, &stripped), (first.clone(), 0), "it has no lines");
    assert!(!first.windows(7).any(|it| it == b".debug_"));
}

const FAILS: &str = "\
using CUDA
@inline third(x) = x[3]
@noinline other(n) = n == 1 ? throw(DomainError(n)) : n
function fails!(y, x, n)
    i = threadIdx().x
    @cuprintln(\"item \", i)
    n == 0 && throw(ArgumentError(\"none\"))
    y[i] = third(x) + other(n)
    return
end
";

/// MISSION R5: what each number means that a failing item leaves, at every level: its kind, what is thrown, the line and what
/// it was inlined through.
#[test]
fn sites_are_told_with_the_artifact() {
    let project = Project::new("sites");
    std::fs::write(project.dir.join("fails.jl"), FAILS).unwrap();
    let signature = "fails!(CuDeviceVector{Int64,1}, CuDeviceVector{Int64,1}, Int64)";
    for (target, level) in [("sm_90", "-g0"), ("sm_90", "-g1"), ("gfx90a", "-g2"), ("spirv64", "-g1")] {
        let args =
            ["compile", "-t", target, level, "-o", "out", "--sites", "sites.json", "fails.jl", signature];
        let output = project.kiln("off", &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(project.dir.join("sites.json")).unwrap();
        let device_array = "\"type\":\"Base.Device.DeviceArray{Int64, 1, 1}\"";
        for part in [
            format!("\"target\":\"{target}\""),
            format!(
                "\"parameters\":[{{\"kind\":\"state\"}},{{\"kind\":\"aggregate\",{device_array},\"offset\":0,\
                 \"bytes\":24}},{{\"kind\":\"aggregate\",{device_array},\"offset\":24,\"bytes\":24}},\
                 {{\"kind\":\"value\",\"type\":\"Int64\",\"offset\":48,\"bytes\":8}}],\"argument_bytes\":56"
            ),
            "\"site\":1,\"kind\":\"report\"".into(),
            "\"kind\":\"throw\",\"exception\":\"ArgumentError\",\"operands\":[],\"frames\":[{\"function\":\"fails!\",\
             \"file\":\"fails.jl\",\"line\":7}]"
                .into(),
            "\"exception\":\"DomainError\",\"operands\":[{\"type\":\"Int64\",\"offset\":0,\"bytes\":8}],\
             \"frames\":[{\"function\":\"other\",\"file\":\"fails.jl\",\"line\":3}]"
                .into(),
            "{\"function\":\"third\",\"file\":\"fails.jl\",\"line\":2},{\"function\":\"fails!\",\
             \"file\":\"fails.jl\",\"line\":8}]"
                .into(),
        ] {
            assert!(text.contains(&part), "{target} {level}: {part}\nin {text}");
        }
    }
}
