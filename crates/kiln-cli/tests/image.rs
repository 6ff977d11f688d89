//! Images, as a user meets them: built, used without LLVM, refused when they cannot be right.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::fs;
use std::process::Output;

const PROGRAM: &str = "\
using CUDA, PrecompileTools

@noinline scaled(x) = 2 * x
function first!(y)
    y[threadIdx().x] = scaled(threadIdx().x)
    return
end
function second!(y, s)
    y[threadIdx().x] = s isa Val{:up} ? 10 : 20
    return
end
total(n) = (s = 0; for i in 1:n; s += i; end; s)

@compile_workload begin
    println(\"only in the build\")
    x = CUDA.zeros(Int, 4)
    @cuda threads=4 second!(x, Val(:up))
    precompile(total, (Int,))
end
y = CUDA.zeros(Int, 4)
@cuda threads=4 first!(y)
println(Array(y))
if !isempty(ARGS)
    @cuda threads=4 second!(y, Val(:up))
    println(Array(y), total(10))
end
";
const PRINTED: &str = "[2, 4, 6, 8]\n[10, 10, 10, 10]55\n";

/// A project without a cache, with the image of its program built, and the output of the build.
fn built(name: &str, options: &[&str]) -> (Project, String) {
    let project = Project::new(name);
    fs::write(project.dir.join("program.jl"), PROGRAM).unwrap();
    let args = [&["image", "--json", "build"], options, &["program.jl"]].concat();
    let output = project.kiln("off", &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (project, String::from_utf8(output.stdout).unwrap())
}

fn total(output: &Output, name: &str) -> u64 {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let (_, rest) = errors.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{errors}"));
    rest[..rest.find(|it: char| !it.is_ascii_digit()).unwrap()].parse().unwrap()
}

fn run(project: &Project, image: &str) -> Output {
    project.kiln("off", &["run", "--timings=json", "--image", image, "program.jl", "all"])
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// MISSION C9: with an image nothing is compiled or inferred, and there need be no code generator.
#[test]
fn an_image_stands_in_for_the_compiler() {
    let (project, said) = built("whole", &[]);
    assert!(said.contains("\"kernels\":2,"), "launches nothing, compiles what would be launched: {said}");
    let mut command =
        project.command("off", &["run", "--timings=json", "--image", "program.kimg", "program.jl", "all"]);
    let output = command.env("KILN_CODEGEN", "/nowhere").output().unwrap();
    assert_eq!(printed(&output), PRINTED);
    let totals = ["inferences", "compiles", "misses", "typed_stale"].map(|it| total(&output, it));
    assert_eq!(totals, [0; 4]);
    assert_eq!(total(&output, "image"), 3, "both kernels, and what one of them calls");
}

const VECTORS: &str = "\
using CUDA
@noinline function turns(x)
    n = 0
    while x < 100f0 && n < 60
        x = x * x + 0.3f0
        n += 1
    end
    return n
end
function count!(y, x)
    i = threadIdx().x
    @inbounds y[i] = turns(x[i])
    return
end
x, y = CuArray(Float32.(1:64) ./ 40), CUDA.zeros(Int, 64)
@cuda threads=64 count!(y, x)
println(sum(Array(y)))
";

/// MISSION C9, X6: the vector form of a function that is not inlined is in images, and its callers depend on there being one.
#[test]
fn vector_variants_are_kept_and_explained() {
    let project = Project::new("vectors");
    fs::write(project.dir.join("program.jl"), VECTORS).unwrap();
    let plain = project.command("rw", &["run", "program.jl"]).env("KILN_VECTOR", "off").output().unwrap();
    assert_eq!(printed(&project.kiln("rw", &["run", "program.jl"])), printed(&plain));
    assert!(project.kiln("rw", &["image", "build", "program.jl"]).status.success());
    let mut command =
        project.command("off", &["run", "--timings=json", "--image", "program.kimg", "program.jl"]);
    let output = command.env("KILN_CODEGEN", "/nowhere").output().unwrap();
    assert_eq!(printed(&output), printed(&plain));
    assert_eq!((total(&output, "compiles"), total(&output, "image")), (0, 2));
    let signature = "count!(CuDeviceVector{Int64,1}, CuDeviceVector{Float32,1})";
    let explained = || printed(&project.kiln("rw", &["cache", "explain", "program.jl", signature]));
    assert!(!explained().contains("hit: no"));
    // What prints has no vector form.
    let edited = VECTORS.replace("    return n\n", "    n == 61 && @cuprintln(n)\n    return n\n");
    fs::write(project.dir.join("program.jl"), edited).unwrap();
    let explained = explained();
    let (_, of_caller) = explained.split_once("subject: count! ").unwrap();
    assert!(of_caller.contains("hit: no") && of_caller.contains("traits of turns"), "{of_caller}");
}

/// MISSION C9, N2: building again gives the same bytes, with a cache or without.
#[test]
fn equal_builds_make_equal_images() {
    let (project, _) = built("equal", &[]);
    let first = fs::read(project.dir.join("program.kimg")).unwrap();
    for mode in ["off", "rw", "rw"] {
        let output = project.kiln(mode, &["image", "build", "program.jl", "-o", "again.kimg"]);
        assert!(output.status.success());
        assert!(fs::read(project.dir.join("again.kimg")).unwrap() == first, "{mode}");
    }
}

/// MISSION C9: an image may be for several processors, this one among them or not.
#[test]
fn an_image_is_for_several_processors() {
    let (project, said) = built("levels", &["--cpu", "x86-64,x86-64-v2"]);
    assert!(said.contains("\"targets\":[\"x86-64\",\"x86-64-v2\"]"), "{said}");
    let output = run(&project, "program.kimg");
    assert_eq!(printed(&output), PRINTED);
    assert_eq!(total(&output, "compiles"), 0);
    let shown = project.kiln("off", &["image", "--json", "show", "program.kimg"]);
    assert!(printed(&shown).contains("\"selected_target\":\"x86-64-v2\""), "the better of the two");
    let wrong = project.kiln("off", &["image", "build", "--cpu", "z80", "program.jl"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// MISSION C9, C14: only results that an edit affects are compiled.
#[test]
fn an_edit_costs_what_it_reaches() {
    let (project, _) = built("edited", &[]);
    fs::write(project.dir.join("program.jl"), PROGRAM.replace("? 10 : 20", "? 30 : 20")).unwrap();
    let output = run(&project, "program.kimg");
    assert_eq!(printed(&output), "[2, 4, 6, 8]\n[30, 30, 30, 30]55\n");
    assert_eq!((total(&output, "compiles"), total(&output, "image")), (1, 2));
    fs::write(project.dir.join("program.jl"), format!("# moved\n{}", PROGRAM.replace("2 * x", "3 * x - x")))
        .unwrap();
    let output = run(&project, "program.kimg");
    assert_eq!(printed(&output), PRINTED);
    assert_eq!((total(&output, "compiles"), total(&output, "image")), (1, 2));
}

/// MISSION C9: an unusable image is refused with a reason, and everything is compiled anew.
#[test]
fn a_bad_image_is_refused() {
    let (project, _) = built("bad", &[]);
    let image = fs::read(project.dir.join("program.kimg")).unwrap();
    let mut cases: Vec<(&str, Vec<u8>)> = vec![
        ("cut short", image[..image.len() - 1].to_vec()),
        ("cut short", image[..image.len() / 2].to_vec()),
        ("it is no image", Vec::new()),
        ("it is no image", b"using CUDA".repeat(100)),
    ];
    let mut changed = |why, places: std::ops::Range<usize>| {
        let mut bytes = image.clone();
        places.step_by(32).for_each(|at| bytes[at] ^= 0x10);
        cases.push((why, bytes));
    };
    changed("version", 8..9);
    changed("it is damaged", 50..51); // in what it says of itself
    // Several records at a time: not every one is needed.
    let part = image.len() / 6;
    for at in (image.len() / 2..image.len() - part).step_by(part) {
        changed("of the image are damaged", at..at + part);
    }
    for (why, bytes) in cases {
        fs::write(project.dir.join("bad.kimg"), bytes).unwrap();
        let output = run(&project, "bad.kimg");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && errors.contains(why), "{why}: {errors}");
        assert_eq!(printed(&output), PRINTED);
        assert!(total(&output, "compiles") + total(&output, "inferences") > 0);
    }
    let output = run(&project, "missing.kimg");
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.kimg is not used: it cannot be read"));
    assert_eq!(printed(&output), PRINTED);
}

/// A program that launches nothing makes no image, and one that fails on the way makes one of what it got to.
#[test]
fn a_build_says_what_it_could_not_do() {
    let project = Project::new("partial");
    fs::write(project.dir.join("program.jl"), "println(1)\n").unwrap();
    let output = project.kiln("off", &["image", "build", "program.jl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was compiled"));
    let checks = "Array(y) == [2, 4, 6, 8] || error(\"wrong\")\n@cuda threads=4 second!(y, 1)\n";
    fs::write(project.dir.join("program.jl"), format!("{PROGRAM}{checks}")).unwrap();
    let output = project.kiln("off", &["image", "--json", "build", "program.jl"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.contains("wrong"), "{errors}");
    assert!(printed(&output).contains("\"kernels\":3,"));
}

/// MISSION C9: an image has all that a program comes to need, also where it defines anew what its kernels call.
#[test]
fn an_image_has_what_came_after_definitions() {
    let project = Project::new("again");
    let again = "scaled(x) = 3 * x\n@cuda threads=4 first!(y)\nprintln(Array(y))\n";
    let back = "@noinline scaled(x) = 2 * x\n@cuda threads=4 first!(y)\nprintln(Array(y))\n";
    fs::write(project.dir.join("program.jl"), format!("{PROGRAM}{again}{back}")).unwrap();
    assert!(project.kiln("off", &["image", "build", "program.jl"]).status.success());
    let output = project.kiln("off", &["run", "--timings=json", "--image", "program.kimg", "program.jl"]);
    assert_eq!(printed(&output), "[2, 4, 6, 8]\n[3, 6, 9, 12]\n[2, 4, 6, 8]\n");
    assert_eq!(["inferences", "compiles"].map(|it| total(&output, it)), [0, 0]);
}
