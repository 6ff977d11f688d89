//! Host code that is compiled while the program runs: the output of programs does not depend on it, and they end in time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;
use std::fmt::Write as _;
use std::process::Output;

/// Loops and functions that become hot, a redefinition while they are compiled, closures, exceptions, and a sort.
const PROGRAM: &str = "\
function collatz(n)
    steps = 0
    while n != 1
        n = iseven(n) ? n >> 1 : 3n + 1
        steps += 1
    end
    steps
end
weigh(x) = 2x
total(m) = sum(collatz(i) % 7 * weigh(i) for i in 1:m)
println(total(4000))
weigh(x) = 3x + 1
println(total(4000))
last = 0
for i in 1:20000
    global last = (last * 31 + weigh(i)) % 1000003
    i == 10000 && @eval weigh(x) = x - 1
end
println(last)
words = [string(\"w\", i * 7919 % 1000) for i in 1:3000]
counts = Dict{String,Int}()
for it in words
    counts[it] = get(counts, it, 0) + 1
end
println(sum(values(counts)), \" \", first(sort(collect(keys(counts)), by = reverse), 3))
caught = 0
for i in 1:3000
    try
        i % 3 == 0 && throw(DomainError(i))
    catch
        global caught += 1
    end
end
println(caught)
";

fn run(project: &Project, threads: &str, mode: &str, program: &str) -> Output {
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    let mut command = project.command(mode, &["run", "--timings=json", "program.jl"]);
    command.env("KILN_BACKGROUND", "1").env("KILN_THREADS", threads).output().unwrap()
}

fn number(output: &Output, name: &str) -> f64 {
    let errors = String::from_utf8_lossy(&output.stderr);
    let (_, rest) = errors.split_once(&format!("\"{name}\":")).unwrap();
    rest.split([',', '}']).next().unwrap().parse().unwrap()
}

/// Output is that of a program that waits for its code, without a store and with one, in the first process and in later ones.
#[test]
fn output_does_not_depend_on_when_code_is_ready() {
    let project = Project::new("output");
    let waits = run(&project, "1", "off", PROGRAM);
    assert!(waits.status.success(), "{}", String::from_utf8_lossy(&waits.stderr));
    assert_eq!(number(&waits, "background"), 0.0);
    for mode in ["off", "rw", "rw", "rw"] {
        let beside = run(&project, "2", mode, PROGRAM);
        assert!(beside.status.success(), "{}", String::from_utf8_lossy(&beside.stderr));
        assert_eq!(String::from_utf8_lossy(&beside.stdout), String::from_utf8_lossy(&waits.stdout));
    }
}

/// MISSION H2: a process that ends while its code is compiled ends as it should, and leaves a store that a later process uses; what the first
/// process has stored is not compiled again.
#[test]
fn a_program_ends_while_it_is_compiled() {
    let mut program = String::new();
    for it in 0..40 {
        let _ = writeln!(
            program,
            "function f{it}(n)\n s = {it}\n for i in 1:n\n  s = (s * 31 + i) % 1000\n end\n s\nend\nprint(f{it}(900), ' ')"
        );
    }
    let project = Project::new("ends");
    let ends = format!("{program}exit(3)\n");
    let waits = run(&project, "1", "off", &ends);
    assert_eq!(waits.status.code(), Some(3));
    // Each process compiles some of it, as long as there is any left.
    let left = (0..100).map(|_| {
        let beside = run(&project, "2", "rw", &ends);
        assert_eq!((beside.status.code(), &beside.stdout), (Some(3), &waits.stdout));
        assert!(!String::from_utf8_lossy(&beside.stderr).contains("warning"));
        number(&beside, "compiles")
    });
    let runs = left.take_while(|it| *it > 0.0).count();
    assert!((1..100).contains(&runs), "{runs}");
}
