//! Kernels that use `Symbol`s: each session has its own, units name them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;

const PROGRAM: &str = "\
using CUDA

struct Tagged
    kind::Symbol
    n::Int
end
const MODES = (:down, :up)
const DEFAULT = Tagged(:none, 7)
@noinline pick(i) = i == 1 ? :up : i == 2 ? :down : :none
@noinline weigh(s::Symbol) = s === :up ? 1 : s === :down ? 20 : 300
@noinline tagged(i) = Tagged(pick(i), i)
@noinline or_default(t, flag) = ifelse(flag, t, DEFAULT)
function element(i, mode, other, pair)
    s = i == 1 ? :up : :down
    t = tagged(i)
    n = (s === :up ? 1 : 2) + 10 * weigh(pick(i)) + 10_000 * or_default(t, i == 3).n
    n += MODES[i & 1 + 1] === mode ? 100_000 : 0
    n += pair[i & 1 + 1] === :up ? 1_000_000 : 0
    n + (t === other ? 10_000_000 : 0)
end
function kernel!(y, mode, other, pair)
    i = Int(threadIdx().x)
    y[i] = element(i, mode, other, pair)
    return
end

y = CUDA.zeros(Int, 4)
@cuda threads=4 kernel!(y, :down, Tagged(:down, 2), (:none, :up))
println(Array(y))
";
const PRINTED: &str = "[1070011, 10170202, 1033002, 173002]\n";

/// MISSION C17: compiled in one process, run in others that know the symbols by other numbers and at other places.
#[test]
fn a_kernel_of_symbols_runs_in_another_process() {
    let project = Project::new("process");
    let (printed, [compiles]) = project.run("rw", PROGRAM, ["compiles"]);
    assert_eq!(printed, PRINTED);
    assert!(compiles >= 5, "{compiles}");
    // Symbols come to be in another order, `:none` first and at run time, among hundreds of others.
    let others = "\
        for i in 1:300\n    Symbol(:other, i)\nend\nconst FIRST = [Symbol(:no, :ne), :down, :zebra, :up]\n\
        weighed = Any[FIRST...]\n";
    for mode in ["rw", "ro"] {
        let (printed, totals) = project.run(mode, &format!("{others}{PROGRAM}"), ["compiles", "misses"]);
        assert_eq!((&*printed, totals), (PRINTED, [0, 0]));
    }
}

/// MISSION C17: the name is part of a unit's identity.
#[test]
fn another_symbol_is_another_unit() {
    let project = Project::new("renamed");
    assert_eq!(project.run("rw", PROGRAM, []).0, PRINTED);
    let edited = PROGRAM.replace("s === :up ? 1 : s", "s === :above ? 1 : s");
    let (printed, [compiles]) = project.run("rw", &edited, ["compiles"]);
    assert_eq!((&*printed, compiles), ("[1073001, 10170202, 1033002, 173002]\n", 1));
}

/// MISSION C17: `Symbol`s in a kernel's exceptions are those of this session.
#[test]
fn a_symbol_comes_back_in_an_exception() {
    let project = Project::new("thrown");
    let program = "using CUDA\nstruct Unknown <: Exception\n    name::Symbol\nend\nfunction kernel!(s)\n    \
        s === :known || throw(Unknown(s))\n    return\nend\n@cuda kernel!(:strange)\n";
    std::fs::write(project.dir.join("program.jl"), program).unwrap();
    for _ in 0..2 {
        let output = project.kiln("rw", &["run", "program.jl"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("Unknown(:strange)"), "{errors}");
    }
}

/// MISSION C17: what holds an address of this process is used and not kept; one that holds none of its callers' is.
#[test]
fn a_unit_that_holds_an_address_is_not_kept() {
    let project = Project::new("address");
    let program = "using CUDA\nconst PLACE = Ptr{Int}(0x7f0012345678)\nconst NOWHERE = Ptr{Int}(1)\n\
        @noinline nowhere(x) = x + UInt(NOWHERE)\n\
        @noinline at(p::Ptr) = UInt(p)\nfunction kernel!(y, i)\n    y[1] = nowhere(at(i == 1 ? PLACE : NOWHERE))\n    \
        return\nend\ny = CUDA.zeros(UInt, 1)\n@cuda kernel!(y, 1)\nprintln(Array(y)[1] == 0x7f0012345679)\n";
    let totals = ["uncacheable", "compiles"];
    assert_eq!(project.run("rw", program, totals), ("true\n".into(), [1, 3]));
    assert_eq!(project.run("rw", program, totals), ("true\n".into(), [1, 1]));
}
