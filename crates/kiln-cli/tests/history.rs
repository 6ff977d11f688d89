//! What was compiled before, in this process or another, changes neither results nor messages nor names.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::{Project, total};
use std::fs;

/// The output of a run with arguments, and the totals named.
fn run<const N: usize>(
    project: &Project,
    mode: &str,
    args: &[&str],
    totals: [&str; N],
) -> (String, [u64; N]) {
    let output = project.kiln(mode, &[&["run", "--timings=json", "program.jl"], args].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    (String::from_utf8(output.stdout).unwrap(), totals.map(|it| total(&errors, it)))
}

/// MISSION C7, S2: a function that was inferred as a callee is inferred no more when it becomes a kernel, and compiled once; nothing of the
/// host is compiled for it.
#[test]
fn a_callee_becomes_a_kernel() {
    let project = Project::new("callee");
    let program = "\
using CUDA
@noinline function inner!(y)
    y[threadIdx().x] += 1
    return
end
function outer!(y)
    inner!(y)
    inner!(y)
    return
end
y = CUDA.zeros(Int, 4)
@cuda threads=4 outer!(y)
println(Array(y))
if !isempty(ARGS)
    @cuda threads=4 inner!(y)
    println(Array(y))
end
";
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let counts = ["inferences", "compiles", "host_compiled", "kernels_compiled"];
    let (printed, [inferences, compiles, of_host, kernels]) = run(&project, "rw", &[], counts);
    assert_eq!((printed.as_str(), compiles, of_host, kernels), ("[2, 2, 2, 2]\n", 2, 0, 1));
    assert!(inferences > 0);
    let both = "[2, 2, 2, 2]\n[3, 3, 3, 3]\n";
    assert_eq!(run(&project, "rw", &["both"], counts), (both.into(), [0, 1, 0, 2]));
    assert_eq!(run(&project, "rw", &["both"], counts), (both.into(), [0, 0, 0, 2]));
    // In one process, too: with the callee's own unit there are three.
    let (printed, [_, compiles, of_host, _]) = run(&project, "off", &["both"], counts);
    assert_eq!((printed.as_str(), compiles, of_host), (both, 3, 0));
}

/// MISSION V3, V4: a kernel is refused in the same words whatever was compiled before, and what they name is a name, no address.
#[test]
fn messages_do_not_depend_on_what_was_compiled() {
    let project = Project::new("messages");
    let program = "\
using CUDA
good!(y) = (y[threadIdx().x] = 1; return)
good_too!(y) = (y[threadIdx().x] += 2; return)
struct var\"odd name!\"
    x::Int
end
function bad!(y, z)
    y[threadIdx().x] = parse(Int, z) + z.x
    return
end
y = CUDA.zeros(Int, 4)
if !isempty(ARGS)
    @cuda threads=4 good!(y)
    @cuda threads=4 good_too!(y)
end
for z in (var\"odd name!\"(1), :symbol, 7)
    try
        @cuda threads=4 bad!(y, z)
    catch error
        showerror(stdout, error)
        println()
    end
end
";
    fs::write(project.dir.join("program.jl"), program).unwrap();
    let (said, []) = run(&project, "off", &[], []);
    assert_eq!(said.matches("error[no-matching-method]").count(), 3, "{said}");
    assert!(said.contains("`parse(Type{Int64}, var\"odd name!\")`"), "{said}");
    assert!(said.contains("`parse(Type{Int64}, Symbol)`") && !said.contains("0x"), "{said}");
    for (mode, args) in [("rw", &["before"][..]), ("rw", &[]), ("rw", &["before"]), ("off", &["before"])] {
        assert_eq!(run(&project, mode, args, []).0, said, "{mode} {args:?}");
    }
}

/// MISSION V3: what a kernel does that cannot work is found in functions of the library, too, whether they are inferred or read from the
/// cache: an error, or a warning where data decides.
#[test]
fn the_library_is_looked_into_in_every_process() {
    for (name, statement, said) in [
        (
            "error",
            "copyto!(y, 1, :a, 1, 2)",
            "error[no-matching-method]: no method matches `iterate(Symbol)`",
        ),
        (
            "warning",
            "y[2] == 0 || (y[1] = clamp(y[2], :a, 3))",
            "no method takes all calls `isless(Int64, Symbol)`",
        ),
    ] {
        let project = Project::new(name);
        let program = format!(
            "\
using CUDA
function kernel!(y)
    {statement}
    return
end
y = CUDA.zeros(Int, 4)
try
    @cuda kernel!(y)
    synchronize()
catch error
    showerror(stdout, error)
end
"
        );
        fs::write(project.dir.join("program.jl"), program).unwrap();
        let outputs = ["off", "rw", "rw", "rw"].map(|it| {
            let output = project.kiln(it, &["run", "program.jl"]);
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).concat()
        });
        assert!(outputs[0].contains(said), "{}", outputs[0]);
        assert!(outputs.iter().all(|it| *it == outputs[0]), "{outputs:?}");
    }
}

/// MISSION D7: functions of a device have the names of the program; names that are alike are told apart, in the same way in every process.
#[test]
fn functions_of_devices_have_their_names() {
    let project = Project::new("names");
    let program = "\
module A
@noinline var\"a-1\"(x) = x + 1
@noinline a_1(x) = x + 10
end
module B
@noinline a_1(x) = x + 100
end
@noinline α!(x) = x + 1000
macro made(name)
    quote
        @noinline helper(x) = x + 7
        $(esc(name))(x) = helper(x)
    end
end
@made hidden
kernel!(y) = (unsafe_store!(y, hidden(unsafe_load(y)) + A.var\"a-1\"(unsafe_load(y)) + A.a_1(unsafe_load(y)) + B.a_1(unsafe_load(y)) + α!(unsafe_load(y))); return)
";
    let compiled = |mode: &str, before: &str| {
        fs::write(project.dir.join("program.jl"), format!("{before}\n{program}")).unwrap();
        let args = ["compile", "-t", "sm_80", "-o", "out", "program.jl", "kernel!(Ptr{Int64})"];
        let output = project.kiln(mode, &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(project.dir.join("out")).unwrap()
    };
    let text = compiled("off", "");
    let defined = text.lines().filter_map(|it| it.strip_prefix(".func")?.strip_suffix('(')?.split_once(") "));
    let mut names: Vec<&str> = defined.map(|it| it.1.rsplit_once('_').unwrap().0).collect();
    names.sort_unstable();
    assert_eq!(names, ["julia___", "julia___helper", "julia_a_1", "julia_a_1", "julia_a_1"]);
    assert_eq!([compiled("rw", ""), compiled("rw", "")], [text.clone(), text.clone()]);
    // Numbers of a session are in no name.
    assert_eq!([compiled("rw", "gensym(), gensym()"), compiled("off", "gensym()")], [text.clone(), text]);
}
