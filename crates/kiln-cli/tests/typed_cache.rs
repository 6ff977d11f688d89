//! Typed code that outlives a process: a later process does not infer valid code again, and never uses invalid code.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod project;
use project::Project;

const PROGRAM: &str = "\
using CUDA

struct Pair
    a::Int32
    b::Int64
end
const OFFSET = 10
offset() = OFFSET
scaled(x) = 2 * x
weigh(p::Pair) = p.a + p.b + sizeof(Pair)
@noinline checked(x) = x < 100 ? x : throw(DomainError(x))
is_chosen(::Val{S}) where {S} = S === :chosen
function kernel!(y, p, s)
    i = threadIdx().x
    y[i] = checked(scaled(i)) + offset() + weigh(p) + (is_chosen(s) ? 1000 : 0)
    return
end

y = CUDA.zeros(Int, 2)
@cuda threads=2 kernel!(y, Pair(1, 2), Val(:chosen))
println(Array(y))
";
const PRINTED: &str = "[1031, 1033]\n";

/// A project in which the program ran once.
fn ran(name: &str) -> Project {
    let project = Project::new(name);
    let (printed, [inferred]) = project.run("rw", PROGRAM, ["inferences"]);
    assert_eq!(printed, PRINTED);
    assert!(inferred > 10);
    project
}

/// MISSION C9, C17: a second process takes typed code over, with its types, symbols and constants.
#[test]
fn a_second_process_infers_nothing() {
    let project = ran("second");
    let totals = ["inferences", "compiles", "misses", "typed_absent", "typed_stale"];
    assert_eq!(project.run("rw", PROGRAM, totals), (PRINTED.into(), [0; 5]));
    assert_eq!(project.run("ro", PROGRAM, totals), (PRINTED.into(), [0; 5]));
}

/// Typed code is kept, too, of callees whose static parameters are open, as arguments of abstract types leave them. Late units are found
/// without the code generator.
#[test]
fn a_second_process_infers_nothing_for_abstract_arguments() {
    let program = "\
@noinline first_of(v::AbstractVector{T}, n) where {T} = n > 0 ? v[n] : zero(T)
@noinline rare(n) = string(n, \" is rare\")
@noinline added(@nospecialize(v::AbstractVector)) = first_of(v, 1)
function total(n)
    s = 0
    for i in 1:n
        s += added([i])::Int
        i > n + 1 && println(rare(i))
    end
    return s
end
println(total(60_000))
";
    let project = Project::new("abstract");
    let totals = ["inferences", "compiles", "typed_absent", "typed_stale", "units_late"];
    let (printed, [_, compiled, _, _, late]) = project.run("rw", program, totals);
    assert!(printed == "1800030000\n" && compiled > 0 && late > 0, "{printed} {compiled} {late}");
    assert_eq!(project.run("rw", program, totals), (printed, [0, 0, 0, 0, late]));
}

/// A callee with open static parameters has the same ones whether a record that names it turns out stale or there is none.
#[test]
fn a_stale_record_leaves_no_wider_parameters() {
    let program = "\
@noinline element(v::AbstractVector{T}, n) where {T} = n > 0 ? T : T
is_integer(::Type{<:Integer}) = true
is_integer(::Type) = \"no\"
@noinline asked(@nospecialize(v::AbstractVector{<:Integer}), n) = (is_integer(element(v, n)), CONST)
const CONST = 1
println(Base.return_types(asked, (AbstractVector{<:Integer}, Int)))
";
    let project = Project::new("open-parameters");
    assert_eq!(project.run("rw", program, []).0, "Any[Tuple{Bool, Int64}]\n");
    let edited = program.replace("CONST = 1", "CONST = 2.0");
    assert_eq!(project.run("rw", &edited, []).0, "Any[Tuple{Bool, Float64}]\n");
}

/// MISSION C9: after an edit, what changed and what calls it is inferred again; what these call is taken from the store, also of the
/// library, and also behind functions of the library that are given functions of the program.
#[test]
fn an_edit_infers_what_it_changes() {
    let project = ran("edited");
    let edited = PROGRAM.replace("? 1000", "? 2000");
    assert_eq!(project.run("rw", &edited, ["inferences"]), ("[2031, 2033]\n".into(), [1]));
    let edited = PROGRAM.replace("2 * x", "3 * x");
    assert_eq!(project.run("rw", &edited, ["inferences"]), ("[1032, 1035]\n".into(), [2]));
    let fused = PROGRAM.replace("checked(scaled(i))", "sum(map(x -> checked(scaled(x)), (i, i)))");
    let (printed, [cold]) = project.run("rw", &fused, ["inferences"]);
    assert!(printed == "[1033, 1037]\n" && cold > 10, "{printed} {cold}");
    let edited = fused.replace("? 1000", "? 2000");
    let (printed, [inferred]) = project.run("rw", &edited, ["inferences"]);
    assert!(printed == "[2033, 2037]\n" && inferred <= 3, "{printed} {inferred}");
}

/// MISSION N8: changes outside of the code cost nothing.
#[test]
fn what_does_not_matter_is_not_inferred_again() {
    let project = ran("harmless");
    let shifted = format!("# a comment\n\n{PROGRAM}");
    let unrelated = PROGRAM.replace("y = CUDA", "f(x) = x\nstruct Other end\nconst Z = 1\ny = CUDA");
    let commented = PROGRAM.replace("2 * x", "2 * x # twice");
    let method =
        PROGRAM.replace("y = CUDA", "scaled(x::String) = x\nBase.:+(a::Pair, b::Pair) = a\ny = CUDA");
    for program in [shifted, unrelated, commented, method] {
        assert_eq!(
            project.run("rw", &program, ["inferences", "compiles"]),
            (PRINTED.into(), [0, 0]),
            "{program}"
        );
    }
}

/// MISSION C14: everything a result depends on is an edge, also across processes: each of these edits is seen.
#[test]
fn what_matters_is() {
    let project = ran("edits");
    let edits = [
        ("2 * x", "3 * x", "[1032, 1035]\n"),
        ("const OFFSET = 10", "const OFFSET = 20", "[1041, 1043]\n"),
        ("const OFFSET = 10\n", "const OFFSET = Int8(10)\n", PRINTED),
        ("a::Int32", "a::Int64", PRINTED),
        ("a::Int32\n", "a::Int32\n    c::Tuple{}\n    Pair(a, b) = new(a, (), b)\n", PRINTED),
        (
            "a::Int32",
            "a::Int8\n    c::NTuple{8,Int8}\n    Pair(a, b) = new(a, ntuple(Int8, 8), b)",
            "[1039, 1041]\n",
        ),
        ("=== :chosen", "=== :other", "[31, 33]\n"),
        ("y = CUDA", "scaled(x::Int32) = 4 * x\ny = CUDA", "[1033, 1037]\n"),
        ("y = CUDA", "scaled(x::Signed) = 5 * x\ny = CUDA", "[1034, 1039]\n"),
        ("y = CUDA", "Base.:*(a::Int64, b::Int32) = a + b\ny = CUDA", "[1032, 1033]\n"),
        ("offset() = OFFSET", "offset() = OFFSET + 1", "[1032, 1034]\n"),
        ("x < 100 ? x", "x < 100 ? x - 1", "[1030, 1032]\n"),
    ];
    for (from, to, expected) in edits {
        assert!(PROGRAM.contains(from), "{from}");
        let (printed, [inferred]) = project.run("rw", &PROGRAM.replacen(from, to, 1), ["inferences"]);
        assert_eq!(printed, expected, "{from} -> {to}");
        assert!(inferred > 0, "{from} -> {to}");
    }
    // The first program again: what it depends on is as it was.
    assert_eq!(project.run("rw", PROGRAM, ["compiles"]), (PRINTED.into(), [0]));
}

/// MISSION C1: loaded results end like results inferred in this process.
#[test]
fn a_definition_ends_what_was_taken_over() {
    let project = Project::new("redefined");
    let launch = "@cuda threads=2 kernel!(y, Pair(1, 2), Val(:chosen))\nprintln(Array(y))\n";
    let program = format!(
        "{PROGRAM}scaled(x) = 3 * x\n{launch}const OFFSET = 20\n{launch}\
         Base.:*(a::Int64, b::Int32) = a + b\n{launch}scaled(x) = 2 * x\n{launch}"
    );
    let expected = "[1031, 1033]\n[1032, 1035]\n[1042, 1045]\n[1043, 1044]\n[1042, 1043]\n";
    assert_eq!(project.run("rw", &program, []).0, expected);
    let (printed, totals) = project.run("rw", &program, ["inferences", "compiles", "typed_stale"]);
    assert_eq!((&*printed, totals), (expected, [0; 3]));
}

/// MISSION R5, N8: the places in code that was taken over are those of the text as it is now.
#[test]
fn failures_are_placed_where_the_text_is() {
    let project = Project::new("places");
    let failing = PROGRAM.replace("scaled(x) = 2 * x", "scaled(x) = 60 * x");
    for (program, line) in [(failing.clone(), 11), (failing.clone(), 11), (format!("#\n#\n{failing}"), 13)] {
        std::fs::write(project.dir.join("program.jl"), program).unwrap();
        let output = project.kiln("rw", &["run", "program.jl"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(errors.contains("DomainError"), "{errors}");
        assert!(errors.contains(&format!("program.jl:{line}")), "{errors}");
    }
}

/// MISSION C15: names that lowering makes up (of closures, of the bodies of keyword functions) are told by the definitions
/// they belong to: others above them change nothing.
#[test]
fn closures_and_keywords_do_not_shift_each_other() {
    const WITH_NAMES: &str = "\
using CUDA, KernelAbstractions
@noinline h(x; k = 1) = x + k
@noinline adder(a) = y -> y + a
@noinline boxed(x) = (n = x; add() = (n += 1; n); add(); n)
function named!(y, f)
    i = threadIdx().x
    y[i] = f(h(i; k = 2)) + adder(i)(i) + (x -> 2x)(i)
    return
end
@kernel function tiled!(y, s; by = 2)
    i = @index(Local)
    tile = @localmem Int (2,)
    tile[i] = s * i * by
    @synchronize
    y[@index(Global)] = tile[3 - i]
end
y = CUDA.zeros(Int, 2)
@cuda threads=2 named!(y, x -> 10x)
println(Array(y), boxed(1))
z = zeros(Int, 2)
tiled!(CPU(), 2)(z, 3; ndrange = 2)
println(z)
";
    const ABOVE: &str = "\
using KernelAbstractions
other(x; k = 3) = map(y -> y + k, x)
f = x -> x
@kernel function another!(y)
    tile = @localmem Int (2,)
    y[@index(Global)] = 1
end
struct Made
    x
    Made(; x = 1) = new(map(y -> y + 1, x))
end
println(other([1])[1], f(1), Made().x)
";
    const PRINTED: &str = "[34, 48]2\n[12, 6]\n";
    let project = Project::new("names");
    let (printed, [inferred]) = project.run("rw", WITH_NAMES, ["inferences"]);
    assert_eq!(printed, PRINTED);
    assert!(inferred > 10);
    let totals = ["inferences", "compiles", "typed_absent", "typed_stale"];
    assert_eq!(project.run("rw", WITH_NAMES, totals), (PRINTED.into(), [0; 4]));
    // What stands above runs itself.
    let (printed, [above]) = project.run("rw", ABOVE, ["inferences"]);
    assert_eq!(printed, "412\n");
    let (printed, [both]) = project.run("rw", &format!("{ABOVE}{WITH_NAMES}"), ["inferences"]);
    assert_eq!(printed, format!("412\n{PRINTED}"));
    assert_eq!(both, 0, "{above} inferred for what stands above");
}

/// MISSION N8: nor is the layout of the text that typed code was made of mistaken for the one that is there.
#[test]
fn failures_inside_a_reformatted_body_are_placed_where_they_are() {
    let project = Project::new("layout");
    let plain = PROGRAM
        .replace("scaled(x) = 2 * x", "function scaled(x)\n    x < 1 ? 0 : throw(DomainError(x))\nend");
    let spaced = plain.replace("function scaled(x)\n", "function scaled(x)\n    # a comment\n\n");
    for (program, line) in [(&plain, 10), (&spaced, 12), (&plain, 10), (&spaced, 12)] {
        std::fs::write(project.dir.join("program.jl"), program).unwrap();
        let output = project.kiln("rw", &["run", "--timings=json", "program.jl"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(&format!("program.jl:{line}")), "{errors}");
    }
}

const GENERATED: &str = "\
using CUDA
terms(n) = n + 1
@generated function spread(x::NTuple{N,Int}) where {N}
    ex = :(0)
    for i in 1:N
        ex = :($ex + x[$i] * $(terms(i)))
    end
    return ex
end
function kernel!(y, x)
    y[1] = spread(x)
    return
end
y = CUDA.zeros(Int, 1)
@cuda kernel!(y, (1, 2, 3))
println(Array(y))
";

/// MISSION C14: the output of the program's generators is stored as well, and generated again to check that it is unchanged, also
/// when a callee of the generator changed.
#[test]
fn what_generators_make_is_kept() {
    let project = Project::new("generated");
    let totals = ["inferences", "compiles", "typed_stale"];
    let (printed, [inferred, compiled, _]) = project.run("rw", GENERATED, totals);
    assert_eq!(printed, "[20]\n");
    assert!(inferred > 0 && compiled > 0);
    for program in [GENERATED.to_owned(), format!("# moved\n{GENERATED}")] {
        assert_eq!(project.run("rw", &program, totals), ("[20]\n".into(), [0; 3]), "{program}");
    }
    for (old, new, prints) in [("n + 1", "n + 2", "[26]\n"), ("x[$i] *", "x[$i] -", "[-3]\n")] {
        let (printed, [inferred, ..]) = project.run("rw", &GENERATED.replace(old, new), totals);
        assert_eq!(printed, prints);
        assert!(inferred > 0);
    }
    assert_eq!(project.run("rw", GENERATED, totals).0, "[20]\n");
}

/// MISSION C14: the visible parts of constants that hold objects are edges: immutable parts, and the identity of objects.
/// Objects themselves differ in every process, and their other contents do not matter.
#[test]
fn constants_that_hold_objects_are_compared_by_what_can_be_seen() {
    let program = "\
using CUDA
mutable struct Setting
    const level::Int
    at::Int
end
const A = Ref(1)
const B = A
const PAIR = (Ref(1), 3)
const SETTING = Setting(5, 7)
const LIST = Core.svec(1, 2)
@noinline seen() = PAIR[2] + 10 * SETTING.level + 100 * Core._svec_len(LIST) + (A === B ? 1000 : 0)
function kernel!(y)
    y[threadIdx().x] = seen()
    return
end
y = CUDA.zeros(Int, 1)
@cuda threads=1 kernel!(y)
println(Array(y))
";
    let project = Project::new("objects");
    let totals = ["inferences", "compiles", "typed_stale"];
    assert_eq!(project.run("rw", program, ["compiles"]).0, "[1253]\n");
    assert_eq!(project.run("rw", program, totals), ("[1253]\n".into(), [0; 3]));
    let edits = [
        ("(Ref(1), 3)", "(Ref(1), 4)", "[1254]\n"),
        ("Setting(5, 7)", "Setting(6, 7)", "[1263]\n"),
        ("svec(1, 2)", "svec(1, 2, 3)", "[1353]\n"),
        ("const B = A", "const B = Ref(1)", "[253]\n"),
    ];
    for (from, to, expected) in edits {
        assert!(program.contains(from), "{from}");
        let (printed, [inferred]) = project.run("rw", &program.replacen(from, to, 1), ["inferences"]);
        assert_eq!(printed, expected, "{from} -> {to}");
        assert!(inferred > 0, "{from} -> {to}");
    }
    for (from, to) in [("(Ref(1), 3)", "(Ref(2), 3)"), ("Setting(5, 7)", "Setting(5, 8)")] {
        let edited = program.replacen(from, to, 1);
        assert_eq!(project.run("rw", &edited, totals), ("[1253]\n".into(), [0; 3]), "{from} -> {to}");
    }
}

/// MISSION C17: host code that names a method table of the library is kept: its number is the same in every process.
#[test]
fn host_code_that_launches_is_kept() {
    let program = "\
using CUDA
function kernel!(y)
    y[threadIdx().x] = 1
    return
end
function launch(y, n)
    for i in 1:n
        @cuda threads=1 kernel!(y)
    end
end
y = CUDA.zeros(Int, 1)
launch(y, 3000)
println(Array(y))
";
    let project = Project::new("launching");
    let (printed, [compiled, unkept]) = project.run("rw", program, ["host_compiled", "typed_absent"]);
    assert!(printed == "[1]\n" && compiled > 0 && unkept > 0, "{printed} {compiled} {unkept}");
    let totals = ["inferences", "compiles", "typed_absent", "typed_stale"];
    assert_eq!(project.run("rw", program, totals), ("[1]\n".into(), [0; 4]));
}

/// MISSION C16: why a kernel does not compile is kept as well: another process says the same of it, at the places where the
/// text is now, and infers and compiles nothing; and it ends like any other result.
#[test]
fn failures_to_compile_are_kept() {
    let program = "\
using CUDA
import Base.Device: @static_assert
added(x) = x + offset
offset = 1
@noinline wrong(x) = added(x)
function failing!(y)
    y[threadIdx().x] = wrong(1)
    return
end
function asserting!(y)
    @static_assert eltype(y) === Float32 \"the output is of Float32\"
    return
end
y = CUDA.zeros(Int, 1)
function say(f)
    try
        @cuda threads=1 f(y)
        println(Array(y))
    catch e
        println(sprint(showerror, e))
    end
end
say(failing!)
say(asserting!)
";
    let project = Project::new("failures");
    let totals = ["inferences", "compiles"];
    let (said, [inferred, compiled]) = project.run("rw", program, totals);
    assert!(inferred > 0 && compiled > 0);
    for part in ["`offset`", "program.jl:3:", "the output is of Float32", "program.jl:11:"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(project.run("rw", program, totals), (said.clone(), [0; 2]));
    let (moved, counts) = project.run("rw", &format!("#\n#\n{program}"), totals);
    assert!(moved.contains("program.jl:5:") && moved.contains("program.jl:13:"), "{moved}");
    assert_eq!(counts, [0; 2]);
    let repaired = program.replace("\noffset = 1", "\nconst offset = 1");
    let (printed, [inferred, _]) = project.run("rw", &repaired, totals);
    assert!(printed.starts_with("[2]\n") && inferred > 0, "{printed}");
    let repaired = program.replace("Int, 1", "Float32, 1");
    assert!(project.run("rw", &repaired, []).0.ends_with("[0.0]\n"));
}

/// MISSION C16: a call that has lost its method is refused by every process, also where the typed code of all callers is kept.
#[test]
fn a_call_without_a_method_is_refused_again() {
    let program = "\
g(x) = x + 1
g(x::Int) = 10x
through(x) = g(x)
using CUDA
kernel!(y) = (y[threadIdx().x] = through(threadIdx().x); return)
y = CUDA.zeros(Float64, 2)
@cuda threads=2 kernel!(y)
println(Array(y))
Base.delete_method(which(g, Tuple{Float64}))
try
    @cuda threads=2 kernel!(y)
    println(Array(y))
catch e
    println(sprint(showerror, e))
end
";
    let project = Project::new("lost-method");
    for _ in 0..3 {
        let (said, []) = project.run("rw", program, []);
        assert!(said.starts_with("[2.0, 3.0]\n") && said.contains("no method matches `g(Int32)`"), "{said}");
    }
}

/// MISSION C16: host code that runs often, and allocates, is neither inferred nor compiled again by the next process.
#[test]
fn hot_code_that_allocates_is_not_inferred_again() {
    let program = "\
function fill(n)
    v = Any[nothing]
    for i in 1:n
        v[1] = i
    end
    return v
end
println(fill(50000))
";
    let project = Project::new("allocating-hot");
    let counts = ["host_refused", "inferences", "typed_absent", "compiles"];
    let (printed, [refused, inferences, ..]) = project.run("rw", program, counts);
    assert!(printed == "Any[50000]\n" && refused == 0 && inferences > 0, "{printed} {refused} {inferences}");
    let (printed, [again, rest @ ..]) = project.run("rw", program, counts);
    assert!(printed == "Any[50000]\n" && again == 0, "{printed} {again}");
    assert_eq!(rest, [0; 3]);
}

/// MISSION C16: a function whose loops are entered in several ways (here at an inner loop first, and with kernels of different types):
/// the next process compiles those that this one did, though it knows after fewer rounds that they are hot.
#[test]
fn loops_are_compiled_as_the_process_before_did() {
    let program = "\
struct Step{N} end
(::Step{N})(x) where {N} = (x + N) % 1000
function walk(n, short, long)
    step, x, total = n < 100 ? Step{3}() : Step{7}(), 0, 0
    for i in 1:n
        for j in 1:(isodd(i) ? short : long)
            x = step(x)
            total += j
        end
        x = step(x)
    end
    return x + total
end
println(walk(60, 2, 3), ' ', walk(2000, 1, 5))
";
    let project = Project::new("loops-entered");
    let counts = ["inferences", "typed_absent", "compiles"];
    let (printed, [inferences, ..]) = project.run("rw", program, counts);
    assert!(inferences > 0, "{printed}");
    let again = project.run("rw", program, counts);
    assert_eq!(again, (printed, [0; 3]));
}

/// MISSION C15, X: a kernel that outlives an equal definition of what it calls fails where the text is now, also if the text is laid
/// out in another way; nothing is inferred for that.
#[test]
fn a_kept_kernel_fails_in_the_text_of_now() {
    let program = |again: &str| {
        format!(
            "\
using CUDA
inlined(x) = x > 2 ? throw(DomainError(x)) : x
@noinline check(x) = inlined(x) + 1
k!(y) = (y[threadIdx().x] = check(threadIdx().x); return)
y = CUDA.zeros(Int, 4)
try
    @cuda threads=4 k!(y)
catch
end
{again}
@cuda threads=4 k!(y)
"
        )
    };
    let failing = |name: &str, again: &str| {
        let project = Project::new(name);
        std::fs::write(project.dir.join("program.jl"), program(again)).unwrap();
        let output = project.kiln("off", &["run", "--timings=json", "program.jl"]);
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        let (_, rest) = said.split_once("\"inferences\":").unwrap();
        let inferences: u64 = rest[..rest.find(',').unwrap()].parse().unwrap();
        (inferences, said)
    };
    let (once, said) = failing("places", "");
    assert!(said.contains("program.jl:2") && said.contains("program.jl:3"), "{said}");
    let again = "\
function inlined(x)
    # first of all
    x > 2 ? throw(DomainError(x)) : x
end
@noinline check(x) = inlined(x) + 1";
    let (twice, said) = failing("places-again", again);
    for (line, is_there) in [(2, false), (3, false), (12, true), (14, true), (4, true)] {
        assert_eq!(said.contains(&format!("program.jl:{line}\n")), is_there, "line {line}: {said}");
    }
    assert_eq!(twice, once);
    // What does something else is compiled again, as ever.
    let (_, said) = failing("places-other", "inlined(x) = x > 3 ? throw(DomainError(x)) : x");
    assert!(said.contains("program.jl:10") && !said.contains("program.jl:2\n"), "{said}");
}
