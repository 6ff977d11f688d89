//! The cache of compiled units, as a user meets it: across processes, edits, and damage.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

mod project;
use project::{Project, TWO_KERNELS as PROGRAM, TWO_PRINTED as PRINTED};

/// MISSION N1, N3, N15: no process compiles the results of another again. The two kernels differ in what they call, which is
/// not part of their units, so they share one.
#[test]
fn a_second_process_compiles_nothing() {
    let project = Project::new("second");
    assert_eq!(project.run("rw", PROGRAM, ["hits", "compiles"]), (PRINTED.into(), [1, 3]));
    assert_eq!(project.run("rw", PROGRAM, ["hits", "misses", "compiles"]), (PRINTED.into(), [4, 0, 0]));
    assert_eq!(project.run("off", PROGRAM, ["hits", "misses", "compiles"]), (PRINTED.into(), [0, 0, 4]));
}

/// MISSION N1: eight processes that start with an empty cache compile together what one compiles alone.
#[test]
fn processes_at_once_compile_each_unit_once() {
    let program = "\
using CUDA
@noinline third(x, n) = n == 0 ? x : third(3x, n - 1)
for f in (abs, sqrt, sin, cos, exp, log)
    @eval function $(Symbol(:apply_, nameof(f)))(y)
        y[threadIdx().x] = third($f(Float64(threadIdx().x)), 4)
        return
    end
    @eval (y = CUDA.zeros(Float64, 4); @cuda threads=4 $(Symbol(:apply_, nameof(f)))(y); println(Array(y)))
end
";
    let alone = Project::new("alone");
    let (printed, [compiles]) = alone.run("rw", program, ["compiles"]);
    assert!(compiles >= 7, "{compiles}");
    let together = Project::new("together");
    fs::write(together.dir.join("program.jl"), program).unwrap();
    let start = |_| {
        let mut command = together.command("rw", &["run", "--timings=json", "program.jl"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    let mut sum = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
        sum += project::total(&String::from_utf8(output.stderr).unwrap(), "compiles");
    }
    assert_eq!(sum, compiles);
}

/// MISSION N1, N3: a kernel that calls nothing is found by its typed code, whose body is then read only after a failure:
/// another process reports the same failure, and the present position of one that has moved.
#[test]
fn a_found_kernel_fails_as_a_compiled_one() {
    let project = Project::new("fails");
    let program = "\
using CUDA
@inline third(x) = x[3]
function outside!(y, x)
    y[threadIdx().x] = third(x) + 1
    return
end
y, x = CUDA.zeros(Int, 4), CUDA.zeros(Int, 2)
try
    @cuda threads=4 outside!(y, x)
    synchronize()
catch error
    showerror(stdout, error, catch_backtrace())
end
";
    // What prints the exceptions runs often, and is compiled, too.
    let (said, [kernels]) = project.run("rw", program, ["kernels_compiled"]);
    assert_eq!(kernels, 1);
    assert!(said.starts_with("BoundsError: attempt to access 2-element") && said.contains("program.jl:4"));
    let counts = ["inferences", "compiles"];
    assert_eq!(project.run("rw", program, counts), (said.clone(), [0, 0]));
    let (moved, found) = project.run("rw", &format!("\n{program}"), counts);
    assert_eq!((moved.contains("program.jl:5"), found), (true, [0, 0]));
    // Another body of the same kernel is found under another key, or not at all.
    let edited = program.replace("+ 1", "+ 2").replace("x[3]", "x[2]") + "println(Array(y))\n";
    assert_eq!(project.run("rw", &edited, ["compiles", "hits"]), ("[2, 2, 2, 2]\n".into(), [1, 0]));
    assert_eq!(project.run("rw", &edited, counts), ("[2, 2, 2, 2]\n".into(), [0, 0]));
    assert_eq!(project.run("rw", program, counts), (said, [0, 0]));
}

/// MISSION N1, N3: neither are boxes, nor what a kernel has the host launch, lost on a kernel that is found: it computes,
/// launches and fails as a compiled one.
#[test]
fn a_found_kernel_has_boxes_and_launches() {
    let program = "\
using CUDA
function boxed!(y, n)
    x = n > 2 ? Base.compilerbarrier(:type, n) : Base.compilerbarrier(:type, 2.5)
    y[threadIdx().x] = x isa Float64 ? round(Int, 4x) : x::Int
    y[n] += 100
    return
end
add!(y, n) = (y[threadIdx().x + 1] += n; return)
parent!(y, n) = (@cuda dynamic=true threads=n add!(y, 7); return)
y = CUDA.zeros(Int, 3)
function tried(f)
    try
        f()
        synchronize()
    catch error
        showerror(stdout, error, catch_backtrace())
        println()
    end
    println(Array(y))
end
tried(() -> @cuda boxed!(y, 1))
tried(() -> @cuda boxed!(y, 4))
tried(() -> @cuda parent!(y, 2))
tried(() -> @cuda parent!(y, 3))
";
    let project = Project::new("boxes");
    let (said, [kernels]) = project.run("rw", program, ["kernels_compiled"]);
    assert!(
        said.starts_with("[110, 0, 0]\nBoundsError") && said.contains("boxed! [work-item (1, 1, 1)"),
        "{said}"
    );
    assert!(
        said.contains("\n[4, 0, 0]\n[4, 7, 7]\nBoundsError") && said.contains("add! [work-item (3, 1, 1)"),
        "{said}"
    );
    assert_eq!(said.matches("program.jl:5\n").count(), 1, "{said}");
    // Units of host functions are among the others: what prints the exceptions runs often.
    assert_eq!(kernels, 3);
    assert_eq!(project.run("rw", program, ["inferences", "compiles"]), (said, [0, 0]));
}

/// MISSION N8: names, places and lines are not part of a key.
#[test]
fn a_shifted_or_renamed_function_hits() {
    let project = Project::new("shifted");
    project.run("rw", PROGRAM, []);
    let shifted = format!("# a comment\n\n{PROGRAM}");
    assert_eq!(project.run("rw", &shifted, ["hits", "misses"]), (PRINTED.into(), [4, 0]));
    let renamed = PROGRAM.replace("first!", "primero!").replace("scaled", "doubled");
    assert_eq!(project.run("rw", &renamed, ["hits", "misses"]), (PRINTED.into(), [4, 0]));
}

/// MISSION N1: an edit misses the edited method's unit, and only that: its caller knows how it is called, no more.
#[test]
fn an_edit_recompiles_one_unit() {
    let project = Project::new("edit");
    project.run("rw", PROGRAM, []);
    let edited = PROGRAM.replace("2 * x", "3 * x");
    let (printed, counts) = project.run("rw", &edited, ["hits", "misses", "compiles"]);
    assert_eq!((&*printed, counts), ("[3, 6, 9, 12]\n[2, 3, 4, 5]\n", [3, 1, 1]));
    // Without `@noinline` the edit is in the caller.
    let inlined = PROGRAM.replace("@noinline scaled(x) = 2 * x", "scaled(x) = 4 * x");
    let (printed, counts) = project.run("rw", &inlined, ["hits", "misses"]);
    assert_eq!((&*printed, counts), ("[4, 8, 12, 16]\n[2, 3, 4, 5]\n", [2, 1]));
}

/// Copies, which do the same with 64 bits whatever their type.
const COPIES: &str = "\
using CUDA

function copies!(y, x)
    y[threadIdx().x] = x[threadIdx().x]
    return
end

y = CuArray([0, 0])
@cuda threads=2 copies!(y, CuArray([1, 2]))
println(Array(y))
y = CuArray(UInt64[0, 0])
@cuda threads=2 copies!(y, CuArray(UInt64[1, 2]))
println(Int.(Array(y)))
";

/// MISSION N6: bodies that differ, but of which the same is emitted, are compiled once; from then on each is found by its
/// own key, and LLVM is not opened.
#[test]
fn what_emits_the_same_is_compiled_once() {
    let project = Project::new("module");
    let printed = "[1, 2]\n[1, 2]\n";
    let counts = ["store_front", "store_back", "misses", "compiles"];
    assert_eq!(project.run("rw", COPIES, counts), (printed.into(), [0, 1, 1, 1]));
    assert_eq!(project.run("rw", COPIES, counts), (printed.into(), [2, 0, 0, 0]));
    let output = project.kiln("rw", &["run", "--timings=json", "program.jl"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("\"open\":0.000000000"));
    // Without the other's front key there is still what it emits.
    let project = Project::new("module-alone");
    let (signed, unsigned) = COPIES.split_at(COPIES.find("y = CuArray(UInt64").unwrap());
    project.run("rw", signed, []);
    let other = format!("{}{unsigned}", &signed[..signed.find("y = ").unwrap()]);
    assert_eq!(project.run("rw", &other, counts), ("[1, 2]\n".into(), [0, 1, 0, 0]));
}

/// MISSION N6: in this mode every unit is made again, and must come out as it is stored.
#[test]
fn verification_finds_no_difference() {
    let project = Project::new("verify");
    project.run("rw", PROGRAM, []);
    assert_eq!(project.run("verify", PROGRAM, ["hits", "compiles"]), (PRINTED.into(), [0, 4]));
    // Of the units that are found, one in so many.
    let counts = ["hits", "compiles", "verified", "mismatches"];
    assert_eq!(project.run("verify=1/1", PROGRAM, counts), (PRINTED.into(), [4, 4, 4, 0]));
    let (_, [hits, _, verified, _]) = project.run("verify=1/1000000", PROGRAM, counts);
    assert!(hits == 4 && verified < 4, "{verified}");
}

/// MISSION N9: damage costs a compile, nothing else.
#[test]
fn a_damaged_cache_gives_right_results() {
    let project = Project::new("damaged");
    project.run("rw", PROGRAM, []);
    let mut segments = Vec::new();
    find(&project.dir.join("cache"), &mut segments);
    assert!(!segments.is_empty());
    for path in segments {
        let mut bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(97) {
            bytes[at] ^= 0x40;
        }
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(project.run("rw", PROGRAM, ["compiles"]), (PRINTED.into(), [3]));
}

fn find(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { find(&path, out) } else { out.push(path) }
    }
}

/// MISSION N7, N10, X4: the store lists its contents, and the part of a key that an edit changed.
#[test]
fn the_cache_explains_itself() {
    let project = Project::new("explain");
    project.run("rw", PROGRAM, []);
    project.run("rw", PROGRAM, []);
    let text = |args: &[&str]| String::from_utf8(project.kiln("rw", args).stdout).unwrap();
    let stats = text(&["cache", "--json", "stats"]);
    assert!(stats.contains("\"hits\":19,\"misses\":9,"), "{stats}");
    assert!(stats.contains("\"keys\":34,\"contents\":31"), "{stats}");
    assert!(text(&["cache", "ls"]).contains("subject: scaled Tuple{typeof(scaled), Int32}"));
    assert!(text(&["cache", "--json", "verify"]).contains("\"faults\":[]"));
    let signature = "first!(CuDeviceVector{Int64,1})";
    assert!(!text(&["cache", "explain", "program.jl", signature]).contains("hit: no"));
    fs::write(project.dir.join("program.jl"), PROGRAM.replace("2 * x", "3 * x")).unwrap();
    let explained = text(&["cache", "explain", "program.jl", signature]);
    let changed = "hit: no\nreason: absent\nchanged: \n  body of scaled Tuple{typeof(scaled), Int32} of ";
    assert!(explained.contains(changed), "{explained}");
    assert!(explained.contains("causes: \n  method scaled Tuple{typeof(scaled), Any} at "), "{explained}");
    assert!(text(&["cache", "clear"]).contains("cleared"));
    assert!(text(&["cache", "--json", "stats"]).contains("\"keys\":0"));
}

/// MISSION X6: of whatever a kernel depends on that was edited between two runs, the name, the place, and how it changed.
#[test]
fn an_edit_is_named_by_the_next_process() {
    let program = "\
using CUDA
struct Pair
    a::Int
end
const OFFSET = 10
scaled(x) = 2 * x
weigh(p::Pair) = p.a
function kernel!(y, p)
    y[threadIdx().x] = scaled(weigh(p)) + OFFSET
    return
end
y = CUDA.zeros(Int, 1)
@cuda threads=1 kernel!(y, Pair(1))
";
    let project = Project::new("edited");
    let explain = |program: &str| {
        fs::write(project.dir.join("program.jl"), program).unwrap();
        let signature = "kernel!(CuDeviceVector{Int64,1}, Pair)";
        let output = project.kiln("rw", &["cache", "explain", "program.jl", signature]);
        String::from_utf8(output.stdout).unwrap()
    };
    project.run("rw", program, []);
    assert!(explain(program).contains("hit: yes"));
    let edits = [
        ("2 * x", "3 * x", "method scaled Tuple{typeof(scaled), Any} at ", "program.jl:6\n"),
        ("OFFSET = 10", "OFFSET = 11", "Main.OFFSET at ", "program.jl:5: 11, was 10\n"),
        (
            "scaled(x) =",
            "scaled(x::Int) = 4 * x\nscaled(x) =",
            "typeof(scaled), Int64} at ",
            "program.jl:6\n",
        ),
        ("p.a\n", "p.a + 1\n", "method weigh Tuple{typeof(weigh), Pair} at ", "program.jl:7\n"),
        ("+ OFFSET", "- OFFSET", "method kernel! Tuple{typeof(kernel!), Any, Any} at ", "program.jl:8\n"),
        ("a::Int\n", "a::Int\n    b::Int\n    Pair(a) = new(a, a)\n", "type", ""),
    ];
    for (from, to, what, place) in edits {
        assert!(program.contains(from), "{from}");
        let explained = explain(&program.replacen(from, to, 1));
        let because = explained.split_once("causes: ").map_or("", |it| it.1);
        assert!(because.contains(what) && because.contains(place), "{from} -> {to}: {explained}");
    }
}

/// MISSION X6: the definition that ended a compiled kernel, and the calls through which it did.
#[test]
fn an_ended_result_has_a_reason() {
    let project = Project::new("why");
    let again = "shifted(x) = x + 3\n@cuda threads=4 second!(y)\n";
    fs::write(project.dir.join("program.jl"), format!("{PROGRAM}{again}")).unwrap();
    let output = project.kiln("rw", &["cache", "why", "program.jl", "second!(CuDeviceVector{Int64,1})"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("result: device\ndefinition: shifted Tuple{typeof(shifted), Any}\n"), "{text}");
    assert!(text.contains("program.jl:19\n"), "{text}");
    assert!(text.contains("callers: \n  second! Tuple"), "{text}");
    assert!(text.contains("revived: no"), "{text}");
    assert!(!text.contains("[2, 4, 6, 8]"), "standard output is for the answer: {text}");
}

/// MISSION X6: the whole chain of calls is told also where typed code came from another process, through what was inlined and
/// what was not; and where a constant was defined.
#[test]
fn the_chain_is_whole_for_what_another_process_made() {
    let program = "\
using CUDA
const OFFSET = 10
shifted(x) = x + 1
@inline inner(x) = shifted(x)
@noinline outer(x) = inner(x) * OFFSET
function kernel!(y)
    y[threadIdx().x] = outer(threadIdx().x)
    return
end
y = CUDA.zeros(Int, 1)
@cuda threads=1 kernel!(y)
";
    let project = Project::new("chain");
    let why = |definition: &str| {
        let again = format!("{program}{definition}\n@cuda threads=1 kernel!(y)\n");
        fs::write(project.dir.join("program.jl"), again).unwrap();
        let signature = "kernel!(CuDeviceVector{Int64,1})";
        let output = project.kiln("rw", &["cache", "--json", "why", "program.jl", signature]);
        String::from_utf8(output.stdout).unwrap()
    };
    for (definition, names, what) in [
        ("shifted(x) = x + 3", vec!["kernel!", "outer", "inner"], "shifted Tuple{typeof(shifted), Any}"),
        ("const OFFSET = 20", vec!["kernel!", "outer"], "Main.OFFSET"),
    ] {
        project.run("rw", program, []);
        // What is inferred here, and what was taken over from the first run.
        for said in [why(definition), why(definition)] {
            let through = said.split_once("\"callers\":").map_or("", |it| it.1);
            let through: Vec<&str> = through.split('"').filter(|it| it.contains("Tuple{")).collect();
            let called: Vec<&str> = through.iter().filter_map(|it| it.split(' ').next()).collect();
            assert_eq!(called, names, "{said}");
            assert!(said.contains(what) && said.contains("program.jl:12\""), "{said}");
        }
    }
}

/// A variable that means nothing is the caller's mistake.
#[test]
fn an_unknown_mode_is_status_2() {
    let output = Project::new("mode").kiln("sometimes", &["-e", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("off, ro, rw, verify or recache"));
}

/// MISSION N10: a file carries compiled results to another machine, intermediate results included.
#[test]
fn a_cache_is_carried_in_a_file() {
    let (from, to) = (Project::new("export"), Project::new("import"));
    assert_eq!(from.run("rw", PROGRAM, []).0, PRINTED);
    let file = from.dir.join("units.bundle");
    let told = |project: &Project, mode: &str, what: &str| {
        let output = project.kiln(mode, &["cache", "--json", what, file.to_str().unwrap()]);
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text)
    };
    let entries = |it: &str| -> u64 {
        let rest = it.split_once("\"entries\":").unwrap().1;
        rest[..rest.find(',').unwrap()].parse().unwrap()
    };
    let (code, exported) = told(&from, "rw", "export");
    assert!(code == Some(0) && exported.contains("\"damaged\":0"), "{exported}");
    let (code, imported) = told(&to, "rw", "import");
    assert_eq!((code, entries(&imported)), (Some(0), entries(&exported)));
    assert!(entries(&exported) >= 9, "units by both keys, stages, typed code: {exported}");
    for mode in ["ro", "rw"] {
        let (printed, totals) = to.run(mode, PROGRAM, ["compiles", "misses", "inferences"]);
        assert_eq!((&*printed, totals), (PRINTED, [0; 3]));
    }
    // Again changes nothing.
    let (code, again) = told(&to, "rw", "import");
    assert_eq!((code, entries(&again)), (Some(0), 0));
    assert!(again.contains(&format!("\"present\":{},", entries(&exported))), "{again}");
    // A file that is cut short gives what is whole in it, and says so; one that is none, and a cache that takes nothing,
    // are errors.
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 10]).unwrap();
    let (code, cut) = told(&Project::new("cut"), "rw", "import");
    assert_eq!((code, entries(&cut)), (Some(1), entries(&exported) - 1), "{cut}");
    assert!(cut.contains("\"damaged\":1"), "{cut}");
    fs::write(&file, "no bundle").unwrap();
    for (mode, file_is) in [("rw", "no bundle"), ("ro", "a bundle")] {
        let (code, said) = told(&to, mode, "import");
        assert!(
            code == Some(1) && said.contains("\nerror: ") && said.starts_with("{\"error\":"),
            "{file_is}: {said}"
        );
        fs::write(&file, &whole).unwrap();
    }
}

/// The bytes of every file of the cache.
fn contents(project: &Project) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    find(&project.dir.join("cache"), &mut files);
    files.sort();
    files.into_iter().map(|it| (it.clone(), fs::read(it).unwrap())).collect()
}

/// MISSION N10: `ro` reads existing results and leaves the cache unchanged, also if it does not exist.
#[test]
fn read_only_writes_nothing() {
    let project = Project::new("ro");
    let totals = ["hits", "compiles"];
    assert_eq!(project.run("ro", PROGRAM, totals), (PRINTED.into(), [0, 4]));
    assert!(!project.dir.join("cache").exists());
    project.run("rw", PROGRAM, []);
    let before = contents(&project);
    assert_eq!(project.run("ro", PROGRAM, totals), (PRINTED.into(), [4, 0]));
    let edited = PROGRAM.replace("x + 1", "x + 3");
    for _ in 0..2 {
        let (printed, [hits, compiles]) = project.run("ro", &edited, totals);
        assert_eq!((&*printed, hits + compiles), ("[2, 4, 6, 8]\n[4, 5, 6, 7]\n", 4));
        assert!(compiles > 0, "what another read-only process made was not kept");
    }
    assert!(contents(&project) == before);
}

/// MISSION N10: `recache` ignores existing results, and replaces them.
#[test]
fn recache_makes_everything_again() {
    let project = Project::new("recache");
    project.run("rw", PROGRAM, []);
    let totals = ["inferences", "hits", "compiles"];
    let (printed, [inferred, hits, compiles]) = project.run("recache", PROGRAM, totals);
    assert_eq!((&*printed, hits, compiles), (PRINTED, 0, 4));
    assert!(inferred > 10, "typed code is made again too");
    assert_eq!(project.run("rw", PROGRAM, totals), (PRINTED.into(), [0, 4, 0]));
}

/// MISSION S4: methods that have nothing to do with a program cost it neither inference nor compilation, wherever they
/// stand, in the first process and in later ones.
#[test]
fn unrelated_methods_cost_nothing() {
    let mut unrelated = String::from("struct Apart end\n");
    for n in 0..100 {
        unrelated += &format!("apart_{n}(x, ::Apart) = x + {n}\nBase.:+(a::Apart, b::Val{{{n}}}) = {n}\n");
    }
    let launch = "@cuda threads=4 first!(y)\n@cuda threads=4 second!(y)\nprintln(Array(y))\n";
    let totals = ["inferences", "compiles"];
    let alone = Project::new("alone").run("off", &format!("{PROGRAM}{launch}"), totals);
    assert!(alone.1[0] > 10 && alone.1[1] == 4);
    let above = format!("using CUDA\n{unrelated}{PROGRAM}{launch}");
    let between = format!("{PROGRAM}{unrelated}{launch}");
    for program in [&above, &between] {
        assert_eq!(Project::new("among").run("off", program, totals), alone);
    }
    let project = Project::new("later");
    project.run("rw", &format!("{PROGRAM}{launch}"), []);
    for program in [&above, &between] {
        assert_eq!(project.run("rw", program, totals), (alone.0.clone(), [0, 0]));
    }
}

/// MISSION C10: typed code that holds objects of the library, and depends on how their types are printed, serves later
/// processes.
#[test]
fn typed_code_with_objects_of_the_library_is_found() {
    let program = "width(text, n) = sum(textwidth(uppercase(c)) for _ in 1:n for c in text)\n\
        numbers(n) = sum(parse(Float64, SubString(\"x1.5\", 2)) for _ in 1:n)\n\
        println(width(\"ab\\u4e2d\", 2000), ' ', numbers(2000))\n";
    let project = Project::new("objects");
    let totals = ["inferences", "typed_absent"];
    let (printed, [inferred, _]) = project.run("rw", program, totals);
    assert!(printed == "8000 3000.0\n" && inferred > 100, "{printed} {inferred}");
    assert_eq!(project.run("rw", program, totals), ("8000 3000.0\n".into(), [0, 0]));
}
